"""Taking results elsewhere: `medexams export FORMAT OUT`, one module per format, one licence gate for all.

The registry of formats and what every export has in common (the gate, the folder, the manifest) belong here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import duckdb

from pipelines.errors import SettingsError
from pipelines.export import croissant, every_eval_ever, hub, lm_eval, prompts, tables_csv, tables_xlsx
from pipelines.export.gate import NOT_FOR_SHARING, Chosen, Options, ReportProgress, choose, refused, warning
from pipelines.folders import replaced, write_manifest

__all__ = ["FORMATS", "Format", "Options", "Written", "export"]

MANIFEST = "medexams-export.json"
"""Names the files of an export, so that nothing else is ever replaced or deleted."""

Write = Callable[[duckdb.DuckDBPyConnection, Path, Chosen, ReportProgress], None]


@dataclass(frozen=True)
class Format:
    """How a format is written into an empty folder. One that `needs_questions` is nothing without their text."""

    write: Write
    says: str
    needs_questions: bool = True


FORMATS: dict[str, Format] = {
    "parquet": Format(hub.write_parquet, "hub-ready folder per dataset: Parquet and a dataset card"),
    "jsonl": Format(hub.write_jsonl_folder, "hub-ready folder per dataset: JSON lines and a dataset card"),
    "croissant": Format(croissant.write, "questions as JSON lines with Croissant 1.0 metadata"),
    "lm-eval": Format(lm_eval.write, "tasks for lm-evaluation-harness with their data"),
    "prompts": Format(prompts.write, "each question as its benchmark asks it, as JSON lines"),
    "every-eval-ever": Format(every_eval_ever.write, "a record per run in the Every Eval Ever schema", False),
    "csv": Format(tables_csv.write, "all tables as CSV", False),
    "xlsx": Format(tables_xlsx.write, "all tables in one Excel workbook", False),
}


@dataclass(frozen=True)
class Written:
    """What an export wrote: the datasets in it, its files relative to the folder, and what was left out, in words."""

    datasets: tuple[str, ...]
    files: tuple[str, ...]
    left_out: tuple[str, ...]
    not_to_share: tuple[str, ...]


def export(form: str, con: duckdb.DuckDBPyConnection, out: Path, options: Options) -> Written:
    """Write a warehouse into the folder `out` in a format of FORMATS. An earlier export there is replaced, as a whole.

    Raises MedexamsError when a licence forbids it (nothing is written then) or the folder holds what no export wrote.
    """
    if form not in FORMATS:
        raise SettingsError(f"{form!r} is not one of the formats {', '.join(FORMATS)}")
    how = FORMATS[form]
    if options.for_excel and form != "csv":
        raise SettingsError(f"only csv can be marked for Excel, {form} needs no mark; leave --for-excel out")
    write = partial(tables_csv.write, bom=True) if options.for_excel else how.write
    chosen = choose(con, options, form, needs_questions=how.needs_questions)
    if how.needs_questions:
        left_out = tuple(refused(d, why, form) for d, why in chosen.closed)
    else:
        left_out = tuple(f"{d.dataset_id} is without the text of its questions: {why}" for d, why in chosen.closed)
    inside = chosen.open if how.needs_questions else chosen.datasets
    with replaced(out, MANIFEST, "export") as folder:
        write(con, folder, chosen, options.progress)
        if chosen.not_to_share:
            (folder / NOT_FOR_SHARING).write_text(warning(chosen), encoding="utf-8")
        about = {
            "made_by": f"medexams {version('medexams')}",
            "format": form,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "for_own_use": bool(chosen.not_to_share),
            "datasets": [
                {"dataset_id": d.dataset_id, "licence": d.licence, "sha256": d.sha256, "questions": d.n_questions}
                for d in inside
            ],
            "left_out": left_out,
        }
        files = write_manifest(folder, MANIFEST, about)
    return Written(
        tuple(d.dataset_id for d in inside), tuple(files), left_out, tuple(d.dataset_id for d in chosen.not_to_share)
    )
