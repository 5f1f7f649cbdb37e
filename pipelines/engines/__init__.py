"""Where tables are computed and prediction files are read: in this process with DuckDB, or on a Spark cluster.

An engine decides where, never what: the statements of sql/ and the functions of pipelines/runs are the same for all,
and so are the rows. Whatever engine made a table, the store checks and writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Protocol

from pipelines.errors import SettingsError
from pipelines.runs import importing
from pipelines.runs.imported import Imported
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.planning import Group
from pipelines.settings import Settings
from pipelines.store.tables import Store


class Engine(Protocol):
    """What a refresh asks of an engine."""

    def computed(self, store: Store, sql: str) -> AbstractContextManager[str]:
        """A SELECT by which the store gets the rows that `sql` (a SELECT over its tables) gives, inside the context.

        Raises StoreError.
        """

    def read(
        self, store: Store, groups: Sequence[Group], questions: QuestionIndex, read_at: datetime
    ) -> Iterator[Imported]:
        """What ingesting.read gives for each group, in their order. Raises StoreError."""


class Local:
    """DuckDB in this process: a statement is run where the tables are, a group read when it is asked for."""

    def computed(self, store: Store, sql: str) -> AbstractContextManager[str]:
        return nullcontext(sql)

    def read(
        self, store: Store, groups: Sequence[Group], questions: QuestionIndex, read_at: datetime
    ) -> Iterator[Imported]:
        return importing.one_by_one(groups, questions, read_at)


@contextmanager
def opened(settings: Settings) -> Iterator[Engine]:
    """The engine that the settings name; what it holds (a cluster's executors) is given back at the end.

    Raises SettingsError when it is not installed.
    """
    if settings.engine == "duckdb":
        yield Local()
        return
    try:
        from pipelines.engines.spark import Spark
    except ImportError as fault:
        raise SettingsError(f"the engine spark needs {fault.name}; install the extra medexams[spark]") from None
    engine = Spark(settings.spark_master)
    try:
        yield engine
    finally:
        engine.stop()
