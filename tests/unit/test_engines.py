"""The one source of SQL can be said in Spark's dialect, and an engine is chosen by the settings alone. No cluster here:
tests/e2e/test_spark.py has one."""

from __future__ import annotations

import pickle

import polars as pl
import pytest

from pipelines import engines
from pipelines.engines import Local
from pipelines.errors import SettingsError
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.parsed import Ask, Prediction
from pipelines.settings import Settings
from pipelines.store.sqlfiles import sql_tables
from tests.conftest import lacking

try:
    import sqlglot
    from sqlglot import exp

    from pipelines.engines.dialect import for_spark

    has_translator = True
except ImportError:
    has_translator = False

OTHER_WORDS = {"BITCOUNT": "BITWISECOUNT", "SPLIT": "REGEXPSPLIT", "TRYCAST": "CAST", "CONCAT": None}
"""Functions that Spark has under another name; CONCAT quotes what REGEXPSPLIT splits at."""


@pytest.fixture(scope="module", autouse=True)
def translator() -> None:
    if not has_translator:
        lacking("sqlglot (make install-dev)")


def functions(sql: str, dialect: str) -> set[str]:
    found = sqlglot.parse_one(sql, read=dialect).find_all(exp.Func)
    names = {(f.name if isinstance(f, exp.Anonymous) else type(f).__name__).upper().replace("_", "") for f in found}
    return {word for n in names if (word := OTHER_WORDS.get(n, n))}


@pytest.mark.parametrize("name", sorted(sql_tables()))
def test_every_statement_says_the_same_in_sparks_words(name: str) -> None:
    """Nothing is dropped or made approximate: as many tables and joins, and the same functions."""
    sql = sql_tables()[name].sql
    theirs = for_spark(sql)
    assert functions(theirs, "spark") == functions(sql, "duckdb")
    here, there = sqlglot.parse_one(sql, read="duckdb"), sqlglot.parse_one(theirs, read="spark")
    for kind in (exp.Table, exp.Join, exp.Group, exp.Where, exp.Window, exp.Cast):
        assert len(list(here.find_all(kind))) == len(list(there.find_all(kind))), kind


def test_a_statement_that_would_become_approximate_is_seen() -> None:
    sql = "select percentile_cont(0.5) within group (order by n_choices) as m from question"
    assert functions(for_spark(sql), "spark") != functions(sql, "duckdb")


def test_the_settings_name_the_engine() -> None:
    settings = Settings.from_env({"MEDEXAMS_ENGINE": "spark", "MEDEXAMS_SPARK_MASTER": "spark://there:7077"})
    assert (settings.engine, settings.spark_master) == ("spark", "spark://there:7077")
    with engines.opened(Settings.from_env({})) as engine:
        assert isinstance(engine, Local)
    with pytest.raises(SettingsError, match="engine 'dask' is not one of duckdb, spark"):
        Settings.from_env({"MEDEXAMS_ENGINE": "dask"})


def test_without_the_extra_the_engine_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)
    monkeypatch.delitem(__import__("sys").modules, "pipelines.engines.spark", raising=False)
    with (
        pytest.raises(SettingsError, match=r"install the extra medexams\[spark\]"),
        engines.opened(Settings.from_env({"MEDEXAMS_ENGINE": "spark"})),
    ):
        pass


def test_the_index_of_questions_travels() -> None:
    question = pl.DataFrame(
        [{
            "question_id": "b/r/1", "dataset_id": "b/r", "benchmark": "b", "source_key": "1", "language": "en",
            "stem": "What?", "answer_type": "single", "fingerprint": "f", "exam_id": None,
            "paper": None, "number": None,
        }]
    )  # fmt: skip
    choice = pl.DataFrame({"question_id": ["b/r/1"], "position": [0], "label": ["A"], "text": ["This."]})
    dataset = pl.DataFrame({"dataset_id": ["b/r"], "is_latest": [True], "is_sample": [False]})
    exam = pl.DataFrame(schema={"exam_id": pl.String, "profession": pl.String, "year": pl.Int32})
    index = QuestionIndex.build(question, choice, dataset, exam)
    there = pickle.loads(pickle.dumps(index))
    assert there.digest == index.digest
    asked = [Prediction("1", Ask(question_id="b/r/1"), "A")]
    matched = [next(iter(i.match(asked, None, firm=False))) for i in (index, there)]
    assert matched[0].dataset_id == matched[1].dataset_id == "b/r"
