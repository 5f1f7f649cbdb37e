"""Figures of runs with honest intervals: from item scores (polars frames) to tables of schema.py.

Shares have Wilson intervals; points and weighted scores a bootstrap over questions that keeps the questions of one case
together; comparisons are paired. Everything is seeded and vectorised: a figure is the same each time it is computed.
Points of an answer and verdicts are SQL (sql/scores); no reading of files here.

All functions take polars frames with the columns of the tables they are named after, and return frames with exactly the
columns of the table that they make.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from pipelines.schema import TABLES
from pipelines.scoring.rulebook import Rulebook, rulebook

LEVEL = 0.95
DRAWS = 2000
SEED = 20200210
"""Any fixed number does; it makes each interval the same at each refresh."""

_MATRIX_CELLS = 20_000_000
"""Resamples are drawn in pieces of at most so many numbers (160 MB)."""

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

WILSON = "Wilson interval"
BOOTSTRAP = f"bootstrap over questions, cases kept together, {DRAWS:,} resamples, expanded percentile"
STRATIFIED = f"bootstrap over questions within each subject, {DRAWS:,} resamples, expanded percentile"
ALIKE = "all answers earned the same share: Wilson interval instead of a bootstrap"


def wilson(right: Array | float, n: Array | float) -> tuple[Array, Array]:
    """Wilson's interval of the share right / n at LEVEL. n must be above 0; `right` need not be whole."""
    low, high = proportion_confint(right, n, alpha=1 - LEVEL, method="wilson")
    return np.asarray(low, float), np.asarray(high, float)


def expanded_level(n: int) -> float:
    """The level at which a percentile interval of n units has the coverage of LEVEL.

    A percentile interval is too narrow by the factor sqrt((n-1)/n) and by taking z for t (Hesterberg 2015, doi
    10.1080/00031305.2015.1089789, section 4.4); asking for this level corrects both. n must be at least 2.
    """
    t = stats.t.ppf((1 + LEVEL) / 2, n - 1) * np.sqrt(n / (n - 1))
    return float(2 * stats.norm.cdf(t) - 1)


