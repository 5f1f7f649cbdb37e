"""Releases: quarantine, comparison with what is published, refusal, acceptance, and rows that no table could hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from pipelines import stages
from pipelines.archive.landing import Landing
from pipelines.archive.releases import Releases
from pipelines.errors import MedexamsError, StoreError
from pipelines.questions.item import Choice, Item, Reading, Rejected, sound
from pipelines.settings import Settings
from pipelines.store.checks import quoted
from pipelines.store.tables import Store
from tests.web import bank

Bank = list[dict[str, Any]]


class World:
    """A data folder with two sources: a saved bank and COGNET-MD's file."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.folder = folder
        self.changes = changes
        self.bank(bank(40))

    @property
    def settings(self) -> Settings:
        address = {"MEDEXAMS_MUR_API": str(self.folder / "bank.json")}
        return Settings.from_env(address, data=self.folder / "data", **self.changes)

    @property
    def store(self) -> Store:
        return stages.open_store(self.settings)

    def bank(self, questions: Bank) -> None:
        (self.folder / "bank.json").write_text(json.dumps(questions))

    def refresh(self, **changes: Any) -> None:
        """Fetch, build the question tables and publish the table that later refreshes compare with."""
        self.changes = changes
        stages.fetch(self.settings, "mur")
        stages.build_questions(self.settings, self.store)
        with duckdb.connect(str(self.settings.warehouse)) as con:
            con.execute(f"create or replace table dataset as from {quoted(self.store.files('dataset')[0])}")

    def refused(self) -> list[dict[str, Any]]:
        return Releases(Landing(self.settings.data)).refused()

    def latest(self) -> str:
        return str(self.store.read("dataset").filter(pl.col("is_latest"))["sha256"].item())


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.refresh()
    return made


def shrunk(questions: Bank) -> Bank:
    return questions[:20]


def without_a_subject(questions: Bank) -> Bank:
    return [q | {"argomento": "logica"} for q in questions]


def with_other_keys(questions: Bank) -> Bank:
    swapped = {"a": "b", "b": "a"}
    return [q | {"risposte": [a | {"id": swapped.get(a["id"], a["id"])} for a in q["risposte"]]} for q in questions]


BAD: list[tuple[Callable[[Bank], Bank], str, tuple[int, int]]] = [
    (shrunk, "keeps_its_size", (40, 20)),
    (with_other_keys, "keeps_its_keys", (40, 0)),
]


@pytest.mark.parametrize(("spoil", "check", "numbers"), BAD)
def test_a_bad_release_is_refused_listed_and_never_used(
    world: World, spoil: Callable[[Bank], Bank], check: str, numbers: tuple[int, int]
) -> None:
    good, before = world.latest(), world.store.read("question")
    world.bank(spoil(bank(40)))
    with pytest.raises(StoreError) as said:
        world.refresh()
    message = str(said.value)
    assert "medschool/mur" in message and all(str(n) in message for n in numbers if n)
    assert "medexams refresh --only medschool --accept-shrink" in message
    assert world.store.read("question").equals(before)
    (row,) = world.refused()
    assert (row["source"], row["check"], row["expected"], row["found"], row["mended"]) == (
        "mur",
        check,
        *numbers,
        False,
    )
    assert stages.note_refusals(world.settings, world.store).rows == 1
    world.bank(bank(40))
    world.refresh()  # by itself
    assert world.latest() == good and world.store.read("dataset").height == 1
    assert [r["mended"] for r in world.refused()] == [True]


def test_a_subject_that_is_gone(world: World) -> None:
    world.bank(without_a_subject(bank(40)))
    with pytest.raises(StoreError, match=r"of the subjects where .*it lacks biology"):
        world.refresh()


def test_a_few_changes_are_no_deviation(world: World) -> None:
    questions = bank(40)
    world.bank(with_other_keys(questions[:4]) + questions[4:])
    world.refresh()
    assert world.store.read("dataset").height == 2 and world.store.read("answer_key_change").height == 4


def test_an_accepted_deviation_is_a_row_and_stays_accepted(world: World) -> None:
    world.bank(shrunk(bank(40)))
    world.refresh(accept_shrink=True)
    row = world.store.read("accepted_deviation").row(0, named=True)
    assert (row["check"], row["expected"], row["found"]) == ("keeps_its_size", 40, 20)
    assert row["dataset_id"].startswith("medschool/mur-") and row["reason"].startswith("--accept-shrink by ")
    world.refresh()
    assert world.store.read("dataset").filter(pl.col("is_latest"))["n_questions"].item() == 20


