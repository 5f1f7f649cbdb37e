"""The same question in several places: exact by fingerprint, or near. Duplicates, links between releases, lost text.

Works on items alone. What follows from a link (flags, answer-key changes) is decided in unify.py.

Alikeness alone does not make two questions one. In the bank of July 2024, 91 pairs of different questions with the
same numbers share four-letter runs with a cosine of 0.8 or more, and only a handful mean the same: "Cosa si intende per
endocitosi?" and "… esocitosi?" agree to 0.995, "Se una soluzione acquosa ha pH = 2 …" and its shorter twin to 0.928.
Therefore:
- inside a dataset, and between benchmarks, near means the same stem and the same right answers with other distractors;
- between releases of one benchmark, near means the best match of each other among questions that have no exact match,
  with a similarity of at least NEAR. Of 3,301 released questions, 25 have such a partner in the bank of July 2024, and
  each is the same question retyped; the first false partner stands at 0.851, below the lowest true one above NEAR.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from scipy.sparse import csr_matrix

from pipelines.questions.identity import fingerprint, item_fingerprint, squeeze
from pipelines.questions.item import Item

NEAR = 0.86
GRAM = 4
CANDIDATES = 3
LEAST_COSINE = 0.2


@dataclass(frozen=True)
class Link:
    """Question `left` of the earlier release and `right` of the later one are the same; see table question_link."""

    left: int
    right: int
    kind: str
    similarity: float


def link(left: Sequence[Item], right: Sequence[Item]) -> list[Link]:
    """Links from the items of one release to those of a later one. An item has at most one link of a kind but exact."""
    by_print: dict[str, list[int]] = defaultdict(list)
    by_remains: dict[str, list[int]] = defaultdict(list)
    for j, item in enumerate(right):
        by_print[item_fingerprint(item)].append(j)
        if item.collected:
            by_remains[fingerprint(item.collected[0], item.collected[1:])].append(j)
    links, alone = [], []
    for i, item in enumerate(left):
        found = item_fingerprint(item)
        if found in by_print:
            links += [Link(i, j, "exact", 1.0) for j in by_print[found] if _pictures_agree(item, right[j])]
        elif found in by_remains:
            j = by_remains[found][0]
            kind = "lost_markup" if _lost_text(item, right[j]) else "near"  # else only images were lost
            links.append(Link(i, j, kind, _similarity(item, right[j])))
        else:
            alone.append(i)
    left_prints = {item_fingerprint(item) for item in left}
    taken = {k.right for k in links}
    free = [j for j, item in enumerate(right) if item_fingerprint(item) not in left_prints and j not in taken]
    for i, j, share in _near([left[i] for i in alone], [right[j] for j in free]):
        kind = "lost_markup" if _lost_text(left[alone[i]], right[free[j]]) else "near"
        links.append(Link(alone[i], free[j], kind, share))
    return links


def duplicates(items: Sequence[Item]) -> list[tuple[int, int, str]]:
    """Pairs (later, first, in words) of items that ask the same: exact, or the same stem and right answers."""
    exact: dict[object, int] = {}
    same_key: dict[object, int] = {}
    pairs = []
    for i, item in enumerate(items):
        images = tuple(sorted(image.url or "" for image in item.images))
        whole = (item_fingerprint(item), images)
        right = (squeeze(item.stem), _right_answers(item), images)
        if whole in exact:
            pairs.append((i, exact[whole], "the same stem and choices"))
        elif item.stem and right[1] and right in same_key:
            pairs.append((i, same_key[right], "near: the same stem and right answer, other choices"))
        exact.setdefault(whole, i)
        same_key.setdefault(right, i)
    return pairs


def _right_answers(item: Item) -> frozenset[str]:
    labels = {label for key in item.keys for label in key.labels}
    return frozenset(squeeze(c.text) for c in item.choices if c.label in labels and not c.has_image)


def _pictures_agree(a: Item, b: Item) -> bool:
    """Two questions with images are the same only when the images are; a release without images can't tell."""
    urls = [{image.url for image in item.images} for item in (a, b)]
    return not urls[0] or not urls[1] or urls[0] == urls[1]


def _lost_text(derived: Item, origin: Item) -> bool:
    """True when a text of `derived` is what the collector left of a text of `origin` with a '<' in it."""
    if not origin.collected:
        return False
    whole = (origin.stem, *(c.text for c in origin.choices))
    pairs = zip(whole, origin.collected, strict=True)
    remains = {squeeze(left) for text, left in pairs if "<" in text and squeeze(left) != squeeze(text)}
    return any(squeeze(t) in remains for t in (derived.stem, *(c.text for c in derived.choices)))


def _near(left: Sequence[Item], right: Sequence[Item]) -> list[tuple[int, int, float]]:
    """Pairs of places that are the best match of each other, with their similarity of at least NEAR."""
    pairs = [(_similarity(left[i], right[j]), i, j) for i, j in _candidates(left, right)]
    used_left: set[int] = set()
    used_right: set[int] = set()
    found = []
    for share, i, j in sorted(pairs, key=lambda p: (-p[0], p[1], p[2])):
        if share >= NEAR and i not in used_left and j not in used_right:
            found.append((i, j, share))
            used_left.add(i)
            used_right.add(j)
    return found


def _texts(item: Item) -> str:
    return "\n".join([squeeze(item.stem), *sorted(squeeze(c.text) for c in item.choices)])


def _similarity(a: Item, b: Item) -> float:
    """Share of agreeing text of two items, 0 to 1."""
    return SequenceMatcher(None, _texts(a), _texts(b), autojunk=False).ratio()


def _candidates(left: Sequence[Item], right: Sequence[Item]) -> list[tuple[int, int]]:
    """For each item of the left, the few of the right that share most rare runs of letters (TF-IDF cosine)."""
    if not left or not right:
        return []
    a, b = _vectors([_texts(i) for i in (*left, *right)], len(left))
    cosine = (a @ b.T).tocoo()
    best: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for i, j, value in zip(cosine.row, cosine.col, cosine.data, strict=True):
        if value >= LEAST_COSINE:
            best[int(i)].append((float(value), int(j)))
    return [(i, j) for i, found in best.items() for _, j in sorted(found, reverse=True)[:CANDIDATES]]


def _vectors(texts: Sequence[str], cut: int) -> tuple[csr_matrix, csr_matrix]:
    """Unit TF-IDF vectors over runs of GRAM letters, of the first `cut` texts and of the rest."""
    grams: dict[str, int] = {}
    rows, cols = [], []
    for i, text in enumerate(texts):
        for gram in {text[p : p + GRAM] for p in range(max(1, len(text) - GRAM + 1))}:
            rows.append(i)
            cols.append(grams.setdefault(gram, len(grams)))
    counts = csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(len(texts), len(grams)))
    seen = np.asarray((counts > 0).sum(axis=0)).ravel()
    weighted = counts @ _diagonal(np.log(1 + len(texts) / seen))
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    unit = csr_matrix(_diagonal(1 / np.where(length == 0, 1, length)) @ weighted)
    return unit[:cut], unit[cut:]


def _diagonal(values: np.ndarray) -> csr_matrix:
    return csr_matrix((values, (range(len(values)), range(len(values)))), shape=(len(values), len(values)))
