"""The medexams command: what a person types, printed for a person or, with --json, for a program.

A module per command (`runs` is a group of them), and command.py, output.py and warehouse.py for what they share. No
computing here: commands call the jobs of definitions.py or read the published warehouse.
"""

from __future__ import annotations

import click

from pipelines.cli import (
    ask,
    compare,
    completion,
    diff,
    doctor,
    explain,
    export,
    extract,
    leaderboard,
    query,
    refresh,
    report,
    runs,
    upkeep,
)
from pipelines.cli.command import Group


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="medexams")
def main() -> None:
    """One warehouse for medical licensing-exam benchmarks.

    \b
    Start here:
      medexams refresh --profile sample    the bundled sample, no network
      medexams refresh                     the public sources
      medexams runs add FILE…              predictions that a tool wrote
      medexams ask --base-url … --model …  a model, asked now
      medexams leaderboard                 what came out
      medexams explain RUN QUESTION        why an answer scored as it did
      medexams sql "from pass_grid"        any question, in SQL

    Each command has its own help, with examples: medexams sql -h
    """


for _command in (
    refresh.refresh,
    ask.ask,
    leaderboard.leaderboard,
    query.sql,
    explain.explain,
    compare.compare,
    diff.diff,
    report.report,
    runs.runs,
    extract.extract,
    export.export_,
    doctor.doctor,
    upkeep.rollback,
    upkeep.prune,
    completion.completion,
):
    main.add_command(_command)
