"""IgakuQA predictions: JSON lines of {"problem_id": "114A1", "prediction": "a,c", …} in year/114-A_model.jsonl.

Layout of jungokasai/IgakuQA (2023). The problem_id holds round, paper and number of the 医師 exam (round 114 is
2020); where the warehouse lacks IgakuQA's own questions, KokushiMD-10's of that exam are answered. The model is the end
of the file's name. All papers and years of one model are one run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.runs.parsed import Ask, File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import Peek, load_rows, short, text_of

NAME = "igakuqa"
_PROBLEM = re.compile(r"^(\d{2,3})([A-Ia-i])(\d{1,3})$")
_FILE = re.compile(r"^\d{2,3}-?[A-Ia-i]?_(?P<model>.+?)\.jsonl?(\.gz)?$")
_ROUND_TO_YEAR = 1906
# What its authors call their models, and the models' own names (README of IgakuQA).
_MODELS = {
    "gpt4": ("gpt-4", "OpenAI", "model"),
    "chatgpt": ("gpt-3.5-turbo", "OpenAI", "model"),
    "gpt3": ("text-davinci-003", "OpenAI", "model"),
    "student-majority": ("student-majority", None, "human"),
}


def sniff(look: Peek) -> Role | None:
    return "predictions" if look.has("problem_id", "prediction") else None


def group(name: str) -> str:
    """The model, below the folder that holds the years."""
    folder, _, base = name.rpartition("/")
    parent, _, last = folder.rpartition("/")
    model = _FILE.match(base)
    return f"{parent if re.fullmatch(r'(19|20)[0-9]{2}', last) else folder}|{model['model'] if model else ''}"


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    found = _FILE.match(file.base)
    name = found["model"] if found else None
    model, vendor, kind = _MODELS.get(name or "", (name, None, "model"))
    header = Header("IgakuQA", model=model, vendor=vendor, kind=kind, dataset=NAME, language="ja")
    rows = load_rows(file.data)
    predictions = []
    for i, row in enumerate(rows.records()):
        problem = _PROBLEM.match(str(row.get("problem_id")))
        answer = text_of(row.get("prediction")) if row.get("prediction") is not None else ""
        if not problem or answer is None or "prediction" not in row:
            raise Unreadable(
                "'problem_id' must be like 114A1 and 'prediction' a text", f"{rows.locator(i)}: {short(row)}"
            )
        ask = Ask(
            source_key=problem[0], profession="医師", year=int(problem[1]) + _ROUND_TO_YEAR, paper=problem[2].upper(),
            number=int(problem[3]),
        )  # fmt: skip
        predictions.append(Prediction(rows.locator(i), ask, answer))
    return [Fragment(header, predictions)]
