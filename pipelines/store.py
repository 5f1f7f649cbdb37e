"""Tables on disk: validated, atomic writes of Parquet files, and the published DuckDB warehouse made of them.

What a valid table is comes from schema.py; what a table holds is computed elsewhere. DuckDB does the checking, so that
the same queries serve a write, an asset check and the published file.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from pipelines.errors import StoreError
from pipelines.landing import sync_folder
from pipelines.schema import TABLES, Table

SQL = Path(__file__).resolve().parents[1] / "sql"
STORAGE_VERSION = "v1.4.0"
"""Of the published file, so that DuckDB 1.4 and later can open it."""

_META = "medexams"


@dataclass(frozen=True)
class Check:
    """A query that returns the offending rows of a table; none is a pass. `says` is the rule as a sentence.

    A `waivable` one warns instead of blocking where --accept-shrink was given.
    """

    name: str
    table: str
    says: str
    sql: str
    waivable: bool = False


@dataclass(frozen=True)
class View:
    """A view of the published file, or with parameters a table macro: what it answers, its columns, its SELECT."""

    name: str
    says: str
    columns: dict[str, str]
    parameters: tuple[str, ...]
    sql: str


@dataclass(frozen=True)
class Meta:
    """What a table file records of itself: its content's version and the versions of the tables it was made from."""

    version: str
    rows: int
    inputs: dict[str, str]


