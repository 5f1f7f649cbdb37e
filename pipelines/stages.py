"""The steps of a refresh as plain functions over settings and a store: the assets declare them, the CLI runs them.

Each reads tables (or the archive) and writes tables through the store. What a step computes lives in the module that it
calls; the order of the steps is the assets' business.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pipelines import sample
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.errors import SourceError, StoreError
from pipelines.progress import Progress, silent
from pipelines.questions.unify import QUESTION_TABLES, unify
from pipelines.registry import sources
from pipelines.runs import importing
from pipelines.runs.baselines import baseline_runs
from pipelines.settings import Settings
from pipelines.store.tables import Meta, Store


def open_store(settings: Settings) -> Store:
    return Store(settings.data, accept_shrink=settings.accept_shrink, shrink_share=settings.shrink_share)


def fetch(settings: Settings, name: str, progress: Progress = silent) -> Snapshot | None:
    """Bring the newest release of one source into the archive and note that it is in use. Raises SourceError.

    None for a source that has no address of its own and was given none: it is skipped.
    """
    source = sources()[name]
    if settings.is_skipped(source.card):
        return None
    landing = Landing(settings.data)
    wanted = settings.is_sample(source.card)
    if any(shot.is_sample != wanted for shot in landing.snapshots()):
        has, asked = ("real datasets", "the sample") if wanted else ("the sample", "real datasets")
        raise SourceError(
            f"{settings.data} holds {has}, and {asked} would stand beside them; use another folder for it (--data DIR)"
        )
    with _sample_served(settings) as served, Session(served, landing) as session:
        shot = source.fetch(served, session, landing, progress)
    for known in landing.snapshots(name):
        if (known.release, known.sha256) == (shot.release, shot.sha256):  # nothing new: it was fetched then, from there
            shot = replace(shot, fetched_at=known.fetched_at, origin=known.origin)
    source.read(shot, landing)  # a snapshot that can't be read must not be used
    landing.add_snapshot(shot)
    return shot


@contextmanager
def _sample_served(settings: Settings) -> Iterator[Settings]:
    """Settings whose missing addresses are those of the bundled sample, served on loopback for as long as needed."""
    missing = {source.card.setting for source in sources().values() if settings.is_sample(source.card)}
    if not missing:
        yield settings
        return
    with sample.serve() as served:
        found = {name: address for name, address in served.items() if name in missing}
        yield replace(settings, request_delay=0.0, addresses={**settings.addresses, **found})


def build_questions(settings: Settings, store: Store) -> dict[str, Meta]:
    """All question tables from the archive. Raises SourceError or StoreError."""
    landing = Landing(settings.data)
    shots = landing.snapshots()
    if not shots:
        raise SourceError(f"{settings.data}/landing holds no dataset yet; fetch a source first (medexams refresh)")
    frames = unify(sources()[s.source].read(s, landing) for s in shots)
    return {name: store.write(name, frames[name]) for name in QUESTION_TABLES}


def build_baseline(store: Store, name: str) -> int:
    """The runs of one baseline on every dataset; answers how many predictions there are."""
    inputs = ("dataset", "question", "choice", "answer_key")
    missing = [t for t in inputs if not store.exists(t)]
    if missing:
        raise StoreError(f"{', '.join(missing)} has not been made; run the asset question first")
    run, prediction = baseline_runs(name, *(store.read(t) for t in inputs))
    part = f"baseline-{name}"
    store.write("run", run, inputs, part=part)
    return store.write("prediction", prediction, inputs, part=part).rows


def import_runs(settings: Settings, store: Store, progress: Progress = silent) -> importing.Summary:
    """Read what is new in the inbox (and the sample's own predictions, where the sample is in use)."""
    folders = [settings.inbox_folder]
    if store.read("dataset")["is_sample"].any():
        folders = [*sample.predictions(), *folders]
    return importing.read(store, folders, settings.limits, progress)
