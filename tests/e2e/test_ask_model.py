"""A real model, served here, from its address to leaderboard_part with one command a benchmark, each killed in between.

A few questions of each benchmark; with MEDEXAMS_ASK_FULL=1 thirty of each, killed at the seventeenth (some minutes).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, rows, small_model

KEY = "sk-marked-0123456789"
DATASETS = ("cognet_md/sample", "kokushi_md10/sample", "medschool/room-b007-sample")
QUESTIONS, KILLED_AT = (30, 17) if os.environ.get("MEDEXAMS_ASK_FULL") else (5, 2)


@pytest.fixture(scope="module")
def data(sample: Path, medexams: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample after the commands; beside it NAME.before, each journal as the killed command left it, and `said`."""
    data = tmp_path_factory.mktemp("model") / "data"
    shutil.copytree(sample, data)
    with small_model() as address:
        for dataset in DATASETS:
            wanted = ["--dataset", dataset, "--limit", str(QUESTIONS), "--max-tokens", "8", "--concurrency", "1"]
            ask = ["ask", "--base-url", address, "--model", "smollm2", *wanted]
            env = os.environ | {"MEDEXAMS_DATA": str(data), "MEDEXAMS_ASK_KEY": KEY}
            with subprocess.Popen([sys.executable, "-m", "pipelines.cli", *ask], env=env) as first:
                while len(answers(data, dataset)) < KILLED_AT and first.poll() is None:
                    time.sleep(0.02)
                first.send_signal(signal.SIGKILL)
            kept = "\n".join(answers(data, dataset))
            (data.parent / f"{dataset.replace('/', '-')}.before").write_text(kept, encoding="utf-8")
            last = [] if dataset == DATASETS[-1] else ["--no-import"]  # one reading of the inbox is enough
            done = medexams(*ask, *last, data=data, env={"MEDEXAMS_ASK_KEY": KEY})
            assert done.code == 0, done.err
            with (data.parent / "said").open("a", encoding="utf-8") as said:
                said.write(done.out + done.err)
    return data


def answers(data: Path, dataset: str) -> list[str]:
    """The whole lines of a dataset's journal, the header aside."""
    found = "".join(f.read_text("utf-8") for f in (data / "inbox/ask/smollm2").glob(f"{dataset.replace('/', '-')}-*"))
    return found.split("\n")[1:-1]


@pytest.mark.parametrize("dataset", DATASETS)
def test_what_was_answered_is_kept_and_the_rest_asked(data: Path, dataset: str) -> None:
    before = (data.parent / f"{dataset.replace('/', '-')}.before").read_text(encoding="utf-8").split("\n")
    after = answers(data, dataset)
    assert len(before) >= min(KILLED_AT, len(after)) and after[: len(before)] == before
    ids = [json.loads(line)["question_id"] for line in after]
    [(there,)] = rows(data, f"select least({QUESTIONS}, count(*)) from question where dataset_id = '{dataset}'")
    assert len(ids) == len(set(ids))
    assert len(ids) == there or (dataset.startswith("cognet") and len(ids) == 16)  # five are the prompt's examples


@pytest.mark.parametrize("dataset", DATASETS)
def test_it_reaches_the_leaderboards(data: Path, dataset: str) -> None:
    of_it = f"model = 'smollm2' and dataset_id = '{dataset}'"
    [(n,)] = rows(data, f"select count(*) from leaderboard_part where {of_it}")
    [(given,)] = rows(data, f"select count(*) from prediction join run using (run_id) where {of_it}")
    assert n > 0 and given == len(answers(data, dataset))


def test_the_key_is_nowhere(data: Path) -> None:
    held = [f for f in data.parent.rglob("*") if f.is_file() and KEY.encode() in f.read_bytes()]
    assert held == []
