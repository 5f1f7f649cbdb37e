"""Which assets need not run, because what they would make is on disk: of the same inputs, by the same rules and code.

What is fetched, and what is in the inbox, can only be known by looking: those assets are never among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pipelines import stages
from pipelines.questions.unify import QUESTION_TABLES
from pipelines.runs.baselines import BASELINES
from pipelines.scoring import tables as scores
from pipelines.settings import Settings
from pipelines.store import changes
from pipelines.store.publishing import is_published
from pipelines.store.sqlfiles import sql_tables
from pipelines.store.tables import Store

WAREHOUSE = "warehouse"


def kept(settings: Settings, store: Store) -> set[str]:
    """Names of the assets that may be left out of a refresh as things are."""
    found = set(QUESTION_TABLES) if stages.questions_kept(store) else set[str]()
    found |= set(scores.RULE_TABLES) if scores.rules_kept(store) else set()
    found |= {stages.baseline_asset(name) for name in BASELINES if stages.baseline_kept(store, name)}
    found |= {"refused_release"} if stages.refusals_kept(store) else set()
    stale = stale_scores(store)
    found |= {*sql_tables(), *scores.COMPUTED} - stale
    if not stale and "refused_release" in found and is_published(store, settings.warehouse):
        found |= {changes.NAME, WAREHOUSE}
    return found


def stale_scores(store: Store) -> set[str]:
    """The tables of sql/ and of scoring/tables.py that have to be made anew, or read one that has to."""
    reads: dict[str, Collection[str]] = {name: table.inputs for name, table in sql_tables().items()}
    reads |= {name: table.inputs for name, table in scores.COMPUTED.items()}
    found = {name for name, table in sql_tables().items() if not store.kept(name, table.inputs, table.code)}
    found |= {n for n, table in scores.COMPUTED.items() if not store.kept(n, table.inputs, scores.code(n))}
    return downstream(found, reads)


def downstream(changed: Iterable[str], reads: dict[str, Collection[str]]) -> set[str]:
    """`changed`, and all that is made from them."""
    found = set(changed)
    while more := {name for name, inputs in reads.items() if name not in found and found & set(inputs)}:
        found |= more
    return found
