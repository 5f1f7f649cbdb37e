"""What the last refresh changed, read from refresh_change; no text of questions that a licence keeps closed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import duckdb

from pipelines.report.world import World, rows
from pipelines.vocabulary import CHANGE_KINDS


@dataclass(frozen=True)
class Change:
    """One row of refresh_change. `run_id` and `question_id` are None where their page is not in the report."""

    kind: str
    subject: str
    old: str | None
    new: str | None
    cause: str
    run_id: str | None
    question_id: str | None


@dataclass(frozen=True)
class Changes:
    """All changes, in the order of CHANGE_KINDS, and how many there are of each kind."""

    rows: list[Change]
    counts: dict[str, int]


def changes(con: duckdb.DuckDBPyConnection, everything: World) -> Changes:
    """What differs from the generation before; nothing for a first one."""
    found = rows(
        con,
        """select c.*, q.dataset_id, q.question_id is not null as is_there
           from refresh_change c left join question q using (question_id) order by c.kind, c.subject""",
    )
    open_ = {d.dataset_id for d in everything.datasets.values() if not d.is_closed}
    listed = [
        Change(
            r["kind"], r["subject"], *_texts(r["kind"], r["dataset_id"] in open_, r["old"], r["new"]), r["cause"],
            r["run_id"] if r["run_id"] in everything.runs else None, r["question_id"] if r["is_there"] else None,
        )
        for r in found
    ]  # fmt: skip
    counted = Counter(change.kind for change in listed)
    counts = {kind: counted[kind] for kind in CHANGE_KINDS if counted[kind]}
    return Changes(sorted(listed, key=lambda change: CHANGE_KINDS.index(change.kind)), counts)


def _texts(kind: str, is_open: bool, old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Old and new as they may be printed: rows of questions and keys may repeat a question."""
    if kind not in ("question", "key") or is_open:
        return old, new
    return (None if old is None else "not shown: licence"), (None if new is None else "not shown: licence")
