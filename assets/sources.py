"""Stage 1: one asset per upstream, which brings its newest release into the landing archive."""

import inspect
from collections.abc import Iterator
from datetime import timedelta

import dagster as dg

from assets.common import OWNERS, Workspace, code_references, stage_tag
from assets.common import SOURCES as GROUP
from pipelines import stages
from pipelines.sources.registry import SOURCES

NAMES = {name: source.ASSET for name, source in SOURCES.items()}
"""Asset of each source module."""

# Refreshed weekly: a day late is worth a warning, a week late is a failure.
FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=14), warn_window=timedelta(days=8))


def _source_asset(name: str) -> dg.AssetsDefinition:
    source = SOURCES[name]

    @dg.asset(
        name=source.ASSET,
        group_name=GROUP,
        description=source.ABOUT,
        kinds={"python", "http"},
        owners=OWNERS,
        tags={"benchmark": source.BENCHMARK, **stage_tag(GROUP)},
        metadata={
            "source": dg.MetadataValue.url(source.LINK),
            **code_references(inspect.getfile(source.fetch), "docs/sources.md"),
        },
        freshness_policy=FRESHNESS,
    )
    def fetch(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
        def progress(what: str, done: int, total: int | None) -> None:
            if done == total or done % 25 == 0:
                context.log.info(f"{what}: {done} of {total}")
            workspace.progress(what, done, total)

        shot = stages.fetch(workspace.settings, name, progress)
        if shot is None:
            why = workspace.settings.where(source.SETTING)
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
    return (_source_asset(name) for name in SOURCES)
