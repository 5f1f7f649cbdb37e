"""Whether a fetched release may replace the one that is published: how it differs, each way with its two numbers.

Pure comparison of readings. What follows from it (quarantine, refusal, acceptance) is the archive's and the stages'
business; rows that no table could hold were set aside before (`sound` in item.py).
"""

from __future__ import annotations

from collections import Counter

from pipelines.archive.releases import Deviation
from pipelines.questions.identity import item_fingerprint
from pipelines.questions.item import Item, Reading
from pipelines.questions.unify import same_key

COUNT = "published_count"
SHOWN = 3


def count_deviation(new: Reading, share: float) -> list[Deviation]:
    """A dataset that leaves the count its publisher states, without a reason of its own.

    Rejected rows explain a difference themselves, unless they are more than `share` of what is stated.
    """
    d, n = new.dataset, len(new.items)
    if d.published_count is None or d.count_note is not None:
        return []
    if new.rows_in == d.published_count and n >= (1 - share) * d.published_count:
        return []
    first = ", ".join(item.source_key for item in new.items[:SHOWN])
    says = f"{d.dataset_id} has {n} questions where {d.published_count} are published (the first: {first})"
    return [Deviation(COUNT, says, d.published_count, n)]


def deviations(new: Reading, old: Reading | None, shrink_share: float, key_share: float) -> list[Deviation]:
    """How a release differs from its predecessor more than it may: questions or subjects lost, keys moved.

    `shrink_share` and `key_share` are the shares of the old questions that may go, and of the questions of both whose
    answer key may differ.
    """
    found = count_deviation(new, shrink_share)
    if old is None:
        return found
    names = f"{new.dataset.dataset_id} has {{}} where {old.dataset.dataset_id} has {{}}"
    before, now = len(old.items), len(new.items)
    if now < (1 - shrink_share) * before:
        kept = {item.source_key for item in new.items}
        lost = [item.source_key for item in old.items if item.source_key not in kept][:SHOWN]
        says = names.format(f"{now} questions", before) + f" (the first it lacks: {', '.join(lost) or 'ids moved'})"
        found.append(Deviation("keeps_its_size", says, before, now))
    subjects, left = ({item.topic for item in r.items if item.topic} for r in (old, new))
    if gone := sorted(subjects - left):
        says = names.format(f"{len(subjects & left)} of the subjects", len(subjects)) + f" (it lacks {', '.join(gone)})"
        found.append(Deviation("keeps_its_subjects", says, len(subjects), len(subjects & left)))
    old_items, new_items = _by_fingerprint(old), _by_fingerprint(new)
    shared = old_items.keys() & new_items.keys()
    moved = sorted(new_items[f].source_key for f in shared if not same_key(old_items[f], new_items[f]))
    if len(moved) > key_share * len(shared):
        says = (
            f"{new.dataset.dataset_id} has another answer key for {len(moved)} of the {len(shared)} questions that it "
            f"shares with {old.dataset.dataset_id} (the first: {', '.join(moved[:SHOWN])})"
        )
        found.append(Deviation("keeps_its_keys", says, len(shared), len(shared) - len(moved)))
    return found


def _by_fingerprint(reading: Reading) -> dict[str, Item]:
    """Questions that stand once in a release, by their text; of a repeated one it is not known which is meant."""
    prints = [(item_fingerprint(item), item) for item in reading.items]
    times = Counter(f for f, _ in prints)
    return {f: item for f, item in prints if times[f] == 1}
