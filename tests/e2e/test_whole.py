"""All sources and all real predictions, the whole way from the command line to the published file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from pipelines.schema import TABLES
from pipelines.store.checks import offending, schema_checks
from pipelines.store.sqlfiles import SQL, sql_checks
from pipelines.store.tables import Store
from tests.e2e.conftest import Command, rows


@pytest.fixture(scope="module")
def env(real_sources: dict[str, str]) -> dict[str, str]:
    return real_sources


@pytest.fixture(scope="module")
def whole(medexams: Command, env: dict[str, str], shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with all real datasets and all real predictions."""
    data: Path = tmp_path_factory.mktemp("whole")
    done = medexams("refresh", data=data, env=env)
    assert done.code == 0, done.err
    folders = ("runs/lm_eval", "runs/inspect", "runs/helm", "igakuqa/baseline_results", "kokushi/results")
    done = medexams("runs", "add", "--lenient", *(shared / "data" / f for f in folders), data=data, env=env)
    assert done.code == 0, done.err
    return data


def test_questions_by_benchmark_and_language(whole: Path) -> None:
    query = (SQL / "queries" / "questions_by_language.sql").read_text(encoding="utf-8")
    found = {(b, lang): n for b, lang, n, *_ in rows(whole, query)}
    assert found == {("cognet_md", "en"): 4, ("kokushi_md10", "ja"): 2595, ("medschool", "it"): 6801}


@pytest.mark.parametrize("path", sorted((SQL / "queries").glob("*.sql")), ids=lambda p: p.stem)
def test_each_example_query_finds_something(path: Path, whole: Path) -> None:
    assert rows(whole, path.read_text(encoding="utf-8"))


def test_rows_in_are_rows_kept_and_rejected(whole: Path) -> None:
    found = rows(whole, "select dataset_id, rows_in, kept, rejected from source_quality order by 1")
    assert [(d, n) for d, n, *_ in found] == [
        ("cognet_md/1.0", 4), ("kokushi_md10/ja", 2595), ("medschool/mur-2024-07", 3500), ("medschool/room-b007", 3301),
    ]  # fmt: skip
    assert all(n == kept + rejected for _, n, kept, rejected in found)


def test_counts_that_differ_are_explained(whole: Path) -> None:
    sql = "select dataset_id, missing, explanation from source_quality where missing <> 0 order by 1"
    found = {d: (missing, why) for d, missing, why in rows(whole, sql)}
    assert {d: missing for d, (missing, _) in found.items()} == {"cognet_md/1.0": 538, "kokushi_md10/ja": 8993}
    assert all(why for _, why in found.values())


def test_both_layouts_of_the_same_predictions_agree(whole: Path) -> None:
    sql = """
        select count(*), count(distinct model) from (
            select model, question_id from prediction join run using (run_id)
            where kind <> 'baseline' and question_id like 'kokushi_md10/ja/医師/%'
            group by 1, 2
            having count(distinct coalesce(selection::varchar, value, status)) > 1 or count(*) <> 2
        )"""
    assert rows(whole, sql) == [(0, 0)]


def test_foreign_logs_end_as_unmatched_with_a_reason(whole: Path) -> None:
    known = "has this text|says nothing|another text"
    sql = f"select count(*) from unmatched_prediction where regexp_matches(reason, '{known}')"
    assert rows(whole, sql)[0][0] == rows(whole, "select count(*) from unmatched_prediction")[0][0] > 0
    assert rows(whole, "select * from rejected_file where not starts_with(reason, 'nothing new: ')") == []


def test_broken_files_are_rows_and_nothing_else_is_lost(
    whole: Path, medexams: Command, env: dict[str, str], tmp_path: Path
) -> None:
    broken: tuple[bytes, ...] = (
        b"",
        b"{",
        b"[1,2",
        b"\xff\xfe\x00\x01" * 50,
        b'a,b\n"unclosed',
        b"PK\x03\x04",
        b"[" * 100_000,
    )
    for n, content in enumerate(broken):
        (tmp_path / f"bad{n}.jsonl").write_bytes(content)
    before = rows(whole, "select count(*), bit_xor(hash(prediction)) from prediction")
    done = medexams("runs", "add", tmp_path, data=whole, env=env)
    assert done.code == 1 and f"{len(broken)} files rejected" in done.out
    assert rows(whole, "select count(*) from rejected_file where path like '%/bad%' and length(reason) > 20") == [
        (len(broken),)
    ]
    assert rows(whole, "select count(*), bit_xor(hash(prediction)) from prediction") == before


def test_a_run_is_added_beside_a_broken_file_and_removed(
    whole: Path, medexams: Command, env: dict[str, str], tmp_path: Path
) -> None:
    question = rows(whole, "select question_id from question where benchmark = 'medschool' limit 1")[0][0]
    good, bad = tmp_path / "comes-and-goes.csv", tmp_path / "modello.csv"
    good.write_text(f"model,question_id,prediction\ncomes-and-goes,{question},A\n", encoding="utf-8")
    bad.write_text("modello,domanda\nx,1\n", encoding="utf-8")
    for options, code in (((), 1), (("--lenient",), 0)):
        done = medexams("runs", "add", good, bad, *options, data=whole, env=env)
        assert done.code == code and "modello, domanda" in done.out
    assert medexams("runs", "remove", "comes-and-goes", data=whole, env=env).code == 0
    assert rows(whole, "select count(*) from run where model = 'comes-and-goes'") == [(0,)]
    assert medexams("runs", "remove", "comes-and-goes", data=whole, env=env).code == 2


def test_runs_show(whole: Path, medexams: Command) -> None:
    run_id = rows(whole, "select run_id from run where model = 'gpt-4' and harness = 'IgakuQA'")[0][0]
    done = medexams("runs", "show", run_id, "--status", "refused", "--json", data=whole)
    shown = json.loads(done.out)
    assert shown and all(r["status"] == "refused" and r["response"] for r in shown)
    assert medexams("runs", "show", "no-such-run", data=whole).code == 2


def test_keys_and_references_hold_in_the_published_file(whole: Path) -> None:
    with duckdb.connect(str(whole / "medexams.duckdb"), read_only=True) as con:
        checks = [c for t in TABLES.values() for c in schema_checks(t)] + sql_checks()
        assert {c.name: rows for c in checks if (rows := offending(con, c)[1])} == {}


def test_a_broken_table_leaves_the_old_file(
    whole: Path, medexams: Command, env: dict[str, str], tmp_path: Path
) -> None:
    """A choice of no question, put among the tables behind the store's back: publishing says so and stops."""
    data = tmp_path / "data"
    shutil.copytree(whole, data)
    before = (data / "medexams.duckdb").read_bytes()
    choice = pl.read_parquet(data / "tables/choice.parquet")
    stray = choice.head(1).with_columns(question_id=pl.lit("medschool/nowhere/1"))
    meta = json.dumps(Store(data).meta("choice").__dict__)
    pl.concat([choice, stray]).write_parquet(data / "tables/choice.parquet", metadata={"medexams": meta})
    done = medexams("runs", "add", _one_prediction(tmp_path), data=data, env=env)
    assert done.code == 1 and "choice" in done.err and "stands in question" in done.err
    assert (data / "medexams.duckdb").read_bytes() == before


def _one_prediction(folder: Path) -> Path:
    path = folder / "one.csv"
    path.write_text("model,question_id,prediction\nm,medschool/room-b007/1,A\n")
    return path
