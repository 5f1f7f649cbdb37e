"""What models answered on the 医師 exams, in the three layouts that public runs on them have.

- IgakuQA (jungokasai/IgakuQA, 2023): JSON lines of {"problem_id": "114A1", "prediction": "a,c"} in
  year/114-A_model.jsonl; the model is the end of the file's name. Tables with such ids are read too;
- IgakuQA-evaluation (aki-wada, 2026): one object a model and paper, model_2022_A.json, whose `details` hold a list of
  {"problem_id", "response", …} for each prompt; each prompt is a run;
- IgakuQA119 (docto-rin, 2025): one object a model and paper, 119A_model.json, whose `results` hold question_number,
  question_text, choices and the `answers` of one or more models.

The id holds round, paper and number of the exam (round 114 is 2020); where the warehouse lacks IgakuQA's own questions,
the same exam's of another benchmark are answered. All papers and years of one model are one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.formats import table
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import ask_of
from pipelines.runs.values import dict_of, first_of, short, text_of, time_of

NAME = "igakuqa"
_PROBLEM = re.compile(r"^(\d{2,3})([A-Ia-i])(\d{1,3})$")
# 114-A_model.jsonl, 119A_model.json, and model_2022_A.json, which may begin with prompt_comparison_.
_FILE = re.compile(
    r"^(?:\d{2,3}-?[A-Ia-i]?_(?P<model>.+?)|(?:prompt_comparison_)?(?P<last>.+?)_(?:19|20)\d\d_[A-I])\.(?:jsonl?|csv)$"
)
_LABELS = re.compile(r"[a-e](?:,?[a-e])*")
_ROUND_TO_YEAR = 1906
# What its authors call their models, and the models' own names (README of IgakuQA).
_MODELS = {
    "gpt4": ("gpt-4", "OpenAI", "model"),
    "chatgpt": ("gpt-3.5-turbo", "OpenAI", "model"),
    "gpt3": ("text-davinci-003", "OpenAI", "model"),
    "student-majority": ("student-majority", None, "human"),
}


def sniff(look: Peek) -> Role | None:
    if look.shape == "object" and (_prompts(look.first) or _results(look.first)):
        return "predictions"
    ident = text_of(first_of(look.first, ("problem_id", "question_number", "number"))) or ""
    answers = table.sniff(look) or any(_LABELS.fullmatch(text_of(v) or "") for v in look.first.values())
    return "predictions" if _PROBLEM.match(ident) and answers else None


def _prompts(record: dict[str, Any]) -> bool:
    """Whether this is an object of IgakuQA-evaluation, as far as its beginning shows."""
    lists = [v for v in dict_of(record.get("details")).values() if isinstance(v, list)]
    return any("problem_id" in dict_of(v[0]) for v in lists if v)


def _results(record: dict[str, Any]) -> bool:
    """Whether this is an object of IgakuQA119."""
    listed = record.get("results")
    return isinstance(listed, list) and bool(listed) and "question_number" in dict_of(listed[0])


def group(look: Peek) -> str:
    """The model, below the folder that holds the years."""
    folder, _, base = look.name.rpartition("/")
    parent, _, last = folder.rpartition("/")
    return f"{parent if re.fullmatch(r'(19|20)[0-9]{2}', last) else folder}|{_named(base) or ''}"


def _named(base: str) -> str | None:
    """The model as the file's name has it."""
    found = _FILE.match(base.removesuffix(".gz"))
    return found["model"] or found["last"] if found else None


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    name = _named(file.base)
    if file.data.lstrip()[:1] == b"{" and isinstance(whole := _object(file), dict):
        if _prompts(whole):
            return list(_by_prompt(whole, name))
        if _results(whole):
            return _by_model(whole, name)
    model, vendor, kind = _MODELS.get(name or "", (name, None, "model"))
    fragments = table.read(file, helpers)
    for fragment in fragments:
        h = fragment.header
        h.harness, h.language, h.dataset = "IgakuQA", "ja", h.dataset or NAME
        h.model, h.vendor, h.kind = h.model or model, h.vendor or vendor, kind
        for p in fragment.predictions:
            _place(p.ask, p.ask.source_key or p.ask.question_id)
    return fragments


