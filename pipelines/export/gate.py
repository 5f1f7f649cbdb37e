"""Which datasets an export may hold, by their licences: the one gate that every format passes.

A licence that lets nobody share changed copies, or none at all, keeps a dataset's questions out of every format;
figures about answers (scores, counts) are not part of it and stay free. A copy for one's own use is a person's own
decision (--for-own-use) and is marked as such in what is written. No writing of files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

import duckdb

from pipelines.errors import MedexamsError, SettingsError
from pipelines.licences import Terms, terms
from pipelines.registry import sources
from pipelines.text.slugs import slug

ReportProgress = Callable[[str, int, int | None], None]
"""What is being done, how much of it is done, and of how much (None: unknown)."""


def silent(what: str, done: int, total: int | None) -> None:
    """Reports nothing."""


@dataclass(frozen=True)
class Options:
    """What a person chose. No dataset and no benchmark named means all of the warehouse."""

    datasets: tuple[str, ...] = ()
    benchmark: str | None = None
    for_own_use: bool = False
    for_excel: bool = False
    """Of csv alone: with the byte order mark by which Excel knows UTF-8."""
    progress: ReportProgress = silent

    @property
    def names_some(self) -> bool:
        return bool(self.datasets or self.benchmark)


@dataclass(frozen=True)
class Dataset:
    """A dataset as an export shows it; `origin` names no path of the machine that it was read on."""

    dataset_id: str
    benchmark: str
    release: str
    source: str
    title: str
    language: str
    licence: str
    origin: str
    sha256: str
    fetched_at: datetime
    n_questions: int
    is_sample: bool

    @property
    def terms(self) -> Terms:
        return terms(self.licence)

    @property
    def publisher(self) -> tuple[str, str]:
        """Who made the questions public, and the address of that."""
        if self.is_sample:
            return "medexams", f"urn:medexams:{self.dataset_id}"
        if source := sources().get(self.source):
            return source.card.publisher, source.card.link
        return self.title, f"urn:medexams:{self.dataset_id}"

    @property
    def slug(self) -> str:
        """Its name as a folder or a task: letters, digits, '-', '_' and '.'."""
        return slug(self.dataset_id)


@dataclass(frozen=True)
class Chosen:
    """The datasets of an export: `open` with their questions, `closed` (with the reason) at most with figures."""

    open: tuple[Dataset, ...]
    closed: tuple[tuple[Dataset, str], ...] = ()
    for_own_use: bool = False
    all_of_warehouse: bool = True

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        return tuple(sorted((*self.open, *(d for d, _ in self.closed)), key=lambda d: d.dataset_id))

    @property
    def not_to_share(self) -> tuple[Dataset, ...]:
        """Those whose questions are in the export although their licence does not let them be shared."""
        return tuple(d for d in self.open if d.terms.refusal)


def public_address(origin: str) -> str:
    """An origin without the path of a machine: a web address as it is, of a local file the name alone."""
    if re.match(r"https?://", origin) or not re.search(r"[/\\]", origin):
        return origin
    place, hash_, rest = origin.partition("#")
    name = re.split(r"[/\\]", place.rstrip("/\\"))[-1]
    return f"local copy of {name}{hash_}{rest}"


def know_addresses(con: duckdb.DuckDBPyConnection) -> None:
    """Make public_address known to a connection's SQL."""
    if not con.execute("select 1 from duckdb_functions() where function_name = 'public_address'").fetchall():
        con.create_function("public_address", public_address, ["VARCHAR"], "VARCHAR")


def datasets(con: duckdb.DuckDBPyConnection, options: Options) -> list[Dataset]:
    """The datasets that the options name, in order of their ids. Raises SettingsError for one that isn't there."""
    rows = con.execute(
        """select dataset_id, benchmark, release, source, title, language, licence, origin, sha256, fetched_at,
                  n_questions, is_sample
           from dataset order by dataset_id"""
    ).fetchall()
    found = [Dataset(*row) for row in rows]
    found = [replace(d, origin=public_address(d.origin)) for d in found]
    known = [d.dataset_id for d in found]
    for wanted in options.datasets:
        if wanted not in known:
            raise SettingsError(f"the warehouse has no dataset {wanted!r}; it holds {', '.join(known) or 'none'}")
    chosen = [
        d
        for d in found
        if (not options.datasets or d.dataset_id in options.datasets)
        and (not options.benchmark or d.benchmark == options.benchmark)
    ]
    if not chosen:
        raise SettingsError(f"the warehouse has no such dataset; it holds {', '.join(known) or 'none'}")
    return chosen


def choose(con: duckdb.DuckDBPyConnection, options: Options, form: str, *, needs_questions: bool) -> Chosen:
    """The datasets of an export in format `form`.

    Raises MedexamsError when a format that is nothing without questions is asked for a dataset (or, when none is
    named, for nothing but datasets) whose licence keeps them back.
    """
    found = datasets(con, options)
    closed = [] if options.for_own_use else [(d, d.terms.refusal) for d in found if d.terms.refusal]
    shut = {d.dataset_id for d, _ in closed}
    open_ = tuple(d for d in found if d.dataset_id not in shut)
    if needs_questions and closed and (options.names_some or not open_):
        raise MedexamsError(
            f"{'; '.join(refused(d, why, form) for d, why in closed)}. Nothing was written. Still possible: its scores "
            "without the text of questions (export csv, xlsx or every-eval-ever), or --for-own-use for a copy that "
            "stays with you"
        )
    return Chosen(open_, tuple(closed), options.for_own_use, not options.names_some)


def refused(dataset: Dataset, why: str, form: str) -> str:
    """The refusal as half a sentence."""
    return f"{dataset.dataset_id} can't be exported as {form}: {why}"


NOT_FOR_SHARING = "NOT-FOR-SHARING.txt"


def warning(chosen: Chosen) -> str:
    """The text of the mark that a copy for one's own use carries."""
    lines = [f"- {d.dataset_id} ({d.licence}): {d.terms.refusal}." for d in chosen.not_to_share]
    return "\n".join(
        (
            "Made for its maker's own use (medexams export --for-own-use). Do not publish or pass it on:",
            *lines,
            "",
        )
    )
