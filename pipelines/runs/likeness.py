"""Whether two texts are the same: of a question, of its choices. Which question is meant is for matching.py."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from pipelines.questions.identity import squeeze as _squeeze
from pipelines.runs.values import clean
from pipelines.text.markup import decoded_text

ABSTAIN = -1
"""Stands for a position: the choice shown is none of the question's, it declines to answer."""
_DECLINING = ("Preferisco non rispondere", "Non rispondo", "Prefer not to answer", "I prefer not to answer",
              "No answer", "回答しない", "無回答")  # fmt: skip
_ALIKE = 0.8  # share of text that must agree before a source's id is believed against a text that differs
_TELLING = 12  # squeezed characters from which a stem that stands in a longer text says that it was asked there
_TRIVIAL = 6  # squeezed characters below which a text says nothing of what was asked


def plain(text: str) -> str:
    """Text as the warehouse would hold it: entities that a released file left in it are decoded."""
    return decoded_text(clean(text)) if "&" in text else clean(text)


@lru_cache(maxsize=1 << 16)
def _remembered(text: str) -> str:
    return _squeeze(plain(text))


def squeeze(text: str) -> str:
    """Text as the fingerprint sees it; short texts (choices, mostly) are remembered."""
    return _remembered(text) if len(text) <= 200 else _squeeze(plain(text))


@lru_cache(maxsize=1)
def declining() -> frozenset[str]:
    return frozenset(map(squeeze, _DECLINING))


def declines(text: str) -> bool:
    """True when choosing this choice is choosing not to answer."""
    return len(text) < 100 and squeeze(text) in declining()


def trivial(text: str) -> bool:
    """True for a text that is not evidence of a question: empty, a mark, a short word."""
    return len(squeeze(text)) < _TRIVIAL


def align(shown: Sequence[str], own: Sequence[str]) -> list[int | None]:
    """For each choice shown, the position of the same choice among the question's own; ABSTAIN for a declining one.

    Texts are compared exactly, then squeezed; equal texts pair up in order. One left over on either side are a pair.
    """
    order: list[int | None] = [None] * len(shown)
    free = list(range(len(own)))
    for same in (_spaced, squeeze):
        for i, text in enumerate(shown):
            if order[i] is None:
                key = same(text)
                at = next((p for p in free if same(own[p]) == key), None)
                if at is not None:
                    order[i] = at
                    free.remove(at)
    for i, text in enumerate(shown):
        if order[i] is None and declines(text):
            order[i] = ABSTAIN
    left = [i for i, p in enumerate(order) if p is None]
    if len(left) == len(free) == 1 and len(own) > 2:
        order[left[0]] = free[0]
    return order


def _spaced(text: str) -> str:
    return " ".join(clean(text).split())


def alike(own: str, said: str) -> bool:
    """True where `said` (a question as a file has it, or a prompt) is, or holds, the question with the text `own`."""
    own, said = squeeze(own), squeeze(said)
    if not own or not said:
        return False
    if own in said and (len(own) >= _TELLING or 2 * len(own) >= len(said)):
        return True
    if said in own and 2 * len(said) >= len(own):
        return True
    matcher = SequenceMatcher(None, own[:2000], said[:2000], autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE
