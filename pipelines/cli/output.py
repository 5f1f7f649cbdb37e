"""How values are printed: tables and cells for a person, JSON for a program, progress on standard error."""

from __future__ import annotations

import json
import math
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
from rich.text import Text

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
                click.echo(f"{what}: {done}{f' of {total}' if total else ''}", err=True)

        yield line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def bar(what: str, done: int, total: int | None) -> None:
            task = tasks.setdefault(what, None) or bars.add_task(what)
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


def dump(value: Any) -> str:
    """Any value as JSON that a person can read."""
    return json.dumps(value, ensure_ascii=False, indent=1)


class _Out(Console):
    """Standard output for tables."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # Rich's own way is exit code 1


def console() -> Console:
    """Standard output; where it is no terminal, wide enough that nothing is cut."""
    return _Out(width=None if sys.stdout.isatty() else 200, soft_wrap=False)


def cell(value: Any) -> Text:
    """A value as it stands: no markup of Rich's in it is obeyed, no control character reaches the terminal."""
    text = "" if value is None else str(value)
    return Text("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text))
