"""What the released scorers make of the responses: the benchmarks' released.sql put together as one SELECT.

Each is a SELECT over the tables for its own benchmark's predictions, with the columns of the table released_answer. It
gives the rows that its scorer may read otherwise than they are read here; what it leaves out is taken as read here.
What one scorer does stands in its file; what a reading earns, in sql/scores/item_score.sql.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from importlib.resources.abc import Traversable

from pipelines.schema import TABLES

TABLE = "released_answer"


def statement(folders: Iterable[Traversable] | None = None) -> str:
    """The SELECT for the table, from the folders that have a released.sql (default: all benchmarks')."""
    columns = ", ".join(TABLES[TABLE].column_names)
    folders = resources.files("pipelines.benchmarks").iterdir() if folders is None else folders
    files = sorted((f / "released.sql" for f in folders if (f / "released.sql").is_file()), key=str)
    parts = [f"select {columns}\nfrom (\n{f.read_text(encoding='utf-8').rstrip().rstrip(';')}\n)" for f in files]
    nothing = ", ".join(f"cast(null as {c.type}) as {c.name}" for c in TABLES[TABLE].columns)
    return "\nunion all\n".join(parts) or f"select {nothing}\nfrom prediction\nwhere false"
