"""What a licence lets one do with questions: the one place where its words are read.

Exports refuse and the report holds back what is refused here. Which columns hold questions is said in the schema.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Terms:
    """A licence as the hub names it, its text's address, and why changed copies can't be shared (None: they can)."""

    hub_id: str
    url: str | None
    refusal: str | None = None


# Licences by the beginning of what a publisher states; the first that fits counts.
_TERMS: tuple[tuple[str, Terms], ...] = (
    (r"apache(-| licen[cs]e )?2(\.0)?", Terms("apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0")),
    (r"mit\b", Terms("mit", "https://opensource.org/license/mit")),
    (r"cc0", Terms("cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/")),
    (
        r"cc[ -]by-nc-nd[ -]4\.0",
        Terms(
            "cc-by-nc-nd-4.0",
            "https://creativecommons.org/licenses/by-nc-nd/4.0/",
            "CC BY-NC-ND 4.0 lets nobody share the questions in a changed form",
        ),
    ),
    (
        r"cc[ -]by-nd[ -]4\.0",
        Terms(
            "cc-by-nd-4.0",
            "https://creativecommons.org/licenses/by-nd/4.0/",
            "CC BY-ND 4.0 lets nobody share the questions in a changed form",
        ),
    ),
    (r"cc[ -]by-nc-sa[ -]4\.0", Terms("cc-by-nc-sa-4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/")),
    (r"cc[ -]by-nc[ -]4\.0", Terms("cc-by-nc-4.0", "https://creativecommons.org/licenses/by-nc/4.0/")),
    (r"cc[ -]by-sa[ -]4\.0", Terms("cc-by-sa-4.0", "https://creativecommons.org/licenses/by-sa/4.0/")),
    (r"cc[ -]by[ -]4\.0", Terms("cc-by-4.0", "https://creativecommons.org/licenses/by/4.0/")),
)


def terms(licence: str) -> Terms:
    """The terms of a licence as its publisher states it. One that isn't known permits nothing."""
    word = licence.strip().lower()
    for pattern, found in _TERMS:
        if re.match(pattern, word):
            return found
    if not word or word.startswith(("none", "unknown")):
        return Terms("unknown", None, "its publisher states no licence, so nothing permits sharing the questions")
    return Terms(
        "other", None, f"its licence ({licence}) is not known to permit sharing the questions in a changed form"
    )
