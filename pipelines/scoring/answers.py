"""What each run earned, answer by answer, and the parts of a benchmark that figures are given for.

Frames in, frames out. How intervals are made is intervals.py, which figures there are figures.py and boards.py.
"""

from __future__ import annotations

import numpy as np
import polars as pl

SCORABLE = ~pl.col("key_status").is_in(["removed", "unknown"])
"""Questions that a run can be asked to answer: coverage is of these."""

WHOLE = "all"


def earned(
    item_score: pl.DataFrame, question: pl.DataFrame, prediction: pl.DataFrame, rule_item: pl.DataFrame
) -> pl.DataFrame:
    """One row per answer that counts, as intervals.combined takes them.

    run_id, dataset_id, benchmark, ruleset, question_id, attempt, topic; unit: the case, or the question; w: 1 over the
    attempts at the question; points, most, worth (points of a full answer: the stratum), least (points of one wrong
    choice), right and answered (0 or 1).
    """
    wrong = pl.min_horizontal(pl.lit(0.0), (pl.col("each_wrong") + pl.col("any_wrong")).cast(pl.Float64))
    rules = rule_item.select("benchmark", "ruleset", "weighted", wrong=wrong)
    asked = question.select(
        "question_id", "dataset_id", "benchmark", "topic", "case_group", weight=pl.col("points").cast(pl.Float64)
    )
    status = prediction.select(
        "run_id", "question_id", "attempt", answered=(pl.col("status") == "answered").cast(pl.Float64)
    )
    attempts = pl.len().over("run_id", "question_id", "ruleset")
    return (
        item_score.filter(pl.col("counts"))
        .join(asked, on="question_id")
        .join(rules, on=["benchmark", "ruleset"])
        .join(status, on=["run_id", "question_id", "attempt"], how="left")
        .select(
            "run_id", "dataset_id", "benchmark", "ruleset", "question_id", "attempt", "topic",
            unit=pl.coalesce("case_group", "question_id"), w=1.0 / attempts,
            points=pl.col("points").cast(pl.Float64), most=pl.col("max_points").cast(pl.Float64),
            worth=pl.col("max_points").cast(pl.Float64),
            least=pl.col("wrong") * pl.when("weighted").then("weight").otherwise(1.0),
            right=pl.col("is_correct").cast(pl.Float64), answered=pl.col("answered").fill_null(0.0),
        )
        .sort("run_id", "ruleset", "question_id", "attempt")
    )  # fmt: skip


def parts(question: pl.DataFrame, rule_use_case: pl.DataFrame) -> pl.DataFrame:
    """Which questions each part of a dataset has: dataset_id, part, use_case, question_id.

    part is the name on leaderboard_part; use_case that of benchmark_score, null where it has none. `is_named`: a use
    case that its benchmark names, which counts only as a whole.
    """
    known = question.filter(SCORABLE).with_columns(exam=pl.col("exam_id").str.split("/"))
    profession, year = (pl.col("exam").list.get(i, null_on_oob=True) for i in (1, 2))
    slices = {
        "exam/": (pl.concat_str(profession, pl.lit("/"), year), None),
        "profession/": (profession, "profession:"),
        "year/": (year, "year:"),
        "topic/": (pl.col("topic"), None),
        "type/": (pl.when(pl.col("exam_id").is_not_null()).then("answer_type"), "type:"),
        "": (pl.when("needs_image").then(pl.lit("with_image")).otherwise(pl.lit("text_only")), "modality:"),
    }
    found = [
        known.select(
            "dataset_id", part=pl.lit(prefix) + value, use_case=pl.lit(case) + value, question_id="question_id",
            is_named=pl.lit(False),
        ).drop_nulls("part")
        for prefix, (value, case) in slices.items()
    ]  # fmt: skip
    whole = known.select(
        "dataset_id", part=pl.lit(WHOLE), use_case=pl.lit(WHOLE), question_id="question_id", is_named=pl.lit(False)
    )
    return pl.concat([whole, *found, _named(known, rule_use_case)]).unique().sort("dataset_id", "part", "question_id")


def _named(question: pl.DataFrame, rule_use_case: pl.DataFrame) -> pl.DataFrame:
    """The use cases that a benchmark names: all questions, each topic, or a draw from each topic."""
    found = []
    for rule in rule_use_case.iter_rows(named=True):
        for (dataset_id,), rows in question.filter(pl.col("benchmark") == rule["benchmark"]).group_by("dataset_id"):
            if rule["kind"] == "sample":
                rows = rows.filter(pl.col("question_id").is_in(drawn(rows, float(rule["share"]), int(rule["seed"]))))
            name = pl.lit(rule["use_case"])
            if rule["kind"] == "topic":
                rows, name = rows.drop_nulls("topic"), name + ":" + pl.col("topic")
            found.append(rows.select(
                pl.lit(dataset_id).alias("dataset_id"), part=pl.lit("use_case/") + name, use_case=name,
                question_id="question_id", is_named=pl.lit(True),
            ))  # fmt: skip
    schema = {
        "dataset_id": pl.String,
        "part": pl.String,
        "use_case": pl.String,
        "question_id": pl.String,
        "is_named": pl.Boolean,
    }
    return pl.concat(found) if found else pl.DataFrame(schema=schema)


def drawn(question: pl.DataFrame, share: float, seed: int) -> list[str]:
    """A draw of `share` of each topic: topics in sorted order, for each a fresh RandomState(seed) and choice(size,
    round(share x size), replace=False) over its rows in file order (by the source key's number)."""
    order = pl.col("source_key").str.extract(r"(\d+)$").cast(pl.Int64, strict=False)
    chosen: list[str] = []
    for _, rows in (
        question.drop_nulls("topic")
        .sort("topic", order, "source_key", nulls_last=True)
        .group_by("topic", maintain_order=True)
    ):
        places = np.random.RandomState(seed).choice(len(rows), size=round(share * len(rows)), replace=False)
        chosen += rows["question_id"][places.tolist()].to_list()
    return chosen


def coverage(prediction: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Per run and part: asked (questions with a prediction), questions, attempts (the most at one question)."""
    sizes = members.group_by("dataset_id", "part", "use_case", "is_named").agg(questions=pl.len())
    answers = prediction.group_by("run_id", "question_id").agg(attempts=pl.col("attempt").n_unique())
    return (
        answers.join(members, on="question_id")
        .group_by("run_id", "dataset_id", "part")
        .agg(asked=pl.len(), attempts=pl.col("attempts").max())
        .join(sizes, on=["dataset_id", "part"])
        .sort("run_id", "dataset_id", "part")
    )
