"""Stage 1: one asset per upstream, which brings its newest release into the landing archive."""

from collections.abc import Iterator
from datetime import timedelta

import dagster as dg

from assets.common import OWNERS, SOURCES, Workspace
from pipelines import stages

NAMES = {"mur": "mur_bank", "medschool": "medschool_release", "cognet": "cognet_release", "kokushi": "kokushi_release"}
"""Asset of each source module."""

_DESCRIPTIONS = {
    "mur": "The Italian ministry's bank of entrance questions, page by page, with passages and pictures.",
    "medschool": "The released Medschool-Test (JSON lines), drawn from the ministry's bank.",
    "cognet": "The released COGNET-MD (CSV): English questions in five specialties.",
    "kokushi": "KokushiMD-10: ten Japanese licensing exams, 2020 to 2024.",
}
_LINKS = {
    "mur": "https://domande-ap.mur.gov.it/domande",
    "medschool": "https://github.com/room-b007/test-medicina",
    "cognet": "https://huggingface.co/datasets/DimitriosPanagoulias/COGNET-MD",
    "kokushi": "https://huggingface.co/datasets/humanalysis-square/KokushiMD-10",
}
# Refreshed weekly: a day late is worth a warning, a week late is a failure.
FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=14), warn_window=timedelta(days=8))


def _source_asset(name: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=NAMES[name],
        group_name=SOURCES,
        description=_DESCRIPTIONS[name],
        kinds={"python", "http"},
        owners=OWNERS,
        tags={"benchmark": stages.SOURCES[name].BENCHMARK},
        metadata={"source": dg.MetadataValue.url(_LINKS[name])},
        freshness_policy=FRESHNESS,
    )
    def fetch(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult:
        def progress(what: str, done: int, total: int | None) -> None:
            if done == total or done % 25 == 0:
                context.log.info(f"{what}: {done} of {total}")
            workspace.progress(what, done, total)

        shot = stages.fetch(workspace.settings, name, progress)
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
    return (_source_asset(name) for name in stages.SOURCES)
