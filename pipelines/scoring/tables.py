"""The score tables that are computed in Python, and the rule tables: what each reads, and the function that makes it.

The SQL tables beside them are in sql/scores (see sqlfiles.py). No statistics here, only which frames go where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pipelines.scoring import boards, comparisons, figures, likeness, passing
from pipelines.scoring.rulebook import TABLE_NAMES as RULE_TABLES
from pipelines.scoring.rulebook import state_of
from pipelines.scoring.rulebook import tables as rule_frames
from pipelines.store.code import code_of
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

RULEBOOK = rule_frames.__module__

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
    "leaderboard": Computed(_BOARD, boards.leaderboard),
    "leaderboard_part": Computed(_BOARD, boards.leaderboard_part),
}


def code(name: str) -> str:
    """The fingerprint of the code that makes a table of COMPUTED, or a rule table."""
    return code_of(__name__, RULEBOOK if name in RULE_TABLES else COMPUTED[name].make.__module__)


def make(store: Store, name: str) -> Meta:
    """Compute one table from the tables on disk and write it, unless it was made of just these. Raises StoreError."""
    table, by = COMPUTED[name], code(name)
    if meta := store.kept(name, table.inputs, by):
        return meta
    return store.write(name, table.make(*(store.read(t) for t in table.inputs)), table.inputs, code=by)


def rules_kept(store: Store) -> bool:
    """Whether the rule tables on disk are what the files say."""
    return all(store.kept(name, (state_of(name),), code(name)) for name in RULE_TABLES)


def make_rules(store: Store) -> None:
    """Write the rule tables that the files say anew. Raises SettingsError when a rule file is broken, StoreError."""
    frames = rule_frames()
    for name in RULE_TABLES:
        if not store.kept(name, (state_of(name),), code(name)):
            store.write(name, frames[name], (state_of(name),), code=code(name))
