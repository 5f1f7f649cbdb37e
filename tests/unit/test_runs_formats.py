"""Every format of prediction files: written and read back it gives the same predictions; broken, it harms nothing.

The questions and the writers are made for these tests. A writer takes the questions, the position that the model chose
of each, and a shuffling of the choices shown; it answers files by name.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import sys
import tarfile
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.questions.identity import fingerprint
from pipelines.runs.formats import formats
from pipelines.runs.imported import Imported
from pipelines.runs.matching import Question, QuestionIndex
from pipelines.runs.planning import plan
from pipelines.schema import TABLES
from pipelines.text.limits import Limits
from tests.reading import in_memory, read_all

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


def read(files: Files) -> Imported:
    result = read_all(in_memory(files), INDEX, AT)
    for name, frame in result.frames().items():
        assert frame.columns == list(TABLES[name].column_names)
        keys = TABLES[name].key
        assert not keys or frame.select(keys).is_unique().all()
        for column in TABLES[name].columns:
            assert column.nullable or not frame[column.name].has_nulls(), (name, column.name)
            assert not column.values or set(frame[column.name].drop_nulls()) <= set(column.values)
    return result


def selections(result: Imported) -> dict[str, int | None]:
    return {p["question_id"]: p["selection"] for p in result.prediction}


def test_every_format_has_a_writer() -> None:
    assert {fmt for _, fmt, _ in WRITERS.values()} == set(formats())


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_written_and_read_back(name: str, data: st.DataObject) -> None:
    dataset, fmt, write = WRITERS[name]
    qs, chosen, orders = data.draw(runs(dataset))
    files = write(qs, chosen, orders)
    planned = plan(in_memory(files))
    assert [g.format for g in planned.groups] == [fmt]
    result = read(files)
    assert not result.rejected_file and not result.unmatched_prediction
    want = {q.question_id: 1 << c for q, c in zip(qs, chosen, strict=True)}
    assert all(p["status"] == "answered" for p in result.prediction)
    plain = [r for r in result.run if "length-normalised" not in (r["description"] or "")]
    assert [(r["model"].rpartition("/")[2], r["dataset_id"]) for r in plain] == [("tiny", dataset)]
    ids = {r["run_id"] for r in plain}
    assert {p["question_id"]: p["selection"] for p in result.prediction if p["run_id"] in ids} == want


# ---- hostile files -------------------------------------------------------------------------------------------------

GOOD = {"good/run.jsonl": table(OF[M], [0, 1, 2, 3], [list(range(5))] * 4, "jsonl", "question_id")["t/run.jsonl"]}
GOOD = {name: body.replace(b'"tiny"', b'"good"') for name, body in GOOD.items()}
GOOD_ROWS = selections(read(GOOD))
SAMPLES = {
    name: write(OF[d], [k % 5 for k in range(len(OF[d]))], [[4, 3, 2, 1, 0]] * len(OF[d]))
    for name, (d, _, write) in WRITERS.items()
}
WRONG: list[Any] = [
    None,
    True,
    -1,
    1e308,
    float("nan"),
    10**40,
    "",
    "\ud800",
    "\0",
    "x" * 10_000,
    [],
    {},
    [[]],
    {"a": {"b": []}},
    [None],
]


def wrong_types(data: bytes, rng: random.Random) -> bytes:
    """The same JSON with some values replaced by values of other types."""
    try:
        value = (
            [json.loads(line) for line in data.splitlines()]
            if data[:1] == b"{" and data.count(b"\n{")
            else json.loads(data)
        )
    except (ValueError, RecursionError):
        return cut(data, rng)
    spots: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        node = stack.pop()
        items = (
            list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
        )
        for k, v in items:
            spots.append((node, k))
            stack.append(v)
    for node, k in rng.sample(spots, min(len(spots), rng.randint(1, 4))):
        node[k] = rng.choice(WRONG)
    if data.count(b"\n{") and isinstance(value, list):
        return b"\n".join(json.dumps(v).encode() for v in value)
    return json.dumps(value).encode()


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if out:
            out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def mix(data: bytes, rng: random.Random) -> bytes:
    other = rng.choice([b for files in SAMPLES.values() for b in files.values()])
    at = rng.randrange(len(data) + 1)
    return rng.choice([data[:at] + other[at:], data + other, other[: len(other) // 2] + data, data + b"\n" + data])


def recode(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "cp932", "latin-1", "utf-7"]), "replace")


def nest(data: bytes, rng: random.Random) -> bytes:
    deep = rng.choice([b'{"a":', b"[", b'[{"doc_id":0,"doc":']) * rng.choice([500, 50_000])
    at = rng.randrange(len(data) + 1)
    return rng.choice([deep, deep + data, data[:at] + deep + data[at:], data.replace(b": ", b": " + deep, 1)])


def swell(data: bytes, rng: random.Random) -> bytes:
    return rng.choice([data + b" " * 300_000, b"\n" * 100_000 + data, data.replace(b"A", b"A" * 20_000, 3), data * 30])


MUTATIONS = (wrong_types, cut, flip, mix, recode, nest, swell)


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=25, deadline=timedelta(seconds=20), suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 2))
def test_broken_files_never_raise_and_never_cost_another_file(name: str, seed: int, count: int) -> None:
    rng = random.Random(seed)
    files = dict(SAMPLES[name])
    for _ in range(count):
        target = rng.choice(list(files))
        files[target] = rng.choice(MUTATIONS)(files[target], rng)
    result = read({**files, **GOOD})
    good = {r["run_id"] for r in result.run if r["files"] == "good/run.jsonl"}
    assert {p["question_id"]: p["selection"] for p in result.prediction if p["run_id"] in good} == GOOD_ROWS
    assert all(r["reason"] for r in (*result.rejected_file, *result.unmatched_prediction))
    assert [r for r in result.rejected_file if "a defect of medexams" in r["reason"]] == []


@settings(max_examples=150, deadline=timedelta(seconds=5))
@given(body=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda s: s.encode("utf-8", "replace"))))
def test_any_bytes_are_rejected_with_a_reason(body: bytes) -> None:
    result = read({"x/any.jsonl": body, **GOOD})
    assert selections(result) == GOOD_ROWS
    assert [r["path"] for r in result.rejected_file] == ["x/any.jsonl"]


# ---- archives ------------------------------------------------------------------------------------------------------


def zipped(files: Files) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return body.getvalue()


def tarred(files: Files) -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as t:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return body.getvalue()


@pytest.mark.parametrize("name", ["kokushi_results", "lm_eval lines mc", "openai_batch prompts", "inspect eval zstd"])
def test_archives_read_like_folders(name: str) -> None:
    files = SAMPLES[name]
    plain = selections(read(files))
    assert plain
    for archive in (
        {"a.zip": zipped(files)},
        {"a.tgz": gzip.compress(tarred(files))},
        {"a.zip": zipped({"b.zip": zipped(files)})},
    ):
        assert selections(read(archive)) == plain
    assert selections(read({f"{n}.gz": gzip.compress(d) for n, d in files.items()})) == plain


def test_archives_have_limits() -> None:
    limits = Limits(file_bytes=100_000, unpacked_bytes=300_000, members=5, ratio=10, free=50_000)

    def reasons(files: Files) -> list[str]:
        return [r["reason"] for r in plan(in_memory(files), limits=limits).rejected.rejected_file]

    assert "over the limit of 10 times" in reasons({"a.zip": zipped({"x.json": b"0" * 90_000})})[0]
    assert "over the limit of 10 times" in reasons({"x.json.gz": gzip.compress(b"0" * 90_000)})[0]
    assert "MEDEXAMS_MAX_BYTES" in reasons({"x.json.gz": gzip.compress(b"0" * 10_000_000)})[0]
    many = zipped({f"{i}.json": b"0" * 99_000 for i in range(4)})
    assert "MEDEXAMS_MAX_UNPACKED_BYTES" in reasons({"a.zip": many})[0]
    assert "members" in reasons({"a.zip": zipped({f"{i}.json": b"" for i in range(6)})})[0]
    assert "too many others" in reasons({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": b"PK"})})})})[0]
    assert "over the limit" in reasons({"big.csv": b"a" * 100_001})[0]


def test_members_with_hostile_names_stay_labels() -> None:
    body = table(OF[M], [0, 1, 2, 3], [list(range(5))] * 4, "jsonl", "question_id")["t/run.jsonl"]
    result = read({"a.zip": zipped({"../../etc/run.jsonl": body}), "b.tar": tarred({"/abs/../run.jsonl": body})})
    assert {f for r in result.run for f in r["files"].split("\n")} == {"a.zip/etc/run.jsonl"}  # the same run came twice
