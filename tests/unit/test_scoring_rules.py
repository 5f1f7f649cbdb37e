"""The rule files: complete, consistent, documented, and open to a new year by a change of data alone."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from importlib import resources
from math import ceil, floor
from pathlib import Path

import numpy as np
import pytest

from pipelines.benchmarks.japanese_exams import exams, items
from pipelines.benchmarks.japanese_exams.layouts import Row
from pipelines.errors import SettingsError
from pipelines.questions.item import Dataset, Reading
from pipelines.questions.unify import unify
from pipelines.schema import TABLES
from pipelines.scoring import rulebook as book
from pipelines.scoring.document import render
from pipelines.scoring.rules import meets
from pipelines.stages import MADE_FROM_RULES
from pipelines.store.publishing import unfit
from pipelines.store.sqlfiles import sql_tables
from pipelines.store.tables import Store
from tests.unit.scoring_world import TIME, World

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
    """Where both are known, the line is the percentage of the official maximum in whole points, rounded up."""
    both = [x for x in book.rulebook().lines if x.percent and x.max_points is not None and x.ruleset == "official"]
    assert len(both) > 90
    for x in both:
        share = Fraction(x.max_points or 0) * (x.percent or 0) / 100
        assert x.line == (floor(share) + 1 if x.basis == "more_than" else ceil(share)), x


@pytest.mark.parametrize(
    ("basis", "earned", "met"),
    [("at_least", 119, False), ("at_least", 120, True), ("more_than", 120, False), ("more_than", 121, True)],
)
def test_a_share_is_met_from_its_point_on(basis: str, earned: int, met: bool) -> None:
    """60 % of 200 points, as numbers, exact ones and arrays."""
    assert meets(basis, 60, None, earned, 200) is met
    assert meets(basis, 60, None, Decimal(earned), Decimal(200)) is met
    assert list(meets(basis, 60, None, np.array([earned, 0.0]), np.array([200.0, 200.0]))) == [met, False]


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


def copy_rules(root: Path) -> list[Path]:
    """The folders of all benchmarks with their rules alone, copied below `root`."""
    for file in Path(str(resources.files("pipelines.benchmarks"))).glob("*/rules/*"):
        copied = root / file.parts[-3] / "rules" / file.name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(file.read_bytes())
    return sorted(root.iterdir())


def test_a_new_year_is_a_change_of_data_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """看護 2027: rows of lines and layout, and papers in the released layout; then it has a round and a verdict."""
    folders = copy_rules(tmp_path / "benchmarks")
    rules = tmp_path / "benchmarks" / "japanese_exams" / "rules"
    with (rules / "lines.csv").open("a", encoding="utf-8") as file:
        file.write("official,看護,2027,必修,points,,,50,40,at_least,80,sourced,made up,\n")
        file.write("official,看護,2027,一般+状況設定,points,,,250,160,absolute,,sourced,made up,\n")
    layout = [
        x for x in (rules / "layout.csv").read_text(encoding="utf-8").splitlines() if x.startswith("看護,2020,2026")
    ]
    with (rules / "layout.csv").open("a", encoding="utf-8") as file:
        file.writelines(x.replace("2020,2026", "2027,2027") + "\n" for x in layout)
    found = book.load(folders)
    for module in (exams, items):
        monkeypatch.setattr(module, "rulebook", lambda: found)
    profession = exams.PROFESSIONS["看護"]
    rows = {
        f"看護/2027/{paper}/{n}": Row(
            f"{paper} {n}", "", profession, 2027, paper, str(n), n, "ja", f"{paper}{n} はどれか。", "1", list("1234"),
            ["い", "ろ", "は", f"{paper}{n}"], fields={"kinki": ["2"] if n == 100 else []},
        )
        for paper in "AB"
        for n in range(1, 121)
    }  # fmt: skip
    dataset = Dataset("kokushi_md10", "ja", "t", "ja", "MIT", "o", "s", TIME, None, False, "kokushi")
    frames = unify([Reading(dataset, items.items_of(rows))])
    world = World(found)
    for name in ("dataset", "exam", "question", "choice", "answer_key", "question_flag"):
        world.rows[name] = frames[name].to_dicts()
    assert [(e["year"], e["round"]) for e in world.rows["exam"]] == [(2027, 116)]
    world.run("r", "kokushi_md10/ja")
    for question in world.rows["question"]:
        world.answer("r", question["question_id"], "1", "1234")
    result = world.results(tmp_path, "exam_result")["exam_result"]
    verdict = next(r for r in result.iter_rows(named=True) if (r["component"], r["ruleset"]) == ("overall", "official"))
    assert (verdict["passed"], verdict["rule_status"]) == (True, "sourced")
    assert verdict["reason"] == "met: 必修 50 of 40 needed; 一般+状況設定 250 of 160 needed"


def test_a_folder_brings_rules_of_its_own(tmp_path: Path) -> None:
    """Points, weights, use cases, lines, layout, adjustments and reported figures of a benchmark nobody here knows."""
    rules = tmp_path / "fifth" / "rules"
    rules.mkdir(parents=True)
    item = """reads = "selection"\nany_right = "0"\nexact = "2"\neach_wrong = "-1"\nany_wrong = "0"\nweighted = false
        credits_all = true\nstatus = "sourced"\nsource = "s"\nnote = "n"\n"""
    texts = {
        "points.toml": f"""title = "Fifth"\n[item.official]\n{item}[item.published]\n{item}
            [exam]\nquestions = 3\nsource = "s"\nnote = "n"\nsubjects = {{ law = 1, art = 2 }}
            [[use_case]]\nname = "half"\nkind = "sample"\nshare = "0.5"\nseed = 7\nsource = "s"\n""",
        "lines.csv": "ruleset,profession,year,component,kind,first_number,last_number,max_points,line,basis,percent,"
        "status,source,note\nofficial,Notary,2024,overall,points,,,10,6,at_least,60,sourced,s,\n",
        "layout.csv": "profession,first_year,last_year,paper,first_number,last_number,component,points,status,source\n"
        "Notary,2024,2024,A,1,5,overall,2,sourced,s\n",
        "adjusted.toml": """[[announcement]]\nprofession = "Notary"\nyear = 2024\nconfidence = "sourced"\nsource = "s"
            questions = [{ paper = "A", number = 2, kind = "several_accepted", accepted = ["A", "C"] }]\n""",
        "reported.csv": "source,model,profession,year,component,modality,metric,value,locator\n"
        "paper,m,,,,,points,0.5,table 1\n",
    }
    for name, text in texts.items():
        (rules / name).write_text(text, encoding="utf-8")
    found = book.tables(book.load([*copy_rules(tmp_path / "ours"), tmp_path / "fifth"]))
    own = {name: frame.filter(benchmark="fifth") for name, frame in found.items() if "benchmark" in frame.columns}
    assert {name: len(frame) for name, frame in own.items()} == {
        "rule_item": 2, "rule_topic": 2, "rule_use_case": 1, "rule_component": 1, "reported_result": 1,
    }  # fmt: skip
    assert found["rule_layout"].filter(profession="Notary")["points"].to_list() == [2]
    assert found["rule_adjusted"].filter(exam="Notary/2024")["words"].to_list() == ["several answers accepted (A, C)"]


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
    folders = copy_rules(tmp_path)
    with (tmp_path / "japanese_exams/rules/lines.csv").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(SettingsError, match=r"japanese_exams/rules/lines\.csv: line 1\d\d") as fault:
        book.load(folders)
    assert says in str(fault.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        ("medschool/rules/points.toml", 'any_wrong = "-0.4"', 'any_wrong = "-0.5"', {"rule_item"}),
        ("medschool/rules/points.toml", "biology = 23\nchemistry = 15", "biology = 22\nchemistry = 16", {"rule_topic"}),
        ("cognet_md/rules/points.toml", "seed = 42", "seed = 43", {"rule_use_case"}),
        ("igakuqa/rules/points.toml", 'exact = "1"', 'exact = "2"', {"rule_item"}),
        ("kokushi_md10/rules/points.toml", 'exact = "1"', 'exact = "2"', {"rule_item"}),
        ("kokushi_md10/rules/lines.csv", "必修,points,,,,158", "必修,points,,,,157", {"rule_component"}),
        ("kokushi_md10/rules/reported.csv", "questions,2000,", "questions,2001,", {"reported_result"}),
        ("igakuqa/rules/reported.csv", "points,168,", "points,169,", {"reported_result"}),
        ("japanese_exams/rules/lines.csv", "299,217,absolute", "299,218,absolute", {"rule_component"}),
        ("japanese_exams/rules/layout.csv", "B,26,50,必修,3", "B,26,50,必修,2", {"rule_layout"}),
        ("japanese_exams/rules/adjusted.toml", 'number = 29, kind = "removed"', 'number = 28, kind = "removed"',
         {"rule_adjusted"}),
    ],
)  # fmt: skip
def test_a_changed_rule_makes_what_is_made_from_it_unfit(
    tmp_path: Path, file: str, old: str, new: str, changed: set[str]
) -> None:
    """First the rule tables alone; when these are made anew, exactly the tables that read them."""
    folders = copy_rules(tmp_path / "benchmarks")
    state = book.states(book.load(folders))
    store = Store(tmp_path / "data", outside=lambda name: state.get(name))
    for name, frame in book.tables(book.load(folders)).items():
        store.write(name, frame, (book.state_of(name),))
    made = {name: set(table.inputs) for name, table in sql_tables().items()}
    made |= {name: set(takes) for name, takes in MADE_FROM_RULES.items()}
    for name, takes in made.items():
        recorded = [t for t in takes if t in book.TABLE_NAMES]
        table = dataclasses.replace(TABLES[name], references=(), not_empty=False)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(TABLES, name, table)
            store.write(name, table.frame([]), recorded)
    assert unfit_tables(store) == set()
    target = tmp_path / "benchmarks" / file
    text = target.read_text(encoding="utf-8")
    assert old in text
    target.write_text(text.replace(old, new, 1), encoding="utf-8")
    state.update(book.states(book.load(folders)))
    assert unfit_tables(store) == changed
    frames = book.tables(book.load(folders))
    for name in changed:
        store.write(name, frames[name], (book.state_of(name),))
    assert unfit_tables(store) == {name for name, takes in made.items() if takes & changed}


def unfit_tables(store: Store) -> set[str]:
    return {p.split()[0] for p in unfit(store) if "was made from an older" in p}


def test_every_rule_file_is_among_those_changed() -> None:
    (mark,) = test_a_changed_rule_makes_what_is_made_from_it_unfit.pytestmark  # type: ignore[attr-defined]
    here = Path(str(resources.files("pipelines.benchmarks")))
    assert {case[0] for case in mark.args[1]} == {p.relative_to(here).as_posix() for p in here.glob("*/rules/*")}
