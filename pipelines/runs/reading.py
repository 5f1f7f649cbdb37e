"""Bytes to values, tolerantly and within limits: text, JSON, JSON lines, CSV, and a look at a file's first record.

Every function here raises Unreadable (and nothing else) on bytes that are not what it expects. No layout of any tool.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pipelines.runs.parsed import Unreadable

PEEK = 1 << 18
_BLOCK = 1 << 18  # bytes of JSON lines that are parsed in one call: what a cache holds
_SPACE = " \t\r\n"
csv.field_size_limit(2**31 - 1)  # a response may be longer than the 131,072 characters of the default


@dataclass(frozen=True)
class Rows:
    """The records of a file, with the word that locates one: 'line 3', 'item 3', 'record 3'."""

    values: list[Any]
    unit: str

    def locator(self, i: int) -> str:
        return f"{self.unit} {i + 1}"

    def records(self) -> list[dict[str, Any]]:
        """All values, if each is an object; else Unreadable with the place of the first that is not."""
        for i, value in enumerate(self.values):
            if type(value) is not dict:
                raise Unreadable(
                    "a record is not a JSON object; write one object for each prediction",
                    f"{self.locator(i)}: {short(value)}",
                )
        return self.values


def decode(data: bytes) -> str:
    """Text of bytes in UTF-8 or, with a byte order mark, UTF-16."""
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise Unreadable("the file is not UTF-8 text; save it as UTF-8", f"byte {e.start}: {e.reason}") from None


def load(data: bytes) -> Any:
    """One JSON document."""
    try:
        return json.loads(data if data[:1] in (b"{", b"[") else decode(data))
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply to be a prediction file") from None
    except UnicodeDecodeError as e:
        raise Unreadable("the file is not UTF-8 text; save it as UTF-8", f"byte {e.start}: {e.reason}") from None
    except ValueError as e:
        raise Unreadable("the JSON is broken or cut off; write the file again", _where(e)) from None


def load_rows(data: bytes) -> Rows:
    """The records of a JSON array or of JSON lines, in order. Lines are parsed a block at a time, which is fast."""
    body = data.strip()
    if body[:3] == b"\xef\xbb\xbf" or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        body = decode(data).strip().encode("utf-8", "surrogatepass")
    if not body:
        raise Unreadable("the file is empty; write it again")
    if body[:1] == b"[":
        return Rows(load(body), "item")
    values: list[Any] = []
    start, line, has_blank = 0, 1, False
    while start < len(body):
        end = body.find(b"\n", start + _BLOCK)
        block = body[start : end if end >= 0 else len(body)]
        count = block.count(b"\n") + 1
        try:
            # A line break can't stand inside a JSON value, save between the parts of an object: the counts show that.
            found = json.loads(b"[" + block.replace(b"\n", b",") + b"]")
        except (ValueError, RecursionError):
            found = []
        if len(found) != count:
            found = _line_by_line(block, line)
            has_blank |= len(found) != count
        values += found
        start, line = start + len(block) + 1, line + count
    return Rows(values, "record" if has_blank else "line")


def _line_by_line(block: bytes, first: int) -> list[Any]:
    """The values of the lines that are not blank; `first` is the number of the first line, for messages."""
    values = []
    for i, line in enumerate(block.split(b"\n"), first):
        if line.strip():
            try:
                values.append(json.loads(line))
            except RecursionError:
                raise Unreadable("a line is nested too deeply to be a prediction", f"line {i}") from None
            except UnicodeDecodeError as e:
                raise Unreadable("the file is not UTF-8 text; save it as UTF-8", f"line {i}: {e.reason}") from None
            except ValueError as e:
                raise Unreadable(
                    "a line is not whole JSON (was the file still being written?); write it again",
                    f"line {i}: {_where(e)}",
                ) from None
    return values


def load_table(data: bytes) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV or TSV file (comma, semicolon or tab). Rows of another width are an error."""
    text = decode(data)
    if "\0" in text:
        raise Unreadable("the file holds NUL characters and is no CSV text")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if any(row):
                rows.append(row)
                if len(row) != len(rows[0]):
                    raise Unreadable(
                        f"a row has {len(row)} cells where the header has {len(rows[0])}; is a quote missing?",
                        f"line {reader.line_num}",
                    )
    except csv.Error as e:
        raise Unreadable("the CSV is broken or cut off; write the file again", f"line {reader.line_num}: {e}") from None
    if not rows:
        raise Unreadable("the file is empty; write it again")
    return [c.strip() for c in rows[0]], rows[1:]


@dataclass(frozen=True)
class Peek:
    """The look at a file that formats decide by. `shape`: array, object, lines, zip, gzip, tar, parquet, text, empty.

    `first` is the first record of an array or of lines, or what could be read of an object's top level, where a long
    array is stood for by a list of its first element. `members` are the names in a zip, `columns` a Parquet file's.
    """

    name: str
    shape: str
    first: dict[str, Any] = field(default_factory=dict)
    head: str = ""
    members: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def has(self, *keys: str) -> bool:
        return all(k in self.first for k in keys)


