"""What every source module offers, and the snapshot that stands between fetching and reading.

A source has two halves. `fetch` moves bytes into the landing archive and answers a Snapshot; `read` turns a Snapshot
into a Reading and never touches the network, so that every refresh can rebuild all tables from the archive alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from pipelines.questions.item import Reading

if TYPE_CHECKING:
    from pipelines.http import Session
    from pipelines.landing import Landing
    from pipelines.settings import Settings

Progress = Callable[[str, int, int | None], None]
"""progress(what, done, total or None): called after each page or file."""


def silent(what: str, done: int, total: int | None) -> None:
    """A Progress that says nothing."""


@dataclass(frozen=True)
class StoredFile:
    """One file of a snapshot: its name within the source (a relative path or a URL) and its object in the archive."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Snapshot:
    """One release of a source as archived. `sha256` is over its content and decides whether a live source changed."""

    source: str
    release: str
    origin: str
    sha256: str
    fetched_at: datetime
    is_sample: bool
    files: tuple[StoredFile, ...]

    def to_json(self) -> str:
        data = asdict(self) | {"fetched_at": self.fetched_at.isoformat()}
        return json.dumps(data, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Snapshot:
        data = json.loads(text)
        data["fetched_at"] = datetime.fromisoformat(data["fetched_at"])
        data["files"] = tuple(StoredFile(**f) for f in data["files"])
        return cls(**data)


class Source(Protocol):
    """A source module, seen as an object. Its constants are all that the rest of the program knows of it."""

    NAME: str
    """Short name; stands in the archive and in the table dataset."""
    BENCHMARK: str
    ASSET: str
    """Name of the asset that fetches it."""
    SETTING: str
    """The field of Settings that holds its address."""
    ABOUT: str
    """One sentence for the UI."""
    LINK: str
    """Page of its publisher."""

    def fetch(self, settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
        """Bring the newest release into the archive. Raises SourceError; then nothing is to be used."""
        ...

    def read(self, snapshot: Snapshot, landing: Landing) -> Reading:
        """All rows of a snapshot as items or rejected rows. Raises SourceError when the layout is not known."""
        ...