def quoted(text: str | Path) -> str:
    """An SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def query(con: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """A query's result as a Polars frame, by way of a Parquet file (DuckDB's own way needs PyArrow: 165 MB)."""
    with tempfile.TemporaryDirectory(prefix="medexams-") as folder:
        path = Path(folder) / "result.parquet"
        con.execute(f"copy ({sql}) to {quoted(path)} (format parquet)")
        return pl.read_parquet(path)


def schema_checks(table: Table, source: str | None = None) -> list[Check]:
    """The checks that schema.py implies for a table: nulls, permitted values, key, references, not empty."""
    name = source or table.name
    checks = []
    required = [c for c in table.columns if not c.nullable]
    if required:
        where = " or ".join(f"{c.name} is null" for c in required)
        says = f"{table.name}: no required column is null"
        checks.append(Check(f"{table.name}_not_null", table.name, says, f"select * from {name} where {where}"))
    for c in table.columns:
        if c.values:
            values = ", ".join(quoted(v) for v in c.values)
            says = f"{table.name}: {c.name} is one of {', '.join(c.values)}"
            sql = f"select * from {name} where {c.name} not in ({values})"
            checks.append(Check(f"{table.name}_{c.name}_values", table.name, says, sql))
    if table.key:
        key = ", ".join(table.key)
        says = f"{table.name}: ({key}) is unique"
        sql = f"select {key}, count(*) as times from {name} group by {key} having count(*) > 1"
        checks.append(Check(f"{table.name}_key", table.name, says, sql))
    for r in table.references:
        on = " and ".join(f"a.{x} = b.{y}" for x, y in zip(r.columns, r.to_columns, strict=True))
        given = " and ".join(f"a.{x} is not null" for x in r.columns)
        says = f"{table.name}: ({', '.join(r.columns)}) stands in {r.table}"
        sql = f"select a.* from {name} a anti join {r.table} b on {on} where {given}"
        checks.append(Check(f"{table.name}_{'_'.join(r.columns)}_reference", table.name, says, sql))
    if table.not_empty:
        says = f"{table.name}: there is at least one row"
        sql = f"select 'no row' as problem where not exists (select 1 from {name})"
        checks.append(Check(f"{table.name}_not_empty", table.name, says, sql))
    return checks


def sql_checks() -> list[Check]:
    """The checks of sql/checks: each file, named TABLE__RULE.sql, is a query for offending rows.

    Its comment is the rule as a sentence; the last line of it may say `waivable: --accept-shrink`.
    """
    found = []
    for path in sorted((SQL / "checks").glob("*.sql")):
        text = path.read_text(encoding="utf-8")
        lines = [m.strip() for m in re.findall(r"^--(.*)$", text, re.MULTILINE)]
        waivable = lines[-1] == "waivable: --accept-shrink"
        says = " ".join(lines[:-1] if waivable else lines)
        found.append(Check(path.stem.replace("__", "_"), path.stem.split("__")[0], says, text, waivable))
    return found


def sql_views() -> list[View]:
    """The views of sql/views: each file is a SELECT over tables, and its name is the view's.

    The header says what the view answers, then one line `-- column: meaning` for each column. A line
    `-- parameters: a, b (…)` makes it a macro, whose SELECT names the parameters like columns.
    """
    found = []
    for path in sorted((SQL / "views").glob("*.sql")):
        sql = path.read_text(encoding="utf-8").rstrip().rstrip(";")
        header = re.findall(r"^--[ ]?(.*)$", re.split(r"^[^-]", sql, maxsplit=1, flags=re.MULTILINE)[0], re.MULTILINE)
        notes: dict[str, str] = {m[1]: m[2] for line in header[1:] if (m := re.match(r"(\w+): (.+)", line))}
        given = notes.pop("parameters", "").split("(")[0]
        parameters = tuple(name.strip() for name in given.split(",") if name.strip())
        found.append(View(path.stem, header[0], notes, parameters, sql))
    return found


def offending(con: duckdb.DuckDBPyConnection, check: Check, limit: int = 3) -> tuple[int, list[str]]:
    """How many rows break a check, and the first few as text."""
    rows = con.execute(f"select * from (\n{check.sql}\n) as offending").fetchall()
    names = [d[0] for d in con.description or []]
    shown = [", ".join(f"{n}={str(v)[:60]}" for n, v in zip(names, row, strict=True)) for row in rows[:limit]]
    return len(rows), shown


class Store:
    """The tables below one data folder."""

    def __init__(self, data: Path, *, accept_shrink: bool = False, shrink_share: float = 0.1) -> None:
        self.data = data
        self.root = data / "tables"
        self.accept_shrink = accept_shrink
        self.shrink_share = shrink_share

    # -- reading

    def files(self, name: str) -> list[Path]:
        """The Parquet files of a table, in a stable order."""
        if TABLES[name].in_parts:
            return sorted((self.root / name).glob("*.parquet"))
        path = self.root / f"{name}.parquet"
        return [path] if path.exists() else []

    def exists(self, name: str) -> bool:
        return bool(self.files(name))

    def parts(self, name: str) -> list[str]:
        return [p.stem for p in self.files(name)]

    def meta(self, name: str) -> Meta | None:
        """What the table's file records; over a table in parts, without inputs. None when there is no file."""
        metas = [_read_meta(p) for p in self.files(name)]
        if not metas:
            return None
        if not TABLES[name].in_parts:
            return metas[0]
        versions = "+".join(sorted(m.version for m in metas))
        return Meta(_digest(versions), sum(m.rows for m in metas), {})

    def fits(self, name: str, part: str | None = None) -> bool:
        """True when a table (or one part) was made from its inputs as they are now."""
        recorded = _read_meta(self._target(TABLES[name], part)).inputs
        return all((now := self.meta(t)) is not None and now.version == v for t, v in recorded.items())

    def connect(self) -> duckdb.DuckDBPyConnection:
        """An in-memory DuckDB with a view for each table that has a file."""
        con = duckdb.connect()
        con.execute("set TimeZone = 'UTC'")
        for name in TABLES:
            if files := self.files(name):
                listed = ", ".join(quoted(f) for f in files)
                con.execute(f"create view {name} as select * from read_parquet([{listed}])")
        return con

    def read(self, name: str) -> pl.DataFrame:
        """A whole table; without a file, an empty frame of its schema."""
        files = self.files(name)
        if not files:
            return TABLES[name].frame([])
        return pl.concat([pl.read_parquet(f) for f in files])

    # -- writing

    def write(self, name: str, rows: pl.DataFrame | str, inputs: Iterable[str] = (), part: str | None = None) -> Meta:
        """Validate rows (a frame, or a SELECT over table names) and put them in place of the table (or of one part).

        `inputs` names the tables they were made from, whose versions are recorded. Raises StoreError, and then nothing
        has changed.
        """
        table = TABLES[name]
        target = self._target(table, part)
        target.parent.mkdir(parents=True, exist_ok=True)
        temp = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
        staged = temp.with_suffix(".staged")
        try:
            with self.connect() as con:
                if isinstance(rows, str):
                    source = f"({rows}\n)"
                else:
                    _match_columns(table, rows.columns)
                    rows.select(table.column_names).cast(table.polars_schema()).write_parquet(staged)  # type: ignore[arg-type]
                    source = f"read_parquet({quoted(staged)})"
                con.execute(f"create temp view staged_rows as select * from {source}")
                if isinstance(rows, str):
                    _match_columns(table, [d[0] for d in con.execute("describe staged_rows").fetchall()])
                columns = ", ".join(f"cast({c.name} as {c.type}) as {c.name}" for c in table.columns)
                con.execute(f"create temp table staged as select {columns} from staged_rows")
                self._validate(con, table, target)
                meta = self._describe(con, table, inputs)
                order = f"order by {', '.join(table.key)}" if table.key else "order by all"
                note = json.dumps(meta.__dict__)
                con.execute(
                    f"copy (select * from staged {order}) to {quoted(temp)} "
                    f"(format parquet, compression zstd, kv_metadata {{{_META}: {quoted(note)}}})"
                )
            _make_durable(temp)
            temp.replace(target)
            sync_folder(target.parent)
        except (duckdb.Error, pl.exceptions.PolarsError) as fault:
            raise StoreError(f"{name}: the rows do not fit the table ({str(fault).splitlines()[0][:300]})") from fault
        finally:
            temp.unlink(missing_ok=True)
            staged.unlink(missing_ok=True)
        return meta

    def keep_parts(self, name: str, parts: Iterable[str]) -> list[str]:
        """Remove every part of a table but these; answers the names of those removed."""
        keep = set(parts)
        gone = [p for p in self.files(name) if p.stem not in keep]
        for path in gone:
            path.unlink()
        return [p.stem for p in gone]

    def _target(self, table: Table, part: str | None) -> Path:
        if table.in_parts != (part is not None):
            raise ValueError(f"{table.name} is {'' if table.in_parts else 'not '}stored in parts")
        return self.root / table.name / f"{part}.parquet" if part else self.root / f"{table.name}.parquet"

    def _validate(self, con: duckdb.DuckDBPyConnection, table: Table, target: Path) -> None:
        for r in table.references:
            if not self.exists(r.table):
                raise StoreError(
                    f"{table.name} refers to {r.table}, which has no rows yet; run the asset {r.table} first"
                )
        for check in schema_checks(table, "staged"):
            if table.in_parts and check.name.endswith("_not_empty"):
                continue  # one part may be empty; publishing looks at the whole
            count, rows = offending(con, check)
            if count:
                raise StoreError(
                    f"{check.says}, but {count} rows break this, the first: {rows[0]}; {target.name} was kept"
                )
        if table.guarded and target.exists() and not self.accept_shrink:
            before = _read_meta(target).rows
            now = con.execute("select count(*) from staged").fetchall()[0][0]
            if now < before * (1 - self.shrink_share):
                raise StoreError(
                    f"{table.name} would shrink from {before} to {now} rows, more than the allowed share of "
                    f"{self.shrink_share:.0%}; look why, and if it is right run again with --accept-shrink"
                )

    def _describe(self, con: duckdb.DuckDBPyConnection, table: Table, inputs: Iterable[str]) -> Meta:
        columns = ", ".join(table.column_names)
        rows, total = con.execute(f"select count(*), sum(hash({columns})::hugeint) from staged").fetchall()[0]
        found = {}
        for name in inputs:
            if meta := self.meta(name):
                found[name] = meta.version
        return Meta(_digest(f"{columns} {rows} {total}"), rows, found)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _match_columns(table: Table, found: list[str]) -> None:
    missing = [c for c in table.column_names if c not in found]
    extra = [c for c in found if c not in table.column_names]
    if missing or extra:
        parts = [f"lacks {', '.join(missing)}"] if missing else []
        parts += [f"has {', '.join(extra)} too many"] if extra else []
        raise StoreError(f"{table.name}: the result {' and '.join(parts)}; schema.py states its columns")


