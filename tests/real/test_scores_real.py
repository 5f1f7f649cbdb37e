"""Scores of real predictions of 医師 2020–2022 and of the COGNET-MD paper, through the stages of a refresh."""

from __future__ import annotations

import csv
import json
import shutil
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines import stages
from pipelines.scoring import tables as scoring
from pipelines.settings import Settings
from pipelines.store import sqlfiles
from tests.unit.scoring_world import in_order

MUST = ("B", "E")
# (必修, 一般+臨床) of 2020, 2021 and 2022 as IgakuQA's own evaluator gives them (116A71 credited to all), and verdicts
IGAKUQA = {
    "gpt-4": ([(168, 219), (173, 225), (164, 228)], True),
    "gpt-3.5-turbo": ([(118, 148), (143, 154), (124, 163)], False),
    "text-davinci-003": ([(97, 111), (94, 109), (106, 111)], False),
    "student-majority": ([(195, 276), (200, 277), (195, 287)], True),
}
# Right answers that the evaluator misreads: spaces after commas, an explanation around it, a number in a sentence.
MISREAD = {
    "gpt-4": """2020/A/74 2020/C/32 2020/C/34 2020/C/36 2020/C/75 2020/D/14 2020/D/46 2020/D/74 2020/D/75 2020/F/75
        2021/C/75 2021/D/66 2021/F/75 2022/A/13 2022/A/72 2022/B/50 2022/E/38 2022/F/34 2022/F/74""",
    "gpt-3.5-turbo": """2020/B/3 2020/C/32 2020/D/73 2020/D/74 2020/F/57 2020/F/73 2021/A/66 2021/A/71 2021/F/75
        2022/A/68 2022/F/31""",
    "text-davinci-003": "2020/F/27 2021/C/27 2021/C/75",
    "student-majority": "",
}
COGNET = {"all-right": ("A-C-E", 4), "one": ("A", 3.5), "mixed": ("A-B", 3), "wrong": ("B-D", 2), "none": ("", 3)}
"""Answer to the third question, and the total with the other three right."""


def evaluator(key: str, response: str) -> bool:
    """IgakuQA's comparison: the sorted choices, split at commas."""
    return sorted(key if key.isalpha() else [key]) == sorted(response.split(","))


