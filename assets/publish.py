"""The last stage: the published DuckDB file, built whole from all tables and put in place at once."""

from collections.abc import Iterator

import dagster as dg

from assets.common import (
    OWNERS,
    PUBLISH,
    Workspace,
    code_references,
    panel,
    prune_history,
    stage_tag,
    table_metadata,
    table_spec,
)
from pipelines import stages
from pipelines.schema import TABLES
from pipelines.store import changes
from pipelines.store.publishing import publish


@dg.multi_asset(
    name="refused_release",
    specs=[table_spec("refused_release", ["dataset"], {"parquet"}, "pipelines/archive/releases.py")],
)
def refused_release(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
    """What was refused so far, from the archive's book; after the questions, where a refusal is decided."""
    stages.note_refusals(workspace.settings, workspace.store)
    return dg.MaterializeResult("refused_release", metadata=table_metadata(workspace.store, "refused_release"))


INPUTS = [name for name in TABLES if name != changes.NAME]
WAREHOUSE = dg.AssetSpec(
    "warehouse",
    group_name=PUBLISH,
    deps=INPUTS,
    kinds={"duckdb"},
    owners=OWNERS,
    tags=stage_tag(PUBLISH),
    metadata=code_references("pipelines/store/publishing.py", "docs/schema.md", "docs/queries.md"),
    description="The published warehouse: one DuckDB file with a comment on every table and column, checked before it "
    "replaces the last one. Readers of the old file keep it; the last generations are kept beside it. Open it with any "
    "DuckDB, or with `medexams sql`.",
)


@dg.multi_asset(
    name="warehouse",
    specs=[table_spec(changes.NAME, INPUTS, {"duckdb", "sql"}, "pipelines/store/changes.py"), WAREHOUSE],
)
def warehouse(
    context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
) -> Iterator[dg.MaterializeResult]:
    """Publish all tables as one DuckDB file, what changed among them, and keep Dagster's history in bounds."""
    settings = workspace.settings
    rows = publish(workspace.store, settings.warehouse, settings.keep_generations)
    prune_history(context.instance)
    yield dg.MaterializeResult(changes.NAME, metadata=table_metadata(workspace.store, changes.NAME))
    yield dg.MaterializeResult(
        "warehouse",
        metadata={
            "path": dg.MetadataValue.path(settings.warehouse.resolve()),
            "bytes": settings.warehouse.stat().st_size,
            "dagster/row_count": sum(rows.values()),
            "rows": dg.MetadataValue.json(rows),
            "leaderboard": panel(workspace.store, "leaderboard"),
            "what_changed": panel(workspace.store, changes.NAME),
        },
    )
