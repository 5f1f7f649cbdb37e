"""Bytes to values: text, one JSON document, JSON lines, CSV, Parquet. One reader of each, for all of the program.

Every function raises Unreadable, and nothing else, on bytes that are not what it expects, and looks at the limits
before it makes values of them. What the values mean is for others; spreadsheets are in workbook.py.
"""

from __future__ import annotations

import codecs
import csv
import gc
import io
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from pipelines.errors import Unreadable
from pipelines.text.limits import LIMITS, Limits

_BLOCK = 1 << 16  # bytes of JSON lines that are parsed in one call: what a cache holds
_TOO_DEEP = (
    "the JSON is nested deeper than the limit of Python's reader (about 1,000 levels); it is not a list of records"
)
_GUESSES = ("cp932", "euc_jp", "gb18030", "cp1252")
_SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n')
csv.field_size_limit(2**31 - 1)  # a response may be longer than the 131,072 characters of the default


@dataclass(frozen=True)
class Rows:
    """The records of a file in order; `unit` and `numbers` (from 1) locate them."""

    values: list[Any]
    unit: str
    numbers: Sequence[int] = ()

    def locator(self, i: int) -> str:
        """Where record i stands: 'line 3', 'item 3', 'row 3'."""
        return f"{self.unit} {self.numbers[i] if self.numbers else i + 1}"

    def records(self) -> list[dict[str, Any]]:
        """All values, if each is an object; else Unreadable with the place of the first that is not."""
        for i, value in enumerate(self.values):
            if type(value) is not dict:
                raise Unreadable(
                    "a record is not a JSON object; write one object for each prediction",
                    f"{self.locator(i)}: {repr(value)[:80]}",
                )
        return self.values


