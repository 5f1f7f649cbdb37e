"""The published warehouse: one DuckDB file made of all tables, checked before it takes the place of the last one.

Tables are written in tables.py; what a valid one is stands in the schema.
"""

from __future__ import annotations

import json
import logging
import uuid
from functools import cache
from pathlib import Path

import duckdb

from pipelines.durable import make_durable, sync_folder, write_atomically
from pipelines.errors import StoreError
from pipelines.schema import TABLES, Table
from pipelines.store import changes
from pipelines.store.checks import name_of, offending, quoted, schema_checks
from pipelines.store.code import code_of
from pipelines.store.sqlfiles import SQL, View, sql_checks, sql_views
from pipelines.store.tables import Store, read_meta
from pipelines.store.upkeep import keep_generation, keep_tables, sweep_wal

log = logging.getLogger(__name__)

STORAGE_VERSION = "v1.4.0"
STAMP = "published.json"
"""File beside the tables that says which of them the published file was made of."""


def unfit(store: Store) -> list[str]:
    """Why the tables on disk do not fit together, each with the asset to run; empty when they do."""
    version = cache(store.version)
    problems = []
    for name in (name for name in TABLES if name != changes.NAME):  # made in publishing
        files = store.files(name)
        if not files and not TABLES[name].in_parts:
            problems.append(f"{name} has not been made; run the asset {name}")
        for file in files:
            for source, recorded in read_meta(file).inputs.items():
                if version(source) != recorded:
                    what = f"{name} ({file.stem})" if TABLES[name].in_parts else name
                    problems.append(f"{what} was made from an older {source}; run the asset {name}")
    return problems


def is_published(store: Store, target: Path) -> bool:
    """Whether the file at `target` is the one that publishing would make of the tables on disk."""
    try:
        return json.loads((store.root / STAMP).read_text(encoding="utf-8")) == _stamp(store, target)
    except (OSError, ValueError):
        return False


def _stamp(store: Store, target: Path) -> list[str]:
    """What a published file is known by: the file itself, the tables' versions, the code that made it."""
    seen = target.stat()
    tables = [f"{name} {store.version(name)}" for name in TABLES]
    code = code_of(__name__, folders=(SQL / "views", SQL / "checks", SQL / "changes"))
    return [f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns}", *tables, code]


def publish(store: Store, target: Path, keep: int = 3) -> dict[str, int]:
    """Build the warehouse beside `target`, check it, and put it in place; returns rows by table.

    A reader of the old file keeps it; the last `keep` generations stay in DATA/generations. Raises StoreError, and
    then the published file is as it was.
    """
    if problems := unfit(store):
        raise StoreError(f"the tables do not fit together: {'; '.join(problems[:5])}")
    sweep_wal(target)
    changes.note(store, target)
    temp = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    counts: dict[str, int] = {}
    try:
        with duckdb.connect() as con:
            con.execute("set TimeZone = 'UTC'")
            con.execute(f"attach {quoted(temp)} as warehouse (storage_version {quoted(STORAGE_VERSION)})")
            con.execute("use warehouse")
            for table in TABLES.values():
                counts[table.name] = _fill(con, table, store.files(table.name))
            for view in sql_views():
                create_view(con, view)
            for check in [c for t in TABLES.values() for c in schema_checks(t)] + sql_checks():
                count, rows = offending(con, check)
                if count:
                    raise StoreError(
                        f"{check.says}: {count} rows break this, the first: {rows[0]}; nothing was published"
                    )
            con.execute("checkpoint warehouse")
            con.execute("use memory")
            con.execute("detach warehouse")
        make_durable(temp)
        sweep_wal(target)
        keep_generation(target, keep)
        temp.replace(target)
        sync_folder(target.parent)
        write_atomically(store.root / STAMP, json.dumps(_stamp(store, target)).encode())
        keep_tables(target, store.root)
    except duckdb.Error as fault:
        raise StoreError(f"the warehouse could not be built ({str(fault).splitlines()[0][:300]})") from fault
    finally:
        temp.unlink(missing_ok=True)
        temp.with_name(temp.name + ".wal").unlink(missing_ok=True)
    log.info("published %s: %d tables, %d rows", target, len(counts), sum(counts.values()))
    return counts


def _fill(con: duckdb.DuckDBPyConnection, table: Table, files: list[Path]) -> int:
    columns = ", ".join(f"{name_of(c.name)} {c.type}{'' if c.nullable else ' not null'}" for c in table.columns)
    con.execute(f"create table {table.name} ({columns})")
    if files:
        listed = ", ".join(quoted(f) for f in files)
        order = f"order by {', '.join(map(name_of, table.key))}" if table.key else ""
        names = ", ".join(map(name_of, table.column_names))
        con.execute(f"insert into {table.name} select {names} from read_parquet([{listed}]) {order}")
    con.execute(f"comment on table {table.name} is {quoted(table.description)}")
    for c in table.columns:
        con.execute(f"comment on column {table.name}.{name_of(c.name)} is {quoted(c.comment)}")
    return int(con.execute(f"select count(*) from {table.name}").fetchall()[0][0])


def create_view(con: duckdb.DuckDBPyConnection, view: View) -> None:
    """A view, or a table macro, with its comments."""
    if view.parameters:
        con.execute(f"create macro {view.name}({', '.join(view.parameters)}) as table ({view.sql}\n)")
        con.execute(f"comment on macro table {view.name} is {quoted(view.says)}")
        return
    con.execute(f"create view {view.name} as {view.sql}")
    con.execute(f"comment on view {view.name} is {quoted(view.says)}")
    for column, says in view.columns.items():
        con.execute(f"comment on column {view.name}.{column} is {quoted(says)}")
