"""A fifth benchmark from a folder outside the package: everything works, and not one file of the project is touched.

The folder is tests/plugin/famed, the worked example of docs/adding-a-benchmark.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import ROOT
from tests.e2e import famed

PLUGIN = ROOT / "tests" / "plugin" / "famed"
_ASSETS = """
from pipelines.definitions import build_defs
from pipelines.settings import Settings
print(*build_defs(Settings.from_env()).resolve_all_asset_keys())
"""
Medexams = Callable[..., str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FaMed's released file and the results of two models."""
    folder = tmp_path_factory.mktemp("famed")
    famed.write(folder)
    return folder


@pytest.fixture(scope="module")
def medexams(place: Path) -> Medexams:
    env = os.environ | {
        "MEDEXAMS_BENCHMARKS": str(PLUGIN.parent), "MEDEXAMS_FAMED_RELEASE": str(place / "famed.json"),
        "MEDEXAMS_DATA": str(place / "data"), "MEDEXAMS_REQUEST_DELAY": "0",
    }  # fmt: skip

    def run(*args: str, program: str = "medexams") -> str:
        command = Path(sys.executable).with_name(program)
        ended = subprocess.run([command, *args], env=env, cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, f"{args}: {ended.stderr[-2000:]}"
        return ended.stdout

    run("refresh", "--only", "famed")
    run("runs", "add", str(place / "results"))
    return run


def query(place: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(place / "data" / "medexams.duckdb"), read_only=True) as con:
        return con.execute(sql).fetchall()


def test_its_questions_and_their_topics(medexams: Medexams, place: Path) -> None:
    found = query(place, "select topic, language, count(*) from question group by all order by topic")
    assert found == [("chirurgie", "de", 6), ("innere", "de", 6)]


def test_its_rule_scores_and_ranks(medexams: Medexams, place: Path) -> None:
    sql = """select r.model, sum(points) from item_score join run r using (run_id)
             where ruleset = ? and kind = 'model' group by all order by 2 desc"""
    with duckdb.connect(str(place / "data" / "medexams.duckdb"), read_only=True) as con:
        points = {ruleset: con.execute(sql, [ruleset]).fetchall() for ruleset in ("official", "published")}
    assert points == {"official": [("gut", 20), ("schlecht", 14)], "published": [("gut", 20), ("schlecht", 16)]}
    board = json.loads(medexams("leaderboard", "--benchmark", "famed", "--json"))
    assert [row["model"] for row in board if row["model"] in ("gut", "schlecht")] == ["gut", "schlecht"]


def test_its_pass_line_gives_verdicts(medexams: Medexams, place: Path) -> None:
    found = query(
        place,
        """select model, passed, points, threshold from exam_result join run using (run_id)
           where component = 'overall' and ruleset = 'official' and kind = 'model' order by model""",
    )
    assert found == [("gut", True, 20, 15), ("schlecht", False, 14, 15)]


def test_the_report_shows_it(medexams: Medexams, place: Path) -> None:
    medexams("report", "--out", str(place / "report"))
    pages = {page.name: page.read_text(encoding="utf-8") for page in (place / "report").glob("*.html")}
    assert "FaMed 2024" in pages["index.html"] and "schlecht" in pages["index.html"]
    assert "Internal medicine" in pages["subjects.html"] and "2 points for the right answer" in pages["subjects.html"]


def test_exports_use_its_prompts_and_name_its_publisher(medexams: Medexams, place: Path) -> None:
    for form in ("prompts", "lm-eval", "jsonl", "croissant", "csv"):
        medexams("export", form, str(place / form), "--benchmark", "famed")
    first = json.loads((place / "prompts" / "famed-2024.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["system"].startswith("Beantworte die folgende Frage aus dem Fach innere")
    task = json.loads(next((place / "lm-eval" / "data").glob("*_mc.jsonl")).read_text(encoding="utf-8").splitlines()[0])
    assert task["query"].endswith("Antwort:") and task["rule"] | {"weight": 1.0, "exact": 2.0} == task["rule"]
    card = next((place / "jsonl").rglob("README.md")).read_text(encoding="utf-8")
    assert "FaMed, an exam invented for the tests" in card and "-0.5 for a wrong one" in card


def test_the_ui_has_its_asset(medexams: Medexams) -> None:
    said = medexams("-c", _ASSETS, program="python")
    assert "famed_release" in said


def test_answers_in_its_language_are_read(medexams: Medexams, place: Path) -> None:
    found = query(
        place, "select status, count(*) from prediction join run using (run_id) where model = 'gut' group by 1"
    )
    assert dict(found) == {"answered": 10, "empty": 2}
