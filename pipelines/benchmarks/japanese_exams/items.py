"""A neutral row of a Japanese national exam (layouts.py) to an item, for every benchmark that asks these exams.

Kind of answer and keys come from keys.py, part, points and case from exams.py, official corrections from the rules;
forbidden choices and images are read here. Which file a row stood in, and what its dataset is called, belong to the
sources.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from pipelines.benchmarks.japanese_exams.exams import case_groups, exam_of, place_of
from pipelines.benchmarks.japanese_exams.keys import (
    asks_for_number,
    narrow,
    read_forbidden,
    read_key,
    read_labels,
    read_number,
)
from pipelines.benchmarks.japanese_exams.layouts import Row, states_picture
from pipelines.questions.item import Choice, Image, Item, Key
from pipelines.scoring.rulebook import rulebook
from pipelines.scoring.rules import Adjusted
from pipelines.text.markup import tidy
from pipelines.text.options import split_options

_SHOWS = re.compile(r"別に示す|別冊|(?:図|写真|画像|表)を(?:以下に)?示す|\[image\]")
_IMAGE_NAME = re.compile(r"[^\s'\",\[\]]+\.(?:png|jpe?g|gif|webp|bmp|tiff?)", re.I)


def items_of(rows: Mapping[str, Row]) -> list[Item]:
    """The items of all rows of a dataset, by source key, with the cases that they share."""
    items = [_item(source_key, row) for source_key, row in rows.items()]
    _link_cases(items, list(rows.values()))
    return items


def _item(source_key: str, row: Row) -> Item:
    labels, texts, stem, mended = _mend_options(row)
    reading = read_key(row.answer, labels, row.question, texts)
    if reading.answer_type in ("numeric", "text"):
        labels, texts = [], []
    needs_image = _needs_image(row)
    forbidden, repaired = read_forbidden(row.fields.get("kinki"), labels)
    item = Item(
        source_key=source_key, locator=row.locator, language=row.language, stem=stem,
        answer_type=reading.answer_type,
        choices=[
            Choice(label, text, label in forbidden, has_image=needs_image and (not text or "[image]" in text))
            for label, text in zip(labels, texts, strict=True)
        ],
        keys=reading.keys, key_status=reading.status, released_key=_released(row.answer),
        topic=tidy(narrow(row.fields.get("topic"))) or None,
        exam=exam_of(row.profession, row.year), paper=row.paper, number=row.number,
        component=place_of(row.profession.name, row.year, row.paper, row.number)[0], needs_image=needs_image,
        images=[Image("stem" if i == 0 else f"stem#{i + 1}", url) for i, url in enumerate(_images(row))],
    )  # fmt: skip
    item.flags.update(reading.flags)
    item.points = _points(row, item)
    item.human_accuracy = _accuracy(row, item)
    if mended:
        item.flag("text_repaired", mended)
    if repaired:
        item.flag("forbidden_repaired", repaired)
    if labels and len(labels) not in row.profession.choices:
        usual = " or ".join(map(str, row.profession.choices))
        item.flag("choice_count_unusual", f"{len(labels)} choices; {row.profession.name} usually has {usual}")
    if needs_image and not item.images:
        item.flag("image_missing", "the source says that an image belongs to it and gives none")
    if corrected := narrow(row.fields.get("corrected")):
        item.flag("key_disputed", f"corrected_question_index is {corrected}: the released scorer never credits it")
        item.key_status = "removed"
    if note := tidy(narrow(row.fields.get("note"))):
        item.flag("key_disputed", f"note of the source: {note}")
    if fact := rulebook().adjustment(row.profession.name, row.year, row.paper, row.number):
        _adjust(item, fact)
    return item


def _released(answer: object) -> str:
    """A key as the file has it; one without a letter or a digit ("解なし", null) matches nothing."""
    text = answer if isinstance(answer, str) else narrow(answer)
    return text if re.search("[A-Za-z0-9]", text) else ""


def _adjust(item: Item, fact: Adjusted) -> None:
    """Apply what was officially changed; the flag key_disputed says so with its source."""
    item.flag("key_disputed", f"officially {fact.words} [{fact.status}: {fact.source}]")
    if fact.kind in ("removed", "correct_only", "all_credit"):
        item.key_status = fact.kind
    elif fact.kind == "several_accepted" and fact.accepted:
        labels = [c.label for c in item.choices]
        accepted = [read_labels(",".join(answer), labels) for answer in fact.accepted]
        if item.answer_type in ("single", "multiple") and all(accepted):
            item.keys = [Key(labels=tuple(sorted(a, key=labels.index))) for a in accepted if a]
            item.key_status = "scored"
            if fact.status != "unverified":
                item.flags.pop("key_unverified", None)


def _mend_options(row: Row) -> tuple[list[str], list[str], str, str | None]:
    """Labels, texts, stem, and what was mended. Choices that are all blank may stand at the end of the stem."""
    stem = tidy(row.question)
    texts = [tidy(t) for t in row.texts]
    blank = [not t or unicodedata.normalize("NFKC", t) == label for t, label in zip(texts, row.labels, strict=True)]
    if row.labels and not all(blank):
        return row.labels, texts, stem, f"{row.split_from} were split" if row.split_from else None
    split = split_options(row.question, loose=True)
    labels = [label.casefold() for label, _ in split.options] if split else []
    if split and split.stem and not split.missing:
        if row.labels and labels == [label.casefold() for label in row.labels]:
            options = [tidy(text).replace("\n", " ") for _, text in split.options]
            mended = "the choices are blank in the source and stand in its question"
            return row.labels, options, tidy(split.stem), mended
        shown = [label for label, _ in split.options]
        if not row.labels and len(shown) >= 3 and read_labels(narrow(row.answer), shown):
            options = [tidy(text) for _, text in split.options]
            mended = "options that the source runs together with the question were split"
            return shown, options, tidy(split.stem), mended
    key = narrow(row.answer)
    wants_number = asks_for_number(row.question) and read_number(key) is not None and not _needs_image(row)
    if row.labels and (wants_number or read_labels(key, row.labels) is None):
        return [], [], stem, None  # blank columns of a question that has no choices
    return row.labels, ["" if b else t for b, t in zip(blank, texts, strict=True)], stem, None


def _needs_image(row: Row) -> bool:
    """As the source states it; where it says nothing, whether it has or mentions an image."""
    stated = states_picture(row.fields)
    return bool(_images(row) or _SHOWS.search(row.question)) if stated is None else stated


def _images(row: Row) -> list[str]:
    """Addresses or names of images that the row gives."""
    value = row.fields.get("images")
    parts = value if isinstance(value, list) else [value]
    found: list[str] = []
    for part in parts:
        if isinstance(part, dict):
            part = part.get("path") or part.get("url") or part.get("src")
        if isinstance(part, str) and part.strip():
            found += _IMAGE_NAME.findall(part) or [part.strip()] if "\n" not in part else _IMAGE_NAME.findall(part)
    return list(dict.fromkeys(found))


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(re.sub(r"[%点]|\s*points?$", "", text).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _points(row: Row, item: Item) -> Decimal:
    """Points as the source states them, else by the exam's rule. A question of no points was left out for all."""
    stated = narrow(row.fields.get("points"))
    _, by_place = place_of(row.profession.name, row.year, row.paper, row.number)
    if not stated:
        return by_place
    points = _decimal(stated)
    if points is None or not 0 <= points <= 100:
        item.flag("points_suspect", f"the source gives {stated!r} points; the exam's rule gives {by_place}")
        return by_place
    if points == 0 and item.key_status in ("scored", "unknown"):
        item.key_status = "removed"
    return points


def _accuracy(row: Row, item: Item) -> Decimal | None:
    stated = narrow(row.fields.get("human_accuracy"))
    if not stated or stated.casefold() in ("na", "n/a", "none", "-"):
        return None
    share = _decimal(stated)
    if share is None or not 0 <= share <= 100:
        item.flag("text_repaired", f"human_accuracy {stated!r} is not a percentage and was left out")
        return None
    return share.quantize(Decimal("0.001"))


def _link_cases(items: list[Item], rows: list[Row]) -> None:
    """Set case_group: as the source names it, else by case_groups over each paper."""
    papers: dict[tuple[str, str, int, str], list[tuple[Item, Row]]] = defaultdict(list)
    for item, row in zip(items, rows, strict=True):
        papers[row.language, row.profession.name, row.year, row.paper].append((item, row))
    for (_, profession, year, paper), members in papers.items():
        head = f"{profession}/{year}/{paper}/"
        stems = {row.number: row.question for _, row in members}
        groups = case_groups(profession, stems)
        for item, row in members:
            if named := tidy(narrow(row.fields.get("case"))):
                item.case_group = head + named
            elif row.number in groups:
                first, last = groups[row.number]
                item.case_group = f"{head}{first}-{last}"
