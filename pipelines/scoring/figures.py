"""The tables benchmark_score and topic_score: each run's figures by part, with interval and method, under each ruleset.

Which answers and parts there are is answers.py; how an interval is made intervals.py.
"""

from __future__ import annotations

import polars as pl

from pipelines.schema import TABLES
from pipelines.scoring.answers import WHOLE, coverage, earned, parts
from pipelines.scoring.intervals import METHOD, combined

BY_CASE = METHOD.format(strata="")
BY_WORTH = METHOD.format(strata="point values combined by MOVER; ")
BY_TOPIC = METHOD.format(strata="subjects combined by MOVER; ")
ONE = "one question: no interval"
ONE_IN_TOPIC = "a subject has one question: no interval"

_SEVERAL = pl.col("units") > 1
_RUN = ["run_id", "dataset_id", "ruleset", "part"]


def share(answers: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """score_share and its scale: points over points possible, by point value; `most` is the points possible."""
    most = answers.group_by(by).agg(most=(pl.col("w") * pl.col("most")).sum()).filter(pl.col("most") > 0)
    rows = answers.select(*by, "unit", "w", "worth", y="points", floor="least", ceiling="most")
    found = combined(rows, by, pl.col("n"), ["worth"]).join(most, on=by)
    return found.with_columns(pl.col("value", "low", "high") / pl.col("most"))


def mean(answers: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Mean points of a question that counts."""
    rows = answers.select(*by, "unit", "w", "worth", y="points", floor="least", ceiling="most")
    return combined(rows, by, pl.col("n") / pl.col("n").sum().over(by), ["worth"])


def proportion(answers: pl.DataFrame, by: list[str], what: str) -> pl.DataFrame:
    """Share of answers with `what` (a column of 0 and 1)."""
    rows = answers.select(*by, "unit", "w", y=what, floor=pl.lit(0.0), ceiling=pl.lit(1.0))
    return combined(rows, by, pl.lit(1.0))


def exam_score(answers: pl.DataFrame, rule_topic: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Mean points of each subject times the subject's questions in one paper, summed; `missing` names absent subjects.

    `by` holds no part but the whole. Only for benchmarks with weights in rule_topic.
    """
    weighed = answers.join(rule_topic, on=["benchmark", "topic"])
    benchmark = answers.select(*by, "benchmark").unique()
    there = weighed.select(*by, "topic").unique()
    missing = (
        benchmark.join(rule_topic, on="benchmark")
        .join(there.with_columns(has=pl.lit(True)), on=[*by, "topic"], how="left")
        .group_by(by)
        .agg(missing=pl.col("topic").filter(pl.col("has").is_null()).sort().str.join(", "))
    )
    rows = weighed.select(*by, "unit", "w", "topic", "weight", "worth", y="points", floor="least", ceiling="most")
    part_of_topic = pl.col("n") / pl.col("n").sum().over(*by, "topic")
    found = combined(rows, by, pl.col("weight") * part_of_topic, ["topic", "weight", "worth"])
    return missing.join(found, on=by, how="left")


def guarded(frame: pl.DataFrame, method: str, enough: pl.Expr = _SEVERAL, few: str = ONE) -> pl.DataFrame:
    """low, high and method of frames of intervals.combined: none where there are too few cases."""
    return frame.with_columns(
        low=pl.when(enough).then(pl.min_horizontal("low", "value")),
        high=pl.when(enough).then(pl.max_horizontal("high", "value")),
        method=pl.when(enough).then(pl.lit(method)).otherwise(pl.lit(few)),
    )


def topic_score(
    item_score: pl.DataFrame, question: pl.DataFrame, prediction: pl.DataFrame, rule_item: pl.DataFrame
) -> pl.DataFrame:
    """The table topic_score: mean points and accuracy of each run by subject."""
    by = ["run_id", "ruleset", "topic"]
    answers = earned(item_score, question, prediction, rule_item).drop_nulls("topic")
    right = answers.group_by(by).agg(accuracy=(pl.col("w") * pl.col("right")).sum() / pl.col("w").sum())
    found = guarded(mean(answers, by), BY_WORTH).join(right, on=by).rename({"value": "score"})
    return typed("topic_score", found.sort(by))


def benchmark_score(
    item_score: pl.DataFrame,
    prediction: pl.DataFrame,
    question: pl.DataFrame,
    rule_item: pl.DataFrame,
    rule_topic: pl.DataFrame,
    rule_use_case: pl.DataFrame,
) -> pl.DataFrame:
    """The table benchmark_score. A metric that can't be given has a null value and its reason in `method`.

    A use case that the benchmark names has figures only where each of its questions was answered.
    """
    members = parts(question, rule_use_case)
    asked = coverage(prediction, members).filter(pl.col("use_case").is_not_null())
    kept = asked.filter(~pl.col("is_named") | (pl.col("asked") == pl.col("questions")))
    answers = earned(item_score, question, prediction, rule_item)
    rows = answers.join(members, on=["dataset_id", "question_id"]).join(
        kept.select("run_id", "dataset_id", "part"), on=["run_id", "dataset_id", "part"]
    )
    shares = share(rows, _RUN)
    points = shares.with_columns(pl.col("value", "low", "high") * pl.col("most"))
    answered = rows.filter(pl.col("answered") > 0)
    found = [
        guarded(shares, BY_WORTH).with_columns(metric=pl.lit("score_share")),
        guarded(points, BY_WORTH).with_columns(metric=pl.lit("score")),
        guarded(proportion(rows, _RUN, "right"), BY_CASE).with_columns(metric=pl.lit("accuracy")),
        guarded(proportion(rows, _RUN, "answered"), BY_CASE).with_columns(metric=pl.lit("answered_share")),
        guarded(proportion(answered, _RUN, "right"), BY_CASE).with_columns(metric=pl.lit("accuracy_answered")),
        _silent(rows, answered),
        exam(rows.filter(pl.col("part") == WHOLE), rule_topic, _RUN),
    ]
    names = members.select("dataset_id", "part", "use_case").unique()
    of = question.select("dataset_id", "benchmark").unique()
    table = pl.concat(found, how="diagonal_relaxed").join(names, on=["dataset_id", "part"]).join(of, on="dataset_id")
    return typed("benchmark_score", table.sort("run_id", "ruleset", "use_case", "metric"))


def _silent(rows: pl.DataFrame, answered: pl.DataFrame) -> pl.DataFrame:
    """Runs that answered nothing of a part: their accuracy_answered has no value."""
    return (
        rows.select(_RUN)
        .unique()
        .join(answered.select(_RUN).unique(), on=_RUN, how="anti")
        .with_columns(metric=pl.lit("accuracy_answered"), n=0.0, method=pl.lit("no value: no question was answered"))
    )


def exam(rows: pl.DataFrame, rule_topic: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """exam_score with its interval and method; null where subjects are missing, no interval where one has one."""
    weighed = rows.filter(pl.col("benchmark").is_in(rule_topic["benchmark"].unique().to_list()))
    found = guarded(exam_score(weighed, rule_topic, by), BY_TOPIC, pl.col("fewest") > 1, ONE_IN_TOPIC)
    whole = pl.col("missing") == ""
    return found.with_columns(
        pl.when(whole).then(pl.col("value", "low", "high")),
        metric=pl.lit("exam_score"),
        n=pl.col("n").fill_null(0.0),
        method=pl.when(whole)
        .then("method")
        .otherwise(pl.lit("no value: no question of ") + pl.col("missing") + " counts"),
    )


def typed(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with exactly the table's columns and types; absent ones are null."""
    schema = TABLES[name].polars_schema()
    whole = [c for c, t in schema.items() if t.is_integer() and c in frame.columns]
    frame = frame.with_columns(pl.col(whole).round(0))
    absent = [pl.lit(None).alias(c) for c in schema if c not in frame.columns]
    floats = [c for c, t in schema.items() if isinstance(t, pl.Decimal) and frame.schema.get(c) == pl.Float64]
    frame = frame.with_columns(absent).with_columns(pl.col(floats).round(6))
    return frame.select(pl.col(c).cast(t) for c, t in schema.items())
