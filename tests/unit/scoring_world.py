"""A small warehouse for the scoring tests: rows are added by hand or at random, and the SQL tables run over them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipelines.schema import TABLES
from pipelines.scoring.likeness import run_family
from pipelines.scoring.rulebook import rulebook, tables
from pipelines.scoring.rules import Rulebook
from pipelines.store.sqlfiles import sql_tables
from pipelines.store.tables import query

TIME = datetime.datetime(2024, 1, 1)
INPUTS = ("dataset", "exam", "question", "choice", "answer_key", "question_flag", "run", "prediction")


class World:
    """Rows of the input tables, and `result(name)`: a table of sql/scores or sql/tables computed over them."""

    def __init__(self, rules: Rulebook | None = None) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in INPUTS}
        self.rules = rules or rulebook()

    def exam(self, profession: str, year: int) -> str:
        """An exam; answers its id."""
        exam_id = f"kokushi_md10/{profession}/{year}"
        self.rows["exam"].append({
            "exam_id": exam_id, "benchmark": "kokushi_md10", "profession": profession, "profession_en": profession,
            "year": year,
        })  # fmt: skip
        return exam_id

    def question(
        self, question_id: str, benchmark: str, keys: Iterable[str] = (), labels: str = "ABCDE", forbidden: str = "",
        **columns: Any,
    ) -> str:  # fmt: skip
        """A question with its choices and accepted answers.

        Keys are labels run together ("AC") for single and multiple, values for other types.
        """
        row = {
            "question_id": question_id, "dataset_id": f"{benchmark}/test", "benchmark": benchmark,
            "source_key": question_id, "language": "en", "stem": "?", "answer_type": "single", "points": 1,
            "key_status": "scored", "needs_image": False, "fingerprint": question_id,
        } | columns  # fmt: skip
        chooses = row["answer_type"] in ("single", "multiple")
        row["n_choices"] = len(labels) if chooses else 0
        keys = list(keys)
        if benchmark != "medschool":  # its scorer has no key but ours
            joined = {"cognet_md": "-".join, "igakuqa": ",".join}.get(benchmark, "".join)
            row.setdefault("released_key", "/".join(joined(key) if chooses else key for key in keys))
        self.rows["question"].append(row)
        for n, key in enumerate(keys, 1):
            chosen = [x for x in labels if x in key]
            self.rows["answer_key"].append({
                "question_id": question_id, "alternative": n, "labels": "-".join(chosen) if chooses else None,
                "selection": sum(1 << labels.index(x) for x in chosen) if chooses else None,
                "value": None if chooses else key,
            })  # fmt: skip
        for position, label in enumerate(labels if chooses else ""):
            self.rows["choice"].append({
                "question_id": question_id, "position": position, "label": label, "text": label,
                "is_correct": any(label in key for key in keys), "is_forbidden": label in forbidden, "has_image": False,
            })  # fmt: skip
        return question_id

    def run(self, run_id: str, dataset_id: str, **columns: Any) -> str:
        self.rows["run"].append({
            "run_id": run_id, "model": run_id, "dataset_id": dataset_id, "modality": "text", "format": "generated",
            "harness": "test", "language": "en", "created_at": TIME, "kind": "model", "is_sample": False,
        } | columns)  # fmt: skip
        return run_id

    def answer(
        self, run_id: str, question_id: str, chosen: str = "", labels: str = "ABCDE", attempt: int = 1, **columns: Any
    ) -> None:
        """A prediction: `chosen` labels, or nothing (empty) unless `columns` say else."""
        row: dict[str, Any] = {"run_id": run_id, "question_id": question_id, "attempt": attempt, "status": "empty"}
        if chosen:
            text = "-".join(x for x in labels if x in chosen)
            mask = sum(1 << labels.index(x) for x in labels if x in chosen)
            row |= {"status": "answered", "response": text, "labels": text, "selection": mask}
        self.rows["prediction"].append(row | columns)

    def frame(self, name: str) -> pl.DataFrame:
        """One input table."""
        return TABLES[name].frame(self.rows[name])

    def families(self) -> pl.DataFrame:
        """The table run_family, near copies aside."""
        return run_family(self.frame("run"), self.frame("prediction"), TABLES["near_copy"].frame([]))

    def results(self, folder: Path, *names: str) -> dict[str, pl.DataFrame]:
        """SQL tables by name, with those that they are made from."""
        with duckdb.connect() as con:
            for name, frame in ({n: self.frame(n) for n in INPUTS} | tables(self.rules)).items():
                _view(con, folder, name, frame)
            _view(con, folder, "run_family", self.families())
            out = {}
            for name in in_order(names):
                out[name] = query(con, f"{sql_tables()[name].sql}\n")
                assert out[name].columns == list(TABLES[name].column_names)
                _view(con, folder, name, out[name])
        return out


def in_order(names: Iterable[str]) -> list[str]:
    """The tables and those that they are made from, each after what it reads."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for source in sql_tables()[name].inputs:
            if source in sql_tables():
                add(source)
        found.setdefault(name)

    for name in names:
        add(name)
    return list(found)


def _view(con: duckdb.DuckDBPyConnection, folder: Path, name: str, frame: pl.DataFrame) -> None:
    path = folder / f"{name}.parquet"
    frame.write_parquet(path)
    con.execute(f"create or replace view {name} as select * from read_parquet('{path}')")
