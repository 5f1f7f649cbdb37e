"""Runs that need no model: what a score is worth is seen against them. One run per baseline and dataset.

Deterministic: the same dataset gives the same answers on every machine. A question whose number of right answers is
stated ("choose two") gets that many choices; where the benchmark does not state it, one.
Questions without choices (numbers, sequences, free text) are abstained from.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from pipelines.registry import states_how_many
from pipelines.schema import TABLES

HARNESS = "medexams baselines"
SEED = 20240501

# A strategy orders the positions of one question's choices; the first ones are chosen. None abstains.
Strategy = Callable[[str, Sequence[str], Sequence[int]], Sequence[int] | None]


def _always_first(question_id: str, texts: Sequence[str], common: Sequence[int]) -> Sequence[int]:
    return range(len(texts))


def _most_common_position(question_id: str, texts: Sequence[str], common: Sequence[int]) -> Sequence[int]:
    return [p for p in common if p < len(texts)]


def _longest_choice(question_id: str, texts: Sequence[str], common: Sequence[int]) -> Sequence[int]:
    return sorted(range(len(texts)), key=lambda p: (-len(texts[p]), p))


def _seeded_random(question_id: str, texts: Sequence[str], common: Sequence[int]) -> Sequence[int]:
    return random.Random(f"{SEED}/{question_id}").sample(range(len(texts)), len(texts))


def _abstain_always(question_id: str, texts: Sequence[str], common: Sequence[int]) -> None:
    return None


BASELINES: dict[str, tuple[Strategy, str]] = {
    "always-first": (_always_first, "Always chooses the first choice."),
    "most-common-position": (_most_common_position, "Chooses the position that is right most often in the dataset."),
    "longest-choice": (_longest_choice, "Chooses the longest choice, the first of several."),
    "seeded-random": (_seeded_random, f"Chooses at random, with seed {SEED}."),
    "abstain-always": (_abstain_always, "Never answers."),
}


def baseline_runs(
    name: str, dataset: pl.DataFrame, question: pl.DataFrame, choice: pl.DataFrame, answer_key: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The runs and predictions of one baseline over all datasets: frames of the tables run and prediction."""
    strategy, description = BASELINES[name]
    texts = {
        qid: (found["label"], found["text"])
        for (qid,), found in choice.sort("question_id", "position").group_by("question_id", maintain_order=True)
    }
    asked = _how_many(answer_key)
    runs: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    for d in dataset.iter_rows(named=True):
        run_id = _run_id(name, d)
        ids = question.filter(pl.col("dataset_id") == d["dataset_id"])["question_id"].to_list()
        right = choice.filter(pl.col("is_correct") & pl.col("question_id").is_in(ids))["position"].to_list()
        common = _by_frequency(right)
        runs.append(
            {
                "run_id": run_id,
                "model": name,
                "description": description,
                "dataset_id": d["dataset_id"],
                "modality": "text",
                "format": "mc",
                "harness": HARNESS,
                "language": d["language"],
                "created_at": d["fetched_at"],
                "kind": "baseline",
                "is_sample": d["is_sample"],
            }
        )
        for qid in ids:
            labels, shown = texts.get(qid, ((), ()))
            order = strategy(qid, list(shown), common) if len(shown) else None
            row = {"run_id": run_id, "question_id": qid, "attempt": 1, "status": "abstained"}
            if order is not None:
                many = asked.get(qid, 1) if states_how_many(d["benchmark"]) else 1
                chosen = sorted(order[:many])
                row |= {
                    "status": "answered",
                    "selection": sum(1 << p for p in chosen),
                    "labels": "-".join(labels[p] for p in chosen),
                }
            predictions.append(row)
    return TABLES["run"].frame(runs), TABLES["prediction"].frame(predictions)


def _how_many(answer_key: pl.DataFrame) -> dict[str, int]:
    """Number of choices that the first accepted answer of each question has."""
    first = answer_key.filter((pl.col("alternative") == 1) & pl.col("selection").is_not_null())
    return {qid: mask.bit_count() for qid, mask in first.select("question_id", "selection").iter_rows()}


def _by_frequency(positions: Sequence[int]) -> list[int]:
    """All positions, the most frequent first and the lower one first among equals."""
    counts = Counter(positions)
    return sorted(range(max(counts, default=-1) + 1), key=lambda p: (-counts[p], p))


def _run_id(name: str, dataset: dict[str, Any]) -> str:
    digest = hashlib.sha256(f"{name} {dataset['dataset_id']} {dataset['sha256']}".encode()).hexdigest()
    return f"{name}/{dataset['dataset_id'].replace('/', '-')}/{digest[:8]}"
