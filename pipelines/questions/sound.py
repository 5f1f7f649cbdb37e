"""Questions that no table could hold are set aside as rejected rows, so that one of them can't spoil a release."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, fields, is_dataclass, replace
from decimal import Decimal
from typing import Any

from pipelines.questions.item import Item, Reading, Rejected

MOST_CHOICES = 31
"""A selection is a bit mask in a signed integer of 32 bits."""
_INTEGER = 2**31
_DECIMAL = Decimal(10**6)
"""The columns' DECIMAL(9,3) holds numbers below this."""


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
