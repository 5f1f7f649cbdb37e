"""lighteval details: details/model/time/details_task|subset|shots_time.parquet; results_time.json names the model.

Two layouts: up to 0.8 flat columns (example, full_prompt, predictions, choices, pred_logits …; lists often written as
text); from 0.9 the structs `doc` (query, choices, id …) and `model_response` (text, logprobs …). With log-probabilities
for each of the choices, the highest is taken; else the text is read. Several texts are attempts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import bare, in_prompt, options, prompt_of, unranked
from pipelines.runs.values import dict_of, text_of, texts_of, time_of

NAME = "lighteval"
_TASK = re.compile(r"details_(?P<task>.+?)_(?P<stamp>\d{4}-\d\d-\d\dT[\d\-.:]+)\.parquet$")


def sniff(look: Peek) -> Role | None:
    columns = set(look.columns)
    if look.shape == "parquet" and ({"doc", "model_response"} <= columns or {"full_prompt", "predictions"} <= columns):
        return "predictions"
    return "helper" if look.shape == "object" and look.has("config_general", "results") else None


def group(look: Peek) -> str:
    """One evaluation: the model and the time stamp, below the folder that holds results/ and details/."""
    path = PurePosixPath(look.name)
    stamp = re.search(r"\d{4}-\d\d-\d\dT[\d\-.:]+\d", path.name)
    return f"{path.parts[0]}|{_model(path.parts)}|{stamp[0] if stamp else path.parent}"


def _model(parts: Sequence[str]) -> str | None:
    """The model by the path: details/[organisation/]model/time/file or results/[organisation/]model/file."""
    at = max((i for i, part in enumerate(parts[:-2]) if part in ("details", "results")), default=None)
    below = parts[at + 1 : -1] if at is not None else ()
    return "/".join(p for p in below if not re.match(r"\d{4}-\d\d-\d\dT", p)) or None


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    rows = file.frame().values
    if not rows:
        raise Unreadable("the details hold no samples; evaluate with save_details again")
    header = _header(file, helpers)
    by_form: dict[str, list[Prediction]] = {}
    for i, row in enumerate(rows):
        doc, said = _value(row.get("doc")), _value(row.get("model_response"))
        if isinstance(doc, dict) and isinstance(said, dict):
            parts = _new(doc, said)
        else:
            parts = (row.get("example") or row.get("full_prompt"), row.get("full_prompt"), _value(row.get("choices")),
                     _value(row.get("predictions")),
                     _value(row.get("pred_logits") or row.get("prediction_logits")))  # fmt: skip
        for form, prediction in _predictions(f"row {i + 1}", i, *parts):
            by_form.setdefault(form, []).append(prediction)
    return [Fragment(replace(header, format=form), found) for form, found in by_form.items()]


def _new(doc: dict[str, Any], said: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
    return doc.get("query"), said.get("input"), doc.get("choices"), said.get("text"), said.get("logprobs")


def _predictions(
    where: str, position: int, query: Any, prompt: Any, choices: Any, texts: Any, scores: Any
) -> list[tuple[str, Prediction]]:
    query, prompt = prompt_of(query), prompt_of(prompt)
    query = query if query is not None else prompt
    ranked = [c.strip() for c in texts_of(choices)]
    asked = options(query or "")
    own = asked[1] or (() if bare(ranked) else tuple(ranked))
    labels, shown = in_prompt(prompt or query, own)
    stem = (query or "")[: asked[2]].strip() if asked[1] else query
    ask = Ask(stem=stem, prompt=query, choices=shown, labels=labels or asked[0], position=position)
    numbers = _numbers(scores) or _numbers(texts)  # the first layout has log-likelihoods for predictions
    if len(numbers) == len(ranked) > 1:
        form = "mc" if bare(ranked) or labels else "cloze"
        if why := unranked(numbers):
            return [(form, Prediction(where, ask, error=why))]
        if not bare(ranked):
            ask.choices, ask.labels = tuple(ranked), ()
        best = max(range(len(numbers)), key=numbers.__getitem__)
        evidence = f"highest log-probability of {len(numbers)}: {numbers[best]:.6g}"
        return [(form, Prediction(where, ask, ranked[best], chosen=best, evidence=evidence))]
    answers = [t for t in texts if isinstance(t, str)] if isinstance(texts, list) else [texts]
    if not answers or not all(isinstance(t, str) for t in answers):
        return [("generated", Prediction(where, ask, error="the sample has no text and no log-probabilities"))]
    return [
        ("generated", Prediction(where, ask, text, attempt=k if len(answers) > 1 else None))
        for k, text in enumerate(answers, 1)
    ]


def _numbers(values: Any) -> list[float]:
    """Numbers, or the first of each pair (log-likelihood, is_greedy); empty where they are anything else."""
    listed = values if isinstance(values, list) else []
    firsts = [v[0] if isinstance(v, (list, tuple)) and v else v for v in listed]
    return [float(v) for v in firsts] if all(type(v) in (int, float) for v in firsts) else []


def _value(value: Any) -> Any:
    """A list or dict that the older layout wrote as text, as a value; anything else unchanged."""
    if isinstance(value, str) and value[:1] in ("[", "{") and len(value) < 1_000_000:
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return value
    return value


def _header(file: File, helpers: Sequence[File]) -> Header:
    found = _TASK.search(file.base)
    header = Header("lighteval", model=_model(file.parts), dataset=found["task"] if found else None)
    if found:
        day, _, time = found["stamp"].partition("T")
        header.created_at = time_of(f"{day}T{time.replace('-', ':')}")
    for helper in helpers:
        try:
            general = dict_of(dict_of(helper.json()).get("config_general"))
        except Unreadable:
            continue
        config = dict_of(general.get("model_config"))
        header.model = text_of(general.get("model_name")) or text_of(config.get("model_name")) or header.model
        header.version = text_of(general.get("lighteval_sha")) or header.version
    if header.model and "/" in header.model:
        header.vendor, _, header.model = header.model.partition("/")
    return header
