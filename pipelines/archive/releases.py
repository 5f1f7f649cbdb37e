"""Which fetched content may be used: candidates in quarantine, the releases that were accepted, the book of refusals.

What makes a release acceptable is not decided here (questions/acceptance.py). Below DATA/landing: candidates/
(fetched, not judged yet), snapshots/SOURCE/RELEASE.json (accepted), refused.json and accepted.json (the two books).
"""

from __future__ import annotations

import getpass
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.archive.landing import Landing
from pipelines.archive.snapshot import Snapshot
from pipelines.durable import write_atomically


@dataclass(frozen=True)
class Deviation:
    """How a release differs from what was expected of it: the check it fails, in words, and the two numbers."""

    check: str
    says: str
    expected: int | None = None
    found: int | None = None


class Releases:
    """The releases of one data folder's archive."""

    def __init__(self, landing: Landing) -> None:
        self.landing = landing
        self._refused = landing.root / "refused.json"
        self._accepted = landing.root / "accepted.json"

    def propose(self, shot: Snapshot) -> None:
        """Keep what was fetched in quarantine; one that its source gave before and that was not judged yet goes."""
        write_atomically(self._candidate(shot.source), shot.to_json().encode())

    def candidates(self) -> list[Snapshot]:
        """What was fetched and is not judged yet, at most one a source."""
        found = sorted((self.landing.root / "candidates").glob("*.json"))
        return [Snapshot.from_json(p.read_text(encoding="utf-8")) for p in found]

    def accept(self, shot: Snapshot) -> None:
        """Make a candidate the newest release of its source; the refusals of that source are mended."""
        self.landing.add_snapshot(self._numbered(shot))
        refused = self.refused()
        _write(self._refused, [row | ({"mended": True} if row["source"] == shot.source else {}) for row in refused])
        self._candidate(shot.source).unlink(missing_ok=True)

    def _numbered(self, shot: Snapshot) -> Snapshot:
        """A candidate with the sequence that it has as its source's newest release."""
        newest = max((s.sequence for s in self.landing.snapshots(shot.source)), default=0)
        return shot if shot.sequence and shot.sequence == newest else replace(shot, sequence=newest + 1)

    def state(self) -> str:
        """Fingerprint of what question tables are made from: the releases as they are once the candidates are in."""
        shots = {(s.source, s.release): s for s in self.landing.snapshots()}
        shots |= {(s.source, s.release): self._numbered(s) for s in self.candidates()}
        listed = "\n".join(shots[key].to_json() for key in sorted(shots))
        return hashlib.sha256(listed.encode()).hexdigest()[:16]

    def book(self) -> str:
        """Fingerprint of the refusals."""
        return hashlib.sha256(self._refused.read_bytes() if self._refused.exists() else b"").hexdigest()[:16]

    def refuse(self, shot: Snapshot, deviations: Iterable[Deviation]) -> None:
        """Write down why a candidate may not be used, and take it out of quarantine; its bytes stay in the archive."""
        rows = {(row["source"], row["sha256"], row["check"]): row for row in self.refused()}
        for d in deviations:
            rows[shot.source, shot.sha256, d.check] = {
                "source": shot.source,
                "release": shot.release,
                "sha256": shot.sha256,
                "check": d.check,
                "refused_at": _now(),
                "reason": d.says,
                "expected": d.expected,
                "found": d.found,
                "mended": False,
            }
        _write(self._refused, list(rows.values()))
        self._candidate(shot.source).unlink(missing_ok=True)

    def refused(self) -> list[dict[str, Any]]:
        """Rows of the table refused_release; times as datetimes."""
        return _read(self._refused, "refused_at")

    def keep_accepted(self, rows: list[dict[str, Any]]) -> None:
        """Write down all accepted deviations."""
        _write(self._accepted, rows)

    def accepted(self) -> list[dict[str, Any]]:
        """Rows of the table accepted_deviation; times as datetimes."""
        return _read(self._accepted, "accepted_at")

    def _candidate(self, source: str) -> Path:
        return self.landing.root / "candidates" / f"{source}.json"


def acceptance(dataset_id: str, deviation: Deviation) -> dict[str, Any]:
    """The row that says that a person accepted a deviation, now."""
    return {
        "dataset_id": dataset_id,
        "check": deviation.check,
        "accepted_at": _now(),
        "reason": f"--accept-shrink by {_user()}: {deviation.says}",
        "expected": deviation.expected,
        "found": deviation.found,
    }


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "an unnamed user"


def _read(path: Path, time: str) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [row | {time: datetime.fromisoformat(row[time])} for row in rows]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    if rows or path.exists():
        write_atomically(path, json.dumps(rows, ensure_ascii=False, indent=1, default=datetime.isoformat).encode())
