"""Opening the published warehouse to read it; what to do where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from pipelines.errors import MedexamsError
from pipelines.settings import Settings

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
        raise MedexamsError(
            f"{settings.warehouse} can't be opened ({str(fault).splitlines()[0][:200]}); "
            f"delete it and refresh, or take one of {settings.data}/generations"
        ) from fault
    with con:
        yield con


def query_warehouse(settings: Settings, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of one query of the published warehouse."""
    with open_warehouse(settings) as con:
        return con.execute(sql, parameters).fetchall()
