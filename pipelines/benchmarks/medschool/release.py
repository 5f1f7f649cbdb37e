"""The released Medschool-Test (room-b007): one JSON object a line, text already stripped of its tags.

Its rows come from the ministry's bank through a collector that lost some text; which rows did is found by matching
them with the bank (questions/links.py), not here.
"""

from __future__ import annotations

from typing import Any

from pipelines.archive.files import (
    SAMPLE_ORIGIN,
    count_note,
    fetch_address,
    licence,
    read_file,
    release_name,
    snapshot,
    title,
)
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.benchmarks.medschool.bank import LABELS, POINTS, topic_of
from pipelines.errors import SourceError, Unreadable
from pipelines.progress import Progress
from pipelines.questions.item import Choice, Dataset, Item, Key, Reading, Rejected
from pipelines.registry.card import source_of
from pipelines.settings import Settings
from pipelines.text.markup import decoded_text
from pipelines.text.readers import decode, json_lines

SOURCE = source_of(__file__, "medschool")
_FIELDS = ("id", "topic", "text", "answers", "label")


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive the released file. Raises SourceError."""
    address = settings.address(SOURCE)
    files = fetch_address(address, session, landing, progress, ("*.jsonl",))
    _rows(landing.get(files[0].sha256), address)
    if settings.is_sample(SOURCE):
        return snapshot(SOURCE.name, "room-b007-sample", SAMPLE_ORIGIN, files[:1], is_sample=True)
    sha256 = files[0].sha256
    release = release_name(landing, SOURCE.name, ["room-b007", f"room-b007-{sha256[:8]}"], sha256)
    return snapshot(SOURCE.name, release, address, files[:1], is_sample=False)


def _rows(body: bytes, where: str) -> list[tuple[int, bytes, Any]]:
    """Number, bytes and value of each line. Raises SourceError when this is not the released layout at all."""
    rows = list(json_lines(read_file(decode, body, where).encode()))
    seen = {name for _, _, row in rows if isinstance(row, dict) for name in row}
    if missing := [k for k in _FIELDS if k not in seen]:
        raise SourceError(
            f"{where}: no row has {', '.join(missing)}; found {', '.join(sorted(seen)) or 'no JSON objects'}: "
            "not the layout of Medschool-Test"
        )
    return rows


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every line as an item; a line that is not a question is a rejected row."""
    items: list[Item] = []
    rejected: list[Rejected] = []
    keys: set[str] = set()
    for number, line, row in _rows(landing.get(shot.files[0].sha256), shot.origin):
        locator = f"line {number}"
        result = _item(row, locator)
        if isinstance(result, Item) and result.source_key in keys:
            result = f"the id {result.source_key} stands on an earlier line too"
        if isinstance(result, Item):
            keys.add(result.source_key)
            items.append(result)
        else:
            rejected.append(Rejected(locator, result, line.decode()))
    dataset = Dataset(
        benchmark="medschool",
        release=shot.release,
        title=title(shot, SOURCE.title),
        language="it",
        licence=licence(shot, SOURCE.licence),
        origin=shot.origin,
        sha256=shot.sha256,
        fetched_at=shot.fetched_at,
        published_count=None if shot.is_sample else SOURCE.published_count,
        is_sample=shot.is_sample,
        source=SOURCE.name,
        count_note=count_note(shot, len(items) + len(rejected), SOURCE.published_count),
    )
    return Reading(dataset, items, rejected)


def _item(row: Any, locator: str) -> Item | str:
    """The item of one released row, or the reason why it is none."""
    if not isinstance(row, dict):
        return f"the line is not JSON ({row.detail})" if isinstance(row, Unreadable) else "the line is not an object"
    if missing := [k for k in _FIELDS if row.get(k) is None]:
        return f"the row has no {', '.join(missing)}"
    answers, label = row["answers"], row["label"]
    if (
        not isinstance(row["text"], str)
        or not isinstance(answers, list)
        or not all(isinstance(a, str) for a in answers)
    ):
        return "text or answers is not text"
    if not 2 <= len(answers) <= len(LABELS):
        return f"the row has {len(answers)} choices"
    if isinstance(label, bool) or not isinstance(label, int):
        return f"label {label!r} is not a position"
    stem, choices = decoded_text(row["text"]), [decoded_text(a) for a in answers]
    if not stem:
        return "the question has no text"
    item = Item(
        source_key=str(row["id"]),
        locator=locator,
        language="it",
        stem=stem,
        answer_type="single",
        choices=[Choice(LABELS[i], text) for i, text in enumerate(choices)],
        keys=[Key((LABELS[label],))] if 0 <= label < len(answers) else [],
        points=POINTS,
        topic=topic_of(row["topic"]),
    )
    if not item.keys:
        item.key_status = "unknown"
        item.flag("key_missing", f"label {label} points at none of the {len(answers)} choices")
    for raw, text in zip((row["text"], *answers), (stem, *choices), strict=True):
        if decoded_text(raw.replace("&", "&amp;")) != text:
            item.flag("text_repaired", f"entities decoded in {raw[:60]!r}")
    return item
