"""The warehouse's tables as views for csv and xlsx: rows of the chosen datasets, text of closed ones taken out.

What a licence keeps back is the text of questions and choices, and responses that may repeat it; ids, keys as letters,
scores and counts stay. The columns that hold such text are stated here, each with how its row is known to be closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import duckdb

from pipelines.export.gate import Chosen, know_addresses
from pipelines.schema import TABLES, TEXT, Table
from pipelines.store.checks import quoted

_BY_QUESTION = "question_id in (select question_id from question where dataset_id in ({closed}))"
_BY_RUN = "run_id in (select run_id from run where dataset_id in ({closed}))"

# Table, columns with text of questions, and the condition under which a row's dataset is closed.
_TEXTS: dict[str, tuple[tuple[str, ...], str]] = {
    "question": (("stem",), "dataset_id in ({closed})"),
    "choice": (("text",), _BY_QUESTION),
    "answer_key": (("value",), _BY_QUESTION),
    "passage": (
        ("text",),
        "passage_id in (select passage_id from question where dataset_id in ({closed}))"
        " or passage_id not in (select passage_id from question where passage_id is not null)",
    ),
    "question_flag": (("detail",), _BY_QUESTION),
    "answer_key_change": (("old_key", "new_key"), "from_dataset in ({closed}) or to_dataset in ({closed})"),
    # A file that is none of the open datasets may be of a closed one.
    "rejected_row": (
        ("raw", "reason"),
        "source not in (select dataset_id from dataset where dataset_id not in ({closed}))",
    ),
    "prediction": (("response", "value", "evidence"), _BY_RUN),
    "unmatched_prediction": (("reason",), f"{_BY_RUN} or run_id not in (select run_id from run)"),
    "question_difficulty": (("strong_answer",), _BY_QUESTION),
    "rule_disagreement": (("official", "published", "cause"), _BY_RUN),
}
# Columns that tell the dataset of a row, in the order in which they are tried.
_OF_DATASET: tuple[tuple[str, str], ...] = (
    ("dataset_id", "{column} in ({chosen})"),
    ("from_dataset", "{column} in ({chosen}) and to_dataset in ({chosen})"),
    ("run_id", "{column} in (select run_id from run where dataset_id in ({chosen}))"),
    ("question_id", "{column} in (select question_id from question where dataset_id in ({chosen}))"),
    ("from_question", "{column} in (select question_id from question where dataset_id in ({chosen}))"
                      " and to_question in (select question_id from question where dataset_id in ({chosen}))"),
    ("passage_id", "{column} in (select passage_id from question where dataset_id in ({chosen}))"),
    ("exam_id", "{column} in (select exam_id from question where dataset_id in ({chosen}))"),
    ("benchmark", "{column} in (select benchmark from dataset where dataset_id in ({chosen}))"),
    ("source", "{column} in ({chosen})"),
)  # fmt: skip
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
    closed = ", ".join(quoted(d.dataset_id) for d, _ in chosen.closed)
    wanted = ", ".join(quoted(d.dataset_id) for d in chosen.datasets)
    for name, table in TABLES.items():
        if name not in there:
            continue
        texts, condition = _TEXTS.get(name, ((), "")) if closed else ((), "")
        kept, columns = [], []
        for c in (c for c in table.columns if c.name in there[name]):  # an older warehouse may lack some
            kept.append(c)
            if c.name in texts:
                instead = "null" if c.nullable else quoted(_WITHHELD)
                columns.append(
                    f"case when {condition.format(closed=closed)} then {instead} else {c.name} end as {c.name}"
                )
            elif (name, c.name) in _ADDRESSES:
                columns.append(f"public_address({c.name}) as {c.name}")
            else:
                columns.append(c.name)
        where = "" if chosen.all_of_warehouse else _where(table, wanted)
        order = f" order by {', '.join(table.key)}" if table.key else ""
        rows = con.execute(f"select count(*) from {name}{where}").fetchall()[0][0]
        yield View(
            replace(table, columns=tuple(kept)), f"select {', '.join(columns)} from {name}{where}{order}", rows, texts
        )


def _where(table: Table, wanted: str) -> str:
    for column, condition in _OF_DATASET:
        if column in table.column_names and not table.name.startswith("rule_item"):
            return f" where {condition.format(column=column, chosen=wanted)}"
    return ""


def text_columns(table: Table) -> list[str]:
    """The columns of a table that hold text."""
    return [c.name for c in table.columns if c.type == TEXT]
