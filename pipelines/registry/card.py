"""A benchmark's card.toml as typed objects: what the engine knows of a benchmark without running its code.

docs/adding-a-benchmark.md explains each key. Finding the folders and loading their modules is registry.py's matter;
rules and prompts have files of their own.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.errors import SettingsError

FILE = "card.toml"


@dataclass(frozen=True)
class SourceCard:
    """One place that a benchmark's questions come from: a table [[source]] of the card."""

    name: str
    """Short name, unique over all benchmarks: it stands in the archive and in the table dataset."""
    title: str
    about: str
    """One sentence for the UI."""
    link: str
    """Page of the publisher."""
    publisher: str
    licence: str
    """As the publisher states it; what it permits is decided by export/gate.py."""
    setting: str
    """MEDEXAMS_<SETTING in capitals> gives another address; it is also the name of the asset unless `asset` says so."""
    address: str | None = None
    """Where profile `live` reads it; without one the source is skipped unless its address is given."""
    asset: str = ""
    module: str = "source"
    published_count: int | None = None
    """Questions that the publisher states."""
    sample: str | None = None
    """The bundled sample of it: a file or folder below the benchmark's, or a path that sample/server.py answers."""

    redirects: tuple[str, ...] = ()
    """Patterns of other hosts that the address may lead on to, as a hub does to its storage."""

    @property
    def variable(self) -> str:
        """The environment variable of its address."""
        return f"MEDEXAMS_{self.setting.upper()}"

    @property
    def asset_name(self) -> str:
        return self.asset or self.setting


@dataclass(frozen=True)
class Metric:
    """The figure that ranks a benchmark's runs, with its least and greatest value."""

    name: str
    words: str
    low: float
    high: float


@dataclass(frozen=True)
class Card:
    """What card.toml says. Names of topics, components and use cases map to words for people."""

    name: str
    title: str
    citation: str
    languages: tuple[str, ...]
    """Codes of ISO 639-1, the one it was written in first."""
    scoring: str
    """What an answer earns and what a wrong one costs, as one sentence."""
    metric: Metric
    sources: tuple[SourceCard, ...]
    order: int = 100
    """Place in the unification: of two benchmarks that ask one question, the lower counts as the first."""
    states_how_many: bool = True
    """Whether a question says how many choices are right."""
    aliases: tuple[str, ...] = ()
    """Further names that files of predictions call it by."""
    exams: str | None = None
    """Folder beside this benchmark's with the rules and components of exams that several benchmarks ask."""
    topics: dict[str, str] = field(default_factory=dict)
    components: dict[str, str] = field(default_factory=dict)
    use_cases: dict[str, str] = field(default_factory=dict)

    @property
    def language(self) -> str:
        return self.languages[0]

    def source(self, name: str) -> SourceCard:
        return next(s for s in self.sources if s.name == name)


@cache
def read_card(folder: Path) -> Card:
    """The card of a benchmark's folder. Raises SettingsError that names the file, the key and what to do."""
    file = folder / FILE
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise SettingsError(f"{file}: can't be read ({fault}); docs/adding-a-benchmark.md shows a card") from None
    data["sources"] = tuple(_typed(SourceCard, s, f"{file}: [[source]]") for s in data.pop("source", ()))
    data["metric"] = _typed(Metric, data.get("metric", {}), f"{file}: [metric]")
    data |= {k: tuple(data[k]) for k in ("languages", "aliases") if k in data}
    shared = folder.parent / str(data.get("exams")) / "components.toml"
    if shared.is_file():
        data["components"] = tomllib.loads(shared.read_text(encoding="utf-8")) | data.get("components", {})
    card: Card = _typed(Card, data, str(file))
    if card.name != folder.name:
        raise SettingsError(f"{file}: name is {card.name!r}, the folder is called {folder.name!r}; make them one")
    if not card.languages or not card.sources:
        raise SettingsError(f"{file}: languages and a table [[source]] are needed; add them")
    return card


def source_of(module_file: str, name: str) -> SourceCard:
    """The card of source `name` of the benchmark whose folder holds the module `module_file` (its __file__)."""
    return read_card(Path(module_file).resolve().parent).source(name)


def _typed(kind: Any, data: dict[str, Any], where: str) -> Any:
    known = {f.name for f in fields(kind)}
    if unknown := sorted(data.keys() - known):
        raise SettingsError(f"{where} has the key {unknown[0]!r}; known are {', '.join(sorted(known))}")
    try:
        return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in data.items()})
    except TypeError as fault:
        raise SettingsError(f"{where}: {str(fault).partition('() ')[2]}; add what is missing") from None
