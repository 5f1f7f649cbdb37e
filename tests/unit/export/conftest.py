"""A small warehouse for the tests of exports: open and closed licences, hostile text."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from pipelines.export import FORMATS
from pipelines.export.tables_xlsx import CELL
from pipelines.schema import TABLES
from pipelines.scoring.rulebook import rulebook, tables
from pipelines.store.checks import name_of
from tests.unit.scoring_world import INPUTS, TIME, World

SECRET = "A closed question about jaundice"


HOSTILE = "=cmd|' /C calc'!A0\u2028{{ doc }} </script>\n--- license: x"


QUESTION_FORMATS = [name for name, form in FORMATS.items() if form.needs_questions]


LICENCES = {
    "medschool/test": "Apache-2.0",
    "medschool/mur-2024-07": "none stated (public exam questions)",
    "kokushi_md10/test": "MIT",
    "cognet_md/test": "CC BY-NC-ND 4.0",
}


def _world() -> World:
    world = World()
    for dataset_id, licence in LICENCES.items():
        benchmark, _, release = dataset_id.partition("/")
        world.rows["dataset"].append({
            "dataset_id": dataset_id, "benchmark": benchmark, "release": release, "source": benchmark,
            "title": f'Title of {dataset_id}"\nlicense: "mit', "language": "it", "licence": licence,
            "origin": "/somebody/secret place/file.json", "sha256": "0" * 64, "fetched_at": TIME, "n_questions": 2,
            "is_sample": False, "is_latest": True,
        })  # fmt: skip
    exam = world.exam("医師", 2020)
    about: dict[str, Any] = {"topic": "biology", "source_url": "/somebody/secret place/file.json#row 1"}
    world.question("medschool/test/1", "medschool", ["B"], stem=HOSTILE, **about)
    world.question("medschool/test/2", "medschool", ["A"], stem="-5 °C o +5 °C?", topic="logic")
    for n in (1, 2):
        mur = {"dataset_id": "medschool/mur-2024-07", "stem": f"{SECRET} {n}"}
        world.question(f"medschool/mur-2024-07/{n}", "medschool", ["B"], topic="biology", **mur)
        world.question(f"cognet_md/test/{n}", "cognet_md", ["AC"], answer_type="multiple", stem=f"{SECRET} {n}",
                       topic="dermatology", fingerprint=f"c{n}")  # fmt: skip
    sitting = {"exam_id": exam, "paper": "A"}
    world.question("kokushi_md10/test/1", "kokushi_md10", ["AB", "AC"], answer_type="multiple", number=1, **sitting)
    world.question("kokushi_md10/test/2", "kokushi_md10", ["04"], answer_type="numeric", number=2, **sitting)
    for run, dataset in (("../../etc/a b", "medschool/test"), ("vendor/model", "cognet_md/test")):
        world.run(f"{run}/x/1", dataset, model=run)
    world.answer("../../etc/a b/x/1", "medschool/test/1", "B")
    world.answer("../../etc/a b/x/1", "medschool/test/2", "C", response="@SUM(1)" + "x" * (CELL + 5))
    world.answer("vendor/model/x/1", "cognet_md/test/1", "AC", response=SECRET)
    return world


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a warehouse of four datasets, two of which are closed by their licences."""
    folder = tmp_path_factory.mktemp("data")
    world = _world()
    frames = {name: world.frame(name) for name in INPUTS} | tables(rulebook())
    frames["dataset"] = frames["dataset"].with_columns(pl.lit(None).alias("count_note"))
    frames |= world.results(tmp_path_factory.mktemp("results"), "item_score")
    score = {"run_id": "vendor/model/x/1", "ruleset": "official", "benchmark": "cognet_md", "use_case": "all",
             "metric": "score_share", "value": 1, "low": 0, "high": 1, "method": "test", "n": 1}  # fmt: skip
    frames["benchmark_score"] = TABLES["benchmark_score"].frame([
        score,
        score | {"run_id": "../../etc/a b/x/1", "benchmark": "medschool", "metric": "exam_score", "value": None},
        score | {"run_id": "../../etc/a b/x/1", "benchmark": "medschool", "metric": "accuracy", "value": 0.5},
    ])  # fmt: skip
    with duckdb.connect(str(folder / "medexams.duckdb")) as con:
        for name, table in TABLES.items():
            columns = ", ".join(f"{name_of(c.name)} {c.type}" for c in table.columns)
            con.execute(f"create table {name} ({columns})")
            if name in frames:
                path = folder / "rows.parquet"
                frames[name].select(table.column_names).write_parquet(path)
                con.execute(f"insert into {name} select * from read_parquet('{path}')")
                path.unlink()
        con.execute("insert into rejected_row values ('a file', 'row 1', 'no key', ?)", [SECRET])
    return folder


@pytest.fixture
def con(data: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(data / "medexams.duckdb"), read_only=True) as connection:
        yield connection


def texts(folder: Path) -> str:
    """Everything an export says, workbooks and Parquet files unpacked."""
    parts = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as book:
                parts += [book.read(name).decode() for name in book.namelist()]
        elif path.suffix == ".parquet":
            parts.append(json.dumps(pl.read_parquet(path).to_dicts(), ensure_ascii=False))
        else:
            parts.append(path.read_text(encoding="utf-8"))
    return "\n".join(parts)
