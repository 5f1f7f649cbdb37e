"""Matching and grouping: what belongs together, which question is meant, which choice a letter names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines import answers
from pipelines.errors import Unreadable
from pipelines.questions.identity import fingerprint
from pipelines.runs import ingesting
from pipelines.runs.formats.card import Card
from pipelines.runs.imported import Imported
from pipelines.runs.likeness import ABSTAIN, align
from pipelines.runs.matching import Question, QuestionIndex
from pipelines.runs.parsed import Ask
from pipelines.runs.planning import plan, walk
from pipelines.runs.shown import choices_of, options
from pipelines.text import readers
from tests.reading import in_memory, read_all

AT = datetime(2026, 1, 1)


A, B = "medschool/first", "medschool/second"


STEM = "Quale struttura separa il torace dall'addome?"


ROWS = [
    # dataset, key, stem, choices, answer type, exam
    (A, "1", STEM, ("Diaframma", "Pleura", "Peritoneo"), "single", None),
    (A, "2", "Quale affermazione è corretta?", ("Sole è stella", "Luna è stella", "Marte è stella"), "single", None),
    (A, "3", "Quale affermazione è corretta?", ("Ferro metallo", "Cloro metallo", "Zolfo metallo"), "single", None),
    (A, "4", "Dov'è l'ulna?", ("Braccio", "Gamba", "Cranio"), "single", None),
    (B, "9", STEM, ("Peritoneo", "Diaframma", "Pleura"), "single", None),
    (B, "1", "Quale osso è il più lungo del corpo umano?", ("Femore", "Tibia", "Omero"), "single", None),
    ("kokushi_md10/ja", "医師/2020/A/1", "心音で正しいのはどれか。", ("Ⅰ音", "Ⅱ音", "Ⅲ音"), "single",
     ("医師", 2020, "A", 1)),
    ("kokushi_md10/ja", "薬剤/2022/A1/5", "薬物動態の順を選べ。", ("吸収", "分布", "排泄"), "sequence",
     ("薬剤", 2022, "A1", 5)),
]  # fmt: skip


def index(rows: Sequence[tuple[Any, ...]] = ROWS) -> QuestionIndex:
    question, choice = [], []
    exams: dict[str, tuple[str, int]] = {}
    for dataset, key, stem, choices, kind, exam in rows:
        qid = f"{dataset}/{key}"
        exam_id = f"kokushi_md10/{exam[0]}/{exam[1]}" if exam else None
        if exam_id:
            exams[exam_id] = exam[:2]
        question.append({"question_id": qid, "dataset_id": dataset, "benchmark": dataset.split("/")[0],
                         "source_key": key, "exam_id": exam_id, "paper": exam and exam[2],
                         "number": exam and exam[3], "language": "it",
                         "stem": stem, "answer_type": kind, "fingerprint": fingerprint(stem, choices)})  # fmt: skip
        choice += [{"question_id": qid, "position": i, "label": "ABC"[i], "text": t} for i, t in enumerate(choices)]
    datasets = [{"dataset_id": d, "language": "it", "is_sample": False, "is_latest": d != A}
                for d in dict.fromkeys(r[0] for r in rows)]  # fmt: skip
    exam_rows = [{"exam_id": e, "profession": p, "year": y} for e, (p, y) in exams.items()]
    return QuestionIndex.build(
        pl.DataFrame(question, infer_schema_length=None), pl.DataFrame(choice), pl.DataFrame(datasets),
        pl.DataFrame(exam_rows, schema={"exam_id": pl.String, "profession": pl.String, "year": pl.Int32}),
    )  # fmt: skip


INDEX = index()


def jsonl(*rows: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(r).encode() for r in rows)


def read(files: dict[str, bytes], card: Card | None = None) -> Imported:
    result = read_all(in_memory(files), INDEX, AT, card)
    result.frames()
    return result


def one(*rows: dict[str, Any], card: Card | None = None) -> Imported:
    return read({"x/run.jsonl": jsonl(*({"model": "m", **r} for r in rows))}, card)


def picked(result: Imported) -> dict[str, Any]:
    return {p["question_id"]: p["labels"] for p in result.prediction}


def reasons(result: Imported) -> list[str]:
    return [u["reason"] for u in result.unmatched_prediction]


# ---- which question ------------------------------------------------------------------------------------------------


def test_the_order_of_choices_and_the_ids_tell_two_releases_apart() -> None:
    shown = {"question": STEM, "prediction": "B"}
    assert picked(one({**shown, "id": "1", "choices": ["Diaframma", "Pleura", "Peritoneo"]})) == {f"{A}/1": "B"}
    assert picked(one({**shown, "choices": ["Peritoneo", "Diaframma", "Pleura"]})) == {f"{B}/9": "B"}
    assert picked(one({**shown, "id": "9"})) == {f"{B}/9": "B"}
    assert picked(one(shown)) == {f"{B}/9": "B"}  # nothing tells: the newest


def test_letters_follow_the_choices_shown() -> None:
    choices = ["Peritoneo", "Pleura", "Diaframma"]
    assert picked(one({"id": "1", "question": STEM, "prediction": "A", "choices": choices})) == {f"{A}/1": "C"}
    example = "Esempio: Dov'è l'ulna?\n1) Gamba\n2) Braccio\nRisposta: 2\n\n"
    prompt = f"{example}Domanda: {STEM}\n(1) Pleura\n(2) Peritoneo\n(3) Diaframma\n"
    assert picked(one({"prompt": prompt, "response": "3", "dataset": A})) == {f"{A}/1": "A"}


def test_a_letter_beyond_the_choices_shown_is_not_one_of_theirs() -> None:
    """Two of three choices were shown: C names none of these, although the question has a third."""
    rows = [{"question_id": f"{A}/1", "prediction": said, "choices": ["Peritoneo", "Diaframma"]} for said in ("C", "B")]
    assert [picked(one(row)) for row in rows] == [{f"{A}/1": None}, {f"{A}/1": "A"}]


def test_half_a_character_in_a_label_costs_no_other_row() -> None:
    """JSON may hold a lone surrogate, which no table can."""
    said = {"attempt": 1, "response": "B", "choices": ["Peritoneo", "Pleura", "Diaframma"]}
    head = {"medexams_ask": "1", "model": "m", "dataset": A}
    rows = [{"question_id": f"{A}/1", "labels": ["\ud800", "B", "C"], **said}, {"question_id": f"{A}/4", **said}]
    rows[1] |= {"choices": ["Gamba", "Braccio", "Cranio"]}
    found = read({"x/run.jsonl": jsonl(head, *rows) + b"\n"})
    assert not found.rejected_file
    assert picked(found) == {f"{A}/1": "B", f"{A}/4": "A"}


@pytest.mark.parametrize("chosen", [3, -1])
def test_a_place_that_no_ranked_choice_has_is_said(chosen: int) -> None:
    head = {"medexams_ask": "1", "model": "m", "dataset": A, "form": "mc"}
    row = {"question_id": f"{A}/4", "attempt": 1, "ranked": ["A", "B", "C"], "chosen": chosen}
    found = read({"x/run.jsonl": jsonl(head, row) + b"\n"})
    assert reasons(found) == [f"choice {chosen + 1}, which the tool ranked first, is not one of the question's"]


def test_one_stem_with_other_choices_is_another_question() -> None:
    ask = {"question": "Quale affermazione è corretta?", "prediction": "A"}
    metal = ["Zolfo metallo", "Ferro metallo", "Cloro metallo"]
    assert picked(one({**ask, "choices": metal})) == {f"{A}/3": "C"}
    foreign = one({**ask, "choices": ["Parigi è in Francia", "Roma è in Spagna", "Oslo è in Italia"]})
    assert not foreign.prediction and "other choices" in reasons(foreign)[0]


def test_an_id_is_not_believed_against_the_text() -> None:
    result = one({"id": "1", "dataset": B, "question": "Chi scrisse la Divina Commedia?", "prediction": "A"})
    assert not result.prediction and "another text" in reasons(result)[0]
    assert picked(
        one({"id": "1", "dataset": B, "question": "Quale osso è il più lungo del corpo umano??", "prediction": "A"})
    )
    assert picked(one({"id": "1", "dataset": B, "prediction": "A"})) == {f"{B}/1": "A"}
    nowhere = one({"id": "1", "prediction": "A"})
    assert not nowhere.prediction and "which dataset" in reasons(nowhere)[0]


def test_a_very_short_stem_must_be_a_line_and_entities_are_decoded() -> None:
    text = "Rispondi.\nDomanda: Dov&#39;è l&#39;ulna?\nA. Cranio\nB. Braccio\nC. Gamba\n"
    assert picked(one({"prompt": text, "response": "B"})) == {f"{A}/4": "A"}


def test_exam_paper_and_number() -> None:
    row = {"profession": "医師", "year": 2020, "paper": "a", "index": 1, "prediction": "b"}
    assert picked(one(row)) == {"kokushi_md10/ja/医師/2020/A/1": "B"}
    assert picked(
        one({**row, "profession": "薬剤", "year": "2022", "paper": None, "index": "5", "prediction": "B-A-C"})
    ) == {"kokushi_md10/ja/薬剤/2022/A1/5": "B-A-C"}
    assert reasons(one({**row, "index": 7})) == ["医師 2020 A has no question 7"]
    assert "does not hold the exam 医師 2031" in reasons(one({**row, "year": 2031}))[0]


def test_a_sequence_keeps_its_order_through_a_shuffle() -> None:
    row = {"question": "薬物動態の順を選べ。", "prediction": "C-A-B", "choices": ["分布", "排泄", "吸収"]}
    found = one(row).prediction[0]
    assert (found["labels"], found["value"]) == ("A-B-C", answers.read("A-B-C", "sequence", "ABC").value)


def test_position_is_the_last_resort_and_is_said() -> None:
    table = b"number,prediction\n" + b"\n".join(b"x,%c" % c for c in b"ABCA")
    result = read({"x/run.csv": table}, Card(model="m", dataset=A))
    assert not result.prediction  # a name that means nothing is not left aside for the position
    lines = jsonl(*({"question_id": None, "model": "m", "prediction": c} for c in "ABCA"))
    result = read({"x/run.jsonl": lines}, Card(dataset=A))
    assert [p["labels"] for p in result.prediction] == list("ABCA")
    assert "matched by position" in result.run[0]["description"]
    assert not read({"x/run.jsonl": lines}, Card(dataset=B)).prediction  # the counts differ


def test_a_dataset_that_a_person_names_is_final() -> None:
    row = {"question": STEM, "prediction": "A"}
    assert picked(one(row, card=Card(dataset=A))) == {f"{A}/1": "A"}
    assert "belongs to" in reasons(one(row, card=Card(dataset="kokushi_md10")))[0]
    assert "'nonsense' is not in the warehouse" in reasons(one(row, card=Card(dataset="nonsense")))[0]


def test_a_table_over_two_benchmarks_is_two_runs() -> None:
    keys = (f"{A}/1", "kokushi_md10/ja/医師/2020/A/1", "gone/1")
    result = one(*({"question_id": k, "prediction": "A"} for k in keys))
    assert {r["dataset_id"] for r in result.run} == {A, "kokushi_md10/ja"}
    assert len(result.prediction) == 2 and len(result.unmatched_prediction) == 1


# ---- which choice --------------------------------------------------------------------------------------------------


def test_align() -> None:
    own = ("x < 0", "x > 0", "nessuna")
    assert align(["x > 0", "nessuna", "x < 0"], own) == [1, 2, 0]
    assert align(["x < 0", "X > 0 ", "nessuna", "Preferisco non rispondere"], own) == [0, 1, 2, ABSTAIN]
    assert align(["x<0", "x>0", "niente"], own) == [0, 1, 2]  # one is left on either side
    assert align(["Sole", "Luna", "nessuna"], own) == [None, None, 2]
    assert align(["a", "a", "b"], ("b", "a", "a")) == [1, 2, 0]


def lm_eval(scores: Sequence[float], **more: Any) -> dict[str, Any]:
    pairs = [[s, False] for s in scores]
    doc = {"id": 1, "text": STEM, "answers": ["Diaframma", "Pleura", "Peritoneo"], "choices": list("ABCD")}
    prompt = f"Domanda: {STEM}\nA. Diaframma\nB. Pleura\nC. Peritoneo\nD. Preferisco non rispondere\nRisposta: "
    return {"doc_id": 0, "doc": doc, "arguments": [[prompt, x] for x in "ABCD"], "resps": [[p] for p in pairs],
            "filtered_resps": pairs, **more}  # fmt: skip


def test_log_likelihoods() -> None:
    def said(row: dict[str, Any]) -> tuple[str, Any]:
        result = read({"x/s.jsonl": jsonl(row)}, Card(model="m"))
        (p,) = result.prediction
        assert [r["format"] for r in result.run] == ["mc"]
        return p["status"], p["labels"]

    assert said(lm_eval([-3, -1, -2, -4])) == ("answered", "B")
    assert said(lm_eval([-3, -3, -3, -4])) == ("answered", "A")  # the first of equals
    assert said(lm_eval([-3, -3, -3, -1])) == ("abstained", None)
    assert said(lm_eval([float("-inf"), -3, -3.5, -9])) == ("answered", "B")
    assert said(lm_eval([float("nan"), -3, -3, -1])) == ("error", None)


def test_an_abstention_among_the_choices_shown_is_one_in_text_too() -> None:
    row = {"question": STEM, "choices": ["Pleura", "Diaframma", "Peritoneo", "Preferisco non rispondere"]}
    assert [p["status"] for p in one({**row, "prediction": "D"}).prediction] == ["abstained"]
    assert [p["labels"] for p in one({**row, "prediction": "B", "dataset": A}).prediction] == ["A"]


# ---- runs ----------------------------------------------------------------------------------------------------------


def test_attempts_are_kept_apart() -> None:
    row = {"question_id": f"{A}/1"}
    given = one({**row, "prediction": "A", "attempt": 2}, {**row, "prediction": "B", "attempt": 1})
    assert {p["attempt"]: p["labels"] for p in given.prediction} == {1: "B", 2: "A"}
    counted = one({**row, "prediction": "A"}, {**row, "prediction": "B"}, {**row, "prediction": ""})
    assert [(p["attempt"], p["status"]) for p in counted.prediction] == [(1, "answered"), (2, "answered"), (3, "empty")]
    sample = {"doc_id": 0, "doc": {"text": STEM}, "resps": [["A", "B", "A"]], "filtered_resps": ["A"]}
    repeats = read(
        {"x/s.jsonl": jsonl({**sample, "filter": "f1"}, {**sample, "filter": "f2"})}, Card(model="m", dataset=A)
    )
    assert [(p["attempt"], p["labels"]) for p in repeats.prediction] == [(1, "A"), (2, "B"), (3, "A")]


def test_files_that_answer_the_same_are_two_runs_and_parts_are_one() -> None:
    first, second = ({"model": "m", "question_id": f"{A}/{k}", "prediction": "A"} for k in "12")
    parts = read({"in/x/a.jsonl": jsonl(first), "in/x/b.jsonl": jsonl(second)})
    assert [r["files"] for r in parts.run] == ["in/x/a.jsonl\nin/x/b.jsonl"]
    again = read({"in/x/a.jsonl": jsonl(first), "in/x/b.jsonl": jsonl(second, first)})
    assert sorted(r["files"] for r in again.run) == ["in/x/a.jsonl", "in/x/b.jsonl"]
    assert len({r["run_id"] for r in again.run}) == 2
    loose = read({"in/a.jsonl": jsonl(first), "in/b.jsonl": jsonl(second)})
    assert [r["files"] for r in loose.run] == ["in/a.jsonl\nin/b.jsonl"]
    apart = read({"in/a.jsonl": jsonl(first), "in/b.jsonl": jsonl({**second, "model": "other"})})
    assert len(apart.run) == 2


def test_the_same_file_twice_is_read_once_and_said() -> None:
    row = jsonl({"model": "m", "question_id": f"{A}/1", "prediction": "A"})
    twice = read({"in/a.jsonl": row, "in/b.jsonl": row, "in/deep/c.jsonl": row})
    assert [r["files"] for r in twice.run] == ["in/a.jsonl"]
    said = {r["path"]: r["reason"] for r in twice.rejected_file}
    assert said.keys() == {"in/b.jsonl", "in/deep/c.jsonl"} and all("in/a.jsonl" in why for why in said.values())


def test_rows_repeated_word_for_word_are_one_prediction() -> None:
    row = {"question_id": f"{A}/1", "prediction": "A"}
    once = one(row, row, {**row, "prediction": "B"})
    assert [(p["attempt"], p["labels"]) for p in once.prediction] == [(1, "A"), (2, "B")]
    assert "rows repeated word for word (1)" in once.run[0]["description"]
    counted = one({**row, "attempt": 1}, {**row, "attempt": 2})
    assert [(p["attempt"], p["labels"]) for p in counted.prediction] == [(1, "A"), (2, "A")]


def test_evaluations_side_by_side_are_one_run_unless_they_ask_the_same() -> None:
    def log(stamp: str, *keys: int) -> dict[str, bytes]:
        tasks = {
            k: lm_eval([-1, -2, -3, -4], doc={"text": ROWS[k][2], "answers": ROWS[k][3], "choices": list("ABCD")})
            for k in keys
        }
        results = {"results": {}, "configs": {}, "config": {"model": "hf", "model_args": "pretrained=m"}, "date": 1.7e9}
        samples = {f"out/m/samples_{k}_2026-01-0{stamp}T01-02-03.4.jsonl": jsonl(row) for k, row in tasks.items()}
        return {**samples, f"out/m/results_2026-01-0{stamp}T01-02-03.4.json": json.dumps(results).encode()}

    apart = read({**log("1", 0), **log("2", 1)})
    assert [r["files"].count("samples") for r in apart.run] == [2]
    assert sorted(r["files"].count("samples") for r in read({**log("1", 0), **log("2", 0, 1)}).run) == [1, 2]


def test_the_run_id_is_model_dataset_and_hash_of_the_file() -> None:
    body = jsonl({"model": "Org/Big Model v1", "question_id": f"{A}/1", "prediction": "A"})
    run = read({"x/a.jsonl": body}).run[0]
    sha = plan(in_memory({"x/a.jsonl": body})).groups[0].files[0].sha256
    assert run["run_id"] == f"org-big-model-v1/medschool-first/{sha[:8]}" and run["sha256"] == sha
    assert run["created_at"] == AT


def test_the_same_run_in_two_places_is_kept_once() -> None:
    body = jsonl({"model": "m", "question_id": f"{A}/1", "prediction": "A"})
    result = read({"x/a.jsonl": body, "y/a.jsonl": body})
    assert len(result.run) == len(result.prediction) == 1


def test_the_cache_key_changes_with_all_that_matters() -> None:
    body = jsonl({"model": "m", "question_id": f"{A}/1", "prediction": "A"})

    def key(name: str, data: bytes, card: Card | None = None, questions: QuestionIndex = INDEX) -> str:
        (group,) = plan(in_memory({name: data}), card).groups
        return ingesting.cache_key(group, questions)

    base = key("x/a.jsonl", body)
    assert base == key("x/a.jsonl", body)
    assert len({base, key("x/b.jsonl", body), key("x/a.jsonl", body + b"\n"), key("x/a.jsonl", body, Card(model="n")),
                key("x/a.jsonl", body, None, index(ROWS[:3]))}) == 5  # fmt: skip


def test_a_broken_part_costs_only_itself() -> None:
    good = json.dumps([{"index": "1", "pred": "a"}]).encode()
    result = read(
        {
            "results/Org/m/text/医師/医師_2020_a_pred.json": good,
            "results/Org/m/text/医師/医師_2020_b_pred.json": good[:-5],
        }
    )
    assert picked(result) == {"kokushi_md10/ja/医師/2020/A/1": "A"}
    assert [r["path"][-18:] for r in result.rejected_file] == ["医師_2020_b_pred.json"[-18:]]
    run = result.run[0]
    assert (run["model"], run["vendor"], run["modality"], run["kind"]) == ("m", "Org", "text", "model")


def test_cards() -> None:
    row = jsonl({"question_id": f"{A}/1", "prediction": "A"})
    files = {
        "x/run.jsonl": row,
        "x/card.toml": b'model = "from-card"\nuse_case = "beta"\ndomain = "anatomy"\nkind = "human"',
    }
    run = read(files).run[0]
    assert (run["model"], run["use_case"], run["kind"]) == ("from-card", "beta", "human")
    assert "anatomy" in run["description"]
    assert read(files, Card(model="given")).run[0]["model"] == "given"
    assert read({**files, "x/run.card.toml": b'model = "nearest"'}).run[0]["model"] == "nearest"
    assert read({"x/deep/er/run.jsonl": row, "x/card.toml": files["x/card.toml"]}).run[0]["model"] == "from-card"
    named = jsonl({"model": "m", "question_id": f"{A}/1", "prediction": "A"})
    assert read({"x/run.jsonl": named, "x/card.toml": files["x/card.toml"]}).run[0]["model"] == "m"
    assert "which model" in read({"x/run.jsonl": row}).rejected_file[0]["reason"]
    papers = {f"医師_2020_{p}_pred.json": json.dumps([{"index": "1", "pred": "a"}]).encode() for p in "ab"}
    carded = {f"in/{n}.card.toml": b'model = "m"' for n in papers}
    (group,) = plan(in_memory({**{f"in/{n}": b for n, b in papers.items()}, **carded})).groups
    assert group.card == Card(model="m") and len(group.files) == 2
    for broken in (b"model = ", b'colour = "red"', b"model = []", b'kind = "robot"', b"\xff"):
        assert [r["format"] for r in read({"x/card.toml": broken}).rejected_file] == ["card"]


def test_failed_requests_are_errors_not_answers() -> None:
    row = {"custom_id": f"{A}/1", "response": {"status_code": 500, "body": {}}, "error": {"message": "overloaded"}}
    output = [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "C"}]}]
    fine = {"custom_id": f"{A}/2", "response": {"status_code": 200, "body": {"model": "m", "output": output}}}
    result = read({"b/out.jsonl": jsonl(row, fine)})
    assert {p["question_id"]: (p["status"], p["labels"]) for p in result.prediction} == {
        f"{A}/1": ("error", None), f"{A}/2": ("answered", "C"),
    }  # fmt: skip


def test_walk_names_files_below_the_folder_and_keeps_whose_results_they_are(tmp_path: Path) -> None:
    paper = tmp_path / "results/Org/m/text/医師/医師_2020_a_pred.json"
    paper.parent.mkdir(parents=True)
    paper.write_text('[{"index": "1", "pred": "a"}]', encoding="utf-8")
    names = {tuple(walk(p)) for p in (paper, paper.parent, paper.parents[1], paper.parents[2], paper.parents[3])}
    assert names <= {("Org/m/text/医師/医師_2020_a_pred.json",), ("m/text/医師/医師_2020_a_pred.json",)}
    assert list(walk(tmp_path / "results")) == ["results/Org/m/text/医師/医師_2020_a_pred.json"]
    run = read_all(walk(paper), INDEX, AT).run[0]
    assert (run["model"], run["vendor"]) == ("m", "Org")


# ---- reading -------------------------------------------------------------------------------------------------------


def test_options_of_a_prompt() -> None:
    assert options("q\nA. one\nB. two\n  more\nC. three\nAnswer:")[:2] == (
        ("A", "B", "C"),
        ("one", "two more", "three"),
    )
    assert options("Which? A. Iron B. Zinc C. Lead")[:2] == (("A", "B", "C"), ("Iron", "Zinc", "Lead"))
    assert options("問\nア．骨折\nイ．脱臼")[:2] == (("ア", "イ"), ("骨折", "脱臼"))
    assert options("ex\nA) x\nB) y\n\nnow\n(1) p\n(2) q\n")[:2] == (("1", "2"), ("p", "q"))
    assert options("no list here")[:2] == ((), ())
    assert choices_of({"choices": {"text": ["p", "q"], "label": ["A", "B"]}}) == ("p", "q")
    assert choices_of({"options": {"A": "p", "B": "q"}}) == choices_of({"opa": "p", "opb": "q"}) == ("p", "q")
    assert choices_of({"choices": ["A. p", "B. q"]}) == ("p", "q") and choices_of({"choices": ["A", "B"]}) == ()


def test_json_lines_are_what_json_says_they_are() -> None:
    rows = readers.json_rows(b'\n{"a": NaN}\r\n\n[1]\n"x"')
    assert [rows.locator(i) for i in range(3)] == ["line 2", "line 4", "line 5"]
    many = [{"i": i, "text": "è\n" * (i % 50)} for i in range(20_000)]
    data = b"\n".join(json.dumps(r, ensure_ascii=False).encode() for r in many)
    assert readers.json_rows(data).values == many
    for broken, where in (
        (data + b'\n{"i": ', "line 20001"),
        (b'{"a": 1}\n{"b": 2\n"c": 3}', "line 2"),
        (b"[1\n,2]\n3", "line 1"),
    ):
        with pytest.raises(Unreadable) as e:
            readers.json_rows(broken)
        assert where in str(e.value.detail) or broken[:1] == b"["


def test_released_text_with_its_faults_matches_the_mended_question() -> None:
    """COGNET-MD's file holds mojibake and lists with a letter left out; predictions carry it as it stands."""
    stem, texts = "Which findings are typical of Cushing’s syndrome?", ("Striae", "Moon face", "", "Thin skin")
    labels = ("A", "B", "C", "D")
    question = Question(
        "cognet_md/1.0/1",
        "cognet_md/1.0",
        "cognet_md",
        "1",
        "en",
        stem,
        "multiple",
        fingerprint(stem, texts),
        labels,
        texts,
    )
    index = QuestionIndex([question], {"cognet_md/1.0": {"dataset_id": "cognet_md/1.0"}})
    raw = "Which findings are typical of Cushingâ€™s syndrome? A. Striae B. Moon face D. Thin skin"
    found, why = index.find(Ask(stem=raw, choices=("Striae", "Moon face", "Thin skin")), [])
    assert (why, [(m.question.question_id, m.order) for m in found]) == ("", [("cognet_md/1.0/1", None)])
