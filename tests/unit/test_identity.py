"""Fingerprints: what they ignore and what they must not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.questions.identity import fingerprint, squeeze


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("x^2 + 1", "x2 + 1"),
        ("H_2O", "h2o"),
        ("l'acqua", "L’ACQUA"),
        ("ﬁnale", "finale"),
        ("10^–7", "10^(-7)"),
        ("Ca^(2+)", "Ca^2+"),
        ("uno - due", "uno – due"),
        ("１２ ａ", "12a"),
    ],
)
def test_same(a: str, b: str) -> None:
    assert squeeze(a) == squeeze(b)


@pytest.mark.parametrize(("a", "b"), [("x + 2", "x − 2"), ("x > 2", "x < 2"), ("-3", "3"), ("2 = 3", "23"), ("è", "e")])
def test_different(a: str, b: str) -> None:
    assert squeeze(a) != squeeze(b)


@given(st.text(), st.lists(st.text(), max_size=6), st.randoms())
def test_order_of_choices_does_not_matter(stem: str, choices: list[str], rng) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(choices)
    rng.shuffle(shuffled)
    assert fingerprint(stem, choices) == fingerprint(stem, shuffled)


@given(st.text())
def test_squeeze_is_idempotent(text: str) -> None:
    once = squeeze(text)
    assert squeeze(once) == once
