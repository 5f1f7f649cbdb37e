"""The dataset card of a hub-ready folder: YAML front matter, and what a reader needs to know before using it.

Values are written as JSON, which is YAML, so that no text can break the front matter or add keys to it.
"""

from __future__ import annotations

import json
from typing import Any

from pipelines.export.content import FIELDS
from pipelines.export.gate import Dataset
from pipelines.registry import benchmarks

# Bounds and names of the hub's size_categories.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def size_category(n: int) -> str:
    """The hub's name for a dataset of n rows."""
    return next((name for bound, name in _SIZES if n < bound), "1M<n<10M")


def front_matter(dataset: Dataset, data_file: str) -> dict[str, Any]:
    """The card's metadata as the hub reads it. `data_file` is the path of the rows below the folder."""
    licence = dataset.terms
    known = licence.hub_id not in ("unknown", "other")
    meta: dict[str, Any] = {"license": licence.hub_id if known else "other"}
    if not known:
        meta["license_name"] = dataset.licence
    languages = ["ja", "en"] if dataset.language == "mixed" else [dataset.language]
    return meta | {
        "language": languages,
        "pretty_name": dataset.title,
        "task_categories": ["question-answering", "multiple-choice"],
        "size_categories": [size_category(dataset.n_questions)],
        "tags": ["medical", "exam", dataset.benchmark],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": data_file}]}],
    }


def card(dataset: Dataset, data_file: str, *, for_own_use: bool) -> str:
    """README.md of a dataset's folder."""
    loader = "parquet" if data_file.endswith(".parquet") else "json"
    head = "\n".join(f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in front_matter(dataset, data_file).items())
    title = _plain(dataset.title)
    parts = [f"---\n{head}\n---", f"# {title}"]
    if for_own_use and dataset.terms.refusal:
        parts.append(f"> **Not for sharing.** Made for its maker's own use: {dataset.terms.refusal}.")
    if dataset.is_sample:
        parts.append("A sample written for medexams. Its questions are not from any exam.")
    benchmark = benchmarks().get(dataset.benchmark)  # None: made by a plug-in that is not installed here
    parts += [
        f"{dataset.n_questions} questions of `{dataset.dataset_id}`, unified by medexams: one row each, with its "
        "choices, accepted answers, points and known defects.",
        f"- Licence of the questions, as their publisher states it: {_plain(dataset.licence)}\n"
        f"- Read from: {_plain(dataset.origin)} (SHA-256 of what was read: `{dataset.sha256}`)\n"
        f"- Source to cite: {benchmark.card.citation if benchmark else ', '.join(dataset.publisher)}\n"
        f"- Scoring by the exam's own rule: {benchmark.card.scoring if benchmark else 'see rule_item'}",
        "```python\nfrom datasets import load_dataset\n\n"
        f'load_dataset("{loader}", data_files="{data_file}", split="train")\n```',
        "| field | meaning |\n| --- | --- |\n" + "\n".join(f"| `{k}` | {v} |" for k, v in FIELDS.items()),
        "Not a medical device; not advice for any patient.",
    ]
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """A text from outside in one line, with Markdown's and HTML's marks made harmless."""
    flat = " ".join(text.split())
    for mark in "\\`*_[]<>#|":
        flat = flat.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return flat
