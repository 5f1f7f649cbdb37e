"""What all stages share: the workspace resource, group names in the order of the flow, metadata made from a table."""

import os
import shutil
import socket
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import polars as pl

from pipelines import engines
from pipelines.cockpit import PANELS, ROWS, Row, preview
from pipelines.engines import Engine
from pipelines.errors import LockedError, MedexamsError
from pipelines.pictures import PICTURES, markdown_image
from pipelines.progress import Progress, silent
from pipelines.schema import TABLES, Table
from pipelines.settings import Settings
from pipelines.stages import open_store
from pipelines.store.lock import refresh_lock
from pipelines.store.tables import Store
from pipelines.store.upkeep import sweep

SOURCES, QUESTIONS, RULES, RUNS, SCORES, PUBLISH = (
    "sources", "questions", "rules", "runs", "scores", "publish",
)  # fmt: skip
GROUPS = {"questions": QUESTIONS, "rules": RULES, "runs": RUNS, "scores": SCORES, "releases": PUBLISH}
"""Asset group of each group of the schema."""

ROOT = Path(__file__).resolve().parents[1]
OWNERS = ["team:medexams"]
RUNS_KEPT = 60
HISTORY_BYTES = 200 * 2**20
"""What Dagster's history keeps: finished runs, and bytes of its files; it has no bound of its own."""
UNATTENDED = {"dagster/sensor_name", "dagster/schedule_name"}
UNATTENDED_WAIT = 3600.0
"""Seconds that a run of the schedule or the sensor waits for the lock: nobody is there to start it again."""
PROCESS_TAG, HOST_TAG = "medexams/process", "medexams/host"
LOCKED_TAG = "medexams/locked"
"""On a run that ended because another one held the lock."""


@dataclass(frozen=True)
class Workspace:
    """What a run works with: a data folder's settings, store and engine; whoever has it holds the refresh lock."""

    settings: Settings
    store: Store
    engine: Engine
    progress: Progress = silent


def workspace_resource(settings: Settings, progress: Progress = silent) -> dg.ResourceDefinition:
    """The resource `workspace`: held, with the lock, from the first to the last step of a run."""

    @dg.resource(description="Settings and tables of one data folder, locked for this run.")
    def workspace(context: dg.InitResourceContext) -> Iterator[Workspace]:
        run = context.run
        unattended = run is not None and bool(UNATTENDED & run.tags.keys())
        with ExitStack() as held:
            try:
                wait = max(settings.lock_wait, UNATTENDED_WAIT if unattended else 0.0)
                held.enter_context(refresh_lock(settings.data, wait))
            except LockedError:
                if run is not None and context.instance is not None:
                    context.instance.add_run_tags(run.run_id, {LOCKED_TAG: "yes"})
                raise
            sweep(settings.data, settings.warehouse)
            with engines.opened(settings) as engine:
                yield Workspace(settings, open_store(settings), engine, progress)

    return workspace


def table_spec(name: str, deps: list[str], kinds: set[str], code: str) -> dg.AssetSpec:
    """The asset of a table, described by the schema; `code` is the file that computes it."""
    table = TABLES[name]
    group = GROUPS[table.group]
    rows = f"One row per {', '.join(table.key)}." if table.key else "A log: rows may repeat."
    return dg.AssetSpec(
        name,
        deps=deps,
        description=f'{table.description}\n\n{rows} Query it with `medexams sql "from {name}"`.',
        group_name=group,
        kinds=kinds,
        owners=OWNERS,
        tags=stage_tag(group),
        metadata={"dagster/column_schema": column_schema(table), **code_references(code, "docs/schema.md")},
    )


def stage_tag(group: str) -> dict[str, str]:
    """The tag to filter the assets of one stage by."""
    return {"stage": group}


def code_references(*files: str) -> dict[str, dg.CodeReferencesMetadataValue]:
    """Metadata that leads from an asset to the files behind it, named from the project's folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        found = [
            dg.LocalFileCodeReference(file_path=str(ROOT / f), line_number=1, label=f.removeprefix(f"{ROOT}/"))
            for f in files
        ]
        return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[*found])}


def column_schema(table: Table) -> dg.TableSchema:
    """The schema's columns as Dagster shows them."""
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
    """Row count, a panel or a preview that the UI shows open, and for some a picture of a table as it is on disk."""
    meta = store.meta(name)
    found: dict[str, dg.MetadataValue] = {"dagster/row_count": dg.MetadataValue.int(meta.rows if meta else 0)}
    if name in PANELS:
        found["preview"] = panel(store, name)
    else:
        frames = [pl.read_parquet(f, n_rows=ROWS) for f in store.files(name)[:1]] or [TABLES[name].frame([])]
        found["preview"] = open_table(preview(pl.concat(frames)))
    if name in PICTURES:
        found["chart"] = dg.MetadataValue.md(_chart(store, name))
    return found


