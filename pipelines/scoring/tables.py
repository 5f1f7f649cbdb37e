"""The score tables that are computed in Python, and the rule tables: what each reads, and the function that makes it.

The SQL tables beside them are in sql/scores (see sqlfiles.py). No statistics here, only which frames go where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pipelines.scoring import statistics
from pipelines.scoring.rulebook import TABLE_NAMES as RULE_TABLES
from pipelines.scoring.rulebook import state_of
from pipelines.scoring.rulebook import tables as rule_frames
from pipelines.store.tables import Meta, Store


@dataclass(frozen=True)
class Computed:
    """One table: the tables it reads, in the order in which `make` takes their frames."""

    inputs: tuple[str, ...]
    make: Callable[..., pl.DataFrame]


COMPUTED: dict[str, Computed] = {
    "topic_score": Computed(("item_score", "question"), statistics.topic_score),
    "benchmark_score": Computed(("item_score", "prediction", "question"), statistics.benchmark_score),
    "comparison": Computed(("item_score", "question"), statistics.comparison),
    "pass_chance": Computed(
        ("item_score", "question", "exam_part", "exam_result", "rule_component"), statistics.pass_chance
    ),
    "leaderboard": Computed(("item_score", "prediction", "question", "run", "benchmark_score"), statistics.leaderboard),
}


def make(store: Store, name: str) -> Meta:
    """Compute one table from the tables on disk and write it. Raises StoreError."""
    table = COMPUTED[name]
    return store.write(name, table.make(*(store.read(t) for t in table.inputs)), table.inputs)


def make_rules(store: Store) -> dict[str, Meta]:
    """Write the rule tables. Raises SettingsError when a rule file is broken, StoreError as the store does."""
    frames = rule_frames()
    return {name: store.write(name, frames[name], (state_of(name),)) for name in RULE_TABLES}
