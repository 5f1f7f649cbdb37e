"""What killed writers leave, generations and the way back, space, and signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from click.testing import CliRunner

from assets.common import HOST_TAG, PROCESS_TAG, close_dead_runs, history_bytes, process_tags, prune_history
from pipelines.archive.landing import Landing
from pipelines.archive.snapshot import Snapshot, StoredFile
from pipelines.cli import main
from pipelines.definitions import _belongs
from pipelines.errors import StoreError
from pipelines.store import upkeep
from pipelines.store.lock import refresh_lock

WRITER = """import duckdb, os, sys
con = duckdb.connect(sys.argv[1])
con.execute("set checkpoint_threshold = '1TB'")
con.execute("create table notes as from range(9)")
print("open", flush=True)
sys.stdin.readline()
os.kill(os.getpid(), 9)"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for n in (1, 2, 3):
        publish(tmp_path, n, keep=9)
    return tmp_path


def publish(data: Path, n: int, keep: int) -> None:
    """A published file and a table that both hold a number, put in place as publishing does."""
    (data / "tables").mkdir(exist_ok=True)
    table = data / "tables" / "question.parquet"
    table.unlink(missing_ok=True)
    table.write_text(str(n))
    new = data / ".new"
    with duckdb.connect(str(new)) as con:
        con.execute(f"create table question as select {n} as n")
    upkeep.keep_generation(data / "medexams.duckdb", keep)
    new.replace(data / "medexams.duckdb")
    upkeep.keep_tables(data / "medexams.duckdb", data / "tables")


def published(data: Path) -> tuple[int, str]:
    with duckdb.connect(str(data / "medexams.duckdb"), read_only=True) as con:
        n = con.execute("select n from question").fetchall()[0][0]
    return n, (data / "tables" / "question.parquet").read_text()


def cli(data: Path, *args: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, [*args, "--data", str(data)])
    return done.exit_code, done.output


# ---- leftovers


def test_what_killed_writers_left_goes_and_nothing_else(data: Path) -> None:
    left = [
        ".medexams.duckdb.0a.tmp", ".medexams.duckdb.0a.tmp.wal", "tables/.x.parquet.0b.tmp", "tables/run/.r.0c.staged",
        "landing/objects/ab/.ab12.0d.tmp", "generations/.current.tmp/question.parquet", "inbox/.old.csv.0e.tmp",
        "tables/.staged/question.parquet",
    ]  # fmt: skip
    stay = ["inbox/.new.csv.0f.tmp", "inbox/.dot.csv", "tables/run/r.parquet", "landing/objects/ab/ab12", "notes.tmp"]
    for name in (*left, *stay):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("x")
    os.utime(data / "inbox/.old.csv.0e.tmp", (0, 0))
    upkeep.sweep(data, data / "medexams.duckdb")
    assert not [name for name in left if (data / name).exists()]
    assert all((data / name).exists() for name in stay) and published(data) == (3, "3")


@contextmanager
def writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another program that has the warehouse open for writing, until it is killed."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_a_program_that_has_the_file_open_is_asked_to_close_it(data: Path) -> None:
    with writer(data / "medexams.duckdb") as other:
        with pytest.raises(StoreError, match=rf"in another program \(process {other.pid}\); close it"):
            upkeep.sweep(data, data / "medexams.duckdb")
        code, said = cli(data, "sql", "select 1")
        assert code == 1 and "close it" in said and "delete" not in said


def test_a_log_that_a_killed_program_left_is_moved_away(data: Path) -> None:
    with writer(data / "medexams.duckdb"):
        pass
    assert (data / "medexams.duckdb.wal").exists()
    upkeep.sweep(data, data / "medexams.duckdb")
    publish(data, 4, keep=9)
    assert published(data) == (4, "4") and not (data / "medexams.duckdb.wal").exists()
    assert (data / "generations/medexams.duckdb.wal.stale").exists()


def test_a_lock_may_be_taken_again_by_its_holder(tmp_path: Path) -> None:
    with refresh_lock(tmp_path), refresh_lock(tmp_path):
        probe = "from pathlib import Path; from pipelines.store.lock import refresh_lock as l\nwith l(Path(%r)): pass"
        done = subprocess.run([sys.executable, "-c", probe % str(tmp_path)], capture_output=True, check=False)
        assert done.returncode == 1
    with refresh_lock(tmp_path):
        pass


# ---- generations


