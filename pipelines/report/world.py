"""What all pages need from the published warehouse: its datasets and runs as plain view models, and how rows are read.

What a page shows besides has a module of its own: boards.py, exams.py, quality.py. How it looks belongs to page.py and
charts.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from pipelines.licences import terms
from pipelines.text.slugs import slug

Row = dict[str, Any]


def rows(con: duckdb.DuckDBPyConnection, sql: str, values: dict[str, object] | None = None) -> list[Row]:
    """A query's result as dicts; `values` by the names of its parameters."""
    found = con.execute(sql, values)
    names = [d[0] for d in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def page_name(text: str) -> str:
    """A text as part of a file's name: lower-case ASCII letters, digits and hyphens."""
    return slug(text.lower(), "a-z0-9")


@dataclass(frozen=True)
class Dataset:
    """One release of a benchmark's questions."""

    dataset_id: str
    benchmark: str
    title: str
    language: str
    licence: str
    origin: str
    sha256: str
    fetched_at: datetime
    n_questions: int
    published_count: int | None
    count_note: str | None
    is_sample: bool
    is_latest: bool

    @property
    def refusal(self) -> str | None:
        """Why the text of its questions must not be printed (what `export` refuses too); None: it may."""
        return terms(self.licence).refusal

    @property
    def is_closed(self) -> bool:
        return self.refusal is not None

    @property
    def link(self) -> str | None:
        """Its origin where that is a web address."""
        return self.origin if re.match(r"https?://", self.origin) else None


@dataclass(frozen=True)
class Run:
    """What answered a dataset. `twin`: the hash that tells it from runs of the same model on the same dataset."""

    run_id: str
    model: str
    vendor: str | None
    description: str | None
    dataset_id: str
    benchmark: str
    modality: str
    format: str
    language: str
    harness: str
    harness_version: str | None
    created_at: datetime
    sha256: str | None
    kind: str
    is_sample: bool
    twin: str | None

    @property
    def label(self) -> str:
        return f"{self.model} · {self.twin}" if self.twin else self.model


@dataclass(frozen=True)
class World:
    """What all pages need: the datasets and runs by id, and when the newest source was fetched."""

    datasets: dict[str, Dataset]
    runs: dict[str, Run]

    @property
    def samples(self) -> list[Dataset]:
        return [d for d in self.datasets.values() if d.is_sample]

    @property
    def is_all_sample(self) -> bool:
        return bool(self.samples) and len(self.samples) == len(self.datasets)


def world(con: duckdb.DuckDBPyConnection) -> World:
    """All datasets and all runs."""
    names = ", ".join(f for f in Dataset.__dataclass_fields__)
    datasets = {r["dataset_id"]: Dataset(**r) for r in rows(con, f"select {names} from dataset order by dataset_id")}
    columns = ", ".join(f"r.{f}" for f in Run.__dataclass_fields__ if f not in ("benchmark", "twin"))
    found = rows(
        con,
        f"""select {columns}, d.benchmark,
                case when count(*) over (partition by r.dataset_id, r.model) > 1
                    then split_part(r.run_id, '/', -1) end as twin
            from run r join dataset d using (dataset_id) order by r.dataset_id, r.model, r.run_id""",
    )
    return World(datasets, {r["run_id"]: Run(**r) for r in found})
