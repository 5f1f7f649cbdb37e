"""KokushiMD-10: kinds of key, how many are asked for, boxes of a number, dirty lists of forbidden choices."""

from __future__ import annotations

import random
from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.benchmarks.japanese_exams.keys import ALL, asked_for, fill_boxes, read_forbidden, read_key, read_number
from pipelines.questions.item import Key

L, D = list("abcde"), list("12345")


def sets(*labels: str) -> list[Key]:
    return [Key(tuple(x)) for x in labels]


# answer, labels, stem -> kind, keys, status
KEYS: list[tuple[object, list[str], str, str, list[Key], str]] = [
    ("d", L, "どれか。", "single", sets("d"), "scored"),
    ("Ｄ", L, "1つ選べ。", "single", sets("d"), "scored"),
    ("cde", L, "3つ選べ。", "multiple", sets("cde"), "scored"),
    ("e, c", L, "２つ選べ。", "multiple", sets("ce"), "scored"),
    (["a", "c"], L, "2 つ選べ。", "multiple", sets("ac"), "scored"),
    ("1,4", D, "2つ選べ。", "multiple", sets("14"), "scored"),
    (4, D, "どれか。", "single", sets("4"), "scored"),
    (4.0, D, "どれか。", "single", sets("4"), "scored"),
    ("ad", L, "すべて選べ。", "multiple", sets("ad"), "scored"),
    ("a", L, "すべて選べ。", "multiple", sets("a"), "scored"),
    ("AC", L, "Choose two.", "multiple", sets("ac"), "scored"),
    ("10", [str(i) for i in range(1, 11)], "どれか。", "single", [Key(("10",))], "scored"),
    ("a or d", L, "どれか。", "single", sets("a", "d"), "scored"),
    ("aまたはd", L, "1つ選べ。", "single", sets("a", "d"), "scored"),
    ("a/d", L, "どれか。", "single", sets("a", "d"), "scored"),
    ("ab or ac", L, "2つ選べ。", "multiple", sets("ab", "ac"), "scored"),
    ("a,c（どちらでも正解）", L, "1つ選べ。", "single", sets("a", "c"), "scored"),
    ("1,3,5（いずれか2つ選択で正解とする）", D, "2つ選べ。", "multiple", sets("13", "15", "35"), "scored"),
    ("any two of 1, 3, 5", D, "Select two.", "multiple", sets("13", "15", "35"), "scored"),
    ("乙", L, "どれか。", "single", sets("b"), "scored"),
    ("解なし", D, "2つ選べ。", "multiple", [], "removed"),
    ("2,5（図に不備があり、解なしとなった）", D, "2つ選べ。", "multiple", sets("25"), "removed"),
    ("採点除外", L, "どれか。", "single", [], "removed"),
    ("excluded", L, "Choose one.", "single", [], "removed"),
    ("全員正解", L, "どれか。", "single", [], "all_credit"),
    ("b（正解した受験者については採点対象に含める）", L, "どれか。", "single", sets("b"), "correct_only"),
    ("NA", L, "2つ選べ。", "multiple", [], "unknown"),
    (None, L, "どれか。", "single", [], "unknown"),
    (float("nan"), L, "どれか。", "single", [], "unknown"),
    ("6", D, "1つ選べ。", "single", [], "unknown"),
    ("3", L, "どれか。", "single", [], "unknown"),
    ("cbaed", L, "実施の順番に並べよ。解答：1 → 2 → 3", "sequence", [Key(value="c-b-a-e-d")], "scored"),
    ("c→a→b", L, "Arrange the steps in order.", "sequence", [Key(value="c-a-b")], "scored"),
    ("NA", L, "順に並べよ。", "sequence", [], "unknown"),
    ("e", L, "順番で正しいのはどれか。1つ選べ。", "single", sets("e"), "scored"),
    ("c", L, "1秒率を求めよ。", "single", sets("c"), "scored"),
    ("97", [], "解答：①②Torr", "numeric", [Key(value="97")], "scored"),
    ("04", [], "計算せよ。解答：①.②", "numeric", [Key(value="04"), Key(value="0.4")], "scored"),
    ("004", [], "計算せよ。解答：①②.③", "numeric", [Key(value="004"), Key(value="00.4")], "scored"),
    ("100", [], "計算せよ。解答：①②.③/人口1,000対", "numeric", [Key(value="100"), Key(value="10.0")], "scored"),
    ("130", [], "求めよ。解答：1, ①②③ kcal", "numeric", [Key(value="130"), Key(value="1130")], "scored"),
    ("８．５", [], "求めよ。", "numeric", [Key(value="8.5")], "scored"),
    ("1,130 kcal", [], "求めよ。", "numeric", [Key(value="1130")], "scored"),
    ("0.4 or 0.5", [], "Calculate.", "numeric", [Key(value="0.4"), Key(value="0.5")], "scored"),
    ("NA", [], "求めよ。", "numeric", [], "unknown"),
    ("多い", [], "求めよ。", "numeric", [], "unknown"),
    ("アスピリン", [], "薬剤名を答えよ。", "text", [Key(value="アスピリン")], "scored"),
    ("8.5", L, "求めよ。", "numeric", [Key(value="8.5")], "scored"),
]


