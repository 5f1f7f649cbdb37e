"""IgakuQA as a fourth source, beside KokushiMD-10: 1,200 questions, 4,800 predictions, and its README's figures."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipelines import stages
from pipelines.scoring import tables
from pipelines.settings import Settings
from pipelines.store import sqlfiles
from pipelines.store.tables import Store
from tests.real.test_scores_real import IGAKUQA, MISREAD, MUST
from tests.unit.scoring_world import in_order

YEARS = (2020, 2021, 2022)


@pytest.fixture(scope="module")
def store(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Both sources, and in the inbox the same predictions in both layouts; all the way to the verdicts."""
    folder = tmp_path_factory.mktemp("igakuqa")
    shutil.copytree(shared / "data/igakuqa/baseline_results", folder / "inbox/igakuqa")
    shutil.copytree(shared / "data/kokushi/results", folder / "inbox/results")
    settings = Settings.from_env(
        {
            "MEDEXAMS_IGAKUQA_RELEASE": str(shared / "data/igakuqa"),
            "MEDEXAMS_KOKUSHI_RELEASE": str(shared / "data/kokushi"),
        },
        data=folder / "data",
        inbox=folder / "inbox",
    )
    store = stages.open_store(settings)
    for source in ("igakuqa", "kokushi"):
        assert stages.fetch(settings, source)
    stages.build_questions(settings, store)
    stages.import_runs(settings, store)
    tables.make_rules(store)
    for name in in_order(("exam_result", "rule_disagreement")):
        sqlfiles.make(store, name)
    return store


@pytest.fixture
def con(store: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    with store.connect() as connection:
        yield connection


def test_every_question_comes_in(con: duckdb.DuckDBPyConnection) -> None:
    sizes = con.execute("select dataset_id, n_questions from dataset order by 1").fetchall()
    assert sizes == [("igakuqa/2020-2022", 1200), ("kokushi_md10/ja", 2595)]
    assert con.execute("select count(*) from rejected_row").fetchall() == [(0,)]
    assert con.execute(
        """select count(topic), count(human_accuracy), count(distinct year) from question q join exam using (exam_id)
        where q.benchmark = 'igakuqa'"""
    ).fetchall() == [(1200, 1192, 3)]  # eight have no accuracy


def test_points_that_count(con: duckdb.DuckDBPyConnection) -> None:
    found = con.execute(
        """select year, component, sum(points) from question join exam using (exam_id)
        where question.benchmark = 'igakuqa' and key_status <> 'removed' group by 1, 2"""
    ).fetchall()
    assert {(y, c): int(p) for y, c, p in found} == {
        (2020, "必修"): 197, (2021, "必修"): 200, (2022, "必修"): 197,
        (2020, "一般+臨床"): 299, (2021, "一般+臨床"): 300, (2022, "一般+臨床"): 297,
    }  # fmt: skip


def test_each_question_is_kokushis_too(con: duckdb.DuckDBPyConnection) -> None:
    """All 1,200 are linked by their text, and both sources give the same key, points, part and forbidden choices."""
    found = con.execute(
        """with what as (
            select q.*, (select list(labels order by alternative) from answer_key k where k.question_id = q.question_id)
                as keys, (select list(value order by alternative) from answer_key k where k.question_id = q.question_id)
                as vals, (select list((label, text, is_forbidden) order by position) from choice c
                where c.question_id = q.question_id) as shown
            from question q)
        select count(*), count(*) filter (
            (a.keys, a.vals, a.shown, a.points, a.component, a.key_status, a.case_group is null, a.human_accuracy)
            is distinct from
            (b.keys, b.vals, b.shown, b.points, b.component, b.key_status, b.case_group is null, b.human_accuracy))
        from question_link l join what a on a.question_id = l.from_question join what b on b.question_id = l.to_question
        where starts_with(l.from_question, 'kokushi_md10/') and starts_with(l.to_question, 'igakuqa/')
            and l.kind = 'exact'"""
    ).fetchall()
    assert found == [(1200, 0)]
    assert con.execute("select count(*) from answer_key_change").fetchall() == [(0,)]


def test_all_predictions_come_in(con: duckdb.DuckDBPyConnection) -> None:
    found = con.execute(
        """select dataset_id, harness, count(distinct run_id), count(*) from prediction join run using (run_id)
        group by 1, 2"""
    ).fetchall()
    assert sorted(found) == [
        ("igakuqa/2020-2022", "IgakuQA", 4, 4800), ("kokushi_md10/ja", "KokushiMD-10", 4, 4800)]  # fmt: skip
    assert con.execute("select count(*) from unmatched_prediction").fetchall() == [(0,)]
    assert con.execute("select count(*) from rejected_file").fetchall() == [(0,)]


def points(con: duckdb.DuckDBPyConnection, model: str, ruleset: str) -> dict[str, int]:
    """Points by year/paper/number."""
    return dict(
        con.execute(
            """select concat_ws('/', year, paper, number), cast(i.points as integer) from item_score i
            join question q using (question_id) join exam using (exam_id) join run using (run_id)
            where q.benchmark = 'igakuqa' and model = ? and ruleset = ?""",
            [model, ruleset],
        ).fetchall()
    )


@pytest.mark.parametrize("model", IGAKUQA)
def test_its_leaderboard(con: duckdb.DuckDBPyConnection, model: str) -> None:
    """`published` gives IgakuQA's own figures; `official` these and the right answers that its evaluator misreads."""
    theirs, ours = points(con, model, "published"), points(con, model, "official")
    assert len(theirs) == len(ours) == 1200
    totals: dict[tuple[str, bool], int] = defaultdict(int)
    for place, got in theirs.items():
        totals[place[:4], place[5] in MUST] += got
    assert [(totals[str(y), True], totals[str(y), False]) for y in YEARS] == IGAKUQA[model][0]
    assert {p for p in ours if ours[p] < theirs[p]} == set()
    assert {p for p in ours if ours[p] > theirs[p]} == set(MISREAD[model].split())


@pytest.mark.parametrize("model", IGAKUQA)
def test_verdicts(con: duckdb.DuckDBPyConnection, model: str) -> None:
    """GPT-4 and the students pass all three years, ChatGPT and GPT-3 none: the exam's own rule, in both benchmarks."""
    found = con.execute(
        """select e.benchmark, year, ruleset, passed, reason from exam_result join exam e using (exam_id)
        join run using (run_id) where model = ? and component = 'overall' order by all""",
        [model],
    ).fetchall()
    official = [(b, y, passed) for b, y, ruleset, passed, _ in found if ruleset == "official"]
    assert official == [(b, y, IGAKUQA[model][1]) for b in ("igakuqa", "kokushi_md10") for y in YEARS]
    # its evaluator has no pass lines, and KokushiMD-10's scorer is not its own
    own = [(passed, reason) for b, _, ruleset, passed, reason in found if (b, ruleset) == ("igakuqa", "published")]
    assert own == [(None, f"the released scorer has no lines for 医師 {y}") for y in YEARS]


def test_what_the_evaluator_misreads_has_its_cause(con: duckdb.DuckDBPyConnection) -> None:
    causes = con.execute(
        """select model, cause, count(*) from rule_disagreement join run using (run_id)
        where scope = 'item' and official <> published and dataset_id like 'igakuqa/%' group by 1, 2 order by 1"""
    ).fetchall()
    counts = Counter[str]()
    for model, _, n in causes:
        counts[model] += n
    assert counts == {m: len(MISREAD[m].split()) for m in MISREAD if MISREAD[m]}
    known = ("splits the response at commas", "several answers are accepted")
    assert all(any(words in cause for words in known) for _, cause, _ in causes)
