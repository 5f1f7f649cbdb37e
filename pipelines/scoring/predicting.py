"""The table predicted_score: what a run that was asked a part of the questions would earn on all of them.

The whole is an exam, or a dataset without exams. Answered questions are known; only the rest is drawn: from what the
answers say of the run (`belief`, an item response model with the parameters of items.py), or, where the questions are
not known, from the shares right in the strata of a random sample. Figures are sums over such draws. Measured figures
are figures.py; which question to ask next is pipelines/ask/adaptive.py.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from pipelines.schema import TABLES
from pipelines.scoring.answers import SCORABLE
from pipelines.scoring.figures import typed
from pipelines.scoring.items import WHOLE
from pipelines.scoring.rules import meets

LEVEL = 0.9
DRAWS = 2000
SEED = 20201210
FEWEST = 20
"""Answered questions below which nothing is predicted."""
KNOWN = 0.9
"""Share of the whole's questions with parameters from which the model is used."""
SLOPE = 0.3
"""Standard deviation of ln(slope) of a new run: how much more or less than other runs it follows the difficulties."""
STRATUM = 0.3
"""Standard deviation, in logits, by which a run is better or worse in a stratum (component and points) than the model
says: what a run and a kind of question have with each other. Both are prior spreads set by hand; the test on held-out
runs (tests/real/test_predicting_real.py) is what they rest on."""

METHOD = (
    "item response model: answered questions as they are, the rest drawn by ability, slope and strata given the "
    "answers, with the questions' standard errors; 90 % interval"
)
SAMPLED = (
    "random sample within strata, as too few runs answered the questions to know them: the rest drawn by "
    "Beta(right + 1/2, wrong + 1/2) in each stratum; 90 % interval"
)
NOTHING = "no value: too few runs to know the questions, and those asked are not a random sample within strata"

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

_ABILITY, _Z = np.linspace(-7.0, 7.0, 71), np.linspace(-2.0, 2.0, 5)
_T, _S = np.repeat(_ABILITY, len(_Z)), np.exp(SLOPE * np.tile(_Z, len(_ABILITY)))
_PRIOR = -(_T**2) / (2 * 3.0**2) - np.tile(_Z, len(_ABILITY)) ** 2 / 2
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)


@dataclass(frozen=True)
class Paper:
    """The m questions of a whole that can be scored. `chances` is empty where the questions are not known.

    worth (m): points of a right answer. certain (m): credited to all. counted (m): 0 where a question counts only when
    right. stratum (m): a code for component (or topic) and points. chances (nodes x m): the chance of a right answer
    for each ability and slope of the grid, over what is not known of the question. pictured (m): shows a picture.
    """

    ids: tuple[str, ...]
    worth: Array
    certain: Flags
    counted: Array
    stratum: Places
    pictured: Flags
    chances: Array

    @property
    def is_known(self) -> bool:
        return self.chances.size > 0

    def drawn(self, with_pictures: bool) -> list[str]:
        """The questions in random order, such that each beginning of it is a proportional sample of the strata.

        The order is that of a hash of the ids: the same for every run, so that runs are asked the same questions.
        """
        key = [hashlib.sha256(f"{SEED} {i}".encode()).hexdigest() for i in self.ids]
        found = []
        for code in np.unique(self.stratum):
            inside = np.flatnonzero((self.stratum == code) & ~self.certain & (with_pictures | ~self.pictured))
            ordered = sorted(inside, key=lambda i: key[i])
            found += [((k + 0.5) / len(ordered), key[i], self.ids[i]) for k, i in enumerate(ordered)]
        return [question_id for _, _, question_id in sorted(found)]


