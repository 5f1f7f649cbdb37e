"""Tables on disk: validated, atomic writes of Parquet files.

What a valid table is comes from the schema; what a table holds is computed elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipelines.durable import make_durable, sync_folder
from pipelines.errors import StoreError
from pipelines.schema import TABLES, Table
from pipelines.store.checks import name_of, offending, quoted, schema_checks

log = logging.getLogger(__name__)

_META = "medexams"


@dataclass(frozen=True)
class Meta:
    """What a table file records of itself: its content's version, the versions of the tables it was made from, and
    the fingerprint of the code that made it (code.py); `runs`: of a table kept run by run, what each run's rows were
    made from (scoring/tables.py)."""

    version: str
    rows: int
    inputs: dict[str, str]
    code: str = ""
    runs: dict[str, str] = field(default_factory=dict)


def published_rows(warehouse: Path, sql: str) -> list[tuple[Any, ...]] | None:
    """Rows of a query of the published file; None where there is none, or it can't be asked that."""
    if not warehouse.exists():
        return None
    try:
        with duckdb.connect(str(warehouse), read_only=True) as con:
            return con.execute(sql).fetchall()
    except duckdb.Error:
        return None


def query(con: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """A query's result as a Polars frame, by way of a Parquet file (DuckDB's own way needs PyArrow: 165 MB)."""
    with tempfile.TemporaryDirectory(prefix="medexams-") as folder:
        path = Path(folder) / "result.parquet"
        con.execute(f"copy ({sql}) to {quoted(path)} (format parquet)")
        return pl.read_parquet(path)


class Store:
    """The tables below one data folder."""

    def __init__(
        self,
        data: Path,
        published: Path | None = None,
        *,
        accept_shrink: bool = False,
        shrink_share: float = 0.1,
        outside: Callable[[str], str | None] = lambda name: None,
    ) -> None:
        """`published` is the warehouse that a guarded table must not fall behind.

        `outside` gives the version, as it is now, of what tables are made from and is not a table.
        """
        self.data = data
        self.root = data / "tables"
        self.published = published
        self.accept_shrink = accept_shrink
        self.shrink_share = shrink_share
        self.outside = outside

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
        metas = [read_meta(p) for p in self.files(name)]
        if not metas:
            return None
        if not TABLES[name].in_parts:
            return metas[0]
        versions = "+".join(sorted(m.version for m in metas))
        return Meta(_digest(versions), sum(m.rows for m in metas), {})

    def fits(self, name: str, part: str | None = None) -> bool:
        """True when a table (or one part) was made from its inputs as they are now."""
        recorded = read_meta(self._target(TABLES[name], part)).inputs
        return all(self.version(name) == version for name, version in recorded.items())

    def kept(self, name: str, inputs: Iterable[str], code: str, part: str | None = None) -> Meta | None:
        """What a table's file (or one part's) records, where these inputs as they are now and this code made it.

        None where there is no such file: it has to be made.
        """
        meta = self.recorded(name, part)
        return meta if meta and meta.code == code and meta.inputs == self.versions(inputs) else None

    def recorded(self, name: str, part: str | None = None) -> Meta | None:
        """What a table's file (or one part's) records; None where there is none, or a damaged one."""
        target = self._target(TABLES[name], part)
        try:
            return read_meta(target) if target.exists() else None
        except StoreError:
            return None

    def versions_by(self, names: Iterable[str], column: str) -> dict[str, str]:
        """The version of what there is in `names` of each value of a column that all of them have: a run's own rows."""
        names = [name for name in names if self.exists(name)]
        cells = {name: ", ".join(map(name_of, TABLES[name].column_names)) for name in names}
        hashed = " union all ".join(
            f"select {column}, '{name} ' || count(*) || ' ' || sum(hash({cells[name]})::hugeint) as said "
            f"from {name} group by {column}"
            for name in names
        )
        with self.connect(names) as con:
            found = con.execute(f"select {column}, string_agg(said, ', ' order by said) from ({hashed}) group by all")
            return {value: _digest(text) for value, text in sorted(found.fetchall())}

    def versions(self, names: Iterable[str]) -> dict[str, str]:
        """The versions of what there is of `names`."""
        return {name: version for name in names if (version := self.version(name))}

    def version(self, name: str) -> str | None:
        """The version, as it is now, of what a table can be made from: a table's, else of what is outside."""
        meta = self.meta(name) if name in TABLES else None
        return meta.version if meta else self.outside(name)

    def connect(self, names: Iterable[str] = tuple(TABLES)) -> duckdb.DuckDBPyConnection:
        """An in-memory DuckDB with a view for each table of these that has a file."""
        con = duckdb.connect()
        con.execute("set TimeZone = 'UTC'")
        for name in names:
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

    def write(
        self,
        name: str,
        rows: pl.DataFrame | str,
        inputs: Iterable[str] = (),
        part: str | None = None,
        *,
        code: str = "",
        runs: dict[str, str] | None = None,
    ) -> Meta:
        """Validate rows (a frame, or a SELECT over the inputs' names) and put them in place of the table (or one part).

        `inputs` names what they were made from (tables, those that a SELECT reads among them, or what is outside),
        whose versions are recorded, `code` the fingerprint of what made them. Raises StoreError, and then nothing has
        changed.
        """
        began = time.monotonic()
        table, inputs = TABLES[name], tuple(inputs)
        target = self._target(table, part)
        target.parent.mkdir(parents=True, exist_ok=True)
        temp = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
        staged = temp.with_suffix(".staged")
        try:
            with self.connect({*(r.table for r in table.references), *(n for n in inputs if n in TABLES)}) as con:
                if isinstance(rows, str):
                    source = f"({rows}\n)"
                else:
                    _match_columns(table, rows.columns)
                    rows.select(table.column_names).cast(table.polars_schema()).write_parquet(staged)  # type: ignore[arg-type]
                    source = f"read_parquet({quoted(staged)})"
                con.execute(f"create temp view staged_rows as select * from {source}")
                if isinstance(rows, str):
                    _match_columns(table, [d[0] for d in con.execute("describe staged_rows").fetchall()])
                columns = ", ".join(f"cast({name_of(c.name)} as {c.type}) as {name_of(c.name)}" for c in table.columns)
                con.execute(f"create temp table staged as select {columns} from staged_rows")
                self._validate(con, table, target)
                meta = Meta(*self._describe(con, table), self.versions(inputs), code, runs or {})
                order = f"order by {', '.join(map(name_of, table.key))}" if table.key else "order by all"
                note = json.dumps(meta.__dict__)
                con.execute(
                    f"copy (select * from staged {order}) to {quoted(temp)} "
                    f"(format parquet, compression zstd, kv_metadata {{{_META}: {quoted(note)}}})"
                )
            make_durable(temp)
            temp.replace(target)
            sync_folder(target.parent)
        except (duckdb.Error, pl.exceptions.PolarsError) as fault:
            raise StoreError(f"{name}: the rows do not fit the table ({str(fault).splitlines()[0][:300]})") from fault
        finally:
            temp.unlink(missing_ok=True)
            staged.unlink(missing_ok=True)
        log.info("wrote %s: %d rows, %.2f s", f"{name}/{part}" if part else name, meta.rows, time.monotonic() - began)
        return meta

    @contextmanager
    def staged(self) -> Iterator[Store]:
        """An empty store beside this one, for tables that take their place together (adopt) once all were accepted."""
        beside = Store(
            self.data,
            self.published,
            accept_shrink=self.accept_shrink,
            shrink_share=self.shrink_share,
            outside=self.version,
        )
        beside.root = self.root / ".staged"
        shutil.rmtree(beside.root, ignore_errors=True)  # of a killed writer
        try:
            yield beside
        finally:
            shutil.rmtree(beside.root, ignore_errors=True)

    def adopt(self, staged: Store, names: Iterable[str]) -> None:
        """Put the tables of a staged store in place of this one's."""
        for name in names:
            for file in staged.files(name):
                file.replace(self.root / file.relative_to(staged.root))
        sync_folder(self.root)

    def keep_parts(self, name: str, parts: Iterable[str]) -> list[str]:
        """Remove every part of a table but these; returns the names of those removed."""
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
        if table.guarded and self.published and not self.accept_shrink:
            found = published_rows(self.published, f"select count(*) from {table.name}")
            before = found[0][0] if found else 0
            now = con.execute("select count(*) from staged").fetchall()[0][0]
            if now < before * (1 - self.shrink_share):
                raise StoreError(
                    f"{table.name} would shrink from the published {before} to {now} rows, more than the allowed share "
                    f"of {self.shrink_share:.0%}; look why, and if it is right run again with --accept-shrink"
                )

    def _describe(self, con: duckdb.DuckDBPyConnection, table: Table) -> tuple[str, int]:
        columns = ", ".join(map(name_of, table.column_names))
        rows, total = con.execute(f"select count(*), sum(hash({columns})::hugeint) from staged").fetchall()[0]
        return _digest(f"{columns} {rows} {total}"), rows


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _match_columns(table: Table, found: list[str]) -> None:
    missing = [c for c in table.column_names if c not in found]
    extra = [c for c in found if c not in table.column_names]
    if missing or extra:
        parts = [f"lacks {', '.join(missing)}"] if missing else []
        parts += [f"has {', '.join(extra)} too many"] if extra else []
        raise StoreError(f"{table.name}: the result {' and '.join(parts)}; the schema states its columns")


def read_meta(path: Path) -> Meta:
    """What a table file records of itself. Raises StoreError."""
    try:
        seen = path.stat()
        return _read_meta(path, seen.st_ino, seen.st_mtime_ns, seen.st_size)
    except (KeyError, ValueError, TypeError, OSError, pl.exceptions.PolarsError) as fault:
        raise StoreError(
            f"{path.name} is damaged or was not written by medexams; delete it and refresh again"
        ) from fault


@lru_cache(maxsize=1 << 16)
def _read_meta(path: Path, inode: int, mtime: int, size: int) -> Meta:
    """Remembered for as long as the file is the same: a refresh asks many times, and there may be a part per run."""
    return Meta(**json.loads(pl.read_parquet_metadata(path)[_META]))
