"""Answers given as JSON: the object in a response, whole or cut, as fields.

Here: finding and flattening JSON (and Python literals, and objects that were cut off). Not here: which option a value
means (labels), the names that fields go by (languages).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipelines.answers.phrases import any_of, words
from pipelines.text.surrogates import whole

_TRIES = 12  # brackets at which an object is looked for
_DEEPEST = 8  # levels of nesting that are looked into
_OPENS = re.compile(r"\{\s{0,40}(?:[\"'}{]|$)|\[\s{0,40}[\"'{\[\]]")
_PAIR = re.compile(
    r"""["']([^"'\n]{1,80})["']\s{0,9}:\s{0,9}
    (?: "((?:[^"\\\n]|\\.){0,4000})(?:"|$) | '((?:[^'\\\n]|\\.){0,4000})(?:'(?=\s{0,9}[,}\]]|$)|$)
      | \[([^\[\]{}]{0,400})\] | (-?[\w.]{1,40}) )""",
    re.X,
)
_LABEL = re.compile(r"\(?(?:[A-Za-z]|\d{1,2}|[①-⑩ア-コ])[).:]?")
_FENCE = re.compile(r"```\w{0,12}")


@dataclass(frozen=True, slots=True)
class Field:
    """A value as text under its key; `items` where it was a list, `verdicts` where it mapped labels to words."""

    key: str
    value: str
    items: tuple[str, ...] = ()
    verdicts: tuple[tuple[str, str], ...] = ()

    @property
    def names_answer(self) -> bool:
        """Whether the key says that the value is the answer."""
        return not self.is_reason and any_of(words().answers).search(self.key) is not None

    @property
    def is_reason(self) -> bool:
        """Whether the key says that the value is reasoning, confidence, the question or the like."""
        return any_of(words().reasons).search(self.key) is not None


@dataclass(frozen=True, slots=True)
class Structure:
    """The fields of the JSON in a response, in order, and the text around it."""

    fields: tuple[Field, ...]
    rest: str


def find(text: str) -> Structure | None:
    """The JSON in a response, or None where there is none."""
    decoder = json.JSONDecoder()
    for tried, opening in enumerate(_OPENS.finditer(text)):
        if tried >= _TRIES:
            return None
        at = opening.start()
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            pairs = list(_PAIR.finditer(text, at)) if text[at] == "{" else []
            if not pairs:
                continue
            found = [Field(m[1], next((v for v in m.groups()[1:] if v is not None), ""), _items(m[4])) for m in pairs]
            close = re.compile(r"[\s,]{0,40}[}\]]{0,9}").match(text, pairs[-1].end())
            return Structure(tuple(found), _rest(text, at, close.end() if close else len(text)))
        if isinstance(value, (dict, list)) and value:
            return Structure(tuple(_flat("", whole(value), 0)), _rest(text, at, end))
    return None


def _rest(text: str, start: int, end: int) -> str:
    return _FENCE.sub("", text[:start] + "\n" + text[end:]).strip()


def _items(listed: str | None) -> tuple[str, ...]:
    return tuple(x.strip(" \t\"'") for x in listed.split(",")) if listed else ()


def _flat(key: str, value: object, depth: int) -> Iterator[Field]:
    """The fields of a value, depth first; the innermost key that is a name, not a number or a label, counts."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        scalars = {str(k): _text(v) for k, v in value.items() if not isinstance(v, (Mapping, list))}
        if len(scalars) == len(value) > 1 and all(_LABEL.fullmatch(k.strip()) for k in scalars):
            yield Field(key, "", (), tuple(scalars.items()))
            return
        for name, inner in value.items():
            is_reason = Field(key, "").is_reason
            yield from _flat(key if is_reason else f"{key} {name}".strip(), inner, depth + 1)
    elif isinstance(value, list):
        if all(not isinstance(x, (Mapping, list)) for x in value):
            items = tuple(_text(x) for x in value)
            yield Field(key, ", ".join(items), items)
        else:
            for inner in value:
                yield from _flat(key, inner, depth + 1)
    else:
        yield Field(key, _text(value))


def _text(value: object) -> str:
    return "" if value is None else str(value)
