"""item_parameter: simulated questions are found again with standard errors that hold; who has a voice."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from perf.statistics import parameters_hold
from pipelines.schema import TABLES
from pipelines.scoring.items import calibrate, item_parameter


@pytest.mark.parametrize(("voices", "spread", "papers"), [(2, 0.0, 6), (4, 0.0, 6), (40, 0.4, 2)])
def test_standard_errors_hold(voices: int, spread: float, papers: int) -> None:
    held = parameters_hold(voices, spread, papers)
    assert 0.9 < held["difficulty"] < 0.985
    assert not spread or 0.9 < held["discrimination"] < 0.985


def test_discriminations_are_told_apart_only_where_the_data_do() -> None:
    rng = np.random.default_rng(7)
    ability, difficulty = rng.normal(0, 1.5, (40, 1)), rng.normal(0, 1.2, 300)
    for spread, model in ((0.0, "1PL"), (0.6, "2PL")):
        slope = np.exp(rng.normal(0, spread, 300))
        right = (rng.random((40, 300)) < 1 / (1 + np.exp(-slope * (ability - difficulty)))).astype(float)
        assert calibrate(right, np.full(300, np.nan)).model == model


def test_the_examinees_share_informs_where_runs_are_few() -> None:
    people = np.linspace(0.3, 0.99, 200)
    rng = np.random.default_rng(8)
    hard = -np.log(people / (1 - people))
    right = (rng.random((2, 200)) < 1 / (1 + np.exp(hard - hard.mean()))).astype(float)
    with_people, without = (calibrate(right, p).difficulty for p in (people, np.full(200, np.nan)))
    assert np.corrcoef(with_people, hard)[0, 1] > 0.9 > np.corrcoef(without, hard)[0, 1]


QUESTIONS = [f"q{i:03}" for i in range(60)]


def world(runs: dict[str, tuple[str, str]], removed: str = "") -> tuple[pl.DataFrame, ...]:
    """item_score, question, run and run_family of `runs` (kind, family); answers are drawn by the family's name."""
    scores = []
    for run_id, (_, family) in runs.items():
        right = np.random.default_rng([ord(c) for c in family]).random(len(QUESTIONS)) < 0.7
        scores += [
            {"run_id": run_id, "question_id": q, "attempt": 1, "ruleset": "official", "is_correct": bool(r)}
            for q, r in zip(QUESTIONS, right, strict=True)
        ]
    question: list[dict[str, object]] = [
        {"question_id": q, "dataset_id": "d", "key_status": "removed" if q == removed else "scored"} for q in QUESTIONS
    ]
    return (
        TABLES["item_score"].frame(scores),
        TABLES["question"].frame(question),
        TABLES["run"].frame([{"run_id": r, "dataset_id": "d", "kind": kind} for r, (kind, _) in runs.items()]),
        TABLES["run_family"].frame([{"run_id": r, "family": family} for r, (_, family) in runs.items()]),
    )


def test_families_have_one_voice_and_only_models_have_one() -> None:
    two = {"a": ("model", "a"), "b": ("model", "b")}
    more = two | {"copy": ("model", "b"), "people": ("human", "p"), "guess": ("baseline", "g")}
    plain, with_more = item_parameter(*world(two)), item_parameter(*world(more))
    assert plain["difficulty"].to_list() == pytest.approx(with_more["difficulty"].to_list())
    assert (plain["n_runs"].unique().item(), with_more["n_runs"].unique().item()) == (2, 3)
    assert with_more["n_families"].unique().item() == 2
    assert with_more["fit"].null_count() == len(with_more)


def test_attempts_are_averaged() -> None:
    score, *rest = world({"a": ("model", "a"), "b": ("model", "b")})
    twice = pl.concat([score, score.with_columns(attempt=pl.lit(2, pl.Int32))])
    assert item_parameter(twice, *rest).equals(item_parameter(score, *rest))


def test_one_family_says_nothing_and_removed_questions_neither() -> None:
    assert item_parameter(*world({"a": ("model", "a"), "copy": ("model", "a")})).is_empty()
    found = item_parameter(*world({"a": ("model", "a"), "b": ("model", "b")}, removed="q007"))
    assert set(QUESTIONS) - set(found["question_id"]) == {"q007"}


def test_a_question_that_strong_runs_fail_does_not_fit() -> None:
    rng = np.random.default_rng(9)
    ability, difficulty = np.linspace(-2, 2, 30)[:, None], rng.normal(0, 1, 100)
    right = (rng.random((30, 100)) < 1 / (1 + np.exp(difficulty - ability))).astype(float)
    right[:, 0] = ability[:, 0] < 0
    assert calibrate(right, np.full(100, np.nan)).fit.argmax() == 0


def test_a_run_that_was_asked_little_has_no_voice() -> None:
    score, *rest = world({"a": ("model", "a"), "b": ("model", "b"), "part": ("model", "c")})
    some = pl.col("question_id").is_in(QUESTIONS[:20])
    found = item_parameter(score.filter((pl.col("run_id") != "part") | some), *rest)
    assert found["n_runs"].unique().to_list() == [2]
    assert item_parameter(score, *rest)["n_runs"].unique().to_list() == [3]
