"""The views and example queries on the published sample, and the page that shows their results."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from pipelines.document import DOCS, queries, sample_warehouse
from pipelines.store.sqlfiles import SQL, View, sql_views

NOT_IN_SAMPLE = {"predicted_scores": "no run of the sample was asked twenty questions of a larger whole"}
QUERIES = sorted((SQL / "queries").glob("*.sql"))


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_warehouse(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def con(warehouse: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(warehouse), read_only=True)


def test_page_is_current(warehouse: Path) -> None:
    assert (DOCS / "queries.md").read_text(encoding="utf-8") == queries(warehouse), "run `make docs`"


@pytest.mark.parametrize("path", QUERIES, ids=lambda p: p.stem)
def test_each_query_runs_and_leaves_out_times(path: Path, con: duckdb.DuckDBPyConnection) -> None:
    found = con.execute(path.read_text(encoding="utf-8"))
    rows = found.fetchall()
    assert bool(rows) is (path.stem not in NOT_IN_SAMPLE), (
        "the sample holds an example of everything else that is asked"
    )
    assert not [d for d in found.description or [] if "TIME" in str(d[1])]


@pytest.mark.parametrize("view", sql_views(), ids=lambda v: v.name)
def test_each_view_has_the_columns_that_its_header_explains(view: View, con: duckdb.DuckDBPyConnection) -> None:
    call = f"({', '.join('null' for _ in view.parameters)})" if view.parameters else ""
    found = [name for name, *_ in con.execute(f"describe from {view.name}{call}").fetchall()]
    assert found == list(view.columns)
    where = f"function_name = '{view.name}'" if view.parameters else f"view_name = '{view.name}'"
    catalogue = "duckdb_functions()" if view.parameters else "duckdb_views()"
    assert con.execute(f"select comment from {catalogue} where {where}").fetchall() == [(view.says,)]
    if not view.parameters:
        sql = "select column_name, comment from duckdb_columns() where table_name = ?"
        assert dict(con.execute(sql, [view.name]).fetchall()) == view.columns


def test_pass_grid_has_one_row_for_each_official_verdict(con: duckdb.DuckDBPyConnection) -> None:
    sql = """
        select
            (select count(*) from pass_grid),
            (select count(distinct (run_id, exam_id)) from pass_grid),
            (select count(*) from exam_result where ruleset = 'official' and component = 'overall')"""
    rows = con.execute(sql).fetchall()[0]
    assert rows[0] == rows[1] == rows[2] > 0


def test_worst_topics_start_with_the_lowest_accuracy(con: duckdb.DuckDBPyConnection) -> None:
    sql = """
        select count(*) from worst_topics as w
        where place = 1 and accuracy > (
            select min(accuracy) from topic_score as t
            where t.run_id = w.run_id and t.ruleset = 'official' and t.n > 0
        )"""
    assert con.execute(sql).fetchall() == [(0,)]
    assert con.execute("select count(*) from worst_topics where place = 1").fetchall() != [(0,)]


def test_compare_takes_models_or_runs_and_turns_round(con: duckdb.DuckDBPyConnection) -> None:
    columns = "dataset_id, metric, value_a, value_b, difference, low, high, n"
    there = con.execute(f"select {columns} from compare('sample-model-a', 'sample-model-b')").fetchall()
    back = con.execute(f"select {columns} from compare('sample-model-b', 'sample-model-a')").fetchall()
    assert there
    turned = [(d, m, b, a, -diff, -high, -low, n) for d, m, a, b, diff, low, high, n in back]
    assert there == turned
    assert all(low <= diff <= high for _, _, _, _, diff, low, high, _ in there)
    runs = con.execute("select run_a, run_b from compare('sample-model-a', 'sample-model-b') limit 1").fetchall()[0]
    assert len(con.execute("from compare(?, ?)", list(runs)).fetchall()) == 2
    assert con.execute("from compare('nobody', 'sample-model-a')").fetchall() == []
