"""Numbers, sequences and free text as answers; the table of numbers is cases/answers_numbers.jsonl."""

import pytest

from pipelines.answers import canonical, canonical_sequence, read, same_number


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("04", "0.4", True),
        ("04", "04", True),
        ("04", "4", True),
        ("1,250 mL", "1250", True),
        ("８．５", "8.50", True),
        ("8.5", "58", False),
        ("12", "21", False),
        ("x", "x", False),
        (None, "1", False),
        (600, "600人", True),
        ("-3", "3", False),
        ("1e3", "1000", True),
    ],
)
def test_same_number(a: object, b: object, same: bool) -> None:
    assert same_number(a, b) is same
    assert same_number(b, a) is same


def test_canonical() -> None:
    assert canonical("約 1,250.50 mL") == "1250.5"
    assert canonical("none") is None


@pytest.mark.parametrize(
    "text", ["c→a→b", "c, a, b", "cab", "答え: c-a-b", "C → A → B\n\n理由: 順に行う。", "正解は c→a→b です。"]
)
def test_sequence_keeps_its_order(text: str) -> None:
    answer = read(text, "sequence", ["A", "B", "C"])
    assert (answer.value, answer.labels, answer.selection) == ("C-A-B", ("C", "A", "B"), None)


def test_canonical_sequence() -> None:
    assert canonical_sequence("c→a→b") == canonical_sequence(["C", "a", "B"]) == canonical_sequence("cab") == "C-A-B"


def test_free_text() -> None:
    assert read("答え: 心タンポナーデです。", "text").value == "心タンポナーデ"
    assert read("Cardiac tamponade", "text").value == "Cardiac tamponade"
    assert read("わかりません", "text").status == "abstained"
