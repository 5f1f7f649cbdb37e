"""What differs between two generations of the warehouse, each difference with its cause: the table refresh_change.

sql/changes holds the comparison, one SELECT a file: those of STEPS prepare, those of KINDS give rows. This module puts
the two sides where they look for them: the newer one's tables by their names, the older one's in the schema `before`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl

from pipelines.schema import TABLES, Table
from pipelines.store import sqlheader
from pipelines.store.checks import name_of, quoted
from pipelines.store.sqlfiles import SQL
from pipelines.store.tables import Meta, Store, query
from pipelines.vocabulary import CHANGE_KINDS

log = logging.getLogger(__name__)

NAME = "refresh_change"
STEPS = ("changed_row", "changed_key", "moved_item")
MOST = 1000
"""Rows of one kind that are kept; one more says how many there are besides. Those whose cause is a key come first."""
_UNTOLD = {"dataset": ("fetched_at",), "run": ("created_at", "reader"), "question": ("source_url",)}
"""Columns whose change says nothing: when something was read, and where exactly."""


def note(store: Store, published: Path) -> Meta:
    """Write refresh_change: the tables on disk against the published file; empty where there is none to open."""
    with store.connect() as con, _attached(con, published) as there:
        for table in TABLES.values():
            if not store.exists(table.name):
                _side(con, table, "no file", table.name)
        rows = _changes(con) if there else TABLES[NAME].frame([])
    return store.write(NAME, rows)


def between(old: Path, new: Path) -> pl.DataFrame:
    """The rows of refresh_change for two published files. Raises duckdb.Error when one can't be opened."""
    with duckdb.connect() as con:
        con.execute(f"attach {quoted(old)} as old_file (read_only)")
        con.execute(f"attach {quoted(new)} as new_file (read_only)")
        for table in TABLES.values():
            _side(con, table, "new_file", table.name)
        _before(con)
        return _changes(con)


@contextmanager
def _attached(con: duckdb.DuckDBPyConnection, published: Path) -> Iterator[bool]:
    """The published file as the older side; False where there is none, or none that can be opened."""
    try:
        if published.exists():
            con.execute(f"attach {quoted(published)} as old_file (read_only)")
            _before(con)
    except duckdb.Error as fault:
        log.info("nothing to compare with: %s", str(fault).splitlines()[0])
        yield False
    else:
        yield published.exists()


def _before(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create schema before")
    for table in TABLES.values():
        _side(con, table, "old_file", f"before.{table.name}")


def _side(con: duckdb.DuckDBPyConnection, table: Table, file: str, name: str) -> None:
    """A view of a file's table with the columns of schema.py: what an older file lacks is null."""
    sql = "select column_name from duckdb_columns() where database_name = ? and table_name = ?"
    there = {column for (column,) in con.execute(sql, [file, table.name]).fetchall()}
    columns = (
        name_of(c.name) if c.name in there else f"cast(null as {c.type}) as {name_of(c.name)}" for c in table.columns
    )
    source = f"from {file}.{table.name}" if there else "where false"
    con.execute(f"create view {name} as select {', '.join(columns)} {source}")


def _changes(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    for name in ("question", "choice", "answer_key"):
        sides = f"select 'old' as side, * from before.{name} union all by name select 'new' as side, * from {name}"
        con.execute(f"create view both_{name} as {sides}")
    facts = (_facts(t, side) for t in TABLES.values() for side in ("old", "new") if _is_told(t))
    con.execute(f"create view fact as {' union all '.join(facts)}")
    for name in STEPS:
        con.execute(f"create temp table {name} as {_sql(name)}")
    kinds = " union all by name ".join(f"({_sql(name)})" for name in CHANGE_KINDS)
    return query(con, _CAPPED.format(kinds=kinds, most=MOST))


def _sql(name: str) -> str:
    return sqlheader.read(SQL / "changes" / f"{name}.sql").statement


def _is_told(table: Table) -> bool:
    return table.name in _UNTOLD or (table.group == "rules" and table.name.startswith("rule_"))


def _facts(table: Table, side: str) -> str:
    """The rows of a table as JSON by their key, so that one SELECT compares the rows of all tables."""
    schema = "before" if side == "old" else "main"
    told = [c.name for c in table.columns if c.name not in (*table.key, *_UNTOLD.get(table.name, ()))]
    source = f"{schema}.{table.name}"
    if table.name == "question":  # its choices are part of it
        told.append("choices")
        source = _WITH_CHOICES.format(schema=schema)
    cells = ", ".join(f"{quoted(c)}: {name_of(c)}" for c in told)
    subject = f"concat_ws('/', {', '.join(map(name_of, table.key))})"
    return (
        f"select {quoted(side)} as side, {quoted(table.name)} as table_name, {subject} as subject, "
        f"to_json({{{cells}}}) as facts from {source}"
    )


_WITH_CHOICES = """(
    select q.*, c.choices
    from {schema}.question as q
    left join (
        select question_id, string_agg(label || '. ' || text, ' | ' order by position) as choices
        from {schema}.choice
        group by question_id
    ) as c on q.question_id = c.question_id
)"""
_CAPPED = """
with numbered as (
    select
        *,
        row_number() over (partition by kind order by starts_with(cause, 'key') desc, subject) as place,
        count(*) over (partition by kind) as n
    from ({kinds})
)

select * exclude (place, n) from numbered where place <= {most}
union all by name
select kind, '… and ' || (n - {most}) || ' more' as subject, 'not listed' as cause
from numbered
where place = {most} + 1
"""
