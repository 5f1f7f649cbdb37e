"""The card: a small TOML file that says what a prediction file can't (card.toml beside it, or NAME.card.toml).

Its fields are those of a benchmark card and of `medexams runs add --model … --dataset …`; no predictions.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace

from pipelines.runs.parsed import File, Header, Unreadable
from pipelines.runs.reading import decode, time_of

NAME = "card"
_ALIASES = {"name": "model", "model_name": "model", "domain": "domain", "benchmark": "dataset", "dataset_id": "dataset",
            "company": "vendor", "usecase": "use_case", "harness_version": "version", "date": "created_at"}  # fmt: skip
MODALITIES, KINDS, FORMS = ("text", "multimodal"), ("model", "baseline", "human"), ("mc", "cloze", "generated")


@dataclass(frozen=True)
class Card:
    """What a person says of a run; None is unsaid. `dataset` is a dataset_id or a benchmark."""

    model: str | None = None
    description: str | None = None
    domain: str | None = None
    use_case: str | None = None
    version: str | None = None
    dataset: str | None = None
    kind: str | None = None
    vendor: str | None = None
    modality: str | None = None
    format: str | None = None
    language: str | None = None
    created_at: str | None = None

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
