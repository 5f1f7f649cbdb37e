"""What a format module hands over: who answered, and which answer to which question, before anything is matched.

Only shapes belong here; reading bytes is in reading.py and formats/, the questions are in matching.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from pipelines.runs.reading import Peek

Role = Literal["predictions", "helper"]


class Unreadable(Exception):
    """A file that can't be read: `reason` is a sentence for a person (what is wrong, what to do), `detail` where."""

    def __init__(self, reason: str, detail: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class File:
    """One file: `name` is its path with '/', for a member of an archive 'archive.zip/member'."""

    name: str
    data: bytes

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split("/"))

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]


@dataclass(slots=True)
class Ask:
    """How a file names the question it asked; whatever it lacks is None or empty.

    `choices` are the texts in the order the model was shown them, `labels` the letters they were shown with. `prompt`
    is a text that holds the question among others. `position` is the 0-based place in the file, the weakest of all.
    """

    question_id: str | None = None
    source_key: str | None = None
    profession: str | None = None
    year: int | None = None
    paper: str | None = None
    number: int | None = None
    stem: str | None = None
    choices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    prompt: str | None = None
    position: int | None = None
    dataset: str | None = None


@dataclass(slots=True)
class Prediction:
    """One answer: a text (`response`), or the index among the choices shown that a tool ranked first (`chosen`).

    `error` is the tool's word that it got no response. `attempt` is None where the file does not count attempts.
    """

    locator: str
    ask: Ask
    response: str | None = None
    chosen: int | None = None
    evidence: str | None = None
    attempt: int | None = None
    error: str | None = None


@dataclass
class Header:
    """Who answered and how. `variant` tells runs apart that one file holds (e.g. length-normalised).

    `dataset` is what the tool calls its dataset: a hint, not a promise. `model_in_rows`: the rows name the model, so
    that a card can't.
    """

    harness: str
    model: str | None = None
    vendor: str | None = None
    version: str | None = None
    format: str = "generated"
    variant: str = ""
    modality: str = "text"
    created_at: datetime | None = None
    language: str | None = None
    dataset: str | None = None
    use_case: str | None = None
    kind: str = "model"
    description: str | None = None
    model_in_rows: bool = False


@dataclass
class Fragment:
    """What one file says of one run. Fragments of a group with equal identity are one run, as long as no question comes
    twice; those of one `session` (by default: the file) stay together."""

    header: Header
    predictions: list[Prediction]
    file: str = ""
    session: str = ""


class Format(Protocol):
    """A module of formats/: NAME, and three functions.

    `sniff(look)` tells from a Peek whether the file holds predictions, helps to read those beside it, or is another's.
    `group(name)` is equal for the files that make one run. `read(file, helpers)` gives the fragments of one file; it is
    pure and raises Unreadable; helpers are the helper files of the same folder.
    """

    NAME: str

    def sniff(self, look: Peek) -> Role | None: ...
    def group(self, name: str) -> str: ...
    def read(self, file: File, helpers: Sequence[File]) -> list[Fragment]: ...
