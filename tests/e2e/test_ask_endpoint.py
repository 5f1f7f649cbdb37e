"""`medexams ask` and the job of that name, run as a person does: the key is written nowhere, pictures are sent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import Command, rows
from tests.endpoint import Answer, Server, said, served, text

KEY = "sk-marked/0123456789"
DATASET = "medschool/mur-sample"


@pytest.fixture
def server() -> Iterator[Server]:
    """Says the key that it was sent in answers, errors and headers; every fourth request fails for good."""

    def answer(body: dict[str, Any]) -> Answer:
        key = found.keys[-1].removeprefix("Bearer ")
        if len(found.asked) % 4 == 0:
            return said({"error": {"message": f"{key} may not ask this"}}, 400, x_key=key)
        return text(f"B, says {key}", reasoning_content=f"the key is {key}")

    with served(answer=answer) as found:
        yield found


@pytest.fixture
def data(sample: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample, tmp_path / "data")
    return tmp_path / "data"


def journal(data: Path) -> list[dict[str, Any]]:
    [path] = (data / "inbox/ask").rglob("*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def nowhere(folder: Path, *texts: str) -> bool:
    """Whether the key is in no file below a folder, in none of its names, and in no text."""
    files = [f for f in folder.rglob("*") if f.is_file()]
    held = [f for f in files if KEY.encode() in f.read_bytes() or KEY in str(f)]
    return held == [] and all(KEY not in said for said in texts)


def test_the_command_writes_the_key_nowhere(server: Server, data: Path, medexams: Command) -> None:
    env = {"MEDEXAMS_ASK_KEY": KEY, "OPENAI_LOG": "debug"}
    wanted = ["--model", "m", "--dataset", DATASET, "--limit", "8", "--no-import"]
    done = medexams("ask", "--base-url", server.url, *wanted, "--verbose", data=data, env=env)
    assert done.code == 1 and "answers are missing (2)" in done.err
    assert set(server.keys) == {f"Bearer {KEY}"}
    _, *answers = journal(data)
    assert "[key] may not ask this" in next(r["error"] for r in answers if r.get("error"))
    assert {r["response"] for r in answers if not r.get("error")} == {"B, says [key]"}
    assert nowhere(data, done.out, done.err)


def test_the_job_takes_the_same_settings_and_writes_the_key_nowhere(server: Server, data: Path, tmp_path: Path) -> None:
    config = {"base_url": server.url, "model": "m", "datasets": [DATASET], "budget": 20, "parameters": {"top_p": 0.5}}
    (tmp_path / "config.json").write_text(json.dumps({"ops": {"ask_model": {"config": config}}}))
    home = tmp_path / "dagster"
    home.mkdir()
    shutil.copy(ROOT / "dagster_home/dagster.yaml", home)
    settings = {"MEDEXAMS_DATA": str(data), "MEDEXAMS_ASK_KEY": KEY, "DAGSTER_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "dagster", "job", "execute", "-m", "pipelines.definitions", "-a", "defs", "-j", "ask",
         "-c", str(tmp_path / "config.json")],
        cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "answers are missing (5)" in done.stdout + done.stderr  # every fourth of 20
    assert "20 of 61 questions, drawn at random within strata" in done.stdout + done.stderr
    header, *answers = journal(data)
    assert len(answers) == len(server.asked) == 20
    assert header["request"]["top_p"] == server.asked[0]["top_p"] == 0.5
    assert any(home.rglob("*.db"))
    assert nowhere(tmp_path, done.stdout, done.stderr)


def test_pictures_go_with_their_question_and_a_choice_has_its_label(
    server: Server, data: Path, medexams: Command
) -> None:
    wanted = ["--model", "m", "--dataset", DATASET, "--images", "--concurrency", "1", "--no-import"]
    done = medexams("ask", "--base-url", server.url, *wanted, data=data)
    assert f"{DATASET}: 1 questions are not asked: they show a picture that is not at hand" in done.err
    header, *answers = journal(data)
    assert header["modality"] == "multimodal"
    sent = {r["question_id"]: b["messages"][-1]["content"] for r, b in zip(answers, server.asked, strict=True)}
    sql = "select question_id, count(*) from question_image where path is not null group by all"
    pictures = dict(rows(data, sql))
    assert len(pictures) == 3
    for question_id, n in pictures.items():
        urls = [part["image_url"]["url"] for part in sent[question_id] if part["type"] == "image_url"]
        assert len(urls) == n and all(url.startswith("data:image/png;base64,") for url in urls)
    kinds = [part.get("text", "picture") for part in sent[f"{DATASET}/160"][1:]]
    assert kinds == [kind for label in "ABCDE" for kind in (f"{label}:", "picture")]
    assert all(isinstance(content, str) for question_id, content in sent.items() if question_id not in pictures)
