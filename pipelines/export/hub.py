"""Formats parquet and jsonl: for each dataset a folder as a dataset hub expects it, README.md and data/test.*."""

from __future__ import annotations

from pathlib import Path

import duckdb

from pipelines.export.card import card
from pipelines.export.content import questions, select, write_jsonl
from pipelines.export.gate import Chosen, ReportProgress
from pipelines.store.checks import quoted


def write_parquet(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/DATASET/data/test.parquet: nested columns (lists of structs), zstd."""
    _write(con, folder, chosen, report, "parquet")


def write_jsonl_folder(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/DATASET/data/test.jsonl: one JSON object a line, UTF-8."""
    _write(con, folder, chosen, report, "jsonl")


def _write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress, ending: str) -> None:
    for i, dataset in enumerate(chosen.open):
        report("datasets", i, len(chosen.open))
        data = folder / dataset.slug / "data" / f"test.{ending}"
        data.parent.mkdir(parents=True)
        if ending == "parquet":
            sql = select(con, dataset.dataset_id)
            con.execute(f"copy ({sql}) to {quoted(data)} (format parquet, compression zstd)")
        else:
            write_jsonl(data, questions(con, dataset.dataset_id))
        text = card(dataset, f"data/{data.name}", for_own_use=chosen.for_own_use)
        (folder / dataset.slug / "README.md").write_text(text, encoding="utf-8")
    report("datasets", len(chosen.open), len(chosen.open))
