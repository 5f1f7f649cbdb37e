"""Plain tables (CSV, TSV, JSON lines, a JSON array, Parquet, a workbook) with obvious column names.

A column for the answer, one or more that name the question (question_id, source_key, index with exam columns, or its
text), and perhaps model, attempt and what a card would say. Column names are compared without case, spaces and
underscores. A table with a column `model` holds one run for each of its models; one with a column for each model
("gpt-4o_answer", or just "gpt-4o") one for each of those. Which columns can be answers is told in columns.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.formats.columns import ANSWERS, GOLD, Chosen, answer_columns, key
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import ask_of_prompt, choices_of
from pipelines.runs.values import int_of, short, text_of, time_of

NAME = "table"
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
    "question_id": QUESTION_ID, "source_key": SOURCE_KEY, "number": NUMBER, "text": TEXT,
    "exam_id": ("examid",), "profession": ("profession", "exam"), "year": ("year",), "paper": ("paper", "section"),
    "attempt": ("attempt", "epoch", "trial", "sample"), "error": ("error",), **HEADER,
}  # fmt: skip
_NAMING = QUESTION_ID + SOURCE_KEY + NUMBER + TEXT


def columns(look: Peek) -> dict[str, str]:
    """The columns of a file that may be a table: their names as `key` writes them, to the names as they stand."""
    names = look.first if look.shape in ("array", "lines", "object") else look.columns
    return {key(c): c for c in reversed(list(names))}


def sniff(look: Peek) -> Role | None:
    found = columns(look)
    names_question = any(c in found for c in _NAMING)
    answers = any(c in ANSWERS or c.endswith(ANSWERS) for c in found if c not in GOLD)
    return "predictions" if names_question and answers else None


def group(look: Peek) -> str:
    """The model that the first row names, else nothing: tables of one model are read together, to be one run."""
    found = columns(look)
    named = [text_of(look.first.get(found[c])) for c in HEADER["model"] if c in found and look.first]
    return next((f"model {name}" for name in named if name), "")


def load(file: File) -> tuple[list[dict[str, Any]], Any]:
    """The rows of a table with their columns as written, and the means to locate them."""
    rows = file.table()
    records = rows.records()
    if not records:
        raise Unreadable("the table has a header but no rows; write it again")
    return records, rows


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    records, rows = load(file)
    at = resolve(records[0])
    chosen = answer_columns(records, set(at.values()), has_model="model" in at)
    told = [name for name in HEADER if name in at]
    runs: dict[tuple[str | None, ...], Fragment] = {}
    for column in chosen:
        for i, record in enumerate(records):
            given = (column.name, *(text_of(record.get(at[name])) for name in told))
            fragment = runs.get(given)
            if fragment is None:
                header = _header(dict(zip(told, given[1:], strict=True)), column, firm=len(chosen) > 1)
                fragment = runs[given] = Fragment(header, [])
            fragment.predictions.append(_prediction(rows.locator(i), record, column.name, at, i))
    return list(runs.values())


def _prediction(where: str, record: Mapping[str, Any], column: str, at: Mapping[str, str], i: int) -> Prediction:
    response = answer_text(record.get(column), where)
    attempt = int_of(record.get(at["attempt"])) if "attempt" in at else None
    fault = (text_of(record.get(at["error"])) or "").strip() if "error" in at else ""
    failed = bool(fault) and fault.casefold() not in ("none", "nan", "null", "false", "0")
    return Prediction(
        where, ask(record, at, i, column), response,
        attempt=attempt if attempt and attempt > 0 else None,
        error=fault if failed and response.strip().casefold() in ("", "error", fault.casefold()) else None,
    )  # fmt: skip


def answer_text(value: Any, where: str) -> str:
    """An answer as text: of a list its labels, of null nothing. Raises Unreadable for what can be no answer."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)) and all(text_of(v) is not None for v in value):
        return ", ".join(text_of(v) or "" for v in value)
    text = text_of(value)
    if text is None:
        raise Unreadable("an answer is neither text nor a list of labels; write it as text", f"{where}: {short(value)}")
    return text


def resolve(record: Mapping[str, Any]) -> dict[str, str]:
    """What is told (text, model …) to the column that tells it, for the columns of a record; answers aside."""
    names = {key(c): c for c in reversed(list(record))}
    found = {what: next((names[a] for a in aliases if a in names), None) for what, aliases in COLUMNS.items()}
    # Choices in columns of their own: a list, or one column each.
    rest = {c: v for c, v in record.items() if c not in found.values()}
    return {w: c for w, c in found.items() if c is not None} | ({"choices": ""} if choices_of(rest) else {})


def _header(given: Mapping[str, str | None], column: Chosen, *, firm: bool) -> Header:
    """`firm`: the column tells the model apart from others in the file, so that no card may name another."""
    header = Header("table")
    for name, value in given.items():
        if value and value.strip():
            setattr(header, name, time_of(value.strip()) if name == "created_at" else value.strip())
    header.model_in_rows = bool(given.get("model")) or firm
    header.model = header.model or column.model
    header.description = "; ".join(s for s in (header.description, column.note) if s) or None
    return header


def ask(record: Mapping[str, Any], at: Mapping[str, str], position: int, answer: str) -> Ask:
    """How a row names its question; `at` is from `resolve`, `answer` the column that is not part of the question."""

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
    if "choices" in at:
        found.choices = choices_of({c: v for c, v in record.items() if c != answer})
    if "text" not in at:
        return found
    text = cell("text") or ""
    found.stem = found.prompt = text
    if text and "choices" not in at:
        # A list inside the question itself is not a list of choices: matching tries the whole text (prompt) too.
        shown = ask_of_prompt(text)
        found.labels, found.choices = shown.labels, shown.choices
        found.stem = shown.stem if shown.choices else text
    return found
