"""A look at a file: its shape, and the names at its beginning, by which a format is told. Nothing is read whole."""

from __future__ import annotations

import json
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs import archives
from pipelines.runs.parsed import Peek
from pipelines.runs.values import dict_of
from pipelines.text import workbook
from pipelines.text.limits import LIMITS, Limits
from pipelines.text.readers import csv_head, decode_head, parquet_columns

SIZE = 1 << 18
"""Bytes that are looked at."""
_SPACE = " \t\r\n"
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"


def peek(name: str, data: bytes, limits: Limits = LIMITS) -> Peek:
    """What a file looks like. Never raises: what can't be told is shape 'text'."""
    if not data.strip():
        return Peek(name, "empty")
    if data[:2] == b"PK":
        return _zip(name, data, limits)
    if data[:2] == b"\x1f\x8b":
        return Peek(name, "gzip")
    if data[:4] == b"PAR1":
        return Peek(name, "parquet", columns=parquet_columns(data))
    if data[:4] == _OLD_WORKBOOK:
        return Peek(name, "old workbook")
    if data[257:262] == b"ustar":
        return Peek(name, "tar")
    head = decode_head(data, SIZE).lstrip("\ufeff" + _SPACE)
    try:
        if head[:1] == "[":
            return Peek(name, "array", dict_of(_element(head, 1)[0]), head)
        if head[:1] == "{":
            found, end = _top_level(head)
            more = end is not None and head[end:].lstrip(_SPACE)[:1] == "{"
            return Peek(name, "lines" if more else "object", found, head)
    except (ValueError, RecursionError):
        return Peek(name, "array" if head[:1] == "[" else "object", {}, head)
    columns, first = csv_head(head)
    return Peek(name, "text", dict(zip(columns, first, strict=False)), head, columns=tuple(columns))


def _zip(name: str, data: bytes, limits: Limits) -> Peek:
    try:
        members = tuple(archives.names(data))
    except Unreadable:
        return Peek(name, "zip")
    if workbook.MARK not in members:
        return Peek(name, "zip", members=members)
    try:
        return Peek(name, "workbook", members=members, columns=workbook.columns(data, limits))
    except Unreadable:
        return Peek(name, "workbook", members=members)


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
