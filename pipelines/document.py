"""The pages of docs/ that are made from code and data: schema.md, rules.md, commands.md and queries.md.

`python -m pipelines.document` writes them (make docs); tests compare. What is written by hand is not here.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import duckdb

from pipelines.cli import main as medexams
from pipelines.schema import TABLES, Table
from pipelines.scoring import document as rules
from pipelines.settings import Settings
from pipelines.store.sqlfiles import View, sql_queries, sql_views

DOCS = Path(__file__).resolve().parents[1] / "docs"

_STAGES = {
    "questions": "Questions: what the exams ask",
    "runs": "Runs: what models answered",
    "scores": "Scores: what the answers earn",
    "rules": "Rules: the exams' own, as data",
    "releases": "Releases: what was fetched and not used",
}


def schema() -> str:
    """docs/schema.md: a picture of the keys, then every table with its columns."""
    parts = [
        "# Schema",
        "Made from `pipelines/schema/` by `make docs`. Each table and column has the same text as a comment in the "
        "published file (`select * from duckdb_columns()`). Text is NFC, times are UTC, scores are decimals.",
        _picture(),
    ]
    for group, heading in _STAGES.items():
        parts.append(f"## {heading}")
        parts += [_table(t) for t in TABLES.values() if t.group == group]
    parts.append(
        "## Views: common questions, ready to read\n\nOnly in the published file; each is a SELECT in `sql/views`."
    )
    parts += [_view(v) for v in sql_views()]
    return "\n\n".join(parts) + "\n"


def _picture() -> str:
    lines = ["```mermaid", "erDiagram"]
    for table in TABLES.values():
        for r in table.references:
            optional = any(table.column(c).nullable for c in r.columns)
            unique = table.key == r.columns
            ends = f"{'|o' if optional else '||'}--{'o|' if unique else 'o{'}"
            lines.append(f'    {r.table} {ends} {table.name} : "{", ".join(r.columns)}"')
    for table in TABLES.values():
        lines.append(f"    {table.name} {{")
        for c in table.columns:
            marks = (["PK"] if c.name in table.key else []) + (
                ["FK"] if any(c.name in r.columns for r in table.references) else []
            )
            lines.append(f"        {c.type.split('(')[0]} {c.name} {', '.join(marks)}".rstrip())
        lines.append("    }")
    return "\n".join([*lines, "```"])


def _table(table: Table) -> str:
    lines = [f"### {table.name}", "", table.description, ""]
    key = f"Key: {', '.join(f'`{k}`' for k in table.key)}." if table.key else "No key: a log."
    refers = "; ".join(f"`{', '.join(r.columns)}` → `{r.table}`" for r in table.references)
    lines += [
        key + (f" Refers to: {refers}." if refers else ""),
        "",
        "| column | type | null | meaning |",
        "|---|---|---|---|",
    ]
    for c in table.columns:
        name = f"**{c.name}**" if c.name in table.key else c.name
        lines.append(f"| {name} | {c.type} | {'yes' if c.nullable else ''} | {c.comment.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def _view(view: View) -> str:
    parameters = ", ".join(f"'{p}'" for p in view.parameters)
    lines = [f"### {view.name}", "", view.says, ""]
    if view.parameters:
        lines += [f"A table macro: `from {view.name}({parameters})`.", ""]
    lines += ["| column | meaning |", "|---|---|", *(f"| {c} | {_cell(says)} |" for c, says in view.columns.items())]
    return "\n".join(lines)


# ---- commands.md -------------------------------------------------------------------------------------------------

_HELP = """# Commands

What `medexams COMMAND --help` says of each command, made by `make docs`. How they are used together stands in
[operating.md](operating.md) and [runs.md](runs.md)."""


def commands() -> str:
    """docs/commands.md: every command with its options and examples."""
    found = "\n\n".join(f"## {path}\n\n```text\n{text}\n```" for path, text in _helps(medexams, "medexams"))
    return f"{_HELP}\n\n{found}\n"


def _helps(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    """The name and the help of a command and of all those below it."""
    names = ["-h", "--help"]  # as under the command itself
    context = click.Context(command, info_name=path, max_content_width=100, terminal_width=100, help_option_names=names)
    yield path, command.get_help(context)
    for name, part in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _helps(part, f"{path} {name}")


# ---- queries.md: made from a warehouse ---------------------------------------------------------------------------

_ROWS, _WIDTH = 8, 90
_ADVICE = """# Queries

What people ask of the warehouse, each with its answer on the bundled sample (made by `make docs`; a test compares). The
sample is small and was written for this project: the figures say nothing about any model. Run one on your own data:

```sh
medexams sql "from leaderboard"                      # any query; DuckDB's short form works
medexams sql --format csv < sql/queries/pass_grid.sql
medexams sql                                         # a shell, where a DuckDB shell is installed
duckdb -readonly data/medexams.duckdb                # the file is an ordinary DuckDB database
```

Every table and column has a comment: `select table_name, comment from duckdb_tables()`, `… from duckdb_columns()`.
[schema.md](schema.md) lists them all. Long texts are cut here, figures rounded; at most {rows} rows are shown."""


def queries(warehouse: Path) -> str:
    """docs/queries.md: each query of sql/queries with its result on a published sample."""
    parts = [_ADVICE.format(rows=_ROWS)]
    with duckdb.connect(str(warehouse), read_only=True) as con:
        for query in sql_queries():
            found = con.execute(query.sql)
            names = [d[0] for d in found.description or []]
            parts.append(f"## {query.says}")
            parts.append(f"`sql/queries/{query.name}.sql`\n\n```sql\n{query.sql}\n```")
            parts.append(_result(names, found.fetchall()))
    return "\n\n".join(parts) + "\n"


def _result(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    if not rows:
        return "No rows on the sample."
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(v) for v in row)} |" for row in rows[:_ROWS]]
    more = len(rows) - _ROWS
    return "\n".join(lines) + (f"\n\n… and {more} more." if more > 0 else "")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{round(value, 3).normalize():f}" if isinstance(value, Decimal) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    text = re.sub(r"\s+", " ", text)
    text = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def sample_warehouse(data: Path) -> Path:
    """Refresh the bundled sample into an empty folder; returns the published file."""
    from pipelines.definitions import run_job  # Dagster takes a while to import; the other pages do not need it

    settings = Settings.from_env({}, profile="sample", data=data)
    run_job(settings, "refresh")
    return settings.warehouse


PAGES = {"schema.md": schema, "rules.md": rules.render, "commands.md": commands}


def main() -> None:
    """Write all pages."""
    for name, render in PAGES.items():
        (DOCS / name).write_text(render(), encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="medexams-") as folder:
        (DOCS / "queries.md").write_text(queries(sample_warehouse(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
