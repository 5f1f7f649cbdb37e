"""Sources that mean harm or lost their mind: what they may not do to us, and what may never be written down."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipelines import stages
from pipelines.address import own, public, without_secrets
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.benchmarks.medschool import bank as mur
from pipelines.errors import SourceError
from pipelines.progress import silent
from pipelines.settings import Settings
from tests.web import Reply, Web, bank, serve
from tests.web import mur as api

SECRETS = ("PASSWORD", "TOKEN", "SIGNATURE", "COOKIE", "ANSWER")


def session(data: Path, redirects: tuple[str, ...] = (), **knobs: object) -> Session:
    settings = Settings.from_env({}, data=data, **{"attempts": 1, "request_delay": 0.0, **knobs})
    return Session(settings, Landing(data), redirects)


def scraped(data: Path, address: str) -> tuple[Snapshot, Landing]:
    settings = Settings.from_env({"MEDEXAMS_MUR_API": address, "MEDEXAMS_REQUEST_DELAY": "0"}, data=data, attempts=1)
    landing = Landing(data)
    return mur.fetch(settings, Session(settings, landing), landing, silent), landing


def written(data: Path) -> str:
    return "".join(p.read_text(errors="replace") for p in data.rglob("*") if p.is_file())


# ---- what lets somebody in


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://user:PASSWORD@host:1/a?x=1&token=TOKEN", "http://host:1/a?x=1"),
        ("http://host/a?page=0&page-size=20", "http://host/a?page=0&page-size=20"),
        ("http://host/a?X-Amz-Signature=SIGNATURE&api_key=TOKEN", "http://host/a"),
        ("http://user:PASSWORD@[", "http://["),
        ("/a/folder?token=x", "/a/folder?token=x"),
    ],
)
def test_an_address_is_shown_without_what_lets_somebody_in(address: str, shown: str) -> None:
    assert public(address) == shown


def test_an_error_keeps_no_secret() -> None:
    address = "http://user:PASS%20WORD@h/?token=TOKEN"
    assert "TOKEN" not in without_secrets("refused by /?token=TOKEN", address)
    assert "PASS" not in without_secrets("login PASS WORD or PASS%20WORD failed", address)


def test_nothing_that_lets_somebody_in_is_written_down(tmp_path: Path) -> None:
    cookies = {"Set-Cookie": "sid=COOKIE", "Authorization": "Bearer ANSWER", "X-Note": "kept"}
    with serve(lambda path, headers: Reply(body=b"ok", headers=cookies)) as web, session(tmp_path) as http:
        address = web.url.replace("//", "//user:PASSWORD@") + "/f?token=TOKEN&page=1"
        assert http.get(address).url == web.url + "/f?page=1"
        http.get(address)
        assert "token=TOKEN" in web.paths()[0] and web.asked[0][1]["authorization"].startswith("Basic ")
        assert "cookie" not in web.asked[1][1]
    text = written(tmp_path)
    assert "kept" in text and not [s for s in SECRETS if s in text]


@pytest.mark.parametrize("reply", [Reply(404), Reply(503), Reply(reset=True)], ids=str)
def test_no_message_tells_a_secret(tmp_path: Path, reply: Reply) -> None:
    with serve(lambda path, headers: reply) as web, session(tmp_path) as http, pytest.raises(SourceError) as said:
        http.get(web.url.replace("//", "//user:PASSWORD@") + "/f?token=TOKEN")
    assert not [s for s in SECRETS if s in str(said.value)]


def test_a_bank_behind_a_login_leaves_no_trace_of_it(tmp_path: Path) -> None:
    with serve(api(bank(30))) as web:
        shot, _ = scraped(tmp_path, web.url.replace("//", "//user:PASSWORD@") + "/api/v1")
    assert shot.origin == web.url + "/api/v1" and "PASSWORD" not in written(tmp_path)


# ---- redirects


def redirecting(other: Callable[[], str]) -> Callable[[str, dict[str, str]], Reply]:
    def answer(path: str, headers: dict[str, str]) -> Reply:
        if path == "/away":
            return Reply(302, headers={"Location": other()})
        if path == "/loop":
            return Reply(302, headers={"Location": "/loop"})
        if path == "/signed":
            return Reply(307, headers={"Location": "/file?X-Amz-Signature=SIGNATURE"})
        return Reply(body=b"ok")

    return answer


def test_redirects_stay_on_the_host_unless_the_card_allows_another(tmp_path: Path) -> None:
    with serve(lambda path, headers: Reply(body=b"elsewhere")) as elsewhere:
        away = redirecting(lambda: elsewhere.url.replace("127.0.0.1", "localhost"))
        with serve(away) as web:
            login = web.url.replace("//", "//user:PASSWORD@")
            with pytest.raises(SourceError, match="leads on to another host"):
                session(tmp_path).get(web.url + "/away")
            assert not elsewhere.asked
            with pytest.raises(SourceError, match="more than 5 redirects"):
                session(tmp_path).get(web.url + "/loop")
            assert session(tmp_path).get(login + "/signed").url == web.url + "/signed"
            assert web.asked[-1][1]["authorization"].startswith("Basic ")
            http = session(tmp_path, ("local*",))
            assert http.landing.get(http.get(login + "/away").sha256) == b"elsewhere"
            assert "authorization" not in elsewhere.asked[0][1]
    assert "SIGNATURE" not in written(tmp_path)


# ---- what never ends


def dripping(path: str, headers: dict[str, str]) -> Reply:
    time.sleep(3)
    return Reply(body=b"late")


def test_a_request_has_a_deadline_of_its_own(tmp_path: Path) -> None:
    with serve(dripping) as web, session(tmp_path, request_deadline=0.3) as http:
        start = time.monotonic()
        with pytest.raises(SourceError, match=r"the request took longer than 0\.3 s.*MEDEXAMS_REQUEST_DEADLINE"):
            http.get(web.url)
        assert time.monotonic() - start < 2


def test_a_scrape_has_a_deadline_too(tmp_path: Path) -> None:
    with serve(lambda path, headers: Reply(body=b"ok")) as web, session(tmp_path, scrape_deadline=0.05) as http:
        time.sleep(0.1)
        with pytest.raises(SourceError, match="MEDEXAMS_SCRAPE_DEADLINE"):
            http.get(web.url)
        assert not web.asked


@pytest.mark.parametrize("value", ["\u00b2", "-1", "soon", "9" * 400, "Mon, 99 Foo 99999 99:99:99 GMT"])
def test_a_retry_after_that_makes_no_sense_is_none(tmp_path: Path, value: str) -> None:
    reply = Reply(429, headers={"Retry-After": value})
    with serve(lambda path, headers: reply) as web, pytest.raises(SourceError, match="status 429"):
        session(tmp_path).get(web.url)


SENSELESS: dict[str, Callable[[int, dict[str, Any]], Any]] = {
    "pages without questions": lambda n, page: page | {"content": [], "totalPages": 10**9, "totalElements": 0},
    "few questions on many pages": lambda n, page: page | {"totalPages": 10**9},
    "a bank of a thousand million": lambda n, page: page | {"totalPages": 5 * 10**7, "totalElements": 10**9},
    "more on a page than in all": lambda n, page: page | {"totalElements": 3},
    "less than nothing": lambda n, page: page | {"totalPages": -1, "totalElements": -20},
}


@pytest.mark.parametrize("change", SENSELESS.values(), ids=SENSELESS)
def test_an_envelope_that_makes_no_sense_costs_one_request_and_is_not_gone_on_from(
    tmp_path: Path, change: Callable[[int, dict[str, Any]], Any]
) -> None:
    def asked(web: Web) -> int:
        return len([p for p in web.paths() if "/domanda/list" in p])

    with serve(api(bank(30), change)) as web:
        with pytest.raises(SourceError, match=r"makes no sense|are believed"):
            scraped(tmp_path, web.url + "/api/v1")
        assert asked(web) == 1 and Landing(tmp_path).scrape("mur") is None
    with serve(api(bank(30))) as web:
        scraped(tmp_path, web.url + "/api/v1")


def test_a_page_beyond_all_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mur, "_PAGE_BYTES", 100)
    with serve(api(bank(30))) as web, pytest.raises(SourceError, match="larger than 100 bytes"):
        scraped(tmp_path, web.url + "/api/v1")


def test_a_journal_of_the_future_is_not_gone_on_from(tmp_path: Path) -> None:
    journal = {"api": "x", "started": "2999-01-01T00:00:00+00:00", "pages": []}
    assert mur._resume(journal, "x", Landing(tmp_path)) == ([], [])


# ---- pictures and passages that lead elsewhere

STRAY = [
    "http://127.0.0.1:1/SECRET/a",
    "//localhost/SECRET/b",
    "../../../../SECRET/d",
    "/SECRET/e",
    "/api/v1/..%2f..%2fSECRET",
    "http://{host}@127.0.0.1:1/SECRET/f",
    "http://[::1]:1/SECRET/g",
    "file:///etc/hostname",
    "http://[",
    "http://{host}:99999999/x",
]


@pytest.mark.parametrize("address", STRAY)
def test_what_is_not_the_sources_own(address: str) -> None:
    assert own("http://127.0.0.1:8000/api/v1", address.format(host="127.0.0.1:8000"), ("/api/v1/",)) is None


def test_pictures_and_passages_come_from_the_source_alone(tmp_path: Path) -> None:
    questions = bank(20)
    for question, address in zip(questions, STRAY, strict=False):
        question["domanda"] += f'<p><img src="{address}"></p>'
    for question, key in zip(questions[12:], ("../../SECRET/z", "..%2fSECRET", "/SECRET", "a-good-one"), strict=False):
        question["branoId"] = key
    questions[19]["domanda"] += '<p><img src="/api/v1/image/0a1b"></p>'
    with serve(api(questions)) as web:
        shot, landing = scraped(tmp_path, web.url + "/api/v1")
        assert not [p for p in web.paths() if "SECRET" in p or "etc" in p]
    items = mur.read(shot, landing).items
    assert all("image_missing" in item.flags for item in items[: len(STRAY)])
    assert ["passage_missing" in item.flags for item in items[12:16]] == [True, True, True, False]
    assert "image_missing" not in items[19].flags and items[19].images[0].sha256


def test_a_saved_bank_has_a_bound(tmp_path: Path) -> None:
    (tmp_path / "bank.json").write_text(json.dumps(bank(30)))
    settings = Settings.from_env({"MEDEXAMS_MUR_API": str(tmp_path / "bank.json")}, data=tmp_path, max_bytes=1000)
    with pytest.raises(SourceError, match="MEDEXAMS_MAX_BYTES"):
        mur.fetch(settings, Session(settings, Landing(tmp_path)), Landing(tmp_path), silent)


SWOLLEN = {
    "cognet": ("c.csv", "Questions,CorrectResponse,Specialty\n" + "q,A,x\n" * 60),
    "medschool": ("r.jsonl", '{"id": 1, "text": "?", "answers": ["a", "b"], "label": 0, "topic": "x"}\n' * 60),
    "kokushi": ("exams/JA/医師/医師_2020_a.json", json.dumps([{"index": "1"}] * 60)),
    "igakuqa": ("2020/114-A.jsonl", '{"problem_id": "114A1"}\n' * 60),
}
BOUNDS = {"max_questions": 50, "max_cells": 40, "max_bytes": 100}


@pytest.mark.parametrize(("setting", "limit"), BOUNDS.items(), ids=BOUNDS)
@pytest.mark.parametrize("name", SWOLLEN)
def test_every_source_has_bounds_of_memory(name: str, setting: str, limit: int, tmp_path: Path) -> None:
    path, text = SWOLLEN[name]
    file = tmp_path / "in" / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    address = file if name in ("cognet", "medschool") else tmp_path / "in"
    settings = Settings.from_env({f"MEDEXAMS_{name.upper()}_RELEASE": str(address)}, data=tmp_path, **{setting: limit})
    with pytest.raises(SourceError, match=f"MEDEXAMS_{setting.upper()}"):
        stages.fetch(settings, name)
