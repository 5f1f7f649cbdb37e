"""KokushiMD-10 on the exams that are kept for tests: 医師 2020–2022, 薬剤 2022–2024, 歯科 2024."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.benchmarks.japanese_exams.exams import PROFESSIONS, round_of
from pipelines.benchmarks.kokushi_md10 import source as kokushi
from pipelines.progress import silent
from pipelines.questions.item import Item, Reading
from pipelines.scoring.rulebook import rulebook
from pipelines.settings import Settings
from pipelines.vocabulary import ADJUSTED_KINDS


@pytest.fixture(scope="module")
def got(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Reading:
    settings = Settings.from_env({"MEDEXAMS_KOKUSHI_RELEASE": str(shared / "data" / "kokushi")})
    landing = Landing(tmp_path_factory.mktemp("data"))
    return kokushi.read(kokushi.fetch(settings, Session(settings, landing), landing, silent), landing)


@pytest.fixture(scope="module")
def items(got: Reading) -> dict[str, Item]:
    return {i.source_key: i for i in got.items}


def of(items: dict[str, Item], profession: str, year: int | None = None) -> list[Item]:
    return [i for i in items.values() if i.exam and i.exam.profession == profession and year in (None, i.exam.year)]


def raw_rows(shared: Path, profession: str) -> list[dict[str, object]]:
    files = sorted((shared / "data" / "kokushi" / "exams" / "JA" / profession).glob("*.json"))
    return [row for f in files for row in json.loads(f.read_text(encoding="utf-8"))]


def test_none_is_lost(got: Reading, items: dict[str, Item]) -> None:
    assert (len(items), got.rejected) == (2595, [])
    assert got.dataset.dataset_id == "kokushi_md10/ja"
    assert [len(of(items, p)) for p in ("医師", "薬剤", "歯科")] == [1200, 1035, 360]


@pytest.mark.parametrize(("year", "must", "general"), [(2020, 197, 299), (2021, 200, 300), (2022, 197, 297)])
def test_points_that_count(items: dict[str, Item], year: int, must: int, general: int) -> None:
    counted = [i for i in of(items, "医師", year) if i.key_status != "removed"]
    assert sum(i.points for i in counted if i.component == "必修") == must
    assert sum(i.points for i in counted if i.component == "一般+臨床") == general


def test_adjusted_questions(items: dict[str, Item]) -> None:
    expected = {
        "医師/2020/E/29": "removed", "医師/2020/F/63": "removed", "医師/2022/A/71": "all_credit",
        "医師/2022/E/16": "correct_only",
        "薬剤/2022/B3/328": "all_credit", "薬剤/2024/A2/111": "all_credit", "薬剤/2024/B3/330": "removed",
        "薬剤/2024/B3/305": "scored", "歯科/2024/C/19": "correct_only", "歯科/2024/A/66": "removed",
    }  # fmt: skip
    assert {k: items[k].key_status for k in expected} == expected
    assert [k.labels for k in items["薬剤/2024/B3/305"].keys] == [("1", "3"), ("1", "5"), ("3", "5")]
    assert all("key_disputed" in items[k].flags for k in expected)


def test_missing_and_numeric_keys(shared: Path, items: dict[str, Item]) -> None:
    missing = [i for i in of(items, "歯科") if "key_missing" in i.flags]
    assert len(missing) == sum(row["answer"] == "NA" for row in raw_rows(shared, "歯科")) == 10
    assert not any(i.keys for i in missing)
    assert Counter(i.answer_type for i in of(items, "歯科"))["numeric"] == 3
    numeric = {i.source_key: [k.value for k in i.keys] for i in of(items, "医師") if i.answer_type == "numeric"}
    assert len(numeric) == 8
    assert numeric["医師/2022/F/74"] == ["04", "0.4"]
    assert numeric["医師/2020/F/75"] == ["130", "1130"]
    assert numeric["医師/2020/C/75"] == ["100", "10.0"]
    assert [i.keys[0].value for i in items.values() if i.answer_type == "sequence"] == [
        "c-b-a-e-d",
        "d-b-e-a-c",
        "c-e-a-b-d",
    ]


def test_forbidden_choices(shared: Path, items: dict[str, Item]) -> None:
    raw = sum(bool("".join(map(str, row["kinki"])).strip()) for row in raw_rows(shared, "医師"))  # type: ignore[call-overload]
    assert sum(any(c.is_forbidden for c in i.choices) for i in of(items, "医師")) == raw == 69
    assert [c.label for c in items["医師/2022/F/38"].choices if c.is_forbidden] == ["a", "d", "e"]
    assert sum("forbidden_repaired" in i.flags for i in items.values()) == 5


def test_every_scored_key_names_shown_choices(items: dict[str, Item]) -> None:
    for item in items.values():
        labels = {c.label for c in item.choices}
        assert all(set(k.labels) <= labels and (k.labels or k.value) for k in item.keys)
        assert bool(item.keys) or item.key_status != "scored"
        assert all(c.text or c.has_image for c in item.choices)


def test_cases(items: dict[str, Item]) -> None:
    groups = Counter(i.case_group for i in items.values() if i.case_group)
    physicians = [n for group, n in groups.items() if group and group.startswith("医師")]
    assert Counter(physicians) == {2: 30, 3: 30}  # each year 10 pairs in B and E, 10 threes in C and F
    assert items["医師/2020/C/75"].case_group is None
    assert items["薬剤/2024/B1/196"].case_group == items["薬剤/2024/B1/197"].case_group
    assert items["薬剤/2024/B3/326"].case_group is None


def test_the_table_holds_every_official_adjustment(shared: Path) -> None:
    rules = json.loads((shared / "data" / "kokushi" / "official_rules.json").read_text(encoding="utf-8"))
    table = rulebook().adjusted
    listed = {(r["kokushimd_key"], r["year"], e["paper"], e["number"]) for r in rules for e in r.get("exclusions", [])}
    assert listed == table.keys()
    assert {fact.kind for fact in table.values()} == set(ADJUSTED_KINDS)
    for rule in rules:
        assert rule["round"] == round_of(PROFESSIONS[rule["kokushimd_key"]], rule["year"])
