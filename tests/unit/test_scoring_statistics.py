"""Intervals, comparisons and ranks: against scipy, against simulations of known coverage, and figures known by hand."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipelines.scoring import statistics as s
from tests.unit.scoring_world import World

TOPICS = {"biology": 0, "chemistry": 1, "maths_physics": 2, "world_knowledge": 3, "logic": 4}


def test_wilson_agrees_with_scipy() -> None:
    for k, n in ((0, 5), (3, 7), (40, 60), (60, 60), (999, 1000)):
        wanted = stats.binomtest(k, n).proportion_ci(0.95, "wilson")
        low, high = s.wilson(k, n)
        assert (float(low), float(high)) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_bootstrap_agrees_with_scipy() -> None:
    """The same percentile interval as scipy's, within the noise of the resamples."""
    rng = np.random.default_rng(7)
    points, most = (
        rng.integers(0, 2, (200, 1)) * np.repeat([[1], [3]], 100, axis=0),
        np.repeat([[1.0], [3.0]], 100, axis=0),
    )
    mine = np.vstack([(w @ points) / (w @ most) for w in s.resamples(np.zeros(200, dtype=np.int64), 20_000, rng)])
    low, high = s.percentile(mine)
    wanted = stats.bootstrap(
        (points[:, 0], most[:, 0]), lambda a, b, axis=-1: a.sum(axis) / b.sum(axis), paired=True, n_resamples=20_000,
        method="percentile", rng=np.random.default_rng(8), vectorized=True,
    ).confidence_interval  # fmt: skip
    assert (low[0], high[0]) == pytest.approx((wanted.low, wanted.high), abs=0.004)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.85])
def test_intervals_cover_what_they_promise(share: float) -> None:
    """2,000 simulated exams of 60 questions: 95 % intervals hold the truth 93 to 97 times in a hundred."""
    rng = np.random.default_rng(20240601)
    exams, questions = 2000, 60
    weights = np.tile([1.0, 1.0, 3.0], 20)[:, None]
    right = rng.random((questions, exams)) < share
    low, high = s.wilson(right.sum(axis=0), float(questions))
    covered = ((low <= share) & (share <= high)).mean()
    assert 0.93 <= covered <= 0.97

    # points: each simulated exam draws its questions, the truth is the share over all such questions
    kinds = rng.integers(0, questions, (questions, exams))
    most = weights[kinds, 0]
    earned = np.where(right, most, 0.0)
    inside = 0
    for start in range(0, exams, 500):
        part = slice(start, start + 500)
        drawn = s.resamples(np.zeros(questions, dtype=np.int64), 1000, rng)
        draws = np.vstack([(w @ earned[:, part]) / (w @ most[:, part]) for w in drawn])
        low, high = s.percentile(draws, s.expanded_level(questions))
        inside += int(((low <= share) & (share <= high)).sum())
    assert 0.93 <= inside / exams <= 0.97


def test_resamples_stay_within_strata_and_are_seeded() -> None:
    strata = np.array([0, 0, 0, 1, 1, 2])
    one = np.vstack(list(s.resamples(strata, 300, np.random.default_rng(1))))
    two = np.vstack(list(s.resamples(strata, 300, np.random.default_rng(1))))
    assert (one == two).all()
    assert (one[:, :3].sum(axis=1) == 3).all() and (one[:, 3:5].sum(axis=1) == 2).all() and (one[:, 5] == 1).all()


def medschool(right: dict[str, int], wrong: dict[str, int], asked: dict[str, int]) -> World:
    """A run with so many right and wrong answers by subject, of so many questions."""
    world = World()
    world.run("r", "medschool/test")
    for topic, n in asked.items():
        for i in range(n):
            qid = world.question(f"{topic}{i}", "medschool", ["A"], points="1.5", topic=topic)
            chosen = "A" if i < right.get(topic, 0) else "B" if i < right.get(topic, 0) + wrong.get(topic, 0) else ""
            world.answer("r", qid, chosen)
    return world


def figures(world: World, folder: Path) -> dict[tuple[str, str], dict[str, object]]:
    item = world.results(folder, "item_score")["item_score"]
    scores = s.benchmark_score(item, world.frame("prediction"), world.frame("question"))
    return {(r["use_case"], r["metric"]): r for r in scores.iter_rows(named=True)}


