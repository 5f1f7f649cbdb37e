"""`medexams refresh`, and running a job of definitions.py in this process with its progress shown."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.cli.command import command, data_option, json_option
from pipelines.cli.output import dump, echo, show_progress
from pipelines.cli.warehouse import query_warehouse
from pipelines.schema import BENCHMARKS
from pipelines.settings import ENGINES, PROFILES, Settings


@command()
@click.option("--profile", type=click.Choice(PROFILES), help="sample: bundled, no network; live: the public sources.")
@click.option("--only", type=click.Choice(BENCHMARKS), help="Fetch the sources of this benchmark alone.")
@click.option(
    "--accept-shrink",
    is_flag=True,
    default=None,
    help="Accept releases that changed more than allowed.",
)
@click.option("--engine", type=click.Choice(ENGINES), help="Compute here (duckdb, the default) or on a Spark cluster.")
@click.option(
    "--master", help="The cluster's address, as spark://host:7077 (default: MEDEXAMS_SPARK_MASTER, or local[*])."
)
@json_option
@data_option
def refresh(
    profile: str | None,
    only: str | None,
    accept_shrink: bool | None,
    engine: str | None,
    master: str | None,
    as_json: bool,
    data: Path | None,
) -> None:
    """Fetch all sources, rebuild all tables, score all runs and publish the warehouse.

    Ends with a whole new warehouse, or with the old one untouched and exit code 1.

    \b
    Examples:
      medexams refresh --profile sample          the bundled sample, no network
      medexams refresh --data live               the public sources, in a folder of their own
      medexams refresh --only BENCHMARK          one benchmark's sources alone
      MEDEXAMS_<SOURCE>=./folder medexams refresh     one source from a local folder (medexams doctor lists them)
    """
    settings = Settings.from_env(
        profile=profile, data=data, accept_shrink=accept_shrink, engine=engine, spark_master=master
    )
    run_job(settings, "refresh", only)
    counts = query_warehouse(settings, "select dataset_id, n_questions, is_sample from dataset order by dataset_id")
    if as_json:
        datasets = [dict(zip(("dataset_id", "n_questions", "is_sample"), row, strict=True)) for row in counts]
        echo(dump({"warehouse": str(settings.warehouse), "datasets": datasets}))
        return
    for dataset_id, n, is_sample in counts:
        echo(f"{dataset_id}: {n} questions{' (sample, not an exam)' if is_sample else ''}")
    echo(f"published: {settings.warehouse}")


def run_job(settings: Settings, job: str, only: str | None = None) -> None:
    """Run a job of definitions.py in this process and show how far it is."""
    from pipelines import definitions  # Dagster takes a while to import; other commands need not wait

    with show_progress() as report:
        definitions.run_job(settings, job, only, report)
