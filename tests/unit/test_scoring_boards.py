"""Leaderboards: ranks only among equals, copies count once, coverage, chance, examinees, parts."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.scoring import boards as s
from pipelines.scoring.rulebook import tables
from tests.unit.scoring_world import World

Patterns = dict[str, str]


def exam(patterns: Patterns, benchmark: str = "kokushi_md10", **question: Any) -> World:
    """Runs on one paper: 1 right, 0 wrong, - not asked, by question."""
    world = World()
    world.exam("医師", 2020)
    for run_id in patterns:
        world.run(run_id, f"{benchmark}/test", model=run_id.split("/")[0])
    for i in range(len(next(iter(patterns.values())))):
        extra = {k: v(i) if callable(v) else v for k, v in question.items()}
        world.question(f"q{i:03}", benchmark, ["A"], **extra)
        for run_id, pattern in patterns.items():
            if pattern[i] != "-":
                world.answer(run_id, f"q{i:03}", "A" if pattern[i] == "1" else "B")
    return world


def board(world: World, folder: Path, table: Any = s.leaderboard, shuffle: int | None = None) -> pl.DataFrame:
    item = world.results(folder, "item_score")["item_score"]
    rules = tables(world.rules)
    frames = [
        item, world.frame("prediction"), world.frame("question"), world.frame("answer_key"), world.frame("run"),
        world.families(), rules["rule_item"], rules["rule_topic"], rules["rule_use_case"],
    ]  # fmt: skip
    if shuffle is not None:
        frames = [f.sample(fraction=1, shuffle=True, seed=shuffle) for f in frames]
    return table(*frames)


def rows(frame: pl.DataFrame) -> dict[str, dict[str, Any]]:
    return {r["run_id"]: r for r in frame.iter_rows(named=True)}


def test_a_run_of_a_part_has_no_rank_and_the_note_says_why(tmp_path: Path) -> None:
    found = rows(board(exam({"whole": "1" * 15 + "0" * 6, "one": "1" + "-" * 20}), tmp_path))
    assert (found["whole"]["rank"], found["whole"]["coverage"], found["whole"]["note"]) == (1, 1, None)
    one = found["one"]
    assert (one["rank"], one["rank_low"], one["rank_high"]) == (None, None, None)
    assert (one["asked"], one["questions"]) == (1, 21)
    assert "1 of 21" in one["note"]


def test_a_copy_changes_nothing_for_the_others(tmp_path: Path) -> None:
    patterns = {"a": "1" * 30 + "0" * 10, "b": "1" * 12 + "0" * 28, "c": "0" * 40}
    alone = rows(board(exam(patterns), tmp_path))
    more = rows(board(exam(patterns | {"a2": patterns["a"], "a3": patterns["a"]}), tmp_path))
    assert {r: more[r] for r in alone} == alone
    for copy in ("a2", "a3"):
        assert more[copy]["same_as"] == "a" and "a" in more[copy]["note"]
        assert all(more[copy][k] == alone["a"][k] for k in ("score", "low", "high", "rank", "rank_low", "rank_high"))


def test_ranks_and_their_intervals(tmp_path: Path) -> None:
    found = rows(board(exam({"a": "1" * 38 + "00", "b": "1" * 37 + "000", "c": "1" * 8 + "0" * 32}), tmp_path))
    assert [(found[r]["rank"], found[r]["rank_low"], found[r]["rank_high"]) for r in "abc"] == [
        (1, 1, 2),
        (2, 1, 2),
        (3, 3, 3),
    ]


def test_ties_share_the_better_rank(tmp_path: Path) -> None:
    found = rows(board(exam({"a": "1100", "b": "0011", "c": "1000"}), tmp_path))
    assert [found[r]["rank"] for r in "abc"] == [1, 1, 3]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_right_answer_more_never_lowers_score_low_or_rank(tmp_path: Path, data: st.DataObject) -> None:
    pattern = st.text("01", min_size=20, max_size=20)
    patterns = {r: data.draw(pattern) for r in "abc"}
    i = data.draw(st.integers(0, 19))
    better = patterns | {"a": patterns["a"][:i] + "1" + patterns["a"][i + 1 :]}
    cases: dict[str, Any] = {"points": lambda n: 1 + 2 * (n // 15), "case_group": lambda n: f"case {n // 2}"}
    before, after = (rows(board(exam(p, **cases), tmp_path))["a"] for p in (patterns, better))
    assert after["score"] >= before["score"] and after["low"] >= before["low"]
    assert after["rank"] <= before["rank"]


@pytest.mark.parametrize("table", [s.leaderboard, s.leaderboard_part])
def test_the_order_of_rows_changes_nothing(tmp_path: Path, table: Any) -> None:
    world = exam({"a": "1101" * 6, "b": "1000" * 6, "c": "01--" * 6}, exam_id="kokushi_md10/医師/2020")
    assert board(world, tmp_path, table).equals(board(world, tmp_path, table, shuffle=7))


def test_chance_is_exact(tmp_path: Path) -> None:
    """One of five: .2; two of five named by the question: one set in ten; 60 x (1.5 x .2 - .4 x .8) points."""
    found = rows(board(exam({"a": "1" * 10}), tmp_path))
    assert found["a"]["chance"] == Decimal("0.2")
    world = World()
    world.run("a", "kokushi_md10/test")
    for i in range(4):
        world.question(f"q{i}", "kokushi_md10", ["AB"], answer_type="multiple")
        world.answer("a", f"q{i}", "AB")
    assert rows(board(world, tmp_path))["a"]["chance"] == Decimal("0.1")
    topics = ("biology", "chemistry", "maths_physics", "world_knowledge", "logic")
    world = exam({"a": "1" * 10}, "medschool", topic=lambda i: topics[i % 5], points="1.5")
    row = rows(board(world, tmp_path))["a"]
    assert (row["metric"], row["chance"], row["score"]) == ("exam_score", Decimal("-1.2"), 90)


def test_examinees_are_compared_on_their_questions_alone(tmp_path: Path) -> None:
    known = exam({"a": "1100000000"}, human_accuracy=lambda i: 80 if i < 4 else None)
    row = rows(board(known, tmp_path))["a"]
    assert (row["examinees"], row["examinees_questions"]) == (Decimal("0.8"), 4)
    assert (row["accuracy"], row["examinees_accuracy"]) == (Decimal("0.2"), Decimal("0.5"))


def test_attempts_are_counted_and_averaged(tmp_path: Path) -> None:
    world = exam({"a": "1" * 12 + "0" * 8})
    for i in range(20):
        world.answer("a", f"q{i:03}", "A" if i < 16 else "B", attempt=2)
    row = rows(board(world, tmp_path))["a"]
    assert (row["attempts"], row["score"], row["asked"]) == (2, Decimal("0.7"), 20)


def test_parts_rank_those_that_are_whole_in_them(tmp_path: Path) -> None:
    world = exam(
        {"a": "1" * 12 + "0" * 8, "b": "1" * 6 + "0" * 4 + "-" * 10},
        exam_id=lambda i: f"kokushi_md10/医師/{2020 + i // 10}",
        needs_image=lambda i: i >= 10,
    )
    found = {(r["part"], r["run_id"]): r for r in board(world, tmp_path, s.leaderboard_part).iter_rows(named=True)}
    assert (found["exam/医師/2020", "a"]["rank"], found["exam/医師/2020", "b"]["rank"]) == (1, 2)
    assert (found["text_only", "b"]["rank"], found["text_only", "b"]["coverage"]) == (2, 1)
    assert found["profession/医師", "b"]["rank"] is None and "10 of 20" in found["profession/医師", "b"]["note"]
    assert ("year/2021", "b") not in found


def test_a_missing_subject_has_no_score_and_no_other_metric(tmp_path: Path) -> None:
    world = exam(
        {"a": "1" * 10, "b": "1" * 5 + "-" * 5},
        "medschool",
        topic=lambda i: "biology" if i < 5 else "logic",
        points="1.5",
    )
    found = rows(board(world, tmp_path))
    assert {r["metric"] for r in found.values()} == {"exam_score"}
    assert found["b"]["score"] is None and "logic" in found["b"]["note"]
