"""Copies, near copies and families of runs."""

from __future__ import annotations

import datetime
import random
from pathlib import Path

import polars as pl

from pipelines.scoring import likeness as s
from tests.unit.scoring_world import TIME, World


def world(answers: dict[str, list[str]]) -> World:
    """Runs with a chosen label for each question; the key is A."""
    found = World()
    for day, run_id in enumerate(answers):
        found.run(run_id, "kokushi_md10/test", created_at=TIME + datetime.timedelta(days=day))
    for i in range(len(next(iter(answers.values())))):
        found.question(f"q{i:03}", "kokushi_md10", ["A"])
        for run_id, chosen in answers.items():
            found.answer(run_id, f"q{i:03}", chosen[i])
    return found


def unlike(seed: int, right: float = 0.6, n: int = 120) -> list[str]:
    rng = random.Random(seed)
    return ["A" if rng.random() < right else rng.choice("BCDE") for _ in range(n)]


def changed(answers: list[str], share: float, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice("ABCDE") if rng.random() < share else a for a in answers]


def near(found: World, folder: Path) -> pl.DataFrame:
    item = found.results(folder, "item_score")["item_score"]
    return s.near_copy(found.frame("run"), found.frame("prediction"), item, found.frame("question"))


def test_the_earlier_of_two_copies_is_named() -> None:
    found = world({"second/x": unlike(1), "first/x": unlike(1), "other/x": unlike(2)})
    found.rows["run"][1]["created_at"] = TIME - datetime.timedelta(days=9)
    assert s.same_as(found.frame("run"), found.frame("prediction")) == {"second/x": "first/x"}


def test_a_copy_of_another_kind_is_none() -> None:
    found = world({"a": unlike(1), "b": unlike(1)})
    found.rows["run"][1]["kind"] = "baseline"
    assert s.same_as(found.frame("run"), found.frame("prediction")) == {}


def test_variants_of_one_run_are_near_copies_and_others_are_not(tmp_path: Path) -> None:
    base = unlike(1)
    found = world(
        {"base": base, "v1": changed(base, 0.05, 8), "v2": changed(base, 0.05, 9), "x": unlike(2), "y": unlike(3)}
    )
    pairs = near(found, tmp_path)
    assert set(pairs.select("run_a", "run_b").iter_rows()) == {("base", "v1"), ("base", "v2"), ("v1", "v2")}
    assert (pairs["p"] > 0).all()
    families = dict(
        s.run_family(found.frame("run"), found.frame("prediction"), pairs).select("run_id", "family").iter_rows()
    )
    assert families == {"base": "base", "v1": "base", "v2": "base", "x": "x", "y": "y"}


def test_few_wrong_answers_prove_nothing(tmp_path: Path) -> None:
    good = ["A"] * 117 + ["B", "C", "D"]
    assert near(world({"a": good, "b": [*good[:3], "B", *good[4:]]}), tmp_path).is_empty()


def test_copies_raise_no_suspicion(tmp_path: Path) -> None:
    """A question that one good run gets wrong is not suspicious for being delivered five times."""
    runs = {"a": ["A"] * 35 + ["B"] * 5, "b": ["A"] * 30 + ["C"] * 10, "c": ["A"] * 8 + ["D"] * 32}
    alone = world(runs).results(tmp_path, "question_difficulty")["question_difficulty"]
    more = world(runs | {f"a{i}": runs["a"] for i in range(5)}).results(tmp_path, "question_difficulty")[
        "question_difficulty"
    ]
    assert not alone["suspicious_key"].any() and not more["suspicious_key"].any()
    same = [c for c in alone.columns if c != "runs"]
    assert alone.select(same).sort("question_id").equals(more.select(same).sort("question_id"))
    assert more["families"].unique().to_list() == [3]
