"""COGNET-MD predictions: the released table (Questions, CorrectResponse, Specialty) and what the models answered.

Columns of the released file of version 1.0 (arXiv 2405.10893). The notebook adds a column of responses; people add one
for each model, and columns of their own. So: a column with an obvious name is the answer of one model; else every added
column whose cells name options is a model of its own, named by the column. The correct response is never an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.errors import Unreadable
from pipelines.runs.formats import table
from pipelines.runs.formats.columns import ANSWERS, key, model_columns
from pipelines.runs.parsed import File, Fragment, Header, Peek, Prediction, Role

NAME = "cognet"
_RELEASED = {"questions", "correctresponse", "specialty"}


def sniff(look: Peek) -> Role | None:
    found = table.columns(look).keys()
    return "predictions" if {"questions", "correctresponse"} <= found and found - _RELEASED else None


group = table.group


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    records, rows = table.load(file)
    names = {key(c): c for c in records[0]}
    if "model" in names or any(k in ANSWERS for k in names):
        return [_as_cognet(f) for f in table.read(file, helpers)]
    at = {"text": names["questions"]}
    fragments = []
    for column in model_columns(records, {c for k, c in names.items() if k in _RELEASED}):
        answered = [
            Prediction(where, table.ask(r, at, i, column.name), table.answer_text(r.get(column.name), where))
            for i, r in enumerate(records)
            if (where := rows.locator(i))
        ]
        header = Header("COGNET-MD", column.model, dataset="cognet_md", model_in_rows=True)
        fragments.append(Fragment(header, answered))
    if not fragments:
        found = ", ".join(map(str, records[0]))
        raise Unreadable(f"no column holds answers; name it prediction, or by the model (the columns are: {found})")
    return fragments


def _as_cognet(fragment: Fragment) -> Fragment:
    fragment.header.harness, fragment.header.dataset = "COGNET-MD", fragment.header.dataset or "cognet_md"
    return fragment
