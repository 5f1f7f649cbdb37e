"""What stands on the page of a run without a script: figures, verdicts, subjects and use cases, put together by run.

All of it is read by boards.py, exams.py and quality.py, but for the subjects, which a run of any benchmark may have.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import duckdb

from pipelines.report.boards import Board, Entry, UseCase, UseCases
from pipelines.report.exams import Profession, Sitting
from pipelines.report.quality import Responses
from pipelines.report.world import Row, Run, rows


@dataclass(frozen=True)
class Summary:
    """A run in figures. `entry` is None for one that could not be scored."""

    run: Run
    entry: Entry | None
    responses: Responses
    sittings: list[tuple[Profession, Sitting]]
    topics: list[Row]
    cases: list[UseCase]


def summaries(
    con: duckdb.DuckDBPyConnection,
    leaderboards: list[Board],
    grids: list[Profession],
    use_cases: list[UseCases],
    responses: list[Responses],
) -> list[Summary]:
    """One per run, in the order of the runs."""
    entries = {e.run.run_id: e for board in leaderboards for e in board.entries}
    sittings: dict[str, list[tuple[Profession, Sitting]]] = defaultdict(list)
    for grid in grids:
        for sitting in grid.sittings:
            sittings[sitting.run.run_id].append((grid, sitting))
    cases: dict[str, list[UseCase]] = defaultdict(list)
    for found in use_cases:
        for case in found.cases:
            cases[case.run.run_id].append(case)
    topics: dict[str, list[Row]] = defaultdict(list)
    for row in rows(con, "select * from topic_score where ruleset = 'official' order by run_id, accuracy, topic"):
        topics[row["run_id"]].append(row)
    return [
        Summary(r.run, entries.get(r.run.run_id), r, sittings[r.run.run_id], topics[r.run.run_id], cases[r.run.run_id])
        for r in responses
    ]
