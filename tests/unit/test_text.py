"""Exam HTML to plain text: the cases by rule, and properties against plain oracles."""

from __future__ import annotations

import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.benchmarks.medschool.bank import as_collected
from pipelines.text.markup import IMAGE, decoded_text, html_to_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x<sup>2</sup> + H<sub>2</sub>O", "x^2 + H_2O"),
        ("2<sup>n+1</sup>", "2^(n+1)"),
        ("Ca<sup>2+</sup>", "Ca^(2+)"),
        ("10<sup>-7</sup> e 10<sup>–3</sup>", "10^-7 e 10^–3"),
        ("10<sup>-</sup><sup>7</sup>", "10^-7"),
        ("x<sup><span>2</span></sup>", "x^2"),
        ("log<sub>10</sub>&nbsp;x", "log_10 x"),
        ("2x<sup></sup><span>–</span>3y", "2x–3y"),
        ("<b><p><span>Quale?</span></p></b>", "Quale?"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<p>uno</p><p>due</p>", "uno\ndue"),
        ("<ul><li>uno</li><li>due</li></ul>", "- uno\n- due"),
        ("<ol><li>uno</li><li>due</li></ol>", "1. uno\n2. due"),
        ("<li>uno</li>\n<li>due</li>", "- uno\n- due"),
        ("x &lt; 0 &amp;&amp; y &gt; 1", "x < 0 && y > 1"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("x < 0 ∨ x ≥ 2", "x < 0 ∨ x ≥ 2"),
        ("0<x<3", "0<x<3"),
        ("a<b e b>c", "a<b e b>c"),
        ("a<b>c", "a<b>c"),
        ("<i>a</i><b>c</b>", "ac"),
        ("se p<q allora", "se p<q allora"),
        ("<big>2</big>x", "2x"),
        ("R&D, AT&T e 3 & 4", "R&D, AT&T e 3 & 4"),
        ("a &copy b &nosuchentity; c", "a &copy b &nosuchentity; c"),
        ("<!-- nota -->testo", "testo"),
        ("  molti \t\n spazi  ", "molti\nspazi"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("perche\u0301", "perché"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", "a b\nc d"),
        ("", ""),
    ],
)
def test_html_to_text(source: str, text: str) -> None:
    assert html_to_text(source).text == text


def test_pictures_are_noted_in_order() -> None:
    found = html_to_text('<p>v. <img src="/api/v1/image/1"></p> \\includegraphics[width=2cm]{ff10.png} fine')
    assert found.images == ("/api/v1/image/1", "includegraphics:ff10.png")
    assert found.text == f"v. {IMAGE}\n{IMAGE} fine"


def test_released_text_is_decoded_once() -> None:
    assert decoded_text("l&#39;acqua &amp;lt; x < 3 & R&D") == "l'acqua &lt; x < 3 & R&D"


def test_collector_loses_what_stands_between_angle_brackets() -> None:
    """The seen case of the release: entities were decoded before tags were stripped."""
    assert as_collected("<span>x &lt; 0 ∨ x ≥ 2</span>") == "x"
    assert as_collected("<p>x &lt; 3</p><p>y &gt; 2</p>") == "x y > 2"
    assert as_collected("<b>nessuna</b>") == "nessuna"


PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u00ad\ufeff"), max_size=60)


@given(PLAIN)
def test_escaped_text_comes_back(text: str) -> None:
    """What is written as text, whatever its characters, is read as that text (white space and NFC aside)."""
    expected = " ".join(unicodedata.normalize("NFC", re.sub("[\u200b-\u200d\u2060]", "", text)).split())
    got = " ".join(html_to_text(f"<p><span>{html.escape(text)}</span></p>").text.split())
    assert got == expected


@given(
    st.lists(
        st.sampled_from(["<", ">", "&", "a", "b", "x", " ", "=", "&lt;", "3", "<b>", "</b>", "<p>", "</p>"]),
        max_size=20,
    )
)
def test_no_sign_is_lost(pieces: list[str]) -> None:
    """Every '<' that opens no tag is kept; oracle: count those that are left when known, closed tags are removed."""
    source = "".join(pieces)
    got = html_to_text(source).text
    tags = r"</?p>|</?b>" if "</b>" in source else r"</?p>"
    assert got.count("<") == html.unescape(re.sub(tags, "", source)).count("<")


@given(st.text(max_size=200))
def test_any_text_is_read(source: str) -> None:
    text = html_to_text(source).text
    assert unicodedata.is_normalized("NFC", text)
    assert text == text.strip()
