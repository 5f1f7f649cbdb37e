"""Every check has rows that it passes and rows that break it: those of sql/checks, and those that schema.py implies.

A check without such rows fails here. A check that finds nothing wrong whatever it is given would guard nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from pipelines.schema import TABLES, TEXT, Column, Table
from pipelines.store.checks import Check, name_of, offending, schema_checks
from pipelines.store.sqlfiles import sql_checks

Rows = dict[str, list[dict[str, Any]]]
DAY = datetime.fromisoformat("2026-01-01")
DATASET = {"dataset_id": "b/1", "source": "s", "language": "it", "n_questions": 1, "fetched_at": DAY, "is_latest": True}
QUESTION = {"question_id": "b/1/1", "dataset_id": "b/1", "stem": "Perché?", "answer_type": "single", "n_choices": 2,
            "key_status": "scored", "topic": "logic"}  # fmt: skip
KEY = {"question_id": "b/1/1", "alternative": 1, "labels": "B", "selection": 2}
ACCEPTED = {"dataset_id": "b/1", "check": "published_count"}
RUN = {"run_id": "r", "dataset_id": "b/1"}
PREDICTION = {"run_id": "r", "question_id": "b/1/1", "attempt": 1, "status": "answered", "selection": 1}


def choices(*correct: int, labels: str = "AB", question_id: str = "b/1/1") -> list[dict[str, Any]]:
    return [
        {"question_id": question_id, "position": p, "label": label, "is_correct": p in correct}
        for p, label in enumerate(labels)
    ]


SOUND: Rows = {
    "dataset": [DATASET],
    "question": [QUESTION],
    "choice": choices(1),
    "answer_key": [KEY],
    "run": [RUN],
    "prediction": [PREDICTION],
    "source_quality": [{"dataset_id": "b/1", "rows_in": 3, "kept": 1, "rejected": 2}],
}
# For each check, changes of SOUND that break it: the rows of the tables that are named, each case by itself.
BREAKING: dict[str, list[Rows]] = {
    "answer_key_agrees_with_choices": [{"choice": choices(0)}, {"choice": choices()}, {"choice": choices(0, 1)}],
    "answer_key_selects_choices": [
        {"answer_key": [KEY | {"selection": selection}]} for selection in (None, 0, -1, 4, 3)
    ],
    "choice_labels_differ": [{"choice": choices(1, labels="AA")}],
    "dataset_published_count_explained": [
        {"dataset": [DATASET | {"published_count": 2}]},
        {"dataset": [DATASET | {"published_count": 2}], "accepted_deviation": [ACCEPTED | {"check": "keeps_its_size"}]},
        {"dataset": [DATASET | {"published_count": 3}], "rejected_row": [{"source": "b/1"}]},
    ],
    "prediction_answered_says_what": [
        {"prediction": [PREDICTION | {"selection": None}]},
        {"prediction": [PREDICTION | {"status": "refused"}]},
        {"prediction": [PREDICTION | {"status": "unparsed", "selection": None, "value": "3"}]},
    ],
    "prediction_fits_its_question": [
        {"run": [RUN | {"dataset_id": "b/0"}]},
        {"prediction": [PREDICTION | {"selection": 4}]},
        {
            "prediction": [PREDICTION | {"selection": 5, "labels": "A"}],
            "question": [QUESTION | {"answer_type": "multiple"}],
        },
        {"prediction": [PREDICTION | {"selection": 0}]},
    ],
    "question_counted_in_dataset": [{"dataset": [DATASET | {"n_questions": 2}]}, {"question": []}],
    "question_counts_its_choices": [
        {"choice": choices(1, labels="ABC")},
        {"choice": choices(1, labels="A")},
        {"choice": [c | {"position": c["position"] + 1} for c in choices(1)]},
    ],
    "question_has_a_key": [
        {"answer_key": []},
        {"answer_key": [], "question": [QUESTION | {"key_status": "correct_only"}]},
    ],
    "question_text_is_nfc": [
        {"question": [QUESTION | {"stem": stem}]} for stem in ("Perche\u0301?", " Perché?", "Perché? ")
    ],
    "source_quality_nothing_lost": [
        {"source_quality": [{"dataset_id": "b/1", "rows_in": 4, "kept": 1, "rejected": 2}]},
        {"source_quality": [{"dataset_id": "b/1", "rows_in": 4, "kept": 2, "rejected": 2}]},
    ],
}
# Rows at the edge that a check must let pass.
PASSING: dict[str, list[Rows]] = {
    "answer_key_selects_choices": [
        {"answer_key": [KEY | {"selection": 3}], "question": [QUESTION | {"answer_type": "multiple"}]},
        {"answer_key": [KEY | {"selection": None, "value": "4"}], "question": [QUESTION | {"answer_type": "numeric"}]},
    ],
    "dataset_published_count_explained": [
        {"dataset": [DATASET | {"published_count": 2, "count_note": "one is lost"}]},
        {"dataset": [DATASET | {"published_count": 2}], "accepted_deviation": [ACCEPTED]},
        {"dataset": [DATASET | {"published_count": 2}], "rejected_row": [{"source": "b/1"}]},
    ],
    "question_has_a_key": [{"answer_key": [], "question": [QUESTION | {"key_status": "unknown"}]}],
}
CHECKS = {check.name: check for check in sql_checks()}


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table of the schema without its constraints, empty."""
    with duckdb.connect() as connection:
        for table in TABLES.values():
            columns = ", ".join(f'"{c.name}" {c.type}' for c in table.columns)
            connection.execute(f"create table {table.name} ({columns})")
        yield connection