def test_generations_are_ordered_by_number_not_by_clock(data: Path) -> None:
    folder = data / "generations"
    os.utime(folder / "medexams-000002.duckdb", (0, 0))
    (folder / "medexams-29991231T000000000000.duckdb").write_text("of an older version")
    assert [p.stem for p in upkeep.generations(data / "medexams.duckdb")] == [
        "medexams-29991231T000000000000", "medexams-000001", "medexams-000002",
    ]  # fmt: skip
    publish(data, 4, keep=1)
    assert [p.name for p in sorted(folder.iterdir())] == [
        "current.tables", "medexams-000003.duckdb", "medexams-000003.tables",
    ]  # fmt: skip


def test_back_and_back_again(data: Path) -> None:
    assert cli(data, "rollback")[0] == 0 and published(data) == (2, "2")
    assert cli(data, "rollback")[0] == 0 and published(data) == (3, "3")
    assert cli(data, "rollback", "1")[0] == 0 and published(data) == (1, "1")
    code, said = cli(data, "rollback", "77")
    assert code == 2 and "known are medexams-000001" in said and published(data) == (1, "1")


def test_a_generation_without_tables_says_so(data: Path) -> None:
    for folder in (data / "generations").glob("medexams-*.tables"):
        (folder / "question.parquet").unlink()
        folder.rmdir()
    code, said = cli(data, "rollback")
    assert code == 0 and "medexams refresh" in said and published(data) == (2, "3")


def test_nothing_to_go_back_to(tmp_path: Path) -> None:
    code, said = cli(tmp_path, "rollback")
    assert code == 2 and "no earlier file" in said


# ---- space


def test_prune_removes_what_no_release_is_made_of(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDEXAMS_KEEP_GENERATIONS", "1")
    landing = Landing(data)
    used, unused = landing.put(b"used"), landing.put(b"unused")
    page = StoredFile("page:0", used, 4)
    landing.add_snapshot(Snapshot("mur", "r", "o", "0", datetime(2026, 1, 1, tzinfo=UTC), False, (page,)))
    code, said = cli(data, "prune", "--dry-run")
    assert code == 0 and unused in said and used not in said and "would go" in said
    assert landing.object_path(unused).exists()
    files = json.loads(cli(data, "prune", "--json")[1])["files"]
    assert set(files) == {"generations/medexams-000001.duckdb", f"landing/objects/{unused[:2]}/{unused}"}
    assert landing.object_path(used).exists() and not landing.object_path(unused).exists()
    assert cli(data, "prune")[1] == "0 files, 0 bytes removed\n"


# ---- Dagster's history


def test_runs_of_killed_processes_are_closed() -> None:
    @dg.job
    def empty() -> None: ...

    with dg.instance_for_test() as history:
        tags = [
            process_tags(),
            process_tags() | {PROCESS_TAG: "4194305"},
            {PROCESS_TAG: "4194305", HOST_TAG: "another"},
        ]
        runs = [history.create_run_for_job(empty, status=dg.DagsterRunStatus.STARTED, tags=t) for t in tags]
        assert close_dead_runs(history) == 1
        found = [history.get_run_by_id(r.run_id) for r in runs]
        assert [r.status.value for r in found if r] == ["STARTED", "FAILURE", "STARTED"]


def test_the_history_is_bounded_in_runs_and_in_bytes(tmp_path: Path) -> None:
    @dg.op
    def talk() -> None:
        for _ in range(40):
            dg.get_dagster_logger().info("x" * 5000)

    @dg.job
    def talking() -> None:
        talk()

    with dg.DagsterInstance.local_temp(str(tmp_path)) as history:
        ids = [talking.execute_in_process(instance=history).run_id for _ in range(4)]
        assert prune_history(history, keep=3) == 1
        before = history_bytes(history)
        assert prune_history(history, keep=3) == 0
        assert prune_history(history, keep=3, most=before - 1) >= 1
        assert history_bytes(history) < before
        assert prune_history(history, keep=3, most=1) <= 2
        assert [r.run_id for r in history.get_runs()] == ids[-1:]
        assert {p.stem for p in tmp_path.rglob("*-*.db")} == set(ids[-1:])


def test_a_dagster_home_belongs_to_one_data_folder(tmp_path: Path) -> None:
    assert [_belongs(tmp_path, tmp_path / name) for name in ("a", "b", "a")] == [True, False, True]


# ---- signals

BUSY = """import sys, duckdb
from pipelines import entry
entry.hear_signals()
print("busy", flush=True)
r = "range(100000)"
duckdb.sql(f"select sum(a.range * b.range * c.range) from {r} a, {r} b, {r} c").fetchall()"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_even_a_long_query_with_one_sentence(number: signal.Signals, code: int) -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(number)
        assert process.wait(20) == code
        assert process.stderr.read() == b"medexams: interrupted; what was published is as it was\n"