@pytest.mark.parametrize(("answer", "labels", "stem", "kind", "keys", "status"), KEYS)
def test_keys(answer: object, labels: list[str], stem: str, kind: str, keys: list[Key], status: str) -> None:
    texts = ["甲", "乙", "丙", "丁", "戊"][: len(labels)]
    got = read_key(answer, labels, stem, texts)
    assert (got.answer_type, got.keys, got.status) == (kind, keys, status)
    assert ("key_missing" in got.flags) is (status == "unknown")


def test_a_key_that_is_not_as_many_as_asked_for_is_disputed() -> None:
    assert "key_disputed" in read_key("b", L, "2つ選べ。").flags
    two = read_key("ac", L, "1つ選べ。")
    assert (two.answer_type, two.keys) == ("single", sets("a", "c"))
    assert "key_disputed" in two.flags


@pytest.mark.parametrize(
    ("stem", "asked"),
    [("1つ選べ。", 1), ("２ つ選べ", 2), ("三つ選べ", 3), ("3つを選べ", 3), ("すべて選べ", ALL), ("全て選べ。", ALL),
     ("どれか。", None),
     ("Choose two.", 2), ("Select the three correct", 3), ("Select all that apply.", ALL), ("", None),
     ("3つの症状から1つ選べ", 1)],
)  # fmt: skip
def test_how_many_are_asked_for(stem: str, asked: int | None) -> None:
    assert asked_for(stem) == asked


_SEPARATORS = st.sampled_from(["", ",", "、", ", ", " ", "・", " and ", "と"])


@given(st.sets(st.sampled_from(L), min_size=1), _SEPARATORS, st.booleans(), st.booleans(), st.randoms())
def test_a_written_set_is_read_back(
    chosen: set[str], separator: str, upper: bool, wide: bool, rng: random.Random
) -> None:
    shuffled = sorted(chosen)
    rng.shuffle(shuffled)
    text = separator.join(shuffled)
    text = text.upper() if upper else text
    if wide:
        text = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and separator != " and " else c for c in text)
    stem = f"{len(chosen)}つ選べ。"
    assert read_key(text, L, stem).keys == [Key(tuple(sorted(chosen)))]


@given(st.sets(st.sampled_from(D), min_size=2), st.data())
def test_any_n_of_is_every_combination(chosen: set[str], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(chosen)))
    text = f"{','.join(sorted(chosen))}（いずれか{n}つ選択で正解とする）"
    expected = [Key(c) for c in combinations(sorted(chosen), n)]
    assert read_key(text, D, f"{n}つ選べ。").keys == expected


@given(
    st.text(max_size=30),
    st.sampled_from([L, D, []]),
    st.sampled_from(["2つ選べ。", "求めよ。解答：①②", "並べよ。", ""]),
)
def test_no_key_breaks_the_reader(text: str, labels: list[str], stem: str) -> None:
    got = read_key(text, labels, stem)
    assert bool(got.keys) or got.status != "scored"
    assert all(set(k.labels) <= set(labels) for k in got.keys)


@given(st.decimals(min_value=0, max_value=9999, places=2))
def test_numbers_keep_their_digits(number: Decimal) -> None:
    assert read_number(f"{number:,} mL") == str(number)


@given(st.integers(0, 9999), st.integers(0, 4))
def test_boxes_are_filled_from_the_left(number: int, places: int) -> None:
    digits = f"{number:05d}"
    boxes = "①②③④⑤"
    template = boxes[: 5 - places] + ("." + boxes[5 - places :] if places else "")
    value = digits[: 5 - places] + ("." + digits[5 - places :] if places else "")
    assert fill_boxes(f"求めよ。解答：{template} mL", digits) == value


def test_boxes_that_do_not_fit_are_left_alone() -> None:
    assert fill_boxes("解答：①②", "123") is None
    assert fill_boxes("下線部①②", "12") is None
    assert fill_boxes("解答：①.②", "8.5") is None
    assert fill_boxes("解答：−①.②mm", "12") == "-1.2"


@pytest.mark.parametrize(
    ("value", "labels", "is_repaired"),
    [([], "", False), ("", "", False), (None, "", False), ("なし", "", False), (["a"], "a", False),
    (["a", "c"], "ac", False),
     ("a", "a", False), ("a,b", "ab", False), (["ｃ"], "c", True), (["d", " e"], "de", True), (["ade"], "ade", True),
     ("abc", "abc", True), (["A"], "a", True), ("['a', 'b']", "ab", True), (["x"], "", True), (["a", "x"], "a", True),
     (["", "b"], "b", False), (["a、b"], "ab", True)],
)  # fmt: skip
def test_forbidden_lists(value: object, labels: str, is_repaired: bool) -> None:
    found, detail = read_forbidden(value, L)
    assert found == set(labels)
    assert bool(detail) is is_repaired


@given(st.sets(st.sampled_from(L)), st.data())
def test_dirty_forbidden_lists_hold_the_same_letters(chosen: set[str], data: st.DataObject) -> None:
    letters = [data.draw(st.sampled_from([c, c.upper(), f" {c}", chr(ord(c) + 0xFEE0)])) for c in sorted(chosen)]
    shape = data.draw(st.sampled_from([list, "".join, ", ".join, lambda x: ["".join(x)]]))
    assert read_forbidden(shape(letters), L)[0] == chosen
