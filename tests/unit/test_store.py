"""Writes that are all or nothing, and a published file that is whole or the old one."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from pipelines.errors import StoreError
from pipelines.schema import TABLES
from pipelines.store import publishing as storing
from pipelines.store import tables
from pipelines.store.checks import schema_checks
from pipelines.store.lock import refresh_lock
from pipelines.store.publishing import publish, unfit
from pipelines.store.tables import Store, query

DATASET: dict[str, Any] = {
    "dataset_id": "medschool/x",
    "benchmark": "medschool",
    "release": "x",
    "source": "mur",
    "title": "X",
    "language": "it",
    "licence": "none",
    "origin": "here",
    "sha256": "0",
    "fetched_at": datetime(2024, 7, 1),
    "n_questions": 2,
    "published_count": 2,
    "is_sample": False,
    "is_latest": True,
}
QUESTION: dict[str, Any] = {
    "question_id": "medschool/x/1",
    "dataset_id": "medschool/x",
    "benchmark": "medschool",
    "source_key": "1",
    "language": "it",
    "stem": "Quale?",
    "answer_type": "single",
    "n_choices": 5,
    "points": Decimal("1.5"),
    "key_status": "scored",
    "needs_image": False,
    "fingerprint": "f",
}


def datasets(*changes: dict[str, Any]) -> pl.DataFrame:
    return TABLES["dataset"].frame([DATASET | c for c in changes or ({},)])


def questions(n: int, **change: Any) -> pl.DataFrame:
    rows = [QUESTION | {"question_id": f"medschool/x/{i}", "source_key": str(i)} | change for i in range(n)]
    return TABLES["question"].frame(rows)


def prepared(data: Path) -> Store:
    """A store that has what `question` refers to."""
    store = Store(data)
    store.write("dataset", datasets())
    for name in ("exam", "passage"):
        store.write(name, TABLES[name].frame([]))
    return store


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    store = prepared(tmp_path)
    meta = store.write("question", questions(3), ["dataset"])
    assert store.read("question").equals(questions(3))
    assert (meta.rows, store.meta("question")) == (3, meta)
    assert meta.inputs == {"dataset": store.meta("dataset").version}  # type: ignore[union-attr]


def test_the_version_depends_on_the_content_alone(tmp_path: Path) -> None:
    store = prepared(tmp_path)
    first = store.write("question", questions(3))
    assert store.write("question", questions(3).reverse()).version == first.version
    assert store.write("question", questions(3, stem="Quando?")).version != first.version


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "null": ({"stem": None}, "no required column is null"),
    "value": ({"answer_type": "guess"}, "answer_type is one of single, multiple"),
    "key": ({"question_id": "medschool/x/0"}, r"\(question_id\) is unique"),
    "reference": ({"dataset_id": "medschool/y"}, r"\(dataset_id\) stands in dataset"),
    "second reference": ({"exam_id": "no/such/1999"}, r"\(exam_id\) stands in exam"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_table_is_not_written(tmp_path: Path, kind: str) -> None:
    change, sentence = BROKEN[kind]
    store = prepared(tmp_path)
    store.write("question", questions(2))
    before = store.files("question")[0].read_bytes()
    with pytest.raises(StoreError, match=sentence):
        store.write("question", pl.concat([questions(2), questions(1, **({"question_id": "medschool/x/9"} | change))]))
    assert store.files("question")[0].read_bytes() == before
    assert [p.name for p in store.root.iterdir() if p.name.startswith(".")] == []


def test_wrong_columns_and_types(tmp_path: Path) -> None:
    store = prepared(tmp_path)
    with pytest.raises(StoreError, match="lacks stem and has stam too many"):
        store.write("question", questions(1).rename({"stem": "stam"}))
    with pytest.raises(StoreError, match="do not fit the table"):
        store.write("question", questions(1).with_columns(number=pl.lit("many")))
    with pytest.raises(StoreError, match="do not fit the table"):
        store.write("question", "select nonsense from nowhere")
    with pytest.raises(ValueError, match="has no column"):
        TABLES["question"].frame([{"stam": 1}])


def test_an_empty_table_that_may_not_be_empty(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is at least one row"):
        Store(tmp_path).write("dataset", TABLES["dataset"].frame([]))


def test_a_table_without_what_it_refers_to(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="run the asset dataset first"):
        Store(tmp_path).write("question", questions(1))


def test_shrinking_needs_a_word(tmp_path: Path) -> None:
    prepared(tmp_path)
    published = tmp_path / "medexams.duckdb"
    store = Store(tmp_path, published)
    store.write("question", questions(50))  # what a failed run left counts for nothing: nothing is published yet
    store.write("question", questions(20))
    with duckdb.connect(str(published)) as con:
        con.execute("create table question as from range(100)")
    assert store.write("question", questions(90)).rows == 90
    with pytest.raises(StoreError, match=r"would shrink from the published 100 to 80 rows.*--accept-shrink"):
        store.write("question", questions(80))
    assert Store(tmp_path, published, accept_shrink=True).write("question", questions(80)).rows == 80


def test_staged_tables_take_their_place_together_or_not_at_all(tmp_path: Path) -> None:
    store = prepared(tmp_path)
    before = store.read("dataset")
    with store.staged() as staged:
        staged.write("dataset", datasets({}, {"dataset_id": "medschool/z"}))
        assert store.read("dataset").equals(before) and staged.read("dataset").height == 2
    assert store.read("dataset").equals(before)
    with store.staged() as staged:
        staged.write("dataset", datasets({}, {"dataset_id": "medschool/z"}))
        store.adopt(staged, ["dataset"])
    assert store.read("dataset").height == 2 and not (tmp_path / "tables" / ".staged").exists()


def test_sql_is_written_like_a_frame(tmp_path: Path) -> None:
    store = prepared(tmp_path)
    store.write("question", questions(3))
    meta = store.write("question", "select * replace (upper(stem) as stem) from question", ["question"])
    assert meta.rows == 3
    assert store.read("question")["stem"].to_list() == ["QUALE?"] * 3


def test_parts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for part, n in (("a", 1), ("b", 2)):
        rows: list[dict[str, object]] = [{"path": f"{part}{i}", "reason": "broken"} for i in range(n)]
        store.write("rejected_file", TABLES["rejected_file"].frame(rows), part=part)
    assert (store.parts("rejected_file"), store.read("rejected_file").height) == (["a", "b"], 3)
    whole = store.meta("rejected_file")
    assert whole is not None and whole.rows == 3
    assert store.keep_parts("rejected_file", ["b"]) == ["a"]
    assert store.read("rejected_file")["path"].to_list() == ["b0", "b1"]
    with pytest.raises(ValueError, match="is stored in parts"):
        store.write("rejected_file", TABLES["rejected_file"].frame([]))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    store = prepared(tmp_path)
    store.files("dataset")[0].write_bytes(b"PAR1 no more")
    with pytest.raises(StoreError, match=r"dataset\.parquet is damaged"):
        store.meta("dataset")


def test_a_write_that_is_killed_leaves_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = prepared(tmp_path)

    def power_off(path: Path) -> None:
        raise KeyboardInterrupt

    before = store.read("dataset")
    monkeypatch.setattr(tables, "make_durable", power_off)
    with pytest.raises(KeyboardInterrupt):
        store.write("dataset", datasets({}, {"dataset_id": "medschool/z"}))
    assert store.read("dataset").equals(before)


# ---- publishing


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A warehouse of few tables, so that publishing can be tried without all stages."""
    names = ("dataset", "exam", "passage", "question")
    monkeypatch.setattr(storing, "TABLES", {name: TABLES[name] for name in names})
    monkeypatch.setattr(storing, "sql_checks", list)
    monkeypatch.setattr(storing, "sql_views", list)
    return names


