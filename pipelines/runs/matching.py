"""Which question of the warehouse a prediction answers, and which of its choices the model was shown where.

QuestionIndex is built from the tables question, choice, dataset and exam. `match` judges all predictions of a run at
once, because a run belongs to one dataset: the one that most of its questions are found in. What a file says of a
question is weighed in this order: the warehouse's own question_id; exam, paper and number; the text, with the choices;
the source's id within the dataset (where the text, if there is one, does not contradict it); the place in the file,
only when the file names nothing else and the counts agree. No reading of files and no reading of answers.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

import polars as pl

from pipelines.questions.identity import fingerprint
from pipelines.runs.likeness import ABSTAIN, align, alike, declines, plain, squeeze, trivial
from pipelines.runs.parsed import Ask, Prediction
from pipelines.runs.shown import SEARCHED
from pipelines.runs.values import short
from pipelines.text.mojibake import repair

_SHINGLE = 6  # squeezed characters by which a stem is looked up in a prompt


@dataclass(slots=True, eq=False)
class Question:
    """A question as matching needs it."""

    question_id: str
    dataset_id: str
    benchmark: str
    source_key: str
    language: str
    stem: str
    answer_type: str
    fingerprint: str
    labels: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    exam: tuple[str, int, str | None, int | None] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A question found. `order` maps each choice shown to its position (or ABSTAIN; None: not one of this question's);
    it is None where the file shows no choices, so that letters are the question's own."""

    question: Question
    via: str
    order: tuple[int | None, ...] | None = None


@dataclass
class Matched:
    """The outcome for a run: its dataset (None: nothing fits), a Match or a reason for each prediction, and a note."""

    dataset_id: str | None
    results: list[Match | str]
    note: str | None = None