def peek(name: str, data: bytes) -> Peek:
    """What a file looks like. Never raises: what can't be told is shape 'text'."""
    if not data.strip():
        return Peek(name, "empty")
    if data[:2] == b"PK":
        return Peek(name, "zip", members=_members(data))
    if data[:2] == b"\x1f\x8b":
        return Peek(name, "gzip")
    if data[:4] == b"PAR1":
        return Peek(name, "parquet", columns=_parquet_columns(data))
    if data[257:262] == b"ustar":
        return Peek(name, "tar")
    try:
        head = decode(data[:PEEK] if data[:2] not in (b"\xff\xfe", b"\xfe\xff") else data[: PEEK // 2 * 2])
    except Unreadable:
        head = data[:PEEK].decode("utf-8", "replace")
    head = head.lstrip("\ufeff" + _SPACE)
    try:
        if head[:1] == "[":
            return Peek(name, "array", dict_of(_element(head, 1)[0]), head)
        if head[:1] == "{":
            found, end = _top_level(head)
            more = end is not None and head[end:].lstrip(_SPACE)[:1] == "{"
            return Peek(name, "lines" if more else "object", found, head)
    except (ValueError, RecursionError):
        return Peek(name, "array" if head[:1] == "[" else "object", {}, head)
    return Peek(name, "text", head=head)


_DECODER = json.JSONDecoder()


def _skip(text: str, i: int) -> int:
    while text[i : i + 1] in (" ", "\t", "\r", "\n"):
        i += 1
    return i


def _element(text: str, i: int) -> tuple[Any, int]:
    """The JSON value at `i`; of an object that the head cuts off, the part that can be read."""
    i = _skip(text, i)
    try:
        return _DECODER.raw_decode(text, i)
    except ValueError:
        if text[i : i + 1] == "{":
            return _top_level(text, i)[0], len(text)
        if text[i : i + 1] == "[" and text[_skip(text, i + 1) : _skip(text, i + 1) + 1] != "[":
            return [_element(text, i + 1)[0]], len(text)
        raise


def _top_level(text: str, i: int = 0) -> tuple[dict[str, Any], int | None]:
    """Keys and values of the object that begins at `i`, as far as the text goes, and its end if that is there."""
    try:
        value, end = _DECODER.raw_decode(text, i)
        return dict_of(value), end
    except ValueError:
        pass
    found: dict[str, Any] = {}
    i = _skip(text, i + 1)
    while text[i : i + 1] == '"':
        try:
            key, i = _DECODER.raw_decode(text, i)
            i = _skip(text, i)
            if text[i : i + 1] != ":":
                break
            found[key] = None
            found[key], i = _element(text, i + 1)
        except ValueError:
            break
        i = _skip(text, i)
        if text[i : i + 1] != ",":
            break
        i = _skip(text, i + 1)
    return found, None


def _members(data: bytes) -> tuple[str, ...]:
    from pipelines.runs import archives

    try:
        return tuple(archives.names(data))
    except Unreadable:
        return ()


def _parquet_columns(data: bytes) -> tuple[str, ...]:
    import polars as pl

    try:
        return tuple(pl.read_parquet_schema(io.BytesIO(data)))
    except BaseException as e:
        if isinstance(e, (KeyboardInterrupt, SystemExit)):
            raise
        return ()


def _where(e: ValueError) -> str:
    return f"line {e.lineno} column {e.colno}: {e.msg}" if isinstance(e, json.JSONDecodeError) else str(e)[:200]


# Small values, tolerant of the types that tools write.


def dict_of(value: Any) -> dict[str, Any]:
    """An object, or an empty one for the rest."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str | None:
    """A string, or the text of a number; None for the rest."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def int_of(value: Any) -> int | None:
    """A whole number from an int, 3.0 or '3'; None for the rest."""
    try:
        number = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**31 else None


def float_of(value: Any) -> float | None:
    """A float from a number or its text; None for the rest and for NaN."""
    try:
        number = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    return None if math.isnan(number) else number


def time_of(value: Any) -> datetime | None:
    """A naive UTC time from an ISO text or seconds since 1970; None for the rest."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC).replace(tzinfo=None) if value > 0 else None
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
    except (ValueError, OverflowError, OSError):
        pass
    return None


def texts_of(value: Any) -> tuple[str, ...]:
    """The texts of a list that holds nothing else; else empty."""
    if not isinstance(value, (list, tuple)):
        return ()
    texts = [text_of(v) for v in value]
    return tuple(t for t in texts if t is not None) if None not in texts else ()


def message_text(content: Any) -> str | None:
    """The text of a chat message's content: a string, or the text parts of a list (reasoning parts are no answer)."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        kinds = ("text", "output_text", "input_text")
        parts = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") in kinds]
        return "\n".join(p for p in parts if isinstance(p, str))
    return None


def short(value: Any, n: int = 80) -> str:
    """A value in one short line, for messages."""
    text = value if isinstance(value, str) else repr(value)[: 4 * n]
    text = " ".join(text[: 4 * n].split())
    return text if len(text) <= n else text[: n - 1] + "…"


def clean(text: str) -> str:
    """Text that every store can hold: NFC, no lone surrogates, no NUL."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))
    return text.replace("\0", "\ufffd")


def folder_or_file(name: str) -> str:
    """The folder of a file; of one that lies loose at the top (of an inbox, say), the file itself."""
    folder = name.rpartition("/")[0]
    return folder if "/" in folder else name


def slug(text: str) -> str:
    """A model's name for use in an id: lower case, letters, digits, '.', '_' and '-'."""
    return re.sub(r"-{2,}", "-", re.sub(r"[^\w.+-]+", "-", clean(text).casefold())).strip("-.") or "unnamed"


def first_of(record: dict[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of `names` that the record has with a value."""
    for name in names:
        if record.get(name) is not None:
            return record[name]
    return None