def paper(question: pl.DataFrame, item_parameter: pl.DataFrame, rule_item: pl.DataFrame) -> Paper:
    """The questions of one whole, with their worth under the official rule and what is known of them."""
    official = rule_item.filter(pl.col("ruleset") == "official").select(
        "benchmark", "weighted", "credits_all", full=(pl.col("any_right") + pl.col("exact")).cast(pl.Float64)
    )
    found = (
        question.filter(SCORABLE)
        .join(official, on="benchmark")
        .join(item_parameter, on="question_id", how="left")
        .sort("question_id")
        .with_columns(
            worth=pl.col("full") * pl.when("weighted").then(pl.col("points").cast(pl.Float64)).otherwise(1.0),
            certain=(pl.col("key_status") == "all_credit") & pl.col("credits_all"),
        )
    )
    kind = [f"{c} {w}" for c, w in found.select(pl.coalesce("component", "topic"), "worth").iter_rows()]
    certain = found["certain"].to_numpy()
    chances = np.zeros((0, len(found)))
    told = found.filter(~pl.col("certain"))
    if len(told) and told["difficulty"].is_not_null().mean() >= KNOWN:  # type: ignore[operator]
        b, a = (found[c].fill_null(strategy="mean").to_numpy() for c in ("difficulty", "discrimination"))
        error = found["difficulty_se"].fill_null(told["difficulty"].std()).to_numpy()
        chances = sum(
            w * special.expit(_S[:, None] * a * (_T[:, None] - b - node * error))
            for node, w in zip(_NODES, _WEIGHTS / _WEIGHTS.sum(), strict=True)
        )
        chances = np.where(certain, 1.0, np.clip(chances, 1e-6, 1 - 1e-6))
    return Paper(
        tuple(found["question_id"]), found["worth"].to_numpy(), certain,
        (found["key_status"] != "correct_only").to_numpy().astype(float),
        np.unique(kind, return_inverse=True)[1], found["needs_image"].to_numpy(), chances,
    )  # fmt: skip


def belief(chances: Array, asked: Places, right: Array) -> Array:
    """Probability of each node of the grid, given the answers `right` (0 to 1) to the questions `asked`."""
    p = np.clip(chances[:, asked], 1e-6, 1 - 1e-6)
    logs = _PRIOR + np.log(p) @ right + np.log1p(-p) @ (1 - right)
    weight = np.exp(logs - logs.max())
    return np.asarray(weight / weight.sum())


def draws(paper: Paper, asked: Places, right: Array, rng: np.random.Generator, n: int = DRAWS) -> Array:
    """Papers (n x m) of right answers (0 to 1): those to the questions `asked` as they are, the rest drawn."""
    inside = np.eye(int(paper.stratum.max()) + 1)[paper.stratum]
    told = inside[asked]
    if paper.is_known:
        p = paper.chances[rng.choice(len(_T), n, p=belief(paper.chances, asked, right))]
        # given ability and slope, a stratum's own effect is nearly normal: one step from 0, where its prior is
        precision = STRATUM**-2 + (p[:, asked] * (1 - p[:, asked])) @ told
        effect = ((right - p[:, asked]) @ told + rng.normal(size=precision.shape) * np.sqrt(precision)) / precision
        p = special.expit(special.logit(p) + effect @ inside.T)
    else:
        share = rng.beta(right @ told + 0.5, (1 - right) @ told + 0.5, (n, inside.shape[1]))
        p = np.where(paper.certain, 1.0, share @ inside.T)
    drawn = (rng.random(p.shape) < p).astype(float)
    drawn[:, asked] = right
    return drawn


def is_part(asked: int, whole: int) -> bool:
    """Whether a run that was asked so many questions has a prediction; with half of a whole it has a voice on it."""
    return asked >= FEWEST and 2 * asked < whole


