"""The one grammar of the headers of sql/: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.schema import TABLES
from pipelines.store import changes, sqlheader
from pipelines.store.sqlfiles import SQL, sql_checks, sql_queries, sql_tables, sql_views
from pipelines.vocabulary import CHANGE_KINDS


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "thing.sql"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_header_has_a_sentence_notes_and_prose(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "-- thing: what it gives,\n-- in two lines.\n--\n-- a: first,\n--   and more of it\n-- b: second\n--\n"
        "-- c is prose.\nwith x as (select 1)  -- d: no header\nselect * from x;\n",
    )
    header = sqlheader.read(path, notes=None)
    assert header.says == "what it gives, in two lines."
    assert header.notes == {"a": "first, and more of it", "b": "second"}
    assert header.statement == "with x as (select 1)  -- d: no header\nselect * from x"


@pytest.mark.parametrize(
    ("text", "notes", "message"),
    [
        ("select 1", (), "thing.sql: begin it with a comment"),
        ("-- no sentence\nselect 1", (), "thing.sql: begin it with a comment"),
        ("-- A rule.\n-- parametres: a\nselect 1", ("parameters",), "note 'parametres'; known are parameters"),
    ],
)
def test_a_header_that_does_not_follow_the_grammar_is_refused(
    tmp_path: Path, text: str, notes: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        sqlheader.read(written(tmp_path, text), notes)


def test_every_file_of_sql_is_read() -> None:
    read = (
        sum(t.file.startswith("sql/") for t in sql_tables().values())
        + len(sql_views())
        + len(sql_checks())
        + len(sql_queries())
        + len(changes.STEPS)
        + len(CHANGE_KINDS)
    )
    assert read == len(list(SQL.rglob("*.sql")))
    with_parameters = {v.name: v.parameters for v in sql_views() if v.parameters}
    assert with_parameters == {"compare": ("a", "b"), "compare_answers": ("a", "b")}
    assert all(v.columns and v.says.endswith(".") for v in sql_views())


def test_what_a_table_is_is_said_once() -> None:
    for name, table in sql_tables().items():
        assert not table.sql.startswith("--"), name
        assert TABLES[name].description
