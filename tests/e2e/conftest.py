"""What the tests of whole commands share: the medexams command as a person runs it, and the real data over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.document import sample_warehouse
from tests.conftest import ROOT, lacking

HARNESS = ROOT / ".venv-harness/bin"
MODEL = ROOT / ".venv-model/bin/python"

JULY = "medschool/mur_bank_2024-07.json"


@dataclass
class Done:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture(scope="session")
def medexams() -> Command:
    """medexams(*args, data=…, env=…, stdin=…) -> Done, in a process of its own, without waiting between requests."""

    def run(
        *args: str | Path, data: Path | None = None, env: dict[str, str] | None = None, stdin: str | None = None
    ) -> Done:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("MEDEXAMS_", "DAGSTER_"))}
        full = clean | {"MEDEXAMS_REQUEST_DELAY": "0"} | ({"MEDEXAMS_DATA": str(data)} if data else {}) | (env or {})
        command = [sys.executable, "-m", "pipelines.cli", *map(str, args)]
        done = subprocess.run(command, env=full, input=stdin, capture_output=True, text=True, timeout=600, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the published sample; a test that writes copies it."""
    return sample_warehouse(tmp_path_factory.mktemp("sample") / "data").parent


@pytest.fixture(scope="session")
def real_sources(shared: Path) -> dict[str, str]:
    """The settings that point at the real data."""
    data = shared / "data"
    return {
        "MEDEXAMS_MUR_API": str(data / "medschool/mur_bank_2024-07.json"),
        "MEDEXAMS_MEDSCHOOL_RELEASE": str(data / "medschool/medical_school_questions.jsonl"),
        "MEDEXAMS_COGNET_RELEASE": str(data / "cognet/cognet_sample.csv"),
        "MEDEXAMS_KOKUSHI_RELEASE": str(data / "kokushi"),
    }


@dataclass
class Upstream:
    """A stand-in of the public hosts, and the settings that point at it."""

    url: str

    @property
    def medschool(self) -> dict[str, str]:
        return {
            "MEDEXAMS_MUR_API": f"{self.url}/api/v1",
            "MEDEXAMS_MEDSCHOOL_RELEASE": f"{self.url}/files/medschool/medical_school_questions.jsonl",
        }


@pytest.fixture(scope="session")
def upstream(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """upstream(faults=[…], bank=…) -> context manager of an Upstream: ../shared/tools/upstream.py as a process."""

    @contextmanager
    def run(faults: list[dict[str, Any]] | None = None, bank: str = JULY) -> Iterator[Upstream]:
        command = [
            sys.executable,
            str(shared / "tools/upstream.py"),
            "--data",
            str(shared / "data"),
            "--bank",
            bank,
            "--port",
            "0",
        ]
        if faults:
            path = tmp_path_factory.mktemp("faults") / "faults.json"
            path.write_text(json.dumps(faults))
            command += ["--faults", str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield Upstream(process.stdout.readline().strip())
        finally:
            process.kill()  # a caller may have it ignore SIGTERM
            process.wait()

    return run


def rows(data: Path, sql: str) -> list[tuple[Any, ...]]:
    """A query on the published warehouse."""
    with duckdb.connect(str(data / "medexams.duckdb"), read_only=True) as con:
        return con.execute(sql).fetchall()


def needs_harness() -> None:
    """Skip, or fail on CI, where the tools of other people are not there."""
    if not (HARNESS / "lm_eval").exists():
        lacking("the harness environment (make harness)")


def harness_tool(program: str, *args: str | Path, folder: Path, stdin: str | None = None) -> str:
    """Run a program of the harness environment in a folder, offline; returns its standard output."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TQDM_DISABLE": "1"}
    env = os.environ | offline | {"HF_HOME": str(folder / ".hf"), "PYTHONPATH": ""}
    command = [str(HARNESS / program), *map(str, args)]
    done = subprocess.run(
        command, cwd=folder, env=env, input=stdin, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@contextmanager
def small_model(*options: str) -> Iterator[str]:
    """The address of a small model (tests/model_server.py, with its options), served while the context lasts."""
    if not MODEL.exists():
        lacking("the small model (make model)")
    command = [str(MODEL), str(ROOT / "tests/model_server.py"), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield next(line.strip() for line in server.stdout if line.startswith("http")) + "/v1"
        finally:
            server.kill()
