"""What makes a question the same question in any release: the normaliser and the fingerprint.

Finding duplicates and links between releases (links.py) rests on these; ids of an upstream never do.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from pipelines.questions.item import Item

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣－", "-"))
# A minus before a digit or after an exponent mark or bracket is mathematics; elsewhere a dash is punctuation.
_SIGN = re.compile(r"(?<![^\W_])-(?=\d)|(?<=\^)\(?-")


@lru_cache(maxsize=1 << 17)
def squeeze(text: str) -> str:
    """Text as the fingerprint sees it: NFKC, case-folded, only letters, digits and mathematical symbols.

    White space, punctuation and the marks ^ _ ( ) of super- and subscripts are gone; + = < > × √ and the sign of a
    number stay, so that "x + 2" and "x − 2" are two questions.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_DASHES)
    signed = _SIGN.sub("−", folded)
    return "".join(c for c in signed if c.isalnum() or (unicodedata.category(c) == "Sm"))


def fingerprint(stem: str, choices: Iterable[str]) -> str:
    """32 hex digits that are equal for the same stem and the same choices in any order."""
    parts = [squeeze(stem), *sorted(squeeze(c) for c in choices)]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def item_fingerprint(item: Item) -> str:
    return fingerprint(item.stem, (c.text for c in item.choices))
