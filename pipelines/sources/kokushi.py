"""KokushiMD-10 (arXiv 2506.11114): ten Japanese national exams, read from the folder or the hub layout.

From a neutral row (kokushi_layouts) to an item: kind of answer and keys (kokushi_keys), part, points, case and official
corrections (kokushi_exams), forbidden choices, pictures. No scoring here.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from decimal import Decimal, InvalidOperation
from typing import Any

from pipelines.errors import SourceError
from pipelines.http import Session
from pipelines.landing import Landing
from pipelines.questions.item import Choice, Dataset, Image, Item, Key, Reading, Rejected
from pipelines.questions.text import tidy
from pipelines.settings import Settings
from pipelines.sources.base import Progress, Snapshot
from pipelines.sources.files import SAMPLE_ORIGIN, fetch_address, licence, release_name, snapshot, title
from pipelines.sources.kokushi_exams import Adjusted, adjusted, case_groups, exam_of, place_of
from pipelines.sources.kokushi_keys import asks_for_number, narrow, read_forbidden, read_key, read_labels, read_number
from pipelines.sources.kokushi_layouts import Row, is_exam_file, parse, patterns_of, rows_of
from pipelines.sources.options import split_options

NAME = "kokushi"
BENCHMARK = "kokushi_md10"
PUBLISHED_COUNT = 11588
"""Questions of one language, as the paper's table counts them (ten professions, 2020 to 2024)."""
RELEASES = {"ja": "Japanese", "en": "English", "mixed": "Japanese and English"}
_SHOWS = re.compile(r"別に示す|別冊|(?:図|写真|画像|表)を(?:以下に)?示す|\[image\]")
_IMAGE_NAME = re.compile(r"[^\s'\",\[\]]+\.(?:png|jpe?g|gif|webp|bmp|tiff?)", re.I)


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive the exam files or the JSON lines. Raises SourceError, also for a file that is no such layout."""
    address = settings.kokushi_release
    if not address:
        raise SourceError("no address of KokushiMD-10 is set; set MEDEXAMS_KOKUSHI_RELEASE to its JSON lines or folder")
    files = fetch_address(address, session, landing, progress, patterns_of(address))
    if sum(not is_exam_file(file.name) for file in files) > 1:
        raise SourceError(
            f"{address}: it holds {len(files)} files of JSON lines; name one of them, e.g. {files[0].name}"
        )
    languages: set[str] = set()
    for file in files:
        for row in rows_of(file.name, parse(landing.get(file.sha256), file.name), _named_language(file.name)):
            if isinstance(row, Row):
                languages.add(row.language)
    if settings.is_sample("kokushi_release"):
        return snapshot(NAME, "sample", SAMPLE_ORIGIN, files, is_sample=True)
    language = "mixed" if len(languages) > 1 else min(languages, default="ja")
    shot = snapshot(NAME, language, address, files, is_sample=False)
    release = release_name(landing, NAME, [language, f"{language}-{shot.sha256[:8]}"], shot.sha256)
    return snapshot(NAME, release, address, files, is_sample=False)


def _named_language(name: str) -> str | None:
    """ja or en when the name of a hub file says so (train_ja.jsonl); None for a mixed or unnamed one."""
    m = re.search(r"(?:^|[_\-./])(ja|jp|en)(?=[_\-.])[^/]*$", name.casefold())
    return {"ja": "ja", "jp": "ja", "en": "en"}[m[1]] if m else None


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every row of every file as an item or a rejected row. Raises SourceError when a file's layout is not known."""
    items: list[Item] = []
    rejected: list[Rejected] = []
    rows: dict[str, Row] = {}
    for file in shot.files:
        for row in rows_of(file.name, parse(landing.get(file.sha256), file.name), _named_language(file.name)):
            if not isinstance(row, Row):
                rejected.append(Rejected(row.locator, row.reason, row.raw))
            elif (key := _key(row, rows)) in rows:
                reason = (
                    f"number {row.index} of {key[3:].rpartition('/')[0]} occurs twice; first in {rows[key].locator}"
                )
                rejected.append(Rejected(row.locator, reason, row.raw))
            else:
                rows[key] = row
    languages = {row.language for row in rows.values()}
    for key, row in rows.items():
        mixed = len(languages) > 1 and row.language != "ja"
        items.append(_item(f"{row.language}/{key[3:]}" if mixed else key[3:], row))
    _link_cases(items, list(rows.values()))
    release = shot.release.split("-", 1)[0]
    language = "mixed" if len(languages) > 1 else min(languages, default="ja")
    published = None if shot.is_sample or language == "mixed" else PUBLISHED_COUNT
    dataset = Dataset(
        benchmark=BENCHMARK, release=shot.release, language=language, licence=licence(shot, "MIT"),
        title=title(shot, f"KokushiMD-10 ({RELEASES.get(release, RELEASES[language])})"),
        origin=shot.origin, sha256=shot.sha256, fetched_at=shot.fetched_at,
        published_count=published, is_sample=shot.is_sample, source=NAME,
        count_note=_count_note(rows.values()) if published else None,
    )  # fmt: skip
    return Reading(dataset, items, rejected)


