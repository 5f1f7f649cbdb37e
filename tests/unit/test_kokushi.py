"""KokushiMD-10: both layouts, places in the exam, cases, corrections, errors; keys are test_kokushi_keys.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.benchmarks.japanese_exams.exams import (
    PROFESSIONS,
    case_groups,
    exam_of,
    paper_of,
    profession_of,
)
from pipelines.benchmarks.kokushi_md10 import source as kokushi
from pipelines.errors import SettingsError, SourceError
from pipelines.progress import silent
from pipelines.questions.item import Item, Key, Reading
from pipelines.settings import Settings
from tests.unit.test_kokushi_keys import D, L, sets


def row(index: object = "1", **changes: Any) -> dict[str, Any]:
    """A question of the folder layout, written for these tests."""
    base = {"index": index, "question": "正しいのはどれか。", "answer": "b", "points": "1", "kinki": [],
            "text_only": True,
            "human_accuracy": "", "a": "甲", "b": "乙", "c": "丙", "d": "丁", "e": "戊"}  # fmt: skip
    return {k: v for k, v in (base | changes).items() if v is not ...}


def fetched(root: Path, data: Path, profile: str = "live") -> tuple[Snapshot, Landing]:
    landing = Landing(data)
    env = Settings.from_env({"MEDEXAMS_KOKUSHI_RELEASE": str(root)}, profile=profile)
    return kokushi.fetch(env, Session(env, landing), landing, silent), landing


def write(root: Path, files: Mapping[str, object]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")


def reading(tmp_path: Path, files: Mapping[str, object], address: str = "") -> Reading:
    write(tmp_path / "in", files)
    return kokushi.read(*fetched(tmp_path / "in" / address, tmp_path / "data"))


def one(tmp_path: Path, changes: Mapping[str, Any] | None = None, file: str = "医師/医師_2021_a.json") -> Item:
    got = reading(tmp_path, {f"exams/JA/{file}": [row(**(changes or {}))]})
    assert not got.rejected
    return got.items[0]


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n"


NAMES = [
    ("医師国家試験", "医師"), ("第114回医師国家試験", "医師"), ("Physician", "医師"), ("歯科医師", "歯科"),
    ("Dentistry", "歯科"),
    ("看護師", "看護"), ("Nursing", "看護"), ("保健師", "保健"), ("Public Health Nurse", "保健"),
    ("助産師国家試験", "助産"),
    ("midwife", "助産"), ("理学療法士", "理学"), ("Physical Therapy", "理学"), ("作業療法士", "作業"),
    ("Occupational Therapist", "作業"), ("診療放射線技師", "診療"), ("Radiologic Technology", "診療"),
    ("視能訓練士", "視能"),
    ("Optometry", "視能"), ("薬剤師", "薬剤"), ("National Examination for Pharmacists", "薬剤"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name"), [*NAMES, *((p, p) for p in PROFESSIONS)])
def test_professions_by_any_name(text: str, name: str) -> None:
    found = profession_of(text)
    assert found is not None
    assert found.name == name


def test_an_unknown_profession() -> None:
    assert profession_of("獣医師") is None
    assert profession_of("") is None


def test_rounds_and_papers() -> None:
    assert exam_of(PROFESSIONS["医師"], 2022).round == 116
    assert exam_of(PROFESSIONS["薬剤"], 2024).round == 109
    assert exam_of(PROFESSIONS["視能"], 2015).round == 45
    assert [paper_of(t, "看護", 1) for t in ("a", "Section B", "午前", "PM", "Ａ", "z", "")] == [
        "A",
        "B",
        "A",
        "B",
        "A",
        None,
        None,
    ]
    assert [paper_of("", "薬剤", n) for n in (1, 91, 195, 196, 285, 345)] == ["A1", "A2", "A3", "B1", "B2", "B3"]


PLACES = [
    ("医師_2021_b", 26, "必修", 3), ("医師_2021_e", 25, "必修", 1), ("医師_2021_f", 75, "一般+臨床", 1),
    ("歯科_2021_a", 20, "必修", 1),
    ("歯科_2021_a", 21, None, 1), ("看護_2021_a", 25, "必修", 1), ("看護_2021_b", 91, "一般+状況設定", 2),
    ("保健_2021_a", 41, "overall", 2),
    ("助産_2021_b", 1, "overall", 1), ("理学_2021_a", 20, "実地", 3), ("作業_2021_b", 21, "一般", 1),
    ("診療_2021_a", 100, "overall", 1),
    ("視能_2021_b", 66, "overall", 2), ("薬剤_2021_a1", 90, "必須", 2), ("薬剤_2021_a3", 195, "理論", 2),
    ("薬剤_2021_b3", 345, "実践", 2),
]  # fmt: skip


@pytest.mark.parametrize(("file", "number", "component", "points"), PLACES)
def test_place_in_the_exam(tmp_path: Path, file: str, number: int, component: str | None, points: int) -> None:
    item = one(tmp_path, {"index": str(number), "points": ...}, f"{file.split('_')[0]}/{file}.json")
    assert (item.component, item.points) == (component, points)
    assert item.source_key == f"{file.split('_')[0]}/2021/{file.split('_')[2].upper()}/{number}"


def test_a_question_as_the_folder_has_it(tmp_path: Path) -> None:
    item = one(
        tmp_path, {"index": "07", "kinki": ["ｃ"], "human_accuracy": "94.8", "category": "免疫", "text_only": False}
    )
    assert item.source_key == "医師/2021/A/7"
    assert item.exam is not None
    assert (item.exam.profession_en, item.exam.round, item.paper, item.number) == ("Physician", 115, "A", 7)
    assert (item.topic, item.human_accuracy, item.needs_image) == ("免疫", Decimal("94.8"), True)
    assert [c.label for c in item.choices if c.is_forbidden] == ["c"]
    assert set(item.flags) == {"forbidden_repaired", "image_missing"}


@pytest.mark.parametrize(
    ("changes", "status", "points", "flags"),
    [({"points": "0"}, "removed", 0, set()), ({"points": "many"}, "scored", 1, {"points_suspect"}),
     ({"points": -1}, "scored", 1, {"points_suspect"}), ({"answer": "NA"}, "unknown", 1, {"key_missing"}),
     ({"note": "正解が得られない"}, "scored", 1, {"key_disputed"}), ({"note": ""}, "scored", 1, set()),
     ({"corrected_question_index": "3"}, "removed", 1, {"key_disputed"}),
     ({"human_accuracy": "917.1"}, "scored", 1, {"text_repaired"}),
     ({"f": "己"}, "scored", 1, {"choice_count_unusual"}), ({"kinki": ["z"]}, "scored", 1, {"forbidden_repaired"})],
)  # fmt: skip
def test_what_is_flagged(tmp_path: Path, changes: dict[str, Any], status: str, points: int, flags: set[str]) -> None:
    item = one(tmp_path, changes)
    assert (item.key_status, item.points, set(item.flags)) == (status, points, flags)


def test_official_corrections_win_over_the_source(tmp_path: Path) -> None:
    got = reading(tmp_path, {
        "exams/JA/医師/医師_2022_a.json": [row("34", points="1"), row("71"), row("72")],
        "exams/JA/医師/医師_2022_b.json": [row("6")],
        "exams/JA/歯科/歯科_2024_b.json": [row("19", answer="a"), row("64", answer="NA")],
        "exams/JA/看護/看護_2020_a.json": [row("53")],
        "exams/JA/作業/作業_2021_a.json": [row("53")],
        "exams/JA/薬剤/薬剤_2020_b3.json": [row("299", answer="1", a=..., b=..., c=..., d=..., e=...,
        **{x: x for x in D})],
    })  # fmt: skip
    items = {i.source_key: i for i in got.items}
    statuses = {k: i.key_status for k, i in items.items()}
    assert statuses == {
        "医師/2022/A/34": "removed", "医師/2022/A/71": "all_credit", "医師/2022/A/72": "scored",
        "医師/2022/B/6": "correct_only",
        "歯科/2024/B/19": "scored", "歯科/2024/B/64": "removed", "看護/2020/A/53": "scored",
        "作業/2021/A/53": "scored",
        "薬剤/2020/B3/299": "scored",
    }  # fmt: skip
    assert items["歯科/2024/B/19"].keys == sets("a", "e")
    assert items["薬剤/2020/B3/299"].keys == sets("1", "4")
    assert items["看護/2020/A/53"].keys == sets("b")
    assert "key_missing" in items["歯科/2024/B/64"].flags
    assert not items["医師/2022/A/72"].flags
    assert all("key_disputed" in i.flags for k, i in items.items() if k != "医師/2022/A/72")


def test_what_the_released_scorer_knows(tmp_path: Path) -> None:
    """The key as the file has it, whatever was announced later; nothing where the file says that it was corrected."""
    rows = [
        row(1, answer="a"), row(2, answer="1,3,5（いずれか2つ）"), row(3, answer="解なし"),
        row(4, answer="b", corrected_question_index="4"),
    ]  # fmt: skip
    for profession, last in (("医師", "b"), ("歯科", "")):
        got = reading(tmp_path / profession, {f"exams/JA/{profession}/{profession}_2031_a.json": rows})
        assert [i.released_key for i in got.items] == ["a", "1,3,5（いずれか2つ）", "", last]


def test_cases() -> None:
    start = "次の文を読み、以下の問いに答えよ。"
    numbered = dict.fromkeys(range(59, 70), "どれか。")
    assert case_groups("医師", numbered) == {}
    # two cases of two, the last bounded by the usual length
    assert case_groups("医師", numbered | {60: start, 62: start}) == {
        60: (60, 61),
        61: (60, 61),
        62: (62, 63),
        63: (62, 63),
    }
    # a range that is stated, in each stem or in the first only
    stated = dict.fromkeys((61, 62, 63), "次の文を読み 61～63 の問いに答えよ。")
    expected = dict.fromkeys((61, 62, 63), (61, 63))
    assert case_groups("看護", numbered | stated) == expected
    assert case_groups("看護", numbered | {61: stated[61]}) == expected
    # the question before
    assert case_groups("薬剤", {113: "どれか。", 114: "前問の薬物はどれか。"}) == {113: (113, 114), 114: (113, 114)}
    # pharmacists' compound questions come in pairs up to 325
    pairs = case_groups("薬剤", dict.fromkeys(range(194, 330), "どれか。"))
    assert (pairs[196], pairs[325], set(pairs)) == ((196, 197), (324, 325), set(range(196, 326)))


def test_blank_choices(tmp_path: Path) -> None:
    empty = dict.fromkeys(L, "")
    stem = "組合せで正しいのはどれか。\n\nａ\n甲\n乙\n\nｂ\n乙\n甲\n\nｃ\n丙\n甲\n\nｄ\n丁\n甲\n\nｅ\n戊\n甲"
    item = one(tmp_path / "1", empty | {"question": stem, "e": "ｅ"})
    assert (item.stem, [c.text for c in item.choices]) == (
        "組合せで正しいのはどれか。",
        ["甲 乙", "乙 甲", "丙 甲", "丁 甲", "戊 甲"],
    )
    assert "text_repaired" in item.flags
    shown = one(tmp_path / "2", empty | {"text_only": False})
    assert [c.has_image for c in shown.choices] == [True] * 5
    assert shown.keys == sets("b")
    number = one(tmp_path / "3", empty | {"question": "値を求めよ。解答：①.②", "answer": "04"})
    assert (number.answer_type, number.choices, number.keys) == ("numeric", [], [Key(value="04"), Key(value="0.4")])


def test_options_run_together(tmp_path: Path) -> None:
    none = dict.fromkeys(L, ...)
    for i, options in enumerate(
        ["a. 甲 b. 乙 c. 丙", "ａ．甲\nｂ．乙\nｃ．丙", "(a)甲(b)乙(c)丙", '["甲", "乙", "丙"]', "甲\n乙\n丙"]
    ):
        item = one(tmp_path / str(i), none | {"options": options})
        assert [(c.label, c.text) for c in item.choices] == [("a", "甲"), ("b", "乙"), ("c", "丙")], options
        assert item.keys == sets("b")
    inside = one(
        tmp_path / "in", none | {"question": "正しいのはどれか。1つ選べ。\n1. 甲\n2. 乙\n3. 丙\n4. 丁", "answer": "4"}
    )
    assert [c.label for c in inside.choices] == list("1234")
    assert inside.stem == "正しいのはどれか。1つ選べ。"


HUB = {"exam": "Physician", "year": 2021, "section": "A", "question_id": 3, "question": "Which is right? Choose two.",
       "answer": ["A", "C"], "options": {"A": "one", "B": "two", "C": "three"}}  # fmt: skip


LAYOUTS: list[dict[str, Any]] = [
    {"index": "3"},
    {"index": 3, "options": ["A. one", "B. two", "C. three"]},
    {"index": 3, "options": ["one", "two", "three"]},
    {
        "index": 3,
        "options": [{"label": "A", "text": "one"}, {"label": "B", "text": "two"}, {"label": "C", "text": "three"}],
    },
    {"index": 3, "options": {"label": ["A", "B", "C"], "text": ["one", "two", "three"]}},
    {"index": 3, "options": ..., "A": "one", "B": "two", "C": "three", "D": None, "E": None},
    {"index": 3, "options": ..., "choice_a": "one", "choice_b": "two", "choice_c": "three", "choice_d": ""},
    {"exam": ..., "year": ..., "section": ..., "id": "医師_2021_a_3"},
    {"exam": ..., "year": ..., "section": ..., "id": "17", "source": "kokushi_医師_2021_a_3"},
    {"exam": "医師_2021_a", "year": ..., "section": ..., "index": 3},
    {"exam": "医師国家試験", "year": "第115回", "index": "問3"},
]


@pytest.mark.parametrize("changes", LAYOUTS)
def test_hub_columns_are_mapped_by_name(tmp_path: Path, changes: dict[str, Any]) -> None:
    hub = {k: v for k, v in (HUB | changes).items() if v is not ...}
    got = reading(tmp_path, {"train_en.jsonl": lines(hub)}, "train_en.jsonl")
    item = got.items[0]
    assert (got.dataset.dataset_id, item.source_key, item.language) == ("kokushi_md10/en", "医師/2021/A/3", "en")
    assert [c.text for c in item.choices] == ["one", "two", "three"]
    assert ["".join(k.labels).upper() for k in item.keys] == ["AC"]
    assert item.answer_type == "multiple"


def test_a_mixed_release(tmp_path: Path) -> None:
    ja = HUB | {"index": 3, "question": "正しいのはどれか。2つ選べ。"}
    got = reading(tmp_path, {"train_mixed.jsonl": lines(ja, HUB | {"index": 3})}, "train_mixed.jsonl")
    assert (got.dataset.release, got.dataset.language) == ("mixed", "mixed")
    assert [(i.source_key, i.language) for i in got.items] == [("医師/2021/A/3", "ja"), ("en/医師/2021/A/3", "en")]


@pytest.mark.parametrize("address", ["", "exams", "exams/JA", "exams/JA/医師/医師_2021_a.json"])
def test_the_folder_may_be_named_at_any_level(tmp_path: Path, address: str) -> None:
    got = reading(tmp_path, {"exams/JA/医師/医師_2021_a.json": [row()]}, address)
    assert [i.source_key for i in got.items] == ["医師/2021/A/1"]
    assert (got.dataset.release, got.dataset.licence) == ("ja", "MIT")
    assert got.dataset.count_note is not None
    assert "医師 2021" in got.dataset.count_note


def test_english_folder(tmp_path: Path) -> None:
    got = reading(tmp_path, {"exams/EN/医師/医師_2021_a.json": [row()]})
    assert (got.dataset.release, got.items[0].language) == ("en", "en")


def test_rows_in_are_kept_or_rejected(tmp_path: Path) -> None:
    bad = [row("1"), row("1", question="別の問題"), "text", None, row("x"), row("0"), row("5", question=""),
    row("6", question=7),
           row("2"), row("8", A="甲", a="甲", options={"a": "x", "A": "y"})]  # fmt: skip
    got = reading(tmp_path, {
        "exams/JA/医師/医師_2021_a.json": bad,
        "exams/JA/獣医/獣医_2021_a.json": [row("1")],
        "exams/JA/医師/医師_extra.json": [row("1")],
    })  # fmt: skip
    assert [i.source_key for i in got.items] == ["医師/2021/A/1", "医師/2021/A/2"]
    assert got.rows_in == len(bad) + 2
    reasons = " ".join(r.reason for r in got.rejected)
    for words in ("occurs twice", "JSON object", "not a question number", "neither a question's text nor an image",
                  "none of the ten", "not an exam year", "same label"):  # fmt: skip
        assert words in reasons
    assert all(r.locator and r.raw for r in got.rejected)


def test_a_repeated_number_gives_way_to_its_correction(tmp_path: Path) -> None:
    rows = [row("1"), row("1", corrected_question_index="2")]
    got = reading(tmp_path, {"exams/JA/歯科/歯科_2021_a.json": rows})
    assert [i.source_key for i in got.items] == ["歯科/2021/A/1", "歯科/2021/A/2"]


ERRORS = [
    ({"exams/JA/医師/医師_2021_a.json": "[{"}, "", "医師_2021_a.json: the JSON is broken"),
    ({"exams/JA/医師/医師_2021_a.json": "{}"}, "", "array of questions"),
    ({"exams/JA/医師/医師_2021_a.json": ""}, "", "empty"),
    ({"exams/JA/医師/医師_2021_a.json": "<html>"}, "", "HTML"),
    ({"exams/JA/医師/医師_2021_a.json": "[" * 100_000}, "", "nested deeper"),
    ({"x.jsonl": lines({"frage": "?", "antwort": "a"})}, "x.jsonl", "found antwort, frage"),
    (
        {"x.jsonl": lines({"question": "?", "answer": "a", "exam": "獣医", "year": 1, "index": 1})},
        "x.jsonl",
        "none of the ten",
    ),
    ({"x.jsonl": '{"question": "?"\n'}, "x.jsonl", "a line is not whole JSON"),
    ({"a.jsonl": "{}\n", "b.jsonl": "{}\n"}, "", "name one of them"),
    ({"readme.txt": "x"}, "", "no file matches"),
]


@pytest.mark.parametrize(("files", "address", "words"), ERRORS)
def test_what_is_not_the_layout_is_said(tmp_path: Path, files: dict[str, str], address: str, words: str) -> None:
    write(tmp_path / "in", files)
    with pytest.raises(SourceError, match=words):
        fetched(tmp_path / "in" / address, tmp_path / "data")


def test_no_address(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    with pytest.raises(SettingsError, match="MEDEXAMS_KOKUSHI_RELEASE"):
        kokushi.fetch(Settings(), Session(Settings(), landing), landing, silent)


def test_pictures_that_the_source_gives(tmp_path: Path) -> None:
    item = one(tmp_path, {"text_only": False, "image": ["img/a.png", {"path": "img/b.jpg"}]})
    assert [(i.place, i.url) for i in item.images] == [("stem", "img/a.png"), ("stem#2", "img/b.jpg")]
    assert not item.flags


def test_a_question_that_is_a_picture_stays(tmp_path: Path) -> None:
    """Without a text it is flagged, not dropped; one that has no picture either is a rejected row."""
    rows = [row(1, question="", text_only=False), row(2, question=None, image="fig.png"), row(3, question=" ")]
    got = reading(tmp_path, {"exams/JA/薬剤/薬剤_2031_a1.json": rows})
    assert [(i.number, i.stem, i.language) for i in got.items] == [(1, "[image]", "ja"), (2, "[image]", "ja")]
    assert "image_missing" in got.items[0].flags
    assert [r.locator for r in got.rejected] == ["exams/JA/薬剤/薬剤_2031_a1.json item 3"]
