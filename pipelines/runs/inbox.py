"""The inbox: how files get in, when they are ready to be read, and how reading them is remembered.

Each group of files is one part of the tables run, prediction, rejected_file and unmatched_prediction, named by the
group's cache key: a part that is there is not read again, and one whose files are gone goes too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from pipelines.durable import write_atomically
from pipelines.errors import MedexamsError
from pipelines.progress import Progress, silent
from pipelines.runs import importer
from pipelines.runs.archives import LIMITS, Limits
from pipelines.runs.formats.card import Card
from pipelines.runs.importer import TABLE_NAMES, Group, Imported, Loader
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.parsed import Unreadable
from pipelines.store.tables import Store

INPUTS = ("dataset", "exam", "question", "choice")
PLAN_PART = "files-no-format-knows"
KEY_LENGTH = 24
ORIGINS = ".origins.json"


# ---- getting files in --------------------------------------------------------------------------------------------


def add(
    paths: Iterable[Path],
    inbox: Path,
    card: Card | None = None,
    limits: Limits = LIMITS,
    progress: Progress = silent,
) -> list[str]:
    """Copy files and folders into the inbox, with a card beside each that says what `card` says; names of the copies.

    The same path added again replaces what it gave before; another path of the same name is kept apart in a folder of
    its own. Raises MedexamsError when a path can't be read or the inbox can't be written.
    """
    origins = _origins(inbox)
    copied: list[str] = []
    for path in paths:
        try:
            files = importer.walk(path, limits) if path.exists() else None
        except OSError as fault:
            raise MedexamsError(f"{path}: {fault.strerror or fault}; make it readable") from fault
        if files is None:
            raise MedexamsError(f"{path}: no such file or folder; correct the path")
        if not files:
            raise MedexamsError(f"{path}: the folder holds no files; name the one that holds the predictions")
        place = _place(path, next(iter(files)), origins)
        for n, (name, load) in enumerate(files.items()):
            try:
                data = load()
            except Unreadable as fault:
                raise MedexamsError(f"{name}: {fault.reason}") from fault
            except OSError as fault:
                raise MedexamsError(f"{name}: {fault.strerror or fault}; make the file readable") from fault
            try:
                _put(inbox, place + name, data, card, has_own=f"{name}.card.toml" in files)
            except OSError as fault:
                raise MedexamsError(f"{inbox}: {fault.strerror or fault}; make the inbox writable, or room") from fault
            copied.append(place + name)
            progress("files copied to the inbox", n + 1, len(files))
    write_atomically(inbox / ORIGINS, json.dumps(origins, ensure_ascii=False, indent=1).encode())
    return copied


def _put(inbox: Path, name: str, data: bytes, card: Card | None, *, has_own: bool) -> None:
    """One file, with the card that is given for it; a card from an earlier time must not speak for it."""
    write_atomically(inbox / name, data)
    if name.endswith("card.toml") or has_own:
        return
    if card:
        write_atomically(inbox / f"{name}.card.toml", _toml(card).encode())
    else:
        (inbox / f"{name}.card.toml").unlink(missing_ok=True)


def _place(path: Path, name: str, origins: dict[str, str]) -> str:
    """The folder of the inbox (with '/', or empty) for what `path` gives; `origins` remembers it."""
    first, source = name.split("/")[0], str(path.resolve())
    apart = f"{hashlib.sha256(source.encode()).hexdigest()[:8]}/"
    for place in ("", apart):
        if origins.setdefault(place + first, source) == source:
            return place
    raise AssertionError("a folder named by the path's own hash belongs to the path")


def _origins(inbox: Path) -> dict[str, str]:
    """Which path each name of the inbox was added from."""
    try:
        found = json.loads((inbox / ORIGINS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _toml(card: Card) -> str:
    said = {k: v for k, v in asdict(card).items() if v is not None}
    return "".join(f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in said.items())


# ---- watching ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Watch:
    """What the sensor remembers: what the inbox looked like at the last look, and what it was when last read."""

    seen: str = ""
    read: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | None) -> Watch:
        try:
            return cls(**json.loads(text)) if text else cls()
        except (ValueError, TypeError):
            return cls()


def look(inbox: Path) -> str:
    """A digest of names, sizes and times of the files in the inbox; empty for an empty inbox."""
    files = sorted(p for p in inbox.rglob("*") if p.is_file() and not p.name.startswith(".")) if inbox.exists() else []
    lines = []
    for path in files:
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue  # gone between the listing and the look
        lines.append(f"{path.relative_to(inbox)}\t{stat.st_size}\t{stat.st_mtime_ns}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else ""


def due(watch: Watch, now: str) -> tuple[bool, Watch]:
    """Whether to read the inbox now, and what to remember: only what stood still between two looks is read."""
    if now != watch.seen:
        return False, Watch(now, watch.read)
    return (True, Watch(now, now)) if now != watch.read else (False, watch)


# ---- reading -----------------------------------------------------------------------------------------------------


@dataclass
class Summary:
    """What one reading of the inbox came to."""

    groups: int = 0
    read_anew: int = 0
    dropped: int = 0


def read(store: Store, folders: Sequence[Path], limits: Limits, progress: Progress = silent) -> Summary:
    """Bring the run tables in line with the files in `folders`. A file that can't be read is a row, not an error."""
    files: dict[str, Loader] = {}
    for folder in folders:
        if folder.exists():
            files |= importer.walk(folder, limits)
    planned = importer.plan(files, limits=limits)
    index = _index(store)
    now = datetime.now(UTC).replace(tzinfo=None)
    summary, kept, seen = Summary(len(planned.groups)), [PLAN_PART], set[str]()
    _write(store, PLAN_PART, planned.rejected)
    for n, group in enumerate(planned.groups):
        part, fresh = _read_group(store, group, index, now, seen)
        summary.read_anew += fresh
        kept.append(part)
        seen |= set(_run_ids(store, part))
        progress("prediction files and folders", n + 1, len(planned.groups))
    baselines = [p for p in store.parts("prediction") if p.startswith("baseline-")]
    for name in TABLE_NAMES:
        summary.dropped += len(store.keep_parts(name, [*kept, *baselines]))
    return summary