def percentile(draws: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """The central `level` of each column of draws (B x R)."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def resamples(strata: Codes, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """How often each unit is drawn, with replacement and within its stratum: pieces (b x n) of `draws` rows in all."""
    n = len(strata)
    places = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    piece = max(1, _MATRIX_CELLS // max(n, 1))
    for start in range(0, draws, piece):
        b = min(piece, draws - start)
        counts = np.empty((b, n))
        for place in places:
            k = len(place)
            drawn = rng.integers(0, k, size=(b, k), dtype=np.int32)
            drawn += (np.arange(b, dtype=np.int32) * k)[:, None]
            counts[:, place] = np.bincount(drawn.ravel(), minlength=b * k).reshape(b, k)
        yield counts


def sums_by(codes: Codes, values: Array) -> Array:
    """Sum the rows of values (n x R) that share a code (0 … G-1): G x R."""
    out = np.zeros((int(codes.max()) + 1 if len(codes) else 0, values.shape[1]))
    np.add.at(out, codes, values)
    return out


def _codes(values: list[str]) -> Codes:
    return np.unique(np.array(values, dtype=object).astype(str), return_inverse=True)[1].reshape(-1).astype(np.int64)


# ---------------------------------------------------------------------------------------------------------------------
# From tables to matrices


@dataclass(frozen=True)
class Block:
    """Runs that answered the same questions of a dataset: matrices of questions x runs (means over attempts).

    `points` and `most` are earned and possible points in thousandths; `counts`, `right` (of those that count),
    `answered` and `forbidden` (a forbidden choice was chosen) are shares of attempts: 0 or 1 when there was one.
    """

    benchmark: str
    dataset_id: str
    runs: list[str]
    question: pl.DataFrame
    points: Array
    most: Array
    right: Array
    counts: Array
    answered: Array
    forbidden: Array

    def part(self, mask: Mask) -> Block:
        """The same runs on some of the questions."""
        return Block(
            self.benchmark, self.dataset_id, self.runs, self.question.filter(pl.Series(mask)), self.points[mask],
            self.most[mask], self.right[mask], self.counts[mask], self.answered[mask], self.forbidden[mask],
        )  # fmt: skip

    def groups(self) -> Codes:
        """Code of the case each question belongs to; a question without a case is its own."""
        return _codes(self.question.select(pl.coalesce("case_group", "question_id")).to_series().to_list())

    def rng(self) -> np.random.Generator:
        """A generator that depends on SEED and the questions alone: the runs of a block share their resamples."""
        digest = hashlib.sha256("\n".join(self.question["question_id"]).encode()).digest()
        return np.random.default_rng([SEED, int.from_bytes(digest[:8], "big")])


_QUESTION = ("question_id", "dataset_id", "benchmark", "source_key", "exam_id", "number", "topic", "answer_type",
             "needs_image", "case_group", "component",
             "human_accuracy")  # fmt: skip


def blocks(
    item_score: pl.DataFrame, question: pl.DataFrame, prediction: pl.DataFrame | None = None, ruleset: str = "official"
) -> list[Block]:
    """The scores of one ruleset as matrices, one Block per dataset and set of questions answered."""
    scores = item_score.filter(pl.col("ruleset") == ruleset).select(
        "run_id", "question_id", "attempt",
        points=pl.col("points").cast(pl.Float64) * 1000, most=pl.col("max_points").cast(pl.Float64) * 1000,
        right=(pl.col("is_correct") & pl.col("counts")).cast(pl.Float64), counts=pl.col("counts").cast(pl.Float64),
        forbidden=pl.col("hits_forbidden").cast(pl.Float64),
    )  # fmt: skip
    if prediction is not None:
        answered = prediction.select(
            "run_id", "question_id", "attempt", answered=(pl.col("status") == "answered").cast(pl.Float64)
        )
        scores = scores.join(answered, on=["run_id", "question_id", "attempt"], how="left")
    else:
        scores = scores.with_columns(answered=pl.lit(1.0))
    means = (
        scores.group_by("run_id", "question_id")
        .agg(pl.col("points", "most", "right", "counts", "answered", "forbidden").mean())
        .join(question.select(_QUESTION), on="question_id")
        .sort("dataset_id", "run_id", "question_id")
    )
    members: dict[tuple[str, bytes], list[pl.DataFrame]] = {}
    for (dataset_id, _), rows in means.group_by("dataset_id", "run_id", maintain_order=True):
        covered = hashlib.sha256("\n".join(rows["question_id"]).encode()).digest()
        members.setdefault((str(dataset_id), covered), []).append(rows)

    def matrix(parts: list[pl.DataFrame], column: str) -> Array:
        return np.stack([np.nan_to_num(p[column].to_numpy()) for p in parts], axis=1)

    return [
        Block(
            parts[0]["benchmark"][0], dataset_id, [p["run_id"][0] for p in parts], parts[0].select(_QUESTION),
            matrix(parts, "points").round(6), matrix(parts, "most").round(6), matrix(parts, "right"),
            matrix(parts, "counts"), matrix(parts, "answered"), matrix(parts, "forbidden"),
        )
        for (dataset_id, _), parts in members.items()
    ]  # fmt: skip


def _ratio(above: Array, below: Array) -> Array:
    """Quotient with 0 where nothing counts (a resample may hold no question that does)."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def share_draws(block: Block, draws: int = DRAWS) -> Array:
    """Resampled points over points possible, draws x runs."""
    codes = block.groups()
    earned, most = sums_by(codes, block.points), sums_by(codes, block.most)
    one = np.zeros(len(earned), dtype=np.int64)
    return np.vstack([_ratio(w @ earned, w @ most) for w in resamples(one, draws, block.rng())])


def mean_draws(block: Block, draws: int = DRAWS) -> Array:
    """Resampled points per question that counts, draws x runs."""
    codes = block.groups()
    earned, counts = sums_by(codes, block.points) / 1000, sums_by(codes, block.counts)
    one = np.zeros(len(earned), dtype=np.int64)
    return np.vstack([_ratio(w @ earned, w @ counts) for w in resamples(one, draws, block.rng())])


def _topics(block: Block, weights: dict[str, int]) -> list[tuple[Mask, int]]:
    topic = block.question["topic"].to_numpy()
    return [(topic == name, weight) for name, weight in weights.items()]


def exam_score(block: Block, weights: dict[str, int]) -> Array:
    """Medschool-Test: subject means times the subject's questions in one paper, summed (-24 to 90), per run.

    Source: medschool.toml. NaN for a run that lacks a subject.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [
            block.points[m].sum(axis=0) / 1000 / block.counts[m].sum(axis=0) * weight
            for m, weight in _topics(block, weights)
        ]
    return np.sum(parts, axis=0)


def exam_score_draws(block: Block, weights: dict[str, int], draws: int = DRAWS) -> Array:
    """Resampled exam_score (questions within each subject), draws x runs."""
    codes = block.groups()
    group_topic = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    group_topic[codes] = _codes(block.question["topic"].fill_null("").to_list())
    points, counts = block.points / 1000, block.counts
    parts = [
        (sums_by(codes, np.where(m[:, None], points, 0)), sums_by(codes, np.where(m[:, None], counts, 0)), weight)
        for m, weight in _topics(block, weights)
    ]
    return np.vstack([
        np.sum([_ratio(w @ earned, w @ n) * weight for earned, n, weight in parts], axis=0)
        for w in resamples(group_topic, draws, block.rng())
    ])  # fmt: skip


def share_interval(value: Array, draws: Array, n: int) -> tuple[Array, Array, Mask]:
    """Interval of points over points possible, and where Wilson stands in for a bootstrap that can't vary.

    `n` is the number of independent units (cases). A run whose answers all earned the same share has no spread to
    resample, and a single unit none at all: there the share is taken as n trials.
    """
    low, high = percentile(draws, expanded_level(n)) if n > 1 else (value.copy(), value.copy())
    alike = (high - low < 1e-12) & (value >= 0) & (value <= 1)
    if alike.any():
        low[alike], high[alike] = wilson(value[alike] * n, float(n))
    return np.minimum(low, value), np.maximum(high, value), alike


# ---------------------------------------------------------------------------------------------------------------------
# Use cases


def _weights(rules: Rulebook) -> dict[str, int]:
    return {x.topic: x.weight for x in rules.topics}


def beta_questions(question: pl.DataFrame, rules: Rulebook | None = None) -> set[str]:
    """COGNET-MD's beta sample of one dataset: half of each specialty, as the released notebook draws it.

    For each specialty a fresh RandomState(42) and choice(n, round(n/2), replace=False) over its rows in file order
    (source: cognet.toml).
    """
    beta = next(x for x in (rules or rulebook()).use_cases if x.kind == "sample")
    share, seed = beta.share, beta.seed
    ordered = in_file_order(question)
    chosen: set[str] = set()
    for (topic,), rows in ordered.group_by("topic", maintain_order=True):
        if topic is None:
            continue
        places = np.random.RandomState(seed).choice(len(rows), size=round(share * len(rows)), replace=False)
        chosen.update(rows["question_id"][places.tolist()])
    return chosen


def in_file_order(question: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order of the released file: by the source key where it is a number, else as they are."""
    order = pl.col("source_key").str.extract(r"(\d+)$").cast(pl.Int64, strict=False)
    return question.sort(order, nulls_last=True, maintain_order=True)


def use_cases(block: Block, question: pl.DataFrame, rules: Rulebook | None = None) -> Iterator[tuple[str, Mask]]:
    """Name and question mask of each part of the benchmark that the block can speak for.

    `all` is all that was answered. COGNET-MD's named use cases appear only when each of their questions was answered.
    """
    asked = block.question
    yield "all", np.ones(len(asked), dtype=bool)
    whole = question.filter(pl.col("dataset_id") == block.dataset_id)
    if block.benchmark == "cognet_md":
        covered = set(asked["question_id"])
        parts = {f"specialty:{t}": set(rows["question_id"]) for (t,), rows in whole.group_by("topic") if t is not None}
        parts["beta"] = beta_questions(whole, rules)
        parts["production"] = set(whole["question_id"])
        for name, members in sorted(parts.items()):
            if members and members <= covered:
                yield name, asked["question_id"].is_in(members).to_numpy()
    if asked["exam_id"].is_not_null().any():
        exam = pl.col("exam_id").str.split("/")
        slices = {
            "type": pl.col("answer_type"),
            "profession": exam.list.get(1, null_on_oob=True),
            "year": exam.list.get(2, null_on_oob=True),
            "modality": pl.when("needs_image").then(pl.lit("with_image")).otherwise(pl.lit("text_only")),
        }
        for name, expression in slices.items():
            values = asked.select(expression).to_series()
            for value in sorted(values.drop_nulls().unique()):
                yield f"{name}:{value}", (values == value).fill_null(False).to_numpy()


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None or not np.isfinite(value) else Decimal(f"{value:.6f}")


def topic_score(item_score: pl.DataFrame, question: pl.DataFrame) -> pl.DataFrame:
    """The table topic_score: mean points and accuracy of each run by subject, under both rulesets."""
    rows: list[dict[str, object]] = []
    for ruleset in ("official", "published"):
        for block in blocks(item_score, question, ruleset=ruleset):
            topics = block.question["topic"]
            for topic in sorted(topics.drop_nulls().unique()):
                part = block.part((topics == topic).fill_null(False).to_numpy())
                n = part.counts.sum(axis=0)
                value = _ratio(part.points.sum(axis=0) / 1000, n)
                units = len(np.unique(part.groups()))
                low, high = percentile(mean_draws(part), expanded_level(units)) if units > 1 else (value, value)
                method = BOOTSTRAP if units > 1 else "a single question: no interval"
                for i, run_id in enumerate(part.runs):
                    if n[i] > 0:
                        rows.append({
                            "run_id": run_id, "ruleset": ruleset, "topic": topic, "score": _decimal(value[i]),
                            "low": _decimal(min(low[i], value[i])), "high": _decimal(max(high[i], value[i])),
                            "method": method, "accuracy": _decimal(part.right[:, i].sum() / n[i]), "n": round(n[i]),
                        })  # fmt: skip
    return TABLES["topic_score"].frame(rows)


def benchmark_score(
    item_score: pl.DataFrame, prediction: pl.DataFrame, question: pl.DataFrame, rules: Rulebook | None = None
) -> pl.DataFrame:
    """The table benchmark_score: each run's figures under the official rules, with interval and method.

    A metric that can't be given has a null value and its reason in `method`; a use case without a question that counts
    has no row.
    """
    rules = rules or rulebook()
    rows: list[dict[str, object]] = []
    for block in blocks(item_score, question, prediction):
        for use_case, mask in use_cases(block, question, rules):
            _figures(rows, block.part(mask), use_case, rules)
    return TABLES["benchmark_score"].frame(rows)


def _figures(rows: list[dict[str, object]], part: Block, use_case: str, rules: Rulebook) -> None:
    n = part.counts.sum(axis=0)
    most = part.most.sum(axis=0)
    units = len(np.unique(part.groups()))
    share = _ratio(part.points.sum(axis=0), most)
    low, high, alike = share_interval(share, share_draws(part), units)
    right = part.right.sum(axis=0)
    answered = (part.answered * part.counts).sum(axis=0)
    right_answered = (part.right * part.answered).sum(axis=0)

    def add(
        i: int, metric: str, value: float | None, lo: float | None, hi: float | None, method: str, count: float
    ) -> None:
        rows.append({
            "run_id": part.runs[i], "benchmark": part.benchmark, "use_case": use_case, "metric": metric,
            "value": _decimal(value), "low": _decimal(lo), "high": _decimal(hi), "method": method, "n": round(count),
        })  # fmt: skip

    for i in range(len(part.runs)):
        if n[i] <= 0 or most[i] <= 0:
            continue
        method = ALIKE if alike[i] else BOOTSTRAP
        scale = most[i] / 1000
        add(i, "score", part.points[:, i].sum() / 1000, low[i] * scale, high[i] * scale, method, n[i])
        add(i, "score_share", share[i], low[i], high[i], method, n[i])
        for metric, k, count in (
            ("accuracy", right[i], n[i]),
            ("accuracy_answered", right_answered[i], answered[i]),
            ("answered_share", answered[i], n[i]),
        ):
            if count > 0:
                lo, hi = wilson(k, count)
                add(i, metric, k / count, float(lo), float(hi), WILSON, count)
            else:
                add(i, metric, None, None, None, "no value: no question was answered", 0)
    if part.benchmark == "medschool" and use_case == "all":
        topic = part.question["topic"]
        missing = [t for t in _weights(rules) if not (topic == t).any()]
        value = exam_score(part, _weights(rules))
        if missing or not np.isfinite(value).all():
            reason = f"no value: no question of {', '.join(missing) or 'a subject'} counts"
            for i in range(len(part.runs)):
                if n[i] > 0:
                    add(i, "exam_score", None, None, None, reason, n[i])
            return
        lows, highs = percentile(exam_score_draws(part, _weights(rules)), expanded_level(max(units, 2)))
        for i in range(len(part.runs)):
            add(i, "exam_score", value[i], min(lows[i], value[i]), max(highs[i], value[i]), STRATIFIED, n[i])


def leaderboard(
    item_score: pl.DataFrame,
    prediction: pl.DataFrame,
    question: pl.DataFrame,
    run: pl.DataFrame,
    scores: pl.DataFrame,
    rules: Rulebook | None = None,
) -> pl.DataFrame:
    """The table leaderboard: one line per run, ranked within its dataset. `scores` is the table benchmark_score.

    The metric is exam_score for Medschool-Test and score_share else. A Medschool-Test run that lacks a subject has no
    exam_score: it is listed with its score_share and without a rank. `examinees` is what people got right of the same
    questions, where that is published; people's own runs and baselines have lines like any run. Rank intervals are
    those of the bootstrap behind the scores; runs on the same questions share its resamples.
    """
    rules = rules or rulebook()
    draws: dict[str, Array] = {}
    home: dict[str, tuple[str, str]] = {}
    examinees: dict[str, Decimal | None] = {}
    for block in blocks(item_score, question, prediction):
        medschool = block.benchmark == "medschool"
        whole = not medschool or bool(np.isfinite(exam_score(block, _weights(rules))).all())
        drawn = None if not whole else exam_score_draws(block, _weights(rules)) if medschool else share_draws(block)
        people = block.question["human_accuracy"].cast(pl.Float64).mean()
        for i, run_id in enumerate(block.runs):
            home[run_id] = (block.benchmark, block.dataset_id)
            examinees[run_id] = _decimal(people / 100) if isinstance(people, float) else None
            if drawn is not None:
                draws[run_id] = drawn[:, i]
    figures = {(r["run_id"], r["metric"]): r for r in scores.filter(pl.col("use_case") == "all").iter_rows(named=True)}
    status = pl.col("status")
    counts = {
        r["run_id"]: r
        for r in prediction.group_by("run_id")
        .agg(
            answered=(status == "answered").sum(), abstained=(status == "abstained").sum(),
            refused=(status == "refused").sum(),
            unparsed=status.is_in(["unparsed", "ambiguous", "empty", "error"]).sum(), n=pl.len(),
        )
        .iter_rows(named=True)
    }  # fmt: skip
    rows: list[dict[str, object]] = []
    for record in run.select("run_id", "model", "kind", "is_sample", "dataset_id").iter_rows(named=True):
        run_id = record["run_id"]
        if run_id not in home:
            continue
        benchmark, dataset_id = home[run_id]
        metric = "exam_score" if benchmark == "medschool" and run_id in draws else "score_share"
        figure = figures.get((run_id, metric), {})
        rows.append({
            "benchmark": benchmark, "dataset_id": dataset_id, "run_id": run_id, "model": record["model"],
            "kind": record["kind"], "is_sample": record["is_sample"], "metric": metric,
            "score": figure.get("value"), "low": figure.get("low"), "high": figure.get("high"),
            "accuracy": figures.get((run_id, "accuracy"), {}).get("value"), "examinees": examinees[run_id],
            **counts[run_id],
        })  # fmt: skip
    _rank(rows, draws)
    rows.sort(key=lambda r: (r["benchmark"], r["dataset_id"], r["rank"] is None, r["rank"] or 0, str(r["run_id"])))
    return TABLES["leaderboard"].frame(rows)


def _rank(rows: list[dict[str, object]], draws: dict[str, Array]) -> None:
    """Set rank, rank_low and rank_high of each row within its dataset; null where it has no figure to rank by."""
    for row in rows:
        row.update(rank=None, rank_low=None, rank_high=None)
    for dataset_id in {r["dataset_id"] for r in rows}:
        ranked = [r for r in rows if r["dataset_id"] == dataset_id and r["score"] is not None and r["run_id"] in draws]
        if not ranked:
            continue
        scores = np.array([float(r["score"]) for r in ranked])  # type: ignore[arg-type]
        place = stats.rankdata(-scores, method="min")
        drawn_scores = np.stack([draws[str(r["run_id"])] for r in ranked], axis=1).round(9)
        drawn = stats.rankdata(-drawn_scores, method="min", axis=1)
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0, method="nearest")
        for i, row in enumerate(ranked):
            row["rank"] = int(place[i])
            row["rank_low"] = int(min(low[i], place[i]))
            row["rank_high"] = int(max(high[i], place[i]))


