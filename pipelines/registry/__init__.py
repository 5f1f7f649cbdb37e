"""The benchmarks that are there: our own folders, those of installed packages, and those under MEDEXAMS_BENCHMARKS.

A folder with a card.toml is a benchmark; no list names it. Its modules are loaded when they are needed. What they hold
is the benchmark's matter; what the engine asks of them is Source here and Format in runs/parsed.py.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pipelines.errors import SettingsError
from pipelines.registry.card import FILE, Card, SourceCard, read_card

if TYPE_CHECKING:
    from pipelines.archive.landing import Landing
    from pipelines.archive.session import Session
    from pipelines.archive.snapshot import Snapshot
    from pipelines.progress import Progress
    from pipelines.questions.item import Reading
    from pipelines.settings import Settings

GROUP = "medexams.benchmarks"
"""Entry points of this group name a package whose folder is a benchmark."""
VARIABLE = "MEDEXAMS_BENCHMARKS"
"""A folder of benchmarks' folders, or one benchmark's folder; several are parted as in PATH."""
_OWN = Path(__file__).resolve().parents[1] / "benchmarks"
_OUTSIDE = "medexams_outside"
"""Package name under which the modules of folders outside any package are loaded."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's folder and card. `package` is the import name of the folder."""

    card: Card
    folder: Path
    package: str

    @property
    def name(self) -> str:
        return self.card.name

    def module(self, name: str) -> ModuleType | None:
        """Module `name` of the folder, or None where it has none of that name."""
        path = self.folder.joinpath(*name.split("."))
        if not path.with_suffix(".py").is_file() and not (path / "__init__.py").is_file():
            return None
        return importlib.import_module(f"{self.package}.{name}")

    @property
    def rule_folders(self) -> tuple[Path, ...]:
        """Its folder rules/, and that of the exams that it shares with others."""
        shared = [self.folder.parent / self.card.exams / "rules"] if self.card.exams else []
        return tuple(f for f in (self.folder / "rules", *shared) if f.is_dir())


@dataclass(frozen=True)
class Source:
    """A source's card with its module: `fetch` moves bytes into the archive, `read` makes items of them."""

    benchmark: Benchmark
    card: SourceCard

    @property
    def _module(self) -> Any:
        module = self.benchmark.module(self.card.module)
        if module is None:
            raise SettingsError(f"{self.benchmark.folder}: no module {self.card.module}.py; [[source]] names it")
        return module

    @property
    def file(self) -> Path:
        """The module's file."""
        return Path(self._module.__file__)

    def fetch(self, settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
        """Bring the newest release into the archive. Raises SourceError; then nothing is to be used."""
        return self._module.fetch(settings, session, landing, progress)

    def read(self, snapshot: Snapshot, landing: Landing) -> Reading:
        """All rows of a snapshot as items or rejected rows, without a network. Raises SourceError."""
        return self._module.read(snapshot, landing)


def benchmarks() -> dict[str, Benchmark]:
    """All benchmarks by name, in the order of their cards. Raises SettingsError for a broken card or a name twice."""
    return _benchmarks(os.environ.get(VARIABLE, ""))


@cache
def _benchmarks(outside: str) -> dict[str, Benchmark]:
    found: dict[str, Benchmark] = {}
    for folder, package in (*_own(), *_installed(), *_outside(outside)):
        benchmark = Benchmark(read_card(folder), folder, package)
        if other := found.get(benchmark.name):
            raise SettingsError(f"{folder} and {other.folder} are both called {benchmark.name!r}; rename one")
        found[benchmark.name] = benchmark
    return dict(sorted(found.items(), key=lambda b: (b[1].card.order, b[0])))


Found = Iterator[tuple[Path, str]]
"""Folders and the import names of their modules' package."""


def _folders(parent: Path) -> list[Path]:
    return sorted(f.parent for f in parent.glob(f"*/{FILE}"))


def _own() -> Found:
    for folder in _folders(_OWN):
        yield folder, f"pipelines.benchmarks.{folder.name}"


def _installed() -> Found:
    for point in entry_points(group=GROUP):
        package = point.load()
        yield Path(package.__file__).resolve().parent, package.__name__


def _outside(variable: str) -> Found:
    for text in filter(None, variable.split(os.pathsep)):
        path = Path(text).resolve()
        folders = [path] if (path / FILE).is_file() else _folders(path)
        if not folders:
            raise SettingsError(f"{VARIABLE}={text}: no {FILE} there or one folder below; name a benchmark's folder")
        for folder in folders:
            yield folder, _package(folder)


def _package(folder: Path) -> str:
    """Make `folder` importable as a package of its own, so that its modules can import one another."""
    name = f"{_OUTSIDE}_{folder.name}"
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    return name


def folders() -> tuple[Path, ...]:
    """The folders that hold what the benchmarks state and how they read: their own, and those of shared exams."""
    return tuple(sorted({f for b in benchmarks().values() for f in (b.folder, *(r.parent for r in b.rule_folders))}))


def states_how_many(benchmark: str) -> bool:
    """Whether its questions say how many choices are right; True for a benchmark that is not installed here."""
    known = benchmarks().get(benchmark)
    return known is None or known.card.states_how_many


def sources() -> dict[str, Source]:
    """All sources by name, in the order in which they are unified. Raises SettingsError for a name or setting twice."""
    found: dict[str, Source] = {}
    settings: dict[str, str] = {}
    for benchmark in benchmarks().values():
        for card in benchmark.card.sources:
            if card.name in found or settings.setdefault(card.setting, card.name) != card.name:
                raise SettingsError(
                    f"{benchmark.folder / FILE}: another source is called {card.name!r} or has its setting"
                )
            found[card.name] = Source(benchmark, card)
    return found


def prediction_formats() -> list[ModuleType]:
    """The benchmarks' own layouts of results: their modules predictions.py, as runs/parsed.py describes a Format."""
    return [m for b in benchmarks().values() if (m := b.module("predictions"))]
