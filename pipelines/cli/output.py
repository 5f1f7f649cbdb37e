"""How values are printed: tables and cells for a person, JSON for a program, progress on standard error."""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from pipelines.text.printable import json_safe, printable

STYLES = ("table", "csv", "json")
ROWS_SHOWN = 1000
"""Rows that are set as a table; a longer one takes long to set, and nobody reads it."""
STALE_AFTER = 0.5
"""Seconds between two progress lines where there is no terminal."""


@contextmanager
def show_progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """A bar on a terminal, else a line now and then, both on standard error."""
    if not sys.stderr.isatty():
        last = 0.0

        def line(what: str, done: int, total: int | None) -> None:
            nonlocal last
            if done == total or time.monotonic() - last > STALE_AFTER:
                last = time.monotonic()
                echo(f"{what}: {done}{f' of {total}' if total else ''}", err=True)

        yield line
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def bar(what: str, done: int, total: int | None) -> None:
            task = tasks.setdefault(what, None) or bars.add_task(printable(what))
            tasks[what] = task
            bars.update(task, completed=done, total=total)

        yield bar


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers stay numbers, times are ISO 8601."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | list | dict) or value is None else str(value)


def rows_as_json(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> str:
    """Rows as a JSON list of objects."""
    return dump([dict(zip(names, map(plain, row), strict=True)) for row in rows])


def print_rows(style: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows as a table, which is cut after ROWS_SHOWN, as CSV or as JSON."""
    if style == "json":
        echo(rows_as_json(names, rows))
    elif style == "csv":
        for line in (csv_line(row) for row in (names, *rows)):
            # A pipe gets the data as they are, a terminal nothing that it would obey.
            sys.stdout.write((printable(line) if sys.stdout.isatty() else line) + "\n")
    else:
        table = Table(*(Column(cell(name)) for name in names))
        for row in rows[:ROWS_SHOWN]:
            table.add_row(*map(cell, row))
        console().print(table)
        if len(rows) > ROWS_SHOWN:
            echo(f"the first {ROWS_SHOWN:,} of {len(rows):,} rows; --format csv or json prints all", err=True)


def dump(value: Any) -> str:
    """Any value as JSON that a person can read."""
    return json_safe(json.dumps(value, ensure_ascii=False, indent=1))


class _Out(Console):
    """Standard output for tables."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # Rich's own way is exit code 1


def console() -> Console:
    """Standard output; where it is not a terminal, wide enough that nothing is cut."""
    return _Out(width=None if sys.stdout.isatty() else 200, soft_wrap=False)


def cell(value: Any) -> Text:
    """A value as it stands: no markup of Rich's in it is obeyed, no control character reaches the terminal."""
    return Text(printable("" if value is None else str(value)))


def echo(text: str, *, err: bool = False) -> None:
    """Print a line; what stands in it from outside can't steer the terminal."""
    click.echo(printable(text), err=err)


def csv_line(row: Sequence[Any]) -> str:
    """A row as CSV, without its line end. Unlike Python's own writer it quotes a lone carriage return."""
    texts = ["" if v is None else str(v) for v in row]
    quoted = ['"' + t.replace('"', '""') + '"' if re.search('[",\r\n]', t) else t for t in texts]
    return ",".join(quoted) if quoted != [""] else '""'  # a lone empty field would be a blank line


def number(value: Any) -> str:
    """A number without idle zeros; a dash where there is none."""
    return "–" if value is None else f"{float(value):g}"
