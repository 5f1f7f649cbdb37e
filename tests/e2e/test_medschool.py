"""Medschool-Test the whole way over HTTP, with every fault that the upstream can show."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Command, rows

MUR, RELEASED = "starts_with(dataset_id, 'medschool/mur')", "dataset_id = 'medschool/room-b007'"
SUBJECTS = {
    MUR: {"biology": 1190, "chemistry": 1015, "maths_physics": 770, "world_knowledge": 245, "logic": 280},
    RELEASED: {"biology": 1180, "chemistry": 1009, "maths_physics": 655, "world_knowledge": 245, "logic": 212},
}


@pytest.fixture(scope="module")
def refreshed(medexams: Command, upstream: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after one whole refresh of both Medschool sources."""
    data: Path = tmp_path_factory.mktemp("medschool")
    with upstream() as up:
        done = medexams("refresh", "--only", "medschool", data=data, env=up.medschool)
    assert done.code == 0, done.err
    return data


def test_counts(refreshed: Path) -> None:
    for where, subjects in SUBJECTS.items():
        assert dict(rows(refreshed, f"select topic, count(*) from question where {where} group by 1")) == subjects
    odd = "select 1 from choice group by question_id having count(*) <> 5 or sum(is_correct::int) <> 1"
    assert rows(refreshed, odd) == []


def test_lost_text_stands_on_the_released_rows_alone(refreshed: Path) -> None:
    sql = "select count(*) from question_flag join question using (question_id) where flag = 'lost_markup' and "
    assert rows(refreshed, sql + RELEASED)[0][0] >= 40
    assert rows(refreshed, sql + MUR) == [(0,)]
    # Each lost row says less than its partner in the bank, and what is missing began with a '<'.
    pairs = """
        with whole as (
            select question_id, stem || string_agg(text, '' order by text) as text
            from question join choice using (question_id) group by question_id, stem
        )
        select length(a.text) < length(b.text), contains(b.text, '<') from question_link
        join whole a on a.question_id = from_question join whole b on b.question_id = to_question
        where kind = 'lost_markup'"""
    assert set(rows(refreshed, pairs)) == {(True, True)}


def test_links_and_key_changes(refreshed: Path) -> None:
    assert rows(refreshed, "select count(*) from question_link where kind = 'exact'")[0][0] >= 3225
    sql = """select distinct source_key from answer_key_change c
             join question q on q.fingerprint = c.fingerprint and q.dataset_id = c.from_dataset"""
    assert {key for (key,) in rows(refreshed, sql)} == {"395", "662", "3190", "3229", "3284"}


def test_baselines(refreshed: Path) -> None:
    sql = """select dataset_id, model, value from benchmark_score join run using (run_id)
             where ruleset = 'official' and metric = 'exam_score' and benchmark_score.use_case = 'all'"""
    found = {(d, m): float(v) for d, m, v in rows(refreshed, sql)}
    assert len(found) == 10
    assert all(v == 0 for (_, m), v in found.items() if m == "abstain-always")
    assert all(-24 <= v <= 90 for v in found.values())


FAULTS: dict[str, dict[str, Any]] = {
    "429": {"kind": "status", "status": 429, "headers": {"Retry-After": "1"}, "times": 2},
    "503": {"kind": "status", "status": 503, "times": 2},
    "reset": {"kind": "reset", "times": 1},
    "slow": {"kind": "slow", "seconds": 0.5, "times": 2},
    "reorder": {"kind": "reorder"},
    "500 for good": {"kind": "status", "status": 500},
    "404": {"kind": "status", "status": 404},
    "html200": {"kind": "html200"},
    "truncate": {"kind": "truncate"},
    "empty": {"kind": "empty"},
    "garbage": {"kind": "garbage"},
    "duplicate": {"kind": "duplicate"},
    "shrink": {"kind": "shrink"},
    "rename": {"kind": "rename"},
}  # fmt: skip
PASSING = {"429", "503", "reset", "slow", "reorder"}


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_ends_whole_or_leaves_the_published_file(
    kind: str, refreshed: Path, medexams: Command, upstream: Any, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(refreshed, data)
    shutil.rmtree(data / "landing")
    before = (data / "medexams.duckdb").read_bytes()
    with upstream([{"match": r"domanda/list\?page=1[0-9]\b", **FAULTS[kind]}]) as up:
        done = medexams("refresh", "--only", "medschool", data=data, env=up.medschool)
    if kind in PASSING:
        assert done.code == 0, done.err
        assert rows(data, f"select count(*) from question where {MUR}") == [(3500,)]
    else:
        assert done.code == 1
        assert (data / "medexams.duckdb").read_bytes() == before
        said = done.err.strip().splitlines()[-1]
        assert said.startswith("medexams: http://") and said.count("medexams:") == 1


def test_faults_mixed_at_five_percent(refreshed: Path, medexams: Command, upstream: Any, tmp_path: Path) -> None:
    """Whole in the end, through as many tries as it takes; the published file is never anything else."""
    data = tmp_path / "data"
    shutil.copytree(refreshed, data)
    shutil.rmtree(data / "landing")
    before = (data / "medexams.duckdb").read_bytes()
    mixed = [{"match": "domanda/list", "probability": 0.05 / len(FAULTS), **rule} for rule in FAULTS.values()]
    for rule in mixed:
        rule.pop("times", None)
    with upstream(mixed) as up:
        for _ in range(40):
            done = medexams("refresh", "--only", "medschool", data=data, env=up.medschool)
            if done.code == 0:
                break
            assert done.code == 1
            assert (data / "medexams.duckdb").read_bytes() == before
    assert done.code == 0
    assert rows(data, f"select count(*) from question where {MUR}") == [(3500,)]


def test_a_second_refresh_changes_nothing(refreshed: Path, medexams: Command, upstream: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(refreshed, data)
    with upstream() as up:
        assert medexams("refresh", "--only", "medschool", data=data, env=up.medschool).code == 0
    for table in ("dataset", "question", "choice", "answer_key"):
        sql = f"select count(*), bit_xor(hash({table})) from {table}"
        assert rows(data, sql) == rows(refreshed, sql), table
