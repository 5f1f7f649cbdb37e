"""Real prediction files, read in place: harness logs, IgakuQA and KokushiMD-10 results, foreign benchmarks.

The questions come straight from the raw files of the shared data, so that these tests judge pipelines/runs alone.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.questions.identity import fingerprint
from pipelines.runs.imported import Imported
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.planning import walk
from pipelines.runs.shown import options
from tests.reading import read_all

AT = datetime(2026, 1, 1)


def medschool(data: Path) -> Iterator[dict[str, Any]]:
    for line in (data / "medschool/medical_school_questions.jsonl").read_text(encoding="utf-8").splitlines():
        q = json.loads(line)
        yield {"dataset": "medschool/room-b007", "key": str(q["id"]), "stem": q["text"], "choices": q["answers"],
               "labels": "ABCDE", "topic": q["topic"], "language": "it", "right": q["label"]}  # fmt: skip


def kokushi(data: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((data / "kokushi/exams/JA/医師").glob("*.json")):
        profession, year, paper = path.stem.split("_")
        for q in json.loads(path.read_text(encoding="utf-8")):
            labels = [c for c in "abcdefghij" if c in q]
            yield {"dataset": "kokushi_md10/ja", "key": f"{profession}/{year}/{paper.upper()}/{q['index']}",
                   "stem": q["question"], "choices": [q[c] for c in labels], "labels": labels, "language": "ja",
                   "exam": (profession, int(year), paper.upper(), int(q["index"])), "right": q["answer"],
                   "type": "single" if labels else "numeric"}  # fmt: skip


def cognet(data: Path) -> Iterator[dict[str, Any]]:
    with (data / "cognet/cognet_sample.csv").open(encoding="utf-8", newline="") as file:
        for i, q in enumerate(csv.DictReader(file), 1):
            labels, texts, start = options(q["Questions"])
            yield {"dataset": "cognet_md/1.0", "key": str(i), "stem": q["Questions"][:start].strip(), "choices": texts,
                   "labels": labels, "language": "en", "type": "multiple", "right": q["CorrectResponse"]}  # fmt: skip


def build(rows: list[dict[str, Any]]) -> QuestionIndex:
    """The index over neutral rows, through the same frames that the pipeline hands over."""
    question, choice, exam, dataset = [], [], {}, {}
    for r in rows:
        qid = f"{r['dataset']}/{r['key']}"
        profession, year, paper, number = r.get("exam", (None,) * 4)
        exam_id = f"kokushi_md10/{profession}/{year}" if profession else None
        if exam_id:
            exam[exam_id] = {"exam_id": exam_id, "profession": profession, "year": year}
        dataset[r["dataset"]] = {
            "dataset_id": r["dataset"],
            "language": r["language"],
            "is_sample": False,
            "is_latest": True,
        }
        question.append({"question_id": qid, "dataset_id": r["dataset"], "benchmark": r["dataset"].split("/")[0],
                         "source_key": r["key"], "exam_id": exam_id, "paper": paper, "number": number,
                         "language": r["language"], "stem": r["stem"], "answer_type": r.get("type", "single"),
                         "fingerprint": fingerprint(r["stem"], r["choices"])})  # fmt: skip
        choice += [
            {"question_id": qid, "position": i, "label": label, "text": text}
            for i, (label, text) in enumerate(zip(r["labels"], r["choices"], strict=True))
        ]
    return QuestionIndex.build(
        pl.DataFrame(question, infer_schema_length=None), pl.DataFrame(choice),
        pl.DataFrame(list(dataset.values())),
        pl.DataFrame(list(exam.values()), schema={"exam_id": pl.String, "profession": pl.String, "year": pl.Int32}),
    )  # fmt: skip


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, Any]]:
    data = shared / "data"
    return [*medschool(data), *kokushi(data), *cognet(data)]


@pytest.fixture(scope="module")
def questions(rows: list[dict[str, Any]]) -> QuestionIndex:
    return build(rows)


def imported(path: Path, questions: QuestionIndex) -> Imported:
    result = read_all(walk(path), questions, AT)
    result.frames()  # the types of schema.py hold
    return result


def test_every_harness_log_imports_and_its_means_are_the_logs_own(
    shared: Path, questions: QuestionIndex, rows: list[dict[str, Any]]
) -> None:
    """Subject means of 1.5 / −0.4 / 0 from the imported predictions equal `acc` (and `acc_norm` of cloze) to 1e-9."""
    found = imported(shared / "data/runs/lm_eval", questions)
    assert not found.unmatched_prediction
    assert all("the same answers are there already" in r["reason"] for r in found.rejected_file)
    right = {f"{r['dataset']}/{r['key']}": (r["right"], r.get("topic")) for r in rows}
    means: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    runs = {r["run_id"]: r for r in found.run}
    for p in found.prediction:
        run = runs[p["run_id"]]
        key, topic = right[p["question_id"]]
        points = 0.0 if p["status"] == "abstained" else 1.5 if p["selection"] == 1 << key else -0.4
        normalised = "length-normalised" in (run["description"] or "")
        version = run["files"].split("/")[1]
        means[version, run["format"], normalised, topic].append(points)
    compared = 0
    tasks = {
        "medschool_test_it_mc_bio": ("mc", "biologia"),
        "medschool_test_it_mc_math": ("mc", "fisica-matematica"),
        "medschool_test_it_cloze_bio": ("cloze", "biologia"),
    }
    for path in (shared / "data/runs/lm_eval").rglob("results*.json"):
        version = path.relative_to(shared / "data/runs/lm_eval").parts[0]
        for task, (form, topic) in tasks.items():
            logged = json.loads(path.read_text(encoding="utf-8"))["results"][task]
            for metric, normalised in (("acc,none", False), ("acc_norm,none", True)):
                if form == "cloze" or not normalised:
                    points_of = means[version, form, normalised, topic]
                    assert len(points_of) == 30
                    assert abs(sum(points_of) / 30 - logged[metric]) < 1e-9, (version, task, metric)
                    compared += 1
    assert compared == 20
    assert {r["format"] for r in found.run} == {"mc", "cloze", "generated"}
    # mc, cloze, cloze normalised of five versions; generated of three, two of which are the same file: one run.
    assert len(found.run) == 5 * 3 + 2


def test_both_layouts_of_the_same_predictions_agree(shared: Path, questions: QuestionIndex) -> None:
    """All 4,800 selections are identical in IgakuQA's and in KokushiMD-10's layout, for four models."""
    results = [imported(shared / f"data/{p}", questions) for p in ("igakuqa/baseline_results", "kokushi/results")]
    seen = []
    for result in results:
        assert not result.rejected_file and not result.unmatched_prediction
        assert {(r["model"], r["kind"]) for r in result.run} == {
            ("gpt-4", "model"), ("gpt-3.5-turbo", "model"), ("text-davinci-003", "model"),
            ("student-majority", "human"),
        }  # fmt: skip
        model = {r["run_id"]: r["model"] for r in result.run}
        seen.append({
            (model[p["run_id"]], p["question_id"], p["attempt"]): (p["status"], p["selection"], p["labels"], p["value"])
            for p in result.prediction
        })  # fmt: skip
    assert len(seen[0]) == 4800
    assert seen[0] == seen[1]


# Right answers in sentences, which IgakuQA's evaluator (equal sorted lists of letters) counts as wrong.
MISREAD = {
    "gpt-4": {"2020/C/36", "2020/D/46", "2020/D/75", "2021/C/75", "2021/D/66", "2021/F/75", "2022/E/38"},
    "gpt-3.5-turbo": {"2020/B/3", "2021/F/75"},
    "text-davinci-003": {"2021/C/75"},
    "student-majority": set(),
}


def test_correct_answers_equal_igakuqas_own_evaluator(
    shared: Path, questions: QuestionIndex, rows: list[dict[str, Any]]
) -> None:
    data = shared / "data/igakuqa"
    right = {f"{r['dataset']}/{r['key']}": r["right"].split(",") for r in rows if "exam" in r}
    found = imported(data / "baseline_results", questions)
    model = {r["run_id"]: r["model"] for r in found.run}
    misread: dict[str, set[str]] = {name: set() for name in MISREAD}
    for p in found.prediction:
        key = right[p["question_id"]]
        ours = (p["labels"].split("-") if p["labels"] else [p["value"]]) == key
        theirs = sorted((p["response"] or "").split(",")) == sorted(key)
        if ours != theirs:
            assert ours
            misread[model[p["run_id"]]].add(p["question_id"].removeprefix("kokushi_md10/ja/医師/"))
    assert misread == MISREAD


@pytest.mark.parametrize("folder", ["inspect", "helm"])
def test_foreign_benchmarks_end_as_unmatched(folder: str, shared: Path, questions: QuestionIndex) -> None:
    found = imported(shared / "data/runs" / folder, questions)
    assert not found.run and not found.prediction and not found.rejected_file
    assert found.unmatched_prediction and all(
        "no question of the warehouse" in u["reason"] for u in found.unmatched_prediction
    )


def test_cognet_tables_match_by_their_text(shared: Path, questions: QuestionIndex, tmp_path: Path) -> None:
    with (shared / "data/cognet/cognet_sample.csv").open(encoding="utf-8", newline="") as file:
        source = list(csv.DictReader(file))
    with (tmp_path / "run.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "Questions", "prediction"])
        writer.writerows(
            ["check", r["Questions"], "" if i == 2 else r["CorrectResponse"]] for i, r in enumerate(source)
        )
    found = imported(tmp_path, questions)
    assert [(p["status"], p["labels"]) for p in found.prediction] == [
        ("answered", "D"), ("answered", "E"), ("empty", None), ("answered", "A-B-E")]  # fmt: skip
