"""Small runs of made questions, written in every format of prediction files.

A writer takes the questions, the position that the model chose of each, and a shuffling of the choices shown; it
returns files by name.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import polars as pl
from hypothesis import strategies as st

from pipelines.questions.identity import fingerprint
from pipelines.runs.matching import Question, QuestionIndex

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile


AT = datetime(2026, 1, 1)


Files = dict[str, bytes]


MEDSCHOOL = [
    (
        "11",
        "Quale organo produce la bile prima che venga concentrata?",
        ["Fegato", "Milza", "Pancreas", "Rene", "Cuore"],
    ),
    ("12", "Quanto vale la radice quadrata positiva di 144?", ["10", "11", "12", "13", "14"]),
    ("13", "Se x < 0, quale espressione è sempre positiva?", ["x", "x^2", "x^3", "-x^2", "2x"]),
    ("14", "Quale vitamina si forma nella cute esposta al sole?", ["A", "B12", "C", "D", "K"]),
]


KOKUSHI = [
    ("A", 1, "心電図で左軸偏位を示すのはどれか。", ["洞結節", "房室結節", "左脚前枝", "左脚後枝", "右脚"]),
    ("A", 2, "最も頻度が高いのはどれか。", ["骨折", "脱臼", "捻挫", "打撲", "肉離れ"]),
    ("B", 1, "感染症法で全数届出が必要なのはどれか。", ["結核", "感冒", "水虫", "中耳炎", "虫垂炎"]),
    ("B", 2, "成人の安静時の呼吸数で正常なのはどれか。", ["5", "15", "35", "45", "55"]),
]


COGNET = [
    ("1", "Which nutrient deficiency classically causes scurvy?", ["Vitamin A", "Vitamin C", "Iron", "Zinc", "Iodine"]),
    ("2", "Which gland secretes thyroxine?", ["Adrenal", "Pineal", "Thyroid", "Parotid", "Thymus"]),
    ("3", "Which sign suggests meningeal irritation?", ["Kernig", "Murphy", "Rovsing", "Homans", "Trousseau"]),
]


def _questions() -> list[Question]:
    rows: list[Question] = []

    def add(
        dataset: str, key: str, lang: str, stem: str, kind: str, labels: str, choices: list[str], exam: Any
    ) -> None:
        rows.append(
            Question(f"{dataset}/{key}", dataset, dataset.split("/")[0], key, lang, stem, kind,
                     fingerprint(stem, choices), tuple(labels), tuple(choices), exam)
        )  # fmt: skip

    for key, stem, choices in MEDSCHOOL:
        add("medschool/test", key, "it", stem, "single", "ABCDE", choices, None)
    for paper, number, stem, choices in KOKUSHI:
        key = f"医師/2020/{paper}/{number}"
        add("kokushi_md10/ja", key, "ja", stem, "single", "abcde", choices, ("医師", 2020, paper, number))
    for key, stem, choices in COGNET:
        add("cognet_md/1.0", key, "en", stem, "multiple", "ABCDE", choices, None)
    return rows


QUESTIONS = _questions()


OF = {d: [q for q in QUESTIONS if q.dataset_id == d] for d in ("medschool/test", "kokushi_md10/ja", "cognet_md/1.0")}


INDEX = QuestionIndex(QUESTIONS, {
    d: {"dataset_id": d, "language": OF[d][0].language, "is_sample": True, "is_latest": True} for d in OF
})  # fmt: skip


# ---- writers -------------------------------------------------------------------------------------------------------

Order = list[list[int]]  # for each question, the positions in the order shown


def dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def lines(rows: Sequence[Any]) -> bytes:
    return b"".join(dump(r) + b"\n" for r in rows)


def shown(q: Question, order: list[int]) -> list[str]:
    return [q.choices[p] for p in order]


def letter(order: list[int], choice: int) -> str:
    return "ABCDE"[order.index(choice)]


def prompt(q: Question, order: list[int], style: str = "{}. {}") -> str:
    listed = "\n".join(style.format(c, t) for c, t in zip("ABCDE", shown(q, order), strict=True))
    return f"{q.stem}\n{listed}\nAnswer:"


def lm_eval(qs: list[Question], chosen: list[int], orders: Order, old: bool, cloze: bool) -> Files:
    rows = []
    for i, (q, c, order) in enumerate(zip(qs, chosen, orders, strict=True)):
        texts = shown(q, order)
        scores = [-1.0 - k / 8 for k in range(5)]
        scores[order.index(c)] = -0.25
        if cloze:
            text, endings = f"Domanda: {q.stem}\nRisposta:", texts
        else:
            text, endings = prompt(q, order), list("ABCDE")
        pairs: list[list[Any]] = [[s, False] if old else [str(s), "False"] for s in scores]
        requests = [[text, e] for e in endings]
        arguments: Any = (
            requests if old else {f"gen_args_{k}": {"arg_0": a, "arg_1": b} for k, (a, b) in enumerate(requests)}
        )
        doc = {"id": int(q.source_key), "text": q.stem, "answers": texts, "choices": endings, "gold": 0}
        row = {"doc_id": i, "doc": doc, "target": 0 if old else "0", "arguments": arguments,
               "resps": [[p] for p in pairs], "filtered_resps": pairs, "acc": 0.0}  # fmt: skip
        rows.append(row if old else {**row, "filter": "none", "metrics": ["acc"]})
    results = {
        "results": {"t": {}},
        "configs": {},
        "config": {"model": "hf", "model_args": "pretrained=org/tiny,dtype=auto"},
    }
    stamp = "" if old else "_2026-01-02T03-04-05.678"
    samples = json.dumps(rows, indent=1).encode() if old else lines(rows)
    return {f"out/samples_t{stamp}.jsonl": samples, f"out/results{stamp}.json": dump(results)}


def lm_eval_generated(qs: list[Question], chosen: list[int], orders: Order) -> Files:
    rows = []
    for i, (q, c, order) in enumerate(zip(qs, chosen, orders, strict=True)):
        row = {"doc_id": i, "doc": {"id": q.source_key, "text": q.stem, "answers": shown(q, order)},
               "arguments": {"gen_args_0": {"arg_0": prompt(q, order), "arg_1": {"until": []}}},
               "resps": [[f"Answer: {letter(order, c)}"]], "filtered_resps": ["[invalid]"]}  # fmt: skip
        rows += [{**row, "filter": name} for name in ("strict", "flexible")]
    return {"out/samples_g_2026-01-02T03-04-05.6.jsonl": lines(rows), "out/card.toml": b'model = "tiny"\n'}


def kokushi_results(qs: list[Question], chosen: list[int], orders: Order) -> Files:
    papers: dict[str, list[dict[str, str]]] = {}
    for q, c in zip(qs, chosen, strict=True):
        assert q.exam
        papers.setdefault(str(q.exam[2]).lower(), []).append({"index": str(q.exam[3]), "pred": "abcde"[c]})
    return {
        f"results/Org/tiny/text/医師/医師_2020_{p}_pred.json": json.dumps(rows, indent=1).encode()
        for p, rows in papers.items()
    }


def igakuqa(qs: list[Question], chosen: list[int], orders: Order) -> Files:
    papers: dict[str, list[dict[str, str]]] = {}
    for q, c in zip(qs, chosen, strict=True):
        assert q.exam
        row = {"problem_id": f"114{q.exam[2]}{q.exam[3]}", "prediction": "abcde"[c], "explanation": ""}
        papers.setdefault(str(q.exam[2]), []).append(row)
    return {f"base/2020/114-{p}_tiny.jsonl": lines(rows) for p, rows in papers.items()}


def _inspect_samples(qs: list[Question], chosen: list[int], orders: Order) -> list[dict[str, Any]]:
    return [
        {"id": k, "epoch": 1, "input": q.stem, "choices": shown(q, o), "target": "A",
         "output": {"choices": [{"message": {"role": "assistant", "content": f"ANSWER: {letter(o, c)}"}}]}}
        for k, (q, c, o) in enumerate(zip(qs, chosen, orders, strict=True))
    ]  # fmt: skip


_SPEC = {"model": "org/tiny", "created": "2026-01-02T03:04:05+02:00", "dataset": {"name": "x"}, "task": "x"}


def inspect_json(qs: list[Question], chosen: list[int], orders: Order) -> Files:
    log = {"version": 2, "status": "success", "eval": _SPEC, "samples": _inspect_samples(qs, chosen, orders)}
    return {"logs/a.json": json.dumps(log, indent=1).encode()}


def inspect_eval(qs: list[Question], chosen: list[int], orders: Order, method: int) -> Files:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as z:
        for s in _inspect_samples(qs, chosen, orders):
            z.writestr(f"samples/{s['id']}_epoch_1.json", dump(s))
        z.writestr("header.json", dump({"version": 2, "eval": _SPEC}))
    return {"logs/a.eval": body.getvalue()}


def helm(qs: list[Question], chosen: list[int], orders: Order, separate: bool) -> Files:
    states = []
    for k, (q, c, o) in enumerate(zip(qs, chosen, orders, strict=True)):
        references = [{"output": {"text": t}, "tags": []} for t in shown(q, o)]
        instance = {"id": f"id{k}", "input": {"text": q.stem}, "references": references}
        if separate:
            states += [
                {"instance": instance, "train_trial_index": 0, "reference_index": i, "request_mode": "original",
                 "result": {"completions": [{"text": "", "logprob": -11.0, "tokens": [
                     {"text": q.stem, "logprob": -9.0},
                     {"text": " " + q.choices[position], "logprob": -2.0 + (position == c)}]}]}}
                for i, position in enumerate(o)
            ]  # fmt: skip
        else:
            states.append(
                {"instance": instance, "train_trial_index": 0,
                 "output_mapping": dict(zip("ABCDE", shown(q, o), strict=True)),
                 "result": {"request_datetime": 1762354922,
                            "completions": [{"text": f" {letter(o, c)}", "logprob": -1.0}]}}
            )  # fmt: skip
    method = "multiple_choice_separate_original" if separate else "multiple_choice_joint"
    return {
        "run/scenario_state.json": dump(
            {"adapter_spec": {"method": method, "model": "org/tiny"}, "request_states": states}
        ),
        "run/run_spec.json": dump({"name": "x", "scenario_spec": {}, "adapter_spec": {}}),
    }


def lighteval(qs: list[Question], chosen: list[int], orders: Order, old: bool, scored: bool) -> Files:
    rows: list[dict[str, Any]] = []
    for q, c, o in zip(qs, chosen, orders, strict=True):
        scores = [0.0 if p == c else -1.0 for p in o] if scored else []
        texts = [] if scored else [f"The answer is {letter(o, c)}"]
        if old:
            rows.append({"example": prompt(q, o), "full_prompt": prompt(q, o), "predictions": str(texts),
                         "choices": str([f" {x}" for x in "ABCDE"]), "pred_logits": str(scores)})  # fmt: skip
        else:
            doc = {"query": prompt(q, o), "choices": [f" {x}" for x in "ABCDE"], "gold_index": [0]}
            rows.append({"doc": doc, "model_response": {"input": "", "text": texts, "logprobs": scores}})
    body = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(body)
    stamp = "2026-01-02T03-04-05.6"
    return {
        f"o/details/org/tiny/{stamp}/details_custom|x|0_{stamp}.parquet": body.getvalue(),
        f"o/results/org/tiny/results_{stamp}.json": dump({"config_general": {"model_name": "org/tiny"}, "results": {}}),
    }


def opencompass(qs: list[Question], chosen: list[int], orders: Order, ppl: bool) -> Files:
    samples: dict[str, Any] = {}
    for k, (q, c, o) in enumerate(zip(qs, chosen, orders, strict=True)):
        turn = [{"role": "HUMAN", "prompt": prompt(q, o, "{}) {}")}]
        if ppl:
            labelled = {f"label: {x}": {"PPL": 1.0 if o[i] == c else 2.0 + i} for i, x in enumerate("ABCDE")}
            samples[str(k)] = {"origin_prompt": prompt(q, o, "{}) {}"), **labelled, "prediction": letter(o, c)}
        else:
            samples[str(k)] = {"origin_prompt": turn, "prediction": f"答案是 {letter(o, c)}。\nAnswer: {letter(o, c)}"}
    return {"outputs/20260102_030405/predictions/tiny/exam.json": json.dumps(samples, indent=4).encode()}


def openai_batch(qs: list[Question], chosen: list[int], orders: Order, by_id: bool) -> Files:
    asked, answered = [], []
    for k, (q, c, o) in enumerate(zip(qs, chosen, orders, strict=True)):
        ident = q.question_id if by_id else f"request-{k}"
        o = list(range(5)) if by_id else o
        said = f"The correct answer is {letter(o, c)}."
        asked.append({"custom_id": ident, "method": "POST", "url": "/v1/chat/completions",
                      "body": {"model": "tiny", "messages": [{"role": "user", "content": prompt(q, o)}]}})  # fmt: skip
        answered.append({"id": f"b{k}", "custom_id": ident, "error": None, "response": {"status_code": 200, "body": {
            "model": "tiny", "created": 1767323045,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]}}})  # fmt: skip
    answered.reverse()
    files = {"batch/output.jsonl": lines(answered)}
    return files if by_id else {**files, "batch/input.jsonl": lines(asked)}


def asked(qs: list[Question], chosen: list[int], orders: Order, ranked: bool) -> Files:
    head = {
        "medexams_ask": "1.0",
        "model": "tiny",
        "dataset": qs[0].dataset_id,
        "form": "cloze" if ranked else "generated",
    }
    rows: list[dict[str, Any]] = [head]
    for q, c, o in zip(qs, chosen, orders, strict=True):
        row: dict[str, Any] = {"question_id": q.question_id, "attempt": 1, "choices": shown(q, o), "labels": [*"ABCDE"]}
        if ranked:
            best = o.index(c)
            row |= {"ranked": shown(q, o), "scores": [-1.0 - (i != best) for i in range(5)], "chosen": best}
            row |= {"chosen_by_length": best}
        else:
            row |= {"response": f"The correct answer is {letter(o, c)}."}
        rows += [{"question_id": q.question_id, "attempt": 1, "error": "503"}, row]
    return {"ask/tiny/run.jsonl": lines(rows)}


def cognet(qs: list[Question], chosen: list[int], orders: Order, wide: bool) -> Files:
    columns = ["Questions", "CorrectResponse", "Specialty", *(["tiny"] if wide else ["model", "response"])]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    for q, c, o in zip(qs, chosen, orders, strict=True):
        text = q.stem + "".join(f" {x}. {t}" for x, t in zip("ABCDE", shown(q, o), strict=True))
        writer.writerow([text, "A", "Psychiatry", *([] if wide else ["tiny"]), letter(o, c)])
    return {"c/run.csv": out.getvalue().encode()}


def table(qs: list[Question], chosen: list[int], orders: Order, kind: str, by: str) -> Files:
    rows: list[dict[str, Any]] = []
    for q, c, o in zip(qs, chosen, orders, strict=True):
        row: dict[str, Any] = {"model": "tiny", "prediction": q.labels[c]}
        if by == "question_id":
            row |= {"question_id": q.question_id}
        elif by == "source_key":
            row |= {"dataset": q.dataset_id, "source_key": q.source_key}
        elif by == "exam":
            assert q.exam
            row |= {"profession": q.exam[0], "year": q.exam[1], "paper": q.exam[2], "index": q.exam[3]}
        else:
            row |= {"question": q.stem, **{f"option_{x}": t for x, t in zip("abcde", shown(q, o), strict=True)}}
            row["prediction"] = letter(o, c)
        rows.append(row)
    if kind == "jsonl":
        return {"t/run.jsonl": lines(rows)}
    if kind == "json":
        return {"t/run.json": json.dumps(rows, indent=2).encode("utf-16")}
    if kind == "parquet":
        body = io.BytesIO()
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(body)
        return {"t/run.parquet": body.getvalue()}
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";" if kind == "csv;" else ",")
    writer.writeheader()
    writer.writerows(rows)
    return {"t/run.csv": ("\ufeff" + out.getvalue()).encode()}


M, K, C = OF


Writer = Callable[[list[Question], list[int], Order], Files]


WRITERS: dict[str, tuple[str, str, Writer]] = {
    "lm_eval array mc": (M, "lm_eval", lambda q, c, o: lm_eval(q, c, o, True, False)),
    "lm_eval lines mc": (M, "lm_eval", lambda q, c, o: lm_eval(q, c, o, False, False)),
    "lm_eval array cloze": (M, "lm_eval", lambda q, c, o: lm_eval(q, c, o, True, True)),
    "lm_eval lines cloze": (M, "lm_eval", lambda q, c, o: lm_eval(q, c, o, False, True)),
    "lm_eval generated": (M, "lm_eval", lm_eval_generated),
    "kokushi_results": (K, "kokushi_results", kokushi_results),
    "igakuqa": (K, "igakuqa", igakuqa),
    "inspect json": (K, "inspect", inspect_json),
    "inspect eval deflate": (M, "inspect", lambda q, c, o: inspect_eval(q, c, o, zipfile.ZIP_DEFLATED)),
    "inspect eval zstd": (M, "inspect", lambda q, c, o: inspect_eval(q, c, o, zipfile.ZIP_ZSTANDARD)),
    "helm joint": (K, "helm", lambda q, c, o: helm(q, c, o, False)),
    "helm separate": (M, "helm", lambda q, c, o: helm(q, c, o, True)),
    "lighteval old text": (M, "lighteval", lambda q, c, o: lighteval(q, c, o, True, False)),
    "lighteval new scored": (K, "lighteval", lambda q, c, o: lighteval(q, c, o, False, True)),
    "lighteval new text": (M, "lighteval", lambda q, c, o: lighteval(q, c, o, False, False)),
    "opencompass gen": (K, "opencompass", lambda q, c, o: opencompass(q, c, o, False)),
    "opencompass ppl": (M, "opencompass", lambda q, c, o: opencompass(q, c, o, True)),
    "openai_batch prompts": (K, "openai_batch", lambda q, c, o: openai_batch(q, c, o, False)),
    "openai_batch ids": (M, "openai_batch", lambda q, c, o: openai_batch(q, c, o, True)),
    "medexams_ask": (M, "medexams_ask", lambda q, c, o: asked(q, c, o, False)),
    "medexams_ask ranked": (M, "medexams_ask", lambda q, c, o: asked(q, c, o, True)),
    "cognet": (C, "cognet", lambda q, c, o: cognet(q, c, o, False)),
    "cognet wide": (C, "cognet", lambda q, c, o: cognet(q, c, o, True)),
    "table jsonl id": (K, "table", lambda q, c, o: table(q, c, o, "jsonl", "question_id")),
    "table csv text": (C, "table", lambda q, c, o: table(q, c, o, "csv", "text")),
    "table csv exam": (K, "table", lambda q, c, o: table(q, c, o, "csv;", "exam")),
    "table json key": (M, "table", lambda q, c, o: table(q, c, o, "json", "source_key")),
    "table parquet text": (M, "table", lambda q, c, o: table(q, c, o, "parquet", "text")),
}


@st.composite
def runs(draw: st.DrawFn, dataset: str) -> tuple[list[Question], list[int], Order]:
    """Some questions of a dataset in any order, a choice for each, and how its choices were shuffled."""
    qs = draw(st.lists(st.sampled_from(OF[dataset]), min_size=1, max_size=4, unique_by=lambda q: q.question_id))
    chosen = [draw(st.integers(0, 4)) for _ in qs]
    return qs, chosen, [draw(st.permutations(range(5))) for _ in qs]