def predicted_score(
    item_score: pl.DataFrame, question: pl.DataFrame, item_parameter: pl.DataFrame, run: pl.DataFrame,
    rule_item: pl.DataFrame, rule_topic: pl.DataFrame, exam_rule: pl.DataFrame, exam_part: pl.DataFrame,
    exam_result: pl.DataFrame, leaderboard: pl.DataFrame, leaderboard_part: pl.DataFrame,
) -> pl.DataFrame:  # fmt: skip
    """The table predicted_score: model runs that answered FEWEST questions of a whole and less than half of it."""
    boards = pl.concat([
        leaderboard.select("dataset_id", "rank", "score", "same_as", part=pl.lit("all")),
        leaderboard_part.select("dataset_id", "rank", "score", "same_as", "part"),
    ]).filter(pl.col("rank").is_not_null() & pl.col("same_as").is_null())  # fmt: skip
    official = item_score.filter(pl.col("ruleset") == "official").join(
        run.filter(pl.col("kind") == "model").select("run_id"), on="run_id"
    )
    given = official.group_by("run_id", "question_id").agg(
        right=pl.col("is_correct").cast(pl.Float64).mean(), points=pl.col("points").cast(pl.Float64).mean(),
        forbidden=pl.col("hits_forbidden").cast(pl.Float64).mean(),
    )  # fmt: skip
    rows: list[dict[str, Any]] = []
    for (dataset_id, name), of_whole in question.group_by("dataset_id", WHOLE, maintain_order=True):
        sheet = paper(of_whole, item_parameter, rule_item)
        exam_id = None if name == dataset_id else str(name)
        part = "all" if exam_id is None else "exam/" + exam_id.split("/", 1)[1]
        place = pl.DataFrame({"question_id": sheet.ids}, schema={"question_id": pl.String}).with_row_index("place")
        lines = _lines(exam_rule, exam_part, exam_result, exam_id, sheet)
        board = boards.filter((pl.col("dataset_id") == dataset_id) & (pl.col("part") == part))
        measured = board["score"].drop_nulls().cast(pl.Float64).to_numpy()
        weights = _weights(of_whole, rule_topic, sheet) if exam_id is None else None
        answered = given.join(place, on="question_id").sort("run_id", "place")
        for (run_id,), mine in answered.group_by("run_id", maintain_order=True):
            if not is_part(len(mine), len(sheet.ids)):
                continue
            about = {
                "run_id": run_id, "dataset_id": dataset_id, "part": part, "n_asked": len(mine),
                "n_whole": len(sheet.ids),
            }  # fmt: skip
            rows += [about | figure for figure in _figures(sheet, mine, lines, measured, weights)]
    return typed("predicted_score", TABLES["predicted_score"].frame(rows).sort("run_id", "part", "component", "metric"))


def _figures(
    sheet: Paper, mine: pl.DataFrame, lines: Lines | None, measured: Array, weights: Array | None
) -> list[dict[str, Any]]:
    """component, metric, value, low, high and method of one run: draws of the whole, summed."""
    asked, right = mine["place"].to_numpy().astype(np.int64), mine["right"].to_numpy()
    method = METHOD if sheet.is_known else SAMPLED
    if not sheet.is_known and not any(
        set(mine["question_id"]) == set(sheet.drawn(pictures)[: len(mine)]) for pictures in (True, False)
    ):
        return [{"component": "overall", "metric": "score", "method": NOTHING}]
    digest = hashlib.sha256("\n".join(sheet.ids).encode()).digest()
    rng = np.random.default_rng([SEED, int.from_bytes(digest[:8], "big")])
    drawn = draws(sheet, asked, right, rng)
    known = mine["points"].to_numpy()
    missed = right < 1
    # what an answer that is not right earns, as a share of a right one's points: this run's own mean
    lost = (
        float(((known - right * sheet.worth[asked])[missed] / sheet.worth[asked][missed]).mean()) if missed.any() else 0
    )
    points = (drawn + (1 - drawn) * min(lost, 1.0)) * sheet.worth
    points[:, asked] = known
    most = sheet.worth * np.where(sheet.counted > 0, 1.0, drawn)
    share = points.sum(axis=1) / most.sum(axis=1)
    found = {
        ("overall", "score"): points.sum(axis=1), ("overall", "score_share"): share,
        ("overall", "accuracy"): drawn.mean(axis=1),
    }  # fmt: skip
    ranked = share
    if weights is not None:
        ranked = found["overall", "exam_score"] = points @ weights
    if len(measured):
        found["overall", "rank"] = 1.0 + (measured > ranked[:, None] + 1e-9).sum(axis=1)
    rows = []
    if lines is not None:
        passed = lines.passed(points, most, drawn, asked, float(mine["forbidden"].sum()), rng)
        found |= {(name, "score"): points[:, inside].sum(axis=1) for name, inside in lines.inside.items()}
        rows.append({"component": "overall", "metric": "pass_chance", "value": float(passed.mean()), "method": method})
    for (component, metric), values in found.items():
        low, middle, high = np.quantile(values, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2], method="closest_observation")
        figure = {"value": float(middle), "low": float(low), "high": float(high), "method": method}
        rows.append({"component": component, "metric": metric} | figure)
    return rows


