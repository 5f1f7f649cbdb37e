"""What waits for the lock, what says that it did not, and what the sensor asks for again."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import dagster as dg
import pytest
from click.testing import CliRunner

from assets import common
from assets.automation import inbox_sensor
from pipelines import definitions
from pipelines.cli import main
from pipelines.errors import LockedError
from pipelines.settings import Settings
from pipelines.store.lock import refresh_lock

HOLDER = """import sys, time
from pathlib import Path
from pipelines.store.lock import refresh_lock
with refresh_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()"""


@contextmanager
def holding(data: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of a data folder."""
    command = [sys.executable, "-c", HOLDER, str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_waiting_ends_when_the_other_one_ends(tmp_path: Path) -> None:
    with holding(tmp_path) as other:
        Timer(0.5, other.kill).start()
        start = time.monotonic()
        with refresh_lock(tmp_path, wait=30):
            assert 0.3 < time.monotonic() - start < 20


def test_waiting_has_an_end(tmp_path: Path) -> None:
    with holding(tmp_path) as other:
        start = time.monotonic()
        with pytest.raises(LockedError, match=rf"process {other.pid}"), refresh_lock(tmp_path, wait=0.5):
            pass
        assert time.monotonic() - start >= 0.5


@pytest.mark.parametrize(
    ("tag", "waits"), [("dagster/sensor_name", True), ("dagster/schedule_name", True), ("x", False)]
)
def test_a_run_that_nobody_started_waits(
    tag: str, waits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[float]()

    @contextmanager
    def lock(data: Path, wait: float) -> Iterator[None]:
        asked.append(wait)
        yield

    monkeypatch.setattr(common, "refresh_lock", lock)
    assert _one_step(Settings(data=tmp_path), {tag: "inbox"}).result.success
    assert asked == [common.UNATTENDED_WAIT if waits else 0.0]


def test_runs_add_during_a_refresh_says_where_its_files_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.cli.runs.query_warehouse", lambda *_: [])
    file = tmp_path / "p.csv"
    file.write_text("model,question_id,response\nm,q,A\n")
    data = tmp_path / "data"
    data.mkdir()
    with holding(data) as other:
        done = CliRunner().invoke(main, ["runs", "add", str(file), "--data", str(data)])
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert "1 files are in the inbox and not read yet" in said and f"process {other.pid}" in said
    assert "the next `medexams refresh` or the inbox sensor reads them" in said
    assert [p.name for p in (data / "inbox").glob("*.csv")] == ["p.csv"]


class _Step:
    """A run of one step that needs the workspace, recorded in a history of its own."""

    def __init__(self, settings: Settings, tags: dict[str, str], history: dg.DagsterInstance) -> None:
        @dg.asset(required_resource_keys={"workspace"})
        def step() -> None: ...

        self.result = dg.materialize(
            [step],
            resources={"workspace": common.workspace_resource(settings)},
            tags=tags,
            instance=history,
            raise_on_error=False,
        )


def _one_step(settings: Settings, tags: dict[str, str], history: dg.DagsterInstance | None = None) -> _Step:
    return _Step(settings, tags, history or dg.DagsterInstance.ephemeral())


def test_a_request_that_failed_on_the_lock_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "UNATTENDED_WAIT", 0.0)
    settings = Settings(data=tmp_path / "data")
    settings.inbox_folder.mkdir(parents=True)
    (settings.inbox_folder / "a.csv").write_text("x")
    sensor, location = inbox_sensor(settings), definitions.build_defs(settings)
    cursor: str | None = None

    def look(history: dg.DagsterInstance) -> bool:
        nonlocal cursor
        context = dg.build_sensor_context(instance=history, cursor=cursor, definitions=location)
        found = sensor(context)
        assert isinstance(found, dg.SensorResult)
        cursor = found.cursor
        return bool(found.run_requests)

    tags = {"dagster/sensor_name": "inbox"}
    with dg.DagsterInstance.ephemeral() as history:
        assert [look(history), look(history)] == [False, True]
        with holding(settings.data):
            assert not _one_step(settings, tags, history).result.success
        assert look(history)  # again
        assert _one_step(settings, tags, history).result.success
        assert [look(history), look(history)] == [False, False]