@contextmanager
def _uncollected() -> Iterator[None]:
    """The garbage collector waits: it would look at all values again and again while they are made, and none of them
    is garbage; freezing and unfreezing sets them among the old ones unseen. That saves a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.unfreeze()
            gc.enable()


# ---- text --------------------------------------------------------------------------------------------------------


def decode(data: bytes) -> str:
    """Text of bytes in UTF-8 or, with a byte order mark, UTF-16. The reason of a failure names a likely encoding."""
    try:
        return data.decode(_encoding(data))
    except UnicodeDecodeError as e:
        raise _not_utf8(data, f"byte {e.start}: {e.reason}") from None


def decode_head(data: bytes, size: int) -> str:
    """The text of the first `size` bytes, less a character that they cut; what is not text is replaced."""
    return codecs.getincrementaldecoder(_encoding(data))("replace").decode(data[:size])


def transcode(data: bytes, encoding: str) -> bytes:
    """Bytes in a named encoding as UTF-8."""
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise Unreadable(
            f"{encoding!r} is not an encoding that Python knows; name another, for example cp932"
        ) from None
    except UnicodeError as e:
        raise Unreadable(
            f"the file is not {encoding} text; name its encoding, or save it as UTF-8", str(e)[:120]
        ) from None


def stand_in(data: bytes) -> str | None:
    """What stands in the place of the file that was meant: a pointer of Git LFS or git-annex, or a page of the web."""
    head = data[:300].lstrip()
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        return "this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull` and add it again"
    if b"annex/objects/" in head and len(data) < 1000:
        return "this is a git-annex pointer, not the file itself; fetch it with `git annex get` and add it again"
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "an HTML page came instead of the file; download the file itself (the raw one) and add it again"
    return None


def _encoding(data: bytes) -> str:
    return "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _not_utf8(data: bytes, where: str) -> Unreadable:
    """The error for text in another encoding, with a guess: the first in which the bytes are text of letters."""
    sample = data[: 1 << 16]
    for name in _GUESSES:
        text = codecs.getincrementaldecoder(name)("replace").decode(sample)
        strange = sum(c == "\ufffd" or not (c.isprintable() or c.isspace()) or "｡" <= c <= "ﾟ" for c in text)
        if strange <= len(text) // 200:
            hint = f"save it as UTF-8, or name its encoding (--encoding {name} would fit)"
            return Unreadable(f"the file is not UTF-8 text; {hint}", where)
    return Unreadable("the file is not UTF-8 text; save it as UTF-8, or name its encoding with --encoding", where)


# ---- JSON --------------------------------------------------------------------------------------------------------


@_uncollected()
def json_document(data: bytes, limits: Limits = LIMITS) -> Any:
    """One JSON document."""
    limits.check_cells(data.count(b",") + data.count(b"[") + data.count(b"{"))
    try:
        return json.loads(data if data[:1] in (b"{", b"[") else decode(data))
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    except UnicodeDecodeError as e:
        raise _not_utf8(data, f"byte {e.start}: {e.reason}") from None
    except ValueError as e:
        raise Unreadable("the JSON is broken or cut off; write the file again", _where(e)) from None


@_uncollected()
def json_rows(data: bytes, limits: Limits = LIMITS) -> Rows:
    """The records of a JSON array or of JSON lines, in order. Lines are parsed a block at a time, which is fast."""
    body = data.strip()
    if body[:3] == b"\xef\xbb\xbf" or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        body = decode(data).strip().encode("utf-8", "surrogatepass")
    if not body:
        raise Unreadable("the file is empty; write it again")
    if body[:1] == b"[":
        values = json_document(body, limits)
        limits.check_rows(len(values))
        return Rows(values, "item")
    limits.check_rows(body.count(b"\n") + 1)
    limits.check_cells(body.count(b",") + body.count(b"[") + body.count(b"{"))
    values, numbers = list[Any](), list[int]()
    start, line = 0, data[: len(data) - len(data.lstrip())].count(b"\n") + 1
    while start < len(body):
        end = body.find(b"\n", start + _BLOCK)
        block = body[start : end if end >= 0 else len(body)]
        count = block.count(b"\n") + 1
        try:
            # A line break can't stand inside a JSON value, save between the parts of an object: the counts show that.
            found = json.loads("[" + block.decode("utf-8", "surrogatepass").replace("\n", ",") + "]")
        except (ValueError, RecursionError):
            found = []
        if len(found) == count:
            values += found
            numbers += range(line, line + count)
        else:
            for number, _, value in json_lines(block, line):
                if isinstance(value, Unreadable):
                    raise value
                values.append(value)
                numbers.append(number)
        start, line = start + len(block) + 1, line + count
    return Rows(values, "line", numbers)


def json_lines(data: bytes, first: int = 1) -> Iterator[tuple[int, bytes, Any]]:
    """Number (from `first`), bytes and value of each line that is not blank; the value of one that is not JSON is an
    Unreadable, for those who go on without it."""
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), first):
        if line.strip():
            try:
                yield number, line, json.loads(line)
            except (ValueError, RecursionError) as e:
                yield number, line, _line_fault(line, number, e)


def _line_fault(line: bytes, number: int, e: Exception) -> Unreadable:
    if isinstance(e, RecursionError):
        return Unreadable(_TOO_DEEP, f"line {number}")
    if isinstance(e, UnicodeDecodeError):
        return _not_utf8(line, f"line {number}: {e.reason}")
    what = "a line is not whole JSON (was the file still being written?); write it again"
    return Unreadable(what, f"line {number}: {_where(e)}")


def _where(e: Exception) -> str:
    return f"line {e.lineno} column {e.colno}: {e.msg}" if isinstance(e, json.JSONDecodeError) else str(e)[:200]


# ---- tables ------------------------------------------------------------------------------------------------------


def csv_head(head: str) -> tuple[list[str], list[str]]:
    """The names of the columns and the first row in the beginning of a CSV text, as far as it goes."""
    text, delimiter = _separated(head)
    found: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if any(row):
                found.append(row)
            if len(found) == 2:
                break
    except csv.Error:
        pass
    names, first = (*found, [], [])[:2]
    return [name.strip() for name in names], first


@_uncollected()
def csv_rows(data: bytes, limits: Limits = LIMITS, *, is_ragged: bool = False) -> tuple[list[str], Rows]:
    """Header and rows (lists of cells) of a CSV or TSV file: comma, semicolon, tab, or what a first line `sep=` says.

    Rows of another width than the header are an error, unless `is_ragged`.
    """
    text = decode(data)
    if "\0" in text:
        raise Unreadable("the file holds NUL characters and is not CSV text; save it as CSV in UTF-8")
    body, delimiter = _separated(text)
    limits.check_rows(body.count("\n"))
    limits.check_cells(body.count("\n") + body.count(delimiter))
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    skipped = text.count("\n") - body.count("\n")
    header: list[str] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    try:
        line = skipped + 1
        for row in reader:
            if any(row):
                header = header or row
                if len(row) != len(header) and not is_ragged:
                    raise Unreadable(
                        f"a row has {len(row)} cells where the header has {len(header)}; is a quote missing?",
                        f"line {line}",
                    )
                rows.append(row)
                numbers.append(line)
            line = skipped + reader.line_num + 1
    except csv.Error as e:
        where = f"line {skipped + reader.line_num}: {e}"
        raise Unreadable("the CSV is broken or cut off; write the file again", where) from None
    return header, Rows(rows[1:], "line", numbers[1:])


def _separated(text: str) -> tuple[str, str]:
    """A CSV text without the line `sep=;` that spreadsheet programs take, and its delimiter."""
    text = text.lstrip("\ufeff")
    if said := _SEPARATOR.match(text):
        return text[said.end() :], said[1]
    first = text.partition("\n")[0]
    return text, max(",;\t", key=first.count)


def parquet_columns(data: bytes) -> tuple[str, ...]:
    """The names of the columns; empty where this is not a Parquet file."""
    try:
        return tuple(pl.read_parquet_schema(io.BytesIO(data)))
    except pl.exceptions.PanicException:
        return ()
    except Exception:  # Polars raises errors of many kinds on bytes that are damaged
        return ()


@_uncollected()
def parquet_rows(data: bytes, limits: Limits = LIMITS) -> Rows:
    """The records of a Parquet file. Its footer is held against the limits before a value is made."""
    try:
        rows, values, size = _parquet_size(data)
        limits.check_rows(rows)
        limits.check_cells(values)
        limits.check_unpacked(size)
        frame = pl.read_parquet(io.BytesIO(data))
        limits.check_unpacked(sum(_text_size(column) for column in frame))
        return Rows(frame.to_dicts(), "row")
    except Unreadable:
        raise
    except pl.exceptions.PanicException as e:
        raise Unreadable("the Parquet file can't be read; write it again", str(e)[:200]) from None
    except Exception as e:
        raise Unreadable(
            "the Parquet file can't be read; write it again", f"{type(e).__name__}: {str(e)[:200]}"
        ) from None


def _parquet_size(data: bytes) -> tuple[int, int, int]:
    """Rows, values in all columns, and bytes once unpacked, as the footer states them."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file, duckdb.connect() as con:
        file.write(data)
        file.flush()
        (rows,) = con.execute("select num_rows from parquet_file_metadata(?)", [file.name]).fetchall()[0]
        parts = "select sum(num_values), sum(total_uncompressed_size) from parquet_metadata(?)"
        values, size = con.execute(parts, [file.name]).fetchall()[0]
    return int(rows), int(values or 0), int(size or 0)


def _text_size(column: pl.Series) -> int:
    """Bytes of all texts of a column: a dictionary-encoded file states each of them once only."""
    kind = column.dtype
    if isinstance(kind, pl.List | pl.Array):
        return _text_size(column.explode())
    if isinstance(kind, pl.Struct):
        return sum(_text_size(part) for part in column.struct.unnest())
    return int(column.str.len_bytes().sum()) if kind == pl.String else 0
