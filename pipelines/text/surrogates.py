"""Halves of characters (lone surrogates), which JSON can write as an escape and no store or terminal can hold.

For texts that are kept with what is wrong in them, such as responses. A source's row with one is rejected instead
(questions/item.py).
"""

from __future__ import annotations

from typing import Any


def whole(value: Any) -> Any:
    """A value of JSON, with "?" for each lone surrogate in its texts and keys."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [whole(v) for v in value]
    return {whole(k): whole(v) for k, v in value.items()} if isinstance(value, dict) else value


def may_hold_halves(data: bytes) -> bool:
    """Whether JSON in UTF-8 may hold a lone surrogate: the escape of one stands in it, or the bytes of one."""
    return b"\\ud" in data or b"\\uD" in data or b"\xed" in data
