"""`medexams doctor`: whether this machine, the settings and the data folder are in order."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from pipelines.cli.command import command, data_option, json_option
from pipelines.cli.output import dump, echo
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
    from pipelines.cli.health import findings

    found = list(findings(Settings.from_env(data=data)))
    if as_json:
        echo(dump([asdict(finding) for finding in found]))
    for finding in [] if as_json else found:
        echo(f"{'ok  ' if finding.ok else 'FAIL'} {finding.what}: {finding.detail}")
    if not all(finding.ok for finding in found):
        raise MedexamsError("something needs mending, see FAIL above")
