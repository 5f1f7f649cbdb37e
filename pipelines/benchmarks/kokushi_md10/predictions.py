"""KokushiMD-10 results: results/company/model/text|multimodal/profession/profession_year_section_pred.json.

Each file is a list of {"index", "pred"}, where index is the question's number in that paper; the released scorer
(humanalysis-square/KokushiMD-10, 2025) reads `pred` alone, by its place in the list, so other keys may stand there and
index may be absent. The rest is in the path; the model's folder is one run over all its papers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.errors import Unreadable
from pipelines.runs.formats.table import answer_text
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.values import int_of, short, text_of

NAME = "kokushi_results"
_PAPER = re.compile(r"^(?P<profession>[^_]+)_(?P<year>\d{4})_(?P<paper>[A-Za-z0-9]+?)(_pred)?\.jsonl?$")
_MODALITIES = ("text", "multimodal")


def sniff(look: Peek) -> Role | None:
    named = _PAPER.match(look.name.rpartition("/")[2]) and look.name.endswith((".json", ".jsonl"))
    fits = look.shape in ("array", "lines") and look.has("pred") and (named or set(look.first) == {"index", "pred"})
    return "predictions" if fits else None


def group(look: Peek) -> str:
    """The model's folder: the path up to text or multimodal, else the file's own folder."""
    parts = look.name.split("/")[:-1]
    at = _modality(parts)
    return "/".join(parts if at is None else parts[: at + 1])


def _modality(parts: Sequence[str]) -> int | None:
    return next((i for i in range(len(parts) - 1, 0, -1) if parts[i] in _MODALITIES), None)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    paper = _PAPER.match(file.base)
    if not paper:
        raise Unreadable(
            "the file's name does not say which paper it answers; name it profession_year_section_pred.json, "
            "for example 医師_2020_a_pred.json",
            file.base,
        )
    folders = file.parts[:-1]
    at = _modality(folders)
    header = Header("KokushiMD-10", dataset="kokushi_md10", language="ja")
    if at is not None:
        vendor = folders[at - 2] if at >= 2 else None
        header.modality, header.model = folders[at], folders[at - 1]
        header.kind = "human" if vendor == "human" else "model"
        header.vendor = None if vendor in ("human", "results") else vendor
    rows = file.rows()
    predictions = []
    for i, row in enumerate(rows.records()):
        where = rows.locator(i)
        number = int_of(row.get("index"))
        ask = Ask(profession=paper["profession"], year=int(paper["year"]), paper=paper["paper"].upper(), number=number)
        if row.get("index") is None:  # the scorer goes by the place in the file alone
            ask.position, ask.of_paper = i, len(rows.values)
        elif number is None:
            raise Unreadable("'index' must be a number", f"{where}: {short(row)}")
        fault = text_of(row.get("error")) if not row.get("pred") else None
        predictions.append(Prediction(where, ask, answer_text(row.get("pred"), where), error=fault))
    return [Fragment(header, predictions)]
