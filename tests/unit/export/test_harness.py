"""Exported prompts and harness tasks: their sources, and the points that they give."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import yaml  # type: ignore[import-untyped]

from pipelines.answers.numbers import canonical
from pipelines.export import Options, export, harness_utils
from pipelines.export.content import FIELDS, questions
from pipelines.export.lm_eval import documents
from pipelines.prompts import prompts_of
from pipelines.scoring.rulebook import rulebook, tables
from tests.unit.export.conftest import HOSTILE, LICENCES
from tests.unit.scoring_world import World

# ---- prompts -----------------------------------------------------------------------------------------------------


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_prompts_name_their_source(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("prompts", con, tmp_path / "out", Options(for_own_use=True))
    medschool = _rows(tmp_path / "out/medschool-test.jsonl")
    assert {(r["question_id"], r["format"]) for r in medschool} == {
        (f"medschool/test/{n}", form) for n in (1, 2) for form in ("mc", "cloze")
    }
    assert "F. Preferisco non rispondere\nRisposta: " in medschool[0]["user"]
    choice, number = _rows(tmp_path / "out/kokushi_md10-test.jsonl")
    assert choice["system"].startswith("\n専門家の医師として、以下の医師国家試験問題に回答してください。")
    assert list(json.loads(choice["user"])) == ["question", "A", "B", "C", "D", "E"]
    assert list(json.loads(number["user"])) == ["question"] and "jamed-llm/KokushiMD-10" in number["source"]
    one, few, *_ = _rows(tmp_path / "out/cognet_md-test.jsonl")
    assert one["format"] == "one_shot" and few["format"] == "few_shot" and "expert in dermatology" in one["system"]
    assert one["user"].count("Answer:") == 2 and "Answer: A-C\n\n" in one["user"]
    assert one["user"].endswith("Answer:") and "written for medexams" in one["source"]


def _question(**more: Any) -> dict[str, Any]:
    exam = {"exam_id": "x", "profession": "薬剤", "year": 2024}
    q: dict[str, Any] = {"question_id": "q", "fingerprint": "f", "source_key": "1", "topic": None, "passage": None,
                         "exam": exam, "answers": []}  # fmt: skip
    return q | more


@pytest.mark.parametrize(
    ("labels", "shown", "example"), [("12", '"1": "選択肢1"', "例: 13"), ("ab", '"a": "選択肢A"', "例: AC")]
)
def test_numbered_choices_get_the_numbered_system_prompt(labels: str, shown: str, example: str) -> None:
    q = _question(question="?", choices=[{"label": x, "text": x} for x in labels])
    (message,) = prompts_of("kokushi_md10").messages([q])["q"]
    assert shown in message.system and example in message.system and "専門家の薬剤師として" in message.system
    assert "{" not in re.sub(r"\n    [{}]", "", message.system)  # no placeholder is left


def test_medschool_prompts_are_those_of_the_released_tasks(shared: Path) -> None:
    seen = 0
    asks = prompts_of("medschool")
    for path in (shared / "data/runs/lm_eval/0.4.12").rglob("samples_medschool_test_it_[mc]*"):
        form = "mc" if "_mc_" in path.name else "cloze"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            choices = [{"label": "ABCDE"[i], "text": t} for i, t in enumerate(row["doc"]["answers"])]
            q = _question(question=row["doc"]["text"], choices=choices)
            message = next(m for m in asks.messages([q])["q"] if m.variant == form)
            assert message.system + message.user == row["arguments"]["gen_args_0"]["arg_0"]
            seen += 1
    assert seen == 90


def test_a_benchmark_without_prompts_is_asked_neutrally() -> None:
    q = _question(question="What?", choices=[{"label": "A", "text": "this"}])
    (message,) = prompts_of("nobody_knows_it").messages([q])["q"]
    assert "What?\nA. this" in message.user and "brings no prompts" in message.source
    assert re.search(r"[\u3040-\u9fff]", message.system + message.user) is None


# ---- harness tasks -----------------------------------------------------------------------------------------------


class _Loader(yaml.SafeLoader):
    """YAML with the harness's own tag."""