def comparison(item_score: pl.DataFrame, question: pl.DataFrame, draws: int = DRAWS) -> pl.DataFrame:
    """The table comparison: every pair of runs of a dataset on the questions that both answered and that count.

    Right or wrong: exact McNemar. Points: paired permutation (signs of the cases' differences flipped). Intervals:
    paired bootstrap over cases. Holm-adjusted over all pairs of a dataset and metric.
    """
    rows: list[dict[str, object]] = []
    by_dataset: dict[str, list[Block]] = {}
    for block in blocks(item_score, question):
        by_dataset.setdefault(block.dataset_id, []).append(block)
    for members in by_dataset.values():
        found: list[dict[str, object]] = []
        for i, first in enumerate(members):
            for second in members[i:]:
                _compare(found, first, second, draws)
        for metric in ("accuracy", "score_share"):
            family = [r for r in found if r["metric"] == metric]
            if family:
                adjusted = multipletests([float(r["p"]) for r in family], method="holm")[1]  # type: ignore[arg-type]
                for row, p in zip(family, adjusted, strict=True):
                    row["p_adjusted"] = _decimal(float(p))
        rows += found
    return TABLES["comparison"].frame(rows)


def _compare(rows: list[dict[str, object]], first: Block, second: Block, draws: int) -> None:
    same = first is second
    shared = set(first.question["question_id"]) & set(second.question["question_id"])
    if not shared:
        return
    a = first.part(first.question["question_id"].is_in(shared).to_numpy())
    b = a if same else second.part(second.question["question_id"].is_in(shared).to_numpy())
    pairs = [(i, j) for i in range(len(a.runs)) for j in range(len(b.runs)) if not same or i < j]
    codes, rng = a.groups(), a.rng()
    size = max(1, 4_000_000 // max(len(shared), 1))
    for start in range(0, len(pairs), size):
        left, right = (np.array(x) for x in zip(*pairs[start : start + size], strict=True))
        both = (a.counts[:, left] > 0) & (b.counts[:, right] > 0)
        n = both.sum(axis=0)
        keep = n > 0
        if not keep.any():
            continue
        left, right, both, n = left[keep], right[keep], both[:, keep], n[keep]
        hit_a, hit_b = (np.where(both, x, 0.0) for x in (a.right[:, left], b.right[:, right]))
        got_a, got_b = (np.where(both, x, 0.0) for x in (a.points[:, left], b.points[:, right]))
        max_a, max_b = (np.where(both, x, 0.0) for x in (a.most[:, left], b.most[:, right]))
        figures = {
            "accuracy": (hit_a, both.astype(float), hit_b, both.astype(float)),
            "score_share": (got_a, max_a, got_b, max_b),
        }
        only_a = ((hit_a > 0.5) & (hit_b <= 0.5)).sum(axis=0)
        only_b = ((hit_b > 0.5) & (hit_a <= 0.5)).sum(axis=0)
        p_values = {
            "accuracy": mcnemar(only_a, only_b),
            "score_share": permutation(sums_by(codes, got_a - got_b), draws, rng),
        }
        for metric, parts in figures.items():
            one, most_one, two, most_two = (sums_by(codes, x) for x in parts)
            value_a = _ratio(one.sum(axis=0), most_one.sum(axis=0))
            value_b = _ratio(two.sum(axis=0), most_two.sum(axis=0))
            single = np.zeros(len(one), dtype=np.int64)
            drawn = np.vstack([
                _ratio(w @ one, w @ most_one) - _ratio(w @ two, w @ most_two) for w in resamples(single, draws, a.rng())
            ])  # fmt: skip
            low, high = percentile(drawn, expanded_level(max(len(one), 2)))
            test = "exact McNemar" if metric == "accuracy" else f"paired permutation, {draws:,} draws"
            for k, (i, j) in enumerate(zip(left, right, strict=True)):
                difference = float(value_a[k] - value_b[k])
                rows.append({
                    "run_a": a.runs[i], "run_b": b.runs[j], "dataset_id": a.dataset_id, "metric": metric,
                    "value_a": _decimal(value_a[k]), "value_b": _decimal(value_b[k]),
                    "difference": _decimal(difference), "low": _decimal(min(float(low[k]), difference)),
                    "high": _decimal(max(float(high[k]), difference)), "p": _decimal(float(p_values[metric][k])),
                    "method": f"{test}; interval: paired {BOOTSTRAP}; Holm", "n": int(n[k]),
                })  # fmt: skip


def mcnemar(only_a: NDArray[np.int64], only_b: NDArray[np.int64]) -> Array:
    """Exact two-sided McNemar test: p-values from the questions that only one of the two got right."""
    p = 2 * stats.binom.cdf(np.minimum(only_a, only_b), only_a + only_b, 0.5)
    return np.minimum(np.asarray(p, float), 1.0)


def permutation(differences: Array, draws: int, rng: np.random.Generator) -> Array:
    """Paired permutation test of a zero mean: differences (cases x pairs) to two-sided p-values of at least 1/draws."""
    observed = np.abs(differences.sum(axis=0))
    extreme = np.zeros(differences.shape[1])
    piece = max(1, _MATRIX_CELLS // max(len(differences), 1))
    for start in range(0, draws, piece):
        signs = rng.integers(0, 2, size=(min(piece, draws - start), len(differences))) * 2.0 - 1.0
        extreme += (np.abs(signs @ differences) >= observed - 1e-9).sum(axis=0)
    return (extreme + 1) / (draws + 1)


# ---------------------------------------------------------------------------------------------------------------------
# Chance of passing

CHANCE = (
    f"share of {DRAWS:,} resampled exams that meet every official line: questions drawn anew within each part and "
    "point value, cases kept together"
)


def pass_chance(
    item_score: pl.DataFrame,
    question: pl.DataFrame,
    exam_part: pl.DataFrame,
    exam_result: pl.DataFrame,
    rule_component: pl.DataFrame,
) -> pl.DataFrame:
    """The table pass_chance: how likely each run passes an exam of such questions. Only where there is a verdict.

    Each part of a resampled exam has its official maximum, so the year's line stays what it is. Where the parts of an
    exam are not known question by question (歯科), there is no chance.
    """
    official = exam_result.filter(pl.col("ruleset") == "official")
    verdicts = official.filter((pl.col("component") == "overall") & pl.col("passed").is_not_null())
    pooled = official.filter(pl.col("points").is_null())["exam_id"].unique()
    rows: list[dict[str, object]] = []
    for (exam_id,), of_exam in verdicts.group_by("exam_id", maintain_order=True):
        if exam_id in pooled:
            continue
        profession, year = str(exam_id).split("/")[1:3]
        rules = rule_component.filter(
            (pl.col("ruleset") == "official") & (pl.col("profession") == profession) & (pl.col("year") == int(year))
        )
        runs = of_exam["run_id"]
        asked = question.filter(pl.col("exam_id") == exam_id)
        members = exam_part.filter((pl.col("exam_id") == exam_id) & (pl.col("ruleset") == "official"))
        for block in blocks(item_score.filter(pl.col("run_id").is_in(runs.implode())), asked):
            passed = _passes(block, rules, members)
            n = block.counts.sum(axis=0)
            verdict = dict(of_exam.select("run_id", "passed").iter_rows())
            rows += [
                {
                    "run_id": run_id, "exam_id": exam_id, "passed": verdict[run_id], "chance": _decimal(passed[i]),
                    "method": CHANCE, "n": round(n[i]),
                }
                for i, run_id in enumerate(block.runs)
            ]  # fmt: skip
    return TABLES["pass_chance"].frame(rows)


def _passes(block: Block, rules: pl.DataFrame, members: pl.DataFrame) -> Array:
    """Share of resampled exams that meet every line, per run of the block."""
    codes = block.groups()
    worth = sums_by(codes, block.most.max(axis=1, keepdims=True))[:, 0]
    parts = np.empty(len(worth), dtype=object)
    parts[codes] = block.question["component"].fill_null("").to_numpy()
    strata = _codes([f"{part} {points:.0f}" for part, points in zip(parts, worth, strict=True)])
    lines = []
    for rule in rules.iter_rows(named=True):
        if rule["kind"] == "points":
            inside = set(members.filter(pl.col("component") == rule["component"])["question_id"])
            mask = block.question["question_id"].is_in(inside).to_numpy()[:, None]
            earned = sums_by(codes, np.where(mask, block.points, 0)) / 1000
            lines.append((rule, earned, sums_by(codes, np.where(mask, block.most, 0)) / 1000))
    limits = {r["kind"]: float(r["line"]) for r in rules.iter_rows(named=True) if r["kind"] != "points"}
    topics = [block.question["topic"].to_numpy() == t for t in block.question["topic"].drop_nulls().unique()]
    subjects = [
        (sums_by(codes, np.where(t[:, None], block.points, 0)), sums_by(codes, np.where(t[:, None], block.counts, 0)))
        for t in topics
    ]
    hits = sums_by(codes, block.forbidden)
    passed = np.zeros(len(block.runs))
    for drawn in resamples(strata, DRAWS, block.rng()):
        met = np.ones((len(drawn), len(block.runs)), dtype=bool)
        for rule, earned, most in lines:
            met &= drawn @ earned >= _needed(rule, drawn @ most) - 1e-9
        if "forbidden" in limits:
            met &= drawn @ hits <= limits["forbidden"]
        if "zero_subjects" in limits and subjects:
            empty = sum(((drawn @ points <= 0) & (drawn @ counts > 0)).astype(int) for points, counts in subjects)
            met &= empty <= limits["zero_subjects"]
        passed += met.sum(axis=0)
    return passed / DRAWS


def _needed(rule: dict[str, object], counted: Array) -> Array | float:
    """Points needed when `counted` points count (see rulebook.Line.needed)."""
    percent = rule["percent"]
    if rule["basis"] == "at_least":
        return np.ceil(counted * float(percent) / 100 - 1e-9)  # type: ignore[arg-type]
    if rule["basis"] == "more_than":
        return np.floor(counted * float(percent) / 100 + 1e-9) + 1  # type: ignore[arg-type]
    return float(rule["line"])  # type: ignore[arg-type]
