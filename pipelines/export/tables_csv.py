"""Format csv: each table as TABLE.csv in UTF-8, with text that a spreadsheet would run as a formula made harmless.

A text (not a number) that begins with = + - @ (also full-width), a tab or a line break gets an apostrophe in front, and
so does one that already looks so, which makes it reversible: take one leading apostrophe off where one of these follows
the apostrophes. An empty cell is null; an empty text is "".
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from pipelines.export.gate import Chosen, ReportProgress
from pipelines.export.tables import View, text_columns, views
from pipelines.store.checks import name_of, quoted

RISKY = r"^'*[=+\-@＝＋－＠\t\r\n]"
"""Text that a spreadsheet may take for a formula, or that was made harmless already."""


BOM = "\ufeff"
"""By which Excel knows UTF-8; other tools may take it for a part of the first column's name."""


def write(
    con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress, *, bom: bool = False
) -> None:
    """FOLDER/TABLE.csv for each table, each with a byte order mark if `bom`, and README.txt."""
    shown = list(views(con, chosen))
    for i, view in enumerate(shown):
        report("tables", i, len(shown))
        path = folder / f"{view.table.name}.csv"
        con.execute(f"copy ({_harmless(view, BOM if bom else '')}) to {quoted(path)} (format csv, header true)")
    (folder / "README.txt").write_text(about(shown, chosen), encoding="utf-8")
    report("tables", len(shown), len(shown))


def _harmless(view: View, before: str) -> str:
    """The view's SELECT with harmless text; `before` goes in front of the first column's name."""
    texts = set(text_columns(view.table))
    columns = []
    for column in view.table.column_names:
        name = name_of(column)
        if column in texts:
            risky = f"regexp_matches({name}, {quoted(RISKY)}) and try_cast({name} as double) is null"
            columns.append(f"case when {risky} then '''' || {name} else {name} end")
        else:
            columns.append(name)
    names = view.table.column_names
    titles = map(name_of, (before + names[0], *names[1:]))
    columns = [f"{column} as {title}" for column, title in zip(columns, titles, strict=True)]
    return f"select {', '.join(columns)} from ({view.sql})"


def about(shown: list[View], chosen: Chosen) -> str:
    """What the files hold, and what was taken out."""
    lines = ["Tables of a medexams warehouse.", ""]
    lines += [f"{v.table.name}.csv ({v.rows} rows): {v.table.description}" for v in shown]
    lines += [
        "",
        'UTF-8, comma, first line names. An empty cell is null, "" is an empty text. Text that a spreadsheet would run',
        "as a formula has an apostrophe in front (before = + - @, a tab or a line break): take one off to undo.",
    ]
    lines += withheld_note(shown, chosen)
    return "\n".join(lines) + "\n"


def withheld_note(shown: list[View], chosen: Chosen) -> list[str]:
    """Lines that say which text is not there and why; none when all is."""
    if not chosen.closed:
        return []
    columns = ", ".join(f"{v.table.name}.{c}" for v in shown for c in v.withheld)
    return [
        "",
        "Without the text of questions, for their licences do not let it be shared:",
        *(f"- {d.dataset_id}: {why}" for d, why in chosen.closed),
        f"Columns concerned: {columns}",
    ]
