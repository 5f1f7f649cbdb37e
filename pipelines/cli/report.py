"""`medexams report`."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.cli.command import command, data_option
from pipelines.cli.output import echo, show_progress
from pipelines.cli.warehouse import open_warehouse
from pipelines.settings import Settings


@command()
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder (default: DATA/report); a report there is replaced."
)
@data_option
def report(out: Path | None, data: Path | None) -> None:
    """Write the report: a folder of pages that opens from disk with no network.

    \b
    Examples:
      medexams report                  writes DATA/report; open its index.html
      medexams report --out ~/exams-report
    """
    from pipelines.report import write

    settings = Settings.from_env(data=data)
    with open_warehouse(settings):
        pass  # says what to do where there is none
    with show_progress() as progress:
        page = write(settings.warehouse, out or settings.data / "report", progress)
    echo(f"report: {page}")
