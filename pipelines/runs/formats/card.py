"""The card: a small TOML file that says what a prediction file can't (card.toml beside it, or NAME.card.toml).

Its fields are those of a benchmark card and of `medexams runs add --model … --dataset …`; no predictions.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields, replace

from pipelines.errors import Unreadable
from pipelines.runs.parsed import File, Header
from pipelines.runs.values import time_of
from pipelines.text.readers import decode

NAME = "card"
_ALIASES = {"name": "model", "model_name": "model", "domain": "domain", "benchmark": "dataset", "dataset_id": "dataset",
            "company": "vendor", "usecase": "use_case", "harness_version": "version", "date": "created_at"}  # fmt: skip
MODALITIES, KINDS, FORMS = ("text", "multimodal"), ("model", "baseline", "human"), ("mc", "cloze", "generated")


FIELDS = {
    "model": "name of the model, where the file does not tell it",
    "dataset": "dataset_id or benchmark that was answered",
    "vendor": "who made the model",
    "description": "anything worth knowing of the run",
    "kind": "model, baseline or human",
    "format": "mc (choices ranked), cloze (texts ranked) or generated",
    "modality": "text or multimodal: whether the model saw the images",
    "language": "of the prompts, for example it",
    "use_case": "for a benchmark that has use cases",
    "domain": "field of the questions; becomes part of the description",
    "version": "of the model or the prompt; becomes part of the description",
    "created_at": "when the model answered, for example 2025-06-01T10:00:00",
    "encoding": "of the file, where it is not UTF-8, for example cp932",
}
"""What a card may say, for people."""


@dataclass(frozen=True)
class Card:
    """What a person says of a run; None is unsaid. FIELDS tells what each is."""

    model: str | None = None
    dataset: str | None = None
    vendor: str | None = None
    description: str | None = None
    kind: str | None = None
    format: str | None = None
    modality: str | None = None
    language: str | None = None
    use_case: str | None = None
    domain: str | None = None
    version: str | None = None
    created_at: str | None = None
    encoding: str | None = None

    def over(self, other: Card | None) -> Card:
        """This card, and what it leaves unsaid from another."""
        said = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}
        return replace(other or Card(), **said)

    def onto(self, header: Header) -> Header:
        """The header with what the card says; a model that the rows name stays."""
        said = {n: v for n in ("model", "vendor", "dataset", "kind", "modality", "language", "use_case", "format")
                if (v := getattr(self, n)) is not None and not (n == "model" and header.model_in_rows)}  # fmt: skip
        parts = [self.description, f"domain: {self.domain}" if self.domain else None,
                 f"version: {self.version}" if self.version else None, header.description]  # fmt: skip
        said["description"] = "; ".join(p for p in parts if p) or None
        if self.created_at:
            said["created_at"] = time_of(self.created_at) or header.created_at
        return replace(header, **said)


def is_card(name: str) -> bool:
    base = name.rpartition("/")[2].casefold()
    return base == "card.toml" or base.endswith(".card.toml")


def read(file: File) -> Card:
    """The card in a file. Raises Unreadable, naming the field that is wrong."""
    try:
        values = tomllib.loads(decode(file.data))
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise Unreadable("the card is not valid TOML", str(e)[:200]) from None
    if isinstance(values.get("card"), dict):
        values = values["card"]
    known = {f.name for f in fields(Card)}
    said: dict[str, str] = {}
    for key, value in values.items():
        name = key.strip().casefold().replace(" ", "_").replace("-", "_")
        name = name if name in known else _ALIASES.get(name, name)
        if name not in known:
            raise Unreadable(f"the card has a field {key!r}; it may have {', '.join(sorted(known))}")
        if isinstance(value, (dict, list)):
            raise Unreadable(f"the card's field {key!r} must be a text")
        said[name] = str(value)
    for name, allowed in (("modality", MODALITIES), ("kind", KINDS), ("format", FORMS)):
        if name in said and said[name] not in allowed:
            raise Unreadable(f"the card's field {name!r} must be one of {', '.join(allowed)}, not {said[name]!r}")
    return Card(**said)


def dump(card: Card) -> str:
    """The card as a TOML file."""
    said = {f.name: value for f in fields(card) if (value := getattr(card, f.name)) is not None}
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in said.items())


def template(found: Card) -> str:
    """A card to fill in: what was found is said, the rest stands in comments with what it means."""
    lines = ["# What the predictions beside this file are. Take the # off what you know, and fill it in.\n"]
    for name, meaning in FIELDS.items():
        value = getattr(found, name)
        if value is None:
            lines.append(f'# {name} = ""  # {meaning}\n')
        else:
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}  # {meaning}\n")
    return "".join(lines)
