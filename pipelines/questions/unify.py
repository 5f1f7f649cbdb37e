"""Readings of all sources to the unified question tables of the schema: ids, masks, flags, links, answer-key changes.

The one place where datasets meet. Nothing here knows a file format, and nothing is dropped: rows in equal questions
plus rejected rows, for every dataset.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any

import polars as pl

from pipelines.questions.identity import item_fingerprint, squeeze
from pipelines.questions.item import Choice, Item, Key, Reading
from pipelines.questions.links import Link, duplicates, link
from pipelines.registry import sources
from pipelines.schema import TABLES

Rows = dict[str, list[dict[str, Any]]]

QUESTION_TABLES = (
    "dataset", "exam", "passage", "question", "choice", "answer_key", "question_image", "question_flag",
    "question_link", "answer_key_change", "rejected_row", "accepted_deviation",
)  # fmt: skip

UNUSUAL_SHARE = 0.1
"""A number of choices that fewer than this share of a dataset's questions (of one profession) have is unusual."""


def unify(readings: Iterable[Reading]) -> dict[str, pl.DataFrame]:
    """All question tables, by name, from one reading per dataset; the newest release of a source comes last."""
    places = {source: i for i, source in enumerate(sources())}
    ordered = sorted(readings, key=lambda r: places.get(r.dataset.source, len(places)))
    rows: Rows = {name: [] for name in QUESTION_TABLES}
    for reading in ordered:
        _flag_choices(reading)
    links = _links(ordered)
    _flag_from_links(ordered, links, rows)
    _flag_duplicates(ordered, rows)
    newest = {(r.dataset.source, r.dataset.language): r.dataset.dataset_id for r in ordered}
    for reading in ordered:
        _dataset(reading, newest, rows)
        for item in reading.items:
            _question(reading, item, rows)
    return {name: TABLES[name].frame(rows[name]) for name in QUESTION_TABLES}


def question_id(reading: Reading, item: Item) -> str:
    return f"{reading.dataset.dataset_id}/{item.source_key}"


def _dataset(reading: Reading, newest: dict[tuple[str, str], str], rows: Rows) -> None:
    d = reading.dataset
    rows["dataset"].append(
        {
            "dataset_id": d.dataset_id,
            "benchmark": d.benchmark,
            "release": d.release,
            "source": d.source,
            "title": d.title,
            "language": d.language,
            "licence": d.licence,
            "origin": d.origin,
            "sha256": d.sha256,
            "fetched_at": d.fetched_at.replace(tzinfo=None),
            "n_questions": len(reading.items),
            "published_count": d.published_count,
            "count_note": d.count_note,
            "is_sample": d.is_sample,
            "is_latest": newest[d.source, d.language] == d.dataset_id,
        }
    )
    rows["passage"] += [{"passage_id": f"{d.dataset_id}/{k}", "text": t} for k, t in reading.passages.items()]
    rows["rejected_row"] += [
        {"source": d.dataset_id, "locator": r.locator, "reason": r.reason, "raw": r.raw} for r in reading.rejected
    ]