def fill(con: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    for name, of_table in rows.items():
        for row in of_table:
            marks = ", ".join("?" * len(row))
            con.execute(f"insert into {name} ({', '.join(map(name_of, row))}) values ({marks})", [*row.values()])


def cases(of_checks: dict[str, list[Rows]]) -> list[Any]:
    return [pytest.param(n, rows, id=f"{n}-{i}") for n, found in of_checks.items() for i, rows in enumerate(found)]


def test_every_check_of_a_file_has_rows_that_break_it() -> None:
    assert set(BREAKING) == set(CHECKS)
    assert all(BREAKING.values())


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_sound_rows_pass(name: str, con: duckdb.DuckDBPyConnection) -> None:
    fill(con, SOUND)
    assert offending(con, CHECKS[name]) == (0, [])


@pytest.mark.parametrize(("name", "rows"), cases(PASSING))
def test_rows_at_the_edge_pass(name: str, rows: Rows, con: duckdb.DuckDBPyConnection) -> None:
    fill(con, SOUND | rows)
    assert offending(con, CHECKS[name]) == (0, [])


@pytest.mark.parametrize(("name", "rows"), cases(BREAKING))
def test_breaking_rows_are_found(name: str, rows: Rows, con: duckdb.DuckDBPyConnection) -> None:
    fill(con, SOUND | rows)
    count, shown = offending(con, CHECKS[name])
    assert count and shown


# ---- constraints of schema.py ------------------------------------------------------------------------------------


def value(column: Column) -> Any:
    """Some value that the column may have."""
    if column.values:
        return column.values[0]
    sample = {TEXT: "x", "INTEGER": 1, "BOOLEAN": True, "TIMESTAMP": DAY, "DOUBLE": 1.0}
    return sample.get(column.type, Decimal(1))


def row(table: Table) -> dict[str, Any]:
    return {c.name: value(c) for c in table.columns}


def constraints() -> list[Any]:
    return [pytest.param(t, c, id=c.name) for t in TABLES.values() for c in schema_checks(t)]


def broken(table: Table, check: Check) -> list[list[dict[str, Any]]]:
    """For a constraint, the lists of rows that break it and no more than it."""
    sound = row(table)
    if check.name == f"{table.name}_not_null":
        return [[sound | {c.name: None}] for c in table.columns if not c.nullable]
    if check.name == f"{table.name}_key":
        return [[sound, sound]]
    if check.name == f"{table.name}_not_empty":
        return [[]]
    if check.name.endswith("_reference"):
        return [[sound | {c: "nowhere" for r in table.references for c in r.columns}]]
    column = next(c for c in table.columns if check.name == f"{table.name}_{c.name}_values")
    return [[sound | {column.name: "no word of the vocabulary"}]]


@pytest.mark.parametrize(("table", "check"), constraints())
def test_every_constraint_of_the_schema_finds_what_breaks_it(
    table: Table, check: Check, con: duckdb.DuckDBPyConnection
) -> None:
    for reference in table.references:
        target = TABLES[reference.table]
        given = dict(zip(reference.to_columns, (row(table)[c] for c in reference.columns), strict=True))
        if target.name != table.name:
            fill(con, {target.name: [row(target) | given]})
    fill(con, {table.name: [row(table)]})
    assert offending(con, check) == (0, [])
    wrong = broken(table, check)
    assert wrong
    for rows in wrong:
        con.execute(f"delete from {table.name}")
        fill(con, {table.name: rows})
        assert offending(con, check)[0], f"{check.says}: not found in {rows}"


def test_every_kind_of_constraint_is_checked() -> None:
    for table in TABLES.values():
        names = {c.name for c in schema_checks(table)}
        expected = {f"{table.name}_{c.name}_values" for c in table.columns if c.values}
        expected |= {f"{table.name}_{'_'.join(r.columns)}_reference" for r in table.references}
        expected |= {f"{table.name}_not_null"} if any(not c.nullable for c in table.columns) else set()
        expected |= {f"{table.name}_key"} if table.key else set()
        expected |= {f"{table.name}_not_empty"} if table.not_empty else set()
        assert names == expected
