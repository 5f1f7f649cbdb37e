"""Addresses of a report's pages."""

from __future__ import annotations

from pipelines.report import links


def test_the_thing_and_the_filters_stand_in_the_fragment() -> None:
    assert links.run("gpt-4/kokushi_md10-ja/3f9c2a1b") == "run.html#gpt-4/kokushi_md10-ja/3f9c2a1b"
    assert links.run("m/d/1", result="wrong", topic="a b") == "run.html#m/d/1?result=wrong&topic=a%20b"
    assert links.pair("a/d/1", "b/d/2") == "pair.html#a/d/1,b/d/2"


def test_no_name_of_a_stranger_ends_the_address_or_its_attribute() -> None:
    assert links.question('d/医師/"><script>,?#&') == (
        "question.html#d/%E5%8C%BB%E5%B8%AB/%22%3E%3Cscript%3E%2C%3F%23%26"
    )
