"""`medexams diff`: what changed since the generation before, or since any that is kept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from pipelines.cli.command import command, data_option, style_options
from pipelines.cli.output import echo, print_rows
from pipelines.cli.warehouse import open_warehouse
from pipelines.schema import TABLES
from pipelines.settings import Settings
from pipelines.store import changes, upkeep
from pipelines.vocabulary import CHANGE_KINDS


@command()
@click.argument("generation", required=False)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(CHANGE_KINDS), help="This kind (several times).")
@style_options()
@data_option
def diff(generation: str | None, kinds: tuple[str, ...], style: str, data: Path | None) -> None:
    """Say what changed: datasets, questions, keys, rules, runs, and each score or verdict that moved, with its cause.

    Without GENERATION it is what the last refresh changed; with one, by name or number, all since then.

    \b
    Examples:
      medexams diff
      medexams diff --kind key --kind verdict
      medexams diff 12 --format csv > since-12.csv
    """
    settings = Settings.from_env(data=data)
    if generation is None:
        with open_warehouse(settings) as con:
            rows = con.execute(f"select {', '.join(_COLUMNS)} from {changes.NAME}").fetchall()
        since = "the generation before"
    else:
        old = upkeep.generation_named(settings.warehouse, generation)
        with open_warehouse(settings):
            pass  # says what to do where there is none
        rows = changes.between(old, settings.warehouse).select(_COLUMNS).rows()
        since = old.stem
    order = {kind: place for place, kind in enumerate(CHANGE_KINDS)}
    chosen = sorted((r for r in rows if not kinds or r[0] in kinds), key=lambda r: (order[r[0]], r[1]))
    if style == "table":
        counted = Counter(r[0] for r in chosen)
        echo(f"since {since}: {', '.join(f'{n} {kind}' for kind, n in counted.items()) or 'no change'}")
        chosen = [r[: len(_SHOWN)] for r in chosen]
    if chosen or style != "table":
        print_rows(style, _SHOWN if style == "table" else _COLUMNS, chosen)


_COLUMNS = TABLES[changes.NAME].column_names
_SHOWN = ("kind", "subject", "old", "new", "cause")
"""The columns of the table; the others repeat the subject, for joins."""
