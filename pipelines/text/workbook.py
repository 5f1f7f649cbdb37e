"""Excel workbooks (.xlsx) to rows of cells: the sheet that holds the table. Values only, no formulas, no styles.

A workbook is a zip of XML parts (ECMA-376): the sheets in the order of workbook.xml, their texts in sharedStrings.xml.
Written here rather than taken from a package because a file from outside must be held to the limits part by part.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from itertools import dropwhile
from typing import Any
from xml.etree import ElementTree as ET

from pipelines.errors import Unreadable
from pipelines.text.limits import LIMITS, Limits
from pipelines.text.readers import Rows

MARK = "xl/workbook.xml"
"""The member by which a zip is known to be a workbook."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
_CHUNK = 1 << 20
_DAMAGES = (zipfile.BadZipFile, zlib.error, ET.ParseError, LookupError, ValueError, OSError, EOFError, RuntimeError)


def columns(data: bytes, limits: Limits = LIMITS) -> tuple[str, ...]:
    """The names in the header of the table. Raises Unreadable."""
    return tuple(next(_table(data, limits))[1])


def rows(data: bytes, limits: Limits = LIMITS) -> tuple[list[str], Rows]:
    """Header and rows of cells, as texts, of the table. Raises Unreadable."""
    (_, names), *found = _table(data, limits)
    width = len(names)
    for number, cells in found:
        if len(cells) > width:
            raise Unreadable("a row of the sheet is wider than its header; name every column", f"row {number}")
    filled = [cells + [""] * (width - len(cells)) for _, cells in found]
    return names, Rows(filled, "row", [number for number, _ in found])


def _table(data: bytes, limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each row of the sheet with the widest header that has a row below it, the first of equals."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            limits.check_unpacked(sum(info.file_size for info in book.infolist()))
            texts = list(_shared(book, limits))
            widths = {sheet: _width(_headed(book, sheet, texts, limits)) for sheet in _sheets(book, limits)}
            best = max(widths, key=widths.__getitem__, default="")
            if widths.get(best):
                yield from _headed(book, best, texts, limits)
                return
    except _DAMAGES as e:
        why = f"{type(e).__name__}: {str(e)[:120]}"
        raise Unreadable("the Excel workbook is damaged; save it again, or as CSV", why) from None
    raise Unreadable("the Excel workbook has no sheet with a header and rows below it; put the table on one sheet")


def _headed(book: zipfile.ZipFile, sheet: str, texts: list[str], limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """The rows of a sheet from its header on: the first with two names. A title above it is none."""
    return dropwhile(lambda row: sum(map(bool, row[1])) < 2, _rows(book, sheet, texts, limits))


def _width(found: Iterator[tuple[int, list[str]]]) -> int:
    """The number of columns of a table; 0 without a row below the header."""
    header, first = next(found, None), next(found, None)
    return len(header[1]) if header and first else 0


def _part(book: zipfile.ZipFile, name: str, limits: Limits) -> Iterator[ET.Element]:
    """The elements of a part as they end; a part that declares entities is refused."""
    parser: Any = ET.XMLPullParser(events=("end",))
    size = 0
    with book.open(name) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            limits.check_file(size)
            if b"<!DOCTYPE" in chunk or b"<!ENTITY" in chunk:
                raise Unreadable(
                    "the Excel workbook declares XML entities, which no spreadsheet program writes; save it as CSV"
                )
            parser.feed(chunk)
            yield from (element for _, element in parser.read_events())
    parser.close()
    yield from (element for _, element in parser.read_events())


def _name(element: ET.Element) -> str:
    return element.tag.removeprefix(_MAIN).removeprefix(_STRICT)


def _shared(book: zipfile.ZipFile, limits: Limits) -> Iterator[str]:
    """The texts that cells refer to by number."""
    if "xl/sharedStrings.xml" in book.namelist():
        for count, element in enumerate(e for e in _part(book, "xl/sharedStrings.xml", limits) if _name(e) == "si"):
            limits.check_cells(count)
            yield _text(element)
            element.clear()


def _text(element: ET.Element) -> str:
    """The text of a string item: its runs, without phonetic guides (rPh)."""
    parts = []
    for child in element:
        if _name(child) == "t":
            parts.append(child.text or "")
        elif _name(child) == "r":
            parts += [t.text or "" for t in child if _name(t) == "t"]
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), "".join(parts))


def _sheets(book: zipfile.ZipFile, limits: Limits) -> list[str]:
    """The parts of the sheets, in the order in which the workbook shows them."""
    targets = {}
    for element in _part(book, "xl/_rels/workbook.xml.rels", limits):
        if target := element.get("Target"):
            targets[element.get("Id")] = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    order = [
        next((value for key, value in element.items() if key.endswith("}id")), None)
        for element in _part(book, MARK, limits)
        if _name(element) == "sheet"
    ]
    return [targets[ident] for ident in order if ident in targets and "worksheet" in targets[ident]]


def _rows(book: zipfile.ZipFile, sheet: str, texts: list[str], limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """Number (from 1) and cells of each row of a sheet that is not empty; cells that are left out are empty."""
    number = total = 0
    for element in _part(book, sheet, limits):
        if _name(element) != "row":
            continue
        number = int(element.get("r") or number + 1)
        cells: list[str] = []
        for cell in element:
            at = _column(cell.get("r")) if cell.get("r") else len(cells)
            if value := _cell(cell, texts):
                limits.check_cells(total + at)
                cells += [""] * (at + 1 - len(cells))
                cells[at] = value
        element.clear()
        total += len(cells)
        limits.check_rows(number)
        limits.check_cells(total)
        if any(cells):
            yield number, cells


def _column(reference: str | None) -> int:
    """0-based number of the column of a cell such as 'AB7'."""
    number = 0
    for letter in re.sub(r"[^A-Z]", "", reference or ""):
        number = number * 26 + ord(letter) - 64
    return max(number - 1, 0)


def _cell(cell: ET.Element, texts: list[str]) -> str:
    """A cell's value as text: whole numbers without '.0', truth values as True and False."""
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return next((_text(child) for child in cell if _name(child) == "is"), "")
    value = next((child.text or "" for child in cell if _name(child) == "v"), "")
    if kind == "s":
        return texts[int(value)] if value else ""
    if kind == "b":
        return {"1": "True", "0": "False"}.get(value, value)
    if kind == "n" and re.fullmatch(r"-?\d+\.0+", value):
        return value.partition(".")[0]
    return value
