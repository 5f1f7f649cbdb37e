"""The command itself: help, tables and JSON, exit codes, errors in a sentence. On a warehouse of two questions."""

from __future__ import annotations

import json
import logging
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import duckdb
import pytest
from click.testing import CliRunner, Result

from pipelines import cli, stages
from pipelines.cli import query, runs
from pipelines.cli.output import cell
from pipelines.errors import MedexamsError, SettingsError
from pipelines.schema import TABLES
from pipelines.scoring import tables as scores
from pipelines.settings import Settings
from pipelines.store.publishing import publish
from pipelines.store.sqlfiles import make, sql_tables
from pipelines.store.tables import Store

NOW = datetime.fromisoformat("2026-01-01")
DATASET = "medschool/tiny"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two questions, two baselines and all that follows from them, published."""
    folder = tmp_path_factory.mktemp("cli")
    store = Store(folder)
    ids = [f"{DATASET}/{n}" for n in (1, 2)]
    dataset = {
        "dataset_id": DATASET, "benchmark": "medschool", "release": "tiny", "source": "medschool", "title": "Tiny",
        "language": "it", "licence": "CC0", "origin": "here", "sha256": "0", "fetched_at": NOW, "n_questions": 2,
        "is_sample": True, "is_latest": True,
    }  # fmt: skip
    question = {
        "dataset_id": DATASET, "benchmark": "medschool", "topic": "logic", "language": "it", "answer_type": "single",
        "n_choices": 2, "points": Decimal("1.5"), "key_status": "scored", "needs_image": False,
    }  # fmt: skip
    choice = {"is_forbidden": False, "has_image": False}
    rows: dict[str, list[dict[str, object]]] = {
        "dataset": [dataset],
        "question": [
            question | {"question_id": q, "source_key": q[-1], "stem": f"Domanda {q[-1]}?", "fingerprint": q}
            for q in ids
        ],
        "choice": [
            choice | {"question_id": q, "position": p, "label": "AB"[p], "text": f"scelta {p}", "is_correct": p == 0}
            for q in ids
            for p in (0, 1)
        ],
        "answer_key": [{"question_id": q, "alternative": 1, "labels": "A", "selection": 1} for q in ids],
    }
    for name in [
        t.name for t in TABLES.values() if t.group in ("questions", "releases") and t.name not in sql_tables()
    ]:
        store.write(name, TABLES[name].frame(rows.get(name, [])))
    for baseline in ("always-first", "abstain-always"):
        stages.build_baseline(store, baseline)
    scores.make_rules(store)
    pending = {t.name: t.inputs for t in sql_tables().values()} | {n: c.inputs for n, c in scores.COMPUTED.items()}
    while pending:
        name = next(n for n, inputs in pending.items() if not set(inputs) & set(pending))
        make(store, name) if name in sql_tables() else scores.make(store, name)
        del pending[name]
    publish(store, folder / "medexams.duckdb")
    return folder


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("MEDEXAMS_DATA", "MEDEXAMS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    yield


def run(*args: str | Path, **more: Any) -> Result:
    return CliRunner().invoke(cli.main, [*map(str, args)], prog_name="medexams", **more)


def commands(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield (*path, name), command


@pytest.mark.parametrize("path", [path for path, _ in commands(cli.main)], ids=" ".join)
def test_each_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    done = run(*path, "--help")
    assert done.exit_code == 0
    assert f"medexams {' '.join(path)}" in done.output.split("Usage:")[1].split("\n", 1)[1], "an example"
    assert "--debug" in done.output and "--verbose" in done.output


def test_leaderboard(data: Path) -> None:
    done = run("leaderboard", "--data", data)
    assert done.exit_code == 0
    assert "always-first" in done.output and "SAMPLE" in done.output
    found = json.loads(run("leaderboard", "--data", data, "--json").output)
    assert {row["model"] for row in found} == {"always-first", "abstain-always"}
    assert isinstance(found[0]["n"], int)


def test_leaderboard_sets_what_is_predicted_apart(data: Path, tmp_path: Path) -> None:
    shutil.copyfile(data / "medexams.duckdb", tmp_path / "medexams.duckdb")
    with duckdb.connect(str(tmp_path / "medexams.duckdb")) as con:
        con.execute(
            """insert into predicted_score by name
               select run_id, dataset_id, 'all' as part, 'overall' as component, metric, value, low, high,
                   'by a model' as method, 20 as n_asked, 61 as n_whole
               from run, (values ('rank', 3.0, 2.0, 6.0), ('score_share', 0.25, 0.125, 0.5), ('accuracy', null, null,
                   null)) as given (metric, value, low, high) where model = 'always-first'"""
        )
    measured, _, predicted = run("leaderboard", "--data", tmp_path).output.partition("PREDICTED, not measured")
    assert measured.split() == run("leaderboard", "--data", data).output.split()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in predicted.splitlines() if "20 of 61" in line]
    assert [row[3:6] for row in cells] == [["rank", "3", "2 … 6"], ["score_share", "0.250", "0.125 … 0.500"]]


def test_runs(data: Path) -> None:
    assert "always-first" in run("runs", "list", "--data", data).output
    listed = json.loads(run("runs", "list", "--data", data, "--json").output)
    assert [row["answered"] for row in listed] == [0, 2]
    shown = json.loads(run("runs", "show", "always-first", "--data", data, "--json").output)
    assert [row["labels"] for row in shown] == ["A", "A"]
    assert "answered A" in run("runs", "show", "always-first", "--data", data).output
    done = run("runs", "show", "nobody", "--data", data)
    assert (done.exit_code, done.stderr) == (2, "medexams: no run is called 'nobody'; `medexams runs list` lists all\n")


@pytest.mark.parametrize("style", [["--json"], ["--format", "json"]])
def test_sql_as_json(style: list[str], data: Path) -> None:
    query = "select 1 as a, null as b, 'nan'::double as c, 1.5 as d, 'è' as e"
    assert json.loads(run("sql", query, *style, "--data", data).output) == [
        {"a": 1, "b": None, "c": None, "d": 1.5, "e": "è"}
    ]


def test_sql_as_csv_and_from_standard_input(data: Path) -> None:
    done = run("sql", "--format", "csv", "--data", data, input="select 'a,b' as x, null as y")
    assert (done.exit_code, done.output) == (0, 'x,y\n"a,b",\n')
    assert "pass_grid" in run("sql", "select view_name from duckdb_views() where not internal", "--data", data).output


def test_sql_says_when_a_table_is_cut(data: Path) -> None:
    done = run("sql", "from range(1500)", "--data", data)
    assert done.exit_code == 0 and "999" in done.stdout and "1000" not in done.stdout
    assert done.stderr == "the first 1,000 of 1,500 rows; --format csv or json prints all\n"


def test_sql_may_not_write(data: Path) -> None:
    done = run("sql", "drop table run", "--data", data)
    assert done.exit_code == 2 and "DROP is not allowed" in done.stderr


def test_sql_opens_a_shell_or_says_how_to_get_one(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda _: True})())
    settings = Settings.from_env({}, data=data)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MedexamsError, match="pip install duckdb-cli"):
        query._shell(settings)
    shell = tmp_path / "duckdb"
    shell.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\n')
    shell.chmod(0o755)
    query._shell(settings)
    assert (tmp_path / "called").read_text() == f"-safe -readonly {data}/medexams.duckdb\n"


def test_doctor(data: Path, tmp_path: Path) -> None:
    done = run("doctor", "--data", data, "--json")
    found = {row["what"]: row for row in json.loads(done.output)}
    assert found["warehouse"] == {"ok": True, "what": "warehouse", "detail": "2 questions"}
    assert found["tables"]["ok"], found["tables"]
    (tmp_path / "medexams.duckdb").write_text("no database")
    broken = run("doctor", "--data", tmp_path)
    assert broken.exit_code == 1 and "FAIL warehouse" in broken.stdout and "something needs mending" in broken.stderr


def test_without_a_warehouse_it_says_what_to_do(tmp_path: Path) -> None:
    for args in (["leaderboard"], ["runs", "list"], ["sql", "select 1"], ["runs", "add", "x.csv"]):
        done = run(*args, "--data", tmp_path)
        assert done.exit_code == 1
        assert done.stderr.startswith("medexams: ") and "medexams refresh" in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_card_to_fill_in_says_what_the_file_tells_already(tmp_path: Path) -> None:
    file, card = tmp_path / "mine.csv", tmp_path / "mine.csv.card.toml"
    file.write_text("model,question_id,prediction\nmy-model,medschool/x/1,A\n", encoding="utf-8")
    done = run("runs", "card", file, "--data", tmp_path)
    assert done.exit_code == 0 and "fill it in" in done.stdout
    said = tomllib.loads(card.read_text(encoding="utf-8"))
    assert said == {"model": "my-model", "kind": "model", "format": "generated", "modality": "text"}
    assert "# dataset = " in card.read_text(encoding="utf-8")
    again = run("runs", "card", file, "--data", tmp_path)
    assert again.exit_code == 2 and "is there already" in again.stderr
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "x.txt").write_text("nothing")
    assert "no known format" in run("runs", "card", tmp_path / "none", "--data", tmp_path).stderr


def test_wrong_usage(tmp_path: Path) -> None:
    assert run("leaderbord").exit_code == 2
    assert run("refresh", "--profile", "none").exit_code == 2
    done = run("doctor", env={"MEDEXAMS_ATTEMPTS": "many"})
    assert (done.exit_code, done.stderr) == (2, "medexams: MEDEXAMS_ATTEMPTS='many' is not a whole number\n")


@pytest.mark.parametrize(
    "args", [["--debug", "runs", "list"], ["runs", "--debug", "list"], ["runs", "list", "--debug"]]
)
def test_debug_shows_the_traceback_wherever_it_stands(args: list[str], tmp_path: Path) -> None:
    done = run(*args, "--data", tmp_path)
    assert isinstance(done.exception, MedexamsError), done.output


def test_a_defect_is_told_from_a_wrong_input(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_print_runs", lambda *_: 1 / 0)
    done = run("runs", "list", "--data", data)
    assert done.exit_code == 1
    assert done.stderr.startswith("medexams: a defect of medexams: ZeroDivisionError: division by zero; --debug")


def test_ctrl_c_is_one_line_and_130(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "_print_runs", interrupted)
    done = run("runs", "list", "--data", data)
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == "medexams: interrupted; what was published is as it was\n"


@pytest.mark.parametrize("style", ["table", "csv", "json"])
def test_a_reader_that_goes_away_is_no_error(style: str, data: Path) -> None:
    query = "select repeat('x', 150) as x from range(900)"  # more than a pipe holds
    command = [sys.executable, "-m", "pipelines.cli", "sql", query, "--format", style, "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() in (0, 141)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    done = run("completion", shell)
    assert done.exit_code == 0 and "_MEDEXAMS_COMPLETE" in done.output


def test_completion_knows_commands_and_runs(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def complete(words: str, at: int) -> str:
        env = {"_MEDEXAMS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        return CliRunner(env=env).invoke(cli.main, prog_name="medexams", complete_var="_MEDEXAMS_COMPLETE").output

    monkeypatch.setenv("MEDEXAMS_DATA", str(data))
    assert complete("medexams lea", 1) == "plain,leaderboard\n"
    assert complete("medexams runs show alw", 3).startswith("plain,always-first/medschool-tiny/")


@pytest.mark.parametrize(
    ("name", "value"),
    [("REQUEST_DELAY", "nan"), ("SHRINK_SHARE", "nan"), ("ATTEMPTS", "0"), ("LOCK_WAIT", "inf"), ("MAX_BYTES", "-1"),
     ("READ_TIMEOUT", "0"), ("ATTEMPTS", "many"), ("ACCEPT_SHRINK", "perhaps"), ("PROFILE", "wild")],
)  # fmt: skip
def test_nonsense_settings_are_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name.lower() if name == "PROFILE" else f"MEDEXAMS_{name}"):
        Settings.from_env({f"MEDEXAMS_{name}": value})


def test_a_cell_obeys_no_markup_and_passes_no_control_character() -> None:
    assert cell("[/b]evil [red]\x1b[31m").plain == "[/b]evil [red]\ufffd[31m"


@pytest.mark.parametrize(
    ("args", "said"),
    [(["--verbose", "runs", "list"], True), (["runs", "list", "--verbose"], True), (["runs", "list"], False)],
)
def test_verbose_shows_the_log_wherever_it_stands(
    args: list[str], said: bool, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_print_runs", lambda *_: logging.getLogger("pipelines.store").info("wrote %s", "x"))
    assert ("pipelines.store: wrote x" in run(*args, "--data", data).stderr) is said


def test_the_log_says_what_is_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pipelines")
    Store(tmp_path).write("rejected_row", TABLES["rejected_row"].frame([]))
    assert re.fullmatch(r"wrote rejected_row: 0 rows, \d+\.\d\d s", caplog.messages[0])
