"""The Dagster code location: build_defs(settings) puts assets, checks, jobs and schedules together; run_job runs one.

The only module of pipelines that imports dagster or assets.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from assets import ask, automation, checks, common, publish, questions, runs, scores, sources, tables
from pipelines import stale
from pipelines.errors import MedexamsError, SettingsError, StoreError
from pipelines.progress import Progress, silent
from pipelines.questions.unify import QUESTION_TABLES
from pipelines.registry import benchmarks
from pipelines.registry import sources as registered
from pipelines.runs.baselines import BASELINES
from pipelines.runs.imported import TABLE_NAMES as RUN_TABLES
from pipelines.scoring.rulebook import TABLE_NAMES as RULE_TABLES
from pipelines.settings import Settings
from pipelines.stages import baseline_asset, open_store
from pipelines.store.lock import refresh_lock

HOME = Path(__file__).resolve().parents[1] / "dagster_home"
"""DAGSTER_HOME of a checkout; dagster.yaml there switches telemetry off."""


def build_defs(settings: Settings, progress: Progress = silent) -> dg.Definitions:
    """All definitions, bound to the data folder and addresses of `settings`; steps report to `progress`."""
    return dg.Definitions(
        assets=[
            *sources.source_assets(),
            questions.question_tables,
            questions.prompt_table,
            *runs.baseline_assets(),
            runs.run_tables,
            scores.rule_tables,
            *tables.sql_assets(),
            *scores.computed_assets(),
            publish.refused_release,
            publish.warehouse,
        ],
        asset_checks=list(checks.asset_checks()),
        jobs=[automation.refresh, automation.score, ask.ask_job(settings)],
        schedules=[automation.weekly],
        sensors=[automation.inbox_sensor(settings)],
        resources={"workspace": common.workspace_resource(settings, progress)},
        executor=dg.in_process_executor,
    )


def run_job(settings: Settings, job: str, only: str | None = None, progress: Progress = silent) -> None:
    """Run the job `refresh` or `score` in this process. `only` keeps to the sources of one benchmark.

    Raises the MedexamsError of the step that failed.
    """
    wanted = benchmarks()[only].card.sources if only else ()
    if wanted and all(settings.is_skipped(card) for card in wanted):
        raise SettingsError(f"{only} has no address by default; set {wanted[0].variable}")
    located = build_defs(settings, progress)
    skipped = {s.card.asset_name for s in registered().values() if only and only != s.benchmark.name}
    definition = located.resolve_job_def(job)
    counted = definition.with_logger_defs(
        {"console": _step_counter(job, len(definition.nodes) - len(skipped), progress)}
    )
    wanted_keys = [k for k in definition.asset_layer.executable_asset_keys if k.to_user_string() not in skipped]
    with refresh_lock(settings.data, settings.lock_wait), instance(settings) as history:
        common.close_dead_runs(history)
        try:
            for stage in _stages(wanted_keys):
                kept = stale.kept(settings, open_store(settings))
                keys = [key for key in stage if key.to_user_string() not in kept]
                if not keys:
                    continue
                counted.execute_in_process(
                    instance=history,
                    asset_selection=keys,
                    run_config={"loggers": {"console": {}}},
                    tags=common.process_tags(),
                )
        except dg.DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None
        except Exception as fault:
            raise _plain(fault) from fault
        finally:
            common.prune_history(history)


def _stages(keys: list[dg.AssetKey]) -> list[list[dg.AssetKey]]:
    """The parts that a job runs in, one after the other: sources and rules, questions, runs, the rest.

    A part that fails leaves no trace of the later ones in Dagster's history, which would show what never ran as failed;
    and before each part it is known what has to be made again.
    """
    parts = (
        {*RULE_TABLES, *(source.card.asset_name for source in registered().values())},
        {*QUESTION_TABLES},
        {*RUN_TABLES, *map(baseline_asset, BASELINES)},
    )
    place = lambda k: next((n for n, part in enumerate(parts) if k.to_user_string() in part), len(parts))  # noqa: E731
    found = [[k for k in keys if place(k) == n] for n in range(len(parts) + 1)]
    return [part for part in found if part]


def _step_counter(job: str, steps: int, progress: Progress) -> dg.LoggerDefinition:
    """In place of Dagster's log on the console: reports how many of a job's steps have ended."""

    class Counter(logging.Handler):
        ended = 0

        def emit(self, record: logging.LogRecord) -> None:
            event = getattr(record, "dagster_meta", {}).get("dagster_event")
            if event is not None and event.event_type_value == "STEP_SUCCESS":
                self.ended += 1
                progress(f"{job}: {event.step_key}", self.ended, steps)

    handler = Counter()  # one for all parts of a job

    def counter(_: dg.InitLoggerContext) -> logging.Logger:
        logger = logging.getLogger("medexams.steps")
        logger.handlers = [handler]
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        return logger

    return dg.LoggerDefinition(counter, description="Counts steps.")


def _plain(fault: BaseException) -> BaseException:
    """The MedexamsError below Dagster's wrapping; a failed blocking check is one too. Anything else is a defect."""
    cause: BaseException | None = fault
    while cause is not None:
        if isinstance(cause, MedexamsError):
            return cause
        if isinstance(cause, OSError) and cause.filename:
            return StoreError(f"{cause.filename}: {cause.strerror}; make the data folder writable, or make room")
        cause = cause.__cause__
    if type(fault).__name__ == "DagsterAssetCheckFailedError":  # a DagsterError without a public name of its own
        return StoreError(f"{fault}; nothing was published")
    return fault


@contextmanager
def instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """Where runs are recorded: DAGSTER_HOME if set; a checkout's own home for its own data folder; else nowhere.

    A home belongs to the data folder that it first recorded; runs of another one are not mixed into its history.
    """
    default_data = settings.data.resolve() == (HOME.parent / "data").resolve()
    if not os.environ.get("DAGSTER_HOME") and default_data and (HOME / "dagster.yaml").exists():
        os.environ["DAGSTER_HOME"] = str(HOME)
    if (home := os.environ.get("DAGSTER_HOME")) and _belongs(Path(home), settings.data):
        with dg.DagsterInstance.get() as found:
            yield found
    else:
        with dg.DagsterInstance.ephemeral() as found:
            yield found


def _belongs(home: Path, data: Path) -> bool:
    mark = home / "medexams-data-folder"
    if home.is_dir() and not mark.exists():
        mark.write_text(str(data.resolve()), encoding="utf-8")
    return not mark.exists() or mark.read_text(encoding="utf-8") == str(data.resolve())


@dg.definitions
def defs() -> dg.Definitions:
    """What workspace.yaml names: the definitions for the environment's settings."""
    return build_defs(Settings.from_env())
