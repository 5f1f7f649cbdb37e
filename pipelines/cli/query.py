"""`medexams sql`: one query of the warehouse, which can reach nothing else, or DuckDB's own shell locked as well."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import duckdb

from pipelines.cli.command import command, data_option, style_options
from pipelines.cli.output import print_rows
from pipelines.cli.warehouse import open_warehouse
from pipelines.errors import MedexamsError, SettingsError
from pipelines.settings import Settings

QUERIES = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.MULTI)
"""What may run: FROM, WITH, VALUES, DESCRIBE, SUMMARIZE and SHOW are SELECT too, a PIVOT is MULTI."""
ONLY_READS = "`medexams sql` reads the warehouse and nothing else: no files, no network, no extensions, no settings"


@command()
@click.argument("query", required=False)
@style_options()
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
      medexams sql                               a shell, where duckdb is installed
    """
    settings = Settings.from_env(data=data)
    if query is None and sys.stdin.isatty():
        _shell(settings)
        return
    text = query if query is not None else sys.stdin.read()
    with open_warehouse(settings, locked=True) as con:
        try:
            if not text.strip():
                raise SettingsError("the query is empty; give one, as in medexams sql 'from leaderboard'")
            for statement in con.extract_statements(text):
                if statement.type not in QUERIES:
                    raise SettingsError(f"{statement.type.name} is not allowed: {ONLY_READS}")
            found = con.execute(text)
            names = [d[0] for d in found.description or []]
            rows = found.fetchall() if names else []
        except duckdb.PermissionException as fault:
            raise SettingsError(f"the query asks for more than it may: {ONLY_READS}") from fault
        except duckdb.Error as fault:
            raise SettingsError(str(fault)) from fault
    print_rows(style, names, rows)


def _shell(settings: Settings) -> None:
    """Open DuckDB's shell on the published file, read-only, without files, network or dot commands that reach out."""
    with open_warehouse(settings):
        pass  # says what to do where there is none
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
    program = shutil.which("duckdb", path=places)
    if not program:
        raise MedexamsError(
            "no DuckDB shell is installed: get one with `pip install duckdb-cli`, "
            'or give the query: medexams sql "from leaderboard"'
        )
    signal.set_wakeup_fd(-1)  # Ctrl-C is the shell's now
    if code := subprocess.run([program, "-safe", "-readonly", str(settings.warehouse)], check=False).returncode:
        raise MedexamsError(f"duckdb ended with code {code}")
