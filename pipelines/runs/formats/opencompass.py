"""OpenCompass predictions: outputs/…/time/predictions/model/dataset.json, one object of "0", "1" …, or lines.

Lines have an idx (OpenCompass) or an id, success and data_abbr (AISBench, which took the layout over).

Layout of OpenCompass 0.2 to 0.5: the generating inferencer writes origin_prompt and prediction; the PPL inferencer one
'label: X' with a perplexity for each choice, of which the lowest is the prediction; the CLP inferencer choices and
probabilities. Files split into dataset_0.json, dataset_1.json … continue each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.parsed import File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import ask_of_prompt, prompt_of, unranked
from pipelines.runs.values import dict_of, first_of, float_of, short, text_of, texts_of, time_of

NAME = "opencompass"
_MARKS = ("origin_prompt", "prediction", "gold", "testing input", "in-context examples")


def sniff(look: Peek) -> Role | None:
    if look.shape in ("lines", "array", "object") and look.has("origin_prompt", "prediction"):
        return "predictions"
    first = next(iter(look.first.items()), ("", None))
    fits = look.shape == "object" and first[0].isdecimal() and any(m in dict_of(first[1]) for m in _MARKS)
    return "predictions" if fits else None


def group(look: Peek) -> str:
    """The model's folder within one evaluation."""
    return str(PurePosixPath(look.name).parent)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    head = file.data.lstrip()[:100]
    if head[:1] == b"[" or not re.match(rb'\{\s*"\d+"\s*:', head):
        samples = [(text_of(first_of(r, ("idx", "id"))) or str(i), r) for i, r in enumerate(file.rows().records())]
    else:
        samples = list(dict_of(file.json()).items())
    parts = file.parts
    model = parts[-2] if len(parts) > 1 else None
    stamp = next((p for p in parts if re.fullmatch(r"\d{8}_\d{6}", p)), None)
    header = Header("OpenCompass", model=model or None, dataset=re.sub(r"(_\d+)?\.jsonl?$", "", file.base))
    if stamp:
        header.created_at = time_of(stamp.replace("_", "T"))
    by_form: dict[str, list[Prediction]] = {}
    for key, sample in samples:
        if not isinstance(sample, dict):
            raise Unreadable("a sample of the OpenCompass file is not an object", f"sample {key}: {short(sample)}")
        for form, prediction in _predictions(key, sample):
            by_form.setdefault(form, []).append(prediction)
    return [Fragment(replace(header, format=form), found) for form, found in by_form.items()]


def _predictions(key: str, sample: dict[str, Any]) -> list[tuple[str, Prediction]]:
    where = f"sample {key}"
    ranked = {k[7:]: dict_of(v) for k, v in sample.items() if k.startswith("label: ")}
    perplexities = {k: p for k, v in ranked.items() if (p := float_of(v.get("PPL"))) is not None}
    prompt = prompt_of(sample.get("origin_prompt")) or prompt_of(sample.get("testing input"))
    if prompt is None and ranked:
        shown = next(iter(ranked.values()))
        prompt = prompt_of(shown.get("testing input")) or prompt_of(shown.get("prompt"))
    ask = ask_of_prompt(prompt)
    said = sample.get("prediction")
    if len(perplexities) == len(ranked) > 1:
        why = unranked([-p for p in perplexities.values()])
        best = None if why else min(perplexities, key=perplexities.__getitem__)
        return [("mc", Prediction(where, ask, best, error=why))]
    choices = texts_of(sample.get("choices"))
    scores = [s for v in said if (s := float_of(v)) is not None] if isinstance(said, list) else []
    if len(scores) == len(choices) > 1:
        why = unranked(scores)
        best = None if why else choices[max(range(len(scores)), key=scores.__getitem__)]
        return [("mc", Prediction(where, ask, best, error=why))]
    said = list(said) if isinstance(said, list) else [said]
    if sample.get("success") is False and not any(text_of(t) for t in said):
        why = text_of(first_of(sample, ("error", "error_info"))) or "the request failed (success is false)"
        return [("generated", Prediction(where, ask, error=why))]
    found = []
    for attempt, text in enumerate(said, 1):
        if text is not None and text_of(text) is None:
            raise Unreadable("a prediction is not text", f"{where}: {short(text)}")
        error = None if text is not None else "the sample has no prediction"
        number = attempt if len(said) > 1 else None
        found.append(("generated", Prediction(where, ask, text_of(text), attempt=number, error=error)))
    return found
