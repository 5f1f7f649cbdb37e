"""The table item_parameter: each question's place on a scale of ability, by a logistic model of item response theory.

An answer is right with the probability 1 / (1 + exp(-a (t - b))): t the ability of who answers, b the question's
difficulty, a its discrimination (one for all in the one-parameter model, 1PL; Birnbaum's 2PL, 1968). Benchmarks have
few runs and many questions, so the roles of the usual marginal likelihood (Bock and Aitkin 1981, doi
10.1007/BF02293801) are exchanged: abilities are estimated, questions are the sample that is integrated over, and what
is reported of a question is the mean and the standard deviation of its posterior distribution. The prior comes from the
data (empirical Bayes, as the linear logistic test model with an error term: De Boeck 2008, doi
10.1007/s11336-008-9092-x): difficulties are normal around a line in the logit of the examinees' share right where that
is published, and around a mean where not; ln(a) is normal around 0. Line, means and spreads maximise the likelihood.
What is chosen and predicted by these parameters is pipelines/ask/adaptive.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special, stats

from pipelines.scoring.figures import typed

WHOLE = pl.coalesce("exam_id", "dataset_id").alias("whole")
"""What a run has a voice on when it answered half of it: an exam, or a dataset without exams."""
ENOUGH = 2
"""Families of model runs without which nothing is said of a dataset's questions."""
FOR_TWO = 5
"""Families from which on the two-parameter model is tried, and a fit is given."""
ABILITY = 3.0
"""Standard deviation of the prior of abilities: keeps a perfect run finite, and says hardly more."""
POOLED = 10
"""Questions' worth of the spread of all that is mixed into that of those with, and of those without, a published share:
one question alone has no spread."""
ROUNDS = 100
TOLERANCE = 1e-3
"""Rounds end when no ability moves by more, a tenth of what their standard error is with 500 questions."""

FIGURES = (
    "difficulty", "difficulty_se", "discrimination", "discrimination_se", "information", "information_se", "fit",
)  # fmt: skip

Array = NDArray[np.float64]

_B = np.linspace(-8.0, 8.0, 65)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)


@dataclass(frozen=True)
class Calibration:
    """What is known of m questions from k voices. Arrays of m, but ability (k); `model` is 1PL or 2PL."""

    model: str
    ability: Array
    difficulty: Array
    difficulty_se: Array
    discrimination: Array
    discrimination_se: Array
    information: Array
    information_se: Array
    fit: Array
    likelihood: float


def calibrate(right: Array, people: Array) -> Calibration:
    """Parameters of the questions from `right` (k voices x m questions: share right, nan where not asked).

    `people` (m): the share of examinees right, nan where not known. The two-parameter model is taken where the
    likelihood says that discriminations differ (p below .05; half of chi-squared, as a variance can't be negative: Self
    and Liang 1987, doi 10.1080/01621459.1987.10478472), and there are FOR_TWO voices.
    """
    one = _fitted(right, people, two=False)
    if len(right) < FOR_TWO:
        return one
    two = _fitted(right, people, two=True)
    return two if 2 * (two.likelihood - one.likelihood) > stats.chi2.ppf(0.9, 1) else one


def _fitted(right: Array, people: Array, two: bool) -> Calibration:
    """One model by expectation-maximisation; a question's posterior stands on the grid of (b, ln a).

    The scale: difficulty 0 is the mean of the questions with a known share of examinees (of all, where there are none),
    and the geometric mean of a is 1.
    """
    asked = np.isfinite(right)
    y, n = np.where(asked, right, 0.0), asked.astype(float)
    nodes, weights = (_NODES, _WEIGHTS / _WEIGHTS.sum()) if two else (np.zeros(1), np.ones(1))
    b, node, weight = np.repeat(_B, len(nodes)), np.tile(nodes, len(_B)), np.tile(weights, len(_B))
    known = np.isfinite(people)
    z = special.logit(np.clip(np.where(known, people, 0.5), 0.01, 0.99))
    design = np.column_stack([known * (z - z[known].mean()), ~known]) if known.any() else np.zeros((len(people), 1))
    ability = special.logit((y.sum(axis=1) + 1) / (n.sum(axis=1) + 2))
    line, spread, spread_a = np.zeros(design.shape[1]), [1.5, 1.5], 0.4
    for _ in range(ROUNDS):
        a = np.exp(spread_a * node)
        centre, sd = design @ line, np.where(known, *spread)
        chance = np.clip(special.expit(a * (ability[:, None] - b)), 1e-12, 1 - 1e-12)
        prior = stats.norm.logpdf(b, centre[:, None], sd[:, None]) + np.log(weight)
        prior -= special.logsumexp(prior, axis=1, keepdims=True)
        joint = y.T @ np.log(chance) + (n - y).T @ np.log1p(-chance) + prior
        total = special.logsumexp(joint, axis=1, keepdims=True)
        posterior = np.exp(joint - total)
        mean = posterior @ b
        line = np.linalg.lstsq(design, mean, rcond=None)[0]
        square = posterior @ b**2 - mean**2 + (mean - design @ line) ** 2
        pooled = POOLED * square.mean()
        spread = [float(np.sqrt((square[k].sum() + pooled) / (k.sum() + POOLED))) for k in (known, ~known)]
        spread_a *= float(np.sqrt((posterior @ node**2).mean()))
        before, ability = ability, _abilities(ability, y @ posterior, n @ posterior, a, b)
        if np.abs(ability - before).max() < TOLERANCE:
            break

    def moments(values: Array) -> tuple[Array, Array]:
        first = posterior @ values
        return first, np.sqrt(np.maximum(posterior @ values**2 - first**2, 0.0))

    at_mean = special.expit(a * (ability.mean() - b))
    expected = chance @ posterior.T
    fit = (n * (y - expected) ** 2).sum(axis=0) / (n * expected * (1 - expected)).sum(axis=0)
    return Calibration(
        "2PL" if two else "1PL", ability, *moments(b), *moments(a), *moments(a**2 * at_mean * (1 - at_mean)), fit,
        float(total.sum()),
    )  # fmt: skip