def _read_meta(path: Path) -> Meta:
    try:
        return Meta(**json.loads(pl.read_parquet_metadata(path)[_META]))
    except (KeyError, ValueError, TypeError, OSError, pl.exceptions.PolarsError) as fault:
        raise StoreError(
            f"{path.name} is damaged or was not written by medexams; delete it and refresh again"
        ) from fault


def _make_durable(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


# ---- publishing --------------------------------------------------------------------------------------------------


def unfit(store: Store) -> list[str]:
    """Why the tables on disk do not fit together, each with the asset to run; empty when they do."""
    current = {name: store.meta(name) for name in TABLES}
    problems = []
    for name in TABLES:
        files = store.files(name)
        if not files and not TABLES[name].in_parts:
            problems.append(f"{name} has not been made; run the asset {name}")
        for file in files:
            for source, version in _read_meta(file).inputs.items():
                now = current[source]
                if now is None or now.version != version:
                    what = f"{name} ({file.stem})" if TABLES[name].in_parts else name
                    problems.append(f"{what} was made from an older {source}; run the asset {name}")
    return problems


def publish(store: Store, target: Path, keep: int = 3) -> dict[str, int]:
    """Build the warehouse beside `target`, check it, and put it in place; answers rows by table.

    A reader of the old file keeps it; the last `keep` generations stay in DATA/generations. Raises StoreError, and
    then the published file is as it was.
    """
    if problems := unfit(store):
        raise StoreError(f"the tables do not fit together: {'; '.join(problems[:5])}")
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
                _create_view(con, view)
            for check in [c for t in TABLES.values() for c in schema_checks(t)] + sql_checks():
                count, rows = offending(con, check)
                if count and not (check.waivable and store.accept_shrink):
                    raise StoreError(
                        f"{check.says}: {count} rows break this, the first: {rows[0]}; nothing was published"
                    )
            con.execute("checkpoint warehouse")
            con.execute("use memory")
            con.execute("detach warehouse")
        _make_durable(temp)
        _keep_generation(target, keep)
        temp.replace(target)
        sync_folder(target.parent)
    except duckdb.Error as fault:
        raise StoreError(f"the warehouse could not be built ({str(fault).splitlines()[0][:300]})") from fault
    finally:
        temp.unlink(missing_ok=True)
        temp.with_name(temp.name + ".wal").unlink(missing_ok=True)
    return counts


def _fill(con: duckdb.DuckDBPyConnection, table: Table, files: list[Path]) -> int:
    columns = ", ".join(f"{c.name} {c.type}{'' if c.nullable else ' not null'}" for c in table.columns)
    con.execute(f"create table {table.name} ({columns})")
    if files:
        listed = ", ".join(quoted(f) for f in files)
        order = f"order by {', '.join(table.key)}" if table.key else ""
        names = ", ".join(table.column_names)
        con.execute(f"insert into {table.name} select {names} from read_parquet([{listed}]) {order}")
    con.execute(f"comment on table {table.name} is {quoted(table.description)}")
    for c in table.columns:
        con.execute(f"comment on column {table.name}.{c.name} is {quoted(c.comment)}")
    return int(con.execute(f"select count(*) from {table.name}").fetchall()[0][0])


def _create_view(con: duckdb.DuckDBPyConnection, view: View) -> None:
    if view.parameters:
        con.execute(f"create macro {view.name}({', '.join(view.parameters)}) as table ({view.sql}\n)")
        con.execute(f"comment on macro table {view.name} is {quoted(view.says)}")
        return
    con.execute(f"create view {view.name} as {view.sql}")
    con.execute(f"comment on view {view.name} is {quoted(view.says)}")
    for column, says in view.columns.items():
        con.execute(f"comment on column {view.name}.{column} is {quoted(says)}")


def _keep_generation(target: Path, keep: int) -> None:
    if not target.exists():
        return
    folder = target.parent / "generations"
    folder.mkdir(exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    os.link(target, folder / f"{target.stem}-{stamp}.duckdb")
    old = sorted(folder.glob(f"{target.stem}-*.duckdb"))
    for path in old[: max(0, len(old) - keep)]:
        path.unlink()


@contextmanager
def refresh_lock(data: Path, wait: float = 0.0) -> Iterator[None]:
    """Hold DATA/refresh.lock: one refresh at a time per data folder. The file names the holder's pid.

    The lock goes with the process, however it ends. Raises StoreError when another holds it for longer than `wait`
    seconds.
    """
    data.mkdir(parents=True, exist_ok=True)
    path = data / "refresh.lock"
    end = time.monotonic() + wait
    with path.open("a+", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    file.seek(0)
                    holder = file.read().strip() or "unknown"
                    raise StoreError(
                        f"another refresh of {data} is under way (process {holder}); wait for it, "
                        "or set MEDEXAMS_LOCK_WAIT to the seconds to wait"
                    ) from None
                time.sleep(0.2)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            with suppress(OSError):
                file.seek(0)
                file.truncate()