_Loader.add_constructor("!function", lambda loader, node: f"function {node.value}")


def test_tasks_name_their_data_and_functions(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export("lm-eval", con, out, Options(for_own_use=True))
    tasks = [yaml.load(p.read_text(encoding="utf-8"), _Loader) for p in sorted(out.glob("*.yaml"))]
    assert {t["metadata"]["dataset"] for t in tasks} == set(LICENCES)
    assert {t["output_type"] for t in tasks} == {"multiple_choice", "generate_until"}
    for task in tasks:
        rows = _rows(out / task["dataset_kwargs"]["data_files"]["test"])
        assert len(rows) == task["metadata"]["questions"] and len({json.dumps(sorted(r)) for r in rows}) == 1
        assert all(r[task["doc_to_text"]] for r in rows)
        for function in [task["process_results"], *(m["aggregation"] for m in task["metric_list"])]:
            assert hasattr(harness_utils, function.removeprefix("function utils."))
    assert not (out / "medexams_kokushi_md10_test_mc.yaml").exists()  # two answers, or a number, can't be ranked
    [row, _] = _rows(out / "data/medexams_medschool_test_mc.jsonl")
    assert row["question"] == HOSTILE and HOSTILE in row["query"] and row["choices"] == list("ABCDEF")
    assert row["question_id"] == "medschool/test/1" and row["gold"] == 1 and row["labels"] == list("ABCDE")


def test_cloze_leaves_out_choices_that_say_nothing(con: duckdb.DuckDBPyConnection) -> None:
    found = questions(con, "medschool/test")  # its choices are the bare letters
    rule = {"weighted": False, "any_right": 0, "exact": 1.5, "each_wrong": 0, "any_wrong": -0.4}
    assert documents(found, "cloze", rule, {}) == []
    for i, choice in enumerate(found[0]["choices"]):
        choice["text"] = f"testo {i}"
    [doc] = documents(found, "cloze", rule, {})
    found[1]["question"] = "voce A, voce B, voce C, voce D: quale?"
    for choice in found[1]["choices"]:
        choice["text"] = f"voce {choice['text']}"
    assert len(documents(found, "cloze", rule, {})) == 2
    found[1]["question"] += " O voce E?"  # now it names them all
    assert documents(found, "cloze", rule, {}) == [doc]
    assert doc["choices"] == ["testo 0", "testo 1", "testo 2", "testo 3", "testo 4", "Preferisco non rispondere"]


_STATUSES = ("scored", "removed", "correct_only", "all_credit", "unknown")


_KINDS: tuple[tuple[str, dict[str, Any], list[str]], ...] = (
    ("cognet_md", {"answer_type": "multiple"}, ["AC"]),
    ("cognet_md", {"answer_type": "multiple"}, ["B"]),
    ("medschool", {}, ["C"]),
    *(("kokushi_md10", {"key_status": s, "points": 3}, ["B"]) for s in _STATUSES),
    ("kokushi_md10", {"answer_type": "multiple"}, ["AB", "AC"]),
    ("kokushi_md10", {"answer_type": "numeric"}, ["04", "0.4"]),
    ("kokushi_md10", {"answer_type": "sequence"}, ["c-b-a"]),
)


def test_the_harness_gives_the_points_of_the_warehouse(tmp_path: Path) -> None:
    world = World()
    expected: list[tuple[str, dict[str, Any]]] = []
    said = ["", *("".join(c) for n in (1, 2, 3) for c in itertools.combinations("ABCDE", n))]
    values = ["", "0.4", "4", "04", "０．４", "40", "c-b-a", "ｃ→ｂ→ａ", "abc"]
    rules = {r["benchmark"]: r for r in tables(rulebook())["rule_item"].to_dicts() if r["ruleset"] == "official"}
    docs = {}
    for n, (benchmark, kind, keys) in enumerate(_KINDS):
        qid = world.question(f"q{n}", benchmark, keys, **kind)
        chooses = kind.get("answer_type", "single") in ("single", "multiple")
        answers = [{"labels": list(k) if chooses else [], "value": None if chooses else k} for k in keys]
        q = dict.fromkeys(FIELDS) | {
            "question_id": qid, "source_key": qid, "benchmark": benchmark, "answer_type": "single", "points": 1,
            "question": "?", "answers": answers, "key_status": "scored",
            "choices": [{"label": x, "text": x, "has_image": False} for x in ("ABCDE" if chooses else "")],
        } | kind  # fmt: skip
        [docs[qid]] = documents([q], "generated", rules[benchmark], {})
        for i, text in enumerate(said if chooses else values):
            run = f"r{i}"
            if chooses:
                world.answer(run, qid, text)
            else:
                letters = "-".join(re.findall("[A-Z]", unicodedata.normalize("NFKC", text).upper()))
                value = (letters if kind["answer_type"] == "sequence" else canonical(text)) or None
                told: dict[str, Any] = {"response": text, "value": value}
                world.answer(run, qid, status="answered" if text else "empty", **told)
            response = "-".join(text) if chooses else text
            expected.append((f"{run} {qid}", harness_utils.process_generated(docs[qid], [response])))
    for run in sorted({p["run_id"] for p in world.rows["prediction"]}):
        world.run(run, "medschool/test")
    scores = world.results(tmp_path, "item_score")["item_score"].filter(pl.col("ruleset") == "official")
    got = {f"{s['run_id']} {s['question_id']}": s for s in scores.to_dicts()}
    assert len(got) == len(expected) > 200
    for key, result in expected:
        row = got[key]
        assert result["score_share"] == pytest.approx([float(row["points"]), float(row["max_points"])]), key
        assert result["acc"] == (float(row["is_correct"]) if row["counts"] else None), key


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("B", "B"), ("b", "B"), (" Ｂ。", "B"), ("A, C", "AC"), ("A-C", "AC"), ("AC", "AC"), ("**A and C**", "AC"),
     ("Answer: B", "B"), ("解答：Ｂ", "B"), ("The answer is B", "B"), ("Risposta: B", "B"), ("A、C", "AC"),
     ("lol", ""), ("", ""), ("I think B", ""), ("B because C", ""), ("BB", ""), ("F", ""), ("BAD CAB", "")],
)  # fmt: skip
def test_a_text_counts_only_when_it_is_nothing_but_the_answer(text: str, chosen: str) -> None:
    doc = {"labels": list("ABCDE"), "answer_type": "multiple"}
    assert harness_utils._read(doc, text) == (set(chosen) or None)


