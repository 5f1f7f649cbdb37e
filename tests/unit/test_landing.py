"""The archive: content-addressed, append-only, and sound after a crash."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipelines.archive.landing import Landing
from pipelines.archive.snapshot import Snapshot, StoredFile
from pipelines.errors import SourceError


def test_same_bytes_are_stored_once(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    assert landing.put(b"x") == landing.put(b"x")
    assert len([p for p in (landing.root / "objects").rglob("*") if p.is_file()]) == 1


def test_changed_or_deleted_objects_are_noticed(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    sha256 = landing.put(b"x")
    landing.object_path(sha256).write_bytes(b"y")
    with pytest.raises(SourceError, match="was changed after it was stored"):
        landing.get(sha256)
    landing.object_path(sha256).unlink()
    with pytest.raises(SourceError, match="fetch this source again"):
        landing.get(sha256)


def test_a_line_cut_off_by_a_crash_loses_only_itself(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    landing.record("http://h/1", 200, {}, b"one")
    log = landing.root / "answers.jsonl"
    log.write_text(log.read_text() + '{"url": "http://h/2", "sta')
    again = Landing(tmp_path)
    again.record("http://h/3", 200, {}, b"three")
    third = Landing(tmp_path)
    assert [third.latest(f"http://h/{i}") is not None for i in (1, 2, 3)] == [True, False, True]


def test_only_answers_with_status_200_are_latest(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    landing.record("http://h/1", 200, {}, b"good")
    landing.record("http://h/1", 503, {}, b"bad")
    found = Landing(tmp_path).latest("http://h/1")
    assert found is not None and landing.get(found.sha256) == b"good"


def test_snapshots_come_back_in_order_of_fetching(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    shots = [
        Snapshot(
            "mur", f"mur-{n}", "o", f"{n}", datetime(2024, n, 1, tzinfo=UTC), False, (StoredFile("page:0", "ab", 2),)
        )
        for n in (7, 5)
    ]
    for shot in shots:
        landing.add_snapshot(shot)
    assert landing.snapshots() == landing.snapshots("mur") == [shots[1], shots[0]]
    assert landing.snapshots("cognet") == []


def test_a_broken_journal_is_no_journal(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    landing.save_scrape("mur", {"pages": []})
    assert landing.scrape("mur") == {"pages": []}
    (landing.root / "scrapes" / "mur.json").write_text("[1,")
    assert landing.scrape("mur") is None
    landing.save_scrape("mur", None)
    landing.save_scrape("mur", None)
