"""Format prompts: each question as its benchmark asks it of a model, one row per question and way of asking.

Rows have question_id, dataset_id, format, system, user and source; `source` says where the words of a template come
from, or that they were written for medexams because the published ones could not be found. The templates belong here;
what comes back from a model is read by runs/ and answers/.

Sources of the templates, short and used with the questions they were made for:
- Medschool-Test: tasks/medschool-test of room-b007/test-medicina at 05a70f7 (Apache-2.0); description and query are one
  text there, the description first: here it is `system`.
- KokushiMD-10: prompt.py and utils.py of jamed-llm/KokushiMD-10 at 9f55716 (MIT).
- COGNET-MD: the notebook of the release was not to be had; one-shot and few-shot by specialty are its ways of asking.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.content import questions, write_jsonl
from pipelines.export.gate import Chosen, ReportProgress

Question = dict[str, Any]
"""A question with the keys of content.FIELDS."""

OWN = "written for medexams: the published words were not to be had"
FEW = 3
"""Worked examples of a few-shot prompt."""


def rows(found: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """The prompts of one dataset's questions, question by question."""
    make = _MAKERS[found[0]["benchmark"]](found) if found else None
    for q in found:
        assert make is not None
        for form, system, user, source in make(q):
            yield {
                "question_id": q["question_id"], "dataset_id": q["dataset_id"], "format": form,
                "system": system, "user": user, "source": source,
            }  # fmt: skip


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/DATASET.jsonl: one row per question and way of asking."""
    for i, dataset in enumerate(chosen.open):
        report("datasets", i, len(chosen.open))
        write_jsonl(folder / f"{dataset.slug}.jsonl", rows(questions(con, dataset.dataset_id)))
    report("datasets", len(chosen.open), len(chosen.open))


# ---- Medschool-Test ----------------------------------------------------------------------------------------------

MEDSCHOOL_SOURCE = "room-b007/test-medicina@05a70f7 tasks/medschool-test (system and user are one text there)"
DECLINE = "Preferisco non rispondere"
_POINTS = (
    "Se rispondi correttamente, otterrai 1.5 punti; se rispondi in modo errato, perderai 0.4 punti. "
    "Se non rispondi, non otterrai né perderai punti.\n\n"
)
MEDSCHOOL_MC = f"Rispondi alla seguente domanda scegliendo la risposta corretta tra le opzioni proposte. {_POINTS}"
MEDSCHOOL_CLOZE = f"Rispondi alla seguente domanda. {_POINTS}"
MEDSCHOOL_ANSWER = "Rispondi con la sola lettera dell'opzione scelta.\n\n"


def medschool_mc(q: Question) -> str:
    """The released multiple-choice query: the choices and the sixth, which declines."""
    labels = [*(c["label"] for c in q["choices"]), next_label(q)]
    texts = [*(c["text"] for c in q["choices"]), DECLINE]
    shown = "\n".join(f"{label}. {text.strip()}" for label, text in zip(labels, texts, strict=True))
    return f"Domanda: {asked(q)}\n{shown}\nRisposta: "


def medschool_cloze(q: Question) -> str:
    """The released cloze query: the choices are not shown."""
    return f"Domanda: {asked(q)}\nRisposta: "


def _medschool(found: Sequence[Question]) -> Callable[[Question], list[tuple[str, str, str, str]]]:
    return lambda q: [
        ("mc", MEDSCHOOL_MC, medschool_mc(q), MEDSCHOOL_SOURCE),
        ("cloze", MEDSCHOOL_CLOZE, medschool_cloze(q), MEDSCHOOL_SOURCE),
    ]


# ---- KokushiMD-10 ------------------------------------------------------------------------------------------------

KOKUSHI_SOURCE = "jamed-llm/KokushiMD-10@9f55716 prompt.py, utils.py (MIT); the question as JSON in the layout it shows"
BORROWED_SOURCE = "KokushiMD-10's prompt, for {}: its own prompts are not carried over"
_ROLES = {
    "医師": "医師", "作業": "作業療法士", "保健": "保健師", "助産": "助産師", "歯科": "歯科医師", "理学": "理学療法士",
    "看護": "看護師", "薬剤": "薬剤師", "視能": "視能訓練士", "診療": "診療放射線技師",
}  # fmt: skip
_SYSTEM = """
専門家の{role}として、以下の{role}国家試験問題に回答してください。
問題には選択式と記述式があります。

選択式問題のフォーマットは以下の例の通りです：
```
{layout}
```
{explain}
記述式で数字を答える場合：

    1. 半角数字のみを答えてください。
    2. 単位は省略してください。

すべての問題において：

    1. 説明や解説は不要です。
    2. 簡潔に回答してください。
    3. 図がある場合には、図も参考にして答えてください。

それでは、問題は以下の通りです：
"""
_LAYOUT = """
    {{
        "question": "質問内容はここです",
        "{0}": "選択肢{4}",
        "{1}": "選択肢{5}",
        "{2}": "選択肢{6}",
        "{3}": "選択肢{7}",
        ...
    }}
