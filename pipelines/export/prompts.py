"""Format prompts: each question as its benchmark asks it of a model, one row per question and way of asking.

Rows have question_id, dataset_id, format, system, user and source; `source` says where the words come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.content import questions, write_jsonl
from pipelines.export.gate import Chosen, ReportProgress
from pipelines.prompts import Question, prompts_of


def rows(found: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """The prompts of one dataset's questions, question by question."""
    if not found:
        return
    messages = prompts_of(found[0]["benchmark"]).messages(found)
    for q in found:
        for message in messages[q["question_id"]]:
            yield {
                "question_id": q["question_id"], "dataset_id": q["dataset_id"], "format": message.variant,
                "system": message.system, "user": message.user, "source": message.source,
            }  # fmt: skip


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/DATASET.jsonl: one row per question and way of asking."""
    for i, dataset in enumerate(chosen.open):
        report("datasets", i, len(chosen.open))
        write_jsonl(folder / f"{dataset.slug}.jsonl", rows(questions(con, dataset.dataset_id)))
    report("datasets", len(chosen.open), len(chosen.open))
