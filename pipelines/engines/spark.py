"""The engine of many machines: Apache Spark, by way of PySpark (the extra medexams[spark]).

The driver is the process that refreshes. Executors read the store's Parquet files, and results come back through a
folder beside these: all machines see the data folder and the inbox under the same path, and have medexams installed in
the same place. What an executor that was lost had not finished is done again by another.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

import polars as pl
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipelines.engines.dialect import for_spark
from pipelines.errors import StoreError, Unreadable
from pipelines.runs import ingesting
from pipelines.runs.imported import Imported
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.planning import Entry, Group
from pipelines.runs.values import short
from pipelines.store.checks import quoted
from pipelines.store.sqlfiles import reads
from pipelines.store.tables import Store

_CONFIG = {
    "spark.app.name": "medexams",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""What results and this process's output depend on. All else (memory, cores) is for Spark's own spark-defaults.conf."""


class Spark:
    """A cluster by its master's address; it is called when first needed."""

    def __init__(self, master: str) -> None:
        self.master = master
        self._seen: dict[str, str | None] = {}

    @cached_property
    def session(self) -> SparkSession:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master(self.master)
        for key, value in _CONFIG.items():
            builder = builder.config(key, value)
        with _faults(f"the Spark master {self.master} can't be used"):
            return builder.getOrCreate()

    def stop(self) -> None:
        """Give the executors back."""
        if session := self.__dict__.pop("session", None):
            session.stop()

    @contextmanager
    def computed(self, store: Store, sql: str) -> Iterator[str]:
        """Spark's rows of a SELECT, as Parquet files that are there inside the context."""
        with _scratch(store.root) as folder:
            with _faults("Spark could not compute the table"):
                for name in reads(sql):
                    self._show(store, name)
                self.session.sql(for_spark(sql)).write.parquet(_address(folder))
            listed = ", ".join(map(quoted, _parquet(folder)))
            yield f"select * from read_parquet([{listed}])"

    def _show(self, store: Store, name: str) -> None:
        """Make a table's files, as they are now, what Spark takes for the table."""
        version = store.version(name)
        if self._seen.get(name) != version or version is None:
            files = [_address(f) for f in store.files(name)]
            self.session.read.parquet(*files).createOrReplaceTempView(name)
            self._seen[name] = version

    def read(
        self, store: Store, groups: Sequence[Group], questions: QuestionIndex, read_at: datetime
    ) -> Iterator[Imported]:
        """Each group is read, matched and its answers extracted in a task of its own, all at once."""
        if not groups:
            return
        with _scratch(store.root) as folder:
            with _faults("Spark could not read the prediction files"):
                sent = self.session.sparkContext.broadcast(([_portable(g) for g in groups], questions, read_at))

                def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                    portable, index, at = sent.value
                    for batch in batches:
                        for n in batch.column(0).to_pylist():
                            rows = ingesting.read(pickle.loads(portable[n]), index, at)
                            yield pa.RecordBatch.from_pydict({"place": [n], "rows": [pickle.dumps(rows)]})

                places = self.session.range(0, len(groups), 1, len(groups))
                places.mapInArrow(task, "place bigint, rows binary").write.parquet(_address(folder))
                sent.destroy()
            for file in _parquet(folder):  # in the order of the tasks, which is that of the groups
                yield from map(pickle.loads, pl.read_parquet(file).sort("place")["rows"])


def _portable(group: Group) -> bytes:
    """A group as it travels: of a file on disk the path alone, of a member of an archive the content."""
    try:
        return pickle.dumps(group)
    except (TypeError, pickle.PicklingError):
        files, helpers = (tuple(map(_carried, entries)) for entries in (group.files, group.helpers))
        return pickle.dumps(replace(group, files=files, helpers=helpers))


def _carried(entry: Entry) -> Entry:
    """An entry with its content, or with the fault that loading it raises."""
    try:
        return replace(entry, load=partial(bytes, entry.load()))
    except (Unreadable, OSError) as fault:
        return replace(entry, load=partial(_fail, fault))


def _fail(fault: Exception) -> bytes:
    raise fault


@contextmanager
def _scratch(root: Path) -> Iterator[Path]:
    """A name for a folder beside the tables; what was put there goes at the end, or is swept away if we are killed."""
    folder = root / f".{uuid.uuid4().hex}.tmp"
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _faults(what: str) -> Iterator[None]:
    try:
        yield
    except (PySparkException, Py4JError) as fault:
        said = next((line for line in str(fault).splitlines() if line.strip()), type(fault).__name__)
        raise StoreError(f"{what}: {short(said, 300)}") from fault


def _parquet(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.parquet"))


def _address(path: Path) -> str:
    """A path as Spark takes it, whatever its default file system; what would be a pattern is escaped."""
    return "file://" + re.sub(r"([\\{}\[\]*?,])", r"\\\1", str(path.resolve()))
