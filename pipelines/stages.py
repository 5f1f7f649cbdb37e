"""The steps of a refresh as plain functions over settings and a store: the assets declare them, the CLI runs them.

Each reads tables (or the archive) and writes tables through the store. What a step computes lives in the module that it
calls; the order of the steps is the assets' business.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from pipelines import sample
from pipelines.archive.landing import Landing
from pipelines.archive.releases import Deviation, Releases, acceptance
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.ask.plan import prompt_rows
from pipelines.engines import Engine, Local
from pipelines.errors import SourceError, StoreError
from pipelines.export.content import questions
from pipelines.progress import Progress, silent
from pipelines.questions.acceptance import count_deviation, deviations
from pipelines.questions.item import Reading, sound
from pipelines.questions.unify import QUESTION_TABLES, unify
from pipelines.registry import sources
from pipelines.runs import importing
from pipelines.runs.baselines import baseline_runs
from pipelines.schema import TABLES
from pipelines.scoring.rulebook import states
from pipelines.settings import Settings
from pipelines.store.sqlfiles import check_tables
from pipelines.store.tables import Meta, Store, published_rows

log = logging.getLogger(__name__)


def open_store(settings: Settings) -> Store:
    return Store(
        settings.data,
        settings.warehouse,
        accept_shrink=settings.accept_shrink,
        shrink_share=settings.shrink_share,
        outside=lambda name: _archive_state(Landing(settings.data)) if name == ARCHIVE else states().get(name),
    )


PROMPT_INPUTS = ("dataset", "exam", "passage", "question", "choice", "answer_key", "question_image", "question_flag")
"""Tables that prompts are made from."""

ARCHIVE = "state of the archive"
"""What the question tables are made from, by its name among the inputs: the releases fetched, new ones included."""

MADE_FROM_RULES = {
    "question": ("rule_layout", "rule_adjusted"),
    "question_flag": ("rule_layout", "rule_adjusted"),
    "choice": ("rule_adjusted",),
    "answer_key": ("rule_adjusted",),
    "answer_key_change": ("rule_adjusted",),
}
"""Rule tables that question tables are made from: parts and points by the layout, keys and what counts as adjusted."""


def _archive_state(landing: Landing) -> str:
    shots = [*landing.snapshots(), *Releases(landing).candidates()]
    listed = "\n".join(sorted({f"{shot.source} {shot.release} {shot.sha256}" for shot in shots}))
    return hashlib.sha256(listed.encode()).hexdigest()[:16]


def fetch(settings: Settings, name: str, progress: Progress = silent) -> Snapshot | None:
    """Bring the newest release of one source into the archive, in quarantine. Raises SourceError.

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
    with _sample_served(settings) as served, Session(served, landing, source.card.redirects) as session:
        shot = source.fetch(served, session, landing, progress)
    for known in landing.snapshots(name):
        if (known.release, known.sha256) == (shot.release, shot.sha256):  # nothing new: it was fetched then, from there
            shot = replace(shot, fetched_at=known.fetched_at, origin=known.origin, sequence=known.sequence)
    Releases(landing).propose(shot)
    log.info("%s: release %s, %d files, from %s", name, shot.release, len(shot.files), shot.origin)
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
    """All question tables from the archive and what was fetched; they take their place together, or not at all.

    A candidate becomes a release here, once its tables were made and checked and it was compared with the published
    release. One that differs too much is refused, unless `accept_shrink` is set. Raises SourceError or StoreError.
    """
    landing = Landing(settings.data)
    releases = Releases(landing)
    candidates = releases.candidates()
    given = {(shot.source, shot.release) for shot in candidates}
    old = [shot for shot in landing.snapshots() if (shot.source, shot.release) not in given]
    if not old and not candidates:
        raise SourceError(f"{settings.data}/landing holds no dataset yet; fetch a source first (medexams refresh)")
    readings = [_read(shot, landing) for shot in old]
    new, accepted = _judge(settings, releases, candidates, readings)
    frames = unify([*readings, *new])
    frames["accepted_deviation"] = TABLES["accepted_deviation"].frame(accepted)
    with store.staged() as staged:
        try:
            metas = {
                name: staged.write(
                    name,
                    frames[name],
                    (ARCHIVE, *MADE_FROM_RULES.get(name, ()), *(["dataset"] if name != "dataset" else [])),
                )
                for name in QUESTION_TABLES
            }
            check_tables(staged, QUESTION_TABLES)
        except StoreError as fault:
            for shot in candidates:
                if shot.sequence == 0:
                    releases.refuse(shot, [Deviation("tables", str(fault))])
            raise
        releases.keep_accepted(accepted)
        for shot in candidates:
            releases.accept(shot)
        store.adopt(staged, QUESTION_TABLES)
    return metas


