"""Reading of responses, as properties: a selection written in any style is read back, nothing raises, tables
equal single reads."""

import json
import random
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
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
@example([0, 1], LETTERS.__getitem__, "; ", "{}\n\n解説: aは誤りである。")
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
    "\\ud800",
    '"',
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
        f"{answer.value}{answer.evidence}".encode()  # half a character (a lone surrogate) has no bytes


@pytest.mark.parametrize("response", [r'{"answer": "\ud800"}', r'{"answer": ["A", "\ud800"]}', r'{"\ud800": "A"}'])
def test_an_escape_of_half_a_character_in_json_does_not_reach_the_answer(response: str) -> None:
    for answer_type in TYPES:
        answer = read(response, answer_type, ["A", "B"])
        assert answer.status != "error"
        assert f"{answer.labels}{answer.value}{answer.evidence}".encode()


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
    assert read(None, "single").status == read(float("nan"), "single").status == "empty"
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
    *(
        "a",
        "a, ",
        "A\n\n",
        "A)\n",
        "a: x\n",
        "A or ",
        "not A, ",
        "A is correct. ",
        "B: 5%\n",
        "(A)",
        "C (",
        "A~",
        "①",
        "AB",
    ),
    *(
        "Milza, ",
        "Milza e Cuore, ",
        "A. Milza\n",
        "Cuore (",
        "答え: ",
        "answer is ",
        "正解は",
        "誤り",
        "画像がない",
        "問題:\na: x\n",
    ),
    *(
        "<think>",
        "</think>",
        "<|x|>",
        "<b>",
        "<answer>",
        "(",
        "[",
        "{",
        '{"a":',
        '{"answer":"',
        "[[",
        "\\boxed{",
        "|",
        "**",
        "```",
    ),
    *(
        " ",
        "\n",
        "\t",
        "0",
        "1,000,",
        "1-",
        "= 1",
        "1.5 ",
        "漢",
        "アア",
        "…",
        "most ",
        "exclude ",
        "né ",
        "if ",
        "se ",
        "、",
        "は",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_a_second(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    for answer_type in ("single", "numeric"):
        start = time.process_time()
        read(text, answer_type, None, TEXTS)
        assert time.process_time() - start < 1.0


MARKS = "abcdeABCDE12345①②③ \n.,:;()[]{}\"'*#|<>/\\-–~→=%、。「」答えはnot\u200b\x00🙂"


def test_mutations_of_responses_raise_nothing() -> None:
    paths = sorted((Path(__file__).parent / "cases").glob("answers_*.jsonl"))
    cases = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    rng = random.Random(11)
    for _ in range(1500):
        case = rng.choice(cases)
        text = case["text"] if "text" in case else case["before"] + case["answer"] + case["after"]
        for _ in range(rng.randint(1, 5)):
            at, n = rng.randrange(len(text) + 1), rng.randint(1, 20)
            new = rng.choice(
                ("", rng.choice(MARKS), text[max(0, at - n) : at] * 2, rng.choice(cases).get("text", "")[:n])
            )
            text = text[:at] + new + text[at + rng.randint(0, 2) :]
        answer = read(text, case["type"], case.get("labels"), case.get("choices"), case.get("language"))
        assert not (answer.evidence or "").startswith("could not be read"), text


def test_a_defect_is_the_status_of_its_response(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("a defect")

    monkeypatch.setattr("pipelines.answers.core.select", broken)
    answer = read("The answer is C.", "single")
    assert (answer.status, answer.selection) == ("error", None)
    assert "a defect" in str(answer.evidence)
    frame = pl.DataFrame({"text": ["c", "The answer is C."], "answer_type": ["single", "single"]})
    assert read_frame(frame)["status"].to_list() == ["answered", "error"]


@pytest.mark.parametrize(
    ("text", "answer_type", "whole", "cut"),
    [
        ("Answer: C. The reason is", "single", "answered", "answered"),
        ("C\n\nThe reason is", "single", "answered", "answered"),
        ("A lowers it.\n\nTherefore C", "single", "answered", "unparsed"),
        ("A is wrong. B is wrong. D is wrong. E is wrong.", "single", "answered", "unparsed"),
        ("Dose: see below.\n3 × 4 = 12 mg.", "numeric", "answered", "unparsed"),
        ("Answer: 12 mg. The reason", "numeric", "answered", "answered"),
    ],
)
def test_of_a_response_that_was_cut_off_only_what_it_states_counts(
    text: str, answer_type: str, whole: str, cut: str
) -> None:
    assert read(text, answer_type).status == whole
    assert read(text, answer_type, cut_off=True).status == cut
    frame = pl.DataFrame({"text": [text] * 2, "answer_type": [answer_type] * 2, "cut_off": [True, None]})
    assert read_frame(frame)["status"].to_list() == [cut, whole]
