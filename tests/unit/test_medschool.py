"""The released Medschool-Test: one JSON object a line; a bad line is a rejected row, another layout an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.benchmarks.medschool import release as medschool
from pipelines.errors import SourceError
from pipelines.progress import silent
from pipelines.questions.item import Reading
from pipelines.settings import Settings

ROW: dict[str, Any] = {"id": 1, "topic": "chimica", "text": "Quale?", "answers": ["a", "b", "c", "d", "e"], "label": 3}


def read(folder: Path, content: bytes) -> Reading:
    path = folder / "released.jsonl"
    path.write_bytes(content)
    chosen = Settings.from_env({}, data=folder / "data", medschool_release=str(path))
    landing = Landing(chosen.data)
    with Session(chosen, landing) as session:
        return medschool.read(medschool.fetch(chosen, session, landing, silent), landing)


def lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def test_a_row(tmp_path: Path) -> None:
    reading = read(tmp_path, lines(ROW | {"text": "L&#39;acqua &lt; 3?  ", "answers": ["x < 1", "b", "c", "d", "e"]}))
    item = reading.items[0]
    assert (item.source_key, item.topic, item.stem, item.choices[0].text) == ("1", "chemistry", "L'acqua < 3?", "x < 1")
    assert [k.labels for k in item.keys] == [("D",)]
    assert set(item.flags) == {"text_repaired"}
    assert reading.dataset.dataset_id == "medschool/room-b007"
    assert reading.dataset.count_note and "1 of the 3301" in reading.dataset.count_note


BAD = [
    ("no JSON", "the line is not JSON"),
    ([1], "the line is not an object"),
    ({k: v for k, v in ROW.items() if k != "text"}, "the row has no text"),
    (ROW | {"answers": "abc"}, "text or answers is not text"),
    (ROW | {"answers": ["a", 2]}, "text or answers is not text"),
    (ROW | {"answers": ["a"]}, "the row has 1 choices"),
    (ROW | {"label": "1"}, "label '1' is not a position"),
    (ROW | {"label": True}, "label True is not a position"),
    (ROW | {"text": "  "}, "the question has no text"),
    (ROW, "the id 1 stands on an earlier line too"),
]


@pytest.mark.parametrize(("row", "reason"), BAD, ids=[reason for _, reason in BAD])
def test_a_bad_row_is_rejected_and_the_rest_goes_on(tmp_path: Path, row: Any, reason: str) -> None:
    line = (row + "\n").encode() if isinstance(row, str) else lines(row)
    reading = read(tmp_path, lines(ROW) + b"\n" + line + lines(ROW | {"id": 9}))
    assert [i.source_key for i in reading.items] == ["1", "9"]
    assert [(r.locator, r.reason.startswith(reason)) for r in reading.rejected] == [("line 3", True)]


def test_a_label_out_of_range_is_flagged_and_kept(tmp_path: Path) -> None:
    item = read(tmp_path, lines(ROW | {"label": 5})).items[0]
    assert item.key_status == "unknown" and "points at none of the 5 choices" in item.flags["key_missing"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"<!doctype html>", "an HTML page came"),
        (b"\xff{}", "not UTF-8"),
        (
            lines({"question": "?", "options": []}),
            "no row has id, topic, text, answers, label; found options, question",
        ),
        (b"not json\n", "found no JSON objects"),
    ],
)
def test_another_layout_is_an_error_that_says_what_was_found(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(SourceError, match=sentence):
        read(tmp_path, content)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ROWS = st.fixed_dictionaries(
    {
        "id": st.integers(0, 5),
        "topic": TEXT,
        "text": TEXT,
        "answers": st.lists(TEXT, max_size=6),
        "label": st.integers(-2, 7),
    }
)


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.one_of(ROWS, st.none(), st.lists(st.integers())), max_size=8))
def test_rows_in_are_rows_kept_and_rejected(rows: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    reading = read(tmp_path_factory.mktemp("m"), lines(ROW, *rows))
    assert reading.rows_in == len(rows) + 1
    assert len({i.source_key for i in reading.items}) == len(reading.items)
