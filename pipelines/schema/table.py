"""How a table is described: columns, keys, references; and the columns that many tables share. No table stands here."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pipelines.registry import benchmarks
from pipelines.vocabulary import RULESETS

BENCHMARKS = tuple(sorted(benchmarks()))

TEXT, INT, BOOL, TIME, REAL = "VARCHAR", "INTEGER", "BOOLEAN", "TIMESTAMP", "DOUBLE"
POINTS, SCORE = "DECIMAL(9,3)", "DECIMAL(18,6)"

_POLARS: dict[str, pl.DataType] = {
    TEXT: pl.String(),
    INT: pl.Int32(),
    BOOL: pl.Boolean(),
    TIME: pl.Datetime("us"),
    REAL: pl.Float64(),
    POINTS: pl.Decimal(9, 3),
    SCORE: pl.Decimal(18, 6),
}


@dataclass(frozen=True)
class Column:
    """One column. `type` is a DuckDB type; `values` lists the only values allowed; `unit` is stated where one exists.

    `is_free`: a text that no part of a question gets into (an id, a name, words about a rule), so that no licence keeps
    it from being shared. It must be stated: a text without it is taken to hold questions.
    """

    name: str
    type: str
    description: str
    nullable: bool = False
    unit: str | None = None
    values: tuple[str, ...] = ()
    is_free: bool = False

    @property
    def holds_question_text(self) -> bool:
        """True when a value may repeat a question, a choice, a passage or an answer in words."""
        return self.type == TEXT and not self.values and not self.is_free

    @property
    def comment(self) -> str:
        """The description with unit and permitted values, as published in the warehouse."""
        parts = [self.description]
        if self.unit:
            parts.append(f"Unit: {self.unit}.")
        if self.values:
            parts.append(f"One of: {', '.join(self.values)}.")
        if self.holds_question_text:
            parts.append("May repeat a question.")
        return " ".join(parts)


@dataclass(frozen=True)
class Reference:
    """A foreign key: `columns` here equal `to_columns` of one row of `table` (a null refers to nothing)."""

    columns: tuple[str, ...]
    table: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One table. `key` is its primary key; empty means that rows may repeat (a log).

    `group` is the stage that fills it (questions, runs, scores, rules, releases). `not_empty`: a refresh without a row of
    it is broken. `guarded`: it must not shrink by more than the allowed share. `in_parts`: stored as a folder of Parquet
    files.
    """

    name: str
    group: str
    description: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    not_empty: bool = False
    guarded: bool = False
    in_parts: bool = False

    def column(self, name: str) -> Column:
        return next(c for c in self.columns if c.name == name)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def polars_schema(self) -> dict[str, pl.DataType]:
        """Column name to Polars type, in the table's order."""
        return {c.name: _POLARS[c.type] for c in self.columns}

    def frame(self, rows: list[dict[str, object]]) -> pl.DataFrame:
        """Rows (dicts; absent columns are null, unknown ones an error) as a typed frame in the table's column order."""
        known = set(self.column_names)
        for row in rows:
            if extra := row.keys() - known:
                raise ValueError(f"{self.name} has no column {sorted(extra)}")
        return pl.DataFrame(rows, schema=self.polars_schema(), orient="row")


def col(name: str, type_: str, description: str, *, null: bool = False, unit: str | None = None,
       values: tuple[str, ...] = ()) -> Column:  # fmt: skip
    """A column; a text taken to hold questions unless `values` lists all that it can be."""
    return Column(name, type_, description, null, unit, values)


def free(name: str, description: str, *, null: bool = False, values: tuple[str, ...] = ()) -> Column:
    """A text that no part of a question gets into."""
    return Column(name, TEXT, description, null, None, values, is_free=True)


def ref(column: str, table: str, to: str | None = None) -> Reference:
    """The reference of one column to `to` (its own name, unless stated) of `table`."""
    return Reference((column,), table, (to or column,))


QUESTION_ID = free("question_id", "Question: dataset_id/source key.")
RUN_ID = free("run_id", "Run: model slug/dataset/short hash of its files.")
RULESET = free("ruleset", "official: the exam's own rule; published: what the benchmark's released scorer computes.",
              values=RULESETS)  # fmt: skip
ATTEMPT = col("attempt", INT, "1 for the first answer to a question in this run, then 2, 3 …")
