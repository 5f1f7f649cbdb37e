"""Readings to tables: links, lost text, duplicates, key changes, masks; nothing lost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.questions.item import Choice, Dataset, Image, Item, Key, Reading, Rejected
from pipelines.questions.links import NEAR, duplicates, link
from pipelines.questions.unify import unify
from pipelines.schema import TABLES

TEXTS = ("un enzima", "un lipide", "uno zucchero", "un acido nucleico", "un sale minerale")


def item(key: str, stem: str, texts: Sequence[str] = TEXTS, right: str = "A", **more: object) -> Item:
    choices = [Choice(label, text) for label, text in zip("ABCDEFGH", texts, strict=False)]
    return Item(key, f"row {key}", "it", stem, "single", choices, [Key((right,))] if right else [], **more)  # type: ignore[arg-type]


def reading(
    release: str, items: list[Item], source: str = "mur", benchmark: str = "medschool", **more: object
) -> Reading:
    fetched = datetime(2024, 7, 1, tzinfo=UTC)
    dataset = Dataset(benchmark, release, "T", "it", "none", "here", release, fetched, None, False, source)
    return Reading(dataset, items, **more)  # type: ignore[arg-type]


def flags(tables: dict[str, pl.DataFrame], question_id: str) -> set[str]:
    return set(tables["question_flag"].filter(pl.col("question_id") == question_id)["flag"])


def test_masks_follow_positions() -> None:
    two = item("1", "Quali?")
    two.answer_type, two.keys = "multiple", [Key(("E", "A")), Key(("B",))]
    tables = unify([reading("mur-1", [two])])
    keys = tables["answer_key"]
    assert keys.select("alternative", "labels", "selection").rows() == [(1, "A-E", 0b10001), (2, "B", 0b00010)]
    assert tables["choice"]["is_correct"].to_list() == [True, True, False, False, True]


def test_a_key_that_names_no_choice_is_flagged_and_not_scored() -> None:
    tables = unify([reading("mur-1", [item("1", "Quale?", right="H")])])
    assert tables["answer_key"].height == 0
    assert tables["question"]["key_status"].to_list() == ["unknown"]
    assert flags(tables, "medschool/mur-1/1") == {"key_disputed"}


def test_the_same_question_with_another_key_is_a_change_by_text() -> None:
    old = reading("room", [item("7", "Che cos'è l'amilasi?", right="A")], "medschool")
    new = reading("mur-1", [item("99", "Che cos’è l’amilasi ?", TEXTS[::-1], right="B")])
    tables = unify([new, old])
    change = tables["answer_key_change"].row(0, named=True)
    assert (change["from_dataset"], change["to_dataset"]) == ("medschool/room", "medschool/mur-1")
    assert (change["old_key"], change["new_key"]) == ("un enzima", "un acido nucleico")
    assert "key_disputed" in flags(tables, "medschool/room/7") & flags(tables, "medschool/mur-1/99")
    assert tables["question_link"].rows() == [("medschool/room/7", "medschool/mur-1/99", "exact", Decimal("1.000"))]


def test_the_same_key_in_another_order_is_no_change() -> None:
    old = reading("room", [item("7", "Che cos'è l'amilasi?", right="A")], "medschool")
    new = reading("mur-1", [item("99", "Che cos'è l'amilasi?", TEXTS[::-1], right="E")])
    assert unify([old, new])["answer_key_change"].height == 0


def test_changes_run_from_release_to_release() -> None:
    releases = [reading(f"mur-{n}", [item("1", "Quale?", right=right)]) for n, right in enumerate("AAB")]
    for n, r in enumerate(releases):
        r.dataset.__dict__["fetched_at"] = datetime(2024, 7, n + 1, tzinfo=UTC)
    tables = unify(releases)
    assert [
        (a.split("/")[1], b.split("/")[1])
        for a, b in tables["question_link"].select("from_question", "to_question").rows()
    ] == [
        ("mur-0", "mur-1"),
        ("mur-1", "mur-2"),
    ]
    assert tables["answer_key_change"].select("from_dataset", "to_dataset").rows() == [
        ("medschool/mur-1", "medschool/mur-2")
    ]
    assert tables["dataset"].filter(pl.col("is_latest"))["dataset_id"].to_list() == ["medschool/mur-2"]


def test_text_that_the_collector_lost_is_flagged_on_the_released_row_alone() -> None:
    whole = item("5", "Quando vale x < 0 oppure x > 2?", collected=("Quando vale x 2?", *TEXTS))
    lost = item("1", "Quando vale x 2?")
    tables = unify([reading("room", [lost], "medschool"), reading("mur-1", [whole])])
    assert flags(tables, "medschool/room/1") == {"lost_markup"}
    assert flags(tables, "medschool/mur-1/5") == set()
    assert tables["question_link"]["kind"].to_list() == ["lost_markup"]


def test_what_differs_in_marks_or_pictures_alone_lost_no_text() -> None:
    """The collector turns 2^(n) into 2n and drops pictures; neither is a lost '<'."""
    formula = item("5", "Qual è 10^-7 di n?", collected=("Qual è 10-7 di n?", *TEXTS))
    picture = item("6", "Che cosa mostra? [image]", collected=("Che cosa mostra?", *TEXTS))
    left = [item("1", "Qual è 10-7 di n?"), item("2", "Che cosa mostra?")]
    assert {(k.left, k.right): k.kind for k in link(left, [formula, picture])} == {(0, 0): "near", (1, 1): "near"}


def test_retyped_questions_are_linked_and_sisters_of_a_known_one_are_not() -> None:
    stem = "Individuare tra le seguenti la fase della mitosi in cui i cromosomi si allineano all'equatore della cellula"
    old = [item("1", stem + "?"), item("2", "Durante la profase che cosa accade ai cromosomi della cellula?")]
    new = [
        item("8", stem.replace("cellula", "cellulla") + "?"),
        item("9", "Durante la profase che cosa accade ai cromosomi della cellula?"),
    ]
    new.append(item("10", "Durante la metafase che cosa accade ai cromosomi della cellula?"))
    found = {(k.left, k.right): k for k in link(old, new)}
    assert {pair: k.kind for pair, k in found.items()} == {(0, 0): "near", (1, 1): "exact"}
    assert NEAR <= found[0, 0].similarity < 1


def test_lost_pictures_and_passages_are_flagged_on_the_derived_row() -> None:
    shown = item("5", "Che cosa mostra?", needs_image=True, images=[Image("stem", "http://h/1")])
    read = item("6", "Di che cosa parla il brano?", passage_key="b1")
    old = [item("1", "Che cosa mostra?"), item("2", "Di che cosa parla il brano?")]
    tables = unify([reading("room", old, "medschool"), reading("mur-1", [shown, read], passages={"b1": "Un brano."})])
    assert flags(tables, "medschool/room/1") == {"image_missing"}
    assert flags(tables, "medschool/room/2") == {"passage_missing"}
    assert tables["question"]["passage_id"].drop_nulls().to_list() == ["medschool/mur-1/b1"]


def test_duplicates_need_the_same_pictures_or_the_same_answer() -> None:
    figure = [item(str(n), "Quale figura?", images=[Image("stem", f"http://h/{n}")]) for n in range(2)]
    same = [item("5", "Che cos'è?"), item("6", "Che cos’è ?", TEXTS[::-1], right="E")]
    other_choices = [item("7", "Gli elettroliti?"), item("8", "Gli elettroliti?", (TEXTS[0], "a", "b", "c", "d"))]
    sisters = [item("9", "Cosa si intende per endocitosi?"), item("10", "Cosa si intende per esocitosi?")]
    found = duplicates([*figure, *same, *other_choices, *sisters])
    assert [(later, first) for later, first, _ in found] == [(3, 2), (5, 4)]
    assert found[1][2].startswith("near")


def test_choices_that_stand_twice_and_unusual_numbers_of_them() -> None:
    items = [item(str(n), f"Domanda {n}?") for n in range(20)]
    items.append(item("20", "Quale ripete?", ("CO", "Co", "x", "x", "y")))
    items.append(item("21", "Quale è corta?", ("sì", "no")))
    tables = unify([reading("mur-1", items)])
    flagged = {tuple(r) for r in tables["question_flag"].select("question_id", "flag").rows()}
    assert flagged == {("medschool/mur-1/20", "duplicate_choices"), ("medschool/mur-1/21", "choice_count_unusual")}


def test_rejected_rows_are_kept() -> None:
    tables = unify([reading("mur-1", [item("1", "Quale?")], rejected=[Rejected("row 2", "no text", "{}")])])
    assert tables["rejected_row"].rows() == [("medschool/mur-1", "row 2", "no text", "{}")]


KEYS = st.sets(st.sampled_from("ABCDE"), min_size=1).map(lambda s: Key(tuple(sorted(s))))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=12), st.lists(KEYS, max_size=3, unique=True)), min_size=1, max_size=8))
def test_nothing_is_lost_and_masks_equal_a_plain_oracle(drawn: list[tuple[str, list[Key]]]) -> None:
    items = []
    for n, (stem, keys) in enumerate(drawn):
        one = item(str(n), stem or "?")
        one.keys = keys
        items.append(one)
    tables = unify([reading("mur-1", items)])
    assert tables["question"].height == len(drawn)
    assert tables["choice"].height == 5 * len(drawn)
    expected = [
        (f"medschool/mur-1/{n}", a + 1, sum(2 ** "ABCDE".index(label) for label in key.labels))
        for n, (_, keys) in enumerate(drawn)
        for a, key in enumerate(keys)
    ]
    assert tables["answer_key"].select("question_id", "alternative", "selection").rows() == expected
    for name, frame in tables.items():
        assert frame.schema == pl.Schema(TABLES[name].polars_schema())


def test_unknown_columns_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="has no column"):
        TABLES["dataset"].frame([{"datset_id": "x"}])
