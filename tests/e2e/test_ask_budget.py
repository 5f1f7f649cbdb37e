"""`medexams ask --budget`: killed and started again it is one adaptive run; what it predicts stands apart."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.store.sqlfiles import SQL
from tests.e2e.conftest import Command, Done, rows
from tests.endpoint import Answer, Server, served, text

DATASET = "medschool/room-b007-sample"
BUDGET = 20
KILLED_AT = 6


def by_prompt(body: dict[str, Any]) -> Answer:
    """The same answer to the same prompt; each takes long enough to be killed in between."""
    time.sleep(0.15)
    said = json.dumps(body["messages"]).encode()
    return text("ABCDE"[hashlib.sha256(said).digest()[0] % 5])


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served(answer=by_prompt) as found:
        yield found


@pytest.fixture(scope="module")
def data(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("budget") / "data"
    shutil.copytree(sample, folder)
    return folder


def command(server: Server, model: str) -> list[str]:
    wanted = ["--dataset", DATASET, "--budget", str(BUDGET)]
    return ["ask", "--base-url", server.url, "--model", model, *wanted]


def asked(data: Path, model: str) -> list[str]:
    """Questions in the order in which the journal has their answers."""
    lines = [line for f in (data / f"inbox/ask/{model}").glob("*.jsonl") for line in f.read_text().splitlines()]
    return [json.loads(line)["question_id"] for line in lines[1:]]


@pytest.fixture(scope="module")
def killed(server: Server, data: Path, medexams: Command) -> Done:
    """The second call of a run that was killed; between them it is said what is left."""
    env = os.environ | {"MEDEXAMS_DATA": str(data)}
    with subprocess.Popen([sys.executable, "-m", "pipelines.cli", *command(server, "killed")], env=env) as first:
        end = time.monotonic() + 120
        while len(asked(data, "killed")) < KILLED_AT and time.monotonic() < end:
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
    there = len(asked(data, "killed"))
    assert KILLED_AT <= there < BUDGET
    dry = medexams(*command(server, "killed"), "--dry-run", data=data)
    assert f"{BUDGET} of 45 questions, chosen by the answers" in dry.err
    assert f"{BUDGET - there} answers to ask for, {there} are there" in dry.err
    assert len(server.asked) <= there + 1  # one may have been under way
    done = medexams(*command(server, "killed"), data=data)
    assert done.code == 0, done.err
    return done


def test_a_killed_run_goes_on_as_the_same_adaptive_run(
    killed: Done, server: Server, data: Path, medexams: Command
) -> None:
    assert len(server.asked) <= BUDGET + 1
    found = asked(data, "killed")
    assert len(found) == len(set(found)) == BUDGET
    assert medexams(*command(server, "whole"), "--no-import", data=data).code == 0
    assert asked(data, "whole") == found


def test_what_is_predicted_is_marked_and_ranked_nowhere(
    killed: Done, data: Path, sample: Path, medexams: Command, tmp_path: Path
) -> None:
    run_id = rows(data, "select run_id from run where model = 'killed'")[0][0]
    told = f"select metric, value, low, high from predicted_score where run_id = '{run_id}' and n_asked = {BUDGET}"
    figures = {metric: (value, low, high) for metric, value, low, high in rows(data, told)}
    assert figures.keys() >= {"score", "exam_score", "rank"}
    assert all(low <= value <= high for value, low, high in figures.values())
    ready = (SQL / "queries/predicted_scores.sql").read_text(encoding="utf-8")
    assert [r[0] for r in rows(data, ready)] == ["killed"] * len(figures)

    places = f"select run_id, rank, rank_low, rank_high from leaderboard where dataset_id = '{DATASET}' order by all"
    assert (run_id, None, None, None) in rows(data, places)
    assert [r for r in rows(data, places) if r[0] != run_id] == rows(sample, places)

    printed = medexams("leaderboard", "--benchmark", "medschool", data=data).out
    measured, _, predicted = printed.partition("PREDICTED, not measured")
    assert "killed: not ranked: 20 of 45 questions were asked" in measured
    assert predicted.count("20 of 45") == len(figures)

    assert medexams("report", data=data).code == 0
    page = (data / "report/index.html").read_text(encoding="utf-8")
    assert page.count(f'<tr data-predicted="{run_id}"') == len(figures)
    assert "Predicted, not measured" in page
    assert medexams("export", "csv", tmp_path / "csv", data=data).code == 0
    files = {f.stem for f in (tmp_path / "csv").rglob("*.csv") if "90 % interval" in f.read_text(encoding="utf-8")}
    assert files == {"predicted_score"}


def test_with_too_few_runs_it_says_so_and_draws_at_random(server: Server, data: Path, medexams: Command) -> None:
    wanted = [*command(server, "few"), "--dataset", "medschool/mur-sample", "--dry-run"]
    said = medexams(*wanted, data=data).err
    assert "medschool/mur-sample: 20 of 61 questions, drawn at random within strata: too few runs answered it" in said
