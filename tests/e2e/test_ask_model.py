"""A real model, served here, from its address to leaderboard_part; killed in between, it is asked the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.e2e.conftest import Command, small_model

KEY = "sk-marked-0123456789"
QUESTIONS = 12
KILLED_AT = 5


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with small_model() as address:
        yield address


def test_a_model_reaches_the_leaderboard_though_it_was_killed(model: str, medexams: Command, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert medexams("refresh", "--profile", "sample", data=data).code == 0
    asked = [
        "ask", "--base-url", model, "--model", "smollm2", "--dataset", "medschool/room-b007-sample",
        "--limit", str(QUESTIONS), "--max-tokens", "8", "--concurrency", "1",
    ]  # fmt: skip
    env = os.environ | {"MEDEXAMS_DATA": str(data), "MEDEXAMS_ASK_KEY": KEY}
    journals = data / "inbox" / "ask" / "smollm2"
    with subprocess.Popen([sys.executable, "-m", "pipelines.cli", *asked], env=env) as first:
        end = time.monotonic() + 300
        while len(lines(journals)) <= KILLED_AT and time.monotonic() < end:
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
    before = lines(journals)
    assert KILLED_AT < len(before) <= QUESTIONS
    done = medexams(*asked, data=data, env={"MEDEXAMS_ASK_KEY": KEY})
    assert done.code == 0, done.err
    after = lines(journals)
    whole = [line for line in before if line in after]
    assert after[: len(whole)] == whole and len(whole) >= len(before) - 1  # a torn last line alone may be asked again
    ids = [json.loads(line)["question_id"] for line in after[1:]]
    assert len(ids) == len(set(ids)) == QUESTIONS
    with duckdb.connect(str(data / "medexams.duckdb"), read_only=True) as con:
        [(n,)] = con.execute("select count(*) from leaderboard_part where model = 'smollm2'").fetchall()
        [(answers,)] = con.execute(
            "select count(*) from prediction join run using (run_id) where model = 'smollm2'"
        ).fetchall()
    assert n > 0 and answers == QUESTIONS
    held = [f for f in data.rglob("*") if f.is_file() and KEY.encode() in f.read_bytes()]
    assert held == [] and KEY not in done.out + done.err


def lines(folder: Path) -> list[str]:
    return [line for f in folder.glob("*.jsonl") for line in f.read_text(encoding="utf-8").splitlines()]