def test_exam_score_of_known_subject_means() -> None:
    """1.0571, 0.7598, 0.4302, 1.0518 and 0.2005 are an exam score of 46.51."""
    means = np.array([1.0571, 0.7598, 0.4302, 1.0518, 0.2005])
    question = pl.DataFrame({"topic": list(TOPICS), "question_id": list(TOPICS), "case_group": [None] * 5})
    ones = np.ones((5, 1))
    block = s.Block("medschool", "d", ["r"], question, means[:, None] * 1000, ones * 1500, ones, ones, ones, ones)
    weights = {"biology": 23, "chemistry": 15, "maths_physics": 13, "world_knowledge": 4, "logic": 5}
    assert round(float(s.exam_score(block, weights)[0]), 2) == 46.51


@pytest.mark.parametrize(("right", "wrong", "score"), [(3, 0, 90), (0, 3, -24), (0, 0, 0)])
def test_exam_score_at_its_ends(tmp_path: Path, right: int, wrong: int, score: int) -> None:
    world = medschool(dict.fromkeys(TOPICS, right), dict.fromkeys(TOPICS, wrong), dict.fromkeys(TOPICS, 3))
    row = figures(world, tmp_path)["all", "exam_score"]
    assert (row["value"], row["low"], row["high"]) == (score, score, score)


def test_a_missing_subject_has_no_exam_score(tmp_path: Path) -> None:
    world = medschool({"biology": 3}, {}, {"biology": 5, "chemistry": 5})
    found = figures(world, tmp_path)
    assert found["all", "exam_score"]["value"] is None
    assert "logic" in str(found["all", "exam_score"]["method"])
    assert found["all", "accuracy"]["value"] == Decimal("0.300000")
    item = world.results(tmp_path, "item_score")["item_score"]
    prediction, question, run = (world.frame(n) for n in ("prediction", "question", "run"))
    board = s.leaderboard(item, prediction, question, run, s.benchmark_score(item, prediction, question))
    assert board.select("rank", "metric").row(0) == (None, "score_share")


def test_every_share_has_an_interval(tmp_path: Path) -> None:
    """Also where all is right, all is wrong, or there is one question."""
    for right in (0, 1):
        world = World()
        world.run("r", "kokushi_md10/test")
        world.question("q", "kokushi_md10", ["A"], exam_id="kokushi_md10/医師/2020")
        world.answer("r", "q", "A" if right else "B")
        found = figures(world, tmp_path)
        assert {"type:single", "profession:医師", "year:2020", "modality:text_only", "all"} == {u for u, _ in found}
        for row in found.values():
            assert row["low"] is not None and row["high"] is not None and row["method"]
            assert row["low"] <= row["value"] <= row["high"]  # type: ignore[operator]
            assert row["low"] < row["high"]  # type: ignore[operator]


def test_beta_is_the_notebooks_sample() -> None:
    """pandas' sample(frac=0.5, random_state=42) takes RandomState(42).choice of a specialty's rows in file order."""
    rows = [
        {"question_id": f"q{i}", "source_key": str(i), "topic": "derma" if i % 3 else "neuro"} for i in range(1, 40)
    ]
    question = pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=3)
    wanted = set()
    for topic in ("derma", "neuro"):
        ids = [r["question_id"] for r in rows if r["topic"] == topic]
        wanted |= {ids[i] for i in np.random.RandomState(42).choice(len(ids), round(0.5 * len(ids)), replace=False)}
    assert s.beta_questions(question) == wanted


def test_named_use_cases_need_all_their_questions(tmp_path: Path) -> None:
    world = World()
    for run_id in ("whole", "part"):
        world.run(run_id, "cognet_md/test")
    for i in range(8):
        qid = world.question(f"q{i}", "cognet_md", ["A"], topic="derma" if i < 4 else "neuro", answer_type="multiple")
        world.answer("whole", qid, "A")
        if i < 4:
            world.answer("part", qid, "A")
    item = world.results(tmp_path, "item_score")["item_score"]
    found = s.benchmark_score(item, world.frame("prediction"), world.frame("question"))
    cases = {r: set(rows["use_case"]) for (r,), rows in found.group_by("run_id")}
    assert cases == {
        "whole": {"all", "specialty:derma", "specialty:neuro", "beta", "production"},
        "part": {"all", "specialty:derma"},
    }
    assert set(found.filter((pl.col("run_id") == "whole") & (pl.col("use_case") == "beta"))["n"]) == {4}


