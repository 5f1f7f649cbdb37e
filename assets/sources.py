"""Stage 1: one asset per upstream, which brings its newest release into the landing archive."""

from collections.abc import Iterator
from datetime import timedelta

import dagster as dg

from assets.common import OWNERS, Workspace, code_references, stage_tag
from assets.common import SOURCES as GROUP
from pipelines import stages
from pipelines.registry import Source, sources

# Refreshed weekly: a day late is worth a warning, a week late is a failure.
FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=14), warn_window=timedelta(days=8))


def asset_names() -> list[str]:
    """The assets of all sources."""
    return [source.card.asset_name for source in sources().values()]


def _source_asset(source: Source) -> dg.AssetsDefinition:
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
    )
    def fetch(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
        def progress(what: str, done: int, total: int | None) -> None:
            if done == total or done % 25 == 0:
                context.log.info(f"{what}: {done} of {total}")
            workspace.progress(f"{source.card.name}: {what}", done, total)

        shot = stages.fetch(workspace.settings, source.card.name, progress)
        if shot is None:
            why = workspace.settings.where(source.card)
            context.log.info(why)
            return dg.MaterializeResult(metadata={"skipped": why})
        return dg.MaterializeResult(
            metadata={
                "release": shot.release,
                "origin": shot.origin,
                "sha256": shot.sha256,
                "files": len(shot.files),
                "bytes": sum(f.size for f in shot.files),
                "fetched_at": dg.MetadataValue.timestamp(shot.fetched_at),
                "is_sample": shot.is_sample,
            }
        )

    return fetch


def source_assets() -> Iterator[dg.AssetsDefinition]:
    """One asset per source module."""
    return (_source_asset(source) for source in sources().values())
