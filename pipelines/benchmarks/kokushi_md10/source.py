"""KokushiMD-10 (arXiv 2506.11114): ten Japanese national exams, read from the folder or the hub layout.

Its files become neutral rows (japanese_exams/layouts.py), and rows become items (items.py). No scoring here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from pipelines.archive.files import SAMPLE_ORIGIN, fetch_address, licence, release_name, snapshot, title
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.benchmarks.japanese_exams.items import items_of
from pipelines.benchmarks.japanese_exams.keys import narrow
from pipelines.benchmarks.japanese_exams.layouts import Row, is_exam_file, parse, patterns_of, rows_of
from pipelines.errors import SourceError
from pipelines.progress import Progress
from pipelines.questions.item import Dataset, Reading, Rejected
from pipelines.registry.card import source_of
from pipelines.settings import Settings

SOURCE = source_of(__file__, "kokushi")
CORRECTED_ALL_THE_SAME = ("医師",)
"""Professions for which the released scorer overlooks corrected_question_index; for the others it never credits it."""
RELEASES = {"ja": "Japanese", "en": "English", "mixed": "Japanese and English"}


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive the exam files or the JSON lines. Raises SourceError, also for a file without one of these layouts."""
    address = settings.address(SOURCE)
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
    if settings.is_sample(SOURCE):
        return snapshot(SOURCE.name, "sample", SAMPLE_ORIGIN, files, is_sample=True)
    language = "mixed" if len(languages) > 1 else min(languages, default="ja")
    shot = snapshot(SOURCE.name, language, address, files, is_sample=False)
    release = release_name(landing, SOURCE.name, [language, f"{language}-{shot.sha256[:8]}"], shot.sha256)
    return snapshot(SOURCE.name, release, address, files, is_sample=False)


def _named_language(name: str) -> str | None:
    """ja or en when the name of a hub file says so (train_ja.jsonl); None for a mixed or unnamed one."""
    m = re.search(r"(?:^|[_\-./])(ja|jp|en)(?=[_\-.])[^/]*$", name.casefold())
    return {"ja": "ja", "jp": "ja", "en": "en"}[m[1]] if m else None


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every row of every file as an item or a rejected row. Raises SourceError when a file's layout is not known."""
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
    mixed = len(languages) > 1
    items = items_of({key if mixed and row.language != "ja" else key[3:]: row for key, row in rows.items()})
    for item, row in zip(items, rows.values(), strict=True):
        if narrow(row.fields.get("corrected")) and row.profession.name not in CORRECTED_ALL_THE_SAME:
            item.released_key = ""
    release = shot.release.split("-", 1)[0]
    language = "mixed" if len(languages) > 1 else min(languages, default="ja")
    published = None if shot.is_sample or language == "mixed" else SOURCE.published_count
    dataset = Dataset(
        benchmark="kokushi_md10", release=shot.release, language=language, licence=licence(shot, SOURCE.licence),
        title=title(shot, f"{SOURCE.title} ({RELEASES.get(release, RELEASES[language])})"),
        origin=shot.origin, sha256=shot.sha256, fetched_at=shot.fetched_at,
        published_count=published, is_sample=shot.is_sample, source=SOURCE.name,
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
