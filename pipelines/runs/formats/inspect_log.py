"""Inspect logs (inspect_ai, log format version 2): one .json, or the .eval zip of header.json and samples/*.json.

Layout seen in logs of inspect_ai 0.3.108 (.json) and of the .eval format since 0.3.43; members may be compressed with
Zstandard (since 2026, inspect_ai pull request 3145). Epochs are attempts. `choices` of a sample are in the order shown:
Inspect undoes the shuffling of its multiple_choice solver in what it logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.runs import archives
from pipelines.runs.parsed import Ask, File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import Peek, dict_of, folder_or_file, int_of, load, message_text, text_of, texts_of, time_of

NAME = "inspect"


def sniff(look: Peek) -> Role | None:
    if look.shape == "zip":
        return "predictions" if {"header.json", "_journal/start.json"} & set(look.members) else None
    return "predictions" if look.shape == "object" and look.has("eval", "version") and not look.has("doc_id") else None


def group(name: str) -> str:
    """The folder: logs of one model that ask different questions are one run."""
    return folder_or_file(name)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    is_zip = file.data[:2] == b"PK"
    names = archives.names(file.data) if is_zip else []
    start = "header.json" if "header.json" in names else "_journal/start.json"
    log = load(archives.member(file.data, start) if is_zip else file.data)
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
    samples = _members(file.data, names) if is_zip else _listed(log)
    predictions = [_prediction(where, sample) for where, sample in samples]
    if not predictions:
        raise Unreadable("the Inspect log holds no samples (a header only, or a run that failed before the first one)")
    return [Fragment(header, predictions)]


def _listed(log: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    samples = log.get("samples")
    if samples is not None and not isinstance(samples, list):
        raise Unreadable("'samples' of the Inspect log is not a list")
    for i, sample in enumerate(samples or ()):
        yield f"sample {i + 1}", sample


def _members(data: bytes, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        if name.startswith("samples/") and name.endswith(".json"):
            yield name, load(archives.member(data, name))


def _prediction(where: str, sample: Any) -> Prediction:
    if not isinstance(sample, dict):
        raise Unreadable("a sample of the Inspect log is not an object", where)
    prompt = _text(sample.get("input"))
    ask = Ask(source_key=text_of(sample.get("id")), stem=prompt, choices=texts_of(sample.get("choices")), prompt=prompt)
    output = dict_of(sample.get("output"))
    choices = output.get("choices")
    first = dict_of(choices[0]) if isinstance(choices, list) and choices else {}
    response = message_text(dict_of(first.get("message")).get("content"))
    if response is None:
        response = text_of(output.get("completion"))
    error = sample.get("error")
    said = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    if response is None and not said:
        said = "the sample has no output"
    return Prediction(
        where, ask, response, attempt=int_of(sample.get("epoch")), error=said if response is None else None
    )


def _text(value: Any) -> str | None:
    """The text of a sample's input: a string, or the last message that a user wrote."""
    if isinstance(value, list):
        said = [message_text(m.get("content")) for m in value if isinstance(m, dict) and m.get("role") == "user"]
        return said[-1] if said else None
    return value if isinstance(value, str) else None
