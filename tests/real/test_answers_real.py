"""Real responses, read in place: the hand-read cases and the published predictions for 医師 2020 to 2022."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.answers import read, read_frame, read_record

KEYS = ("case", "benchmark", "answer_type", "labels", "choices", "text")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def agrees(case: dict[str, Any]) -> bool:
    got = read_record({key: case[key] for key in KEYS if key in case})
    if got["status"] != case["status"]:
        return False
    if case["answer_type"] == "numeric" and case["expected"]:
        return float(got["value"]) == float(case["expected"][0])
    if case["answer_type"] == "sequence":
        return [label.upper() for label in got["labels"]] == case["expected"]
    return sorted(label.upper() for label in got["labels"]) == sorted(case["expected"])


@pytest.mark.parametrize(
    ("name", "count", "needed"), [("extraction_cases.jsonl", 24, 24), ("real_outputs.jsonl", 61, 61)]
)
def test_cases_read_by_hand(shared: Path, name: str, count: int, needed: int) -> None:
    cases = lines(shared / "data" / name)
    assert len(cases) == count
    wrong = [case["case"] for case in cases if not agrees(case)]
    assert count - len(wrong) >= needed, wrong


def readings_of(name: str) -> list[dict[str, Any]]:
    return lines(Path(__file__).parent / "readings" / name)


def test_responses_read_by_hand_before_the_reader_did(shared: Path) -> None:
    """Of 200 real responses at most 1 % misread in silence, and at most 3 % of those that a person can read unread."""
    responses = {case["case"]: case for case in lines(shared / "data/real_unread.jsonl")}
    silent: list[int] = []
    unread: list[int] = []
    readable = 0
    for row in readings_of("real_unread.jsonl"):
        case = responses[row["case"]]
        assert hashlib.sha256(case["text"].encode()).hexdigest().startswith(row["sha256"])
        answer = read(case["text"], case["answer_type"], case["labels"], case.get("choices"), "ja")
        got = answer.status if answer.status != "answered" else answer.value or "".join(answer.labels)
        readable += any(not x.islower() for x in row["read"])
        if got not in row["read"]:
            (silent if answer.status == "answered" else unread).append(row["case"])
    assert len(silent) <= 2, silent
    assert len(unread) <= 0.03 * readable, unread


def test_a_table_of_real_responses_is_read_as_its_rows_are(shared: Path) -> None:
    names = ("extraction_cases.jsonl", "real_outputs.jsonl", "real_unread.jsonl")
    paths = [*(shared / "data" / name for name in names), *sorted((shared / "data/reports").glob("responses*.jsonl"))]
    cases = [case for path in paths for case in lines(path)]
    columns: dict[str, Any] = {
        "text": pl.String,
        "answer_type": pl.String,
        "labels": pl.List(pl.String),
        "choices": pl.List(pl.String),
    }
    frame = pl.DataFrame([{key: case.get(key) for key in columns} for case in cases], schema=columns)
    single = [read(c["text"], c["answer_type"], c.get("labels"), c.get("choices")) for c in cases]
    assert read_frame(frame)["evidence"].to_list() == [a.evidence for a in single]
    assert read_frame(frame)["selection"].to_list() == [a.selection for a in single]


@pytest.mark.parametrize("name", ["", "_italian", "_json", "_reported"])
def test_reported_responses(shared: Path, name: str) -> None:
    """At least 97 of 100 as a person reads them, and none misread in silence."""
    cases = lines(shared / f"data/reports/responses{name}.jsonl")
    wrong = []
    for case in cases:
        got = read_record({key: case[key] for key in KEYS if key in case})
        accepted = case.get("also", [])
        if "any" in accepted or got["status"] in set(accepted) - {"answered"} or agrees(case):
            continue
        wrong.append((case["case"], got["status"]))
    assert [case for case, status in wrong if status == "answered"] == []
    assert len(wrong) <= 0.03 * len(cases), wrong


def test_published_predictions(shared: Path) -> None:
    """Letter lists are read as such, and what GPT-4 wrote in prose is a refusal or an answer, seldom neither."""
    folder = shared / "data" / "igakuqa"
    questions = {q["problem_id"]: q for path in sorted(folder.glob("data/*/*-?.jsonl")) for q in lines(path)}
    prose: Counter[str] = Counter()
    for path in sorted(folder.glob("baseline_results/*/*.jsonl")):
        for row in lines(path):
            choices = questions[row["problem_id"]]["choices"]
            if not choices:
                continue
            labels = list("abcdefghij"[: len(choices)])
            letters = [part.strip() for part in row["prediction"].split(",")]
            answer = read(row["prediction"], "multiple", labels, choices, "ja")
            if all(len(x) == 1 and x in labels for x in letters):
                assert list(answer.labels) == sorted(set(letters)), row
            else:
                prose[answer.status] += 1
    assert prose["refused"] >= 70 and prose["unparsed"] <= 2, prose
