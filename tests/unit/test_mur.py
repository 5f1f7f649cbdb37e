"""The ministry's bank: a scrape that is not whole is not used, and each way of being broken has its own sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.benchmarks.medschool import bank as mur
from pipelines.errors import SourceError
from pipelines.progress import silent
from pipelines.questions.item import Reading
from pipelines.settings import Settings
from tests.web import Answerer, Reply, Web, bank, serve
from tests.web import mur as api


def fetch(data: Path, address: str) -> tuple[Snapshot, Landing]:
    settings = Settings.from_env({}, profile="live", data=data, mur_api=address, request_delay=0.0, attempts=2)
    landing = Landing(data)
    with Session(settings, landing) as session:
        shot = mur.fetch(settings, session, landing, silent)
    landing.add_snapshot(shot)
    return shot, landing


def scrape(data: Path, answer: Answerer) -> tuple[Reading, Web]:
    with serve(answer) as web:
        shot, landing = fetch(data, web.url + "/api/v1")
        return mur.read(shot, landing), web


def test_a_whole_bank(tmp_path: Path) -> None:
    reading, web = scrape(tmp_path, api(bank(50)))
    assert [item.source_key for item in reading.items] == [str(100 + i) for i in range(50)]
    assert len(web.asked) == 3
    first = reading.items[0]
    assert first.stem == "Quanto fa 0 + 1?"
    assert [c.text for c in first.choices] == ["0", "1", "2000", "3000", "4000"]
    assert [k.labels for k in first.keys] == [("B",)]
    assert (first.topic, first.number, first.points) == ("biology", 1, mur.POINTS)
    assert reading.dataset.published_count == 50


def _renamed(page: dict[str, Any]) -> dict[str, Any]:
    rows = [{("answers" if k == "risposte" else k): v for k, v in q.items()} for q in page["content"]]
    return page | {"content": rows}


# What becomes of page 1 of 0 to 2, and the sentence that tells it apart.
FAULTS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "an HTML page": (
        lambda p: Reply(body=b"<!doctype html><h1>Manutenzione</h1>"),
        "an HTML page came instead of JSON",
    ),
    "empty": (lambda p: Reply(), "the answer is empty"),
    "not UTF-8": (lambda p: Reply(body=b'{"content": "\xff\xfe"}'), "not JSON in UTF-8"),
    "cut JSON": (lambda p: Reply(body=b'{"content": ['), "not JSON"),
    "deeply nested": (lambda p: Reply(body=b"[" * 100_000), "not JSON"),
    "a page repeated": (lambda p: p | {"number": 0}, "page 0 instead of 1"),
    "total moves": (lambda p: p | {"totalElements": 49}, "totalElements moved from 50 to 49"),
    "rows missing": (lambda p: p | {"content": p["content"][:-1]}, "50 questions are announced but 49 came"),
    "ids twice": (lambda p: p | {"content": [p["content"][0], *p["content"][:-1]]}, "1 ids stand twice"),
    "no questions": (lambda p: p | {"content": []}, "holds no questions"),
    "renamed key": (_renamed, "no question has the key 'risposte', only answers, argomento"),
    "renamed envelope": (lambda p: {"items": p["content"]}, "the envelope has no 'content', only items"),
    "not an object": (lambda p: Reply(body=b"42"), "not a list of questions"),
    "gone": (lambda p: Reply(404), "status 404"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_has_its_sentence(tmp_path: Path, kind: str) -> None:
    change, sentence = FAULTS[kind]
    with pytest.raises(SourceError, match=sentence):
        scrape(tmp_path, api(bank(50), lambda number, page: change(page) if number == 1 else page))
    assert Landing(tmp_path).snapshots() == []


def test_the_sentences_differ() -> None:
    assert len({sentence for _, sentence in FAULTS.values()}) >= len(FAULTS) - 1


def test_a_broken_off_scrape_goes_on_at_the_page_it_lacks(tmp_path: Path) -> None:
    down = True

    def change(number: int, page: dict[str, Any]) -> Any:
        return Reply(503) if number == 1 and down else page

    with serve(api(bank(50), change)) as web:
        with pytest.raises(SourceError, match="status 503"):
            fetch(tmp_path, web.url + "/api/v1")
        down = False
        before = len(web.asked)
        shot, landing = fetch(tmp_path, web.url + "/api/v1")
        assert [p.split("page=")[1][0] for p in web.paths()[before:]] == ["1", "2"]
        assert len(mur.read(shot, landing).items) == 50


def test_pages_of_a_bank_that_moved_meanwhile_are_not_used(tmp_path: Path) -> None:
    size, down = 50, True

    def answer(path: str, headers: dict[str, str]) -> Reply:
        return api(bank(size), lambda n, p: Reply(503) if n == 1 and down else p)(path, headers)

    with serve(answer) as web:
        with pytest.raises(SourceError, match="503"):
            fetch(tmp_path, web.url + "/api/v1")
        size, down = 60, False
        with pytest.raises(SourceError, match="totalElements moved from 50 to 60"):
            fetch(tmp_path, web.url + "/api/v1")
        shot, landing = fetch(tmp_path, web.url + "/api/v1")  # the next one starts anew
        assert len(mur.read(shot, landing).items) == 60


def test_unchanged_content_is_the_same_release_whatever_its_order(tmp_path: Path) -> None:
    first, _ = scrape(tmp_path, api(bank(50)))
    shuffled = [q | {"risposte": q["risposte"][::-1]} for q in bank(50)]
    again, _ = scrape(tmp_path, api(shuffled))
    assert again.dataset.dataset_id == first.dataset.dataset_id
    assert [c.text for c in again.items[0].choices] == [c.text for c in first.items[0].choices]
    changed = bank(50)
    changed[7]["risposte"][0]["id"], changed[7]["risposte"][1]["id"] = "a", "b"
    third, _ = scrape(tmp_path, api(changed))
    assert third.dataset.dataset_id != first.dataset.dataset_id
    assert len(Landing(tmp_path).snapshots("mur")) == 2


def test_passages_and_pictures(tmp_path: Path) -> None:
    questions = bank(5)
    questions[0]["branoId"] = "cm49"
    questions[1]["domanda"] = '<p>Figura: <img src="/api/v1/image/u-1"> e <img src="/api/v1/image/u-2"></p>'
    questions[2]["risposte"][3]["text"] = "includegraphics{ff10.png}"
    reading, web = scrape(tmp_path, api(questions))
    assert reading.passages == {"cm49": "Un brano."}
    assert reading.items[0].passage_key == "cm49"
    pictured = reading.items[1]
    assert [(i.place, i.url) for i in pictured.images] == [
        ("stem", f"{web.url}/api/v1/image/u-1"),
        ("stem#2", f"{web.url}/api/v1/image/u-2"),
    ]
    assert all(i.path and (tmp_path / i.path).read_bytes().startswith(b"\x89PNG") for i in pictured.images)
    missing = reading.items[2]
    assert missing.needs_image and missing.choices[3].has_image
    assert missing.images[0].url == f"{web.url}/assets/includeGraphics/fis-mat/ff10.png"
    assert "image_missing" in missing.flags  # the server has no such file: flagged, not fatal


def test_a_bad_row_is_rejected_and_the_rest_goes_on(tmp_path: Path) -> None:
    questions: list[Any] = bank(30)
    questions[3] = 42
    questions[4]["domanda"] = ""
    questions[5]["risposte"][0]["text"] = None
    questions[6]["risposte"][1]["id"] = "z"
    reading, _ = scrape(tmp_path, api(questions))
    assert reading.rows_in == 30
    assert [r.reason for r in reading.rejected] == [
        "the row is not an object",
        "the question has no domanda",
        "domanda or a text of risposte is not text",
    ]
    assert json.loads(reading.rejected[1].raw)["id"] == 104
    keyless = next(i for i in reading.items if i.source_key == "106")
    assert keyless.key_status == "unknown" and "key_missing" in keyless.flags


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_saved_bank(tmp_path: Path, wrapped: bool) -> None:
    questions = bank(7)
    for q in questions:
        q["argomento"] = "ragionamento logico e problemi"
        q["domanda"] = "Sia 0 < x < 1 e 2<sup>x</sup>?"
    saved: Any = {"content": questions, "totalElements": 7, "totalPages": 1, "number": 0} if wrapped else questions
    path = tmp_path / "mur_bank_2024-05.json"
    path.write_text(json.dumps(saved))
    shot, landing = fetch(tmp_path / "data", str(path))
    items = mur.read(shot, landing).items
    assert (shot.release, len(items), items[0].topic) == ("mur-2024-05", 7, "logic")
    assert items[0].stem == "Sia 0 < x < 1 e 2^x?"


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "No such file"), ("{}", "no 'content'"), ("[]", "the bank is empty")]
)
def test_a_saved_bank_that_is_none(tmp_path: Path, content: str | None, sentence: str) -> None:
    path = tmp_path / "bank.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SourceError, match=sentence):
        fetch(tmp_path / "data", str(path))
