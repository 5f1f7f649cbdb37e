"""Stage 1: one asset per upstream, which brings its newest release into the landing archive."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import dagster as dg

from assets.common import OWNERS, Workspace, code_references, failed_check, passed_check, stage_tag
from assets.common import SOURCES as GROUP
from pipelines import stages
from pipelines.archive.snapshot import Snapshot
from pipelines.errors import MedexamsError
from pipelines.registry import Source, sources

# Refreshed weekly: a day late is worth a warning, a week late is a failure.
FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=14), warn_window=timedelta(days=8))


def asset_names() -> list[str]:
    """The assets of all sources."""
    return [source.card.asset_name for source in sources().values()]


def _source_asset(source: Source) -> dg.AssetsDefinition:
    check = dg.AssetCheckSpec(
        "newest_release_is_fetched",
        asset=source.card.asset_name,
        description="What the source gives now is in the archive, or there is nothing to fetch.",
    )

    @dg.asset(
        name=source.card.asset_name,
        group_name=GROUP,
        description=source.card.about,
        kinds={"python", "http"},
        owners=OWNERS,
        tags={"benchmark": source.benchmark.name, **stage_tag(GROUP)},
        metadata={
            "source": dg.MetadataValue.url(source.card.link),
            **code_references(str(source.file), str(source.benchmark.folder / "README.md")),
        },
        freshness_policy=FRESHNESS,
        output_required=False,
        check_specs=[check],
    )
    def fetch(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        def progress(what: str, done: int, total: int | None) -> None:
            if done == total or done % 25 == 0:
                context.log.info(f"{what}: {done} of {total}")
            workspace.progress(f"{source.card.name}: {what}", done, total)

        try:
            shot = stages.fetch(workspace.settings, source.card.name, progress)
        except MedexamsError as fault:
            yield failed_check(context, check, fault)
            return
        yield passed_check(check)
        yield dg.MaterializeResult(
            metadata=_about(shot) if shot else {"skipped": workspace.settings.where(source.card)}
        )

    return fetch


def _about(shot: Snapshot) -> dict[str, Any]:
    return {
        "release": shot.release,
        "origin": shot.origin,
        "sha256": shot.sha256,
        "files": len(shot.files),
        "bytes": sum(f.size for f in shot.files),
        "fetched_at": dg.MetadataValue.timestamp(shot.fetched_at),
        "is_sample": shot.is_sample,
    }


def source_assets() -> Iterator[dg.AssetsDefinition]:
    """One asset per source module."""
    return (_source_asset(source) for source in sources().values())
