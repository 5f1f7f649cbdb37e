"""What runs that were asked a part of the questions would earn on all: predicted. Measured figures are boards.py."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import duckdb

from pipelines.report.world import Run, World, rows


@dataclass(frozen=True)
class Prediction:
    """One figure of one run over a `part`, with its 90 % interval; `method` says why where there is no value."""

    run: Run
    part: str
    component: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    n_asked: int
    n_whole: int


def predictions(con: duckdb.DuckDBPyConnection, everything: World) -> dict[str, list[Prediction]]:
    """By dataset, runs by name: nothing predicted has a place among measured figures."""
    names = [f for f in Prediction.__dataclass_fields__ if f != "run"]
    found: dict[str, list[Prediction]] = defaultdict(list)
    for r in rows(con, "select * from predicted_score order by run_id, part, component, metric"):
        found[r["dataset_id"]].append(Prediction(everything.runs[r["run_id"]], **{n: r[n] for n in names}))
    return found
