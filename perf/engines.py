"""Tables of sql/scores by DuckDB and by Spark on the same generated predictions: seconds, and equal rows.

    python -m perf.engines [PREDICTIONS] [MASTER]     default 10,000,000 and local[*]; needs `make spark` and Java

The predictions are those of the bundled sample, drawn anew for as many runs as it takes. Exit code 1 where a table
differs in a row.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import duckdb

from pipelines import definitions
from pipelines.engines import Engine, Local
from pipelines.engines.spark import Spark
from pipelines.schema import TABLES
from pipelines.settings import Settings
from pipelines.stages import open_store
from pipelines.store.checks import name_of, quoted
from pipelines.store.sqlfiles import sql_tables
from pipelines.store.tables import Store

ORDER = (
    "released_answer", "item_score", "exam_part", "exam_part_size", "exam_part_score", "exam_line", "exam_result",
    "question_difficulty", "rule_disagreement", "source_quality",
)  # fmt: skip
"""The SQL tables, each after those that it reads."""

KIND = """(format parquet, kv_metadata {medexams: '{"version": "generated", "rows": 0, "inputs": {}}'})"""
"""How a file is written so that the store takes it for a table of its own."""

# Answers of any run of the sample to the question, drawn by a hash; each generated run is a family of its own.
_GENERATE = """
create table drawn as
select question_id, list(struct_pack(response, status, selection, labels, value, evidence) order by run_id) as told
from prediction where attempt = 1 group by question_id;
create table runs as select 'generated/' || n as run_id from range($runs) as t(n);
copy (
    select run_id, question_id, 1::integer as attempt,
        unnest(told[1 + (hash(run_id, question_id) % len(told))::integer])
    from runs cross join drawn
) to '$prediction' $kind;
copy (
    select r.* replace (g.run_id as run_id, g.run_id as model, 'model' as kind, 'generated' as format)
    from runs as g cross join (from run order by run_id limit 1) as r
) to '$run' $kind;
copy (
    select f.* replace (g.run_id as run_id, g.run_id as family)
    from runs as g cross join (from run_family limit 1) as f
) to '$family' $kind;
"""


def world(folder: Path, predictions: int) -> Store:
    """A data folder of the sample, whose runs and predictions are replaced by generated ones."""
    settings = Settings.from_env({}, profile="sample", data=folder)
    definitions.run_job(settings, "refresh")
    store = open_store(settings)
    with store.connect() as con:
        questions = con.execute("select count(distinct question_id) from prediction where attempt = 1").fetchall()[0][0]
        files = {name: folder / f"{name}.parquet" for name in ("prediction", "run", "family")}
        said = _GENERATE.replace("$runs", str(predictions // questions)).replace("$kind", KIND)
        for name, file in files.items():
            said = said.replace(f"'${name}'", quoted(file))
        for statement in said.split(";\n"):
            if statement.strip():
                con.execute(statement)
    for name in ("run", "prediction"):
        store.keep_parts(name, ())
        files[name].rename(store.root / name / "generated.parquet")
    files["family"].rename(store.root / "run_family.parquet")
    return store


def compute(engine: Engine, store: Store, con: duckdb.DuckDBPyConnection, name: str, target: Path) -> float:
    """Seconds in which an engine computed a table, left as a Parquet file at `target`."""
    columns = ", ".join(f"cast({name_of(c.name)} as {c.type}) as {name_of(c.name)}" for c in TABLES[name].columns)
    began = time.perf_counter()
    with engine.computed(store, sql_tables()[name].sql) as sql:
        con.execute(f"copy (select {columns} from ({sql}\n)) to {quoted(target)} {KIND}")
    return time.perf_counter() - began


def main(predictions: int = 10_000_000, master: str = "local[*]") -> int:
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        store = world(Path(folder), predictions)
        spark = Spark(master)
        began = time.perf_counter()
        spark.session.range(1).count()
        print(f"{predictions:,} predictions; Spark at {master} was there after {time.perf_counter() - began:.1f} s")
        for name in ORDER:
            here, there = (Path(folder) / f"{name}.{engine}.parquet" for engine in ("duckdb", "spark"))
            with store.connect() as con:
                seconds = [compute(Local(), store, con, name, here), compute(spark, store, con, name, there)]
                one, other = (f"from read_parquet({quoted(f)})" for f in (here, there))
                wrong = f"select count(*) from (({one} except all {other}) union all ({other} except all {one}))"
                n, differ = con.execute(f"select (select count(*) {one}), ({wrong})").fetchall()[0]
            print(
                f"  {name:22} {n:12,} rows   DuckDB {seconds[0]:8.2f} s   Spark {seconds[1]:8.2f} s   {differ} differ"
            )
            differing += differ
            here.replace(store.root / f"{name}.parquet")
        spark.stop()
    return int(differing > 0)


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(int(given[0]) if given else 10_000_000, *given[1:2]))
