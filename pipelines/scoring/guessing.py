"""What guessing earns under an exam's own rule: expected values, not the luck of one draw.

A guesser picks as many choices as the question asks for (one, where it does not say how many), each set alike, and
leaves questions without choices unanswered. The baselines of runs/baselines.py do the same, once.
"""

from __future__ import annotations

from math import comb
from typing import Any

import polars as pl

from pipelines.scoring.answers import SCORABLE


def expected(question: pl.DataFrame, answer_key: pl.DataFrame, rule_item: pl.DataFrame) -> pl.DataFrame:
    """Per question that can be scored, official rule: question_id, dataset_id, benchmark, topic, chance_right (share
    right in full), chance_points and chance_most (expected points earned and possible)."""
    rules = {r["benchmark"]: r for r in rule_item.filter(pl.col("ruleset") == "official").iter_rows(named=True)}
    keys = {
        question_id: [m for m in masks if m]
        for question_id, masks in answer_key.drop_nulls("selection")
        .sort("question_id", "alternative")
        .group_by("question_id", maintain_order=True)
        .agg("selection")
        .iter_rows()
    }
    rows = []
    for q in question.filter(SCORABLE).iter_rows(named=True):
        rule = rules[q["benchmark"]]
        right, points = _guess(keys.get(q["question_id"], []), q["n_choices"], rule)
        full = float(rule["any_right"] + rule["exact"])
        if q["key_status"] == "all_credit" and rule["credits_all"]:
            right, points = 1.0, full
        counts = right if q["key_status"] == "correct_only" else 1.0
        points = right * full if q["key_status"] == "correct_only" else points
        weight = float(q["points"]) if rule["weighted"] else 1.0
        rows.append({
            "question_id": q["question_id"], "dataset_id": q["dataset_id"], "benchmark": q["benchmark"],
            "topic": q["topic"], "chance_right": right, "chance_points": weight * points,
            "chance_most": weight * full * counts,
        })  # fmt: skip
    schema = dict.fromkeys(("question_id", "dataset_id", "benchmark", "topic"), pl.String) | dict.fromkeys(
        ("chance_right", "chance_points", "chance_most"), pl.Float64
    )
    return pl.DataFrame(rows, schema=schema, orient="row")


def _guess(masks: list[int], choices: int, rule: dict[str, Any]) -> tuple[float, float]:
    """Chance to be right in full, and expected points (unweighted) of one guess."""
    if not masks or not choices:
        return 0.0, 0.0
    picked = masks[0].bit_count() if rule["states_how_many"] else 1
    union = 0
    for mask in masks:
        union |= mask
    good, sets = union.bit_count(), comb(choices, picked)
    exact = len({m for m in masks if m.bit_count() == picked}) / sets
    hit = 1 - comb(choices - good, picked) / sets
    # several accepted answers: another accepted choice is not a wrong one, as in sql/scores/item_score.sql
    wrong = picked * (choices - good) / choices
    any_right, in_full, each_wrong, any_wrong = (
        float(rule[k]) for k in ("any_right", "exact", "each_wrong", "any_wrong")
    )
    return exact, any_right * hit + in_full * exact + each_wrong * wrong + any_wrong * (1 - exact)


def chances(guess: pl.DataFrame, members: pl.DataFrame, rule_topic: pl.DataFrame) -> pl.DataFrame:
    """Per dataset, part and metric (score_share; exam_score of the whole where subjects have weights): chance."""
    rows = members.join(guess.drop("dataset_id"), on="question_id")
    by = ["dataset_id", "part"]
    shares = rows.group_by(by).agg(chance=pl.col("chance_points").sum() / pl.col("chance_most").sum())
    subjects = rows.join(rule_topic, on=["benchmark", "topic"]).group_by(*by, "topic", "weight").agg(
        mean=pl.col("chance_points").mean()
    )  # fmt: skip
    exams = subjects.group_by(by).agg(chance=(pl.col("mean") * pl.col("weight")).sum())
    return pl.concat([
        shares.with_columns(metric=pl.lit("score_share")), exams.with_columns(metric=pl.lit("exam_score")),
    ])  # fmt: skip
