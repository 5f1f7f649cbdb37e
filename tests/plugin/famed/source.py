"""FaMed's released file: one JSON object with the year and its Fragen, each with Antworten by letter and a Lösung."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from pipelines.archive.files import fetch_address, licence, release_name, snapshot, title
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.errors import SourceError
from pipelines.progress import Progress
from pipelines.questions.item import Choice, Dataset, Exam, Item, Key, Reading, Rejected
from pipelines.registry.card import source_of
from pipelines.settings import Settings
from pipelines.text.markup import tidy

SOURCE = source_of(__file__, "famed")


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive the released file. Raises SourceError."""
    address = settings.address(SOURCE)
    files = fetch_address(address, session, landing, progress, ("*.json",))
    _parsed(landing.get(files[0].sha256), address)
    sha256 = files[0].sha256
    release = release_name(landing, SOURCE.name, ["2024", f"2024-{sha256[:8]}"], sha256)
    return snapshot(SOURCE.name, release, address, files[:1], is_sample=False)


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every Frage as an item or a rejected row."""
    data = _parsed(landing.get(shot.files[0].sha256), shot.origin)
    items: list[Item] = []
    rejected: list[Rejected] = []
    for i, row in enumerate(data["fragen"]):
        try:
            items.append(_item(row, data["jahr"], f"fragen[{i}]"))
        except (KeyError, TypeError, AttributeError) as fault:
            rejected.append(
                Rejected(f"fragen[{i}]", f"not a question ({fault!r})", json.dumps(row, ensure_ascii=False))
            )
    dataset = Dataset(
        benchmark="famed", release=shot.release, title=title(shot, SOURCE.title), language="de",
        licence=licence(shot, SOURCE.licence), origin=shot.origin, sha256=shot.sha256, fetched_at=shot.fetched_at,
        published_count=SOURCE.published_count, is_sample=shot.is_sample, source=SOURCE.name,
    )  # fmt: skip
    return Reading(dataset, items, rejected)


def _parsed(body: bytes, where: str) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except ValueError as fault:
        raise SourceError(f"{where}: not JSON ({fault}); check the address") from None
    if not isinstance(data, dict) or not isinstance(data.get("fragen"), list) or not isinstance(data.get("jahr"), int):
        raise SourceError(f"{where}: 'jahr' and 'fragen' are wanted; not the layout of FaMed")
    return data


def _item(row: Any, year: int, locator: str) -> Item:
    return Item(
        source_key=str(row["nr"]), locator=locator, language="de", stem=tidy(row["frage"]), answer_type="single",
        choices=[Choice(label, tidy(text)) for label, text in row["antworten"].items()],
        keys=[Key((row["loesung"],))], points=Decimal(2), topic=row["fach"],
        exam=Exam("Arzt", "Physician (Germany)", year), paper="A", number=row["nr"], component="overall",
    )  # fmt: skip
