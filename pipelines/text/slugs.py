"""A text as a part of a name: of a file, a task, an id."""

from __future__ import annotations

import re


def slug(text: str, letters: str = r"\w.") -> str:
    """The text with each run of characters other than `letters` (of a character class) as one '-', none at the ends."""
    return re.sub(rf"[^{letters}]+", "-", text).strip("-")
