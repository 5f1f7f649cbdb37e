"""refresh_change: what differs between two generations, each difference with its cause."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest

from pipelines.store import changes, upkeep
from tests.unit.published_world import publish_world, rows, write_world
from tests.unit.scoring_world import World

TEST = "cognet_md/test"


def world(key: str = "A", answer: str = "A", readers: str = "1.1", **more: object) -> World:
    """Three questions of one dataset, and two runs that answered them."""
    made = World()
    for n in (1, 2, 3):
        made.question(f"{TEST}/{n}", "cognet_md", [key if n == 1 else "A"], topic="dermatology")
    for run in ("one", "two"):
        made.run(run, TEST, reader=readers, files="inbox/a.csv")
        for n in (1, 2, 3):
            made.answer(run, f"{TEST}/{n}", answer if n == 2 else "A", response="the same words")
    return made


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generation of world()."""
    return write_world(world(), tmp_path_factory.mktemp("changes") / "before")


def said(kind: str, found: pl.DataFrame) -> list[tuple[str, ...]]:
    return found.filter(kind=kind).select("subject", "old", "new", "cause").sort(pl.all()).rows()


def test_generations_that_are_equal_have_no_change(before: Path) -> None:
    assert changes.between(before, before).is_empty()


def test_a_changed_key_is_named_with_each_score_that_it_moved(before: Path, tmp_path: Path) -> None:
    now = changes.between(before, write_world(world(key="B"), tmp_path / "now"))
    assert said("key", now) == [(f"{TEST}/1", "A", "B", "read otherwise")]
    assert said("item", now) == [
        (f"{run} {TEST}/1", "1 of 1 points", "-0.5 of 1 points", "key A → B") for run in ("one", "two")
    ]
    assert [(subject, cause) for subject, _, _, cause in said("score", now)] == [
        (f"{run} score_share", "key (1 answers)") for run in ("one", "two")
    ]
    assert said("run", now) == said("dataset", now) == said("rule", now) == []


def test_a_new_reading_of_the_same_words_is_the_readers(before: Path, tmp_path: Path) -> None:
    now = changes.between(before, write_world(world(answer="B", readers="1.2"), tmp_path / "now"))
    assert {cause for *_, cause in said("item", now)} == {"reader 1.1 → 1.2"}
    assert {cause for *_, cause in said("score", now)} == {"reader 1.1 → 1.2 (1 answers)"}
    assert said("run", now) == [("2 runs read by another reader", "1.1", "1.2", "reader 1.1 → 1.2")]


def test_a_changed_rule_is_named_with_its_columns(tmp_path: Path) -> None:
    changed = world(answer="B")
    items = [
        replace(i, exact=Decimal(2)) if (i.benchmark, i.ruleset) == ("cognet_md", "official") else i
        for i in changed.rules.items
    ]
    changed.rules = replace(changed.rules, items=tuple(items))
    now = changes.between(write_world(world(answer="B"), tmp_path / "old"), write_world(changed, tmp_path / "now"))
    assert said("rule", now) == [("rule_item cognet_md/official", "exact: 0.5", "exact: 2.0", "rule file")]
    assert {cause for *_, cause in said("item", now)} == {"rule"}
    assert {cause for *_, cause in said("score", now)} == {"rule (3 answers)"}


def test_runs_that_came_and_went(before: Path, tmp_path: Path) -> None:
    changed = world()
    for name in ("run", "prediction"):
        changed.rows[name] = [row for row in changed.rows[name] if row["run_id"] != "two"]
    changed.run("three", TEST)
    changed.answer("three", f"{TEST}/1", "A")
    now = changes.between(before, write_world(changed, tmp_path / "now"))
    assert [(s, old is None, new is None, cause) for s, old, new, cause in said("run", now)] == [
        ("three", True, False, "new file"), ("two", False, True, "removed run"),
    ]  # fmt: skip
    causes = {subject: cause for subject, _, _, cause in said("score", now)}
    assert causes["three score_share"] == "new file" and causes["two score_share"] == "removed run"
    assert said("item", now) == []


