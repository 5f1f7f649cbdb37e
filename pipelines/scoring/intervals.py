"""Confidence intervals of means of bounded outcomes: few questions, near-perfect papers, weights and linked cases.

Four steps, each with its source; docs/statistics.md has the simulation that they were chosen by (perf/statistics.py).
1. `limits`: one share. Mid-P, and Clopper-Pearson toward the nearer end of the scale (Clopper and Pearson 1934; Berry
   and Armitage 1995, doi 10.2307/2348891; Brown, Cai and DasGupta 2001, doi 10.1214/ss/1009213286).
2. `effective`: linked answers count as fewer independent ones, by the design effect of the cases (Kish 1965; the
   interval of an effective sample is Korn and Graubard's, 1998). The correlation within cases is shrunk to RHO, so that
   a paper without a mistake, which says nothing about it, is not taken for independent answers.
3. A mean of several values is the integral of the share that reaches each value, so its limits are the integrals of the
   shares' limits: conservative, exact for right or wrong, and a better answer never lowers a limit.
4. `combined`: strata (point values, subjects) by MOVER (Zou and Donner 2008, doi 10.1002/sim.3095).
No tables of the warehouse here.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

LEVEL = 0.95
Z = float(stats.norm.ppf((1 + LEVEL) / 2))

RHO = 0.5
"""Correlation within a case that a paper without information on it is taken to have."""
KAPPA = 1.5
"""Weight of RHO, in ordered pairs of answers for each pair of the largest case."""

METHOD = "mid-P, Clopper-Pearson toward the nearer end; {strata}effective sample by case"

Array = NDArray[np.float64]


def limits(right: ArrayLike, n: ArrayLike) -> tuple[Array, Array]:
    """Limits at LEVEL of the share right / n, elementwise; neither needs to be whole, n above 0."""
    x, m = np.broadcast_arrays(np.asarray(right, float), np.asarray(n, float))
    x = np.clip(x, 0, m)
    below = x < m / 2
    low = np.where(below, _exact_low(x, m), _mid_p_low(x, m))
    high = 1 - np.where(x > m / 2, _exact_low(m - x, m), _mid_p_low(m - x, m))
    return low, high


def _exact_low(x: Array, n: Array) -> Array:
    """Clopper-Pearson's lower limit."""
    found = special.betaincinv(np.maximum(x, 1e-12), n - x + 1, (1 - LEVEL) / 2)
    return np.where(x <= 0, 0.0, found)


def _mid_p_low(x: Array, n: Array) -> Array:
    """The share at which P(more than x) + P(x) / 2 is half of what LEVEL leaves, by bisection."""
    low, high = np.zeros_like(x), x / n
    for _ in range(45):
        middle = (low + high) / 2
        reached = np.where(x > 0, special.betainc(np.maximum(x, 1e-12), n - x + 1, middle), 1.0)
        passed = np.where(x < n, special.betainc(x + 1, np.maximum(n - x, 1e-12), middle), 0.0)
        short = (reached + passed) / 2 < (1 - LEVEL) / 2
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(x <= 0, 0.0, low)


def combined(answers: pl.DataFrame, by: list[str], scale: pl.Expr, strata: list[str] | None = None) -> pl.DataFrame:
    """Value, low and high of Σ scale x (mean of y), over the strata of each group of `by`.

    `answers` has a row per answer: the columns of `by` and `strata`; unit (the case: answers of one unit are linked);
    w (the answer's weight: 1 over the attempts at its question); y (what it earned); floor and ceiling (what it could
    have). `scale` is an expression over the strata's frame, whose column n is the stratum's sum of w.
    Returns `by`, value, low, high, n, units, and fewest (units of the stratum with the fewest).
    """
    keys = [*by, *(strata or [])]
    groups = effective(answers, keys).with_columns(scale=scale.cast(pl.Float64))
    found = (
        _levels(answers, keys, groups)
        .join(groups, on=keys, nulls_equal=True)
        .with_columns(
            square_low=(pl.col("scale") * (pl.col("mean") - pl.col("low"))) ** 2,
            square_high=(pl.col("scale") * (pl.col("high") - pl.col("mean"))) ** 2,
        )
        .sort(keys)
    )
    return (
        found.group_by(by, maintain_order=True)
        .agg(
            value=(pl.col("scale") * pl.col("mean")).sum(),
            down=pl.col("square_low").sum().sqrt(),
            up=pl.col("square_high").sum().sqrt(),
            n=pl.col("n").sum(),
            units=pl.col("units").sum(),
            fewest=pl.col("units").min(),
        )
        .with_columns(low=pl.col("value") - pl.col("down"), high=pl.col("value") + pl.col("up"))
        .select(*by, "value", "low", "high", "n", "units", "fewest")
    )


