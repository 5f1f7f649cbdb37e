"""The landing archive: every answer as it was received, never changed, and which of them make up a release.

Layout below DATA/landing: objects/ab/abcd… (bytes, named by their SHA-256), answers.jsonl (one line an answer: url,
status, headers, time, sha256), snapshots/SOURCE/RELEASE.json, scrapes/SOURCE.json (a scrape that is under way).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.archive.snapshot import Snapshot, StoredFile
from pipelines.durable import write_atomically
from pipelines.errors import SourceError


@dataclass(frozen=True)
class Answer:
    """One archived HTTP answer. Header names are lower case."""

    url: str
    status: int
    headers: dict[str, str]
    fetched_at: datetime
    sha256: str
    size: int


class Landing:
    """The archive below one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.root = data / "landing"
        self._log = self.root / "answers.jsonl"
        self._latest: dict[str, Answer] | None = None

    def object_path(self, sha256: str) -> Path:
        return self.root / "objects" / sha256[:2] / sha256

    def put(self, body: bytes) -> str:
        """Store bytes; returns their SHA-256."""
        sha256 = hashlib.sha256(body).hexdigest()
        path = self.object_path(sha256)
        if not path.exists():
            write_atomically(path, body)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of an object. Raises SourceError when they are gone or no longer match their name."""
        try:
            body = self.object_path(sha256).read_bytes()
        except FileNotFoundError:
            raise SourceError(
                f"landing/objects lacks {sha256[:12]}…: a part of the archive was deleted; fetch this source again"
            ) from None
        if hashlib.sha256(body).hexdigest() != sha256:
            raise SourceError(
                f"landing/objects/{sha256[:2]}/{sha256[:12]}… was changed after it was stored; delete it, fetch again"
            )
        return body

    def store(self, name: str, body: bytes) -> StoredFile:
        return StoredFile(name, self.put(body), len(body))

    def record(self, url: str, status: int, headers: dict[str, str], body: bytes) -> Answer:
        """Archive one answer as received, whatever its status."""
        answer = Answer(url, status, headers, datetime.now(UTC), self.put(body), len(body))
        line = json.dumps(answer.__dict__ | {"fetched_at": answer.fetched_at.isoformat()}, ensure_ascii=False)
        known = self._answers()
        with self._log.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        if status == 200:
            known[url] = answer
        return answer

    def latest(self, url: str) -> Answer | None:
        """The last answer with status 200 to this URL whose body is still in the archive."""
        answer = self._answers().get(url)
        return answer if answer and self.object_path(answer.sha256).exists() else None

    def _answers(self) -> dict[str, Answer]:
        if self._latest is None:
            self._latest = {}
            self.root.mkdir(parents=True, exist_ok=True)
            if self._log.exists():
                text = self._log.read_text(encoding="utf-8", errors="replace")
                if text and not text.endswith("\n"):  # a line that a crash cut off must not swallow the next one
                    with self._log.open("a", encoding="utf-8") as file:
                        file.write("\n")
                for line in text.splitlines():
                    try:
                        row = json.loads(line)
                        answer = Answer(**row | {"fetched_at": datetime.fromisoformat(row["fetched_at"])})
                    except (ValueError, TypeError, KeyError):
                        continue  # cut off by a crash; the object, if any, is addressed by its content
                    if answer.status == 200:
                        self._latest[answer.url] = answer
        return self._latest

    def snapshots(self, source: str | None = None) -> list[Snapshot]:
        """All releases ever accepted, of one source or of all, in the order in which their sources gave them last."""
        found = [
            Snapshot.from_json(p.read_text(encoding="utf-8"))
            for p in sorted((self.root / "snapshots").glob(f"{source or '*'}/*.json"))
        ]
        return sorted(found, key=lambda s: (s.sequence, s.fetched_at, s.source, s.release))

    def add_snapshot(self, snapshot: Snapshot) -> None:
        path = self.root / "snapshots" / snapshot.source / f"{snapshot.release.replace('/', '_')}.json"
        write_atomically(path, snapshot.to_json().encode())

    def scrape(self, source: str) -> dict[str, Any] | None:
        """The journal of a scrape that was broken off, if there is one."""
        try:
            journal = json.loads((self.root / "scrapes" / f"{source}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return journal if isinstance(journal, dict) else None

    def journalled(self) -> set[str]:
        """Objects of scrapes that are under way."""
        names = [p.stem for p in (self.root / "scrapes").glob("*.json")]
        return {sha for name in names for sha, _ in (self.scrape(name) or {}).get("pages", [])}

    def save_scrape(self, source: str, journal: dict[str, Any] | None) -> None:
        """Keep the journal of a scrape under way; None ends it."""
        path = self.root / "scrapes" / f"{source}.json"
        if journal is None:
            path.unlink(missing_ok=True)
        else:
            write_atomically(path, json.dumps(journal).encode())
