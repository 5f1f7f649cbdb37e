"""`medexams report`."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.cli.command import command, data_option
from pipelines.cli.output import echo, show_progress
from pipelines.cli.warehouse import open_warehouse
from pipelines.errors import MedexamsError
from pipelines.settings import Settings


@command()
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder (default: DATA/report); a report there is replaced."
)
@click.option(
    "--serve",
    is_flag=True,
    help="Then serve it on this machine alone, with the warehouse for its SQL page; Ctrl-C ends.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port of --serve.")
@data_option
def report(out: Path | None, serve: bool, port: int, data: Path | None) -> None:
    """Write the report: a folder of pages that opens from disk with no network.

    \b
    Examples:
      medexams report                  writes DATA/report; open its index.html
      medexams report --out ~/exams-report
      medexams report --serve          also at http://127.0.0.1:8000/, where sql.html queries the warehouse
    """
    from pipelines.report import write

    settings = Settings.from_env(data=data)
    with open_warehouse(settings):
        pass  # says what to do where there is none
    with show_progress() as progress:
        page = write(settings.warehouse, out or settings.data / "report", progress)
    echo(f"report: {page}")
    if serve:
        _serve(page.parent, settings.warehouse, port)


def _serve(folder: Path, warehouse: Path, port: int) -> None:
    from pipelines.report.serving import Server

    try:
        server = Server(folder, warehouse, port)
    except OSError as fault:
        raise MedexamsError(
            f"port {port} can't be used ({fault.strerror or fault}); name another one: --port 0 takes a free one"
        ) from fault
    with server:
        echo(f"serving: {server.address}")
        if not server.has_modules:
            echo("its SQL page needs DuckDB-Wasm, which is not installed: `make wasm` in a checkout", err=True)
        server.serve_forever()
