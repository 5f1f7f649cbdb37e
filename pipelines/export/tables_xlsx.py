"""Format xlsx: all tables in one workbook, a sheet each, and a sheet that says what they are.

DuckDB writes each row's XML, for a call per cell would take most of the time. Excel's limits: 32,767 characters in a
cell (longer text is cut and ends in CUT) and 1,048,576 rows in a sheet (more go on in 'TABLE (2)'). Text is written as
text: what looks like a formula or a link is neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

import duckdb

from pipelines.export.gate import Chosen, ReportProgress
from pipelines.export.tables import View, views
from pipelines.export.tables_csv import withheld_note
from pipelines.schema.table import BOOL, REAL, TEXT, TIME
from pipelines.store.checks import name_of, quoted

CELL = 32_767
"""Characters that a cell holds."""
SHEET = 1_048_576
"""Rows that a sheet holds, with the header."""
CUT = " … [cut: longer than a cell]"
FILE = "medexams.xlsx"
_BATCH = 10_000
_LEVEL = 3
"""Of deflate: 6 takes twice as long for a tenth less."""

_HEAD, _TIME = 1, 2
"""Numbers of the styles in xl/styles.xml."""
_UNPRINTABLE = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]"
"""What XML can't hold."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm:ss"/>'
    '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/>'
    '<name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill>'
    '<patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1">'
    '<xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/>'
    '<xf xfId="0" numFmtId="164" applyNumberFormat="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/medexams.xlsx."""
    shown = list(views(con, chosen))
    if not con.execute("select 1 from duckdb_functions() where function_name = 'cell_text'").fetchall():
        con.create_function("cell_text", cell_text, ["VARCHAR"], "VARCHAR")
    lines = ["Tables of a medexams warehouse.", *(f"{v.table.name}: {v.table.description}" for v in shown)]
    lines += [f"Text longer than {CELL} characters is cut and ends in '{CUT.strip()}'.", *withheld_note(shown, chosen)]
    names = ["about"]
    done, total = 0, sum(v.rows for v in shown)
    with ZipFile(folder / FILE, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as book:
        about = (f'<row r="{n}">{_text(f"A{n}", line)}</row>' for n, line in enumerate(lines, start=1))
        _sheet(book, len(names), about)
        for view in shown:
            rows = _rows(con, view)
            for part in range(max(1, -(-view.rows // (SHEET - 1)))):
                names.append(f"{view.table.name[:25]} ({part + 1})" if part else view.table.name)
                _sheet(book, len(names), chain([_head(view)], islice(rows, SHEET - 1)), frozen=True)
            done += view.rows
            report("rows", done, total)
        for name, text in _parts(names).items():
            book.writestr(name, text)


def _rows(con: duckdb.DuckDBPyConnection, view: View) -> Iterator[str]:
    """Each row of a table as XML, numbered from 2 in each sheet."""
    cells = " || ".join(
        _cell(column.type, name_of(column.name), _letters(i)) for i, column in enumerate(view.table.columns)
    )
    number = f"cast((row_number() over () - 1) % {SHEET - 1} + 2 as varchar)"
    numbered = f"select *, {number} as sheet_row from ({view.sql})"
    found = con.execute(f"""select '<row r="' || sheet_row || '">' || {cells} || '</row>' from ({numbered})""")
    while batch := found.fetchmany(_BATCH):
        yield from (row for (row,) in batch)


def _cell(type_: str, name: str, letters: str) -> str:
    """A SQL expression: the cell of a value in sheet_row; nothing for null."""
    place = f"""'<c r="{letters}' || sheet_row || '\""""
    if type_ == TEXT:
        text = f"case when strlen({name}) > {CELL} then cell_text({name}) else {name} end"
        text = f"regexp_replace({text}, {quoted(_UNPRINTABLE)}, '\ufffd', 'g')"
        text = f"regexp_replace({text}, '_(x[0-9A-Fa-f]{{4}}_)', '_x005F_\\1', 'g')"  # Excel takes it for a character
        for what, instead in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
            text = f"replace({text}, {quoted(what)}, {quoted(instead)})"
        value = f"""{place} t="inlineStr"><is><t xml:space="preserve">' || {text} || '</t></is></c>'"""
    elif type_ == BOOL:
        value = f"""{place} t="b"><v>' || cast(cast({name} as integer) as varchar) || '</v></c>'"""
    elif type_ == TIME:
        value = f"""{place} s="{_TIME}"><v>' || cast(epoch({name}) / 86400 + 25569 as varchar) || '</v></c>'"""
    else:
        value = f"""{place}><v>' || cast({name} as varchar) || '</v></c>'"""
        if type_ == REAL:  # neither infinity nor no number has a cell
            value = f"""case when isfinite({name}) then {value} else {place} t="e"><v>#NUM!</v></c>' end"""
    return f"coalesce({value}, '')"


def _head(view: View) -> str:
    cells = (_text(f"{_letters(i)}1", name, _HEAD) for i, name in enumerate(view.table.column_names))
    return f'<row r="1">{"".join(cells)}</row>'


def _text(place: str, text: str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{escape(text[:CELL])}</t></is></c>'


def _letters(column: int) -> str:
    """The name of a column, counted from 0: A, B … Z, AA …"""
    return (_letters(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def _sheet(book: ZipFile, number: int, rows: Iterable[str], *, frozen: bool = False) -> None:
    pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' if frozen else ""
    with book.open(f"xl/worksheets/sheet{number}.xml", "w", force_zip64=True) as file:
        head = f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">{pane}</sheetView></sheetViews>'
        file.write(f"{_XML}{head}<sheetData>".encode())
        rows = iter(rows)
        while some := "".join(islice(rows, 1000)):
            file.write(some.encode())
        file.write(b"</sheetData></worksheet>")


def _parts(names: list[str]) -> dict[str, str]:
    """What a workbook has besides its sheets: which there are, what they are called, and the styles."""
    numbers = range(1, len(names) + 1)
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="{sheet}.{kind}+xml"/>'
        for part, kind in [
            ("workbook", "sheet.main"),
            ("styles", "styles"),
            *((f"worksheets/sheet{n}", "worksheet") for n in numbers),
        ]
    )
    sheets = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>' for n, name in zip(numbers, names, strict=True)
    )
    related = {f"rId{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in numbers}
    return {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f"{types}</Types>",
        "_rels/.rels": _relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(related | {"rIdStyles": ("styles", "styles.xml")}),
        "xl/styles.xml": _STYLES,
    }


def _relations(of: dict[str, tuple[str, str]]) -> str:
    each = "".join(f'<Relationship Id="{i}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for i, (kind, to) in of.items())
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def cell_text(text: str) -> str:
    """A text as a cell can hold it. Excel counts UTF-16 units, so that a character beyond the BMP counts as two."""
    if len(text) * 2 <= CELL or len(text.encode("utf-16-le")) // 2 <= CELL:
        return text
    room = CELL - len(CUT)
    return text.encode("utf-16-le")[: room * 2].decode("utf-16-le", "ignore") + CUT
