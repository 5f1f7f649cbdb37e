"""Small values, tolerant of the types that tools write: a number that may be a text, a time, a list of texts.

No layout of any tool, and nothing that raises: what is not of the kind asked for is None or empty.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pipelines.text.slugs import slug
from pipelines.text.surrogates import whole


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
    """The text of a chat message's content: a string, or the text parts of a list (reasoning is not an answer)."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        kinds = ("text", "output_text", "input_text")
        parts = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") in kinds]
        return "\n".join(p for p in parts if isinstance(p, str))
    return None


def has_image(value: Any) -> bool:
    """True where a request (messages, their parts, arguments) holds an image beside its text."""
    if isinstance(value, dict):
        kind = str(value.get("type") or value.get("content_type") or "")
        return kind.startswith(("image", "input_image")) or any(
            has_image(v) or (k == "visual" and bool(v)) for k, v in value.items() if isinstance(v, (dict, list))
        )
    return isinstance(value, list) and any(has_image(v) for v in value if isinstance(v, (dict, list)))


def short(value: Any, n: int = 80) -> str:
    """A value in one short line, for messages."""
    text = value if isinstance(value, str) else repr(value)[: 4 * n]
    text = " ".join(text[: 4 * n].split())
    return text if len(text) <= n else text[: n - 1] + "…"


def clean(text: str) -> str:
    """Text that every store can hold: NFC, no lone surrogates, no NUL."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", whole(text))
    return text.replace("\0", "\ufffd")


def folder_or_file(name: str) -> str:
    """The folder of a file; of one that lies loose at the top (of an inbox, say), the file itself."""
    folder = name.rpartition("/")[0]
    return folder if "/" in folder else name


def model_slug(text: str) -> str:
    """A model's name for use in an id: lower case, letters, digits, '.', '_' and '-'."""
    return slug(clean(text).casefold(), r"\w.+").strip("-.") or "unnamed"


def first_of(record: dict[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of `names` that the record has with a value."""
    for name in names:
        if record.get(name) is not None:
            return record[name]
    return None


def ended_at_limit(reason: Any) -> bool:
    """Whether a tool's word for why a model stopped means its limit of tokens."""
    return str(reason).casefold() in ("length", "max_tokens", "max_output_tokens", "model_length", "max_new_tokens")
