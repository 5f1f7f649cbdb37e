"""A World of scoring_world.py as a published file: whole, as a refresh does it, or only what a comparison reads."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import duckdb

from pipelines.schema import TABLES
from pipelines.scoring import tables as scores
from pipelines.scoring.boards import leaderboard
from pipelines.scoring.rulebook import tables as rule_tables
from pipelines.store.publishing import create_view, publish
from pipelines.store.sqlfiles import make, sql_tables, sql_views
from pipelines.store.tables import Store
from tests.unit.scoring_world import INPUTS, World


def publish_world(world: World, folder: Path) -> Path:
    """Publish it below `folder`, in place of what was published there; returns the file."""
    store = Store(folder)
    _add_datasets(world)
    for table in TABLES.values():
        if table.in_parts:
            store.write(table.name, table.frame(world.rows.get(table.name, [])), part="test")
        elif table.group in ("questions", "releases") and table.name not in sql_tables():
            store.write(table.name, table.frame(world.rows.get(table.name, [])))
    for name, frame in rule_tables(world.rules).items():
        store.write(name, frame)
    pending = {t.name: t.inputs for t in sql_tables().values()} | {n: c.inputs for n, c in scores.COMPUTED.items()}
    while pending:
        name = next(n for n, inputs in pending.items() if not set(inputs) & set(pending))
        make(store, name) if name in sql_tables() else scores.make(store, name)
        del pending[name]
    publish(store, folder / "medexams.duckdb")
    return folder / "medexams.duckdb"


def write_world(world: World, folder: Path) -> Path:
    """The tables given, the rules, item_score, exam_result and leaderboard, and all views; the rest is empty. Fast."""
    _add_datasets(world)
    folder.mkdir()
    frames = {name: world.frame(name) for name in INPUTS} | rule_tables(world.rules) | {"run_family": world.families()}
    frames |= world.results(folder, "item_score", "exam_result")
    frames["leaderboard"] = leaderboard(*(frames[name] for name in scores.COMPUTED["leaderboard"].inputs))
    path = folder / "medexams.duckdb"
    with duckdb.connect(str(path)) as con:
        for table in TABLES.values():
            file = folder / f"{table.name}.parquet"
            frames.get(table.name, table.frame([])).write_parquet(file)
            con.execute(f"create table {table.name} as from read_parquet('{file}')")
        for view in sql_views():
            create_view(con, view)
    return path


def _add_datasets(world: World) -> None:
    """A row of dataset for each that questions are of, where the world has none."""
    given = {q["dataset_id"]: q["benchmark"] for q in world.rows["question"]}
    told = {d["dataset_id"] for d in world.rows["dataset"]}
    world.rows["dataset"] += [dataset(d, b, world) for d, b in given.items() if d not in told]


def dataset(dataset_id: str, benchmark: str, world: World) -> dict[str, Any]:
    """A row of dataset for the questions that the world has of it."""
    return {
        "dataset_id": dataset_id, "benchmark": benchmark, "release": dataset_id.rpartition("/")[2], "source": benchmark,
        "title": dataset_id, "language": "en", "licence": "CC0", "origin": "here", "sha256": "0",
        "fetched_at": datetime.datetime(2024, 1, 1), "is_sample": False, "is_latest": True,
        "n_questions": sum(q["dataset_id"] == dataset_id for q in world.rows["question"]),
    }  # fmt: skip


def rows(warehouse: Path, sql: str) -> list[tuple[Any, ...]]:
    """A query of a published file."""
    with duckdb.connect(str(warehouse), read_only=True) as con:
        return con.execute(sql).fetchall()
