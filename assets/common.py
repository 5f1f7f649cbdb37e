"""What all stages share: the workspace resource, group names in the order of the flow, metadata made from a table."""

from collections.abc import Iterator
from dataclasses import dataclass

import dagster as dg
import polars as pl

from pipelines.schema import TABLES, Table
from pipelines.settings import Settings
from pipelines.sources.base import Progress, silent
from pipelines.stages import open_store
from pipelines.store import Store, refresh_lock

SOURCES, QUESTIONS, RULES, RUNS, SCORES, PUBLISH = (
    "g1_sources", "g2_questions", "g3_rules", "g4_runs", "g5_scores", "g6_publish",
)  # fmt: skip
GROUPS = {"questions": QUESTIONS, "rules": RULES, "runs": RUNS, "scores": SCORES}
"""Asset group of each group of schema.py; the numbers keep the UI in the order of the flow."""

OWNERS = ["team:medexams"]
RUNS_KEPT = 200
"""Finished runs that Dagster's history keeps; it has no bound of its own."""

PREVIEW_ROWS = 5
PREVIEW_COLUMNS = 8


@dataclass(frozen=True)
class Workspace:
    """Settings and store of the data folder that a run works on; whoever has it holds the folder's refresh lock."""

    settings: Settings
    store: Store
    progress: Progress = silent


def workspace_resource(settings: Settings, progress: Progress = silent) -> dg.ResourceDefinition:
    """The resource `workspace`: held, with the lock, from the first to the last step of a run."""

    @dg.resource(description="Settings and tables of one data folder, locked for this run.")
    def workspace(_: dg.InitResourceContext) -> Iterator[Workspace]:
        with refresh_lock(settings.data, settings.lock_wait):
            yield Workspace(settings, open_store(settings), progress)

    return workspace


def table_spec(name: str, deps: list[str], kinds: set[str]) -> dg.AssetSpec:
    """The asset of a table, described by schema.py."""
    table = TABLES[name]
    return dg.AssetSpec(
        name,
        deps=deps,
        description=table.description,
        group_name=GROUPS[table.group],
        kinds=kinds,
        owners=OWNERS,
        metadata={"dagster/column_schema": column_schema(table)},
    )


def column_schema(table: Table) -> dg.TableSchema:
    """schema.py's columns as Dagster shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                c.name,
                type=c.type,
                description=c.comment,
                constraints=dg.TableColumnConstraints(nullable=c.nullable, unique=table.key == (c.name,)),
            )
            for c in table.columns
        ]
    )


def table_metadata(store: Store, name: str) -> dict[str, dg.MetadataValue]:
    """Row count and a preview of a table as it is on disk."""
    meta = store.meta(name)
    head = pl.concat(
        [pl.read_parquet(f, n_rows=PREVIEW_ROWS) for f in store.files(name)[:1]] or [TABLES[name].frame([])]
    )
    return {
        "dagster/row_count": dg.MetadataValue.int(meta.rows if meta else 0),
        "preview": dg.MetadataValue.md(markdown(head.head(PREVIEW_ROWS))),
    }


def markdown(frame: pl.DataFrame, columns: int = PREVIEW_COLUMNS) -> str:
    """A small frame as a Markdown table; long texts are cut, further columns left out."""
    shown = frame[:, :columns]
    cell = lambda v: str("" if v is None else v).replace("|", "\\|").replace("\n", " ")[:60]  # noqa: E731
    lines = [" | ".join(shown.columns), " | ".join("---" for _ in shown.columns)]
    lines += [" | ".join(cell(v) for v in row) for row in shown.iter_rows()]
    return "\n".join(f"| {line} |" for line in lines)


def prune_history(history: dg.DagsterInstance, keep: int = RUNS_KEPT) -> int:
    """Delete all but the newest finished runs; answers how many were deleted."""
    finished = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    )
    old = [r.dagster_run.run_id for r in history.get_run_records(finished)[keep:]]
    for run_id in old:
        history.delete_run(run_id)
    return len(old)
