"""`medexams doctor`: whether this machine, the settings and the data folder are in order."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import duckdb

from pipelines.cli.command import command, data_option, json_option
from pipelines.cli.output import dump, echo
from pipelines.cli.warehouse import query_warehouse
from pipelines.errors import MedexamsError
from pipelines.settings import Settings


@command()
@json_option
@data_option
def doctor(as_json: bool, data: Path | None) -> None:
    """Check this machine, the settings and the data folder; exit 1 when something needs mending.

    \b
    Examples:
      medexams doctor
      medexams doctor --data live --json
    """
    from pipelines.archive.landing import Landing
    from pipelines.archive.releases import Releases
    from pipelines.registry import sources
    from pipelines.stages import open_store
    from pipelines.store.publishing import unfit

    settings = Settings.from_env(data=data)
    findings: list[tuple[bool, str, str]] = [
        (sys.version_info >= (3, 11), "Python", platform.python_version()),
        (True, "DuckDB", duckdb.__version__),
        (True, "profile", settings.profile),
    ]
    for name, source in sources().items():
        findings.append((True, f"source {name}", settings.where(source.card)))
    folder = settings.data if settings.data.exists() else settings.data.resolve().parent
    findings.append(
        (_writable(folder), f"data folder {settings.data}", "writable" if _writable(folder) else "not writable")
    )
    for row in Releases(Landing(settings.data)).refused():
        state = "mended since" if row["mended"] else "the release before it is still in use"
        findings.append(
            (row["mended"], f"source {row['source']}", f"{row['release']} was refused: {row['reason']} ({state})")
        )
    if settings.warehouse.exists():
        try:
            n = query_warehouse(settings, "select count(*) from question")[0][0]
            findings.append((True, "warehouse", f"{n} questions"))
        except (MedexamsError, duckdb.Error) as fault:
            findings.append((False, "warehouse", str(fault)))
        problems = unfit(open_store(settings))
        findings.append((not problems, "tables", "fit together" if not problems else "; ".join(problems[:5])))
    else:
        findings.append((True, "warehouse", "not published yet: run medexams refresh"))
    if as_json:
        echo(dump([{"ok": good, "what": what, "detail": detail} for good, what, detail in findings]))
    for good, what, detail in [] if as_json else findings:
        echo(f"{'ok  ' if good else 'FAIL'} {what}: {detail}")
    if not all(good for good, _, _ in findings):
        raise MedexamsError("something needs mending, see FAIL above")


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)
