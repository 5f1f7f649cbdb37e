"""Broken variants of a file as a hypothesis strategy that shrinks: few edits, each of them small.

An edit is a plain tuple, so that a found one can be kept in a test as it stands. What the edits are tried on is the
tests' matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

Files = Mapping[str, bytes]
Edit = tuple[Any, ...]
"""(file, place as a share of it, kind, argument): applied by `edited`."""

WRONG: list[Any] = [
    None, True, -1, 0, 1e308, float("nan"), float("inf"), 10**30, 10**18, "", " ", "\ud800", "\udc00x", "\0", "\ufeff",
    "\u202e", "\x1b[2J", "9999999-99-99", "x" * 10_000, "<img src='../../../x'>", "&#0;&#xD800;", "①", "１", "²",
    [], {}, [[]], [None], {"a": {"b": []}}, ["a"] * 300, {"id": 1},
]  # fmt: skip
TOKENS = [
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"\n", b'"', b",", b"{", b"[" * 3000, b'{"a":' * 3000, b"\xef\xbb\xbf",
    b"9" * 5000, b"\\ud800", b"\\u0000", b"1e999", b"NaN", b"A" * 50_000, b"PAR1", b"\x1f\x8b\x08", b"\xe3\x80",
]  # fmt: skip


def edits(files: Files) -> st.SearchStrategy[list[Edit]]:
    """One to four edits of these files."""
    spot = (st.sampled_from(sorted(files)), st.floats(0, 1))
    kinds = [
        st.tuples(*spot, st.just("value"), st.sampled_from(WRONG)),
        st.tuples(*spot, st.just("remove"), st.none()),
        st.tuples(*spot, st.just("double"), st.none()),
        st.tuples(*spot, st.just("insert"), st.sampled_from(TOKENS) | st.binary(max_size=12)),
        st.tuples(*spot, st.just("delete"), st.integers(1, 400)),
        st.tuples(*spot, st.just("cut"), st.none()),
        st.tuples(*spot, st.just("encode"), st.sampled_from(["utf-16", "utf-32", "cp932", "latin-1", "utf-7"])),
    ]
    return st.lists(st.one_of(kinds), min_size=1, max_size=4)


def edited(files: Files, changes: list[Edit]) -> dict[str, bytes]:
    """The files after the edits."""
    found = dict(files)
    for name, share, kind, argument in changes:
        found[name] = _edit(found[name], share, kind, argument)
    return found


def _edit(body: bytes, share: float, kind: str, argument: Any) -> bytes:
    at = int(share * len(body))
    if kind == "insert":
        return body[:at] + argument + body[at:]
    if kind == "delete":
        return body[:at] + body[at + argument :]
    if kind == "cut":
        return body[:at]
    if kind == "encode":
        return body.decode("utf-8", "replace").encode(argument, "replace")
    return _edit_value(body, share, kind, argument)


def _edit_value(body: bytes, share: float, kind: str, argument: Any) -> bytes:
    """A value of JSON or JSON lines replaced, removed or repeated; of another text, the same done to a line."""
    lines = body.splitlines(keepends=True)
    try:
        is_lines = len(lines) > 1 and body[:1] == b"{"
        root = [json.loads(line) for line in lines] if is_lines else json.loads(body)
    except (ValueError, RecursionError):
        n = int(share * max(0, len(lines) - 1))
        new = {"value": [str(argument).encode("utf-8", "replace")], "remove": []}.get(kind, lines[n : n + 1] * 2)
        return b"".join(lines[:n] + new + lines[n + 1 :])
    spots = list(_spots(root))
    if not spots:
        return body
    holder, key = spots[int(share * (len(spots) - 1))]
    if kind == "value":
        holder[key] = argument
    elif kind == "remove":
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[f"{key} "] = holder[key]
    return b"\n".join(json.dumps(v).encode() for v in root) if is_lines else json.dumps(root).encode()


def _spots(root: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value in a document, as its holder and key; the outermost first."""
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        places = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, value in list(places):
            yield node, key
            waiting.append(value)


@contextmanager
def at_most(megabytes: int) -> Iterator[None]:
    """Fail when this process took more memory than that at any moment of the block."""
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
    yield
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    assert peak < megabytes, f"{peak} MB were taken"
