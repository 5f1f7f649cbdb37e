"""A language of answers is one file: another one is read without a change, and no words stand outside."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipelines.answers import labels, phrases, read

GERMAN = """
from pipelines.answers.phrases import Phrases

PHRASES = Phrases(
    code="de",
    spoken=(r"\\b(?:die|ist|und|antwort)\\b",),
    nouns=(r"antwort|option",),
    articles=(r"(?:der|die|das)[ ]",),
    conjunctions=(r"und|sowie",),
    disjunctions=(r"oder",),
    after_label=(r"und|oder|ist",),
    stated=(r"\\b(?:richtige\\s)?antwort\\b[^.:\\n]{0,20}?(?:\\bist\\b|:)\\s{0,3}",),
    rejected=(r"\\b(?:nicht|weder)\\b[\\s:]{0,3}",),
    is_wrong=(r"[ :]{0,3}(?:ist\\s|sind\\s)?falsch\\b",),
    is_right=(r"[ :]{0,3}(?:ist\\s)?richtig\\b",),
    abstention=(r"ich\\sweiß\\s(?:es\\s)?nicht",),
)
"""


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language in one file, as a benchmark brings it."""
    (tmp_path / "brought_phrases.py").write_text(GERMAN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    benchmark = SimpleNamespace(module=lambda name: importlib.import_module(f"brought_{name}"))
    monkeypatch.setattr(phrases, "benchmarks", lambda: {"new": benchmark})
    forget()
    yield
    monkeypatch.undo()
    sys.modules.pop("brought_phrases", None)
    forget()


def forget() -> None:
    for module in (phrases, labels):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die richtige Antwort ist C.", "C"),
        ("Antwort: A und C", "AC"),
        ("Die Antwort ist B oder C.", "ambiguous"),
        ("A falsch, B richtig, C falsch, D falsch, E falsch", "B"),
        ("A, B, D und E sind falsch.", "C"),
        ("Ich weiß es nicht.", "abstained"),
        ("The answer is B.", "B"),
    ],
)
def test_another_language_is_one_file(german: None, text: str, expected: str) -> None:
    answer = read(text, "single", None, None, "de")
    assert ("".join(answer.labels) or answer.status) == expected


def test_no_words_of_a_language_stand_outside_its_file() -> None:
    folder = Path(phrases.__file__).parent
    ends = {"ぁ", "ゖ", "一", "鿿"}  # of a script
    words = r"\\b[a-zè]{2,}|(?<!\\)\b(?:answer is|choose|therefore|risposta|quindi|corretta)\b|[ぁ-ゖ一-鿿]"
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        strings = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in said]
        code = [re.sub("ぁ-ゖ|一-鿿", "", s) for s in strings if isinstance(s, str) and s not in ends]
        assert [s for s in code if re.search(words, s)] == [], path.name
