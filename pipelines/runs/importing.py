"""The run tables brought in line with the files of the inbox, and how reading them is remembered.

Each group of files is one part of the tables run, prediction, rejected_file and unmatched_prediction, named by the
group's cache key: a part that is there is not read again, and one whose files are gone goes too.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import polars as pl

from pipelines.progress import Progress, silent
from pipelines.runs import inbox, ingesting
from pipelines.runs.imported import TABLE_NAMES, Imported
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.planning import Group, Loader, plan, walk
from pipelines.schema import TABLES
from pipelines.store.tables import Store
from pipelines.text.limits import Limits

INPUTS = ("dataset", "exam", "question", "choice")
PLAN_PART = "files-no-format-knows"
KEY_LENGTH = 24
log = logging.getLogger(__name__)


@dataclass
class Summary:
    """What one reading of the inbox came to."""

    groups: int = 0
    read_anew: int = 0
    dropped: int = 0


Readings = Callable[[Sequence[Group], QuestionIndex, datetime], Iterator[Imported]]
"""Gives what ingesting.read gives for each group, in their order."""


def one_by_one(groups: Sequence[Group], index: QuestionIndex, read_at: datetime) -> Iterator[Imported]:
    """Each group is read when it is asked for."""
    return (ingesting.read(group, index, read_at) for group in groups)


def read(
    store: Store,
    folders: Sequence[Path],
    limits: Limits,
    progress: Progress = silent,
    readings: Readings = one_by_one,
) -> Summary:
    """Bring the run tables in line with the files in `folders`. A file that can't be read is a row, not an error."""
    files: dict[str, Loader] = {}
    for folder in folders:
        if folder.exists():
            files |= {n: load for n, load in walk(folder, limits).items() if n.rpartition("/")[2] not in inbox.STATE}
    planned = plan(files, limits=limits)
    for folder in folders:
        for name, (path, reason) in inbox.refused(folder).items():
            planned.rejected.reject(f"{folder.name}/{name}", reason, detail=f"at {path}")
    index = _index(store)
    now = datetime.now(UTC).replace(tzinfo=None)
    summary, kept, seen = Summary(len(planned.groups)), [PLAN_PART], set[str]()
    if not _says(store, PLAN_PART, planned.rejected):
        _write(store, PLAN_PART, planned.rejected)
    keys = [ingesting.cache_key(group, index)[:KEY_LENGTH] for group in planned.groups]
    known = [_is_current(store, key) for key in keys]
    read_now = readings(
        [group for group, is_known in zip(planned.groups, known, strict=True) if not is_known], index, now
    )
    for n, (group, key, is_known) in enumerate(zip(planned.groups, keys, known, strict=True)):
        rows = None if is_known else next(read_now)
        part, fresh = _keep_group(store, key, rows, seen, partial(ingesting.read, group, index, now))
        summary.read_anew += fresh
        kept.append(part)
        seen |= set(_run_ids(store, part))
        progress("prediction files and folders", n + 1, len(planned.groups))
    log.info("%d groups of prediction files, %d read anew", len(planned.groups), summary.read_anew)
    baselines = [p for p in store.parts("prediction") if p.startswith("baseline-")]
    for name in TABLE_NAMES:
        summary.dropped += len(store.keep_parts(name, [*kept, *baselines]))
    return summary


def _index(store: Store) -> QuestionIndex:
    return QuestionIndex.build(*(store.read(name) for name in ("question", "choice", "dataset", "exam")))


def _keep_group(
    store: Store, part: str, rows: Imported | None, seen: set[str], read_again: Callable[[], Imported]
) -> tuple[str, bool]:
    """Write what was read of a group (None: its part is there). Returns the part that holds it, and if it was written.

    A run that another group already gave is left out.
    """
    twice = seen & set(_run_ids(store, part) if rows is None else (r["run_id"] for r in rows.run))
    if twice:
        part = f"{part}-{hashlib.sha256(repr(sorted(twice)).encode()).hexdigest()[:8]}"
        if _is_current(store, part):
            return part, False
        rows = (rows or read_again()).without(twice)
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


def _says(store: Store, part: str, rows: Imported) -> bool:
    """Whether a part without predictions holds just these rows."""
    path = store.root / "rejected_file" / f"{part}.parquet"
    return _is_current(store, part) and pl.read_parquet(path).equals(
        rows.frames()["rejected_file"].sort(TABLES["rejected_file"].column_names, nulls_last=True)
    )


def _write(store: Store, part: str, rows: Imported) -> None:
    frames = rows.frames()
    for name in ("rejected_file", "unmatched_prediction", "run", "prediction"):  # prediction last: it says all is there
        store.write(name, frames[name], INPUTS if name in ("run", "prediction") else (), part=part)