def _key(row: Row, taken: dict[str, Row]) -> str:
    """language/profession/year/paper/index. A taken number gives way to corrected_question_index, if that is free."""
    head = f"{row.language}/{row.profession.name}/{row.year}/{row.paper}/"
    corrected = re.match(r"0*(\d{1,4})(?!\d)", narrow(row.fields.get("corrected")))
    if head + row.index in taken and corrected and head + corrected[1] not in taken:
        row.index, row.number = corrected[1], int(corrected[1])
    return head + row.index


def _count_note(rows: Any) -> str | None:
    """Which of the fifty exams (ten professions, five years) the files hold, when it is not all."""
    years: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        years[row.profession.name].add(row.year)
    held = sum(len([y for y in found if 2020 <= y <= 2024]) for found in years.values())
    if held >= 50:
        return None
    parts = (f"{name} {', '.join(map(str, sorted(found)))}" for name, found in years.items())
    return f"the published count is over 50 exams, the files hold {held}: {'; '.join(parts)}"


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
        keys=reading.keys, key_status=reading.status, topic=tidy(narrow(row.fields.get("topic"))) or None,
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
        item.flag("image_missing", "the source says that a picture belongs to it and gives none")
    if corrected := narrow(row.fields.get("corrected")):
        item.flag("key_disputed", f"corrected_question_index is {corrected}: the released scorer never credits it")
        item.key_status = "removed"
    if note := tidy(narrow(row.fields.get("note"))):
        item.flag("key_disputed", f"note of the source: {note}")
    if fact := adjusted(row.profession.name, row.year, row.paper, row.number):
        _adjust(item, fact)
    return item


def _adjust(item: Item, fact: Adjusted) -> None:
    """Apply what was officially changed; the flag key_disputed says so with its source."""
    item.flag("key_disputed", fact.words())
    if fact.kind in ("removed", "correct_only", "all_credit"):
        item.key_status = fact.kind
    elif fact.kind == "several_accepted" and fact.accepted:
        labels = [c.label for c in item.choices]
        accepted = [read_labels(",".join(answer), labels) for answer in fact.accepted]
        if item.answer_type in ("single", "multiple") and all(accepted):
            item.keys = [Key(labels=tuple(sorted(a, key=labels.index))) for a in accepted if a]
            item.key_status = "scored"


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
    """text_only as the source states it; where it says nothing, whether it has or mentions a picture."""
    for name, sense in (("text_only", False), ("has_image", True)):
        match narrow(row.fields.get(name)).casefold():
            case "true" | "1" | "yes":
                return sense
            case "false" | "0" | "no":
                return not sense
    return bool(_images(row) or _SHOWS.search(row.question))


def _images(row: Row) -> list[str]:
    """Addresses or names of pictures that the row gives."""
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
        item.flag("text_repaired", f"human_accuracy {stated!r} is no percentage and was left out")
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
