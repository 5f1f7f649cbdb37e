"""What every source module offers.

A source has two halves. `fetch` moves bytes into the landing archive and answers a Snapshot; `read` turns a Snapshot
into a Reading and never touches the network, so that every refresh can rebuild all tables from the archive alone.
"""

from __future__ import annotations

from typing import Protocol

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.progress import Progress
from pipelines.questions.item import Reading
from pipelines.settings import Settings


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
