"""The score tables that are computed in Python, and the rule tables: what each reads, and the function that makes it.

The SQL tables beside them are in sql/scores (see sqlfiles.py). No statistics here, only which frames go where.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import polars as pl

from pipelines.schema import TABLES
from pipelines.scoring import boards, comparisons, figures, items, likeness, passing, predicting
from pipelines.scoring.rulebook import TABLE_NAMES as RULE_TABLES
from pipelines.scoring.rulebook import state_of
from pipelines.scoring.rulebook import tables as rule_frames
from pipelines.store.code import code_of
from pipelines.store.tables import Meta, Store


@dataclass(frozen=True)
class Computed:
    """One table: the tables it reads, in the order in which `make` takes their frames.

    `own` names those whose rows are each one run's, where a run's figures are a part of their own: they are kept as
    long as the run's own rows and the inputs `shared` by all runs did not change. A table of `pairs` takes the rows
    that are kept as one more frame, because they are adjusted for one another.
    """

    inputs: tuple[str, ...]
    make: Callable[..., pl.DataFrame]
    own: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    pairs: bool = False

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
    "topic_score": Computed(
        ("item_score", "question", "prediction", "rule_item"),
        figures.topic_score,
        own=("item_score", "prediction"),
        shared=("question", "rule_item"),
    ),
    "benchmark_score": Computed(
        ("item_score", "prediction", "question", "rule_item", "rule_topic", "rule_use_case"),
        figures.benchmark_score,
        own=("item_score", "prediction"),
        shared=("question", "rule_item", "rule_topic", "rule_use_case"),
    ),
    "comparison": Computed(
        ("item_score", "question", "run", "run_family"),
        comparisons.comparison,
        own=("item_score",),
        shared=("question",),
        pairs=True,
    ),
    "pass_chance": Computed(("item_score", "question", "exam_part", "exam_result", "exam_rule"), passing.pass_chance),
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
            "exam_rule",
            "exam_part",
            "exam_result",
            "leaderboard",
            "leaderboard_part",
        ),
        predicting.predicted_score,
    ),
}


def code(name: str) -> str:
    """The fingerprint of the code that makes a table of COMPUTED, or a rule table."""
    return code_of(__name__, RULEBOOK if name in RULE_TABLES else COMPUTED[name].make.__module__)


def make(store: Store, name: str) -> Meta:
    """Compute one table from the tables on disk and write it, unless it was made of just these. Raises StoreError."""
    table, by = COMPUTED[name], code(name)
    if meta := store.kept(name, table.inputs, by):
        return meta
    frames = {t: store.read(t) for t in table.inputs}
    if not table.own:
        return store.write(name, table.make(*frames.values()), table.inputs, code=by)
    runs = store.versions_by(table.own, "run_id")
    unchanged = _unchanged(store, name, by, runs)
    kept = _of(store.read(name), unchanged) if unchanged else TABLES[name].frame([])
    if table.pairs:
        rows = table.make(*frames.values(), kept)
    else:
        changed = [run_id for run_id in runs if run_id not in unchanged]
        frames |= {t: _of(frames[t], changed) for t in table.own}
        rows = pl.concat([kept, table.make(*frames.values())]) if changed else kept
    return store.write(name, rows, table.inputs, code=by, runs=runs)


def _unchanged(store: Store, name: str, by: str, runs: dict[str, str]) -> set[str]:
    """The runs whose rows of a table stay as they are."""
    before = store.recorded(name)
    shared = store.versions(COMPUTED[name].shared)
    if before is None or before.code != by or {t: before.inputs.get(t) for t in shared} != shared:
        return set()
    return {run_id for run_id, version in runs.items() if before.runs.get(run_id) == version}


def _of(rows: pl.DataFrame, runs: Collection[str]) -> pl.DataFrame:
    """The rows of some runs; of a table of pairs, those of which both are among them."""
    columns = [c for c in ("run_id", "run_a", "run_b") if c in rows.columns]
    wanted = pl.Series(list(runs), dtype=pl.String).implode()
    return rows.filter(pl.all_horizontal(pl.col(c).is_in(wanted) for c in columns))


def rules_kept(store: Store) -> bool:
    """Whether the rule tables on disk are what the files say."""
    return all(store.kept(name, (state_of(name),), code(name)) for name in RULE_TABLES)


def make_rules(store: Store) -> None:
    """Write the rule tables that the files say anew. Raises SettingsError when a rule file is broken, StoreError."""
    frames = rule_frames()
    for name in RULE_TABLES:
        if not store.kept(name, (state_of(name),), code(name)):
            store.write(name, frames[name], (state_of(name),), code=code(name))
