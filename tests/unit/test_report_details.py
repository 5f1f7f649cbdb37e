"""The data of the pages of runs, questions and pairs: all of it equals the tables; responses are cut with care."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bs4 import BeautifulSoup

from pipelines.report import details, write
from pipelines.report.page import interval, score, share
from tests.unit.report_world import SECRET, warehouse

OUTCOME = """p.status, p.labels, p.value, s.points, s.max_points, s.is_correct, s.hits_forbidden, s.counts, r.points,
    r.is_correct"""
SCORED = """prediction p left join item_score s on s.run_id = p.run_id and s.question_id = p.question_id
        and s.attempt = p.attempt and s.ruleset = 'official'
    left join item_score r on r.run_id = p.run_id and r.question_id = p.question_id and r.attempt = p.attempt
        and r.ruleset = 'published'"""


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path = warehouse(tmp_path_factory.mktemp("details") / "medexams.duckdb", 20)
    with duckdb.connect(str(path)) as made:
        # a second attempt, a run that was asked a part, an answer without a score
        made.execute("""insert into prediction select run_id, question_id, 2, * exclude (run_id, question_id, attempt)
            from prediction where question_id = 'medschool/room-b007/4'""")
        made.execute("delete from prediction where run_id like 'model-3/%' and right(question_id, 1) = '8'")
        made.execute("delete from item_score where question_id = 'kokushi_md10/ja/9'")
    write(path, path.parent / "report", lambda *_: None)
    with duckdb.connect(str(path), read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def report(con: duckdb.DuckDBPyConnection) -> Path:
    ((file,),) = con.execute("select path from duckdb_databases() where database_name = current_database()").fetchall()
    return Path(file).parent / "report"


def chunk(report: Path, name: str) -> Any:
    text = (report / f"data/{name}.js").read_text(encoding="utf-8")
    assert text.startswith(f'medexams.take("{name}",') and text.endswith(");\n")
    return json.loads(text[len(f'medexams.take("{name}",') : -len(");\n")])


def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(None if v is None else f"{v.normalize():f}" if isinstance(v, Decimal) else v for v in row)


def test_every_answer_of_every_run_equals_the_tables(con: duckdb.DuckDBPyConnection, report: Path) -> None:
    index = chunk(report, "index")
    found = set()
    for run in index["runs"]:
        folder = run["chunk"].partition("/")[0]
        dataset = index["datasets"][int(folder[1:])]["id"]
        keys = [line[0] for line in chunk(report, f"{folder}/questions")]
        outcomes = chunk(report, f"{folder}/outcomes")["outcomes"]
        of = chunk(report, run["chunk"])
        asked = of["questions"] or range(len(keys))
        attempts = of["attempts"] or [1] * len(of["outcomes"])
        for place, attempt, outcome in zip(asked, attempts, of["outcomes"], strict=True):
            found.add((run["id"], f"{dataset}/{keys[place]}", attempt, *outcomes[outcome]))
    sql = f"select p.run_id, p.question_id, p.attempt, {OUTCOME} from {SCORED}"
    assert found == {plain(row) for row in con.execute(sql).fetchall()} and len(found) > 700


def test_every_question_with_all_its_answers_equals_the_tables(con: duckdb.DuckDBPyConnection, report: Path) -> None:
    index = chunk(report, "index")
    found, figures = set(), set()
    for d, dataset in enumerate(index["datasets"]):
        runs = [r["id"] for r in index["runs"] if r["dataset"] == dataset["id"]]
        outcomes = chunk(report, f"d{d}/outcomes")["outcomes"]
        for file in sorted((report / f"data/d{d}").glob("b*.js")):
            for q in chunk(report, f"d{d}/{file.stem}"):
                who = q["who"] or [[i, 1] for i in range(len(runs))]
                for (run, attempt), said in zip(who, q["said"], strict=True):
                    outcome, response, *_ = q["answers"][said]
                    found.add((runs[run], q["question_id"], attempt, *outcomes[outcome], response))
                figures.add((q["question_id"], q["share_right"], q["suspicious"], len(q["choices"]), q["keys"][0][0],
                             len(q["flags"]), len(q["twins"]), len(q["changes"])))  # fmt: skip
    closed = "p.question_id like 'cognet_md/%'"
    sql = f"select p.run_id, p.question_id, p.attempt, {OUTCOME}, if({closed}, null, p.response) from {SCORED}"
    assert found == {plain(row) for row in con.execute(sql).fetchall()}
    sql = """select question_id, d.share_right, d.suspicious_key,
            (select count(*) from choice c where c.question_id = q.question_id),
            (select labels from answer_key k where k.question_id = q.question_id),
            (select count(*) from question_flag f where f.question_id = q.question_id),
            (select count(*) from question_link l where q.question_id in (l.from_question, l.to_question)),
            (select count(*) from answer_key_change c where c.fingerprint = q.fingerprint and c.benchmark = q.benchmark)
        from question q join question_difficulty d using (question_id)"""
    assert figures == {plain(row) for row in con.execute(sql).fetchall()}


def test_every_comparison_equals_the_tables(con: duckdb.DuckDBPyConnection, report: Path) -> None:
    found = set()
    for run in chunk(report, "index")["runs"]:
        methods = chunk(report, f"{run['chunk'].partition('/')[0]}/outcomes")["methods"]
        for *row, method in chunk(report, run["chunk"])["comparisons"]:
            found.add((run["id"], *row, methods[method]))
    sql = """select run_a, run_b, metric, value_a, value_b, difference, low, high, p, p_adjusted, n, method
        from comparison"""
    assert found == {plain(row) for row in con.execute(sql).fetchall()} and found


def test_every_figure_of_every_run_equals_the_tables(con: duckdb.DuckDBPyConnection, report: Path) -> None:
    page = BeautifulSoup((report / "run.html").read_text(encoding="utf-8"), "html.parser")
    articles = {str(a["data-run"]): a for a in page.select("article.run")}
    figures = """select run_id, metric, score, low, high, accuracy, coverage, rank from leaderboard"""
    board = con.execute(figures).fetchall()
    assert articles.keys() == {row[0] for row in board} and len(board) == 20
    for run_id, metric, value, low, high, accuracy, coverage, rank in board:
        said = {str(dd["data-figure"]): dd.get_text(" ", strip=True) for dd in articles[run_id].select("[data-figure]")}
        assert said["score"].startswith(score(value, metric)) and interval(low, high, metric) in said["score"]
        assert said["accuracy"] == share(accuracy) and said["coverage"].startswith(share(coverage))
        assert said["rank"].split()[0] == str(rank)
        sql = "select status, count(*) from prediction where run_id = ? group by all"
        counts = dict(con.execute(sql, [run_id]).fetchall())
        assert {s: int(said[s].split()[0]) for s in counts} == counts
        verdicts = {
            (str(t["data-profession"]), int(str(tr["data-year"]))): tr.select("td")[0]
            .get_text(" ", strip=True)
            .split()[1]
            for t in articles[run_id].select("[data-profession]")
            for tr in t.select("[data-year]")
        }
        sql = """select e.profession, e.year, case passed when true then 'pass' when false then 'fail' else 'no' end
            from exam_result join exam e using (exam_id)
            where run_id = ? and ruleset = 'official' and component = 'overall'"""
        assert verdicts == {(p, y): v for p, y, v in con.execute(sql, [run_id]).fetchall()}


@pytest.mark.parametrize(
    ("response", "evidence", "length", "shown"),
    [
        (None, None, 10, (None, 0, 0)),
        ("C", "C", 10, ("C", 0, 1)),
        ("A, no: C", "C", 10, ("A, no: C", 7, 1)),
        ("I can't say", None, 20, ("I can't say", 0, 0)),
        ("x" * 50 + "Answer: C" + "y" * 50, "Answer: C", 13, ("…xxAnswer: Cyy…", 3, 9)),
        ("Answer: C" + "y" * 50, "Answer: C", 12, ("Answer: Cyyy…", 0, 9)),
        ("x" * 50 + "no answer", None, 9, ("…no answer", 0, 0)),
        ("x" * 50 + "C", "Ｃ as it was read", 5, ("…xxxxC", 0, 0)),
    ],
)
def test_a_response_is_cut_around_the_words_that_decided(
    response: str | None, evidence: str | None, length: int, shown: tuple[str | None, int, int]
) -> None:
    assert details.cut(response, evidence, length) == shown
    text, start, n = shown
    assert not n or (text or "")[start : start + n] == evidence


def test_responses_are_cut_when_all_of_them_take_too_much_room(con: duckdb.DuckDBPyConnection) -> None:
    whole = details.response_length(con)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(details, "ROOM", 30_000)
        assert 0 < details.response_length(con) < 100 < whole


def test_no_text_of_a_closed_dataset_is_in_any_file(report: Path) -> None:
    files = [p for p in report.rglob("*") if p.is_file()]
    assert len(files) > 40 and not [p for p in files if SECRET in p.read_text(encoding="utf-8")]
