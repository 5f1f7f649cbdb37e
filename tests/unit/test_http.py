"""The polite session against a real server on loopback: what is tried again, what is final, and what is archived."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from pipelines.archive.landing import Landing
from pipelines.archive.session import USER_AGENT, Session
from pipelines.errors import SourceError
from pipelines.settings import Settings
from tests.web import Reply, serve


def session(data: Path, **knobs: object) -> Session:
    settings = Settings.from_env({}, data=data, **{"attempts": 3, "request_delay": 0.0, **knobs})
    return Session(settings, Landing(data))


def in_turn(*replies: Reply) -> Callable[[str, dict[str, str]], Reply]:
    left = list(replies)
    return lambda path, headers: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize(
    "fault",
    [Reply(s) for s in (408, 425, 429, 500, 502, 503, 504)] + [Reply(reset=True), Reply(body=b"12345678", cut=True)],
    ids=str,
)
def test_passing_faults_are_tried_again(tmp_path: Path, fault: Reply) -> None:
    with serve(in_turn(fault, fault, Reply(body=b"ok"))) as web, session(tmp_path) as http:
        answer = http.get(web.url)
        assert http.landing.get(answer.sha256) == b"ok"
        assert len(web.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_other_faults_are_final(tmp_path: Path, status: int) -> None:
    with serve(in_turn(Reply(status, b"no"))) as web, session(tmp_path) as http:
        with pytest.raises(SourceError, match=f"status {status}"):
            http.get(web.url)
        assert len(web.asked) == 1


def test_a_lasting_fault_ends_with_one_sentence(tmp_path: Path) -> None:
    with serve(in_turn(Reply(503))) as web, session(tmp_path) as http:
        with pytest.raises(SourceError, match=r"status 503 \(tried 3 times\); try again later"):
            http.get(web.url)
        assert len(web.asked) == 3


def test_retry_after_is_waited_for(tmp_path: Path) -> None:
    with serve(in_turn(Reply(429, headers={"Retry-After": "1"}), Reply(body=b"ok"))) as web, session(tmp_path) as http:
        start = time.monotonic()
        http.get(web.url)
        assert time.monotonic() - start >= 1.0


def test_retry_after_as_a_date(tmp_path: Path) -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=600), usegmt=True)
    with serve(in_turn(Reply(503, headers={"Retry-After": when}))) as web, session(tmp_path) as http:
        with pytest.raises(SourceError, match=r"asks to wait (59|60)\d s"):
            http.get(web.url)
        assert len(web.asked) == 1


def test_unchanged_costs_no_body(tmp_path: Path) -> None:
    def answer(path: str, headers: dict[str, str]) -> Reply:
        if headers.get("if-none-match") == '"v1"':
            return Reply(304)
        return Reply(body=b"large", headers={"ETag": '"v1"', "Last-Modified": "Mon, 01 Jul 2024 00:00:00 GMT"})

    with serve(answer) as web:
        with session(tmp_path) as http:
            first = http.get(web.url + "/f")
        with session(tmp_path) as http:  # another process, another day
            again = http.get(web.url + "/f")
        assert again == first
        assert web.asked[1][1]["if-modified-since"] == "Mon, 01 Jul 2024 00:00:00 GMT"


def test_a_lost_object_is_fetched_anew(tmp_path: Path) -> None:
    with serve(in_turn(Reply(body=b"x", headers={"ETag": '"v1"'}))) as web, session(tmp_path) as http:
        first = http.get(web.url)
        http.landing.object_path(first.sha256).unlink()
        assert http.landing.get(http.get(web.url).sha256) == b"x"
        assert "if-none-match" not in web.asked[1][1]


def test_size_limit(tmp_path: Path) -> None:
    large = Reply(body=b"x" * 300_000)
    with (
        serve(in_turn(large)) as web,
        session(tmp_path, max_bytes=100_000) as http,
        pytest.raises(SourceError, match="larger than 100,000 bytes"),
    ):
        http.get(web.url)


def test_delay_and_user_agent(tmp_path: Path) -> None:
    with serve(in_turn(Reply(body=b"ok"))) as web, session(tmp_path, request_delay=0.3) as http:
        start = time.monotonic()
        http.get(web.url + "/1")
        http.get(web.url + "/2")
        assert time.monotonic() - start >= 0.3
        assert {headers["user-agent"] for _, headers in web.asked} == {USER_AGENT}


def test_every_answer_is_archived_as_received(tmp_path: Path) -> None:
    replies = (Reply(503, b"later", {"X-Note": "busy"}), Reply(body=b"\xff\xfe ok"))
    with serve(in_turn(*replies)) as web, session(tmp_path) as http:
        http.get(web.url + "/f?x=1")
        log = [json.loads(line) for line in (tmp_path / "landing/answers.jsonl").read_text().splitlines()]
        assert [(row["url"], row["status"], row["size"]) for row in log] == [
            (web.url + "/f?x=1", s, n) for s, n in ((503, 5), (200, 5))
        ]
        assert log[0]["headers"]["x-note"] == "busy"
        assert all(datetime.fromisoformat(row["fetched_at"]).tzinfo for row in log)
        assert [http.landing.get(row["sha256"]) for row in log] == [b"later", b"\xff\xfe ok"]


def test_connection_refused_is_one_sentence(tmp_path: Path) -> None:
    with serve(in_turn(Reply())) as web:
        url = web.url
    with session(tmp_path) as http, pytest.raises(SourceError, match="the connection failed"):
        http.get(url)


@pytest.mark.parametrize("url", ["http://", "ftp://example.org/x", "http://[::1"])
def test_no_address(tmp_path: Path, url: str) -> None:
    with session(tmp_path) as http, pytest.raises(SourceError, match="check the address"):
        http.get(url)
