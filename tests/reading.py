"""Prediction files to rows in one go, from a folder or from memory: for the tests of pipelines/runs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from pipelines.runs import ingesting
from pipelines.runs.formats.card import Card
from pipelines.runs.imported import Imported
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.planning import Loader, plan


def in_memory(files: Mapping[str, bytes]) -> dict[str, Loader]:
    """Loaders for bytes that are already there."""
    return {name: partial(bytes, data) for name, data in files.items()}


def read_all(
    files: Mapping[str, Loader], questions: QuestionIndex, read_at: datetime, given: Card | None = None
) -> Imported:
    """Plan and read, as importing.py does; a run that two groups give is kept once."""
    planned = plan(files, given)
    whole, seen = planned.rejected, set[str]()
    for group in planned.groups:
        rows = ingesting.read(group, questions, read_at)
        ids = {row["run_id"] for row in rows.run}
        whole.add(rows.without(ids & seen))
        seen |= ids
    return whole