def effective(answers: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Per group of `keys`: mean of y, n (sum of w), units, and n_eff, the independent answers that it is worth."""
    w, y = pl.col("w"), pl.col("y")
    span = pl.max_horizontal(pl.col("ceiling") - pl.col("floor"), pl.lit(1e-9))
    units = answers.group_by(*keys, "unit").agg(
        n=w.sum(), t=(w * y).sum(), w2=(w * w).sum(), w2y=(w * w * y).sum(), w2yy=(w * w * y * y).sum(),
        wyy=(w * y * y).sum(), span=span.max(),
    )  # fmt: skip
    n, t = pl.col("n"), pl.col("t")
    sums = units.sort(*keys, "unit").group_by(keys, maintain_order=True).agg(
        n=n.sum(), total=t.sum(), w2=pl.col("w2").sum(), w2y=pl.col("w2y").sum(), w2yy=pl.col("w2yy").sum(),
        wyy=pl.col("wyy").sum(), tt=(t * t).sum(), tn=(t * n).sum(), nn=(n * n).sum(), largest=n.max(),
        units=pl.len(), span=pl.col("span").max(),
    )  # fmt: skip
    mean, span = pl.col("total") / pl.col("n"), pl.col("span")
    of_units = pl.col("tt") - 2 * mean * pl.col("tn") + mean * mean * pl.col("nn")
    of_answers = pl.col("w2yy") - 2 * mean * pl.col("w2y") + mean * mean * pl.col("w2")
    pairs = pl.max_horizontal(pl.col("nn") - pl.col("w2"), pl.lit(0.0))
    spread = pl.max_horizontal(pl.col("wyy") / pl.col("n") - mean * mean, pl.lit(0.0)) / span**2
    prior = KAPPA * pl.col("largest") ** 2
    rho = ((of_units - of_answers) / span**2 + prior * RHO) / (pairs * spread + prior)
    few = pl.col("units").map_batches(_few, return_dtype=pl.Float64)
    return sums.select(
        *keys, "n", "units", mean=mean,
        n_eff=pl.col("n") ** 2 / (pl.col("w2") + pl.max_horizontal(rho, pl.lit(0.0)) * pairs * few),
    )  # fmt: skip


def _few(units: pl.Series) -> pl.Series:
    """How much more the correlation of few cases weighs: t for z, squared (as of four cases where there are fewer)."""
    t = stats.t.ppf((1 + LEVEL) / 2, np.maximum(units.to_numpy() - 1, 3))
    return pl.Series((t / Z) ** 2)


def _levels(answers: pl.DataFrame, keys: list[str], groups: pl.DataFrame) -> pl.DataFrame:
    """low and high of each group's mean: the integral over the values of the limits of the share that reaches them."""
    ends = answers.group_by(keys).agg(
        floor=pl.min_horizontal(pl.col("floor").min(), pl.col("y").min()),
        ceiling=pl.max_horizontal(pl.col("ceiling").max(), pl.col("y").max()),
    )
    levels = (
        pl.concat([
            answers.group_by(*keys, y="y").agg(w=pl.col("w").sum()),
            *(ends.select(*keys, y=pl.col(end), w=pl.lit(0.0)) for end in ("floor", "ceiling")),
        ])
        .group_by(*keys, "y")
        .agg(pl.col("w").sum())
        .sort(*keys, "y")
        .with_columns(
            gap=pl.col("y") - pl.col("y").shift(1).over(keys),
            reached=pl.col("w").cum_sum(reverse=True).over(keys),
        )
        .filter(pl.col("gap").is_not_null())
        .join(groups.select(*keys, "n", "n_eff"), on=keys, nulls_equal=True)
    )  # fmt: skip
    n_eff = levels["n_eff"].to_numpy()
    low, high = limits(levels["reached"].to_numpy() / levels["n"].to_numpy() * n_eff, n_eff)
    return (
        levels.with_columns(
            low=pl.Series(low, dtype=pl.Float64) * pl.col("gap"), high=pl.Series(high, dtype=pl.Float64) * pl.col("gap")
        )
        .group_by(keys)
        .agg(pl.col("low", "high").sum())
        .join(ends, on=keys, nulls_equal=True)
        .select(*keys, low=pl.col("floor") + pl.col("low"), high=pl.col("floor") + pl.col("high"))
    )
