"""Stage 4: runs to score: the baselines, one asset each, and what is in the inbox."""

from collections.abc import Iterator

import dagster as dg

from assets.common import OWNERS, RUNS, Workspace, code_references, stage_tag, table_metadata, table_spec
from pipelines import stages
from pipelines.runs.baselines import BASELINES
from pipelines.runs.imported import TABLE_NAMES

_READER = "pipelines/runs/importing.py"
_QUESTIONS = ["dataset", "exam", "question", "choice", "answer_key"]


def _baseline_asset(name: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=stages.baseline_asset(name),
        group_name=RUNS,
        deps=_QUESTIONS,
        kinds={"polars", "parquet"},
        owners=OWNERS,
        description=f"A baseline on every dataset, to measure models against. {BASELINES[name][1]}",
        tags=stage_tag(RUNS),
        metadata=code_references("pipelines/runs/baselines.py"),
    )
    def baseline(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
        rows = stages.build_baseline(workspace.store, name)
        return dg.MaterializeResult(metadata={"dagster/row_count": rows})

    return baseline


def baseline_assets() -> Iterator[dg.AssetsDefinition]:
    """One asset per baseline."""
    return (_baseline_asset(name) for name in BASELINES)


@dg.multi_asset(
    name="run_tables",
    specs=[
        table_spec(name, _QUESTIONS + [stages.baseline_asset(b) for b in BASELINES], {"polars", "parquet"}, _READER)
        for name in TABLE_NAMES
    ],
)
def run_tables(workspace: dg.ResourceParam[Workspace]) -> Iterator[dg.MaterializeResult]:
    """Read what is new in the inbox; with the baselines it makes up the run tables."""
    found = stages.import_runs(workspace.settings, workspace.store, workspace.progress, workspace.engine)
    more: dict[str, dg.MetadataValue] = {
        "files_or_folders": dg.MetadataValue.int(found.groups),
        "read_anew": dg.MetadataValue.int(found.read_anew),
        "parts_dropped": dg.MetadataValue.int(found.dropped),
    }
    for name in TABLE_NAMES:
        yield dg.MaterializeResult(name, metadata=table_metadata(workspace.store, name) | more)