def _judge(
    settings: Settings, releases: Releases, candidates: list[Snapshot], old: list[Reading]
) -> tuple[list[Reading], list[dict[str, Any]]]:
    """Readings of the candidates, if each may be used, and all accepted deviations. Raises StoreError, SourceError."""
    accepted = releases.accepted()
    known = {(row["dataset_id"], row["check"]) for row in accepted}
    latest = published_rows(settings.warehouse, "select dataset_id from dataset where is_latest") or []
    readings, problems = [], []
    for shot in candidates:
        try:
            reading = _read(shot, releases.landing)
        except SourceError as fault:
            releases.refuse(shot, [Deviation("can_be_read", str(fault))])
            problems.append(str(fault))
            continue
        readings.append(reading)
        before = [r for r in old if (r.dataset.source, r.dataset.language) == (shot.source, reading.dataset.language)]
        published = [r for r in before if (r.dataset.dataset_id,) in latest] or before
        dataset_id = reading.dataset.dataset_id
        if shot.sequence:  # a release that was accepted before
            found = count_deviation(reading, settings.shrink_share)
        else:
            previous = published[-1] if published else None
            found = deviations(reading, previous, settings.shrink_share, settings.key_change_share)
        found = [d for d in found if (dataset_id, d.check) not in known]
        if settings.accept_shrink:
            accepted += [acceptance(dataset_id, d) for d in found]
        elif found:
            if not shot.sequence:
                releases.refuse(shot, found)
            problems.append(
                f"{'; '.join(d.says for d in found)}: this release was refused, and the next good one will be taken by "
                "itself; if it is right as it is, accept it with "
                f"`medexams refresh --only {reading.dataset.benchmark} --accept-shrink`"
            )
    if problems:
        raise StoreError("; ".join(problems))
    return readings, accepted


def _read(shot: Snapshot, landing: Landing) -> Reading:
    reading = sound(sources()[shot.source].read(shot, landing))
    log.info(
        "%s %s: %d questions, %d rows rejected", shot.source, shot.release, len(reading.items), len(reading.rejected)
    )
    return reading


def build_prompts(store: Store) -> Meta:
    """The table prompt: every question in each of its benchmark's ways of asking."""
    rows: list[dict[str, Any]] = []
    with store.connect() as con:
        for (dataset_id,) in con.execute("select dataset_id from dataset order by dataset_id").fetchall():
            rows += prompt_rows(questions(con, dataset_id))
    return store.write("prompt", TABLES["prompt"].frame(rows), PROMPT_INPUTS)


def note_refusals(settings: Settings, store: Store) -> Meta:
    """The table refused_release, from the archive's book."""
    rows = Releases(Landing(settings.data)).refused()
    return store.write("refused_release", TABLES["refused_release"].frame(rows))


def build_baseline(store: Store, name: str) -> int:
    """The runs of one baseline on every dataset; returns how many predictions there are."""
    inputs = ("dataset", "question", "choice", "answer_key")
    missing = [t for t in inputs if not store.exists(t)]
    if missing:
        raise StoreError(f"{', '.join(missing)} has not been made; run the asset question first")
    run, prediction = baseline_runs(name, *(store.read(t) for t in inputs))
    part = f"baseline-{name}"
    store.write("run", run, inputs, part=part)
    return store.write("prediction", prediction, inputs, part=part).rows


def import_runs(
    settings: Settings, store: Store, progress: Progress = silent, engine: Engine | None = None
) -> importing.Summary:
    """Read what is new in the inbox (and the sample's own predictions, where the sample is in use)."""
    folders = [settings.inbox_folder]
    if store.read("dataset")["is_sample"].any():
        folders = [*sample.predictions(), *folders]
    readings = partial((engine or Local()).read, store)
    return importing.read(store, folders, settings.limits, progress, readings)