def _question(reading: Reading, item: Item, rows: Rows) -> None:
    d, qid = reading.dataset, question_id(reading, item)
    exam_id = None
    if item.exam:
        exam_id = f"{d.benchmark}/{item.exam.profession}/{item.exam.year}"
        exam = {
            "exam_id": exam_id,
            "benchmark": d.benchmark,
            "profession": item.exam.profession,
            "profession_en": item.exam.profession_en,
            "year": item.exam.year,
            "round": item.exam.round,
        }
        if exam not in rows["exam"]:
            rows["exam"].append(exam)
    positions = {c.label: i for i, c in enumerate(item.choices)}
    keys = []
    for key in item.keys:
        if unknown := [label for label in key.labels if label not in positions]:
            item.flag("key_disputed", f"the key names {', '.join(unknown)}, which is not a choice")
        else:
            keys.append(key)
    if item.keys and not keys:
        item.key_status = "unknown"
    if item.answer_type == "numeric":
        keys = _with_boxes(keys)
    for n, key in enumerate(keys, 1):
        mask = sum(1 << positions[label] for label in set(key.labels)) if key.labels else None
        ordered = sorted(key.labels, key=positions.__getitem__) if item.answer_type != "sequence" else key.labels
        rows["answer_key"].append(
            {
                "question_id": qid,
                "alternative": n,
                "labels": "-".join(ordered) or None,
                "selection": mask,
                "value": key.value,
            }
        )
    right = {label for key in keys for label in key.labels}
    for i, c in enumerate(item.choices):
        rows["choice"].append(
            {
                "question_id": qid,
                "position": i,
                "label": c.label,
                "text": c.text,
                "is_correct": c.label in right,
                "is_forbidden": c.is_forbidden,
                "has_image": c.has_image,
            }
        )
    rows["question"].append(
        {
            "question_id": qid,
            "dataset_id": d.dataset_id,
            "benchmark": d.benchmark,
            "source_key": item.source_key,
            "exam_id": exam_id,
            "paper": item.paper,
            "number": item.number,
            "topic": item.topic,
            "language": item.language,
            "stem": item.stem,
            "passage_id": f"{d.dataset_id}/{item.passage_key}" if item.passage_key in reading.passages else None,
            "answer_type": item.answer_type,
            "n_choices": len(item.choices),
            "points": item.points,
            "component": item.component,
            "key_status": item.key_status,
            "released_key": item.released_key,
            "needs_image": item.needs_image,
            "human_accuracy": item.human_accuracy,
            "case_group": f"{d.dataset_id}/{item.case_group}" if item.case_group else None,
            "fingerprint": item_fingerprint(item),
            "source_url": f"{d.origin}#{item.locator}",
        }
    )
    for image in item.images:
        rows["question_image"].append(
            {"question_id": qid, "place": image.place, "url": image.url, "path": image.path, "sha256": image.sha256}
        )
    for flag, detail in item.flags.items():
        rows["question_flag"].append({"question_id": qid, "flag": flag, "detail": detail})


def _with_boxes(keys: Sequence[Key]) -> list[Key]:
    """Numeric keys, and what a leading zero may mean: "04" fills two digit boxes and is 0.4 as well as 4.

    With both as accepted answers, numbers are the same when they are equal as decimals; no reader needs to know more.
    """
    values = [k.value or "" for k in keys]
    boxed = [Key(value=f"0.{v[1:]}") for v in values if re.fullmatch(r"0\d+", v)]
    known = {Decimal(v) for v in values if re.fullmatch(r"-?\d+(\.\d+)?", v)}
    return [*keys, *(k for k in boxed if Decimal(k.value or "") not in known)]


# ---- flags -------------------------------------------------------------------------------------------------------


def _flag_choices(reading: Reading) -> None:
    """Flag choices that stand twice, and numbers of choices that are rare in their dataset and profession."""
    counts: dict[str | None, Counter[int]] = defaultdict(Counter)
    for item in reading.items:
        if item.choices:
            counts[item.exam.profession if item.exam else None][len(item.choices)] += 1
    for item in reading.items:
        shown = [c.text if not c.has_image else _picture(item, i, c) for i, c in enumerate(item.choices)]
        repeated = [text for text, n in Counter(shown).items() if n > 1 and text]
        if repeated:
            item.flag("duplicate_choices", "; ".join(f"{text[:80]!r} stands twice or more" for text in repeated))
        if item.choices:
            of = counts[item.exam.profession if item.exam else None]
            if of[len(item.choices)] < UNUSUAL_SHARE * of.total():
                usual = of.most_common(1)[0][0]
                item.flag("choice_count_unusual", f"{len(item.choices)} choices where {usual} are usual")


def _picture(item: Item, position: int, choice: Choice) -> str:
    """What tells one choice that is an image from another."""
    place = f"choice:{position}"
    urls = [image.url or "" for image in item.images if image.place.split("#")[0] == place]
    return f"{choice.text} {' '.join(urls)}" if urls else ""


Linked = dict[tuple[int, int], list[Link]]


def _links(readings: Sequence[Reading]) -> Linked:
    """Links between every two releases of one benchmark and language, by their places in `readings`."""
    return {
        (a, b): link(readings[a].items, readings[b].items)
        for a, b in combinations(range(len(readings)), 2)
        if readings[a].dataset.benchmark == readings[b].dataset.benchmark
        and readings[a].dataset.language == readings[b].dataset.language
    }