def test_a_release_that_comes_back_is_the_latest_again(world: World) -> None:
    first = world.latest()
    world.bank(bank(44))
    world.refresh()
    assert world.latest() != first
    world.bank(bank(40))
    world.refresh()
    assert world.latest() == first and world.store.read("dataset").height == 2


def test_a_candidate_is_compared_with_what_is_published(world: World) -> None:
    """A release that was accepted and not published is no measure for the next one."""
    world.bank(bank(80))
    stages.fetch(world.settings, "mur")
    stages.build_questions(world.settings, world.store)  # and publishing failed
    world.bank(bank(44))
    world.refresh()
    assert world.store.read("dataset").filter(pl.col("is_latest"))["n_questions"].item() == 44


def test_a_clock_that_went_back_makes_no_bank_look_shrunk(world: World) -> None:
    world.bank(bank(44))
    world.refresh()
    landing = Landing(world.settings.data)
    old, new = landing.snapshots("mur")
    landing.add_snapshot(new.__class__(**new.__dict__ | {"fetched_at": old.fetched_at.replace(year=2001)}))
    world.refresh()
    assert world.store.read("dataset").filter(pl.col("is_latest"))["n_questions"].item() == 44


def test_tables_that_break_a_check_refuse_what_was_fetched(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise StoreError("a check says no")

    before = world.store.read("question")
    world.bank(bank(44))
    with monkeypatch.context() as patch:
        patch.setattr(stages, "check_tables", broken)
        with pytest.raises(StoreError, match="a check says no"):
            world.refresh()
    assert [r["check"] for r in world.refused()] == ["tables"] and world.store.read("question").equals(before)
    world.bank(bank(40))
    world.refresh()


def test_what_can_not_be_read_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.bank([])
    with pytest.raises(MedexamsError):
        world.refresh()
    world.bank(bank(40))
    world.refresh()
    assert world.store.read("question").height == 40


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"domanda": "a\ud800b"}, "half a character"),
        ({"domanda": "a\u0000b"}, "NUL"),
        ({"nro": 10**30}, "too large"),
    ],
)
def test_poison_rejects_its_row_alone(world: World, change: dict[str, Any], why: str) -> None:
    questions = bank(40)
    questions[3] |= change
    world.bank(questions)
    world.refresh()
    (row,) = world.store.read("rejected_row").rows(named=True)
    assert why in row["reason"] and row["locator"] == "page:0 row 3"
    assert world.store.read("dataset").filter(pl.col("is_latest"))["n_questions"].item() == 39
    world.bank(bank(40))
    world.refresh()
    assert world.store.read("dataset").filter(pl.col("is_latest"))["n_questions"].item() == 40


def test_rows_that_no_table_could_hold_are_set_aside(world: World) -> None:
    reading = stages._read(Landing(world.settings.data).snapshots("mur")[0], Landing(world.settings.data))

    def item(key: str, **changes: Any) -> Item:
        return Item(
            **{"source_key": key, "locator": key, "language": "it", "stem": "?", "answer_type": "single"} | changes
        )

    items = [
        item("good"),
        item("good"),
        item("labels", choices=[Choice("A", "x"), Choice("A", "y")]),
        item("choices", choices=[Choice(str(i), str(i)) for i in range(32)]),
        item("points", points=Decimal("NaN")),
        item("deep", flags={"text_repaired": "\udc00"}),
    ]
    got = sound(Reading(reading.dataset, items, [Rejected("1", "\ud800", "\0")], {"a": "x", "b": "\ud800"}))
    assert [i.source_key for i in got.items] == ["good"] and list(got.passages) == ["a"]
    assert [r.reason for r in got.rejected] == [
        "\\ud800", "the key good stands twice", "two choices have the label A",
        "the question has 32 choices, more than 31", "the number NaN is too large",
        "a text holds half a character (a lone surrogate)",
    ]  # fmt: skip
    assert got.rows_in == 7


def test_a_source_can_be_switched_off(world: World) -> None:
    settings = Settings.from_env({"MEDEXAMS_MUR_API": "off"}, data=world.settings.data)
    assert stages.fetch(settings, "mur") is None
    assert stages.build_questions(settings, world.store)["question"].rows == 40
