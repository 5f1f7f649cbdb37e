"""Opening the published warehouse to read it; what to do where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from pipelines.cli.output import plain
from pipelines.errors import MedexamsError
from pipelines.settings import Settings
from pipelines.store.upkeep import writer_of

_LOCKED: dict[str, Any] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
}
"""Settings of a connection that can't leave the file it was opened on, and can't be talked out of it."""


@contextmanager
def open_warehouse(settings: Settings, *, locked: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published warehouse, read-only; `locked` for queries that somebody else wrote.

    Raises MedexamsError, with what to do, where there is none or it can't be opened.
    """
    if not settings.warehouse.exists():
        raise MedexamsError(
            f"{settings.warehouse} does not exist yet; run `medexams refresh` first (--profile sample: no network)"
        )
    try:
        con = duckdb.connect(str(settings.warehouse), read_only=True, config=_LOCKED if locked else {})
    except duckdb.Error as fault:
        why = writer_of(settings.warehouse, fault)
        if not why and settings.warehouse.with_name(settings.warehouse.name + ".wal").exists():
            why = f"a program that wrote to {settings.warehouse} was killed; `medexams refresh` mends it"
        fallback = (
            f"{settings.warehouse} can't be opened ({str(fault).splitlines()[0][:200]}); `medexams rollback` takes the "
            "generation before it, `medexams refresh` makes it anew"
        )
        raise MedexamsError(why or fallback) from fault
    with con:
        yield con


def query_warehouse(settings: Settings, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of one query of the published warehouse."""
    with open_warehouse(settings) as con:
        return con.execute(sql, parameters).fetchall()


def records(
    con: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()
) -> list[dict[str, Any]]:
    """A query's rows as dicts of what JSON has: numbers, texts, lists."""
    found = con.execute(sql, values)
    names = [d[0] for d in found.description or []]
    return [dict(zip(names, map(plain, row), strict=True)) for row in found.fetchall()]
