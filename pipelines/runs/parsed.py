"""What a format module is given (File, Peek) and what it hands over: who answered, and which answer to which question.

Only shapes belong here; reading bytes is in pipelines/text, layouts are in formats/, the questions in matching.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Protocol

from pipelines.text import readers, workbook
from pipelines.text.limits import LIMITS, Limits
from pipelines.text.readers import Rows
from pipelines.text.surrogates import may_hold_halves, whole

Role = Literal["predictions", "helper"]


@dataclass(frozen=True)
class File:
    """One file: `name` is its path with '/', for a member of an archive 'archive.zip/member'. Reading it may raise
    Unreadable."""

    name: str
    data: bytes
    limits: Limits = LIMITS

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split("/"))

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]

    def json(self) -> Any:
        """The one JSON document that the file is."""
        found = readers.json_document(self.data, self.limits)
        return whole(found) if may_hold_halves(self.data) else found

    def rows(self) -> Rows:
        """The records of JSON lines or of a JSON array."""
        rows = readers.json_rows(self.data, self.limits)
        return replace(rows, values=whole(rows.values)) if may_hold_halves(self.data) else rows

    def frame(self) -> Rows:
        """The records of a Parquet file."""
        return readers.parquet_rows(self.data, self.limits)

    def table(self) -> Rows:
        """The records of a table of any kind: Parquet, a workbook, JSON lines or an array, CSV."""
        if self.data[:4] == b"PAR1":
            return self.frame()
        if self.data[:2] == b"PK":
            names, rows = workbook.rows(self.data, self.limits)
        elif readers.decode_head(self.data, 1000).lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
            return self.rows()
        else:
            names, rows = readers.csv_rows(self.data, self.limits)
        names = [name.strip() for name in names]
        return replace(rows, values=[dict(zip(names, cells, strict=True)) for cells in rows.values])


@dataclass(frozen=True)
class Peek:
    """The look at a file that formats decide by. `shape`: array, object, lines, zip, gzip, tar, parquet, workbook,
    old workbook, text, empty.

    `first` is the first record of an array or of lines, or what could be read of an object's top level, where a long
    array is stood for by a list of its first element. `members` are the names in a zip, `columns` those of a table.
    """

    name: str
    shape: str
    first: dict[str, Any] = field(default_factory=dict)
    head: str = ""
    members: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def has(self, *keys: str) -> bool:
        return all(k in self.first for k in keys)


@dataclass(slots=True)
class Ask:
    """How a file names the question it asked; whatever it lacks is None or empty.

    `choices` are the texts in the order the model was shown them, `labels` the letters they were shown with. `prompt`
    is a text that holds the question among others. An empty text is one that the file has and that says nothing.
    `position` is the 0-based place in the file, the weakest of all; `of_paper` says that it is the place in the exam's
    paper, of which the file answers so many questions.
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
    of_paper: int | None = None


@dataclass(slots=True)
class Prediction:
    """One answer: a text (`response`), or the index among the choices shown that a tool ranked first (`chosen`).

    `error` is the tool's word that it got no response, `refused` that the response is a refusal. `attempt` is None
    where the file does not count attempts. `cut_off`: the tool says that the response was
    stopped at a limit of tokens.
    """

    locator: str
    ask: Ask
    response: str | None = None
    chosen: int | None = None
    evidence: str | None = None
    attempt: int | None = None
    error: str | None = None
    refused: bool = False
    cut_off: bool = False


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
    `group(look)` is equal for the files that are read together, so that they can make one run.
    `read(file, helpers)` gives the fragments of one file; it is
    pure and raises Unreadable; helpers are the helper files of the same folder.
    """

    NAME: str

    def sniff(self, look: Peek) -> Role | None: ...
    def group(self, look: Peek) -> str: ...
    def read(self, file: File, helpers: Sequence[File]) -> list[Fragment]: ...
