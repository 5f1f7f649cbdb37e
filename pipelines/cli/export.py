"""`medexams export`: the warehouse written for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.cli.command import command, data_option
from pipelines.cli.output import echo, show_progress
from pipelines.cli.warehouse import open_warehouse
from pipelines.schema import BENCHMARKS
from pipelines.settings import Settings

EXPORT_FORMATS = ("parquet", "jsonl", "croissant", "lm-eval", "prompts", "every-eval-ever", "csv", "xlsx")
"""The names of pipelines.export.FORMATS, stated here so that other commands need not import it."""


@command("export")
@click.argument("form", metavar="FORMAT", type=click.Choice(EXPORT_FORMATS))
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--dataset", "datasets", multiple=True, help="This dataset (may be given several times); default: all.")
@click.option("--benchmark", type=click.Choice(BENCHMARKS), help="The datasets of this benchmark.")
@click.option("--for-own-use", is_flag=True, help="Also what a licence keeps from being shared; the copy is marked.")
@click.option("--for-excel", is_flag=True, help="Of csv: with the byte order mark by which Excel knows UTF-8.")
@data_option
def export_(
    form: str,
    out: Path,
    datasets: tuple[str, ...],
    benchmark: str | None,
    for_own_use: bool,
    for_excel: bool,
    data: Path | None,
) -> None:
    """Write the warehouse into the folder OUT for other tools; an earlier export there is replaced.

    \b
    parquet, jsonl    a folder per dataset as a dataset hub expects it, with a card
    croissant         questions as JSON lines with Croissant 1.0 metadata
    lm-eval           tasks for lm-evaluation-harness with their data
    prompts           each question as its benchmark asks it
    every-eval-ever   a record per run in the Every Eval Ever schema
    csv, xlsx         all tables

    What a licence forbids is refused with the reason. csv, xlsx and every-eval-ever then lack the text of questions.

    \b
    Examples:
      medexams export parquet hub/ --benchmark BENCHMARK
      medexams export lm-eval tasks/ && lm_eval --include_path tasks --tasks list
      medexams export xlsx tables/
    """
    from pipelines.export import Options, export

    with open_warehouse(Settings.from_env(data=data)) as con, show_progress() as report:
        written = export(form, con, out, Options(datasets, benchmark, for_own_use, for_excel, report))
    for line in written.left_out:
        echo(f"left out: {line}", err=True)
    for dataset_id in written.not_to_share:
        echo(f"not for sharing: {dataset_id} (see NOT-FOR-SHARING.txt)", err=True)
    echo(f"{len(written.files)} files of {', '.join(written.datasets)} written to {out}")
