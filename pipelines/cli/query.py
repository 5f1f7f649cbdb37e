"""`medexams sql`: one read-only query, or somebody else's DuckDB shell."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import duckdb
from rich.table import Column, Table

from pipelines.cli.command import command, data_option
from pipelines.cli.output import cell, console, rows_as_json
from pipelines.cli.warehouse import open_warehouse
from pipelines.errors import MedexamsError, SettingsError
from pipelines.settings import Settings

ROWS_SHOWN = 1000
"""Rows that `sql` sets as a table; a longer one takes long to set, and nobody reads it."""


@command()
@click.argument("query", required=False)
@click.option("--format", "style", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--json", "style", flag_value="json", help="The same as --format json.")
@data_option
def sql(query: str | None, style: str, data: Path | None) -> None:
    """Run a query on the published warehouse (read-only).

    Without QUERY it is read from standard input; on a terminal, a DuckDB shell opens. The tables and views are
    described in docs/schema.md, and docs/queries.md has examples with their results.

    \b
    Examples:
      medexams sql "from leaderboard where rank = 1"
      medexams sql "select verdict, count(*) from pass_grid group by all"
      medexams sql "from compare('model-a', 'model-b')"
      medexams sql --format csv < sql/queries/hard_questions.sql > hard.csv
      medexams sql "select table_name, comment from duckdb_tables()"
      medexams sql                               a shell, where duckdb or harlequin is installed
    """
    settings = Settings.from_env(data=data)
    if query is None and sys.stdin.isatty():
        _shell(settings)
        return
    text = query if query is not None else sys.stdin.read()
    with open_warehouse(settings) as con:
        try:
            if not text.strip():
                raise SettingsError("the query is empty; give one, as in medexams sql 'from leaderboard'")
            found = con.execute(text)
            names = [d[0] for d in found.description or []]
            rows = found.fetchall() if names else []
        except duckdb.Error as fault:
            raise SettingsError(str(fault)) from fault
    if style == "json":
        click.echo(rows_as_json(names, rows))
    elif style == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(["" if v is None else v for v in row] for row in rows)
    else:
        table = Table(*(Column(cell(name)) for name in names))
        for row in rows[:ROWS_SHOWN]:
            table.add_row(*map(cell, row))
        console().print(table)
        if len(rows) > ROWS_SHOWN:
            click.echo(f"the first {ROWS_SHOWN:,} of {len(rows):,} rows; --format csv or json prints all", err=True)


def _shell(settings: Settings) -> None:
    """Open somebody else's DuckDB shell on the published file, read-only."""
    with open_warehouse(settings):
        pass  # says what to do where there is none
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
    for name, flag in (("duckdb", "-readonly"), ("harlequin", "--read-only")):
        if program := shutil.which(name, path=places):
            if code := subprocess.run([program, flag, str(settings.warehouse)], check=False).returncode:
                raise MedexamsError(f"{name} ended with code {code}")
            return
    raise MedexamsError(
        "no DuckDB shell is installed: get one with `pip install duckdb-cli` or `pip install harlequin`, "
        'or give the query: medexams sql "from leaderboard"'
    )
