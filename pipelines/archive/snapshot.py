"""A release of a source as archived: its files and where and when they were fetched."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime


@dataclass(frozen=True)
class StoredFile:
    """One file of a snapshot: its name within the source (a relative path or a URL) and its object in the archive."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Snapshot:
    """One release of a source as archived. `sha256` is over its content and decides whether a live source changed.

    `sequence` orders the releases of a source: the one that it gave last has the highest, whatever a clock said. 0 is
    one that was not accepted yet.
    """

    source: str
    release: str
    origin: str
    sha256: str
    fetched_at: datetime
    is_sample: bool
    files: tuple[StoredFile, ...]
    sequence: int = 0

    def to_json(self) -> str:
        data = asdict(self) | {"fetched_at": self.fetched_at.isoformat()}
        return json.dumps(data, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Snapshot:
        data = json.loads(text)
        data["fetched_at"] = datetime.fromisoformat(data["fetched_at"])
        data["files"] = tuple(StoredFile(**f) for f in data["files"])
        return cls(**data)
