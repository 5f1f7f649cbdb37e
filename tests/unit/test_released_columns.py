"""Nobody's query breaks by an update: no column of the last release is renamed, removed or given another type.

released_columns.json is what the last release had (`python -m tests.unit.test_released_columns` writes it, when one is
made). A change that this refuses belongs into a major version, and into CHANGELOG.md.
"""

from __future__ import annotations

import json
from pathlib import Path

from pipelines.schema import TABLES
from pipelines.store.sqlfiles import sql_views

RELEASED = Path(__file__).with_name("released_columns.json")
Columns = dict[str, dict[str, str]]


def columns() -> Columns:
    """Each table's columns with their types, and each view's (whose types follow from its SELECT)."""
    tables = {t.name: {c.name: c.type for c in t.columns} for t in TABLES.values()}
    return tables | {v.name: dict.fromkeys(v.columns, "") for v in sql_views()}


def broken(released: Columns, now: Columns) -> list[str]:
    """What a query written for the release would miss, in words."""
    found = [f"{table} is gone" for table in released if table not in now]
    for table, names in released.items():
        for name, type_ in names.items():
            if table in now and name not in now[table]:
                found.append(f"{table}.{name} is gone or was renamed")
            elif table in now and not _fits(type_, now[table][name]):
                found.append(f"{table}.{name} was {type_} and is {now[table][name]}")
    return found


def _fits(old: str, new: str) -> bool:
    """Whether what reads the old type reads the new one: a number may become a wider one."""
    numbers = ("INTEGER", "BIGINT", "DECIMAL", "DOUBLE")
    return old == new or (old.startswith(numbers) and new.startswith(numbers))


def test_no_released_column_is_renamed_or_removed() -> None:
    assert broken(json.loads(RELEASED.read_text(encoding="utf-8")), columns()) == []


def test_what_would_break_a_query_is_found() -> None:
    released = {"run": {"run_id": "VARCHAR", "n": "INTEGER"}, "exam": {"exam_id": "VARCHAR"}}
    assert broken(released, {"run": {"run_id": "VARCHAR", "n": "DECIMAL(9,3)"}, "exam": {"exam_id": "VARCHAR"}}) == []
    assert broken(released, {"run": {"id": "VARCHAR", "n": "VARCHAR"}}) == [
        "exam is gone", "run.run_id is gone or was renamed", "run.n was INTEGER and is VARCHAR",
    ]  # fmt: skip


if __name__ == "__main__":
    RELEASED.write_text(json.dumps(columns(), indent=1) + "\n", encoding="utf-8")
