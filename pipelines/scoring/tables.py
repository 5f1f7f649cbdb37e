"""The score tables that are computed in Python, and the rule tables: what each reads, and the function that makes it.

The SQL tables beside them are in sql/scores (see sqlfiles.py). No statistics here, only which frames go where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pipelines.scoring import boards, comparisons, figures, items, likeness, passing, predicting
from pipelines.scoring.rulebook import TABLE_NAMES as RULE_TABLES
from pipelines.scoring.rulebook import state_of
from pipelines.scoring.rulebook import tables as rule_frames
from pipelines.store.tables import Meta, Store


@dataclass(frozen=True)
class Computed:
    """One table: the tables it reads, in the order in which `make` takes their frames."""

    inputs: tuple[str, ...]
    make: Callable[..., pl.DataFrame]

    @property
    def code(self) -> str:
        """The file that computes it, from the project's folder."""
        return self.make.__module__.replace(".", "/") + ".py"


_BOARD = (
    "item_score",
    "prediction",
    "question",
    "answer_key",
    "run",
    "run_family",
    "rule_item",
    "rule_topic",
    "rule_use_case",
)

COMPUTED: dict[str, Computed] = {
    "near_copy": Computed(("run", "prediction", "item_score", "question"), likeness.near_copy),
    "run_family": Computed(("run", "prediction", "near_copy"), likeness.run_family),
    "topic_score": Computed(("item_score", "question", "prediction", "rule_item"), figures.topic_score),
    "benchmark_score": Computed(
        ("item_score", "prediction", "question", "rule_item", "rule_topic", "rule_use_case"), figures.benchmark_score
    ),
    "comparison": Computed(("item_score", "question", "run", "run_family"), comparisons.comparison),
    "pass_chance": Computed(
        ("item_score", "question", "exam_part", "exam_result", "rule_component"), passing.pass_chance
    ),
    "item_parameter": Computed(("item_score", "question", "run", "run_family"), items.item_parameter),
    "leaderboard": Computed(_BOARD, boards.leaderboard),
    "leaderboard_part": Computed(_BOARD, boards.leaderboard_part),
    "predicted_score": Computed(
        (
            "item_score",
            "question",
            "item_parameter",
            "run",
            "rule_item",
            "rule_topic",
            "rule_component",
            "exam_part",
            "exam_result",
            "leaderboard",
            "leaderboard_part",
        ),
        predicting.predicted_score,
    ),
}


def make(store: Store, name: str) -> Meta:
    """Compute one table from the tables on disk and write it. Raises StoreError."""
    table = COMPUTED[name]
    return store.write(name, table.make(*(store.read(t) for t in table.inputs)), table.inputs)


def make_rules(store: Store) -> dict[str, Meta]:
    """Write the rule tables. Raises SettingsError when a rule file is broken, StoreError as the store does."""
    frames = rule_frames()
    return {name: store.write(name, frames[name], (state_of(name),)) for name in RULE_TABLES}
