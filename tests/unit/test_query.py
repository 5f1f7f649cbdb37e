"""`medexams sql`: it reads the warehouse and nothing else, and what it prints can't steer a terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from pipelines.cli import main
from pipelines.cli.output import csv_line
from pipelines.text.printable import json_safe, printable

HOSTILE = ["\x1b[31mred", "\x9b31m", "a\rb", "\u202egpj.exe", "a\u2066b", "\x07", "\x85", "x\u2028"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    with duckdb.connect(str(folder / "medexams.duckdb")) as con:
        con.execute("create table run (run_id varchar, n int)")
        con.executemany("insert into run values (?, ?)", [[text, i] for i, text in enumerate(HOSTILE)])
    (tmp_path / "secret.csv").write_text("a,b\nWORDOFTHEFILE,1\n")
    return folder


def sql(data: Path, text: str, *args: str) -> Result:
    return CliRunner().invoke(main, ["sql", text, "--data", str(data), *args])


@pytest.mark.parametrize(
    "text",
    [
        "copy (select 1) to '{0}/out.csv'",
        "copy run to '{0}/out.parquet' (format parquet)",
        "export database '{0}/out'",
        "import database '{0}'",
        "select 1; copy (select 1) to '{0}/out.csv'",
        "prepare q as copy run to '{0}/out.csv'",
        "explain analyze copy run to '{0}/out.csv'",
        "from read_text('{0}/secret.csv')",
        "from '{0}/secret.csv'",
        "from glob('{0}/*')",
        "select * from read_blob('{0}/secret.csv')",
        "attach '{0}/out.db'",
        "attach '{0}/data/medexams.duckdb' as other (read_only)",
        "install httpfs",
        "load httpfs",
        "from 'http://127.0.0.1:1/x.csv'",
        "set enable_external_access = true",
        "reset enable_external_access",
        "set log_query_path = '{0}/out.log'",
        "pragma enable_profiling",
        "create table x (a int)",
        "create temp table x (a int)",
        "drop table run",
        "call enable_logging()",
    ],
)
def test_a_query_reaches_nothing_but_the_warehouse(data: Path, tmp_path: Path, text: str) -> None:
    before = {p.name for p in tmp_path.iterdir()}
    done = sql(data, text.format(tmp_path))
    assert done.exit_code == 2 and "reads the warehouse and nothing else" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "WORDOFTHEFILE" not in done.output and {p.name for p in tmp_path.iterdir()} == before


def test_python_variables_are_no_tables(data: Path) -> None:
    assert "does not exist" in sql(data, "from settings").stderr


@pytest.mark.parametrize(
    "text",
    [
        "from run",
        "select count(*) from run;",
        "with r as (from run) select n from r",
        "describe run",
        "summarize run",
        "show tables",
        "values (1)",
        "explain from run",
        "pivot run on n using count(*)",
        "select table_name, comment from duckdb_tables()",
        "select 1; select 2",
    ],
)
def test_queries_that_read_run(data: Path, text: str) -> None:
    assert sql(data, text, "--json").exit_code == 0


def test_csv_into_a_pipe_is_the_data_unchanged(data: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pipelines.cli", "sql", "--format", "csv", "select run_id from run order by n"],
        env=os.environ | {"MEDEXAMS_DATA": str(data)}, capture_output=True, check=True,
    )  # fmt: skip
    rows = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
    assert [row[0] for row in rows[1:]] == HOSTILE


def test_a_lone_empty_field_is_no_blank_line() -> None:
    assert [csv_line([None]), csv_line([None, ""]), csv_line(['a"b', "c\rd"])] == ['""', ",", '"a""b","c\rd"']


@pytest.mark.parametrize("args", [[], ["--format", "csv"], ["--json"]])
def test_nothing_that_a_terminal_would_obey_reaches_it(data: Path, args: list[str]) -> None:
    screen = on_terminal(["sql", "from run", *args], data)
    assert "gpj.exe" in screen and printable(screen) == screen


def test_an_error_can_not_steer_the_terminal_either(data: Path) -> None:
    screen = on_terminal(["sql", "select 'x\x1b[31m' from nope\x9b31m"], data)
    assert "medexams:" in screen and printable(screen) == screen
    screen = on_terminal(["no\x1b[31msuch"], data)
    assert "No such command" in screen and printable(screen) == screen


def on_terminal(args: list[str], data: Path) -> str:
    """What a command writes to a terminal, as it wrote it."""
    head, tail = pty.openpty()
    environment = os.environ | {"MEDEXAMS_DATA": str(data), "TERM": "dumb", "COLUMNS": "200"}
    command = [sys.executable, "-m", "pipelines.cli", *args]
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=tail, stderr=tail) as process:
        os.close(tail)
        pieces = []
        try:
            while piece := os.read(head, 65536):
                pieces.append(piece)
        except OSError:  # how Linux says that the other end was closed
            pass
        process.wait()
    os.close(head)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def test_json_keeps_the_data_and_escapes_what_a_terminal_obeys() -> None:
    text = json_safe(json.dumps(HOSTILE, ensure_ascii=False))
    assert json.loads(text) == HOSTILE and printable(text) == text


def test_text_of_a_language_is_left_alone() -> None:
    assert printable("全角\u3000空白\tx\u00a0y\né") == "全角\u3000空白\tx\u00a0y\né"