"""
_EXPLAIN = """
例の中に：
    - question: 問題の内容
    - {series}: 選択肢の{name}

回答方法は以下の通りです：

選択肢がある場合：

    1. 正解の選択肢の{how}答えてください。例: {example}
    2. 問題に特に説明がない場合には、一つだけを選んでください。選択肢の内容は不要です。
    3. 選択肢の{short}だけで答えてください。選択肢の内容は不要です。
    4. 選択肢の間と前後に何も入れないでください。
"""
_NUMBERS = (
    _LAYOUT.format(*"12341234"),
    _EXPLAIN.format(
        series="1, 2, 3, 4, ..., n", name="番号", how="番号のみを、半角数字で順に並べて", example="13", short="番号"
    ),
)
_LETTERS = (
    _LAYOUT.format(*"abcdABCD"),
    _EXPLAIN.format(
        series="a, b, c, d, ...", name="アルファベット", how="アルファベット番号のみを、大文字半角アルファベットで",
        example="AC", short="アルファベット番号",
    ),
)  # fmt: skip


def kokushi_system(profession: str, *, numbers: bool) -> str:
    """The published system prompt of a profession, for exams with numbered or with lettered choices."""
    layout, explain = _NUMBERS if numbers else _LETTERS
    return _SYSTEM.format(role=_ROLES.get(profession, profession), layout=layout, explain=explain)


def kokushi_user(q: Question) -> str:
    """The question as a JSON object with its choices by label, as the system prompt shows it."""
    record = {"question": asked(q)} | {c["label"]: c["text"] for c in q["choices"]}
    return json.dumps(record, ensure_ascii=False, indent=4)


def numbered_exams(found: Sequence[Question]) -> set[str | None]:
    """The exams whose choices have numbers; those of an exam without choices count as letters."""
    return {_exam(q) for q in found if q["choices"] and q["choices"][0]["label"].isdecimal()}


def _kokushi(found: Sequence[Question]) -> Callable[[Question], list[tuple[str, str, str, str]]]:
    numbered = numbered_exams(found)

    def make(q: Question) -> list[tuple[str, str, str, str]]:
        system = kokushi_system((q["exam"] or {}).get("profession") or "医療従事者", numbers=_exam(q) in numbered)
        source = KOKUSHI_SOURCE if q["benchmark"] == "kokushi_md10" else BORROWED_SOURCE.format(q["benchmark"])
        return [("generated", system, kokushi_user(q), source)]

    return make


def _exam(q: Question) -> str | None:
    return (q["exam"] or {}).get("exam_id")


# ---- COGNET-MD ---------------------------------------------------------------------------------------------------

_COGNET = (
    "You are an expert in {specialty} and answer multiple-choice questions. One or more answers can be correct. "
    "Wrong answers are penalised. Answer only with the letters of all correct answers, joined by '-', for example A-C."
)


def cognet_system(q: Question) -> str:
    """How to answer, for a specialty."""
    return _COGNET.format(specialty=q["topic"] or "medicine")


def cognet_user(q: Question) -> str:
    """The question with its choices, and where the answer goes."""
    shown = "\n".join(f"{c['label']}. {c['text']}" for c in q["choices"])
    return f"Question: {asked(q)}\n{shown}\nAnswer:"


def _cognet(found: Sequence[Question]) -> Callable[[Question], list[tuple[str, str, str, str]]]:
    by_topic: dict[str | None, list[Question]] = defaultdict(list)
    for q in found:
        if q["answers"] and q["answers"][0]["labels"]:
            by_topic[q["topic"]].append(q)

    def make(q: Question) -> list[tuple[str, str, str, str]]:
        made = []
        others = [o for o in by_topic[q["topic"]] if o["fingerprint"] != q["fingerprint"]]
        for form, n in (("one_shot", 1), ("few_shot", FEW)):
            shots = others[:n]
            lines = [f"{cognet_user(s)} {'-'.join(s['answers'][0]['labels'])}" for s in shots]
            examples = ", ".join(s["source_key"] for s in shots)
            note = f"; {len(shots)} examples of {n}, of the same specialty: {examples}" if shots else "; no example"
            made.append((form, cognet_system(q), "\n\n".join([*lines, cognet_user(q)]), OWN + note))
        return made

    return make


# ---- all ---------------------------------------------------------------------------------------------------------


def asked(q: Question) -> str:
    """The question with the passage it refers to."""
    return f"{q['passage'].strip()}\n\n{q['question'].strip()}" if q["passage"] else q["question"].strip()


def next_label(q: Question) -> str:
    """The label after a question's last one (F after A to E)."""
    last = q["choices"][-1]["label"] if q["choices"] else "@"
    return chr(ord(last) + 1) if len(last) == 1 else str(len(q["choices"]) + 1)


_MAKERS: dict[str, Callable[[Sequence[Question]], Callable[[Question], list[tuple[str, str, str, str]]]]] = {
    "medschool": _medschool,
    "kokushi_md10": _kokushi,
    "cognet_md": _cognet,
    "igakuqa": _kokushi,  # the same exams; its own prompts are not carried over
}
