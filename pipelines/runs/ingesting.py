"""One group of files to rows: its format's fragments to runs, their predictions matched, their responses read.

    read(group, questions, at)     pure, never raises on any bytes
    cache_key(group, questions)    equal as long as `read` would give the same rows

Files of one model, format and card that answer different questions are one run, however many they are. Where two of
them answer the same question, the second one is another run; and none, with a row that says so, where the files are the
same to the byte. Rows of a file that are repeated word for word are one prediction.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines import answers
from pipelines.errors import Unreadable
from pipelines.registry import folders
from pipelines.runs import formats as formats_package
from pipelines.runs.formats import card, formats
from pipelines.runs.formats.card import Card
from pipelines.runs.imported import NOTHING_NEW, Imported, rejecting
from pipelines.runs.matching import Match, Matched, QuestionIndex
from pipelines.runs.parsed import File, Fragment, Header, Prediction
from pipelines.runs.planning import Entry, Group
from pipelines.runs.responses import read_responses
from pipelines.runs.values import clean, model_slug
from pipelines.store.code import code_of

READER_VERSION = 6
"""Raised with each change that may read or match a file differently: what people see of it (run.reader)."""


def cache_key(group: Group, questions: QuestionIndex) -> str:
    """Hex digest that is equal as long as `read` gives the same rows: files, names, card, readers, questions."""
    said = (
        reading_code(), questions.digest, group.format, repr(group.card),
        *((e.name, e.sha256) for e in (*group.files, *group.helpers)),
    )  # fmt: skip
    return hashlib.sha256(repr(said).encode()).hexdigest()


def reading_code() -> str:
    """The fingerprint of everything that reads files and responses; formats and languages are loaded by name."""
    loaded = (Path(p) for package in (formats_package, answers) for p in package.__path__)
    return code_of(__name__, folders=(*loaded, *folders()))


def read(group: Group, questions: QuestionIndex, read_at: datetime) -> Imported:
    """The rows of one group. `read_at` (naive UTC) stands in where the files do not say when the run was made."""
    out = Imported()
    helpers: list[File] = []
    for entry in group.helpers:
        with rejecting(out, entry.name, group.format):
            helpers.append(entry.file())
    runs: dict[str, list[Fragment]] = defaultdict(list)
    for entry in group.files:
        for fragment in _fragments(entry, group, helpers, out):
            fragment.file, fragment.session = entry.name, fragment.session or entry.name
            fragment.header = group.card.onto(fragment.header) if group.card else fragment.header
            if not fragment.header.model:
                out.reject(
                    entry.name,
                    "the file does not say which model answered; add a column model, a card.toml or --model",
                    format=group.format,
                )
            elif fragment.predictions:
                h = fragment.header
                dataset = h.dataset if h.model_in_rows else ""
                runs[repr((h.model, h.format, h.variant, h.modality, dataset))].append(fragment)
    for fragments in runs.values():
        rows = _Runs(group, questions, read_at, {r["run_id"] for r in out.run})
        with rejecting(out, fragments[0].file, group.format):  # a defect here must not cost the other runs
            rows.add(fragments)
            out.add(rows.out)
    return out


def _fragments(entry: Entry, group: Group, helpers: Sequence[File], out: Imported) -> list[Fragment]:
    """A file's fragments; none, and a row of rejected_file, when it can't be read."""
    with rejecting(out, entry.name, group.format):
        fragments = formats()[group.format].read(entry.file(), helpers)
        if any(f.predictions for f in fragments):
            return fragments
        raise Unreadable("the file holds no predictions; write it again")
    return []


@dataclass
class _Runs:
    """The runs that fragments of one identity make: one for each dataset, more where files answer the same again."""

    group: Group
    questions: QuestionIndex
    read_at: datetime
    taken: set[str]
    out: Imported = field(default_factory=Imported)

    def add(self, fragments: Sequence[Fragment]) -> None:
        header = fragments[0].header
        predictions = [p for f in fragments for p in f.predictions]
        files = [f.file for f in fragments for _ in f.predictions]
        sessions = [f.session for f in fragments for _ in f.predictions]
        firm = bool(self.group.card and self.group.card.dataset)
        for matched in self.questions.match(predictions, header.dataset, firm=firm):
            seen: dict[str, str] = {}
            for places in _apart(sessions, matched):
                names = list(dict.fromkeys(files[i] for i in places))
                sha = self.group.sha256(names)
                if first := seen.get(sha):
                    for name in names:
                        self.out.reject(
                            name, f"{NOTHING_NEW}the file equals {first} to the byte", None, self.group.format
                        )
                    continue
                seen[sha] = names[0]
                self._add_run(
                    header, [(files[i], predictions[i], matched.results[i]) for i in places], matched, names, sha
                )

    def _add_run(
        self,
        header: Header,
        given: Sequence[tuple[str, Prediction, Match | str]],
        matched: Matched,
        names: Sequence[str],
        sha: str,
    ) -> None:
        run_id = matched.dataset_id and self._run_id(header, matched.dataset_id, sha)
        given, repeated = _once(given)
        read = iter(read_responses([(p, result) for _, p, result in given if isinstance(result, Match)]))
        rows: list[dict[str, Any]] = []
        taken: set[tuple[str, int]] = set()
        for name, p, result in given:
            row = next(read) if isinstance(result, Match) else result
            if isinstance(row, dict):
                attempt = p.attempt or 1
                while (row["question_id"], attempt) in taken:
                    attempt += 1
                taken.add((row["question_id"], attempt))
                place = {"file": clean(name), "locator": clean(p.locator)}
                rows.append({"run_id": run_id, "attempt": attempt, **place, **row})
            elif row:  # a prediction that another dataset's run holds has an empty reason here
                where = f"{name}: {p.locator}" if len(names) > 1 else p.locator
                self.out.unmatched_prediction.append(
                    {"run_id": run_id or clean(name), "locator": clean(where), "reason": clean(row)}
                )
        if rows and run_id and matched.dataset_id:
            notes = (matched.note, f"left out: rows repeated word for word ({repeated})" if repeated else None)
            self.out.run.append(self._run(header, run_id, matched.dataset_id, names, sha, notes))
            self.out.prediction.extend(rows)

    def _run(
        self, header: Header, run_id: str, dataset_id: str, names: Sequence[str], sha: str, notes: Sequence[str | None]
    ) -> dict[str, Any]:
        dataset = self.questions.datasets[dataset_id]
        said = [header.description, header.variant or None, *notes]
        return {
            "run_id": run_id, "model": clean(header.model or ""), "vendor": header.vendor and clean(header.vendor),
            "description": clean("; ".join(s for s in said if s)) or None, "dataset_id": dataset_id,
            "use_case": header.use_case and clean(header.use_case),
            "modality": _one_of(header.modality, card.MODALITIES),
            "format": header.format if header.format in card.FORMS else "generated", "harness": header.harness,
            "harness_version": header.version and clean(header.version), "language": dataset["language"],
            "created_at": header.created_at or self.read_at, "files": clean("\n".join(names)), "sha256": sha,
            "kind": _one_of(header.kind, card.KINDS), "is_sample": bool(dataset["is_sample"]),
            "reader": f"{READER_VERSION}.{answers.READER_VERSION}",
        }  # fmt: skip

    def _run_id(self, header: Header, dataset_id: str, sha: str) -> str:
        """model/dataset/short hash of the files; another variant in the same files hashes that in too."""
        while (run_id := f"{model_slug(header.model or '')}/{dataset_id.replace('/', '-')}/{sha[:8]}") in self.taken:
            sha = hashlib.sha256(f"{sha} {header.format} {header.variant} {header.modality}".encode()).hexdigest()
        self.taken.add(run_id)
        return run_id


def _apart(sessions: Sequence[str], matched: Matched) -> list[list[int]]:
    """Indices of predictions by run: a session that answers a question of an earlier one starts another run."""
    by_session: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(sessions):
        by_session[name].append(i)
    runs: list[tuple[set[str], list[int]]] = []
    for places in by_session.values():
        asked = {r.question.question_id for i in places if isinstance(r := matched.results[i], Match)}
        home = next((run for run in runs if not run[0] & asked), None)
        if home is None:
            runs.append((asked, list(places)))
        else:
            home[0].update(asked)
            home[1].extend(places)
    return [places for _, places in runs]


def _once(
    given: Sequence[tuple[str, Prediction, Match | str]],
) -> tuple[list[tuple[str, Prediction, Match | str]], int]:
    """The predictions without those that say the same again of the same question, and how many these were."""
    kept, seen = [], set()
    for name, p, result in given:
        if isinstance(result, Match):
            said = (result.question.question_id, p.attempt, p.response, p.chosen, p.error, result.order)
            if said in seen:
                continue
            seen.add(said)
        kept.append((name, p, result))
    return kept, len(given) - len(kept)


def _one_of(value: str, allowed: Sequence[str]) -> str:
    return value.casefold() if value.casefold() in allowed else allowed[0]


def known_card(group: Group) -> Card:
    """What the files of a group say of themselves, for a card that a person fills in. Raises Unreadable."""
    helpers = [entry.file() for entry in group.helpers]
    header = formats()[group.format].read(group.files[0].file(), helpers)[0].header
    own = Card(model=header.model, vendor=header.vendor, dataset=header.dataset, kind=header.kind,
               format=header.format, modality=header.modality, language=header.language)  # fmt: skip
    return group.card.over(own) if group.card else own
