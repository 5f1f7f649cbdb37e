"""JSON lines are read in blocks, and are what json.loads says of each line: values, places and errors."""

from __future__ import annotations

import gc
import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipelines.errors import Unreadable
from pipelines.text import readers

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
STRANGE = st.sampled_from(
    [b"", b" \t", b"{", b'{"a":', b"}", b"1,2", b"[1", b",2]", b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"9" * 5000,
     b"-0", b"01", b'"\\ud800"', b'"\xed\xa0\x80"', b'"\xff"', b'"a\x00b"', b"\x00", b'{"a":1,"b":2,"a":3}',
     b"\xef\xbb\xbf1", b"1 2", b"[" * 900 + b"]" * 900, b"[" * 3000 + b"]" * 3000, b"1\x0c", b'"\xe2\x80\xa8"', b"]["]
)  # fmt: skip
LINES = VALUES.map(lambda v: json.dumps(v, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def oracle(lines: list[bytes]) -> Any:
    """Values and numbers of the lines, one by one; or the number of the first that is not JSON."""
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append((number, json.loads(line)))
            except (ValueError, RecursionError):
                return number
    return found


def read(data: bytes) -> Any:
    try:
        rows = readers.json_rows(data)
    except Unreadable as fault:
        return int((fault.detail or "line 0").removeprefix("line ").partition(":")[0])
    return list(zip(rows.numbers, rows.values, strict=True))


@settings(max_examples=300)
@given(st.lists(LINES | STRANGE, min_size=1, max_size=12), st.sampled_from([b"\n", b"\r\n"]), st.integers(1, 40))
@example([b'{"a":1', b'"b":2}', b"3"], b"\n", 30)
@example([b"1 ", b"NaN", b"\xef\xbb\xbf1"], b"\n", 1)
def test_blocks_are_as_lines(lines: list[bytes], end: bytes, size: int) -> None:
    lines = [b'{"first": 1}', *lines, b'{"last": 1}']  # an object at both ends: nothing there is white space
    before = readers._BLOCK
    try:
        readers._BLOCK = size
        assert repr(read(end.join(lines))) == repr(oracle([line + end.strip(b"\n") for line in lines]))
    finally:
        readers._BLOCK = before


def test_collection_goes_on_after_reading() -> None:
    for data in (b'{"a": 1}', b'{"a": '):
        read(data)
        assert gc.isenabled()
