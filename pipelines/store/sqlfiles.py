"""The files of sql/: tables, views, checks and queries, one SELECT each; what a table reads, and how one is made.

The file's name is the table's (sql/scores, sql/tables) or the view's; sqlheader.py reads what stands at its top. A file
names tables, never files; what it reads is found by walking the parsed statement.
One table, released_answer, is put together from the benchmarks' released.sql.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from pipelines.errors import StoreError
from pipelines.registry import benchmarks
from pipelines.schema import TABLES
from pipelines.store import sqlheader
from pipelines.store.checks import Check, offending
from pipelines.store.code import code_of
from pipelines.store.tables import Meta, Store

SQL = Path(__file__).resolve().parents[2] / "sql"


@dataclass(frozen=True)
class SqlTable:
    """One statement: the table it makes, the file it stands in, the SELECT, and the tables that it reads."""

    name: str
    file: str
    sql: str
    inputs: tuple[str, ...]

    @property
    def code(self) -> str:
        """The fingerprint of the statement and of what runs it."""
        return code_of(text=self.sql)


@dataclass(frozen=True)
class View:
    """A view of the published file, or with parameters a table macro: what it gives, its columns, its SELECT."""

    name: str
    says: str
    columns: dict[str, str]
    parameters: tuple[str, ...]
    sql: str


@dataclass(frozen=True)
class Query:
    """A ready question about the published file."""

    name: str
    says: str
    sql: str


@cache
def sql_tables() -> dict[str, SqlTable]:
    """All SQL tables by name."""
    found = {}
    for folder in ("tables", "scores"):
        for path in sorted((SQL / folder).glob("*.sql")):
            sql = sqlheader.read(path).statement
            found[path.stem] = _table(path.stem, f"sql/{folder}/{path.name}", sql)
    found["released_answer"] = _table("released_answer", "pipelines/benchmarks", _released())
    return found


def _released() -> str:
    """One SELECT of the released.sql of all benchmarks that have one.

    Each is a SELECT over the tables for its own benchmark's predictions, with the columns of released_answer. It gives
    the rows that its scorer may read otherwise than they are read here; what it leaves out is taken as read here.
    """
    table = TABLES["released_answer"]
    columns = ", ".join(table.column_names)
    files = [f for b in benchmarks().values() if (f := b.folder / "released.sql").is_file()]
    parts = [f"select {columns}\nfrom (\n{sqlheader.read(f).statement}\n)" for f in files]
    nothing = ", ".join(f"cast(null as {c.type}) as {c.name}" for c in table.columns)
    return "\nunion all\n".join(parts) or f"select {nothing}\nfrom prediction\nwhere false"


def _table(name: str, file: str, sql: str) -> SqlTable:
    inputs = reads(sql)
    unknown = [t for t in (name, *inputs) if t not in TABLES]
    if unknown:
        raise ValueError(f"{file}: {', '.join(unknown)} is not a table of the schema")
    return SqlTable(name, file, sql, inputs)


@cache
def reads(sql: str) -> tuple[str, ...]:
    """Names of the tables that a SELECT reads, sorted; its own CTEs are not among them."""
    with duckdb.connect() as con:
        tree = json.loads(con.execute("select json_serialize_sql(?)", [sql]).fetchall()[0][0])
    if tree.get("error"):
        raise ValueError(f"not a SELECT: {tree.get('error_message')}")
    nodes = list(_nodes(tree))
    ctes = {entry["key"] for n in nodes if isinstance(n.get("cte_map"), dict) for entry in n["cte_map"].get("map", [])}
    return tuple(sorted({n["table_name"] for n in nodes if n.get("type") == "BASE_TABLE"} - ctes))


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)


def make(
    store: Store,
    name: str,
    computed: Callable[[Store, str], AbstractContextManager[str]] = lambda store, sql: nullcontext(sql),
) -> Meta:
    """Compute one SQL table over the tables on disk and write it, unless it was made of these. Raises StoreError.

    `computed` gives the SELECT that has its rows (pipelines/engines); by default the table's own.
    """
    table = sql_tables()[name]
    if meta := store.kept(name, table.inputs, table.code):
        return meta
    with computed(store, table.sql) as rows:
        return store.write(name, rows, table.inputs, code=table.code)


def sql_checks() -> list[Check]:
    """The checks of sql/checks: each file, named TABLE__RULE.sql, is a query for offending rows.

    Its header is the rule as a sentence.
    """
    found = []
    for path in sorted((SQL / "checks").glob("*.sql")):
        header = sqlheader.read(path)
        name, table = path.stem.replace("__", "_"), path.stem.split("__")[0]
        found.append(Check(name, table, header.says, header.statement, reads(header.statement)))
    return found


def check_tables(store: Store, names: Iterable[str]) -> None:
    """Run the checks that read these tables and no others. Raises StoreError at the first that is broken."""
    with store.connect(names) as con:
        for check in sql_checks():
            if set(check.reads) <= set(names):
                count, rows = offending(con, check)
                if count:
                    raise StoreError(f"{check.says} {count} rows break this, the first: {rows[0]}")


def sql_views() -> list[View]:
    """The views of sql/views: each file is a SELECT over tables, and its name is the view's.

    The notes of its header are its columns. The note `parameters: a, b (…)` makes it a macro, whose SELECT names the
    parameters like columns. A view may read one whose name stands before its own.
    """
    found = []
    for path in sorted((SQL / "views").glob("*.sql")):
        header = sqlheader.read(path, notes=None)
        columns = dict(header.notes)
        given = columns.pop("parameters", "").split("(")[0]
        parameters = tuple(name.strip() for name in given.split(",") if name.strip())
        found.append(View(path.stem, header.says, columns, parameters, header.statement))
    return found


def sql_queries() -> list[Query]:
    """The ready questions of sql/queries; the header is the question."""
    headers = {path.stem: sqlheader.read(path) for path in sorted((SQL / "queries").glob("*.sql"))}
    return [Query(name, header.says, header.statement) for name, header in headers.items()]
