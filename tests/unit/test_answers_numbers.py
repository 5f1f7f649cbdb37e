"""Numbers, sequences and free text as answers; the table of numbers is cases/answers_numbers.jsonl."""

import pytest

from pipelines.answers import read
from pipelines.answers.numbers import canonical


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("04", "04"),  # in a paper with a box for each digit it may be 0.4: the key says so
        ("1,250 mL", "1250"),
        ("約 1,250.50 mL", "1250.5"),
        ("８．５", "8.5"),
        (600, "600"),
        ("600人", "600"),
        ("-3", "-3"),
        ("1e3", "1000"),
        ("x", None),
        ("none", None),
        (None, None),
    ],
)
def test_canonical(text: object, number: str | None) -> None:
    assert canonical(text) == number


@pytest.mark.parametrize(
    "text", ["c→a→b", "c, a, b", "cab", "答え: c-a-b", "C → A → B\n\n理由: 順に行う。", "正解は c→a→b です。"]
)
def test_sequence_keeps_its_order(text: str) -> None:
    answer = read(text, "sequence", ["A", "B", "C"])
    assert (answer.value, answer.labels, answer.selection) == ("C-A-B", ("C", "A", "B"), None)


def test_free_text() -> None:
    assert read("答え: 心タンポナーデです。", "text").value == "心タンポナーデ"
    assert read("Cardiac tamponade", "text").value == "Cardiac tamponade"
    assert read("わかりません", "text").status == "abstained"
