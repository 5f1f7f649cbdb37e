"""Opening the published warehouse to read it; what to do where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from pipelines.errors import MedexamsError
from pipelines.settings import Settings


@contextmanager
def open_warehouse(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published warehouse, read-only. Raises MedexamsError, with what to do, where there is none."""
    if not settings.warehouse.exists():
        raise MedexamsError(
            f"{settings.warehouse} does not exist yet; run `medexams refresh` first (--profile sample: no network)"
        )
    try:
        con = duckdb.connect(str(settings.warehouse), read_only=True)
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
