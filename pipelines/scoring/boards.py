"""The tables leaderboard and leaderboard_part: runs side by side, ranked only where they were asked the same.

What a run earned and the parts there are is answers.py, figures figures.py, what guessing earns guessing.py.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from pipelines.scoring.answers import WHOLE, coverage, earned, parts
from pipelines.scoring.figures import BY_WORTH, exam, guarded, share, typed
from pipelines.scoring.guessing import chances, expected
from pipelines.scoring.intervals import LEVEL
from pipelines.vocabulary import UNPARSED

Array = NDArray[np.float64]
_BY = ["run_id", "dataset_id", "part"]


def leaderboard(*tables: pl.DataFrame) -> pl.DataFrame:
    """The table leaderboard: each run over its whole dataset. `tables` as for leaderboard_part."""
    board = _board(*tables, whole=True)
    return typed("leaderboard", board.sort("benchmark", "dataset_id", "rank", "run_id", nulls_last=True))


def leaderboard_part(*tables: pl.DataFrame) -> pl.DataFrame:
    """The table leaderboard_part: each run in each part that it was asked a question of.

    `tables`: item_score, prediction, question, answer_key, run, run_family, rule_item, rule_topic, rule_use_case.
    """
    board = _board(*tables, whole=False)
    return typed("leaderboard_part", board.sort("dataset_id", "part", "rank", "run_id", nulls_last=True))


def _board(
    item_score: pl.DataFrame, prediction: pl.DataFrame, question: pl.DataFrame, answer_key: pl.DataFrame,
    run: pl.DataFrame, run_family: pl.DataFrame, rule_item: pl.DataFrame, rule_topic: pl.DataFrame,
    rule_use_case: pl.DataFrame, *, whole: bool,
) -> pl.DataFrame:  # fmt: skip
    members = parts(question, rule_use_case).filter((pl.col("part") == WHOLE) == whole)
    answers = earned(item_score.filter(pl.col("ruleset") == "official"), question, prediction, rule_item)
    rows = answers.join(members.select("dataset_id", "part", "question_id"), on=["dataset_id", "question_id"])
    runs = run.select("run_id", "dataset_id", "model", "kind", "is_sample", "format", "modality").join(
        run_family.select("run_id", "same_as"), on="run_id"
    )
    guesses = expected(question, answer_key, rule_item)
    line = (
        coverage(prediction, members)
        .with_columns(coverage=pl.col("asked") / pl.col("questions"))
        .join(runs, on=["run_id", "dataset_id"])
        .join(question.select("dataset_id", "benchmark").unique(), on="dataset_id")
        .join(_scores(rows, rule_topic, whole), on=_BY, how="left")
        .join(chances(guesses, members, rule_topic), on=["dataset_id", "part", "metric"], how="left")
        .join(_accuracy(rows), on=_BY, how="left")
        .join(_examinees(rows, question), on=_BY, how="left")
        .join(_statuses(prediction, question, members, whole), on=_BY, how="left")
        .with_columns(pl.col("score", "low", "high").round(6))
    )
    return _noted(line.join(_ranks(line, rows, rule_topic, whole), on=_BY, how="left"))


def _scores(rows: pl.DataFrame, rule_topic: pl.DataFrame, whole: bool) -> pl.DataFrame:
    """Per run and part: metric, score, low, high, method. exam_score of the whole where subjects have weights."""
    weighed = pl.col("benchmark").is_in(rule_topic["benchmark"].unique().to_list()) & whole
    shares = guarded(share(rows.filter(~weighed), _BY), BY_WORTH).with_columns(metric=pl.lit("score_share"))
    exams = exam(rows.filter(weighed), rule_topic, _BY)
    kept = [*_BY, "metric", "value", "low", "high", "method"]
    return pl.concat([shares.select(kept), exams.select(kept)]).rename({"value": "score"})


def _accuracy(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by(_BY).agg(accuracy=(pl.col("w") * pl.col("right")).sum() / pl.col("w").sum())


def _examinees(rows: pl.DataFrame, question: pl.DataFrame) -> pl.DataFrame:
    """People on the questions whose share right is published, and the run on those alone."""
    known = question.drop_nulls("human_accuracy").select(
        "question_id", people=pl.col("human_accuracy").cast(pl.Float64) / 100
    )
    w = pl.col("w")
    return rows.join(known, on="question_id").group_by(_BY).agg(
        examinees=(w * pl.col("people")).sum() / w.sum(), examinees_questions=pl.col("question_id").n_unique(),
        examinees_accuracy=(w * pl.col("right")).sum() / w.sum(),
    )  # fmt: skip


def _statuses(prediction: pl.DataFrame, question: pl.DataFrame, members: pl.DataFrame, whole: bool) -> pl.DataFrame:
    """Predictions of each run and part by how they were read; the whole also has those that don't count."""
    within = members.select("dataset_id", "question_id", "part")
    if whole:
        within = question.select("dataset_id", "question_id", part=pl.lit(WHOLE))
    status = pl.col("status")
    return prediction.join(within, on="question_id").group_by(_BY).agg(
        answered=(status == "answered").sum(), abstained=(status == "abstained").sum(),
        refused=(status == "refused").sum(),
        unparsed=status.is_in(UNPARSED).sum(), n=pl.len(),
    )  # fmt: skip


