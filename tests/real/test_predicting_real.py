"""A hundred questions of 医師 tell the total: runs held out of the item parameters, the questions chosen adaptively."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pipelines import stages
from pipelines.ask.adaptive import Adaptive
from pipelines.scoring import items, predicting
from pipelines.scoring import tables as scoring
from pipelines.settings import Settings
from pipelines.store import sqlfiles
from pipelines.store.tables import Store
from tests.unit.scoring_world import in_order

BUDGET = 100
YEARS = (2020, 2021, 2022)


@pytest.fixture(scope="module")
def store(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    data, inbox = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("runs")
    shutil.copytree(shared / "data/kokushi/results", inbox / "results")
    settings = Settings.from_env({
        "MEDEXAMS_DATA": str(data),
        "MEDEXAMS_INBOX": str(inbox),
        "MEDEXAMS_KOKUSHI_RELEASE": str(shared / "data/kokushi"),
    })  # fmt: skip
    store = stages.open_store(settings)
    stages.fetch(settings, "kokushi")
    stages.build_questions(settings, store)
    stages.import_runs(settings, store)
    scoring.make_rules(store)
    for name in in_order(("exam_result",)):
        sqlfiles.make(store, name)
    for name in scoring.COMPUTED:
        scoring.make(store, name)
    return store


@pytest.fixture(scope="module")
def held_out(store: Store) -> pl.DataFrame:
    """predicted_score of each run, as if the others were all there is and it had been asked BUDGET questions a year;
    beside it `true`, what it earned, and `random`, the width of the interval of a stratified random sample."""
    t = {n: store.read(n) for n in (*scoring.COMPUTED["predicted_score"].inputs, "run_family")}
    official = t["item_score"].filter(pl.col("ruleset") == "official")
    earned = t["exam_result"].filter(pl.col("ruleset") == "official").select(
        "run_id", "component", part=pl.lit("exam/") + pl.col("exam_id").str.split("/").list.slice(1).list.join("/"),
        true=pl.col("points").cast(pl.Float64), passed="passed",
    )  # fmt: skip
    found = []
    for run_id in t["run"]["run_id"].sort():
        others = pl.col("run_id") != run_id
        known = items.item_parameter(*(t[n].filter(others) if n != "question" else t[n] for n in (
            "item_score", "question", "run", "run_family")))  # fmt: skip
        right = dict(official.filter(~others).select("question_id", "is_correct").iter_rows())
        random: dict[str, float] = {}
        asked: list[str] = []
        for year in YEARS:
            of_exam = t["question"].filter(pl.col("exam_id") == f"kokushi_md10/医師/{year}")
            paper = predicting.paper(of_exam, known, t["rule_item"])
            assert paper.is_known
            picker = Adaptive(paper, paper.ids, BUDGET)
            while (question_id := picker.next()) is not None:
                picker.record(question_id, right[question_id])
            asked += picker.answers
            random[f"exam/医師/{year}"] = _random_width(of_exam, t["rule_item"], right)
        taken = official.filter(others | pl.col("question_id").is_in(asked))
        kind = pl.when(others).then("kind").otherwise(pl.lit("model"))
        now = t | {"item_score": taken, "item_parameter": known, "run": t["run"].with_columns(kind=kind)}
        made = predicting.predicted_score(*(now[n] for n in scoring.COMPUTED["predicted_score"].inputs))
        found.append(
            made.filter(~others).with_columns(random=pl.col("part").replace_strict(random, return_dtype=pl.Float64))
        )
    return pl.concat(found).join(earned, on=["run_id", "component", "part"], how="left")


def _random_width(of_exam: pl.DataFrame, rule_item: pl.DataFrame, right: dict[str, bool]) -> float:
    """Width of the 90 % interval from BUDGET random questions: the mean over 20 samples, proportional by stratum."""
    nothing = pl.DataFrame(schema={"question_id": pl.String, "difficulty": pl.Float64})
    paper = predicting.paper(of_exam, nothing, rule_item)
    place = {question_id: i for i, question_id in enumerate(paper.ids)}
    widths = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        share = BUDGET / len(paper.ids)
        chosen = [
            str(question_id)
            for code in np.unique(paper.stratum)
            for inside in [np.array(paper.ids)[paper.stratum == code]]
            for question_id in rng.choice(inside, round(share * len(inside)), replace=False)
        ]
        asked = np.array([place[q] for q in chosen])
        drawn = predicting.draws(paper, asked, np.array([float(right[q]) for q in chosen]), rng) @ paper.worth
        low, high = np.quantile(drawn, [0.05, 0.95])
        widths.append(high - low)
    return float(np.mean(widths))


def test_intervals_hold_nine_times_in_ten_and_are_narrower_than_random_ones(held_out: pl.DataFrame) -> None:
    totals = held_out.filter((pl.col("component") == "overall") & (pl.col("metric") == "score"))
    assert len(totals) == 4 * len(YEARS)
    holds = totals.filter(pl.col("true").is_between("low", "high"))
    assert len(holds) >= 0.9 * len(totals)
    assert totals.filter(pl.col("high") - pl.col("low") >= pl.col("random")).is_empty()


def test_lines_and_pass_chances_go_with_the_verdicts(held_out: pl.DataFrame) -> None:
    lines = held_out.filter(pl.col("component") != "overall")
    assert lines["component"].unique().sort().to_list() == ["一般+臨床", "必修"]
    assert lines.select(pl.col("true").is_between("low", "high").mean()).item() >= 0.8
    chance = held_out.filter(pl.col("metric") == "pass_chance")
    assert chance.filter(~pl.col("passed"))["value"].max() < 0.05  # type: ignore[operator]
    assert chance.filter("passed")["value"].min() > 0.4  # type: ignore[operator]


def test_the_place_is_that_among_measured_runs(held_out: pl.DataFrame) -> None:
    places = held_out.filter(pl.col("metric") == "rank")
    assert places.filter(pl.col("run_id").str.starts_with("student"))["low"].to_list() == [1.0] * 3
    assert places.filter(pl.col("run_id").str.starts_with("text-davinci"))["value"].min() >= 4  # type: ignore[operator]