def panel(store: Store, name: str) -> dg.MetadataValue:
    """What matters most of a table, as an open table."""
    return open_table(PANELS[name].rows(*map(store.read, PANELS[name].inputs)))


def open_table(rows: list[Row]) -> dg.MetadataValue:
    """Rows as a table that the UI shows open."""
    columns = [dg.TableColumn(name) for name in (rows[0] if rows else ["no rows"])]
    return dg.MetadataValue.table([dg.TableRecord(row) for row in rows], schema=dg.TableSchema(columns))


def _chart(store: Store, name: str) -> str:
    chart = PICTURES[name]
    try:
        png = chart.draw(*map(store.read, chart.inputs))
    except Exception as fault:  # whatever is wrong with a picture, it must not stop a refresh
        return f"not drawn: {type(fault).__name__}: {fault}"
    return markdown_image(chart.alt, png) if png else "nothing to draw yet"


def process_tags() -> dict[str, str]:
    """Tags of a run that say which process it lives in."""
    return {PROCESS_TAG: str(os.getpid()), HOST_TAG: socket.gethostname()}


def failed_check(
    context: dg.AssetExecutionContext, check: dg.AssetCheckSpec, fault: MedexamsError
) -> dg.AssetCheckResult:
    """An upstream's fault as the failed check of its asset; raises it where the run holds no later stage.

    A step that raises fails its run, and Dagster then shows each check planned in it as failed, though it never ran.
    A run of all stages (the schedule, "materialize all") so ends well, with this check red and the rest skipped.
    """
    if PROCESS_TAG in context.run.tags:  # definitions.run_job runs stage by stage
        raise fault
    context.log.error(str(fault))
    return dg.AssetCheckResult(passed=False, check_name=check.name, asset_key=check.asset_key, description=str(fault))


def passed_check(check: dg.AssetCheckSpec) -> dg.AssetCheckResult:
    """The same check where nothing is wrong."""
    return dg.AssetCheckResult(passed=True, check_name=check.name, asset_key=check.asset_key)


def close_dead_runs(history: dg.DagsterInstance) -> int:
    """Close the runs of processes that were killed, which would be under way for ever; returns how many."""
    unfinished = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.NOT_STARTED],
        tags={HOST_TAG: socket.gethostname()},
    )
    dead = [r for r in history.get_runs(unfinished) if not Path(f"/proc/{r.tags.get(PROCESS_TAG)}").exists()]
    for run in dead:
        history.report_run_failed(run, "the process of this run was killed")
    return len(dead)


def was_locked_out(history: dg.DagsterInstance, sensor: str) -> bool:
    """Whether the last run that a sensor asked for failed because another one held the lock."""
    last = history.get_runs(dg.RunsFilter(tags={"dagster/sensor_name": sensor}), limit=1)
    return any(run.status == dg.DagsterRunStatus.FAILURE and LOCKED_TAG in run.tags for run in last)


def prune_history(history: dg.DagsterInstance, keep: int = RUNS_KEPT, most: int = HISTORY_BYTES) -> int:
    """Delete all but the newest finished runs, and of those what is over `most` bytes; returns how many went.

    The newest finished run always stays.
    """
    finished = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    )
    runs = [r.dagster_run.run_id for r in history.get_run_records(finished)]
    old, kept = runs[max(1, keep) :], runs[: max(1, keep)]
    for run_id in old:
        _delete_run(history, run_id)
    if old:
        _pack(history)
    while len(kept) > 1 and history_bytes(history) > most:
        old.append(kept.pop())
        _delete_run(history, old[-1])
        _pack(history)
    return len(old)


def history_bytes(history: dg.DagsterInstance) -> int:
    """Bytes that a history kept in a folder takes there."""
    return sum(path.stat().st_size for path in _history_files(history) if path.is_file())


def _history_files(history: dg.DagsterInstance) -> list[Path]:
    if history.is_ephemeral:
        return []
    return [path for name in ("history", "storage") for path in Path(history.root_directory, name).rglob("*")]


def _delete_run(history: dg.DagsterInstance, run_id: str) -> None:
    """Delete a run with its files: Dagster empties its database and leaves the file, and the logs of its steps."""
    history.delete_run(run_id)
    for path in _history_files(history):
        if path.name == run_id and path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name.startswith(f"{run_id}.db"):
            path.unlink(missing_ok=True)


def _pack(history: dg.DagsterInstance) -> None:
    """Give back the room of deleted rows, which SQLite keeps; a database in use is left for the next time."""
    for path in _history_files(history):
        if path.name in ("index.db", "runs.db"):
            with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path, timeout=5)) as con:
                con.execute("vacuum")
