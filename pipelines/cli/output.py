"""How values are printed: tables and cells for a person, JSON for a program, progress on standard error."""

from __future__ import annotations

import codecs
import io
import json
import math
import re
import sys
import textwrap
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

from pipelines.progress import silent
from pipelines.text.printable import json_safe, printable

UNBOUND = 100_000
WIDE = 150
"""Columns that the widest tables of leaderboards and runs take."""
STYLES = ("table", "csv", "json")
ROWS_SHOWN = 1000
"""Rows that are set as a table; a longer one takes long to set, and nobody reads it."""


@contextmanager
def show_progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Bars on a terminal, one for each `what` up to its colon; nothing elsewhere, or with --quiet."""
    context = click.get_current_context(silent=True)
    if not sys.stderr.isatty() or (context is not None and context.meta.get("medexams.quiet")):
        yield silent
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def bar(what: str, done: int, total: int | None) -> None:
            name = what.partition(": ")[0]
            task = tasks.setdefault(name, None) or bars.add_task(printable(what))
            tasks[name] = task
            bars.update(task, completed=done, total=total, description=printable(what))

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
        if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty() and not takes_all():
            sys.stdout.reconfigure(encoding="utf-8")  # data keep every character
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
    return json_safe(json.dumps(value, ensure_ascii=not takes_all(), indent=1))


class _Out(Console):
    """Standard output for tables."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # Rich's own way is exit code 1


def console() -> Console:
    """Standard output; where it is not a terminal, so wide that nothing is cut or folded."""
    return _Out(width=None if sys.stdout.isatty() else UNBOUND, soft_wrap=False)


def is_narrow() -> bool:
    """True on a terminal that a wide table does not fit."""
    return console().width < WIDE


def cell(value: Any) -> Text:
    """A value as it stands: no markup of Rich's in it is obeyed, no control character reaches the terminal."""
    return Text(printable("" if value is None else str(value)))


def echo(text: str, *, err: bool = False) -> None:
    """Print a line; what stands in it from outside can't steer the terminal."""
    click.echo(printable(text), file=sys.stderr if err else sys.stdout)


def echo_sentence(text: str, *, err: bool = False, indent: str = "  ") -> None:
    """Print text, its long lines broken between words on a terminal and set in by `indent`."""
    if (sys.stderr if err else sys.stdout).isatty():
        fill = textwrap.TextWrapper(
            Console(stderr=err).width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        text = "\n".join(fill.fill(line) for line in text.split("\n"))
    echo(text, err=err)


_PLAIN = {"–": "-", "−": "-", "…": "...", "×": "x", "·": "-", "→": "->", "←": "<-", "“": '"', "”": '"', "’": "'"}


def _degraded(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    lost = fault.object[fault.start : fault.end]
    return "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lost), fault.end


codecs.register_error("medexams", _degraded)


def take_any_encoding() -> None:
    """Have what standard output and error can't encode written as plain signs and escapes, instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="medexams")


def takes_all() -> bool:
    """True when standard output can encode every character."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def csv_line(row: Sequence[Any]) -> str:
    """A row as CSV, without its line end. Unlike Python's own writer it quotes a lone carriage return."""
    texts = ["" if v is None else str(v) for v in row]
    quoted = ['"' + t.replace('"', '""') + '"' if re.search('[",\r\n]', t) else t for t in texts]
    return ",".join(quoted) if quoted != [""] else '""'  # a lone empty field would be a blank line


def number(value: Any) -> str:
    """A number without idle zeros; a dash where there is none."""
    return "–" if value is None else f"{float(value):g}"
