"""Every knob in one class, read from the environment (prefix MEDEXAMS_) and from nowhere else."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pipelines.address import public
from pipelines.errors import SettingsError
from pipelines.registry import sources
from pipelines.registry.card import SourceCard
from pipelines.text.limits import LIMITS, Limits

PROFILES = ("sample", "live")
ENGINES = ("duckdb", "spark")
OFF = "off"
"""The address of a source that is switched off: it is not fetched, and what was accepted of it stays in use."""
_LEAST = {
    **dict.fromkeys(("connect_timeout", "read_timeout", "request_deadline", "scrape_deadline"), 0.001),
    **dict.fromkeys(("attempts", "max_bytes", "max_unpacked_bytes", "max_rows", "max_cells", "max_questions"), 1),
}  # fmt: skip
"""The least that each number may be, where it is not 0."""


def _flag(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError(text)


_KINDS: dict[str, Any] = {
    "str": str, "Path": Path, "Path | None": Path, "int": int, "float": float, "bool": _flag,
}  # fmt: skip
"""How a variable's text is read, by the type of its field."""


@dataclass(frozen=True)
class Settings:
    """What a refresh needs to know. Addresses are URLs or local paths."""

    profile: str = "live"
    data: Path = Path("data")
    addresses: Mapping[str, str] = field(default_factory=dict)
    """By setting of a source: the address that was given, else in profile `live` its card's, in `sample` none."""
    inbox: Path | None = None
    request_delay: float = 1.0
    """Seconds between two requests to one host."""
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    attempts: int = 5
    """How often a request is tried before its fault is final."""
    request_deadline: float = 120.0
    """Seconds that one request may take in all, however steadily it drips."""
    scrape_deadline: float = 7200.0
    """Seconds that fetching one source may take in all."""
    longest_wait: float = 120.0
    """The longest Retry-After that is waited for, in seconds."""
    max_bytes: int = 512 * 2**20
    """The largest answer or prediction file that is read, in bytes."""
    max_unpacked_bytes: int = LIMITS.unpacked_bytes
    """The most bytes that a prediction archive or a compressed file may unpack to."""
    max_rows: int = LIMITS.rows
    """The most rows that a prediction file may have."""
    max_cells: int = LIMITS.cells
    """The most cells (in JSON: values) that a prediction file may have; each takes about 100 bytes of memory."""
    max_questions: int = 200_000
    """The most questions that a file of a source may have; each takes about 3 kB of memory."""
    keep_generations: int = 3
    accept_shrink: bool = False
    shrink_share: float = 0.1
    """A release, or a guarded table, that lost more than this share of its rows is refused."""
    key_change_share: float = 0.1
    """A release in which more than this share of the known questions has another answer key is refused."""
    engine: str = "duckdb"
    """Where tables are computed and prediction files read: duckdb (this process) or spark."""
    spark_master: str = "local[*]"
    """Address of the Spark master, as Spark has it: spark://host:7077, or local[*] for threads of this machine."""
    lock_wait: float = 0.0
    """Seconds to wait for another refresh of the same data folder to end."""
    given: frozenset[str] = field(default_factory=frozenset)
    """Names of the source addresses that were given rather than taken from the profile."""

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None, **changes: Any) -> Settings:
        """Settings from MEDEXAMS_* variables; `changes` that are not None win, addresses by their setting among them.

        Raises SettingsError.
        """
        env = os.environ if env is None else env
        kinds = {f.name: _KINDS[str(f.type)] for f in fields(cls) if f.type in _KINDS}
        found: dict[str, Any] = {}
        for name, kind in kinds.items():
            if text := env.get(f"MEDEXAMS_{name.upper()}"):
                try:
                    found[name] = kind(text)
                except ValueError:
                    what = {int: "a whole number", float: "a number"}.get(kind, "yes or no")
                    raise SettingsError(f"MEDEXAMS_{name.upper()}={text!r} is not {what}") from None
        cards = [source.card for source in sources().values()]
        changes = {k: v for k, v in changes.items() if v is not None}
        given = {c.setting: a for c in cards if (a := changes.pop(c.setting, None) or env.get(c.variable))}
        found |= changes
        settings = cls(**found)
        if settings.profile not in PROFILES:
            raise SettingsError(f"profile {settings.profile!r} is not one of {', '.join(PROFILES)}")
        if settings.engine not in ENGINES:
            raise SettingsError(f"engine {settings.engine!r} is not one of {', '.join(ENGINES)}")
        for name, kind in kinds.items():
            least = _LEAST.get(name, 0)
            if kind in (int, float) and not least <= getattr(settings, name) < math.inf:
                raise SettingsError(f"MEDEXAMS_{name.upper()} must be a number of at least {least}")
        live = {c.setting: c.address for c in cards if c.address and settings.profile == "live"}
        addresses = {k: v for k, v in (live | given).items() if v.lower() != OFF}
        return replace(settings, given=frozenset(given), addresses=addresses)

    def address(self, source: SourceCard) -> str:
        """Where a source is read from. Raises SettingsError when no address is known."""
        if address := self.addresses.get(source.setting):
            return address
        raise SettingsError(f"no address of {source.title} is set; set {source.variable}")

    def is_sample(self, source: SourceCard) -> bool:
        """True when the source is the bundled sample of it."""
        return self.profile == "sample" and source.sample is not None and source.setting not in self.given

    def is_skipped(self, source: SourceCard) -> bool:
        """True when the source has neither an address nor, in this profile, a sample."""
        return not self.is_sample(source) and source.setting not in self.addresses

    def where(self, source: SourceCard) -> str:
        """What the source is read from, for people."""
        if self.is_skipped(source):
            return f"{source.variable} is {OFF if source.setting in self.given else 'not set'}, skipped"
        return public(self.addresses.get(source.setting, "bundled sample"))

    @property
    def warehouse(self) -> Path:
        """The published DuckDB file."""
        return self.data / "medexams.duckdb"

    @property
    def limits(self) -> Limits:
        """How much of a prediction file is read at most."""
        return Limits(self.max_bytes, self.max_unpacked_bytes, self.max_rows, self.max_cells)

    @property
    def inbox_folder(self) -> Path:
        return self.inbox or self.data / "inbox"
