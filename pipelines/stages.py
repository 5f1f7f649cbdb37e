"""The steps of a refresh as plain functions over settings and a store: the assets declare them, the CLI runs them.

Each reads tables (or the archive) and writes tables through the store. What a step computes lives in the module that it
calls; the order of the steps is the assets' business.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
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
from pipelines.registry import SourceCard, folders, sources
from pipelines.runs import importing
from pipelines.runs.baselines import baseline_runs
from pipelines.schema import TABLES
from pipelines.scoring.rulebook import states
from pipelines.settings import Settings
from pipelines.store.code import code_of
from pipelines.store.sqlfiles import check_tables
from pipelines.store.tables import Meta, Store, published_rows

log = logging.getLogger(__name__)


def open_store(settings: Settings) -> Store:
    return Store(
        settings.data,
        settings.warehouse,
        accept_shrink=settings.accept_shrink,
        shrink_share=settings.shrink_share,
        outside=partial(_outside, Releases(Landing(settings.data))),
    )


PROMPT_INPUTS = ("dataset", "exam", "passage", "question", "choice", "answer_key", "question_image", "question_flag")
"""Tables that prompts are made from."""

ARCHIVE = "state of the archive"
"""What the question tables are made from, by its name among the inputs: the releases fetched, new ones included."""
REFUSALS = "book of refusals"
BASELINE_INPUTS = ("dataset", "question", "choice", "answer_key")

MADE_FROM_RULES = {
    "question": ("rule_layout", "rule_adjusted"),
    "question_flag": ("rule_layout", "rule_adjusted"),
    "choice": ("rule_adjusted",),
    "answer_key": ("rule_adjusted",),
    "answer_key_change": ("rule_adjusted",),
}
"""Rule tables that question tables are made from: parts and points by the layout, keys and what counts as adjusted."""


def _outside(releases: Releases, name: str) -> str | None:
    """The version of what tables are made from and is not a table."""
    if name == ARCHIVE:
        return releases.state()
    return releases.book() if name == REFUSALS else states().get(name)


def fetch(settings: Settings, name: str, progress: Progress = silent) -> Snapshot | None:
    """Bring the newest release of one source into the archive, in quarantine. Raises SourceError.

    None for a source that has no address of its own and was given none: it is skipped.
    """
    source = sources()[name]
    if settings.is_skipped(source.card):
        return None
    landing = Landing(settings.data)
    if why := mixed(settings, source.card, landing.snapshots()):
        raise SourceError(why)
    with _sample_served(settings) as served, Session(served, landing, source.card.redirects) as session:
        shot = source.fetch(served, session, landing, progress)
    for known in landing.snapshots(name):
        if (known.release, known.sha256) == (shot.release, shot.sha256):  # nothing new: it was fetched then, from there
            shot = replace(shot, fetched_at=known.fetched_at, origin=known.origin, sequence=known.sequence)
    Releases(landing).propose(shot)
    log.info("%s: release %s, %d files, from %s", name, shot.release, len(shot.files), shot.origin)
    return shot


def mixed(settings: Settings, source: SourceCard, shots: Iterable[Snapshot]) -> str:
    """Why a source can't be fetched beside `shots`: sample and real datasets stay apart. Empty when it can."""
    wanted = settings.is_sample(source)
    if all(shot.is_sample == wanted for shot in shots):
        return ""
    has, asked = ("real datasets", "the sample") if wanted else ("the sample", "real datasets")
    return f"{settings.data} holds {has}, and {asked} would stand beside them; use another folder for it (--data DIR)"


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


def question_inputs(name: str) -> tuple[str, ...]:
    """What a question table is made from, and with which dataset it fits."""
    return (ARCHIVE, *MADE_FROM_RULES.get(name, ()), *(["dataset"] if name != "dataset" else []))


def question_code() -> str:
    """The fingerprint of what makes the question tables: the engine's code and the benchmarks' folders."""
    return code_of("pipelines.questions.unify", "pipelines.questions.sound", folders=folders())


def questions_kept(store: Store) -> bool:
    """Whether the question tables on disk are those of the releases, rules and code as they are."""
    return all(store.kept(name, question_inputs(name), question_code()) for name in QUESTION_TABLES)


def build_questions(settings: Settings, store: Store) -> dict[str, Meta]:
    """All question tables from the archive and what was fetched; they take their place together, or not at all.

    A candidate becomes a release here, once its tables were made and checked and it was compared with the published
    release. One that differs too much is refused, unless `accept_shrink` is set. Raises SourceError or StoreError.
    """
    landing = Landing(settings.data)
    releases = Releases(landing)
    candidates = releases.candidates()
    if questions_kept(store):  # what was fetched is what its source gave last
        for shot in candidates:
            releases.accept(shot)
        return {name: meta for name in QUESTION_TABLES if (meta := store.meta(name))}
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
                    question_inputs(name),
                    code=question_code(),
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
    if meta := refusals_kept(store):
        return meta
    rows = Releases(Landing(settings.data)).refused()
    return store.write("refused_release", TABLES["refused_release"].frame(rows), (REFUSALS,), code=code_of(__name__))


def refusals_kept(store: Store) -> Meta | None:
    return store.kept("refused_release", (REFUSALS,), code_of(__name__))


def build_baseline(store: Store, name: str) -> int:
    """The runs of one baseline on every dataset; returns how many predictions there are."""
    missing = [t for t in BASELINE_INPUTS if not store.exists(t)]
    if missing:
        raise StoreError(f"{', '.join(missing)} has not been made; run the asset question first")
    if meta := baseline_kept(store, name):
        return meta.rows
    run, prediction = baseline_runs(name, *(store.read(t) for t in BASELINE_INPUTS))
    part, code = baseline_part(name), baseline_code()
    store.write("run", run, BASELINE_INPUTS, part=part, code=code)
    return store.write("prediction", prediction, BASELINE_INPUTS, part=part, code=code).rows


def baseline_part(name: str) -> str:
    return f"baseline-{name}"


def baseline_asset(name: str) -> str:
    """The name of a baseline's asset."""
    return baseline_part(name).replace("-", "_")


def baseline_code() -> str:
    return code_of(baseline_runs.__module__, folders=folders())


def baseline_kept(store: Store, name: str) -> Meta | None:
    """What is recorded of a baseline that need not be made again. Predictions are written last."""
    made = [store.kept(table, BASELINE_INPUTS, baseline_code(), baseline_part(name)) for table in ("run", "prediction")]
    return made[1] if all(made) else None


def import_runs(
    settings: Settings, store: Store, progress: Progress = silent, engine: Engine | None = None
) -> importing.Summary:
    """Read what is new in the inbox (and the sample's own predictions, where the sample is in use)."""
    folders = [settings.inbox_folder]
    if store.read("dataset")["is_sample"].any():
        folders = [*sample.predictions(), *folders]
    readings = partial((engine or Local()).read, store)
    return importing.read(store, folders, settings.limits, progress, readings)
