"""COGNET-MD predictions: the released table (Questions, CorrectResponse, Specialty) and what the models answered.

Columns of the released file of version 1.0 (arXiv 2405.10893). The notebook adds a column of responses; people add one
for each model. So: a column with an obvious name is the answer of one model, and every other added column is a model of
its own, named by the column. The correct response is never read as an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.runs.formats import table
from pipelines.runs.parsed import File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import Peek, text_of

NAME = "cognet"
_RELEASED = {"questions", "correctresponse", "specialty"}
# What the notebook computes from a response, and index columns that tools add.
_COMPUTED = {"", "unnamed:0", "index", "id", "score", "points", "accuracy", "correct", "cleanedresponse", "model",
             "attempt"}  # fmt: skip


def sniff(look: Peek) -> Role | None:
    found = table.columns(look)
    if {"questions", "correctresponse"} <= found and found - _RELEASED - _COMPUTED:
        return "predictions"
    return None


group = table.group


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    records, rows = table.load(file)
    if not records:
        raise Unreadable("the table has a header but no rows")
    names = {table.key(c): c for c in records[0]}
    if "model" in names:
        return [_as_cognet(f) for f in table.read(file, helpers)]
    answers = [c for k, c in names.items() if k in table.ANSWER] or [
        c for k, c in names.items() if k not in _RELEASED | _COMPUTED
    ]
    fragments = []
    for column in answers:
        named = table.key(column) not in table.ANSWER
        header = Header("COGNET-MD", column if named else None, dataset="cognet_md", model_in_rows=named)
        at = {"answer": column, "text": names["questions"]}
        answered = [
            Prediction(rows.locator(i), table.ask(r, at, i), text_of(r.get(column)) or "")
            for i, r in enumerate(records)
        ]
        fragments.append(Fragment(header, answered))
    return fragments


def _as_cognet(fragment: Fragment) -> Fragment:
    fragment.header.harness, fragment.header.dataset = "COGNET-MD", fragment.header.dataset or "cognet_md"
    return fragment
