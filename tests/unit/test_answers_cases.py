"""Reading of responses, by case: tables in cases/, a response a line with the reading that a person makes of it.

`answers_*_blind.jsonl` were written before the reader had seen them; the others grew with it. A reading is the list of
labels (in order, for a sequence), a number, or a status. All texts are written for this project.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.answers import read

CASES = Path(__file__).parent / "cases"
TABLES = sorted(path.name for path in CASES.glob("answers_*.jsonl") if path.name != "answers_cut.jsonl")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def reading(text: str, case: dict[str, Any]) -> object:
    labels = case.get("labels") or list("ABCDEF"[: len(case.get("choices", "ABCDE"))])
    answer = read(text, case["type"], labels, case.get("choices"), case.get("language", "ja"))
    if answer.status != "answered":
        assert (answer.selection, answer.labels, answer.value) == (None, (), None)
        return answer.status
    assert answer.evidence
    return list(answer.labels) if answer.labels else float(str(answer.value))


@pytest.mark.parametrize("table", TABLES)
def test_table(table: str) -> None:
    wrong = []
    for case in rows(table):
        expected = case["reading"]
        if isinstance(expected, str) and not expected.isalpha():
            expected = float(expected)
        if (got := reading(case["text"], case)) != expected:
            wrong.append((case["text"], expected, got))
    assert not wrong


@pytest.mark.parametrize("case", [c for c in rows("answers_cut.jsonl") if c["before"]])
def test_no_answer_before_the_conclusion(case: dict[str, Any]) -> None:
    body = case["before"]
    assert reading(body + case["answer"], case) == case["reading"]
    early = [n for n in range(8, len(body)) if reading(body[:n], case) not in ("unparsed", case["reading"])]
    assert len(early) <= len(body) // 50, [body[:n][-40:] for n in early]  # a cut right after a label tells nothing


@pytest.mark.parametrize("case", [c for c in rows("answers_cut.jsonl") if c["after"]])
def test_the_answer_stands_wherever_its_explanation_is_cut(case: dict[str, Any]) -> None:
    for n in range(len(case["after"]) + 1):
        assert reading(case["answer"] + case["after"][:n], case) == case["reading"], case["after"][:n][-40:]
