"""Which runs are copies of each other, word for word or nearly: the tables near_copy and run_family.

Copies have the same answers. Near copies agree on their wrong answers far beyond chance: runs of one model, mostly.
A family is what is linked by either; whatever counts votes or tests counts families. No figures here.
"""

from __future__ import annotations

import hashlib
from decimal import Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from pipelines.schema import TABLES

AGREEMENT = 0.8
"""Share of the questions both got wrong on which near copies give the same wrong answer. Unrelated models share about
three fifths (Kim, Garg, Peng and Garg 2025, arXiv 2506.07962)."""
SIGNIFICANT = 0.001
"""Chance, over all pairs of a dataset, that such agreement is one of runs that have nothing to do with each other."""

Array = NDArray[np.float64]


def same_as(run: pl.DataFrame, prediction: pl.DataFrame) -> dict[str, str]:
    """Run to the earliest run (created_at, run_id) of its dataset and kind that has identical answers."""
    answer = pl.concat_str(
        "question_id", pl.col("attempt").cast(pl.String), "status", pl.coalesce("value", "labels", pl.lit("")),
        separator="\t",
    )  # fmt: skip
    texts = (
        prediction.sort("run_id", "question_id", "attempt").group_by("run_id").agg(answer.str.join("\n").alias("text"))
    )
    digest = {run_id: hashlib.sha256(text.encode()).hexdigest() for run_id, text in texts.iter_rows()}
    first: dict[tuple[str, str, str], str] = {}
    found = {}
    for r in run.sort("created_at", "run_id").iter_rows(named=True):
        if r["run_id"] in digest:
            earliest = first.setdefault((r["dataset_id"], r["kind"], digest[r["run_id"]]), r["run_id"])
            if earliest != r["run_id"]:
                found[r["run_id"]] = earliest
    return found


def near_copy(
    run: pl.DataFrame, prediction: pl.DataFrame, item_score: pl.DataFrame, question: pl.DataFrame
) -> pl.DataFrame:
    """The table near_copy: pairs of model runs of a dataset, not identical, whose wrong answers agree.

    Wrong answers to a question are expected to agree as often as two draws from those that the dataset's runs gave (a
    count of one is added to each wrong choice); the tail of the binomial distribution with the mean of that says how
    likely the agreement found is.
    """
    copies = same_as(run, prediction)
    runs = run.filter((pl.col("kind") == "model") & ~pl.col("run_id").is_in(list(copies)))
    wrong = (
        prediction.filter((pl.col("attempt") == 1) & (pl.col("status") == "answered"))
        .join(
            item_score.filter((pl.col("ruleset") == "official") & (pl.col("attempt") == 1) & ~pl.col("is_correct")),
            on=["run_id", "question_id"],
            how="semi",
        )
        .join(runs.select("run_id", "dataset_id"), on="run_id")
        .join(question.select("question_id", "n_choices"), on="question_id")
        .select("dataset_id", "run_id", "question_id", "n_choices", answer=pl.coalesce("value", "labels", pl.lit("")))
        .sort("dataset_id", "question_id", "answer", "run_id")
    )
    rows: list[dict[str, object]] = []
    for (dataset_id,), given in wrong.group_by("dataset_id", maintain_order=True):
        names = given["run_id"].unique().sort()
        both, same, expected = _agreement(given, names)
        a, b = np.triu_indices(len(names), 1)
        n, k = both[a, b], same[a, b]
        rate = np.divide(expected[a, b], n, out=np.ones(len(a)), where=n > 0)
        p = np.maximum(stats.binom.sf(k - 1, n, rate), np.finfo(float).tiny)
        rows += [
            {
                "run_a": names[int(a[i])], "run_b": names[int(b[i])], "dataset_id": dataset_id,
                "both_wrong": int(n[i]), "same_wrong": int(k[i]),
                "expected": Decimal(f"{expected[a[i], b[i]]:.6f}"), "p": float(p[i]),
            }
            for i in np.flatnonzero((k >= AGREEMENT * n) & (p * len(a) < SIGNIFICANT))
        ]  # fmt: skip
    return TABLES["near_copy"].frame(rows)


def _agreement(given: pl.DataFrame, names: pl.Series) -> tuple[Array, Array, Array]:
    """For each pair of runs: questions both got wrong, those with the same answer, and how many that is by chance."""
    counts = given.group_by("question_id", "answer").agg(n=pl.len(), choices=pl.col("n_choices").max())
    chance = (
        counts.group_by("question_id")
        .agg(
            kinds=pl.max_horizontal(pl.col("choices").max() - 1, pl.len()),
            total=pl.col("n").sum(),
            squares=((pl.col("n") + 1) ** 2).sum(),
            seen=pl.len(),
        )
        .with_columns(
            rate=(pl.col("squares") + pl.col("kinds") - pl.col("seen")) / (pl.col("total") + pl.col("kinds")) ** 2
        )
        .sort("question_id")
    )
    place = {name: i for i, name in enumerate(names)}
    column = np.array([place[r] for r in given["run_id"]])
    row = given.select(pl.struct("question_id", "answer").rank("dense") - 1).to_series().to_numpy().astype(np.int64)
    asked = given.select(pl.col("question_id").rank("dense") - 1).to_series().to_numpy().astype(np.int64)
    answers, questions = np.zeros((row.max() + 1, len(names))), np.zeros((asked.max() + 1, len(names)))
    answers[row, column] = questions[asked, column] = 1
    rate = chance["rate"].to_numpy()
    return questions.T @ questions, answers.T @ answers, questions.T @ (questions * rate[:, None])


def run_family(run: pl.DataFrame, prediction: pl.DataFrame, near_copy: pl.DataFrame) -> pl.DataFrame:
    """The table run_family: each run's earlier copy, and the earliest run of those it is linked to."""
    ordered = run.sort("created_at", "run_id")["run_id"].to_list()
    place = {run_id: i for i, run_id in enumerate(ordered)}
    copies, parent = same_as(run, prediction), {run_id: run_id for run_id in ordered}

    def head(run_id: str) -> str:
        while parent[run_id] != run_id:
            parent[run_id] = run_id = parent[parent[run_id]]
        return run_id

    for a, b in [*copies.items(), *near_copy.select("run_a", "run_b").iter_rows()]:
        first, second = sorted((head(a), head(b)), key=lambda r: place[r])
        parent[second] = first
    dataset = dict(run.select("run_id", "dataset_id").iter_rows())
    return TABLES["run_family"].frame([
        {"run_id": r, "dataset_id": dataset[r], "same_as": copies.get(r), "family": head(r)} for r in sorted(ordered)
    ])  # fmt: skip