def test_questions_and_datasets(before: Path, tmp_path: Path) -> None:
    changed = world()
    changed.rows["question"][1]["stem"] = "Another?"
    for name in ("question", "choice", "answer_key", "prediction"):
        changed.rows[name] = [row for row in changed.rows[name] if row["question_id"] != f"{TEST}/3"]
    changed.question("cognet_md/new/1", "cognet_md", ["A"], dataset_id="cognet_md/new")
    now = changes.between(before, write_world(changed, tmp_path / "now"))
    found = {subject: (old, new, cause) for subject, old, new, cause in said("question", now)}
    assert found[f"{TEST}/2"] == ("stem: ?", "stem: Another?", "read otherwise")
    assert found[f"{TEST}/3"][1:] == (None, "read otherwise")
    assert set(found) == {f"{TEST}/2", f"{TEST}/3"}, "a new dataset stands for its questions"
    assert [(s, cause) for s, _, _, cause in said("dataset", now)] == [
        ("cognet_md/new", "a new release"), (TEST, "read otherwise"),
    ]  # fmt: skip


def test_choices_in_another_order_are_no_changed_key(before: Path, tmp_path: Path) -> None:
    changed = world()
    for row in changed.rows["choice"]:
        if row["question_id"] == f"{TEST}/1" and row["position"] < 2:
            row.update(text="BA"[row["position"]], is_correct=row["position"] == 1)
    for row in changed.rows["answer_key"]:
        if row["question_id"] == f"{TEST}/1":
            row.update(labels="B", selection=2)
    now = changes.between(before, write_world(changed, tmp_path / "now"))
    assert said("key", now) == []
    assert [subject for subject, *_ in said("question", now)] == [f"{TEST}/1"]
    assert {cause for *_, cause in said("item", now)} == {"question"}


def test_a_verdict_is_told_with_its_points(tmp_path: Path) -> None:
    def exam(key: str) -> World:
        made = World()
        exam_id = made.exam("医師", 2020)
        made.question("q", "kokushi_md10", [key], exam_id=exam_id, paper="A", number=1, component="一般+臨床")
        made.run("r", "kokushi_md10/test")
        made.answer("r", "q", "A")
        return made

    now = changes.between(write_world(exam("A"), tmp_path / "a"), write_world(exam("B"), tmp_path / "b"))
    assert said("verdict", now) == [
        ("r kokushi_md10/医師/2020", "no verdict, 1 of 1 points", "no verdict, 0 of 1 points", "key (1 answers)")
    ]


def test_of_very_many_changes_the_first_are_kept_and_the_rest_counted(
    before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST", 1)
    now = changes.between(before, write_world(world(key="B", answer="B", readers="1.2"), tmp_path / "now"))
    kept, more = said("item", now)
    assert kept[-1] == "key A → B", "a key comes first"
    assert more == ("… and 3 more", None, None, "not listed")


def test_a_file_of_an_older_version_lacks_what_it_lacks(before: Path, tmp_path: Path) -> None:
    old = write_world(world(), tmp_path / "old")
    with duckdb.connect(str(old)) as con:
        con.execute("alter table prediction drop column locator")
        con.execute("drop table refresh_change")
    now = changes.between(old, write_world(world(key="B"), tmp_path / "now"))
    assert said("key", now) == [(f"{TEST}/1", "A", "B", "read otherwise")]


def test_publishing_notes_what_changed_since_what_is_published(tmp_path: Path) -> None:
    keys = "select subject, old, new from refresh_change where kind = 'key'"
    file = publish_world(world(), tmp_path)
    assert rows(file, "from refresh_change") == [], "nothing was published before"
    publish_world(world(key="B"), tmp_path)
    assert rows(file, keys) == [(f"{TEST}/1", "A", "B")]
    upkeep.roll_back(file, tmp_path / "tables", upkeep.generations(file)[0])
    assert rows(file, "from refresh_change") == [], "as it was when that generation was published"
    publish_world(world(key="C"), tmp_path)
    assert rows(file, keys) == [(f"{TEST}/1", "A", "C")], "compared with what was put back"
