"""What `medexams doctor` looks at: all that makes a refresh refuse or fail, each with what mends it. Reads only."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipelines.address import is_url
from pipelines.archive.landing import Landing
from pipelines.archive.releases import Releases
from pipelines.cli.warehouse import query_warehouse
from pipelines.errors import LockedError, MedexamsError
from pipelines.registry import sources
from pipelines.scoring.rulebook import load
from pipelines.settings import Settings
from pipelines.stages import mixed, open_store
from pipelines.store.lock import refresh_lock
from pipelines.store.publishing import unfit
from pipelines.store.upkeep import held_open

ROOM = 200 * 2**20
"""Bytes that a refresh needs besides a second copy of what is there."""


@dataclass(frozen=True)
class Finding:
    """`ok`: nothing to mend here. `detail`: what was found, and where it is not well what to do."""

    ok: bool
    what: str
    detail: str


def findings(settings: Settings) -> Iterator[Finding]:
    """Everything that was looked at, one finding each."""
    yield Finding(sys.version_info >= (3, 11), "Python", platform.python_version())
    yield Finding(True, "DuckDB", duckdb.__version__)
    yield Finding(True, "profile", settings.profile)
    yield from _engine(settings)
    yield _rules()
    yield from _sources(settings)
    yield from _folders(settings)
    yield from _refused(settings)
    yield from _warehouse(settings)


def _engine(settings: Settings) -> Iterator[Finding]:
    if settings.engine != "spark":
        return
    lacks = [] if importlib.util.find_spec("pyspark") else ["PySpark (`make spark`)"]
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        lacks.append("Java 17 (Debian: openjdk-17-jre-headless)")
    yield Finding(not lacks, "engine spark", f"install {' and '.join(lacks)}" if lacks else settings.spark_master)


def _rules() -> Finding:
    try:
        book = load()
    except MedexamsError as fault:
        return Finding(False, "rules", str(fault))
    return Finding(True, "rules", f"{len(book.lines)} lines of exams")


def _sources(settings: Settings) -> Iterator[Finding]:
    shots = Landing(settings.data).snapshots()
    for name, source in sources().items():
        where, address = settings.where(source.card), settings.addresses.get(source.card.setting, "")
        if settings.is_skipped(source.card):
            yield Finding(True, f"source {name}", where)
        elif why := mixed(settings, source.card, shots):
            # a folder with the sample, looked at without a word of a profile: nothing is wrong with it
            by_default = settings.profile == "live" and source.card.setting not in settings.given
            yield Finding(by_default, f"source {name}", f"{why}, or --profile sample" if by_default else why)
        elif address and not is_url(address) and not Path(address).exists():
            yield Finding(False, f"source {name}", f"{where} does not exist; set {source.card.variable}, or to off")
        else:
            yield Finding(True, f"source {name}", where)


def _folders(settings: Settings) -> Iterator[Finding]:
    data = settings.data
    folder = data if data.exists() else data.resolve().parent
    inside = [data / name for name in ("landing", "tables", "generations")] + [settings.inbox_folder]
    closed = [path for path in (folder, *inside) if path.exists() and not os.access(path, os.R_OK | os.W_OK | os.X_OK)]
    named = ", ".join(map(str, closed))
    yield Finding(
        not closed, f"data folder {data}", f"{named} is not writable; give its rights back" if closed else "writable"
    )
    held = sum(path.stat().st_size for path in (settings.warehouse, *data.glob("tables/**/*")) if path.is_file())
    free, needed = shutil.disk_usage(folder).free, held + ROOM
    yield Finding(
        free >= needed,
        "room",
        f"{free / 2**20:.0f} MiB are free"
        + ("" if free >= needed else f", a refresh needs about {needed / 2**20:.0f}; make room, or `medexams prune`"),
    )
    if data.exists() and not closed:
        try:
            with refresh_lock(data):
                pass
        except LockedError as fault:
            yield Finding(False, "lock", str(fault))


def _refused(settings: Settings) -> Iterator[Finding]:
    """Releases that were refused; one that is mended was followed by a good one."""
    for row in Releases(Landing(settings.data)).refused():
        source = sources().get(row["source"])
        accept = f"`medexams refresh --only {source.benchmark.name} --accept-shrink` accepts it" if source else ""
        state = "mended since" if row["mended"] else f"the release before it is still in use; {accept}"
        yield Finding(
            row["mended"], f"source {row['source']}", f"{row['release']} was refused: {row['reason']} ({state})"
        )


def _warehouse(settings: Settings) -> Iterator[Finding]:
    if settings.warehouse.with_name(settings.warehouse.name + ".wal").exists():
        why = held_open(settings.warehouse)
        left = "left by a program that was killed; the next refresh moves it away"
        yield Finding(not why, "write-ahead log", why or left)
    if not settings.warehouse.exists():
        yield Finding(True, "warehouse", "not published yet: run medexams refresh")
        return
    try:
        n = query_warehouse(settings, "select count(*) from question")[0][0]
        yield Finding(True, "warehouse", f"{n} questions")
    except (MedexamsError, duckdb.Error) as fault:
        yield Finding(False, "warehouse", str(fault))
    problems = unfit(open_store(settings))
    said = f"{'; '.join(problems[:5])}: `medexams refresh` makes them anew" if problems else "fit together"
    yield Finding(not problems, "tables", said)
