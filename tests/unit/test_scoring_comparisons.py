"""Comparisons: exact tests against scipy and enumeration, tails, Holm, families, and pairs known by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from perf import statistics as simulated
from pipelines.scoring import comparisons as s
from tests.unit.scoring_world import World


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=11))
def test_sign_flip_is_what_all_flips_say(differences: list[int]) -> None:
    found = np.array(
        [
            sum(f * d for f, d in zip(flip, differences, strict=True))
            for flip in product((-1, 1), repeat=len(differences))
        ]
    )
    due = (np.abs(found) >= abs(sum(differences))).mean()
    assert s.sign_flip(np.array(differences))[0] == pytest.approx(due, rel=1e-6)


def test_single_questions_are_mcnemar() -> None:
    p, method = s.sign_flip(np.array([1] * 24 + [-1] * 7 + [0] * 50))
    assert p == pytest.approx(stats.binomtest(7, 31, 0.5).pvalue, rel=1e-9)
    assert method == "exact McNemar"


def test_cases_that_go_together_count_once() -> None:
    """39 cases of two against 21: question by question p would be 0.0013."""
    p, method = s.sign_flip(np.array([2] * 39 + [-2] * 21))
    assert p == pytest.approx(stats.binomtest(21, 60, 0.5).pvalue, rel=1e-9)
    assert "by case" in method


@pytest.mark.parametrize("right", [120, 150, 190])
def test_the_tail_agrees_with_the_exact_test(right: int) -> None:
    """Threes and ones; the exact p from the convolution by hand."""
    differences = np.array([3, 1] * (right // 2) + [-3, -1] * (100 - right // 2))
    chance = {0: 1}
    for size in np.abs(differences).tolist():
        step: dict[int, int] = {}
        for total, ways in chance.items():
            for sign in (size, -size):
                step[total + sign] = step.get(total + sign, 0) + ways
        chance = step
    due = sum(w for t, w in chance.items() if abs(t) >= abs(differences.sum())) / 2**200
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    most = int(np.abs(differences).sum())
    tail = s._saddlepoint(sizes.astype(float), counts, abs(int(differences.sum())), most)
    assert tail == pytest.approx(due, rel=0.05)
    assert s.sign_flip(differences)[0] == pytest.approx(due, rel=0.05)


def test_no_p_is_zero() -> None:
    for n in (50, 3300, 100_000):
        for sizes in ([1], [1, 3]):
            assert s.sign_flip(np.array(sizes * n))[0] > 0


def test_holm_agrees_with_statsmodels() -> None:
    ps = np.random.default_rng(3).uniform(0, 0.2, 40).tolist()
    assert s.holm(ps)[0] == pytest.approx(multipletests(ps, method="holm")[1])
    inside, outside = s.holm(ps, [min(ps), 0.5])
    assert outside == [min(inside), max(max(inside), 0.5)]


def test_equal_runs_are_not_told_apart() -> None:
    """Cases of five with correlation .5: at most six in a hundred are called different, and the interval holds 0."""
    small, holds = simulated.rejected(100, 5, 0.5, 0.8, 1000)
    assert small <= 0.06
    assert holds >= 0.93


def world(*extra: tuple[str, str], questions: int = 60) -> World:
    """Runs a and b on one exam, right where their pattern (repeated) has a 1; and `extra` runs with theirs."""
    found = World()
    runs = [("a", "11101"), ("b", "10100"), *extra]
    for run_id, _ in runs:
        found.run(run_id, "kokushi_md10/test", kind="baseline" if run_id.startswith("base") else "model")
    for i in range(questions):
        found.question(f"q{i:03}", "kokushi_md10", ["A"], points=1 + i % 3, case_group=f"case {i // 2}")
        for run_id, pattern in runs:
            found.answer(run_id, f"q{i:03}", "A" if pattern[i % len(pattern)] == "1" else "B")
    return found


def compared(found: World, folder: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    item = found.results(folder, "item_score")["item_score"]
    table = s.comparison(item, found.frame("question"), found.frame("run"), found.families())
    return {(r["run_a"], r["run_b"], r["metric"]): r for r in table.iter_rows(named=True)}


def test_comparison(tmp_path: Path) -> None:
    ab = compared(world(), tmp_path)["a", "b", "accuracy"]
    assert (float(ab["difference"]), ab["n"]) == (pytest.approx(0.4), 60)
    assert 0 < ab["p"] <= ab["p_adjusted"]
    assert 0 < ab["low"] < ab["difference"] < ab["high"]


def test_copies_and_baselines_change_nothing_for_the_others(tmp_path: Path) -> None:
    alone = compared(world(("c", "01110")), tmp_path)
    more = compared(world(("c", "01110"), ("copy", "11101"), ("base", "10000")), tmp_path)
    for pair, row in alone.items():
        assert more[pair] == row
    assert more["a", "copy", "accuracy"]["p"] == 1
    assert more["b", "copy", "accuracy"]["p_adjusted"] == alone["a", "b", "accuracy"]["p_adjusted"]
    assert {r["p_adjusted"] for (a, b, _), r in more.items() if "base" in (a, b)} == {None}


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    found = world(("c", "01110"))
    item = found.results(tmp_path, "item_score")["item_score"]
    one, two = (
        s.comparison(
            rows, found.frame("question").sample(fraction=1, shuffle=True, seed=i), found.frame("run"), found.families()
        )
        for i, rows in enumerate((item, item.sample(fraction=1, shuffle=True, seed=5)))
    )
    assert one.equals(two)


def test_nothing_to_compare(tmp_path: Path) -> None:
    item = world().results(tmp_path, "item_score")["item_score"].clear()
    assert s.comparison(item, world().frame("question"), world().frame("run"), world().families()).is_empty()
    assert isinstance(
        s.comparison(item, world().frame("question"), world().frame("run"), world().families()), pl.DataFrame
    )
