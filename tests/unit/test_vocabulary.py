"""Words that SQL and Python compare a column with are words that the schema permits there: a typo is not lost."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.schema import TABLES
from tests.conftest import ROOT

COLUMNS = [c for t in TABLES.values() for c in t.columns]
OPEN = {c.name for c in COLUMNS if not c.values}
"""Names of columns that hold anything in some table."""
WORDS = {c.name: {v for d in COLUMNS if d.name == c.name for v in d.values} for c in COLUMNS if c.name not in OPEN}
SQL = sorted(p for folder in ("sql", "pipelines") for p in (ROOT / folder).rglob("*.sql"))
PYTHON = sorted(p for folder in ("pipelines", "assets") for p in (ROOT / folder).rglob("*.py"))


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for part in tree:
            yield from nodes(part)


def compared_in_sql(sql: str) -> Iterator[tuple[str, str]]:
    """Each column with a text that it is compared with, also by IN."""
    with duckdb.connect() as con:
        found = con.execute("select json_serialize_sql(?)", [sql]).fetchall()[0][0]
    for node in nodes(json.loads(found)):
        if node.get("class") == "COMPARISON":
            sides = [node["left"], node["right"]]
        elif node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN"):
            sides = node["children"]
        else:
            continue
        columns = [s["column_names"][-1] for s in sides if s["class"] == "COLUMN_REF"]
        texts = [s["literal"]["text"] for s in sides if s.get("literal", {}).get("kind") == "STRING"]
        yield from ((column, text) for column in columns for text in texts)


def compared_in_python(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The same for pl.col("name") and row["name"]."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            named = [s.args[0] for s in sides if isinstance(s, ast.Call) and ast.unparse(s.func) == "pl.col"]
            named += [s.slice for s in sides if isinstance(s, ast.Subscript)]
            listed = [
                part for s in sides for part in (s.elts if isinstance(s, ast.Tuple | ast.List | ast.Set) else [s])
            ]
            texts = [t.value for t in listed if isinstance(t, ast.Constant) and isinstance(t.value, str)]
            columns = [n.value for n in named if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            yield from ((column, text) for column in columns for text in texts)


def strange(compared: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(column, text) for column, text in compared if text not in WORDS.get(column, {text})]


@pytest.mark.parametrize("path", SQL, ids=lambda p: str(p.relative_to(ROOT)))
def test_words_of_sql(path: Path) -> None:
    assert strange(compared_in_sql(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", PYTHON, ids=lambda p: str(p.relative_to(ROOT)))
def test_words_of_python(path: Path) -> None:
    assert strange(compared_in_python(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_a_strange_word_is_found() -> None:
    sql = "select * from item_score where ruleset = 'oficial' or rule_status not in ('sourced', 'sorced')"
    assert strange(compared_in_sql(sql)) == [("ruleset", "oficial"), ("rule_status", "sorced")]
    code = 'frame.filter((pl.col("ruleset") == "oficial") | (row["rule_status"] in ("sourced", "sorced")))'
    assert strange(compared_in_python(ast.parse(code))) == [("ruleset", "oficial"), ("rule_status", "sorced")]
    assert len(list(compared_in_sql((ROOT / "sql/scores/exam_line.sql").read_text(encoding="utf-8")))) > 20
