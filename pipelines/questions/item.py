"""What a source module hands over: its questions as neutral items, before ids, fingerprints and tables.

Sources fill these; `sound` sets those aside that no table could hold, so that one of them can't spoil a release, and
unify.py turns the rest into the rows of the schema. Text here is already plain. No reading of files and no rules.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

MOST_CHOICES = 31
"""A selection is a bit mask in a signed integer of 32 bits."""
_INTEGER = 2**31
_DECIMAL = Decimal(10**6)
"""The columns' DECIMAL(9,3) holds numbers below this."""


@dataclass(frozen=True)
class Choice:
    """One choice in the order shown. `label` is what it is shown with ('A', 'a', '1')."""

    label: str
    text: str
    is_forbidden: bool = False
    has_image: bool = False


@dataclass(frozen=True)
class Key:
    """One accepted answer: the labels of its choices, or a value for numeric, sequence and text questions."""

    labels: tuple[str, ...] = ()
    value: str | None = None


@dataclass(frozen=True)
class Image:
    """An image: `place` is stem, passage or choice:POSITION; `path` is relative to the data folder once fetched."""

    place: str
    url: str | None
    path: str | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Exam:
    """One sitting: profession in the words of its country, its English name, year, and round (第…回) where known."""

    profession: str
    profession_en: str
    year: int
    round: int | None = None


@dataclass
class Item:
    """One question of a source. `locator` says where it stood (line, page, path). `flags` maps flag to detail."""

    source_key: str
    locator: str
    language: str
    stem: str
    answer_type: str
    choices: list[Choice] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    key_status: str = "scored"
    released_key: str | None = None
    """The key in the words of the release, for its released scorer; "": never credited; None: the key as in `keys`."""
    points: Decimal = Decimal(1)
    topic: str | None = None
    exam: Exam | None = None
    paper: str | None = None
    number: int | None = None
    component: str | None = None
    passage_key: str | None = None
    needs_image: bool = False
    human_accuracy: Decimal | None = None
    case_group: str | None = None
    images: list[Image] = field(default_factory=list)
    flags: dict[str, str] = field(default_factory=dict)
    collected: tuple[str, ...] = ()
    """Stem and choices as the collector of a derived release leaves them; by this its lost text is found."""

    def flag(self, name: str, detail: str) -> None:
        """Add a flag; a second detail of the same flag is joined with '; '."""
        self.flags[name] = f"{self.flags[name]}; {detail}" if name in self.flags else detail


@dataclass(frozen=True)
class Rejected:
    """A row of the source that is not a question: where it stood, why it was rejected, and the row itself."""

    locator: str
    reason: str
    raw: str


@dataclass(frozen=True)
class Dataset:
    """What is known of a release before its questions are counted; the table dataset says what each field means."""

    benchmark: str
    release: str
    title: str
    language: str
    licence: str
    origin: str
    sha256: str
    fetched_at: datetime
    published_count: int | None
    is_sample: bool
    source: str
    """The source module's name: releases of one source replace each other (is_latest)."""
    count_note: str | None = None
    """Why the number found differs from the published count, where the publisher's own data explains it."""

    @property
    def dataset_id(self) -> str:
        return f"{self.benchmark}/{self.release}"


@dataclass
class Reading:
    """All of one release: every row of the source is in `items` or in `rejected`. `passages` maps key to plain text."""

    dataset: Dataset
    items: list[Item]
    rejected: list[Rejected] = field(default_factory=list)
    passages: dict[str, str] = field(default_factory=dict)

    @property
    def rows_in(self) -> int:
        return len(self.items) + len(self.rejected)


# ---- what no table could hold --------------------------------------------------------------------------------------


def sound(reading: Reading) -> Reading:
    """The reading with those questions in `rejected` that hold a value no column takes, or repeat a source key."""
    items: list[Item] = []
    rejected = [Rejected(_text(r.locator), _text(r.reason), _text(r.raw)) for r in reading.rejected]
    keys: set[str] = set()
    for item in reading.items:
        why = _fault(item) or _misfit(item)
        if item.source_key in keys:
            why = why or f"the key {item.source_key} stands twice"
        if why:
            raw = json.dumps(asdict(item), default=str)  # in ASCII: a lone surrogate as its escape
            rejected.append(Rejected(_text(item.locator), _text(why), raw))
        else:
            keys.add(item.source_key)
            items.append(item)
    passages = {key: text for key, text in reading.passages.items() if not _fault((key, text))}
    return replace(reading, items=items, rejected=rejected, passages=passages)


def _fault(value: Any) -> str:
    """Why no column takes a value, or any part of it; empty where one does."""
    match value:
        case str():
            if "\0" in value:
                return "a text holds a NUL character"
            return "" if value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value) else (
                "a text holds half a character (a lone surrogate)"
            )  # fmt: skip
        case bool():
            return ""
        case int():
            return "" if -_INTEGER <= value < _INTEGER else f"the number {str(value)[:40]} is too large"
        case Decimal():
            return "" if value.is_finite() and abs(value) < _DECIMAL else f"the number {str(value)[:40]} is too large"
        case dict():
            return _fault([*value.keys(), *value.values()])
        case list() | tuple():
            return next(filter(None, map(_fault, value)), "")
    if is_dataclass(value):
        return _fault([getattr(value, f.name) for f in fields(value)])
    return ""


def _misfit(item: Item) -> str:
    if len(item.choices) > MOST_CHOICES:
        return f"the question has {len(item.choices)} choices, more than {MOST_CHOICES}"
    twice = [label for label, n in Counter(c.label for c in item.choices).items() if n > 1]
    return f"two choices have the label {twice[0]}" if twice else ""


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