def _object(file: File) -> Any:
    try:
        return file.json()
    except Unreadable:  # more than one object: JSON lines
        return None


def _place(ask: Ask, ident: str | None) -> Ask:
    """The ask with the exam, paper and number that an id such as 116A12 holds."""
    if problem := _PROBLEM.match(ident or ""):
        ask.source_key = problem[0]
        ask.profession, ask.year = "医師", int(problem[1]) + _ROUND_TO_YEAR
        ask.paper, ask.number = problem[2].upper(), int(problem[3])
    return ask


def _by_prompt(whole: dict[str, Any], name: str | None) -> Iterator[Fragment]:
    """A fragment for each prompt. `response` is what the model wrote; `prediction` is the author's reading of it."""
    model, vendor = _model(text_of(whole.get("model")), name)
    for prompt, listed in whole["details"].items():
        header = Header(
            "IgakuQA-evaluation", model, vendor, dataset=NAME, language="ja", variant=f"prompt {prompt}, file {name}",
            created_at=time_of(whole.get("timestamp")),
        )  # fmt: skip
        predictions = []
        for i, row in enumerate(listed if isinstance(listed, list) else [], 1):
            where = f"details.{prompt}, item {i}"
            ident = text_of(dict_of(row).get("problem_id"))
            if ident is None:
                raise Unreadable("a detail has no problem_id; write the file again", f"{where}: {short(row)}")
            error, said = text_of(row.get("error")), first_of(row, ("response", "prediction"))
            response = None if error else table.answer_text(said, where)
            predictions.append(Prediction(where, _place(Ask(), ident), response, error=error))
        yield Fragment(header, predictions)


def _model(own: str | None, name: str | None) -> tuple[str | None, str | None]:
    """Model and vendor: by the file's name where it says more than the object ('-gguf', '_fewshot')."""
    vendor, _, model = (own or "").rpartition("/")
    flat = (own or "").replace("/", "_")
    if model and name and name.startswith(flat):
        return model + name.removeprefix(flat), vendor or None
    if name and (not model or name.startswith(model)):
        return name, vendor or None
    return model or None, vendor or None


def _by_model(whole: dict[str, Any], name: str | None) -> list[Fragment]:
    """A fragment for each model that answered; the file's name tells it better than the path on a server does."""
    answered: dict[str, list[Prediction]] = {}
    made: dict[str, Any] = {}
    for i, row in enumerate(whole["results"], 1):
        row, where = dict_of(row), f"results, item {i}"
        ident, listed = text_of(row.get("question_number")), row.get("answers")
        if ident is None or not isinstance(listed, list):
            raise Unreadable(
                "a result lacks question_number or answers; write the file again", f"{where}: {short(row)}"
            )
        for answer in map(dict_of, listed):
            model = text_of(first_of(answer, ("model", "model_used"))) or ""
            error = text_of(answer.get("error"))
            response = None if error else table.answer_text(answer.get("answer"), where)
            record = {"question": row.get("question_text"), "choices": row.get("choices")}
            ask = _place(ask_of(record), ident)
            answered.setdefault(model, []).append(Prediction(where, ask, response, error=error))
            made.setdefault(model, answer.get("timestamp"))
    fragments = []
    for model, predictions in answered.items():
        vendor, _, short_name = model.rpartition("/")
        by_file = name if len(answered) == 1 else None
        header = Header("IgakuQA119", by_file or short_name or None, dataset=NAME, language="ja")
        header.vendor = None if by_file else vendor or None
        header.description = f"model as logged: {model}" if model and model != header.model else None
        header.created_at, header.model_in_rows = time_of(made[model]), len(answered) > 1
        fragments.append(Fragment(header, predictions))
    return fragments
