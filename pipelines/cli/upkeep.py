"""`medexams rollback` and `medexams prune`: a generation put back, space made."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from pipelines.archive.landing import Landing
from pipelines.archive.releases import Releases
from pipelines.cli.command import command, data_option, json_option
from pipelines.cli.output import dump, echo
from pipelines.settings import Settings
from pipelines.store import upkeep
from pipelines.store.lock import refresh_lock


@command()
@click.argument("generation", required=False)
@data_option
def rollback(generation: str | None, data: Path | None) -> None:
    """Put the generation before, or the one of this NAME or number, back in place: the published file and its tables.

    What was published becomes a generation itself, so that a second rollback takes the first one back. The next refresh
    goes on from what the sources give then.

    \b
    Examples:
      medexams rollback
      medexams rollback 12
    """
    settings = Settings.from_env(data=data)
    with refresh_lock(settings.data, settings.lock_wait):
        upkeep.sweep(settings.data, settings.warehouse)
        chosen = upkeep.generation_named(settings.warehouse, generation)
        has_tables = upkeep.roll_back(settings.warehouse, settings.data / "tables", chosen)
    echo(f"published: {settings.warehouse}, as it was in {chosen.stem}")
    if not has_tables:
        echo("its tables were not kept: run `medexams refresh` before the next `medexams runs add`")


@command()
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
@json_option
@data_option
def prune(dry_run: bool, as_json: bool, data: Path | None) -> None:
    """Remove what is not needed: generations beyond MEDEXAMS_KEEP_GENERATIONS, bytes that no release is made of.

    Accepted releases, prediction files and what is published always stay.

    \b
    Examples:
      medexams prune --dry-run
      medexams prune
    """
    settings = Settings.from_env(data=data)
    with refresh_lock(settings.data, settings.lock_wait):
        upkeep.sweep(settings.data, settings.warehouse)
        landing = Landing(settings.data)
        kept = (*landing.snapshots(), *Releases(landing).candidates())
        used = {file.sha256 for shot in kept for file in shot.files} | landing.journalled()
        found = list(upkeep.spare(settings.data, settings.warehouse, used, settings.keep_generations))
        sizes = {path.relative_to(settings.data).as_posix(): path.stat().st_size for path in found}
        for path in [] if dry_run else found:
            upkeep.drop_generation(path) if path.suffix == ".duckdb" else path.unlink()
    if as_json:
        echo(dump({"at": datetime.now(UTC).isoformat(), "removed": not dry_run, "files": sizes}))
        return
    for name, size in sizes.items():
        echo(f"{name}: {size:,} bytes")
    echo(f"{len(sizes)} files, {sum(sizes.values()):,} bytes {'would go' if dry_run else 'removed'}")
