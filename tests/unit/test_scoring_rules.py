"""The rule files: complete, consistent, documented, and open to a new year by a change of data alone."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from pipelines.errors import SettingsError
from pipelines.schema import TABLES
from pipelines.scoring import rulebook as book
from pipelines.scoring.document import render
from tests.unit.scoring_world import World

ROOT = Path(__file__).resolve().parents[2]
PROFESSIONS = ("医師", "歯科", "看護", "保健", "助産", "理学", "作業", "診療", "視能", "薬剤")


def test_every_exam_of_the_benchmark_has_rules() -> None:
    rules = book.rulebook()
    for profession in PROFESSIONS:
        for year in range(2020, 2025):
            assert rules.layout(profession, year)
            for ruleset in ("official", "published"):
                assert rules.of_exam(ruleset, profession, year), (ruleset, profession, year)


def test_percentages_give_the_published_lines() -> None:
    """Where both are known, the percentage of the official maximum is the line (load checks each; this counts them)."""
    both = [x for x in book.rulebook().lines if x.percent and x.max_points is not None and x.ruleset == "official"]
    assert len(both) > 90
    assert all(x.needed(x.max_points) == x.line for x in both if x.max_points is not None)


def test_maxima_follow_from_layout() -> None:
    """No official maximum is above what the layout gives; what is below was left out for all."""
    rules = book.rulebook()
    for line in rules.lines:
        if line.ruleset != "official" or line.kind != "points" or line.max_points is None or line.profession == "歯科":
            continue
        nominal = 0
        for part in rules.layout(line.profession, line.year):
            for number in range(part.first_number, part.last_number + 1):
                named = line.component in ("overall", part.component)
                inside = line.first_number <= number <= (line.last_number or number) if line.first_number else named
                nominal += (part.points or 0) * inside
        assert 0 <= nominal - line.max_points <= 8, (line, nominal)


def test_unsourced_lines_are_not_called_sourced() -> None:
    lines = [x for x in book.rulebook().lines if x.ruleset == "official"]
    assert all(x.status == "unverified" for x in lines if x.line is None)
    assert all(x.source for x in lines)
    assert all(x.status == "unverified" for x in lines if x.component.startswith("領域"))


def test_tables_fit_the_schema() -> None:
    for name, frame in book.tables().items():
        table = TABLES[name]
        assert frame.columns == list(table.column_names)
        assert frame.select(table.key).is_unique().all()
        for column in table.columns:
            assert column.nullable or frame[column.name].null_count() == 0


def test_the_page_is_made_from_the_rules() -> None:
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == render(), (
        "run python -m pipelines.scoring.document > docs/rules.md"
    )


def copy_rules(folder: Path) -> Path:
    for file in Path(str(resources.files("pipelines.benchmarks"))).glob("*/rules/*"):
        copied = folder / file.parts[-3] / "rules" / file.name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def test_a_new_year_is_a_change_of_data_only(tmp_path: Path) -> None:
    rules_folder = tmp_path / "rules"
    rules_folder.mkdir()
    copy_rules(rules_folder)
    with (rules_folder / "japanese_exams/rules/lines.csv").open("a", encoding="utf-8") as file:
        file.write("official,診療,2031,overall,points,,,2,2,at_least,60,sourced,made up,\n")
    world = World(book.load(rules_folder))
    world.run("r", "kokushi_md10/test")
    exam_id = world.exam("診療", 2031)
    for n in (1, 2):
        world.question(f"q{n}", "kokushi_md10", ["A"], exam_id=exam_id, paper="A", number=n, component="一般")
        world.answer("r", f"q{n}", "A")
    found = world.results(tmp_path, "item_score", "exam_part", "exam_result")["exam_result"]
    verdict = next(r for r in found.iter_rows(named=True) if (r["component"], r["ruleset"]) == ("overall", "official"))
    assert (verdict["passed"], verdict["reason"]) == (True, "met: total 2 of 2 needed")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("official,診療,2031,overall,points,,,200,119,at_least,60,sourced,x,", "aren't 60 %"),
        ("official,診療,2031,overall,points,,,,,at_least,60,sourced,x,", "can't be 'sourced'"),
        ("official,診療,2020,overall,points,,,197,119,at_least,60,sourced,x,", "twice"),
        ("official,診療,2031,overall,points,,,200,120,at_least,60,sourced,,", "no source"),
        ("official,診療,2031,overall,score,,,200,120,at_least,60,sourced,x,", "kind"),
        ("official,診療,many,overall,points,,,200,120,at_least,60,sourced,x,", "can't be read"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    copy_rules(tmp_path)
    with (tmp_path / "japanese_exams/rules/lines.csv").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(SettingsError, match=r"lines\.csv: line 2\d\d") as fault:
        book.load(tmp_path)
    assert says in str(fault.value)
