"""Real responses, read in place: the hand-read cases and the published predictions for 医師 2020 to 2022."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.answers import read, read_record

KEYS = ("case", "benchmark", "answer_type", "labels", "choices", "text")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def agrees(case: dict[str, Any]) -> bool:
    got = read_record({key: case[key] for key in KEYS if key in case})
    if got["status"] != case["status"]:
        return False
    if case["answer_type"] == "numeric" and case["expected"]:
        return float(got["value"]) == float(case["expected"][0])
    return sorted(label.upper() for label in got["labels"]) == sorted(case["expected"])


@pytest.mark.parametrize(
    ("name", "count", "needed"), [("extraction_cases.jsonl", 24, 24), ("real_outputs.jsonl", 61, 59)]
)
def test_cases_read_by_hand(shared: Path, name: str, count: int, needed: int) -> None:
    cases = lines(shared / "data" / name)
    assert len(cases) == count
    wrong = [case["case"] for case in cases if not agrees(case)]
    assert count - len(wrong) >= needed, wrong


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