@dataclass(frozen=True)
class Lines:
    """What an exam asks for by the official rule. `inside`: the questions (m) that each line of points looks at."""

    rules: tuple[dict[str, Any], ...]
    inside: dict[str, Flags]
    limits: dict[str, float]

    def passed(
        self, points: Array, most: Array, drawn: Array, asked: Places, forbidden: float, rng: np.random.Generator
    ) -> Flags:
        """Which drawn papers meet every line; forbidden choices come at the rate of the wrong answers seen."""
        met = np.ones(len(points), dtype=bool)
        for rule in self.rules:
            inside = self.inside[rule["component"]]
            percent, line = (None if rule[k] is None else float(rule[k]) for k in ("percent", "line"))
            earned, counted = (v[:, inside].sum(axis=1) for v in (points, most))
            met &= meets(rule["basis"], percent, line, earned, counted)
        if "forbidden" in self.limits:
            wrong = float((1 - drawn[0, asked]).sum())
            rate = rng.beta(forbidden + 0.5, max(wrong - forbidden, 0) + 0.5, len(points))
            more = rng.binomial(((1 - drawn).sum(axis=1) - wrong).round().astype(int).clip(0), rate)
            met &= forbidden + more <= self.limits["forbidden"]
        return met


def _lines(
    exam_rule: pl.DataFrame, exam_part: pl.DataFrame, exam_result: pl.DataFrame, exam_id: str | None, sheet: Paper
) -> Lines | None:
    """The official lines of an exam; none where a verdict of a whole run can't be given, or rests on subjects."""
    if exam_id is None:
        return None
    official = pl.col("ruleset") == "official"
    verdicts = exam_result.filter(official & (pl.col("exam_id") == exam_id) & (pl.col("component") == "overall"))
    if verdicts["passed"].drop_nulls().is_empty():
        return None
    rules = exam_rule.filter(official & (pl.col("exam_id") == exam_id)).to_dicts()
    if any(r["kind"] not in ("points", "forbidden") for r in rules):
        return None
    points = [r for r in rules if r["kind"] == "points"]
    members = exam_part.filter(official & (pl.col("exam_id") == exam_id))
    inside = {
        r["component"]: np.isin(
            sheet.ids, members.filter(pl.col("component") == r["component"])["question_id"].to_list()
        )
        for r in points
    }
    return Lines(tuple(points), inside, {r["kind"]: float(r["line"]) for r in rules if r["kind"] != "points"})


def _weights(question: pl.DataFrame, rule_topic: pl.DataFrame, sheet: Paper) -> Array | None:
    """What a point of each question adds to exam_score: its subject's weight over the subject's questions."""
    weighed = question.filter(SCORABLE).join(rule_topic, on=["benchmark", "topic"], how="left").sort("question_id")
    if weighed["weight"].null_count() == len(weighed):
        return None
    return (
        weighed.select(pl.col("weight").cast(pl.Float64).fill_null(0) / pl.len().over("topic")).to_series().to_numpy()
    )
