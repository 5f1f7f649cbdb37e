"""The table comparison: two runs on the questions that both answered, with a test, an interval and Holm's adjustment.

The test flips the signs of whole cases' differences: exact whatever the distribution, and McNemar's for questions
without cases that are right or wrong. What copies and families are is likeness.py; single runs' figures figures.py.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray
from scipy import optimize, stats

from pipelines.schema import TABLES
from pipelines.scoring.figures import typed
from pipelines.scoring.intervals import LEVEL

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

TINY = float(np.finfo(float).tiny)
"""The least p that is given (2e-308): no p is 0."""
MOST_STEPS = 4096
"""Sums of differences above this are not convolved but approximated."""
SURE = 1e-9
"""Tails below this drown in the rounding of a convolution (1e-16 of the whole)."""

MCNEMAR = "exact McNemar"
SIGNS = "exact sign-flip test by case"
TAIL = "sign-flip test by case, saddlepoint tail"
INTERVAL = "interval: difference by case with Agresti-Min pseudo-pairs"


def sign_flip(differences: Whole) -> tuple[float, str]:
    """Two-sided p that cases' differences (whole numbers) have no sign of their own, and the name of the method.

    Exact by convolution of the flipped signs (Fisher's randomisation test; for single questions McNemar's exact one);
    far tails by the saddlepoint approximation for lattices (Lugannani and Rice 1980; Daniels 1987,
    doi 10.2307/1403269), within a few percent of the exact p.
    """
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    total = abs(int(differences.sum()))
    if total == 0:
        return 1.0, MCNEMAR if len(sizes) < 2 and (len(sizes) == 0 or sizes[0] == 1) else SIGNS
    sizes = sizes // np.gcd.reduce(sizes)
    total = total // int(np.gcd.reduce(np.abs(differences[differences != 0])))
    if len(sizes) == 1:
        n = int(counts[0])
        p = 2 * float(stats.binom.cdf((n - total) // 2, n, 0.5))
        return min(1.0, max(p, TINY)), MCNEMAR if len(differences) and np.abs(differences).max() == 1 else SIGNS
    most = int((sizes * counts).sum())
    if most <= MOST_STEPS:
        p = _convolved(sizes, counts, most, total)
        if p > SURE:
            return min(1.0, p), SIGNS
    return min(1.0, max(_saddlepoint(sizes.astype(float), counts, total, most), TINY)), TAIL


def _convolved(sizes: Whole, counts: Whole, most: int, total: int) -> float:
    """P(|sum| >= total): the sum's distribution out of its characteristic function, the product of cosines."""
    n = 1 << (2 * most + 1).bit_length()
    angle = 2 * np.pi * np.arange(n // 2 + 1) / n
    wave = np.ones(len(angle))
    for size, count in zip(sizes, counts, strict=True):
        wave *= np.cos(size * angle) ** count
    chance = np.fft.irfft(wave, n)
    return float(2 * chance[total : most + 1].sum())


def _saddlepoint(sizes: Array, counts: Whole, total: int, most: int) -> float:
    """The same in the tail. The sum moves in steps of 2, so that `total` is met half a step, 1, before."""
    if total >= most:
        return float(2.0 ** (1 - int(counts.sum()))) if counts.sum() < 1000 else TINY
    met = total - 1.0
    if met <= 0:
        return 1.0
    slope = lambda s: float((counts * sizes * np.tanh(sizes * s)).sum()) - met  # noqa: E731
    high = 1.0 / float(sizes.max())
    while slope(high) < 0:
        high *= 2
    s = optimize.brentq(slope, 0.0, high)
    cumulant = float((counts * (np.logaddexp(sizes * s, -sizes * s) - np.log(2))).sum())
    curve = float((counts * sizes**2 / np.cosh(np.minimum(sizes * s, 300)) ** 2).sum())
    w, u = np.sqrt(max(2 * (s * met - cumulant), 0.0)), np.sinh(s) * np.sqrt(curve)
    if w < 1e-6 or u <= 0:
        return float(2 * stats.norm.sf(w))
    return float(2 * (stats.norm.sf(w) + stats.norm.pdf(w) * (1 / u - 1 / w)))


def holm(family: Sequence[float], others: Sequence[float] = ()) -> tuple[list[float], list[float]]:
    """Holm's adjusted p (1979) of a family of tests, and of `others`, each as if it stood in the place of a member."""
    ordered = np.sort(np.asarray(family, float))
    m = len(ordered)
    steps = np.maximum.accumulate(np.minimum(1.0, (m - np.arange(m)) * ordered)) if m else ordered

    def adjusted(p: float) -> float:
        before = int(np.searchsorted(ordered, p, side="left"))
        return max(float(steps[before - 1]) if before else 0.0, min(1.0, max(m - before, 1) * p), p)

    return [adjusted(p) for p in family], [adjusted(p) for p in others]


def comparison(
    item_score: pl.DataFrame,
    question: pl.DataFrame,
    run: pl.DataFrame,
    run_family: pl.DataFrame,
    known: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """The table comparison. A family of tests is every pair of families of runs, by dataset and metric, baselines
    aside; p_adjusted is null for pairs with a baseline.

    `known`: rows of pairs that were compared before and whose answers are the same; only p_adjusted is made anew.
    """
    known = TABLES["comparison"].frame([]) if known is None else known
    compared = set(known.select("run_a", "run_b").iter_rows())
    rows: list[dict[str, Any]] = []
    families = dict(run_family.select("run_id", "family").iter_rows())
    baselines = set(run.filter(pl.col("kind") == "baseline")["run_id"])
    scores = _means(item_score, question)
    for (dataset_id,), of_dataset in scores.group_by("dataset_id", maintain_order=True):
        old = known.filter(pl.col("dataset_id") == dataset_id).with_columns(
            cs.decimal().cast(pl.Float64), p_adjusted=pl.lit(None)
        )
        found = old.to_dicts() + _pairs(of_dataset, str(dataset_id), compared)
        for metric in ("accuracy", "score_share"):
            measured = [r for r in found if r["metric"] == metric and not {r["run_a"], r["run_b"]} & baselines]
            heads = [
                families[str(r["run_a"])] == r["run_a"] and families[str(r["run_b"])] == r["run_b"] for r in measured
            ]
            inside = [r for r, head in zip(measured, heads, strict=True) if head]
            outside = [r for r, head in zip(measured, heads, strict=True) if not head]
            groups = (inside, outside)
            for group, adjusted in zip(groups, holm(*([r["p"] for r in g] for g in groups)), strict=True):
                for row, p in zip(group, adjusted, strict=True):
                    row["p_adjusted"] = p
        rows += found
    return (
        typed("comparison", pl.DataFrame(rows, infer_schema_length=None)) if rows else typed("comparison", _nothing())
    )


def _nothing() -> pl.DataFrame:
    return pl.DataFrame({"run_a": pl.Series([], dtype=pl.String)})


def _means(item_score: pl.DataFrame, question: pl.DataFrame) -> pl.DataFrame:
    """Points and rightness of each run and question that counts under the official rules, means over attempts."""
    return (
        item_score.filter((pl.col("ruleset") == "official") & pl.col("counts"))
        .group_by("run_id", "question_id")
        .agg(
            points=pl.col("points").cast(pl.Float64).mean(),
            most=pl.col("max_points").cast(pl.Float64).mean(),
            right=pl.col("is_correct").cast(pl.Float64).mean(),
        )
        .join(
            question.select("question_id", "dataset_id", unit=pl.coalesce("case_group", "question_id")),
            on="question_id",
        )
        .sort("dataset_id", "question_id", "run_id")
    )


def _pairs(scores: pl.DataFrame, dataset_id: str, compared: Container[tuple[str, str]]) -> list[dict[str, Any]]:
    """Rows of the pairs of a dataset's runs, less those `compared` before."""
    runs = scores["run_id"].unique().sort().to_list()
    matrices = {
        name: scores.pivot("run_id", index=["question_id", "unit"], values=name).sort("question_id")
        for name in ("points", "most", "right")
    }
    units = np.unique(matrices["points"]["unit"].to_numpy(), return_inverse=True)[1]
    points, most, right = (m.select(runs).fill_null(np.nan).to_numpy() for m in matrices.values())
    there = ~np.isnan(points)
    rows: list[dict[str, Any]] = []
    for a, b in combinations(range(len(runs)), 2):
        if (runs[a], runs[b]) in compared:
            continue
        both = there[:, a] & there[:, b]
        n = int(both.sum())
        if not n:
            continue
        codes = np.unique(units[both], return_inverse=True)[1]
        ones = np.ones(n)
        figures = {
            "accuracy": (right[both, a], ones, right[both, b], ones),
            "score_share": (points[both, a], most[both, a], points[both, b], most[both, b]),
        }
        for metric, (one, most_one, two, most_two) in figures.items():
            if most_one.sum() <= 0 or most_two.sum() <= 0:
                continue
            p, test = sign_flip(np.rint(np.bincount(codes, (one - two) * 1000)).astype(np.int64))
            value_a, value_b = one.sum() / most_one.sum(), two.sum() / most_two.sum()
            low, high = difference(np.asarray(np.bincount(codes, one / most_one.sum() - two / most_two.sum()), float))
            rows.append({
                "run_a": runs[a], "run_b": runs[b], "dataset_id": dataset_id, "metric": metric,
                "value_a": value_a, "value_b": value_b, "difference": value_a - value_b, "low": low, "high": high,
                "p": p, "p_adjusted": None, "method": f"{test}; {INTERVAL}; Holm over families of runs", "n": n,
            })  # fmt: skip
    return rows


def difference(by_case: Array) -> tuple[float, float]:
    """Interval of the sum of cases' differences. As Agresti and Min (2005, doi 10.1002/sim.1781) add half a pair to
    each cell, a case of mean size is split between the two signs, and two cases are added to their number."""
    cases, value = len(by_case), float(by_case.sum())
    size = 1.0 / cases
    spread = float((by_case**2).sum()) + size**2 - value**2 / (cases + 2)
    shrink = cases / (cases + 2)
    half = float(stats.t.ppf((1 + LEVEL) / 2, max(cases - 1, 1))) * np.sqrt(max(spread, 0.0)) * shrink
    return min(value, value * shrink - half), max(value, value * shrink + half)
