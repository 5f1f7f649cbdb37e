"""Choosing questions and predicting the whole: simulated runs, and the ways out where questions are not known."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from perf.statistics import SHEET, sheet, totals_hold
from pipelines.ask.adaptive import Adaptive, Several, gains, picker
from pipelines.scoring.predicting import draws

M = SHEET


@pytest.mark.parametrize("known", [True, False])
def test_intervals_hold_in_simulation(known: bool) -> None:
    holds, width = totals_hold(30, known, papers=60)
    assert 0.8 < holds <= 1
    assert width < (0.3 if known else 0.5)


def test_answered_questions_are_as_they_are_and_credited_ones_certain() -> None:
    known, _ = sheet(key_status=["all_credit"] + ["scored"] * (M - 1))
    asked, right = np.arange(40, 80), np.tile([1.0, 0.0], 20)
    drawn = draws(known, asked, right, np.random.default_rng(2), 50)
    assert (drawn[:, asked] == right).all()
    assert (drawn[:, 0] == 1).all()
    everything = draws(known, np.arange(1, M), np.ones(M - 1), np.random.default_rng(2), 50)
    assert (everything == 1).all()


def test_points_and_uncertainty_decide_what_is_asked() -> None:
    known, hard = sheet()
    gain = gains(known, np.zeros(0, np.int64), np.zeros(0))
    assert known.worth[np.argsort(-gain)[:10]].min() == 3
    ones = known.worth == 1
    assert np.abs(hard[ones][np.argsort(-gain[ones])[:10]]).mean() < np.abs(hard[ones]).mean()
    assert gains(known, np.array([5]), np.ones(1))[5] == 0


def test_an_interrupted_choice_goes_on_and_ends_with_the_budget() -> None:
    known, _ = sheet()
    whole = Adaptive(known, known.ids, 12)
    while (question_id := whole.next()) is not None:
        whole.record(question_id, question_id < "q060")
    again = Adaptive(known, known.ids, 12)
    for question_id, right in list(whole.answers.items())[:7]:
        again.record(question_id, right)
    while (question_id := again.next()) is not None:
        again.record(question_id, question_id < "q060")
    assert again.answers == whole.answers
    assert len(whole.answers) == 12


def test_a_question_without_an_answer_is_not_asked_again() -> None:
    known, _ = sheet()
    picker = Adaptive(known, known.ids[:3], 10)
    for _ in range(3):
        question_id = picker.next()
        assert question_id is not None
        picker.record(question_id, None)
    assert picker.next() is None


@pytest.mark.parametrize("n", [12, 40, 80])
def test_unknown_questions_are_drawn_in_proportion_the_same_for_all(n: int) -> None:
    unknown, _ = sheet(known=False)
    assert not unknown.is_known
    picker = Adaptive(unknown, unknown.ids, n)
    while (question_id := picker.next()) is not None:
        picker.record(question_id, True)
    assert list(picker.answers) == unknown.drawn(with_pictures=True)[:n]
    counts = np.bincount([unknown.stratum[unknown.ids.index(q)] for q in picker.answers])
    assert np.abs(counts - n * np.bincount(unknown.stratum) / M).max() <= 1


def test_each_exam_of_a_warehouse_has_its_budget_and_says_how_it_is_spent(tmp_path: Path) -> None:
    ids = [f"q{i:03}" for i in range(40)]
    question = pl.DataFrame({
        "question_id": ids, "dataset_id": "d", "exam_id": ["b/x/1"] * 20 + ["b/x/2"] * 20, "benchmark": "b",
        "key_status": "scored", "component": "c", "topic": "t", "points": 1, "needs_image": False,
    })  # fmt: skip
    known = pl.DataFrame({
        "question_id": ids[:20], "difficulty": np.linspace(-2, 2, 20), "difficulty_se": 0.5, "discrimination": 1.0,
    })  # fmt: skip
    rules = pl.DataFrame({
        "benchmark": "b", "ruleset": "official", "weighted": True, "credits_all": True, "any_right": 0, "exact": 1,
    })  # fmt: skip
    with duckdb.connect() as con:
        for name, frame in {"question": question, "item_parameter": known, "rule_item": rules}.items():
            frame.write_parquet(tmp_path / f"{name}.parquet")
            con.execute(f"create table {name} as from '{tmp_path / name}.parquet'")
        both = picker(con, "d", ids, 5)
        assert both.left == 10
        assert "chosen by the answers" in both.notes[0]
        assert "too few runs" in both.notes[1]
        heard = []
        while (question_id := both.next()) is not None:
            heard.append(question_id)
            both.record(question_id, True)
        assert [sum(q in part for q in heard) for part in (ids[:20], ids[20:])] == [5, 5]
        assert picker(con, "d", ids[:3], 5).left == 3
        late = picker(con, "d", ids, 5)
        for question_id in ids[:8]:  # more of the first exam than its budget, by an earlier call without one
            late.record(question_id, True)
        assert late.left == 5
        assert late.next() in ids[20:]


def test_many_may_ask_at_a_time_where_no_answer_is_waited_for() -> None:
    known, _ = sheet()
    drawn, _ = sheet(known=False)
    both = Several({"known": Adaptive(known, known.ids, 4), "drawn": Adaptive(drawn, drawn.ids, 3)})
    first = [both.next() for _ in range(6)]
    assert len({q for q in first if q}) >= 3 and first[4:] == [None, None]
    assert both.pickers[0].next() is None
    assert len(both.pickers[1].under_way) == 3 and both.left == 7
    both.pickers[0].record(str(first[0]), True)
    assert both.pickers[0].next() not in (None, first[0])


@pytest.mark.parametrize(
    ("budget", "said"), [(20, "20 of 120 questions, chosen by the answers"), (60, "nothing is predicted from half")]
)
def test_it_is_said_where_a_budget_tells_nothing_of_the_whole(budget: int, said: str) -> None:
    known, _ = sheet()
    [note] = Several({"an exam": Adaptive(known, known.ids, budget)}).notes
    assert said in note
