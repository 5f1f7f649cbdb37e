"""The warehouse's tables as views for csv and xlsx: rows of the chosen datasets, text of closed ones taken out.

What a licence keeps back is the text of questions and choices, and whatever may repeat it (Column.holds_question_text);
ids, keys as letters, scores and counts stay. A row whose dataset is not known to be open is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import duckdb

from pipelines.export.gate import Chosen, Dataset, know_addresses
from pipelines.schema import TABLES, TEXT, Table
from pipelines.store.checks import name_of, quoted

_QUESTIONS = "(select question_id from question where dataset_id in ({ids}))"
# Columns that tell the dataset of a row, in the order in which they are tried, and when it is one of {ids}.
_OF_DATASET: tuple[tuple[str, str], ...] = (
    ("dataset_id", "dataset_id in ({ids})"),
    ("from_dataset", "from_dataset in ({ids}) and to_dataset in ({ids})"),
    ("run_id", "run_id in (select run_id from run where dataset_id in ({ids}))"),
    ("question_id", f"question_id in {_QUESTIONS}"),
    ("from_question", f"from_question in {_QUESTIONS} and to_question in {_QUESTIONS}"),
    ("passage_id", "passage_id in (select passage_id from question where dataset_id in ({ids}))"),
    ("source", "source in ({ids})"),
)
# Columns that tell no more than the exam or the benchmark of a row: enough to choose rows, not to open their text.
_NEAR_DATASET: tuple[tuple[str, str], ...] = (
    ("exam_id", "exam_id in (select exam_id from question where dataset_id in ({ids}))"),
    ("benchmark", "benchmark in (select benchmark from dataset where dataset_id in ({ids}))"),
)
_ADDRESSES = (("dataset", "origin"), ("question", "source_url"))
"""Columns that may hold a path of the machine that read a source."""
_WITHHELD = "withheld: licence"
"""What a required column without its text says; one that may be null is null."""


@dataclass(frozen=True)
class View:
    """A table as an export has it: its SELECT, its number of rows, and the columns whose text is taken out of some."""

    table: Table
    sql: str
    rows: int
    withheld: tuple[str, ...] = ()


def views(con: duckdb.DuckDBPyConnection, chosen: Chosen) -> Iterator[View]:
    """All tables of the warehouse that it has, in the schema's order."""
    know_addresses(con)
    there = dict(con.execute("select table_name, list(column_name) from duckdb_columns() group by 1").fetchall())
    for name, table in TABLES.items():
        if name not in there:
            continue
        kept = tuple(c for c in table.columns if c.name in there[name])  # an older warehouse may lack some
        texts = tuple(c.name for c in kept if c.holds_question_text) if chosen.closed else ()
        is_open = _belongs(table, chosen.open, _OF_DATASET) or "false"
        columns = []
        for c in kept:
            column = name_of(c.name)
            if c.name in texts:
                instead = "null" if c.nullable else quoted(_WITHHELD)
                columns.append(f"case when {is_open} then {column} else {instead} end as {column}")
            elif (name, c.name) in _ADDRESSES:
                columns.append(f"public_address({column}) as {column}")
            else:
                columns.append(column)
        everything = chosen.all_of_warehouse or table.group == "rules"
        wanted = "" if everything else _belongs(table, chosen.datasets, _OF_DATASET + _NEAR_DATASET)
        where = f" where {wanted}" if wanted else ""
        order = f" order by {', '.join(map(name_of, table.key))}" if table.key else ""
        rows = con.execute(f"select count(*) from {name}{where}").fetchall()[0][0]
        yield View(replace(table, columns=kept), f"select {', '.join(columns)} from {name}{where}{order}", rows, texts)


def _belongs(table: Table, datasets: Sequence[Dataset], ways: Sequence[tuple[str, str]]) -> str:
    """The condition under which a row belongs to one of the datasets; empty where the table does not tell."""
    ids = ", ".join(quoted(d.dataset_id) for d in datasets) or "null"
    return next((condition.format(ids=ids) for column, condition in ways if column in table.column_names), "")


def text_columns(table: Table) -> list[str]:
    """The columns of a table that hold text."""
    return [c.name for c in table.columns if c.type == TEXT]
