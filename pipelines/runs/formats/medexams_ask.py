"""The journal of `medexams ask`: the run's settings in the first line, then one line per answer (ask/journal.py).

Of several lines for one attempt the last counts: an error that was asked again. A last line without its end is still
being written and not read yet. Choices that were ranked without being shown make a second run, length-normalised.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.values import dict_of, ended_at_limit, int_of, text_of, texts_of, time_of
from pipelines.text import readers

NAME = "medexams_ask"


def sniff(look: Peek) -> Role | None:
    return "predictions" if look.shape in ("lines", "object") and look.has("medexams_ask", "model") else None


def group(look: Peek) -> str:
    """The journal itself: each is a run of its own."""
    return look.name


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    rows = readers.json_rows(file.data[: file.data.rfind(b"\n") + 1], file.limits)
    settings, *found = rows.records()
    last: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {}
    for i, row in enumerate(found, 1):
        question_id, attempt = text_of(row.get("question_id")), int_of(row.get("attempt"))
        if question_id is None or attempt is None:
            raise Unreadable("an answer names no question or attempt; ask again", rows.locator(i))
        last[question_id, attempt] = rows.locator(i), row
    header = _header(settings, [row for _, row in last.values()])
    plain = Fragment(header, [_prediction(where, row, "chosen") for where, row in last.values()])
    ranked = [(where, row) for where, row in last.values() if row.get("ranked")]
    if header.format != "cloze" or not ranked:
        return [plain]
    variant = "scored length-normalised (log-likelihood / characters)"
    normalised = [_prediction(where, row, "chosen_by_length") for where, row in last.values()]
    return [plain, Fragment(replace(header, variant=variant), normalised)]


def _header(said: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Header:
    prompt, request = dict_of(said.get("prompt")), dict_of(said.get("request"))
    sampling = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in request.items())
    words = (
        f"prompt {said.get('variant')}, version {prompt.get('version')} ({prompt.get('digest')}), "
        f"{prompt.get('source')}",
        sampling, f"asked at {said.get('base_url')}",
    )  # fmt: skip
    times = sorted(t for row in rows if (t := text_of(row.get("asked_at"))))
    return Header(
        "medexams ask", model=text_of(said.get("model")), format=text_of(said.get("form")) or "generated",
        version=text_of(said.get("medexams_ask")), modality=text_of(said.get("modality")) or "text",
        dataset=text_of(said.get("dataset")), created_at=time_of(times[0]) if times else None,
        description="; ".join(filter(None, words)),
    )  # fmt: skip


def _prediction(where: str, row: dict[str, Any], chosen: str) -> Prediction:
    ask = Ask(
        question_id=text_of(row.get("question_id")), choices=texts_of(row.get("choices")),
        labels=texts_of(row.get("labels")),
    )  # fmt: skip
    attempt = int_of(row.get("attempt"))
    if error := text_of(row.get("error")):
        return Prediction(where, ask, error=error, attempt=attempt)
    ranked, best = texts_of(row.get("ranked")), int_of(row.get(chosen))
    if ranked and best is not None:
        score = _at(row.get("scores"), best)
        evidence = f"highest log-likelihood of {len(ranked)}: {score}"
        return Prediction(where, ask, response=_at(ranked, best), chosen=best, evidence=evidence, attempt=attempt)
    return Prediction(
        where, ask, text_of(row.get("response")) or "", attempt=attempt, refused=row.get("refused") is True,
        cut_off=ended_at_limit(row.get("finish_reason")),
    )  # fmt: skip


def _at(values: Any, place: int) -> Any:
    """What stands at a place of a list; None where there is no such place, or no list."""
    return values[place] if isinstance(values, list | tuple) and 0 <= place < len(values) else None