def _abilities(ability: Array, right: Array, n: Array, a: Array, b: Array) -> Array:
    """The most likely abilities (k) by Newton's method, where `right` of `n` answers (k x nodes) stand at each node."""
    for _ in range(4):
        chance = special.expit(a * (ability[:, None] - b))
        slope = (a * (right - n * chance)).sum(axis=1) - ability / ABILITY**2
        bend = (a**2 * n * chance * (1 - chance)).sum(axis=1) + ABILITY**-2
        ability = ability + np.clip(slope / bend, -1, 1)
    return ability


def item_parameter(
    item_score: pl.DataFrame, question: pl.DataFrame, run: pl.DataFrame, run_family: pl.DataFrame
) -> pl.DataFrame:
    """The table item_parameter: the questions of each dataset that ENOUGH families of model runs answered.

    A family (run_family) is one voice, the mean of its runs, and a run's attempts at a question are averaged first.
    Questions that are removed, or credited to all, say nothing and are left out; so are baselines and people, whose
    share stands in question.human_accuracy. A run that answered less than half of an exam (or of a dataset without
    exams) has no voice on it: it may have been asked what is thought to be telling, and has predicted_score.
    """
    told = question.filter(pl.col("key_status").is_in(["scored", "correct_only"])).with_columns(WHOLE)
    size = told.group_by("dataset_id", "whole").agg(size=pl.len())
    voices = (
        item_score.filter(pl.col("ruleset") == "official")
        .join(run.filter(pl.col("kind") == "model").select("run_id"), on="run_id")
        .join(run_family.select("run_id", "family"), on="run_id")
        .join(told.select("question_id", "dataset_id", "whole"), on="question_id")
        .join(size, on=["dataset_id", "whole"])
        .filter(2 * pl.col("question_id").n_unique().over("run_id", "whole") >= pl.col("size"))
        .group_by("dataset_id", "family", "run_id", "question_id")
        .agg(right=pl.col("is_correct").cast(pl.Float64).mean())
        .group_by("dataset_id", "family", "question_id")
        .agg(pl.col("right").mean(), runs=pl.len())
    )
    found = []
    for _, given in voices.sort("question_id").group_by("dataset_id", maintain_order=True):
        if given["family"].n_unique() < ENOUGH:
            continue
        wide = given.sort("question_id", "family").pivot("family", index="question_id", values="right")
        asked = wide.select("question_id").join(told, on="question_id", how="left", maintain_order="left")
        people = asked["human_accuracy"].cast(pl.Float64).fill_null(np.nan).to_numpy() / 100
        names = sorted(wide.columns[1:])
        known = calibrate(wide.select(names).cast(pl.Float64).fill_null(np.nan).to_numpy().T, people)
        counts = given.group_by("question_id").agg(n_runs=pl.col("runs").sum(), n_families=pl.len())
        several = pl.col("n_families") >= FOR_TWO
        found.append(
            asked.select("question_id")
            .with_columns(
                model=pl.lit(known.model),
                # the last bits of a fit depend on the machine, and must not order rows
                **{name: pl.Series(getattr(known, name)).round(6) for name in FIGURES},
            )
            .join(counts, on="question_id")
            .with_columns(fit=pl.when(several).then("fit"))
        )
    if not found:
        return typed("item_parameter", pl.DataFrame({"question_id": pl.Series([], dtype=pl.String)}))
    return typed("item_parameter", pl.concat(found).sort("question_id"))
