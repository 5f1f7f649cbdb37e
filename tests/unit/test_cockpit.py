"""What Dagster's UI shows open beside an asset: rows of text, whatever the tables hold."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal

import dagster as dg
import polars as pl
import pytest

from assets.common import open_table
from pipelines.cockpit import BAR, OF_A_KIND, PANELS, board, changed, preview, quality, verdicts
from pipelines.schema import TABLES
from tests.conftest import ROOT


def leaderboard(*rows: dict[str, object]) -> pl.DataFrame:
    same = {
        "dataset_id": "d", "metric": "score_share", "low": None, "high": None, "chance": Decimal("0.1"), "asked": 4,
        "questions": 4, "rank": None,
    }  # fmt: skip
    return pl.DataFrame([same | row for row in rows], infer_schema_length=None)


def test_the_board_has_models_first_with_score_chance_and_a_bar() -> None:
    ends = {"low": Decimal(0), "high": Decimal(1)}
    rows = board(
        leaderboard(
            {"model": "always-first", "kind": "baseline", "score": Decimal("0.9"), "rank": 1},
            {"model": "worse", "kind": "model", "score": Decimal("-0.1"), "rank": 3},
            {"model": "better", "kind": "model", "score": Decimal("0.4"), "rank": 2} | ends,
            {"model": "unasked", "kind": "human", "score": None},
        )
    )
    assert [r["model"] for r in rows] == ["better", "worse", "unasked", "always-first"]
    assert [(r["score"], r["rank"]) for r in rows[:3]] == [("0.400", "2"), ("-0.100", "3"), ("–", "")]
    assert rows[0]["95 % interval"] == "0.000 … 1.000" and rows[0]["chance"] == "0.100"
    assert [len(r["bar"]) for r in rows] == [BAR // 2, 0, 0, BAR]
    assert "share, at most 1" in rows[0]["what the score is"]


def test_each_profession_is_a_column_of_verdicts() -> None:
    results = pl.DataFrame(
        [
            {"run_id": run, "exam_id": f"e/{year}", "ruleset": ruleset, "component": "overall", "passed": passed}
            for run, year, ruleset, passed in (
                ("a", 2020, "official", True), ("a", 2021, "official", None), ("b", 2020, "official", False),
                ("b", 2020, "published", True),
            )
        ]
    )  # fmt: skip
    runs = pl.DataFrame([{"run_id": r, "model": f"m-{r}", "kind": "model"} for r in "ab"])
    exams = pl.DataFrame([{"exam_id": f"e/{y}", "profession_en": "Physician", "year": y} for y in (2020, 2021)])
    assert verdicts(results, runs, exams) == [
        {"model": "m-a", "kind": "model", "passed": "1 of 2", "Physician": "2020 ✓ 2021 –"},
        {"model": "m-b", "kind": "model", "passed": "0 of 1", "Physician": "2020 ✗"},
    ]


def test_a_bar_of_parts_shows_the_smallest_too() -> None:
    row = {"dataset_id": "d", "rows_in": 3501, "kept": 3500, "flagged": 4, "rejected": 1, "answerable_by_text": 0.9}
    bar = quality(pl.DataFrame([row]))[0]["without a flag █, flagged ▒, rejected ░"]
    assert set(bar) == set("█▒░") and bar.count("▒") == bar.count("░") == 1


def test_what_changed_is_cut_and_says_where_the_rest_is() -> None:
    same: dict[str, object] = {"old": "1", "new": "0", "cause": "key"}
    rows = [same | {"kind": "item", "subject": f"{n:02}"} for n in range(OF_A_KIND + 2)]
    found = changed(TABLES["refresh_change"].frame([*rows, same | {"kind": "key", "subject": "0"}]))
    assert [r["kind"] for r in found] == ["key"] + ["item"] * (OF_A_KIND + 1)
    assert found[-1]["subject"] == "… and 2 more: medexams diff"


@pytest.mark.parametrize("name", PANELS)
def test_empty_tables_have_an_empty_panel(name: str) -> None:
    rows = PANELS[name].rows(*(TABLES[t].frame([]) for t in PANELS[name].inputs))
    assert rows == []
    assert isinstance(open_table(rows), dg.TableMetadataValue)


def test_a_preview_is_short_and_steers_nothing() -> None:
    rows = preview(pl.DataFrame({"a": ["x" * 100, "\x1b[31m\nred"]} | {f"c{n}": [n, None] for n in range(10)}))
    assert rows[0]["a"] == "x" * 60 and rows[1]["a"] == "\ufffd[31m red"
    assert len(rows[0]) == 8 and rows[1]["c0"] == ""


def test_plain_dagster_commands_and_the_workspace_name_the_same_location() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["dagster"]
    workspace = (ROOT / "workspace.yaml").read_text(encoding="utf-8")
    named = dict(re.findall(r"^ +(\w+): (\S+)$", workspace, re.MULTILINE))
    assert (project["module_name"], project["code_location_name"]) == (named["module_name"], named["location_name"])