@pytest.mark.parametrize(("text", "chosen"), [("13", "13"), ("1, 3", "13"), ("１３", "13"), ("1-3", ""), ("10", "")])
def test_numbers_joined_by_a_hyphen_may_be_a_range(text: str, chosen: str) -> None:
    doc = {"labels": list("12345"), "answer_type": "multiple"}
    assert harness_utils._read(doc, text) == (set(chosen) or None)


def test_ranking_the_choice_that_declines_is_no_answer() -> None:
    rule = {"weight": 1.0, "any_right": 0.0, "exact": 1.5, "each_wrong": 0.0, "any_wrong": -0.4}
    doc = {"labels": ["A", "B"], "choices": ["short", "a much longer one", "no"], "accepted": ["B"], "rule": rule,
           "key_status": "scored", "topic": "logic", "topic_weight": 5}  # fmt: skip
    last = harness_utils.process_choice(doc, [(-3.0, False), (-2.0, False), (-1.0, False)])
    assert last == {"acc": 0.0, "score_share": [0.0, 1.5], "exam_score": ["logic", 5, 0.0, 1.5]}
    both = harness_utils.process_cloze(doc, [(-1.0, False), (-2.0, False), (-4.0, False)])
    assert (both["acc"], both["acc_norm"]) == (0.0, 1.0) and both["score_share"] == [-0.4, 1.5]
    assert harness_utils.exam_score([["logic", 5, 1.5, 1.5], ["biology", 23, 0.0, 1.5]]) == 7.5
