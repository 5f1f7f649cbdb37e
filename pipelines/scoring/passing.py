"""The table pass_chance: how likely a run passes another exam of such questions, by the official rule.

A double bootstrap over single sittings: first the run's ability is drawn anew, then an exam's questions. Without the
first step what is called .95 passes in .86 of cases. Verdicts themselves are SQL (sql/scores/exam_result.sql).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipelines.scoring.figures import typed
from pipelines.scoring.rules import meets

DRAWS = 2000
SEED = 20200210
"""Any fixed number does; with the exam's questions it makes each chance the same at each refresh."""
PSEUDO = 0.5
"""Weight of the answer that is right and of the one that is wrong which each part is given beside its questions
(Jeffreys' prior): a perfect part is not taken for certain."""

METHOD = (
    f"share of {DRAWS:,} sittings that meet every official line: ability drawn by Bayesian bootstrap (Rubin 1981) with "
    "half a right and half a wrong answer more in each part, then questions by it; cases kept together; "
    "mean over attempts"
)

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


def pass_chance(
    item_score: pl.DataFrame,
    question: pl.DataFrame,
    exam_part: pl.DataFrame,
    exam_result: pl.DataFrame,
    exam_rule: pl.DataFrame,
) -> pl.DataFrame:
    """The table pass_chance. Only where there is a verdict, and the parts of the exam are known question by question.

    Each part of a drawn exam has its official maximum, so the year's line stays what it is.
    """
    official = exam_result.filter(pl.col("ruleset") == "official")
    verdicts = official.filter((pl.col("component") == "overall") & pl.col("attempts_passed").is_not_null())
    pooled = official.filter(pl.col("points").is_null())["exam_id"].unique()
    found = []
    for (exam_id,), of_exam in verdicts.sort("exam_id", "run_id").group_by("exam_id", maintain_order=True):
        if exam_id in pooled:
            continue
        rules = exam_rule.filter((pl.col("exam_id") == exam_id) & (pl.col("ruleset") == "official"))
        asked = question.filter(pl.col("exam_id") == exam_id)
        members = exam_part.filter((pl.col("exam_id") == exam_id) & (pl.col("ruleset") == "official"))
        scores = item_score.filter(
            (pl.col("ruleset") == "official") & pl.col("run_id").is_in(of_exam["run_id"].implode())
        ).join(asked.select("question_id", "dataset_id"), on="question_id")
        for (dataset_id,), of_dataset in scores.group_by("dataset_id", maintain_order=True):
            sat = asked.filter(pl.col("dataset_id") == dataset_id).sort("question_id")
            chance = _sittings(of_dataset, sat, rules, members)
            found.append(chance.join(of_exam.select("run_id", "exam_id", "passed"), on="run_id"))
    if not found:
        return typed("pass_chance", pl.DataFrame({"run_id": pl.Series([], dtype=pl.String)}))
    return typed("pass_chance", pl.concat(found).with_columns(method=pl.lit(METHOD)).sort("run_id", "exam_id"))