@pytest.fixture(scope="module")
def warehouse(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    data, inbox = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("runs")
    with (shared / "data/cognet/cognet_sample.csv").open(encoding="utf-8", newline="") as file:
        questions = list(csv.DictReader(file))
    for model, (third, _) in COGNET.items():
        with (inbox / f"{model}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["model", "Questions", "prediction"])
            for i, q in enumerate(questions):
                writer.writerow([f"paper-{model}", q["Questions"], third if i == 2 else q["CorrectResponse"]])
    part = inbox / "results/OpenAI/part-model/text/医師"
    part.mkdir(parents=True)
    name = "医師_2020_a_pred.json"
    (part / name).write_bytes((shared / "data/kokushi/results/OpenAI/gpt-4/text/医師" / name).read_bytes())
    shutil.copytree(shared / "data/kokushi/results", inbox / "igakuqa/results")
    settings = Settings.from_env({
        "MEDEXAMS_DATA": str(data),
        "MEDEXAMS_INBOX": str(inbox),
        "MEDEXAMS_KOKUSHI_RELEASE": str(shared / "data/kokushi"),
        "MEDEXAMS_COGNET_RELEASE": str(shared / "data/cognet/cognet_sample.csv"),
    })  # fmt: skip
    store = stages.open_store(settings)
    for name in ("kokushi", "cognet"):
        stages.fetch(settings, name)
    stages.build_questions(settings, store)
    stages.build_baseline(store, "seeded-random")
    stages.import_runs(settings, store)
    scoring.make_rules(store)
    for name in in_order(("exam_result", "rule_disagreement")):
        sqlfiles.make(store, name)
    for name in scoring.COMPUTED:
        scoring.make(store, name)
    return store.connect()


@pytest.mark.parametrize("model", IGAKUQA)
def test_points_are_the_evaluators_and_what_it_misreads(
    warehouse: duckdb.DuckDBPyConnection, shared: Path, model: str
) -> None:
    keys: dict[str, tuple[str, int]] = {}
    for path in sorted((shared / "data/kokushi/exams/JA/医師").glob("*.json")):
        _, year, paper = path.stem.split("_")
        for q in json.loads(path.read_text(encoding="utf-8")):
            keys[f"{year}/{paper.upper()}/{q['index']}"] = (q["answer"], int(q["points"]))
    theirs: dict[str, int] = {}
    folder = next((shared / "data/kokushi/results").glob(f"*/{model}/text/医師"))
    for path in sorted(folder.glob("*.json")):
        _, year, paper, _ = path.stem.split("_")
        for q in json.loads(path.read_text(encoding="utf-8")):
            place = f"{year}/{paper.upper()}/{q['index']}"
            key, points = keys[place]
            theirs[place] = points * (evaluator(key, q["pred"]) or place == "2022/A/71")
    totals: dict[tuple[str, bool], int] = defaultdict(int)
    for place, points in theirs.items():
        totals[place[:4], place[5] in MUST] += points
    assert [(totals[y, True], totals[y, False]) for y in ("2020", "2021", "2022")] == IGAKUQA[model][0]

    ours = {
        key.split("/", 1)[1]: int(points)
        for key, points in warehouse.execute(
            """select source_key, i.points from item_score i join question using (question_id) join run using (run_id)
            where model = ? and ruleset = 'official' and exam_id like '%医師%'""",
            [model],
        ).fetchall()
    }
    assert ours.keys() == theirs.keys()
    assert {p for p in ours if ours[p] < theirs[p]} == set()
    assert {p for p in ours if ours[p] > theirs[p]} == set(MISREAD[model].split())


def verdicts(warehouse: duckdb.DuckDBPyConnection, where: str) -> list[dict[str, Any]]:
    found = warehouse.execute(
        f"""select model, kind, year, component, points, passed, reason, rule_status from exam_result
        join run using (run_id) join exam using (exam_id) where ruleset = 'official' and {where} order by year"""
    )
    names = [c[0] for c in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("model", IGAKUQA)
def test_verdicts(warehouse: duckdb.DuckDBPyConnection, model: str) -> None:
    rows = verdicts(warehouse, f"model = '{model}' and profession = '医師' and component = 'overall'")
    assert [(r["year"], r["passed"]) for r in rows] == [(y, IGAKUQA[model][1]) for y in (2020, 2021, 2022)]
    assert all("needed" in r["reason"] and "at most 3" in r["reason"] for r in rows)
    if model == "gpt-4":
        forbidden = verdicts(warehouse, "model = 'gpt-4' and component = '禁忌'")
        assert [int(r["points"]) for r in forbidden] == [0, 0, 1]


def test_what_was_not_measured_gets_no_verdict(warehouse: duckdb.DuckDBPyConnection) -> None:
    (part,) = verdicts(warehouse, "model = 'part-model' and component = 'overall'")
    assert (part["passed"], part["reason"]) == (None, "incomplete: 75 of 398 questions")
    dental = verdicts(warehouse, "profession = '歯科' and component = 'overall'")
    assert dental and all(r["passed"] is None and "the official maximum is 473" in r["reason"] for r in dental)


def test_the_papers_cognet_questions(warehouse: duckdb.DuckDBPyConnection) -> None:
    found = dict(
        warehouse.execute(
            """select model, sum(points) from item_score join run using (run_id)
            where model like 'paper-%' and ruleset = 'official' group by 1"""
        ).fetchall()
    )
    assert found == {f"paper-{model}": Decimal(str(total)) for model, (_, total) in COGNET.items()}


def test_every_figure_has_an_interval_and_a_method(warehouse: duckdb.DuckDBPyConnection) -> None:
    without = warehouse.execute(
        """select * from benchmark_score
           where value is not null and (low is null or high is null) and method not like '%one question%'"""
    ).fetchall()
    assert without == []
