"""`make bench` ends with 1 where a ratio misses its goal, whichever it is."""

from __future__ import annotations

import pytest

import perf.__main__ as suite
from perf import answers, goals, runs, scoring


@pytest.mark.parametrize(("ratio", "bad"), [(4.9, True), (5.0, False)])
def test_a_ratio_below_its_goal_is_missed(ratio: float, bad: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert goals.missed("a thing", ratio, at_least=5) is bad
    assert ("MISSED" in capsys.readouterr().out) is bad


@pytest.mark.parametrize(
    ("loop", "scan", "code"), [(0.0, 1e9, 0), (1e9, 1e9, 1), (0.0, 0.0, 1)], ids=["met", "loop missed", "scan missed"]
)
def test_scoring_fails_on_either_ratio(loop: float, scan: float, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "TIMES_LOOP", loop)
    monkeypatch.setattr(scoring, "TIMES_SCAN", scan)
    assert scoring.main(4_000) == code


def test_answers_and_runs_fail_where_they_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ROWS", 2_000)
    monkeypatch.setattr(answers, "seconds", lambda *_: [1.0, 1.0])
    assert answers.main() == 1
    monkeypatch.setattr(answers, "seconds", lambda *_: [10.0, 1.0])
    assert answers.main() == 0
    monkeypatch.setattr(runs, "ratio", lambda _: (1.0, 2.0, 0.5))
    monkeypatch.setattr(runs, "short_lines", lambda _: b'{"a": 1}')
    monkeypatch.setattr(runs, "long_lines", lambda _: b'{"a": 1}')
    assert runs.main() == 1


def test_the_suite_counts_what_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "main", lambda: 1)
    monkeypatch.setattr(runs, "main", lambda: 0)
    assert "goals" not in suite.NAMES
    assert suite.main(["scoring", "runs"]) == 1


def test_ways_that_do_not_agree_end_the_run() -> None:
    goals.must_agree("a thing", True)
    with pytest.raises(SystemExit, match="do not agree"):
        goals.must_agree("a thing", False)