def test_publish(tmp_path: Path, few: tuple[str, ...]) -> None:
    store = prepared(tmp_path)
    store.write("question", questions(3), ["dataset"])
    target = tmp_path / "w.duckdb"
    assert publish(store, target) == {"dataset": 1, "exam": 0, "passage": 0, "question": 3}
    with duckdb.connect(str(target), read_only=True) as con:
        assert query(con, "select stem from question limit 1")["stem"].to_list() == ["Quale?"]
        uncommented = "select count(*) from duckdb_columns() where not internal and comment is null"
        assert con.execute(uncommented).fetchall() == [(0,)]
        assert con.execute("select comment from duckdb_tables() where table_name = 'question'").fetchall() == [
            (TABLES["question"].description,)
        ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["generations", "tables", "w.duckdb"]


def test_readers_keep_the_old_file_and_generations_are_bounded(tmp_path: Path, few: tuple[str, ...]) -> None:
    store = prepared(tmp_path)
    store.write("question", questions(1))
    target = tmp_path / "w.duckdb"
    publish(store, target, keep=2)
    reader = duckdb.connect(str(target), read_only=True)
    for n in (2, 3, 4, 5):
        store.write("question", questions(n))
        publish(store, target, keep=2)
    assert reader.execute("select count(*) from question").fetchall() == [(1,)]
    reader.close()
    with duckdb.connect(str(target), read_only=True) as con:
        assert con.execute("select count(*) from question").fetchall() == [(5,)]
    assert len(list((tmp_path / "generations").glob("*.duckdb"))) == 2


def test_tables_that_do_not_fit_together_are_not_published(tmp_path: Path, few: tuple[str, ...]) -> None:
    store = prepared(tmp_path)
    target = tmp_path / "w.duckdb"
    with pytest.raises(StoreError, match="question has not been made; run the asset question"):
        publish(store, target)
    store.write("question", questions(1), ["dataset"])
    publish(store, target)
    before = target.read_bytes()
    store.write("dataset", datasets({"title": "another"}))
    assert unfit(store) == ["question was made from an older dataset; run the asset question"]
    with pytest.raises(StoreError, match="made from an older dataset"):
        publish(store, target)
    assert target.read_bytes() == before


def test_a_broken_reference_stops_publishing(tmp_path: Path, few: tuple[str, ...]) -> None:
    store = prepared(tmp_path)
    store.write("question", questions(1))
    target = tmp_path / "w.duckdb"
    publish(store, target)
    before = target.read_bytes()
    store.write("dataset", datasets({"dataset_id": "medschool/other"}))
    with pytest.raises(
        StoreError, match=r"question: \(dataset_id\) stands in dataset: 1 rows break this.*nothing was published"
    ):
        publish(store, target)
    assert target.read_bytes() == before
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


# ---- the lock


def test_one_refresh_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from pipelines.store.lock import refresh_lock\n"
        "with refresh_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match=rf"under way \(process {holder.pid}\)"), refresh_lock(tmp_path):
            pass
    finally:
        holder.kill()
        holder.wait()
    with refresh_lock(tmp_path, wait=5):  # a killed holder leaves nothing behind
        assert (tmp_path / "refresh.lock").read_text() != ""


def test_checks_find_what_they_are_for() -> None:
    """Each check made from schema.py is run on rows that break it: a check that can't fail would show here."""
    table = TABLES["question"]
    names = {c.name for c in schema_checks(table)}
    assert {"question_key", "question_not_null", "question_dataset_id_reference", "question_not_empty"} <= names
    assert len(names) == len(schema_checks(table))
