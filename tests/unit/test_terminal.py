"""What a person sees on a terminal of 80 columns, in a pipe, and where the encoding lacks most signs."""

from __future__ import annotations

import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata
from fcntl import ioctl
from pathlib import Path

import click
import pytest

from pipelines.cli.output import show_progress
from tests.unit.published_world import write_world
from tests.unit.scoring_world import World

MODEL = "a-model-with-a-rather-long-name-as-people-have-them-instruct-2026-01"
RUN = f"{MODEL}/cognet_md-test/11111111"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run with a long name on an exam with a Japanese one."""
    world = World()
    world.question("cognet_md/test/医師/1", "cognet_md", ["A"], topic="skin", stem="A long stem of words. " * 12)
    world.run(RUN, "cognet_md/test", model=MODEL)
    world.answer(RUN, "cognet_md/test/医師/1", "A", response="A – “yes” … è 医")
    return write_world(world, tmp_path_factory.mktemp("terminal") / "data").parent


def command(data: Path, *args: str) -> list[str]:
    return [sys.executable, "-m", "pipelines.cli", *args, "--data", str(data)]


def on_terminal(data: Path, *args: str, columns: int = 80) -> str:
    """What a command writes on a terminal, without colours."""
    mouth, ear = pty.openpty()
    ioctl(ear, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")} | {"TERM": "xterm"}
    with subprocess.Popen(command(data, *args), stdin=ear, stdout=ear, stderr=ear, env=env) as process:
        os.close(ear)
        found = b""
        try:
            while piece := os.read(mouth, 65536):
                found += piece
        except OSError:  # the terminal closes with the last process on it
            pass
        process.wait()
    os.close(mouth)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", found.decode()).replace("\r", "")


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip())


@pytest.mark.parametrize(
    "args",
    [("leaderboard",), ("runs", "list"), ("explain", RUN, "1"), ("runs", "show", "nobody-of-this-name")],
    ids=" ".join,
)
def test_eighty_columns_are_enough(data: Path, args: tuple[str, ...]) -> None:
    said = on_terminal(data, *args).split("\n")
    too_long = [line for line in said if width(line) > 80 and " " in line.strip()]  # a word alone can't be broken
    assert not [line for line in too_long if not line.startswith(("run ", "report "))]


def test_numbers_stay_whole_where_a_name_is_cut(data: Path) -> None:
    said = on_terminal(data, "leaderboard")
    assert "a-model-with-a-rather-l" in said and MODEL not in said
    assert re.search(r"… +1\.000 .* 1 of 1 +0 *$", said, re.MULTILINE), said


def test_a_pipe_gets_whole_ids_and_no_progress(data: Path) -> None:
    done = subprocess.run(command(data, "runs", "list"), capture_output=True, text=True, check=True)
    assert RUN in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "args", [("leaderboard",), ("explain", RUN, "1"), ("runs", "show", "医"), ("compare", "医", "é")]
)
def test_an_encoding_without_the_signs_is_no_error(data: Path, args: tuple[str, ...]) -> None:
    env = os.environ | {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command(data, *args), capture_output=True, env=env, check=False)
    assert (done.stdout + done.stderr).isascii()
    assert b"defect" not in done.stderr and done.returncode in (0, 2)


def test_json_and_csv_lose_no_character_by_the_encoding(data: Path) -> None:
    env = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    sql = ("sql", "select response from prediction")
    as_json = subprocess.run(command(data, *sql, "--json"), capture_output=True, env=env, check=True).stdout
    assert as_json.isascii() and json.loads(as_json) == [{"response": "A – “yes” … è 医"}]
    as_csv = subprocess.run(command(data, *sql, "--format", "csv"), capture_output=True, env=env, check=True).stdout
    assert as_csv.decode("utf-8") == "response\nA – “yes” … è 医\n"


def test_progress_names_step_and_dataset_in_one_bar_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress() as progress:
        progress("refresh: question", 1, 2)
        progress("refresh: item_score", 2, 2)
    said = capsys.readouterr().err
    assert "refresh: item_score" in said and "2/2" in said


def test_quiet_shows_no_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with click.Context(click.Command("refresh")), show_progress() as progress:
        progress("refresh: question", 1, 2)
    assert "refresh" in capsys.readouterr().err
    with click.Context(click.Command("refresh")) as context:
        context.meta["medexams.quiet"] = True
        with show_progress() as progress:
            progress("refresh: question", 1, 2)
    assert capsys.readouterr().err == ""


def test_where_there_is_no_terminal_progress_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress() as progress:
        progress("refresh: question", 1, 2)
    assert capsys.readouterr().err == ""
