"""Inspect logs (inspect_ai, log format version 2): one .json, or the .eval zip of header.json and samples/*.json.

Layout seen in logs of inspect_ai 0.3.108 (.json) and of the .eval format since 0.3.43; members may be compressed with
Zstandard (since 2026, inspect_ai pull request 3145). Epochs are attempts. The choices are in the order
of the message that showed them, else of `choices`: Inspect undoes the shuffling of its own solver in what it logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.errors import Unreadable
from pipelines.questions.identity import squeeze
from pipelines.runs import archives
from pipelines.runs.parsed import File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import ask_of, prompt_of
from pipelines.runs.values import (
    dict_of,
    ended_at_limit,
    first_of,
    folder_or_file,
    has_image,
    int_of,
    message_text,
    text_of,
    time_of,
)

NAME = "inspect"


def sniff(look: Peek) -> Role | None:
    if look.shape == "zip":
        return "predictions" if {"header.json", "_journal/start.json"} & set(look.members) else None
    return "predictions" if look.shape == "object" and look.has("eval", "version") and not look.has("doc_id") else None


def group(look: Peek) -> str:
    """The model, else the folder: logs of one model that ask different questions are one run."""
    model = text_of(dict_of(look.first.get("eval")).get("model"))
    return f"model {model}" if model else folder_or_file(look.name)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    is_zip = file.data[:2] == b"PK"
    names = archives.names(file.data) if is_zip else []
    start = "header.json" if "header.json" in names else "_journal/start.json"
    log = _member(file, start) if is_zip else file.json()
    spec = log.get("eval") if isinstance(log, dict) else None
    if not isinstance(spec, dict):
        raise Unreadable("the Inspect log has no 'eval' section; write it again with inspect log convert")
    vendor, _, model = (text_of(spec.get("model")) or "").rpartition("/")
    header = Header(
        "Inspect",
        model=model or None,
        vendor=vendor.partition("/")[0] or None,
        version=text_of(dict_of(spec.get("packages")).get("inspect_ai")),
        created_at=time_of(spec.get("created")),
        dataset=text_of(dict_of(spec.get("dataset")).get("name")) or text_of(spec.get("task")),
    )
    samples = _members(file, names) if is_zip else _listed(log)
    predictions, any_picture = [], False
    for where, sample in samples:
        predictions.append(_prediction(where, sample))
        any_picture = any_picture or has_image(sample.get("input"))
    if not predictions:
        raise Unreadable("the Inspect log holds no samples (a header only, or a run that failed before the first one)")
    if any_picture:
        header.modality = "multimodal"
    return [Fragment(header, predictions)]


def _listed(log: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    samples = log.get("samples")
    if samples is not None and not isinstance(samples, list):
        raise Unreadable("'samples' of the Inspect log is not a list")
    for i, sample in enumerate(samples or ()):
        yield f"sample {i + 1}", sample


def _members(file: File, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        if name.startswith("samples/") and name.endswith(".json"):
            yield name, _member(file, name)


def _member(file: File, name: str) -> Any:
    return File(name, archives.member(file.data, name, file.limits), file.limits).json()


def _prediction(where: str, sample: Any) -> Prediction:
    if not isinstance(sample, dict):
        raise Unreadable("a sample of the Inspect log is not an object", where)
    shown = _prompt(sample)
    record = {
        "id": sample.get("id"),
        "input": prompt_of(sample.get("input")) or "",
        "choices": sample.get("choices"),
    }
    output = dict_of(sample.get("output"))
    choices = output.get("choices")
    first = dict_of(choices[0]) if isinstance(choices, list) and choices else {}
    response = message_text(dict_of(first.get("message")).get("content"))
    if response is None:
        response = text_of(output.get("completion"))
    fault = first_of(sample, ("error",)) or output.get("error")
    why = text_of(fault.get("message")) if isinstance(fault, dict) else text_of(fault)
    if response is None and not why:
        why = "the sample has no output"
    failed = why if not (response or "").strip() else None
    return Prediction(
        where, ask_of(record, shown), response, attempt=int_of(sample.get("epoch")), error=failed,
        cut_off=ended_at_limit(first.get("stop_reason")),
    )  # fmt: skip


def _prompt(sample: dict[str, Any]) -> str | None:
    """What the model was asked: the last turn of the user before its answer, else the sample's input."""
    messages = sample.get("messages")
    turns = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    asked = prompt_of([m for m in turns if m.get("role") == "user"])
    own = prompt_of(sample.get("input"))
    return asked if asked and own and squeeze(own) in squeeze(asked) else own or ""
