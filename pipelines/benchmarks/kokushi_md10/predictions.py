"""KokushiMD-10 results: results/company/model/text|multimodal/profession/profession_year_section_pred.json.

Each file is a list of {"index", "pred"}, as the released scorer reads it (humanalysis-square/KokushiMD-10, 2025): index
is the question's number in that paper. The rest is in the path; the model's folder is one run over all its papers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.runs.parsed import Ask, File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import Peek, int_of, load_rows, short, text_of

NAME = "kokushi_results"
_PAPER = re.compile(r"^(?P<profession>[^_]+)_(?P<year>\d{4})_(?P<paper>[A-Za-z0-9]+?)(_pred)?\.jsonl?$")
_MODALITIES = ("text", "multimodal")


def sniff(look: Peek) -> Role | None:
    fits = look.shape in ("array", "lines") and set(look.first) == {"index", "pred"}
    return "predictions" if fits else None


def group(name: str) -> str:
    """The model's folder: the path up to text or multimodal, else the file's own folder."""
    parts = name.split("/")[:-1]
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
    rows = load_rows(file.data)
    predictions = []
    for i, row in enumerate(rows.records()):
        number, pred = int_of(row.get("index")), row.get("pred")
        answer = "" if pred is None else ",".join(map(str, pred)) if _plain_list(pred) else text_of(pred)
        if number is None or answer is None:
            raise Unreadable("'index' must be a number and 'pred' a text", f"{rows.locator(i)}: {short(row)}")
        ask = Ask(profession=paper["profession"], year=int(paper["year"]), paper=paper["paper"].upper(), number=number)
        predictions.append(Prediction(rows.locator(i), ask, answer))
    return [Fragment(header, predictions)]


def _plain_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(v, (str, int)) for v in value)