def _index(store: Store) -> QuestionIndex:
    return QuestionIndex.build(*(store.read(name) for name in ("question", "choice", "dataset", "exam")))


def _read_group(store: Store, group: Group, index: QuestionIndex, now: datetime, seen: set[str]) -> tuple[str, bool]:
    """The part that holds a group, and whether it was read now. A run that another group already gave is left out."""
    part = importer.cache_key(group, index)[:KEY_LENGTH]
    known = _is_current(store, part)
    rows = None if known else importer.read(group, index, now)
    twice = seen & set(_run_ids(store, part) if rows is None else (r["run_id"] for r in rows.run))
    if twice:
        part = f"{part}-{hashlib.sha256(repr(sorted(twice)).encode()).hexdigest()[:8]}"
        if _is_current(store, part):
            return part, False
        rows = _without(rows or importer.read(group, index, now), twice)
    if rows is None:
        return part, False
    _write(store, part, rows)
    return part, True


def _is_current(store: Store, part: str) -> bool:
    """True when a part is there whole (prediction is written last) and still fits the tables it was made from."""
    return part in store.parts("prediction") and store.fits("prediction", part)


def _run_ids(store: Store, part: str) -> list[str]:
    path = store.root / "run" / f"{part}.parquet"
    return pl.read_parquet(path, columns=["run_id"])["run_id"].to_list()


def _without(rows: Imported, runs: set[str]) -> Imported:
    keep = Imported(rejected_file=rows.rejected_file)
    keep.run = [r for r in rows.run if r["run_id"] not in runs]
    keep.prediction = [r for r in rows.prediction if r["run_id"] not in runs]
    keep.unmatched_prediction = [r for r in rows.unmatched_prediction if r["run_id"] not in runs]
    return keep


def _write(store: Store, part: str, rows: Imported) -> None:
    frames = rows.frames()
    for name in ("rejected_file", "unmatched_prediction", "run", "prediction"):  # prediction last: it says all is there
        store.write(name, frames[name], INPUTS if name in ("run", "prediction") else (), part=part)
