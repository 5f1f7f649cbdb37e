"""Responses to the columns of `prediction`, with the choices as the model was shown them.

pipelines/answers reads the text; what it finds is given back in the question's own order. No files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl

from pipelines import answers
from pipelines.runs.likeness import ABSTAIN
from pipelines.runs.matching import Match, Question
from pipelines.runs.parsed import Prediction
from pipelines.runs.shown import letters
from pipelines.runs.values import clean, short
from pipelines.scoring.rulebook import rulebook

_LETTERS = re.compile(r"\s*[A-Z](?:\s*[-,;/ ]\s*[A-Z])*\s*\.?\s*")
_MASK_BITS = 31  # prediction.selection is a signed 32-bit mask


def read_responses(asked: Sequence[tuple[Prediction, Match]]) -> list[dict[str, Any] | str]:
    """For each prediction the columns of its row that the response decides, or the reason why it can't be told."""
    rows: list[dict[str, Any] | str] = []
    texts: list[tuple[int, dict[str, Any], Question, _Shown]] = []
    cut_off: list[bool] = []
    for i, (p, match) in enumerate(asked):
        base: dict[str, Any] = dict.fromkeys(("selection", "labels", "value", "evidence"))
        base |= {
            "question_id": match.question.question_id,
            "response": clean(p.response) if p.response is not None else None,
        }
        if p.error is not None:
            rows.append({**base, "status": "error", "evidence": clean(short(p.error, 200))})
        elif p.refused:
            rows.append({**base, "status": "refused", "evidence": clean(short(p.response or "", 200))})
        elif p.chosen is not None:
            rows.append(_chosen(p, p.chosen, match, base))
        else:
            rows.append(base)
            texts.append((i, base, match.question, _as_shown(p, match)))
            cut_off.append(p.cut_off)
    if texts:
        readings = answers.read_frame(_asked(texts).with_columns(cut_off=pl.Series(cut_off, dtype=pl.Boolean)))
        for (i, base, q, s), said in zip(texts, readings.iter_rows(named=True), strict=True):
            rows[i] = _as_own(base, said, q, s)
    return rows


def _asked(texts: Sequence[tuple[int, dict[str, Any], Question, _Shown]]) -> pl.DataFrame:
    """What answers.read_frame takes, for each text; what many share (labels and choices) is built once."""
    kinds: dict[tuple[Any, ...], int] = {}
    at = [
        kinds.setdefault((q.answer_type, tuple(s.labels), tuple(s.choices), q.language), len(kinds))
        for _, _, q, s in texts
    ]
    schema: dict[str, Any] = {
        "answer_type": pl.String,
        "labels": pl.List(pl.String),
        "choices": pl.List(pl.String),
        "language": pl.String,
    }
    shared = pl.DataFrame(list(kinds), schema=schema, orient="row").select(pl.all().gather(at))
    return shared.with_columns(text=pl.Series([base["response"] for _, base, _, _ in texts], dtype=pl.String))


def _as_own(base: dict[str, Any], said: dict[str, Any], q: Question, shown: _Shown) -> dict[str, Any] | str:
    """A reading in the question's own order of choices."""
    row = {**base, "status": said["status"], "value": said["value"], "evidence": said["evidence"]}
    if said["status"] == "unparsed" and (beyond := _not_offered(base["response"], q, shown)):
        return row | beyond
    mask = said["selection"]
    if q.answer_type == "sequence" and said["labels"]:
        return _sequence(row, said["labels"].split("-"), q, shown)
    if mask is None:
        return row
    if shown.order is None:
        return {**row, **_selection(q, [i for i in range(mask.bit_length()) if mask >> i & 1])}
    picked = [shown.order[i] for i in range(mask.bit_length()) if mask >> i & 1]
    if None in picked:
        return "the answer names a choice that is not one of the question's"
    real = [i for i in picked if i is not None and i != ABSTAIN]
    if not real:
        return {**row, "status": "abstained", "value": None}
    if len(real) < len(picked):
        return {**row, "status": "ambiguous", "value": None}
    return {**row, **_selection(q, real)}


def _not_offered(response: str | None, q: Question, shown: _Shown) -> dict[str, Any] | None:
    """A list of letters of which the question offers some or none: the others are wrong choices where the rule deducts.

    Their bits stand beyond those of the question's choices. None for any other response, and under any other rule.
    """
    if q.answer_type != "multiple" or shown.order is not None or not _deducts(q.benchmark):
        return None
    if not _LETTERS.fullmatch(response or "") or q.labels != letters(len(q.labels)):
        return None
    positions = sorted({ord(letter) - ord("A") for letter in re.findall("[A-Z]", response or "")})
    return {
        "status": "answered",
        "selection": sum(1 << p for p in positions),
        "labels": "-".join(chr(ord("A") + p) for p in positions),
        "evidence": clean(response or ""),
    }


@cache
def _deducts(benchmark: str) -> bool:
    """Whether the benchmark's own rule takes points off for each wrong choice."""
    return any(r.each_wrong < 0 for r in rulebook().items if (r.benchmark, r.ruleset) == (benchmark, "official"))


def _sequence(row: dict[str, Any], given: Sequence[str], q: Question, shown: _Shown) -> dict[str, Any] | str:
    """A reading whose order counts, by the question's own labels."""
    if shown.order is None:
        return {**row, "labels": "-".join(given)}
    places = zip(shown.labels, shown.order, strict=True)
    own = {label: q.labels[at] for label, at in places if at is not None and at != ABSTAIN}
    if not own.keys() >= set(given):
        return "the answer names a choice that is not one of the question's"
    again = answers.read("-".join(own[label] for label in given), "sequence", q.labels, q.choices, q.language)
    return {**row, "value": again.value, "labels": "-".join(again.labels) or None}


def _chosen(p: Prediction, chosen: int, match: Match, base: dict[str, Any]) -> dict[str, Any] | str:
    """A choice that a tool ranked first: no text to read."""
    q = match.question
    order = match.order if match.order is not None else tuple(range(len(q.choices)))
    position = order[chosen] if 0 <= chosen < len(order) else None
    if position is None:
        return f"choice {chosen + 1}, which the tool ranked first, is not one of the question's"
    evidence = clean(p.evidence or "")
    if position == ABSTAIN:
        return {**base, "status": "abstained", "evidence": evidence}
    return {**base, "status": "answered", "evidence": evidence, **_selection(q, [position])}


def _selection(q: Question, positions: Iterable[int]) -> dict[str, Any]:
    chosen = sorted(set(positions))
    mask = sum(1 << p for p in chosen) if all(p < _MASK_BITS for p in chosen) else None
    return {"selection": mask, "labels": "-".join(q.labels[p] for p in chosen)}


@dataclass(frozen=True, slots=True)
class _Shown:
    """Choices as the model saw them, and the place of each in the question (order None: they are its own)."""

    labels: Sequence[str]
    choices: Sequence[str]
    order: Sequence[int | None] | None = None


def _as_shown(p: Prediction, match: Match) -> _Shown:
    q = match.question
    if match.order is None or match.order == tuple(range(len(q.choices))):
        return _Shown(q.labels, q.choices)
    choices, labels = (tuple(map(clean, texts)) for texts in (p.ask.choices, p.ask.labels))
    if len(labels) != len(choices):
        labels = (*q.labels, *letters(len(choices))[len(q.labels) :])[: len(choices)]
    return _Shown(labels, choices, match.order)
