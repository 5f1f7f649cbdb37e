"""Tables that are one SELECT in a file: which there are, what each reads, and how one is made.

sql/scores/*.sql and sql/tables/*.sql: the file's name is the table's, its first comment line says what the table is.
One table, released_answer, is put together from the benchmarks' released.sql. A file names tables, never files; what it reads is found by walking the parsed statement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from pipelines.schema import TABLES
from pipelines.scoring import released
from pipelines.store import SQL, Meta, Store


@dataclass(frozen=True)
class SqlTable:
    """One statement: the table it makes, the file it stands in, the SELECT, and the tables that it reads."""

    name: str
    file: str
    sql: str
    inputs: tuple[str, ...]


@cache
def sql_tables() -> dict[str, SqlTable]:
    """All SQL tables by name."""
    found = {}
    for folder in ("tables", "scores"):
        for path in sorted((SQL / folder).glob("*.sql")):
            sql = path.read_text(encoding="utf-8").rstrip().rstrip(";")
            found[path.stem] = _table(path.stem, f"sql/{folder}/{path.name}", sql)
    found[released.TABLE] = _table(released.TABLE, "pipelines/scoring/released.py", released.statement())
    return found


def _table(name: str, file: str, sql: str) -> SqlTable:
    inputs = reads(sql)
    unknown = [t for t in (name, *inputs) if t not in TABLES]
    if unknown:
        raise ValueError(f"{file}: {', '.join(unknown)} is not a table of schema.py")
    return SqlTable(name, file, sql, tuple(inputs))


def reads(sql: str) -> list[str]:
    """Names of the tables that a SELECT reads, sorted; its own CTEs are not among them."""
    with duckdb.connect() as con:
        tree = json.loads(con.execute("select json_serialize_sql(?)", [sql]).fetchall()[0][0])
    if tree.get("error"):
        raise ValueError(f"not a SELECT: {tree.get('error_message')}")
    nodes = list(_nodes(tree))
    ctes = {entry["key"] for n in nodes if isinstance(n.get("cte_map"), dict) for entry in n["cte_map"].get("map", [])}
    return sorted({n["table_name"] for n in nodes if n.get("type") == "BASE_TABLE"} - ctes)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)


def make(store: Store, name: str) -> Meta:
    """Compute one SQL table over the tables on disk and write it. Raises StoreError."""
    table = sql_tables()[name]
    return store.write(name, table.sql, table.inputs)
