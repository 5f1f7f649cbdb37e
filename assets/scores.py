"""Stages 3 and 5: the rule tables, and the score tables that are computed in Python (those in SQL: tables.py)."""

from collections.abc import Iterator

import dagster as dg

from assets.common import Workspace, table_metadata, table_spec
from pipelines.scoring import tables
from pipelines.scoring.tables import COMPUTED, RULE_TABLES


@dg.multi_asset(
    name="rule_tables",
    specs=[table_spec(name, [], {"polars", "toml"}, "pipelines/scoring/rulebook.py") for name in RULE_TABLES],
)
def rule_tables(workspace: dg.ResourceParam[Workspace]) -> Iterator[dg.MaterializeResult]:
    """The exams' rules, as they stand in the benchmarks' folders rules/."""
    tables.make_rules(workspace.store)
    for name in RULE_TABLES:
        yield dg.MaterializeResult(name, metadata=table_metadata(workspace.store, name))


def _computed_asset(name: str) -> dg.AssetsDefinition:
    spec = table_spec(name, list(COMPUTED[name].inputs), {"numpy", "parquet"}, COMPUTED[name].code)

    @dg.multi_asset(name=name, specs=[spec])
    def compute(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
        tables.make(workspace.store, name)
        return dg.MaterializeResult(name, metadata=table_metadata(workspace.store, name))

    return compute


def computed_assets() -> Iterator[dg.AssetsDefinition]:
    """One asset per table of pipelines/scoring/tables.py."""
    return (_computed_asset(name) for name in COMPUTED)