def versus(tmp_path: Path, a: str, b: str, questions: int = 60) -> tuple[World, pl.DataFrame]:
    """Two runs on one exam, right where their pattern (repeated) has a 1; a third equals the first."""
    world = World()
    for run_id in ("a", "b", "c"):
        world.run(run_id, "kokushi_md10/test")
    for i in range(questions):
        world.question(f"q{i:03}", "kokushi_md10", ["A"], points=1 + i % 3, case_group=f"case {i // 2}")
        for run_id, pattern in (("a", a), ("b", b), ("c", a)):
            world.answer(run_id, f"q{i:03}", "A" if pattern[i % len(pattern)] == "1" else "B")
    return world, world.results(tmp_path, "item_score")["item_score"]


def test_comparison(tmp_path: Path) -> None:
    world, item = versus(tmp_path, "11101", "10100")
    found = s.comparison(item, world.frame("question"))
    rows = {(r["run_a"], r["run_b"], r["metric"]): r for r in found.iter_rows(named=True)}
    assert len(rows) == 6
    ab, ac = rows["a", "b", "accuracy"], rows["a", "c", "accuracy"]
    assert (ab["difference"], ab["n"]) == (Decimal("0.400000"), 60)
    assert float(ab["p"]) == pytest.approx(stats.binomtest(0, 24, 0.5).pvalue, abs=1e-6)
    assert float(ab["p_adjusted"]) == pytest.approx(float(ab["p"]) * 3, abs=2e-6)
    assert 0 < ab["low"] < Decimal("0.4") < ab["high"]
    assert (ac["difference"], ac["p"], ac["p_adjusted"]) == (0, 1, 1)
    assert float(rows["a", "b", "score_share"]["p"]) < 0.01
    assert found.equals(s.comparison(item, world.frame("question")))


def test_permutation_agrees_with_scipy() -> None:
    differences = np.random.default_rng(5).normal(0.35, 1, (25, 1))
    mine = s.permutation(differences, 20_000, np.random.default_rng(6))
    wanted = stats.permutation_test(
        (differences[:, 0],), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=20_000,
        vectorized=True, rng=np.random.default_rng(9),
    )  # fmt: skip
    assert mine[0] == pytest.approx(wanted.pvalue, abs=0.02)


def test_ranks(tmp_path: Path) -> None:
    world, item = versus(tmp_path, "11101", "10100")
    world.rows["run"][1]["kind"] = "human"
    prediction, question = world.frame("prediction"), world.frame("question")
    scores = s.benchmark_score(item, prediction, question)
    board = s.leaderboard(item, prediction, question, world.frame("run"), scores)
    assert board.select("run_id", "rank", "rank_low", "rank_high").rows() == [
        ("a", 1, 1, 1),
        ("c", 1, 1, 1),
        ("b", 3, 3, 3),
    ]
    assert board.filter(pl.col("run_id") == "b")["kind"].item() == "human"
    assert board.filter(pl.col("run_id") == "a")["answered"].item() == 60


def test_chance_of_passing(tmp_path: Path) -> None:
    """保健: all right passes surely, far below never, on the line about half of the time."""
    from tests.unit.test_scoring_exams import answer, lose, sit

    world = World()
    rows = sit(world, "保健", 2021)
    for run_id, lost in (("perfect", 0), ("line", 56), ("far", 110)):
        world.run(run_id, "kokushi_md10/test")
        answer(world, run_id, rows, lose(rows, lost, []))
    tables = world.results(tmp_path, "item_score", "exam_part", "exam_result")
    rules = s.rulebook()
    from pipelines.scoring.rulebook import tables as rule_tables

    found = s.pass_chance(
        tables["item_score"], world.frame("question"), tables["exam_part"], tables["exam_result"],
        rule_tables(rules)["rule_component"],
    )  # fmt: skip
    chance = {r["run_id"]: float(r["chance"]) for r in found.iter_rows(named=True)}
    assert (chance["perfect"], chance["far"]) == (1, 0)
    assert 0.35 < chance["line"] < 0.7


def test_topic_score(tmp_path: Path) -> None:
    world = medschool({"biology": 2}, {"biology": 1}, {"biology": 4})
    found = s.topic_score(world.results(tmp_path, "item_score")["item_score"], world.frame("question"))
    assert found.select("ruleset", "topic", "score", "accuracy", "n").rows() == [
        (ruleset, "biology", Decimal("0.650000"), Decimal("0.500000"), 4) for ruleset in ("official", "published")
    ]
    assert found.filter((pl.col("low") <= pl.col("score")) & (pl.col("score") <= pl.col("high"))).height == 2
