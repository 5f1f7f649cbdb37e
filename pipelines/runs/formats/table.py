"""Plain tables (CSV, TSV, JSON lines, a JSON array, Parquet) with obvious column names.

A column for the answer (prediction, response, answer …), one or more that name the question (question_id, source_key,
index with exam columns, or its text), and perhaps model, attempt and what a card would say. Column names are compared
without case, spaces and underscores. A table with a column `model` holds one run for each of its models.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pipelines.runs.parsed import Ask, File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import (
    PEEK,
    Peek,
    Rows,
    decode,
    folder_or_file,
    int_of,
    load_rows,
    load_table,
    short,
    text_of,
    time_of,
)
from pipelines.runs.shown import choices_of, options

NAME = "table"
ANSWER = ("prediction", "predictions", "pred", "response", "modelresponse", "answer", "modelanswer", "output",
          "completion")  # fmt: skip
QUESTION_ID = ("questionid",)
SOURCE_KEY = ("sourcekey", "id", "qid", "problemid")
NUMBER = ("number", "index", "no", "questionnumber")
TEXT = ("question", "questions", "questiontext", "stem", "text", "prompt", "domanda", "problemtext")
HEADER = {
    "model": ("model", "modelname"), "vendor": ("vendor", "company"), "version": ("harnessversion",),
    "modality": ("modality",), "language": ("language",), "dataset": ("dataset", "datasetid", "benchmark"),
    "use_case": ("usecase",), "kind": ("kind",), "description": ("description",), "format": ("format",),
    "created_at": ("createdat", "date"),
}  # fmt: skip
COLUMNS: dict[str, tuple[str, ...]] = {
    "answer": ANSWER, "question_id": QUESTION_ID, "source_key": SOURCE_KEY, "number": NUMBER, "text": TEXT,
    "exam_id": ("examid",), "profession": ("profession", "exam"), "year": ("year",), "paper": ("paper", "section"),
    "attempt": ("attempt", "epoch", "trial", "sample"), "error": ("error",), **HEADER,
}  # fmt: skip
_NAMING = QUESTION_ID + SOURCE_KEY + NUMBER + TEXT


def key(name: str) -> str:
    """A column's name without case, spaces, '_' and '-'."""
    return re.sub(r"[\s_\-]+", "", name).casefold()


def columns(look: Peek) -> set[str]:
    """The column names of a file that may be a table, as `key` writes them."""
    if look.shape == "parquet":
        return {key(c) for c in look.columns}
    if look.shape in ("array", "lines", "object"):
        return {key(c) for c in look.first}
    if look.shape == "text":
        first = look.head.partition("\n")[0]
        return {key(c.strip(' "\r')) for c in re.split(r"[,;\t]", first)}
    return set()


def sniff(look: Peek) -> Role | None:
    found = columns(look)
    return "predictions" if found & set(ANSWER) and found & set(_NAMING) else None


def group(name: str) -> str:
    """The folder: tables of one model side by side are one run, unless they answer the same."""
    return folder_or_file(name)


def load(file: File) -> tuple[list[dict[str, Any]], Rows]:
    """The rows of a table with their columns as written, and the means to locate them."""
    if file.data[:4] == b"PAR1":
        try:
            values: list[Any] = pl.read_parquet(io.BytesIO(file.data)).to_dicts()
        except pl.exceptions.PolarsError as e:
            raise Unreadable("the Parquet file can't be read; write it again", short(str(e), 200)) from None
        rows = Rows(values, "row")
    elif decode(file.data[:PEEK]).lstrip()[:1] in ("{", "["):
        rows = load_rows(file.data)
    else:
        names, cells = load_table(file.data)
        rows = Rows([dict(zip(names, row, strict=True)) for row in cells], "row")
    return rows.records(), rows


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    records, rows = load(file)
    if not records:
        raise Unreadable("the table has a header but no rows")
    at = resolve(records[0])
    if "answer" not in at:
        found = f"columns: {', '.join(records[0])}"
        raise Unreadable("no column for the answer; name it prediction, response or answer", found)
    told = [name for name in HEADER if name in at]
    runs: dict[tuple[str | None, ...], Fragment] = {}
    for i, record in enumerate(records):
        given = tuple(text_of(record.get(at[name])) for name in told)
        fragment = runs.get(given)
        if fragment is None:
            fragment = runs[given] = Fragment(_header(dict(zip(told, given, strict=True))), [])
        response = record.get(at["answer"])
        if isinstance(response, (dict, list, bool)):
            raise Unreadable("an answer is not text", f"{rows.locator(i)}: {short(response)}")
        attempt = int_of(record.get(at["attempt"])) if "attempt" in at else None
        error = text_of(record.get(at["error"])) if "error" in at else None
        fragment.predictions.append(
            Prediction(
                rows.locator(i), ask(record, at, i), text_of(response) or "",
                attempt=attempt if attempt and attempt > 0 else None, error=error or None,
            )
        )  # fmt: skip
    return list(runs.values())


def resolve(record: Mapping[str, Any]) -> dict[str, str]:
    """What is told (answer, text, model …) to the column that tells it, for the columns of a record."""
    names = {key(c): c for c in reversed(list(record))}
    found = {what: next((names[a] for a in aliases if a in names), None) for what, aliases in COLUMNS.items()}
    # Choices in columns of their own: a list, or one column each.
    rest = {c: v for c, v in record.items() if c not in found.values()}
    return {w: c for w, c in found.items() if c is not None} | ({"choices": ""} if choices_of(rest) else {})


def _header(given: Mapping[str, str | None]) -> Header:
    header = Header("table")
    for name, value in given.items():
        if value and value.strip():
            setattr(header, name, time_of(value.strip()) if name == "created_at" else value.strip())
    header.model_in_rows = bool(given.get("model"))
    return header


def ask(record: Mapping[str, Any], at: Mapping[str, str], position: int) -> Ask:
    """How a row names its question; `at` is from `resolve`."""

    def cell(what: str) -> str | None:
        return (text_of(record.get(at[what])) or "").strip() or None if what in at else None

    found = Ask(
        question_id=cell("question_id"),
        source_key=cell("source_key"),
        profession=cell("profession"),
        year=int_of(cell("year")),
        number=int_of(cell("number")),
        position=position,
    )
    if (exam := cell("exam_id")) and exam.count("/") >= 2:
        *_, found.profession, year = exam.split("/")
        found.year = int_of(year)
    paper = cell("paper")
    found.paper = paper.upper() if paper else None
    if found.source_key is None and not (found.profession and found.year):
        found.source_key = cell("number")
    if text := cell("text"):
        found.stem = found.prompt = text
        if "choices" in at:
            found.choices = choices_of({c: v for c, v in record.items() if c != at["answer"]})
        else:
            # A list inside the question itself is no list of choices: matching tries the whole text (prompt) too.
            found.labels, found.choices, start = options(text)
            found.stem = text[:start].strip() if found.choices else text
    return found
