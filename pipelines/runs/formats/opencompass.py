"""OpenCompass predictions: outputs/…/time/predictions/model/dataset.json, one object of "0", "1" … (or lines with idx).

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

from pipelines.runs.parsed import Ask, File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import (
    Peek,
    dict_of,
    float_of,
    load,
    load_rows,
    message_text,
    short,
    text_of,
    texts_of,
    time_of,
)
from pipelines.runs.shown import options

NAME = "opencompass"
_MARKS = ("origin_prompt", "prediction", "gold", "testing input", "in-context examples")


def sniff(look: Peek) -> Role | None:
    if look.has("idx", "origin_prompt", "prediction"):
        return "predictions"
    first = next(iter(look.first.items()), ("", None))
    fits = look.shape == "object" and first[0].isdecimal() and any(m in dict_of(first[1]) for m in _MARKS)
    return "predictions" if fits else None


def group(name: str) -> str:
    """The model's folder within one evaluation."""
    return str(PurePosixPath(name).parent)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    body = file.data.lstrip()
    lines = body[:1] == b"{" and b"\n{" in body and b'"idx"' in body[:100_000]
    if lines:
        samples = [(text_of(r.get("idx")) or "", r) for r in load_rows(file.data).records()]
    else:
        samples = list(dict_of(load(file.data)).items())
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
    prompt = _prompt(sample.get("origin_prompt")) or _prompt(sample.get("testing input"))
    if prompt is None and ranked:
        shown = next(iter(ranked.values()))
        prompt = _prompt(shown.get("testing input")) or _prompt(shown.get("prompt"))
    ask = ask_of_prompt(prompt)
    said = sample.get("prediction")
    if len(perplexities) == len(ranked) > 1:
        return [("mc", Prediction(where, ask, min(perplexities, key=perplexities.__getitem__)))]
    choices = texts_of(sample.get("choices"))
    scores = [s for v in said if (s := float_of(v)) is not None] if isinstance(said, list) else []
    if len(scores) == len(choices) > 1:
        return [("mc", Prediction(where, ask, choices[max(range(len(scores)), key=scores.__getitem__)]))]
    said = list(said) if isinstance(said, list) else [said]
    found = []
    for attempt, text in enumerate(said, 1):
        if text is not None and text_of(text) is None:
            raise Unreadable("a prediction is not text", f"{where}: {short(text)}")
        error = None if text is not None else "the sample has no prediction"
        number = attempt if len(said) > 1 else None
        found.append(("generated", Prediction(where, ask, text_of(text), attempt=number, error=error)))
    return found


def ask_of_prompt(prompt: str | None) -> Ask:
    """The question in a prompt: everything before the last list of options is taken to hold its text."""
    labels, choices, start = options(prompt or "")
    return Ask(prompt=prompt, stem=prompt[:start].strip() if prompt else None, choices=choices, labels=labels)


def _prompt(value: Any) -> str | None:
    """The last human turn of a prompt: a string, or a list of {"role", "prompt"}."""
    if isinstance(value, list):
        turns = [m for m in value if isinstance(m, dict)]
        human = [m for m in turns if str(m.get("role")).upper() in ("HUMAN", "USER")] or turns
        said = [text_of(m.get("prompt")) or message_text(m.get("content")) for m in human]
        return next((text for text in reversed(said) if text), None)
    return value if isinstance(value, str) else None
