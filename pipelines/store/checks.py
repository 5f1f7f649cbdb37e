"""Checks: queries for the rows that break a rule, those that the schema implies among them.

DuckDB does the checking, so that the same queries serve a write, an asset check and the published file. The checks
written as files stand in sql/checks (sqlfiles.py reads them).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipelines.schema import Table


@dataclass(frozen=True)
class Check:
    """A query over the tables `reads` for the offending rows of one; none is a pass. `says`: the rule as a sentence."""

    name: str
    table: str
    says: str
    sql: str
    reads: tuple[str, ...]


def quoted(text: str | Path) -> str:
    """An SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def name_of(column: str) -> str:
    """A column's name as SQL takes it, whatever word it is."""
    return f'"{column}"'


def schema_checks(table: Table, source: str | None = None) -> list[Check]:
    """The checks that the schema implies for a table: nulls, permitted values, key, references, not empty."""
    name = source or table.name
    checks = []
    required = [c for c in table.columns if not c.nullable]
    if required:
        where = " or ".join(f"{name_of(c.name)} is null" for c in required)
        says = f"{table.name}: no required column is null"
        checks.append(Check(f"{table.name}_not_null", table.name, says, f"select * from {name} where {where}", (name,)))
    for c in table.columns:
        if c.values:
            values = ", ".join(quoted(v) for v in c.values)
            says = f"{table.name}: {c.name} is one of {', '.join(c.values)}"
            sql = f"select * from {name} where {name_of(c.name)} not in ({values})"
            checks.append(Check(f"{table.name}_{c.name}_values", table.name, says, sql, (name,)))
    if table.key:
        key = ", ".join(map(name_of, table.key))
        says = f"{table.name}: ({', '.join(table.key)}) is unique"
        sql = f"select {key}, count(*) as times from {name} group by {key} having count(*) > 1"
        checks.append(Check(f"{table.name}_key", table.name, says, sql, (name,)))
    for r in table.references:
        on = " and ".join(f"a.{x} = b.{y}" for x, y in zip(r.columns, r.to_columns, strict=True))
        given = " and ".join(f"a.{x} is not null" for x in r.columns)
        says = f"{table.name}: ({', '.join(r.columns)}) stands in {r.table}"
        sql = f"select a.* from {name} a anti join {r.table} b on {on} where {given}"
        checks.append(Check(f"{table.name}_{'_'.join(r.columns)}_reference", table.name, says, sql, (name, r.table)))
    if table.not_empty:
        says = f"{table.name}: there is at least one row"
        sql = f"select 'no row' as problem where not exists (select 1 from {name})"
        checks.append(Check(f"{table.name}_not_empty", table.name, says, sql, (name,)))
    return checks


def offending(con: duckdb.DuckDBPyConnection, check: Check, limit: int = 3) -> tuple[int, list[str]]:
    """How many rows break a check, and the first few as text."""
    rows = con.execute(f"select * from (\n{check.sql}\n) as offending").fetchall()
    names = [d[0] for d in con.description or []]
    shown = [", ".join(f"{n}={str(v)[:60]}" for n, v in zip(names, row, strict=True)) for row in rows[:limit]]
    return len(rows), shown
