"""Text from outside made safe to show, on a terminal and beside an asset in Dagster's UI."""

from __future__ import annotations

import re

# C0 but tab and line feed (a carriage return goes back over its line), DEL and C1, the marks that turn text around,
# line and paragraph separators, and lone surrogates, which no encoder takes.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text with each control character that a terminal would obey as U+FFFD."""
    return _UNSAFE.sub("\ufffd", text)


def json_safe(text: str) -> str:
    """JSON with those characters as escapes: the same data, and nothing that a terminal would obey."""
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
