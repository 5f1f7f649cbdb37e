"""Reading of responses, as properties: a selection written in any style is read back, nothing raises, tables
equal single reads."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.answers import read, read_frame, read_record
from pipelines.answers.vectorised import SCHEMA

LETTERS = "ABCDE"
TEXTS = ["Fegato grasso", "Milza", "Rene destro", "Cuore", "Polmone sinistro"]
CIRCLED = "①②③④⑤"
KATAKANA = "アイウエオ"
FULL_WIDTH = "ＡＢＣＤＥ"

selections = st.sets(st.integers(0, 4), min_size=1, max_size=5).map(sorted)
forms = st.sampled_from(
    [
        lambda i: LETTERS[i],
        lambda i: LETTERS[i].lower(),
        lambda i: FULL_WIDTH[i],
        lambda i: CIRCLED[i],
        lambda i: KATAKANA[i],
        lambda i: f"({LETTERS[i]})",
        lambda i: f"「{LETTERS[i].lower()}」",
        lambda i: f"**{LETTERS[i]}**",
        lambda i: f"{LETTERS[i]}（{TEXTS[i]}）",
    ]
)
joins = st.sampled_from([", ", ",", "、", " と ", " and ", "・", "; ", " & ", "-"])
frames = st.sampled_from(
    [
        "{}",
        "{}\n",
        "答え: {}",
        "答え：{}です。",
        "正解は{}です。",
        "【解答】\n{}",
        "The answer is {}.",
        "**Answer:** {}",
        "Final answer: {}",
        "<think>A? B?</think>\n{}",
        "{}<|im_end|>",
        "{}<|END_RESPONSE|>",
        "Answer: D\n\nAnswer: {}",
        "{}\n\n解説: aは誤りである。",
        "考察のあとで決める。\n\n答え: {}",
        "正解は {} です。\n\n問題: 次はどれか。\n答え: a",
        "Risposta: {}",
        "La risposta corretta è {}.",
    ]
)


@settings(max_examples=300, deadline=None)
@given(selections, forms, joins, frames)
def test_a_selection_written_in_any_style_is_read_back(
    selection: list[int], form: Callable[[int], str], join: str, frame: str
) -> None:
    text = frame.format(join.join(form(i) for i in selection))
    answer = read(text, "multiple", list(LETTERS), TEXTS)
    assert answer.status == "answered", text
    assert answer.selection == sum(1 << i for i in selection), text
    assert answer.labels == tuple(LETTERS[i] for i in selection)
    assert answer.evidence


@settings(max_examples=100, deadline=None)
@given(
    st.sets(st.integers(1, 10), min_size=1, max_size=4).map(sorted),
    st.sampled_from([", ", "、", " と ", " and "]),
    frames.filter(lambda f: "誤" not in f and "D" not in f),
)
def test_numbers_as_labels_are_read_back(numbers: list[int], join: str, frame: str) -> None:
    labels = [str(n) for n in range(1, 11)]
    answer = read(frame.format(join.join(map(str, numbers))), "multiple", labels)
    assert answer.labels == tuple(map(str, numbers))


@settings(max_examples=100, deadline=None)
@given(
    st.decimals(min_value=-99999, max_value=99999, places=2),
    st.sampled_from(["{}", "答え: {} mL", "正解は{}です。", "Answer: {} mg/dL", "2 + 3 = {}", "{}<|im_end|>"]),
)
def test_a_number_is_read_back(number: Decimal, frame: str) -> None:
    value = read(frame.format(number), "numeric", []).value
    assert value is not None and float(value) == float(number)


TYPES = ["single", "multiple", "numeric", "sequence", "text", "?"]
PIECES = [
    "A",
    "b",
    "答え",
    "正解は",
    ":",
    "：",
    "\n",
    " ",
    "<think>",
    "</think>",
    "<|x|>",
    "{",
    '"answer"',
    "[",
    "\\boxed{",
    "}",
    "、",
    "と",
    "または",
    "not",
    "①",
    "1",
    ".",
    "です",
    "c. Cuore",
    "|",
    "**",
    "問題:",
    "どれか。",
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)),
    st.sampled_from(TYPES),
    st.lists(st.text(max_size=3), max_size=6),
    st.lists(st.text(max_size=8), max_size=6),
)
def test_no_text_raises(text: str, answer_type: str, labels: list[str], choices: list[str]) -> None:
    for answer in (read(text, answer_type), read(text, answer_type, labels, choices, "it")):
        assert answer.status in {"answered", "abstained", "refused", "ambiguous", "unparsed", "empty", "error"}
        assert answer.status == "answered" or (
            answer.selection is None and answer.labels == () and answer.value is None
        )


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        2.0,
        0.5,
        float("nan"),
        float("inf"),
        True,
        b"c",
        b"\xff",
        ["a", "c"],
        {"a"},
        {"answer": "c"},
        [],
        [None],
        {},
        object(),
        [[["c"]]],
    ],
)
def test_no_type_raises(value: object) -> None:
    for answer_type in TYPES:
        read(value, answer_type)
    read_record({"text": value})


def test_other_types_are_read_sensibly() -> None:
    assert read(["a", "c"], "multiple").labels == ("A", "C")
    assert read({"answer": "c"}, "single").labels == ("C",)
    assert read(3, "single", ["1", "2", "3"]).labels == ("3",)
    assert read(2.0, "numeric").value == "2"
    assert read(b"c", "single").labels == ("C",)
    assert read_record({"text": "c", "case": 7, "benchmark": "kokushi_md10"})["case"] == 7
    assert read_record({}) == {"status": "empty", "labels": [], "value": None, "evidence": None}


plain = st.sampled_from(
    [
        "c",
        "C",
        "a,c",
        "a, c",
        "A-B-E",
        "abc",
        "f",
        "b or c",
        "答え: b",
        "",
        "①",
        "A,b",
        "e,",
        "c" * 50,
        "No lo so",
        "Preferisco non rispondere",
    ]
)
rows = st.lists(
    st.tuples(
        st.one_of(plain, st.text(max_size=20), st.none()),
        st.sampled_from(TYPES),
        st.sampled_from([None, list("ABCDE"), list("abcdef"), ["1", "2", "3"]]),
        st.sampled_from([None, TEXTS, [*TEXTS, "Preferisco non rispondere"], ["x", "y", "Preferisco non rispondere"]]),
        st.sampled_from([None, "it", "ja"]),
    ),
    max_size=12,
)


@settings(max_examples=100, deadline=None)
@given(rows)
def test_a_table_is_read_as_its_rows_are(rows: list[tuple[object, ...]]) -> None:
    schema: dict[str, Any] = {
        "text": pl.String,
        "answer_type": pl.String,
        "labels": pl.List(pl.String),
        "choices": pl.List(pl.String),
        "language": pl.String,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    for columns in (list(schema), ["text", "answer_type"], ["text", "answer_type", "labels"]):
        part = frame.select(columns)
        single = [
            read(r["text"], r["answer_type"], r.get("labels"), r.get("choices"), r.get("language"))
            for r in part.iter_rows(named=True)
        ]
        expected = [(a.status, a.selection, "-".join(a.labels) or None, a.value, a.evidence) for a in single]
        got = read_frame(part)
        assert got.schema == SCHEMA
        assert got.rows() == expected


HOSTILE = [
    "a",
    "a, ",
    "答え: ",
    "answer is ",
    "<think>",
    "</think>",
    "<|x|>",
    "(",
    '{"answer":"',
    "\\boxed{",
    "|",
    " ",
    "\n",
    "a: x\n",
    "正解は",
    "1,000,",
    "= 1",
    "①",
    "画像がない",
    "問題:\na: x\n",
    "誤り",
    "0",
    "**",
    "A is correct. ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear_in_the_length(piece: str) -> None:
    # four times the length may take four times as long, and a constant; a square would take sixteen times
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        start = time.perf_counter()
        read(text, "single", None, TEXTS)
        read(text, "numeric")
        return time.perf_counter() - start

    assert seconds(400_000) < 6 * min(seconds(100_000) for _ in range(2)) + 1.0
