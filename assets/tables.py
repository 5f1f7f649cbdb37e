"""Tables that are one SELECT in sql/: an asset each, whose dependencies are read from the statement."""

from collections.abc import Iterator

import dagster as dg

from assets.common import Workspace, table_metadata, table_spec
from pipelines.store import sqlfiles


def _sql_asset(table: sqlfiles.SqlTable) -> dg.AssetsDefinition:
    spec = table_spec(table.name, list(table.inputs), {"duckdb", "sql"}, table.file)

    statement = dg.MetadataValue.md(f"```sql\n{table.sql}\n```")

    @dg.multi_asset(name=table.name, specs=[spec.merge_attributes(metadata={"sql": statement})])
    def compute(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
        sqlfiles.make(workspace.store, table.name, workspace.engine.computed)
        return dg.MaterializeResult(table.name, metadata=table_metadata(workspace.store, table.name))

    return compute


def sql_assets() -> Iterator[dg.AssetsDefinition]:
    """One asset per file of sql/tables and sql/scores."""
    return (_sql_asset(table) for table in sqlfiles.sql_tables().values())