@dataclass
class QuestionIndex:
    """The questions of the warehouse by all that a file may know of them. Build it once, use it for many runs."""

    questions: list[Question]
    datasets: dict[str, dict[str, Any]]
    by_id: dict[str, Question] = field(default_factory=dict)
    by_key: dict[tuple[str, str], Question] = field(default_factory=dict)
    by_exam: dict[tuple[str, int, str | None, int], list[Question]] = field(default_factory=lambda: defaultdict(list))
    by_fingerprint: dict[str, list[Question]] = field(default_factory=lambda: defaultdict(list))
    by_paper: dict[tuple[str, int, str | None], dict[str, list[Question]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    of_dataset: dict[str, list[Question]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def build(
        cls, question: pl.DataFrame, choice: pl.DataFrame, dataset: pl.DataFrame, exam: pl.DataFrame
    ) -> QuestionIndex:
        """From the frames of those tables; of `exam`, exam_id, profession and year are used."""
        exams = {e["exam_id"]: (e["profession"], e["year"]) for e in exam.iter_rows(named=True)}
        shown: dict[str, tuple[list[str], list[str]]] = {}
        in_order = choice.sort("question_id", "position").select("question_id", "label", "text")
        for qid, label, text in in_order.iter_rows():
            labels, texts = shown.setdefault(qid, ([], []))
            labels.append(label)
            texts.append(text)
        questions = []
        for q in question.iter_rows(named=True):
            labels, texts = shown.get(q["question_id"], ([], []))
            sitting = exams.get(q["exam_id"])
            questions.append(
                Question(
                    q["question_id"], q["dataset_id"], q["benchmark"], q["source_key"], q["language"], q["stem"],
                    q["answer_type"], q["fingerprint"], tuple(labels), tuple(texts),
                    (*sitting, q["paper"], q["number"]) if sitting else None,
                )
            )  # fmt: skip
        return cls(questions, {d["dataset_id"]: d for d in dataset.iter_rows(named=True)})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was built from."""
        return type(self), (self.questions, self.datasets)

    def __post_init__(self) -> None:
        for q in self.questions:
            self.by_id[q.question_id] = q
            self.by_key[q.dataset_id, q.source_key] = q
            self.by_fingerprint[q.fingerprint].append(q)
            self.of_dataset[q.dataset_id].append(q)
            profession, year, paper, number = q.exam or ("", 0, None, None)
            if number is not None:
                for p in {paper and paper.upper(), None}:
                    self.by_exam[profession, year, p, number].append(q)
                self.by_paper[profession, year, paper and paper.upper()][q.dataset_id].append(q)
        for sittings in self.by_paper.values():
            for questions in sittings.values():
                questions.sort(key=lambda q: (q.exam and q.exam[3]) or 0)

    @cached_property
    def digest(self) -> str:
        """Changes whenever a prediction could be matched otherwise; part of the cache key of a reading."""
        sha = hashlib.sha256()
        for q in self.questions:
            known = (q.question_id, q.fingerprint, q.stem, q.answer_type, q.labels, q.choices, q.exam)
            sha.update(repr(known).encode())
        sha.update(repr(sorted((k, d.get("is_latest"), d.get("is_sample")) for k, d in self.datasets.items())).encode())
        return sha.hexdigest()

    @cached_property
    def _exams(self) -> set[tuple[str, int]]:
        return {q.exam[:2] for q in self.questions if q.exam}

    @cached_property
    def by_stem(self) -> dict[str, list[Question]]:
        found: dict[str, list[Question]] = defaultdict(list)
        for q in self.questions:
            found[squeeze(q.stem)].append(q)
        return found

    @cached_property
    def _by_whole(self) -> dict[str, list[Question]]:
        """Stem and choices with their labels as one text: releases write a question so."""
        found: dict[str, list[Question]] = defaultdict(list)
        for q in self.questions:
            shown = (label + text for label, text in zip(q.labels, q.choices, strict=True) if text)
            if q.choices:
                found[squeeze(q.stem) + "".join(map(squeeze, shown))].append(q)
        return found

    @cached_property
    def _shingles(self) -> dict[str, list[str]]:
        """The first squeezed characters of a stem to the stems that begin so, the longest first."""
        found: dict[str, list[str]] = defaultdict(list)
        for stem in self.by_stem:
            if len(stem) >= _SHINGLE:
                found[stem[:_SHINGLE]].append(stem)
        for stems in found.values():
            stems.sort(key=len, reverse=True)
        return found

    def datasets_named(self, hint: str | None) -> list[str]:
        """The datasets that a word means: a dataset_id, a benchmark, or either in another spelling; empty when none."""
        word = squeeze(hint or "")
        if not word:
            return []
        benchmark = {d: d.partition("/")[0] for d in self.datasets}
        return (
            [d for d in benchmark if hint == d or word == squeeze(d)]
            or [d for d in benchmark if word == squeeze(benchmark[d])]
            or [d for d in benchmark if _same_benchmark(word, benchmark[d])]
        )

    # ---- one prediction ------------------------------------------------------------------------------------------

    def find(self, ask: Ask, datasets: Sequence[str]) -> tuple[list[Match], str]:
        """Every question that `ask` may mean, in any dataset, and the reason where there is none.

        `datasets` are those that source ids may be looked up in (the ones the file or the card names).
        """
        if sum(map(len, ask.choices)) > SEARCHED:
            return [], "the choices shown are too long to be those of a question"
        keys = [k for k in (ask.question_id, ask.source_key) if k]
        for key in keys:
            if q := self.by_id.get(key):
                return self._ordered([q], ask, "question_id", least=1)
        if ask.profession and ask.year and (ask.number is not None or ask.of_paper):
            return self._by_exam(ask)
        found, why = self._by_text(ask)
        by_key, doubt = self._by_key(keys, ask, datasets, {m.question.dataset_id for m in found})
        found = [*found, *by_key]
        return found, "" if found else doubt or why or "the file does not say which question this answers"

    def _by_key(
        self, keys: Sequence[str], ask: Ask, datasets: Sequence[str], seen: Set[str]
    ) -> tuple[list[Match], str]:
        """Questions with one of the source's ids, in datasets not `seen`, where text and choices bear it out."""
        full = next((k for k in keys if k.count("/") > 1), None)
        if full:
            return [], self._no_such_id(full)
        said = ask.prompt if ask.prompt is not None else ask.stem
        if not keys:
            return [], ""
        if said is None and not datasets:
            return [], (
                f"the file does not say which dataset question {keys[0]!r} is of; give the full question_id, "
                "a card.toml or --dataset"
            )
        if said is not None and trivial(said) and trivial(ask.stem or ""):
            return [], f"the question's text says nothing ({short(said, 20)!r}), and an id alone is not evidence"
        open_ = [d for d in datasets or self.datasets if d not in seen]
        named = [q for d in open_ for k in keys if (q := self.by_key.get((d, k)))]
        close = [q for q in named if said is None or alike(q.stem, said) or (ask.stem and alike(q.stem, ask.stem))]
        found, why = self._ordered(close, ask, "source_key", least=0.5)
        if named and not close and datasets:
            q = named[0]
            why = f"question {q.source_key} of {q.dataset_id} has another text than the file's ({short(said, 60)!r})"
        if not named and datasets:
            near = self._nearest(keys[0], datasets[0])
            why = f"no question of {', '.join(datasets)} has the id {keys[0]!r}{near}"
        return found, why

    def _no_such_id(self, full: str) -> str:
        """Why a whole question_id means nothing: its dataset is not held, or has no such question."""
        dataset = next((d for d in self.datasets if full.startswith(f"{d}/")), None)
        if dataset is None:
            asked = "/".join(full.split("/")[:2])
            held = ", ".join(sorted(self.datasets)) or "none"
            return f"the dataset {asked} is not in the warehouse, which holds: {held}"
        near = self._nearest(full.removeprefix(f"{dataset}/"), dataset)
        return f"{dataset} has no question {full!r}{near}"

    def _nearest(self, key: str, dataset: str) -> str:
        """Words that name the question_id next to `key` in the dataset, numbers taken as numbers; empty without one."""
        ordered = self._keys_in_order.get(dataset, [])
        at = bisect(ordered, (_natural(key), ""))
        near = [own for _, own in ordered[max(at - 1, 0) : at + 1]]
        best = max(near, key=lambda own: SequenceMatcher(None, own, key).ratio(), default=None)
        return f"; the nearest is {dataset}/{best}" if best else ""

    @cached_property
    def _keys_in_order(self) -> dict[str, list[tuple[tuple[Any, ...], str]]]:
        return {d: sorted((_natural(q.source_key), q.source_key) for q in qs) for d, qs in self.of_dataset.items()}

    def _by_exam(self, ask: Ask) -> tuple[list[Match], str]:
        """By exam, paper and number; by the place in the paper where the file answers as many questions as it has."""
        profession, year = ask.profession or "", ask.year or 0
        paper = " ".join(str(part) for part in (profession, year, ask.paper) if part)
        if (profession, year) not in self._exams:
            return [], f"the warehouse does not hold the exam {paper}"
        if ask.number is None:
            sittings = self.by_paper.get((profession, year, ask.paper), {})
            found = [qs[ask.position or 0] for qs in sittings.values() if len(qs) == ask.of_paper]
            sizes = ", ".join(str(len(qs)) for qs in sittings.values()) or "no"
            why = f"the file numbers no question and has {ask.of_paper} answers, where {paper} has {sizes} questions"
            return self._ordered(found, ask, "position", least=0) if found else ([], why)
        found = self.by_exam.get((profession, year, ask.paper, ask.number), [])
        # Without a paper the number must be the exam's only one (it may run through all papers).
        if found and (ask.paper or len(found) == len({q.dataset_id for q in found})):
            return self._ordered(found, ask, "exam", least=0)
        return [], f"{paper} has {'several questions' if found else 'no question'} {ask.number}"

    def _by_text(self, ask: Ask) -> tuple[list[Match], str]:
        if not ask.stem and not ask.prompt:
            return [], ""
        shown = [c for c in ask.choices if not declines(c)]
        if ask.stem and shown and len(ask.stem) <= SEARCHED:
            same = self.by_fingerprint.get(fingerprint(plain(ask.stem), map(plain, shown)), [])
            if same:
                return self._ordered(same, ask, "text", least=0.5)
        why = ""
        # Files carry the released text with its faults; the warehouse holds it mended.
        for text in dict.fromkeys(repair(t[-SEARCHED:])[0] for t in (ask.stem, ask.prompt) if t):
            if whole := self._by_whole.get(squeeze(text)):
                return [Match(q, "text") for q in whole], ""
            for same, tail in self._in_text(text):
                found, other = self._ordered(same, ask, "text", least=0.5)
                why = why or other
                if tail and not ask.choices and len(found) > 1:
                    found = _shown_in(found, tail)
                if found:
                    return found, ""
        return [], why or f"no question of the warehouse has this text: {short(ask.stem or ask.prompt, 60)!r}"

    def _in_text(self, text: str) -> Iterator[tuple[list[Question], str]]:
        """Questions with a stem that is the text, or stands in it (the last first), and what follows the stem.

        Of stems that overlap, only the longest counts. A very short stem must be a line of its own.
        """
        text = text[-SEARCHED:]
        flat = squeeze(text)
        if flat in self.by_stem:
            yield self.by_stem[flat], ""
        spans: list[tuple[int, int]] = []
        for i in range(len(flat) - _SHINGLE + 1):
            stem = next((s for s in self._shingles.get(flat[i : i + _SHINGLE], ()) if flat.startswith(s, i)), "")
            if stem and (not spans or i + len(stem) > spans[-1][1]):
                if spans and i < spans[-1][1] and len(stem) > spans[-1][1] - spans[-1][0]:
                    spans.pop()
                elif spans and i < spans[-1][1]:
                    continue
                spans.append((i, i + len(stem)))
        for start, end in reversed(spans):
            if end - start < len(flat):
                yield self.by_stem[flat[start:end]], flat[end:]
        for line in reversed(text.splitlines()):
            for part in dict.fromkeys((line, re.sub(r"^[^:：]{0,30}[:：]", "", line))):
                key = squeeze(part)
                if 0 < len(key) < _SHINGLE and key in self.by_stem:
                    yield self.by_stem[key], flat.rpartition(key)[2]

    def _ordered(self, questions: Iterable[Question], ask: Ask, via: str, *, least: float) -> tuple[list[Match], str]:
        """Matches with the order of the choices shown. Of those, at least `least` (a share, or 1: one of them) must be
        the question's own; else it is another question, or letters would mean nothing."""
        matches, why = [], ""
        for q in questions:
            if not ask.choices or not q.choices:
                matches.append(Match(q, via))
                continue
            order = align(ask.choices, q.choices)
            hits = sum(1 for p in order if p is not None and p != ABSTAIN)
            if 2 * len([c for c in q.choices if squeeze(c) not in ("", "image")]) < len(q.choices):
                # Choices that are images can't be compared; in the same number they stand in the same order.
                matches.append(Match(q, via))
                continue
            if hits < (least if least == 1 else least * len(q.choices)):
                said = "has this text" if via == "text" else "has this id"
                why = f"a question {said}, but other choices ({q.question_id})"
                continue
            in_place = len(order) == len(q.choices) and all(p in (None, i) for i, p in enumerate(order))
            # What differs in the wording of a choice alone is still the choice in its place.
            matches.append(Match(q, via, None if in_place or not hits else tuple(order)))
        return matches, why

    # ---- a run ---------------------------------------------------------------------------------------------------

    def match(self, predictions: Sequence[Prediction], hint: str | None = None, *, firm: bool = False) -> list[Matched]:
        """Match all predictions of one run; one Matched for each dataset that it turns out to answer (mostly one).

        `hint` is what the file or a person calls the dataset; `firm`: a person said so, and no other will do. Each list
        of results is as long as `predictions`; what belongs to no dataset has its reason in the first Matched.
        """
        named = self.datasets_named(hint)
        if firm and hint and not named:
            known = ", ".join(sorted(self.datasets)) or "none"
            why = f"the dataset {hint!r} is not in the warehouse, which holds: {known}"
            return [Matched(None, [why] * len(predictions))]
        candidates: list[list[Match]] = []
        reasons: list[str] = []
        for p in predictions:
            found, why = self.find(p.ask, named)
            allowed = [m for m in found if m.question.dataset_id in named] if firm and named else found
            if found and not allowed:
                why = f"the question belongs to {found[0].question.dataset_id}, not to {', '.join(named)}"
            candidates.append(allowed)
            reasons.append(why)
        if not any(candidates):
            placed = self._by_position(predictions, named)
            return [placed] if placed else [Matched(None, list(reasons))]
        results: list[Matched] = []
        open_ = set(range(len(predictions)))
        taken: set[str] = set()
        while dataset_id := self._vote(
            [candidates[i] for i in open_], [predictions[i].ask for i in open_], named, taken
        ):
            done: list[Match | str] = [""] * len(reasons) if results else list(reasons)
            used: Counter[str] = Counter()
            for i in sorted(open_):
                here = [m for m in candidates[i] if m.question.dataset_id == dataset_id]
                if here:
                    best = min(here, key=lambda m: (not _same_key(m, predictions[i].ask), used[m.question.question_id]))
                    used[best.question.question_id] += 1
                    done[i] = best
            open_ -= {i for i, d in enumerate(done) if isinstance(d, Match)}
            results.append(Matched(dataset_id, done))
            benchmark = dataset_id.partition("/")[0]
            # What is left in other releases of the same benchmark was not part of this run, unless it says so itself.
            explicit = {m.question.dataset_id for i in open_ for m in candidates[i] if m.via == "question_id"}
            siblings = {d for d in self.datasets if d.partition("/")[0] == benchmark}
            taken |= {dataset_id} | (siblings - explicit)
        first = results[0]
        for i in open_:
            if candidates[i]:
                other = candidates[i][0].question.dataset_id
                first.results[i] = f"the question stands in {other}, but the run answers {first.dataset_id}"
        return results

    def _vote(
        self, candidates: Sequence[Sequence[Match]], asks: Sequence[Ask], named: Sequence[str], taken: set[str]
    ) -> str | None:
        """The dataset that most predictions fit; ids and the order of choices that agree decide between releases."""
        votes: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for found, ask in zip(candidates, asks, strict=True):
            best: dict[str, list[int]] = {}
            for m in found:
                own = [p for p in m.order or () if p is not None and p != ABSTAIN]
                score = [1, int(_same_key(m, ask)), int(bool(own) and own == sorted(own))]
                d = m.question.dataset_id
                best[d] = max(best.get(d, score), score)
            for d, score in best.items():
                votes[d] = [a + b for a, b in zip(votes[d], score, strict=True)]
        open_ = [d for d in votes if d not in taken]
        latest = {d: bool(self.datasets.get(d, {}).get("is_latest")) for d in open_}
        return max(open_, key=lambda d: (d in named, *votes[d], latest[d], d), default=None)

    def _by_position(self, predictions: Sequence[Prediction], named: Sequence[str]) -> Matched | None:
        """By place in the file, when it names nothing else, one dataset is meant, and the counts agree."""
        asks = [p.ask for p in predictions]
        if any(a.stem or a.prompt or a.question_id or a.source_key or a.profession or a.position is None for a in asks):
            return None
        places = sorted({a.position for a in asks if a.position is not None})
        fitting = [d for d in named if len(self.of_dataset[d]) == len(places)]
        if len(fitting) != 1 or places != list(range(len(places))):
            return None
        questions = self.of_dataset[fitting[0]]
        results: list[Match | str] = [Match(questions[a.position or 0], "position") for a in asks]
        note = f"matched by position: the file names no question and has as many answers as {fitting[0]}: {len(places)}"
        return Matched(fitting[0], results, note)


def _shown_in(matches: list[Match], tail: str) -> list[Match]:
    """Of several questions with one stem, those whose choices stand in the text after it."""
    fitting = [m for m in matches if all(squeeze(c) in tail for c in m.question.choices)]
    return fitting or (matches if len({m.question.fingerprint for m in matches}) == 1 else [])


def _same_key(match: Match, ask: Ask) -> bool:
    q = match.question
    return q.source_key in (ask.source_key, ask.question_id) or q.question_id == ask.question_id


def _same_benchmark(word: str, benchmark: str) -> bool:
    """Whether a word is the beginning of a benchmark's name, or the name that of the word."""
    name = squeeze(benchmark)
    return len(word) >= 5 and (name.startswith(word) or word.startswith(name))


def _natural(key: str) -> tuple[Any, ...]:
    """A key for sorting in which numbers count as numbers."""
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.split(r"(\d{1,12})", key))
