"""Numbers, sequences and free text as answers."""

import pytest

from pipelines.answers import canonical, canonical_sequence, read, same_number

NUMERIC = [
    ("1250", "1250"),
    ("1,250", "1250"),
    ("１２５０ｍＬ", "1250"),
    ("2 500 mL", "2500"),
    ("約1250mL", "1250"),
    ("答え：1,250 mL", "1250"),
    ("正解は1,250です。", "1250"),
    ("-12.8", "-12.8"),
    ("答え: −12.8", "-12.8"),
    ("0.50", "0.5"),
    ("04", "04"),
    ("①0②4", "04"),
    ("① 0\n② 4", "04"),
    ("①: 0、②: 4", "04"),
    ("①2.②5", "2.5"),
    ("③: 325 mL", "325"),
    ("1.2×10^3", "1200"),
    ("1.2×10³", "1200"),
    ("2,5", "2.5"),
    ("2450mL-1850mL=600mL", "600"),
    ("AG = 140 - 104 - 24 = 12", "12"),
    ("2.05 g/日\n\n解説: 82 mg/dL × 25 dL = 2050 mg", "2.05"),
    ("2050 mg = 2.05 g\n\n**2.05 g**", "2.05"),
    ("$$\\frac{30}{80} = 0.375 \\approx 0.4$$\n\n答え: $0.4$", "0.4"),
    ("Answer: 97 torr", "97"),
    ("The anion gap is 12 mEq/L.", "12"),
    ("小数第1位を四捨五入すると、答えは97である。", "97"),
    ("答え: 1日尿蛋白量は2.05 g/日です。", "2.05"),
    ("答え: 4.25/1000人", "4.25"),
    ("答え: 600\n答え: 650", "650"),
    ("answer: 42\nconfidence: 0.9", "42"),
    ('{"answer": 42, "confidence": 0.9}', "42"),
    ("42<|im_end|>7", "42"),
    ("8.5\n\n問題: 次を求めよ。\n答え: 3", "8.5"),
    ("12.8 (95%)", "12.8"),
    ("1. 体重 50 kg\n2. 1日 30 mL/kg\n\n答え：1500", "1500"),
]


@pytest.mark.parametrize(("text", "expected"), NUMERIC)
def test_number(text: str, expected: str) -> None:
    answer = read(text, "numeric", [])
    assert (answer.status, answer.value) == ("answered", expected)
    assert answer.selection is None and answer.evidence


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"),
        ("不明", "abstained"),
        ("画像がないため計算できません。", "refused"),
        ("<think>計算すると97", "unparsed"),
        ("c", "unparsed"),
        ("尿量 = 82 mg/dL × 25 dL", "unparsed"),
        ("①64 ②67", "ambiguous"),
        ("10～20", "ambiguous"),
    ],
)
def test_no_number(text: str, status: str) -> None:
    answer = read(text, "numeric", [])
    assert (answer.status, answer.value) == (status, None)


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