def _noted(board: pl.DataFrame) -> pl.DataFrame:
    partial = pl.format("not ranked: {} of {} questions were asked", "asked", "questions")
    copy = pl.format("same answers as {}: counted once", "same_as")
    return board.with_columns(
        note=pl.concat_str(
            pl.when(pl.col("coverage") < 1).then(partial),
            pl.when(pl.col("same_as").is_not_null()).then(copy),
            pl.when(pl.col("score").is_null()).then("method"),
            separator="; ",
            ignore_nulls=True,
        ).replace("", None)
    )


def _ranks(line: pl.DataFrame, rows: pl.DataFrame, rule_topic: pl.DataFrame, whole: bool) -> pl.DataFrame:
    """rank, rank_low, rank_high of the runs that were asked the whole part; a copy has those of its original.

    The rank interval counts the runs that are better, or worse, in a paired test of the score by case (signs flipped,
    normal tail), Bonferroni over the run's comparisons: Mogstad, Romano, Shaikh and Wilhelm 2024,
    doi 10.1093/restud/rdad006.
    """
    level = line.filter((pl.col("coverage") == 1) & pl.col("score").is_not_null())
    firsts = level.filter(pl.col("same_as").is_null()).sort(_BY)
    earned = _contributions(rows, rule_topic, whole).join(firsts.select(_BY), on=_BY)
    found = []
    for (dataset_id, part), of_part in firsts.group_by("dataset_id", "part", maintain_order=True):
        mine = earned.filter((pl.col("dataset_id") == dataset_id) & (pl.col("part") == part))
        runs = of_part["run_id"].to_list()
        matrix = mine.pivot("run_id", index="unit", values="earned").sort("unit").select(runs).fill_null(0.0).to_numpy()
        rank = stats.rankdata(-of_part["score"].to_numpy(), method="min").astype(int)
        better, worse = _apart(matrix)
        found.append(pl.DataFrame({
            "run_id": runs, "dataset_id": dataset_id, "part": part, "rank": rank,
            "rank_low": np.minimum(rank, 1 + better), "rank_high": np.maximum(rank, len(runs) - worse),
        }))  # fmt: skip
    schema = dict.fromkeys(_BY, pl.String) | dict.fromkeys(("rank", "rank_low", "rank_high"), pl.Int64)
    originals = pl.concat(found) if found else pl.DataFrame(schema=schema)
    copies = level.drop_nulls("same_as").select(*_BY, "same_as").join(
        originals, left_on=["same_as", "dataset_id", "part"], right_on=_BY
    )  # fmt: skip
    columns = [*_BY, "rank", "rank_low", "rank_high"]
    return pl.concat([originals.select(columns), copies.select(columns)], how="vertical_relaxed")


def _contributions(rows: pl.DataFrame, rule_topic: pl.DataFrame, whole: bool) -> pl.DataFrame:
    """What each case adds to the score that ranks, up to a factor that the runs of a part share."""
    w, points = pl.col("w"), pl.col("points")
    weights = rule_topic.select("benchmark", "topic", pl.col("weight").cast(pl.Float64))
    known = rows.join(weights, on=["benchmark", "topic"], how="left")
    weighed = pl.col("benchmark").is_in(rule_topic["benchmark"].unique().to_list()) & whole
    scale = pl.when(weighed).then(pl.col("weight").fill_null(0.0) / w.sum().over(*_BY, "topic")).otherwise(1.0)
    return (
        known.with_columns(earned=w * points * scale)
        .sort(*_BY, "unit")
        .group_by(*_BY, "unit")
        .agg(pl.col("earned").sum())
    )


def _apart(matrix: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many runs (columns; cases are rows) are surely better, and how many surely worse, than each."""
    others = matrix.shape[1] - 1
    if others < 1:
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    total, product = matrix.sum(axis=0), matrix.T @ matrix
    squares = np.diag(product)[:, None] + np.diag(product)[None, :] - 2 * product
    z = (total[:, None] - total[None, :]) / np.sqrt(np.maximum(squares, 1e-12))
    sure = stats.norm.ppf(1 - (1 - LEVEL) / 2 / others)
    return (z < -sure).sum(axis=1), (z > sure).sum(axis=1)