def _sittings(scores: pl.DataFrame, asked: pl.DataFrame, rules: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Chance and n of each run, the mean over its attempts; an attempt at a part of the exam is not a sitting."""
    rows = scores.select(
        "question_id",
        sitting=pl.struct("run_id", "attempt"),
        points=pl.col("points").cast(pl.Float64),
        most=pl.col("max_points").cast(pl.Float64),
        counts=pl.col("counts").cast(pl.Float64),
        forbidden=pl.col("hits_forbidden").cast(pl.Float64),
    ).join(
        scores.group_by("run_id", "attempt").len().select(sitting=pl.struct("run_id", "attempt"), size="len"),
        on="sitting",
    )
    rows = rows.filter(pl.col("size") == pl.col("size").max())
    sittings = rows["sitting"].unique().sort()
    place = pl.DataFrame({"sitting": sittings}).with_row_index("column")
    row = asked.select("question_id").with_row_index("row")
    placed = rows.join(place, on="sitting").join(row, on="question_id")
    matrix = {}
    for name in ("points", "most", "counts", "forbidden"):
        matrix[name] = np.zeros((len(asked), len(sittings)))
        matrix[name][placed["row"], placed["column"]] = placed[name]
    chance = pl.Series("chance", _passes(asked, matrix, rules, members))
    n = pl.Series("n", matrix["counts"].sum(axis=0))
    return (
        pl.DataFrame({"sitting": sittings, "chance": chance, "n": n})
        .select(pl.col("sitting").struct.field("run_id"), "chance", "n")
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("chance").mean(), pl.col("n").max())
    )


def drawn(strata: Codes, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Exams drawn anew: how often each unit comes, and behind the units one right and one wrong answer per stratum.

    Yields pieces (b x (units + 2 x strata)): units in their order, then for each stratum (in the order of its code)
    its right and its wrong pseudo-unit. Within a stratum a piece's row adds up to the number of units.
    """
    n, codes = len(strata), np.unique(strata)
    piece = max(1, 4_000_000 // max(n, 1))
    for start in range(0, draws, piece):
        b = min(piece, draws - start)
        counts = np.zeros((b, n + 2 * len(codes)))
        for i, code in enumerate(codes):
            place = np.append(np.flatnonzero(strata == code), [n + 2 * i, n + 2 * i + 1])
            size = len(place) - 2
            ability = rng.standard_gamma(np.append(np.ones(size), [PSEUDO, PSEUDO]), size=(b, size + 2))
            counts[:, place] = rng.multinomial(size, ability / ability.sum(axis=1, keepdims=True))
        yield counts


def _sums(codes: Codes, values: Array) -> Array:
    out = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(out, codes, values)
    return out


def _codes(values: list[Any]) -> Codes:
    return np.unique(np.array(values, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)


def _passes(asked: pl.DataFrame, matrix: dict[str, Array], rules: pl.DataFrame, members: pl.DataFrame) -> Array:
    """Share of drawn exams that meet every line, per column."""
    units = _codes(asked.select(pl.coalesce("case_group", "question_id")).to_series().to_list())
    worth = _sums(units, matrix["most"].max(axis=1, keepdims=True))[:, 0]
    component = np.empty(len(worth), dtype=object)
    component[units] = asked["component"].fill_null("").to_numpy()
    strata = _codes([f"{part} {points:.3f}" for part, points in zip(component, worth, strict=True)])

    def totals(values: Array, mask: NDArray[np.bool_], right: bool) -> Array:
        """Sums by unit over the questions of `mask`, with the pseudo-units: a right one is worth its stratum's mean."""
        inside = _sums(units, np.where(mask[:, None], values, 0.0))
        full = _sums(units, np.where(mask[:, None], matrix["most"].max(axis=1, keepdims=True), 0.0))[:, 0]
        pseudo = np.zeros((2 * (int(strata.max()) + 1), values.shape[1]))
        for code in range(int(strata.max()) + 1):
            pseudo[2 * code] = full[strata == code].mean()
            pseudo[2 * code + 1] = 0.0 if right else pseudo[2 * code]
        return np.vstack([inside, pseudo])

    lines = []
    for rule in rules.filter(pl.col("kind") == "points").iter_rows(named=True):
        inside = asked["question_id"].is_in(
            members.filter(pl.col("component") == rule["component"])["question_id"].implode()
        )
        mask = inside.to_numpy()
        rule |= {name: None if rule[name] is None else float(rule[name]) for name in ("percent", "line")}
        lines.append((rule, totals(matrix["points"], mask, True), totals(matrix["most"], mask, False)))
    limits = {r["kind"]: float(r["line"]) for r in rules.iter_rows(named=True) if r["kind"] != "points"}
    topics = [(asked["topic"] == t).fill_null(False).to_numpy() for t in asked["topic"].drop_nulls().unique().sort()]
    none = np.zeros((2 * (int(strata.max()) + 1), matrix["points"].shape[1]))
    subjects = [
        tuple(np.vstack([_sums(units, np.where(t[:, None], matrix[name], 0.0)), none]) for name in ("points", "counts"))
        for t in topics
    ]
    hits = np.vstack([_sums(units, matrix["forbidden"]), none])
    digest = hashlib.sha256("\n".join(asked["question_id"]).encode()).digest()
    rng = np.random.default_rng([SEED, int.from_bytes(digest[:8], "big")])
    passed = np.zeros(matrix["points"].shape[1])
    for counts in drawn(strata, DRAWS, rng):
        met = np.ones((len(counts), len(passed)), dtype=bool)
        for rule, earned, most in lines:
            met &= meets(rule["basis"], rule["percent"], rule["line"], counts @ earned, counts @ most)
        if "forbidden" in limits:
            met &= counts @ hits <= limits["forbidden"]
        if "zero_subjects" in limits and subjects:
            empty = sum(((counts @ points <= 0) & (counts @ there > 0)).astype(int) for points, there in subjects)
            met &= empty <= limits["zero_subjects"]
        passed += met.sum(axis=0)
    return passed / DRAWS