def _flag_from_links(readings: Sequence[Reading], links: Linked, rows: Rows) -> None:
    """Write question_link and answer_key_change, and flag what a link shows: lost text, images, passages, keys."""
    followed: set[tuple[int, int]] = set()
    for (a, b), found in links.items():
        left, right = readings[a], readings[b]
        doubtful = _ambiguous(left.items) | _ambiguous(right.items)
        for k in found:
            old, new = left.items[k.left], right.items[k.right]
            _flag_pair(old, new, k, right.dataset.dataset_id)
            if (a, k.left) in followed and k.kind == "exact":
                continue  # the chain of releases is written from each to the next
            followed.add((a, k.left))
            rows["question_link"].append(
                {
                    "from_question": question_id(left, old),
                    "to_question": question_id(right, new),
                    "kind": k.kind,
                    "similarity": round(k.similarity, 3),
                }
            )
            before, after = _key_by_text(old), _key_by_text(new)
            print_ = item_fingerprint(old)
            if k.kind != "exact" or not before or not after or same_key(old, new) or print_ in doubtful:
                continue
            for item, other, dataset in ((old, after, right), (new, before, left)):
                item.flag("key_disputed", f"{dataset.dataset.dataset_id} has the key {other[:200]!r}")
            rows["answer_key_change"].append(
                {
                    "benchmark": left.dataset.benchmark,
                    "fingerprint": print_,
                    "from_dataset": left.dataset.dataset_id,
                    "to_dataset": right.dataset.dataset_id,
                    "old_key": before,
                    "new_key": after,
                }
            )


def _flag_pair(old: Item, new: Item, k: Link, to_dataset: str) -> None:
    if k.kind == "lost_markup" and "lost_markup" not in old.flags:
        old.flag("lost_markup", f"{to_dataset}/{new.source_key} says more: {_says_more(old, new)}")
    if new.needs_image and not old.needs_image and not old.images:
        old.needs_image = True
        old.flag("image_missing", f"{to_dataset}/{new.source_key} shows {len(new.images)} images")
    if new.passage_key and not old.passage_key and "passage_missing" not in old.flags:
        old.flag("passage_missing", f"{to_dataset}/{new.source_key} refers to passage {new.passage_key}")


def _says_more(old: Item, new: Item) -> str:
    texts = {old.stem, *(c.text for c in old.choices)}
    more = [t for t in (new.stem, *(c.text for c in new.choices)) if t not in texts and "<" in t]
    return " | ".join(t[:120] for t in more)[:400]


def _ambiguous(items: Sequence[Item]) -> set[str]:
    """Fingerprints that stand several times in one release: which of them a key belongs to is not known."""
    return {f for f, n in Counter(map(item_fingerprint, items)).items() if n > 1}


def _key_by_text(item: Item) -> str:
    """All accepted answers by choice text: ' + ' joins choices, ' | ' joins alternatives."""
    text = {c.label: c.text for c in item.choices}
    answers = [
        " + ".join(sorted(text.get(label, label) for label in k.labels)) if k.labels else k.value or ""
        for k in item.keys
    ]
    return " | ".join(sorted(answers))


def same_key(a: Item, b: Item) -> bool:
    """True when two questions accept the same answers, by the text of their choices."""

    def normal(item: Item) -> set[tuple[str, ...]]:
        text = {c.label: c.text for c in item.choices}
        return {
            tuple(sorted(squeeze(text.get(label, label)) or text.get(label, label) for label in k.labels))
            if k.labels
            else (k.value or "",)
            for k in item.keys
        }

    return normal(a) == normal(b)


def _flag_duplicates(readings: Sequence[Reading], rows: Rows) -> None:
    """Flag questions that stand twice in a dataset, or in datasets of two benchmarks; these are linked as well."""
    for reading in readings:
        for later, first, how in duplicates(reading.items):
            other = question_id(reading, reading.items[first])
            reading.items[later].flag("duplicate_question", f"{how} as {other}")
            if _key_by_text(reading.items[later]) and not same_key(reading.items[later], reading.items[first]):
                reading.items[later].flag("key_disputed", f"{other} has the key {_key_by_text(reading.items[first])!r}")
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for reading in readings:
        for item in reading.items:
            key = (item.language, item_fingerprint(item))
            benchmark, first_id = seen.setdefault(key, (reading.dataset.benchmark, question_id(reading, item)))
            if benchmark != reading.dataset.benchmark:
                item.flag("duplicate_question", f"the same stem and choices as {first_id}")
                rows["question_link"].append(
                    {
                        "from_question": first_id,
                        "to_question": question_id(reading, item),
                        "kind": "exact",
                        "similarity": 1,
                    }
                )
