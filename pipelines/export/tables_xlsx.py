"""Format xlsx: all tables in one workbook, a sheet each, and a sheet that says what they are.

Excel's limits: 32,767 characters in a cell (longer text is cut and ends in CUT) and 1,048,576 rows in a sheet (more go
on in 'TABLE (2)'). Text is written as text: what looks like a formula or a link is neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import xlsxwriter  # type: ignore[import-untyped]

from pipelines.export.gate import Chosen, ReportProgress
from pipelines.export.tables import View, views
from pipelines.export.tables_csv import withheld_note

CELL = 32_767
"""Characters that a cell holds."""
SHEET = 1_048_576
"""Rows that a sheet holds, with the header."""
CUT = " … [cut: longer than a cell]"
FILE = "medexams.xlsx"
_BATCH = 10_000


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/medexams.xlsx."""
    options = {
        "constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False,
        "nan_inf_to_errors": True, "tmpdir": str(folder),
    }  # fmt: skip
    shown = list(views(con, chosen))
    with xlsxwriter.Workbook(str(folder / FILE), options) as book:
        styles = {
            "head": book.add_format({"bold": True}),
            "time": book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        }
        about = book.add_worksheet("about")
        lines = ["Tables of a medexams warehouse.", *(f"{v.table.name}: {v.table.description}" for v in shown)]
        lines += [
            f"Text longer than {CELL} characters is cut and ends in '{CUT.strip()}'.",
            *withheld_note(shown, chosen),
        ]
        for row, line in enumerate(lines):
            about.write_string(row, 0, line[:CELL])
        done, total = 0, sum(v.rows for v in shown)
        for view in shown:
            for count in _sheets(book, con, view, styles):
                done += count
                report("rows", done, total)


def _sheets(book: Any, con: duckdb.DuckDBPyConnection, view: View, styles: dict[str, Any]) -> Iterator[int]:
    """Write a table's rows a batch at a time; yields how many each batch had."""
    found = con.execute(view.sql)
    sheet, row, part = _new_sheet(book, view, 1, styles), 1, 1
    while batch := found.fetchmany(_BATCH):
        for values in batch:
            if row == SHEET:
                part += 1
                sheet, row = _new_sheet(book, view, part, styles), 1
            for column, value in enumerate(values):
                _cell(sheet, row, column, value, styles)
            row += 1
        yield len(batch)


def _new_sheet(book: Any, view: View, part: int, styles: dict[str, Any]) -> Any:
    name = view.table.name if part == 1 else f"{view.table.name[:25]} ({part})"
    sheet = book.add_worksheet(name)
    sheet.freeze_panes(1, 0)
    for column, title in enumerate(view.table.column_names):
        sheet.write_string(0, column, title, styles["head"])
    return sheet


def _cell(sheet: Any, row: int, column: int, value: Any, styles: dict[str, Any]) -> None:
    if value is None:
        return
    if isinstance(value, str):
        sheet.write_string(row, column, cell_text(value))
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float | Decimal):
        sheet.write_number(row, column, value)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value, styles["time"])
    else:
        sheet.write_string(row, column, cell_text(str(value)))


def cell_text(text: str) -> str:
    """A text as a cell can hold it. Excel counts UTF-16 units, so that a character beyond the BMP counts as two."""
    if len(text) * 2 <= CELL or len(text.encode("utf-16-le")) // 2 <= CELL:
        return text
    room = CELL - len(CUT)
    return text.encode("utf-16-le")[: room * 2].decode("utf-16-le", "ignore") + CUT
