"""The ministry's bank of entrance questions (MIUR/MUR): scraped page by page from its API, or read from a saved bank.

Belongs here: what the API's envelope and questions look like, when a scrape is whole, and how one question of either
layout (May and July 2024) becomes an item. Not here: how bytes are fetched (session.py), what plain text is (text/).
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from pipelines.address import is_url, own, public
from pipelines.archive.files import SAMPLE_ORIGIN, licence, release_name, snapshot, title
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot, StoredFile
from pipelines.errors import SourceError, Unreadable
from pipelines.progress import Progress
from pipelines.questions.item import Choice, Dataset, Image, Item, Key, Reading, Rejected
from pipelines.registry.card import source_of
from pipelines.settings import Settings
from pipelines.text.markup import html_to_text, tidy
from pipelines.text.readers import json_document

SOURCE = source_of(__file__, "mur")
PAGE_SIZE = 20
LABELS = "ABCDEFGHIJ"
KEY_ID = "a"
"""The id of the choice that is right; the API sends the choices shuffled."""

POINTS = Decimal("1.5")
TOPICS = {
    "biologia": "biology",
    "chimica": "chemistry",
    "fisica-matematica": "maths_physics",
    "fisica e matematica": "maths_physics",
    "logica": "logic",
    "ragionamento logico e problemi": "logic",
    "competenze-conoscenze": "world_knowledge",
    "competenze di lettura e conoscenze acquisite negli studi": "world_knowledge",
}
# Folder of the images of the May 2024 layout, by subject, as the ministry's own page addresses them.
_PICTURE_FOLDERS = {"biology": "biologia", "chemistry": "chimica", "maths_physics": "fis-mat"}
_FIELDS = ("id", "argomento", "domanda", "risposte")
_RESUME_HOURS = 24
_GIVE_UP_AFTER = 3
_PAGE_BYTES = 16 * 2**20
"""The largest page that makes sense; real ones of 20 questions have 40 kB."""
_MOST_PAGES, _GROWTH = 1000, 4
"""Pages that are believed of a bank (the real one has 175), and how many times those of the last release."""
_PASSAGE_KEY = re.compile(r"[\w-]{1,100}")


# ---- fetching ----------------------------------------------------------------------------------------------------


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive the whole bank, with its passages and images. Raises SourceError unless every question is there."""
    address = settings.address(SOURCE)
    if is_url(address):
        files = _scrape(address.rstrip("/"), session, landing, progress)
        dated = datetime.now(UTC).strftime("%Y-%m-%d")
    else:
        files = _saved(Path(address), landing, settings.max_bytes)
        found = re.search(r"\d{4}-\d{2}(-\d{2})?", Path(address).stem)
        dated = found[0] if found else datetime.now(UTC).strftime("%Y-%m-%d")
    sha256 = _content_hash(files, landing)
    same = next((s for s in landing.snapshots(SOURCE.name) if s.sha256 == sha256), None)
    if same is not None:  # the order of choices that models were shown stays; images that were missing may be there now
        old = {f.name: f for f in same.files}
        extra = [f for f in files if f.name not in old and not f.name.startswith("page:")]
        return replace(same, files=(*same.files, *extra))
    if settings.is_sample(SOURCE):
        return snapshot(SOURCE.name, "mur-sample", SAMPLE_ORIGIN, files, is_sample=True, sha256=sha256)
    release = release_name(landing, SOURCE.name, [f"mur-{dated[:7]}", f"mur-{dated}"], sha256)
    return snapshot(SOURCE.name, release, address, files, is_sample=False, sha256=sha256)


def _saved(path: Path, landing: Landing, most: int) -> list[StoredFile]:
    try:
        if path.stat().st_size > most:
            raise SourceError(f"{path} is larger than {most:,} bytes; raise MEDEXAMS_MAX_BYTES if it is meant")
        stored = landing.store("page:0", path.read_bytes())
    except OSError as fault:
        raise SourceError(f"{path}: {fault.strerror or fault}; correct MEDEXAMS_MUR_API") from fault
    page = _envelope(landing.get(stored.sha256), path.name)
    _check_whole([page], path.name)
    return [stored]


def _scrape(api: str, session: Session, landing: Landing, progress: Progress) -> list[StoredFile]:
    pages, files = _pages(api, session, landing, progress)
    questions = [q for page in pages for q in page["content"] if isinstance(q, dict)]
    passages = sorted({key for q in questions if _PASSAGE_KEY.fullmatch(key := str(q.get("branoId") or ""))})
    wanted = [(f"passage:{key}", f"{api}/domanda/brano/{quote(key)}") for key in passages]
    images = sorted({address for q in questions for address in _image_addresses(q)})
    wanted += [(f"image:{address}", url) for address in images if (url := _picture_url(api, address))]
    return files + _extras(wanted, session, landing, progress)


def _pages(
    api: str, session: Session, landing: Landing, progress: Progress
) -> tuple[list[dict[str, Any]], list[StoredFile]]:
    """All pages of the list. A scrape that broke off less than a day ago goes on at the first page it lacks."""
    journal = landing.scrape(SOURCE.name) or {}
    pages, files = _resume(journal, public(api), landing)
    if not pages:
        journal = {"api": public(api), "started": datetime.now(UTC).isoformat(), "pages": []}
    while not pages or len(pages) < pages[0]["totalPages"]:
        number = len(pages)
        url = f"{api}/domanda/list?page={number}&page-size={PAGE_SIZE}"
        answer = session.get(url, _PAGE_BYTES)
        url = public(url)
        try:
            page = _envelope(landing.get(answer.sha256), url)
            _check_believable(page, landing, url)
        except SourceError:
            landing.save_scrape(SOURCE.name, None)  # what made no sense is not gone on from
            raise
        if page.get("number") != number:
            landing.save_scrape(SOURCE.name, None)
            raise SourceError(
                f"{url}: the answer is page {page.get('number')} instead of {number}: pages repeat; refresh again later"
            )
        if pages and any(page[k] != pages[0][k] for k in ("totalElements", "totalPages")):
            landing.save_scrape(SOURCE.name, None)
            raise SourceError(
                f"{url}: totalElements moved from {pages[0]['totalElements']} to {page['totalElements']} during the "
                "scrape, so that its pages are not of one bank; refresh again later"
            )
        pages.append(page)
        files.append(StoredFile(f"page:{number}", answer.sha256, answer.size))
        journal["pages"].append([answer.sha256, answer.size])
        landing.save_scrape(SOURCE.name, journal)
        progress("pages of the MUR bank", len(pages), pages[0]["totalPages"])
    landing.save_scrape(SOURCE.name, None)  # from here on the pages are whole, or not worth going on from
    _check_whole(pages, public(api))
    return pages, files


def _resume(journal: dict[str, Any], api: str, landing: Landing) -> tuple[list[dict[str, Any]], list[StoredFile]]:
    try:
        age = datetime.now(UTC) - datetime.fromisoformat(journal["started"])
        if journal["api"] != api or not 0 <= age.total_seconds() <= _RESUME_HOURS * 3600:
            return [], []
        files = [StoredFile(f"page:{i}", sha, size) for i, (sha, size) in enumerate(journal["pages"])]
        return [_envelope(landing.get(f.sha256), f.name) for f in files], files
    except (KeyError, TypeError, ValueError, SourceError):
        return [], []


def _extras(wanted: list[tuple[str, str]], session: Session, landing: Landing, progress: Progress) -> list[StoredFile]:
    """Passages and images, as far as they can be had: what is missing is flagged on its question, not fatal."""
    files, failures = [], 0
    for i, (name, url) in enumerate(wanted):
        answer = landing.latest(public(url))  # addressed by an id that never changes: once is enough
        if answer is None and failures < _GIVE_UP_AFTER:
            try:
                answer = session.get(url, _PAGE_BYTES)
                failures = 0
            except SourceError:
                failures += 1
        if answer is not None and answer.size:
            files.append(StoredFile(name, answer.sha256, answer.size))
        progress("passages and images", i + 1, len(wanted))
    return files


@lru_cache(maxsize=256)
def _parsed(text: bytes) -> Any:
    """JSON, once for each page: the scrape, its check and the reading look at the same bytes, and nobody changes it."""
    return json_document(text)


def _envelope(body: bytes, where: str) -> dict[str, Any]:
    """One page, checked for shape. Each way of being wrong has its own sentence."""
    text = body.lstrip()
    if not text:
        raise SourceError(f"{where}: the answer is empty; refresh again later")
    if text.startswith(b"<"):
        raise SourceError(f"{where}: an HTML page came instead of JSON (maintenance?); refresh again later")
    try:
        page = _parsed(text)
    except Unreadable as fault:
        why = fault.detail or fault.reason
        raise SourceError(f"{where}: the answer is not JSON in UTF-8 ({why}); refresh again later") from None
    if isinstance(page, list):  # a bank saved without its envelope
        page = {"content": page, "number": 0, "totalPages": 1, "totalElements": len(page)}
    if not isinstance(page, dict):
        raise SourceError(f"{where}: the answer is not a list of questions; has the API changed?")
    for key, kind in (("content", list), ("totalPages", int), ("totalElements", int)):
        if not isinstance(page.get(key), kind):
            raise SourceError(
                f"{where}: the envelope has no {key!r}, only {', '.join(sorted(page))}; has the API changed?"
            )
    rows = [q for q in page["content"] if isinstance(q, dict)]
    for key in _FIELDS:
        if rows and not any(key in q for q in rows):
            found = ", ".join(sorted({k for q in rows for k in q}))
            raise SourceError(
                f"{where}: no question has the key {key!r}, only {found}; the API renamed it or has changed"
            )
    if page.get("totalElements") and not page["content"]:
        raise SourceError(
            f"{where}: the page holds no questions though {page['totalElements']} are announced; try later"
        )
    return page


def _check_believable(page: dict[str, Any], landing: Landing, where: str) -> None:
    """Raise SourceError for an envelope whose numbers contradict each other, or whose bank grew beyond all measure."""
    total, pages, rows = page["totalElements"], page["totalPages"], len(page["content"])
    if rows > total or not 0 <= total <= pages * max(PAGE_SIZE, rows) or pages > max(1, total):
        raise SourceError(
            f"{where}: the envelope makes no sense ({total} questions on {pages} pages, {rows} of them on this one); "
            "refresh again later"
        )
    known = [s for s in landing.snapshots(SOURCE.name) if not s.is_sample]
    last = max((sum(f.name.startswith("page:") for f in s.files) for s in known[-1:]), default=0)
    most = max(_MOST_PAGES, _GROWTH * last)
    if pages > most:
        raise SourceError(
            f"{where}: {pages} pages are announced, more than the {most} that are believed; refresh again later, or "
            "give the bank as a saved file"
        )


def _picture_url(api: str, address: str) -> str | None:
    """Where an image is fetched: on the bank's own server, in its API or the folder of the May layout; else None."""
    return own(api, address, (f"{urlsplit(api).path.rstrip('/')}/", "/assets/includeGraphics/"))


def _check_whole(pages: list[dict[str, Any]], where: str) -> None:
    """Raise SourceError unless the pages hold each announced question once."""
    total = pages[0]["totalElements"]
    ids = [q.get("id") for page in pages for q in page["content"] if isinstance(q, dict)]
    twice = [str(i) for i, n in Counter(map(str, ids)).items() if n > 1]
    if twice:
        raise SourceError(
            f"{where}: {len(twice)} ids stand twice (first {', '.join(twice[:3])}): pages repeat or the bank moved; "
            "refresh again later"
        )
    rows = sum(len(page["content"]) for page in pages)
    if rows != total:
        raise SourceError(
            f"{where}: {total} questions are announced but {rows} came: pages are missing; refresh again later"
        )
    if not rows:
        raise SourceError(f"{where}: the bank is empty; check the address")


def _content_hash(files: list[StoredFile], landing: Landing) -> str:
    """SHA-256 over the questions, whatever the order of pages and choices."""
    rows = []
    for name, page in _read_pages(files, landing):
        for row in page["content"]:
            if isinstance(row, dict) and isinstance(row.get("risposte"), list):
                row = row | {"risposte": sorted(row["risposte"], key=lambda a: json.dumps(a, sort_keys=True))}
            rows.append(json.dumps(row, sort_keys=True, ensure_ascii=False) if row else name)
    return hashlib.sha256("\n".join(sorted(rows)).encode("utf-8", "surrogatepass")).hexdigest()


def _read_pages(
    files: Iterator[StoredFile] | list[StoredFile], landing: Landing
) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in files:
        if file.name.startswith("page:"):
            yield file.name, _envelope(landing.get(file.sha256), file.name)


# ---- reading -----------------------------------------------------------------------------------------------------


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every question of a bank as an item; what is not a question is a rejected row."""
    extras = {f.name: f for f in shot.files if not f.name.startswith("page:")}
    base = shot.origin if is_url(shot.origin) else ""
    items: list[Item] = []
    rejected: list[Rejected] = []
    total = 0
    for name, page in _read_pages(list(shot.files), landing):
        total = page["totalElements"]
        for i, row in enumerate(page["content"]):
            locator = f"{name} row {i}"
            result = _item(row, locator, base, extras, landing)
            if isinstance(result, Item):
                items.append(result)
            else:
                rejected.append(Rejected(locator, result, json.dumps(row, ensure_ascii=False)))
    dataset = Dataset(
        benchmark="medschool",
        release=shot.release,
        title=title(shot, SOURCE.title),
        language="it",
        licence=licence(shot, SOURCE.licence),
        origin=shot.origin,
        sha256=shot.sha256,
        fetched_at=shot.fetched_at,
        published_count=total,
        is_sample=shot.is_sample,
        source=SOURCE.name,
    )
    passages = {
        name.removeprefix("passage:"): text
        for name, file in extras.items()
        if name.startswith("passage:") and (text := _passage(landing.get(file.sha256)))
    }
    return Reading(dataset, items, rejected, passages)


def _passage(body: bytes) -> str | None:
    try:
        return html_to_text(json_document(body)["brano"]).text or None
    except (Unreadable, KeyError, TypeError):
        return None


def as_collected(source: str) -> str:
    """What the collector of the released Medschool-Test leaves of a piece of HTML.

    It decodes entities first and removes everything between '<' and the next '>' after, so that text between a
    less-than sign and the end of a tag is lost (seen in the release: "x < 0 ∨ x ≥ 2" became "x ∨ x ≥ 2").
    """
    return tidy(re.sub(r"<[^>]*>", "", html.unescape(source)))


def _item(row: Any, locator: str, base: str, extras: dict[str, StoredFile], landing: Landing) -> Item | str:
    """The item of one question of the bank, or the reason why it is none."""
    if not isinstance(row, dict):
        return "the row is not an object"
    if missing := [k for k in _FIELDS if row.get(k) in (None, "", [])]:
        return f"the question has no {', '.join(missing)}"
    answers = row["risposte"]
    if (
        not isinstance(row["domanda"], str)
        or not isinstance(answers, list)
        or not all(isinstance(a, dict) and isinstance(a.get("text"), str) for a in answers)
    ):
        return "domanda or a text of risposte is not text"
    if len(answers) > len(LABELS):
        return f"the question has {len(answers)} choices, more than {len(LABELS)}"
    topic = topic_of(row["argomento"])
    stem = html_to_text(row["domanda"])
    choices = [html_to_text(a["text"]) for a in answers]
    if not stem.text:
        return "the question has no text and no image"
    item = Item(
        source_key=str(row["id"]),
        locator=locator,
        language="it",
        stem=stem.text,
        answer_type="single",
        choices=[Choice(LABELS[i], c.text, has_image=bool(c.images)) for i, c in enumerate(choices)],
        keys=[Key((LABELS[i],)) for i, a in enumerate(answers) if str(a.get("id")).lower() == KEY_ID],
        points=POINTS,
        topic=topic,
        number=row["nro"] if isinstance(row.get("nro"), int) else None,
        passage_key=str(row["branoId"]) if row.get("branoId") else None,
        needs_image=bool(stem.images or any(c.images for c in choices)),
        collected=(as_collected(row["domanda"]), *(as_collected(a["text"]) for a in answers)),
    )
    if len(item.keys) != 1:
        item.flag(
            "key_missing" if not item.keys else "key_disputed", f"{len(item.keys)} choices have the id {KEY_ID!r}"
        )
        item.key_status = "scored" if item.keys else "unknown"
    if item.passage_key:
        item.case_group = item.passage_key
        if f"passage:{item.passage_key}" not in extras:
            item.flag("passage_missing", f"passage {item.passage_key} could not be fetched")
    places = [("stem", stem.images)] + [(f"choice:{i}", c.images) for i, c in enumerate(choices)]
    for place, sources in places:
        for n, source in enumerate(sources):
            address = _image_address(source, topic)
            file = extras.get(f"image:{address}")
            if file is None:
                item.flag("image_missing", f"{place}: {address[:120]}")
            path = landing.object_path(file.sha256).relative_to(landing.data).as_posix() if file else None
            url = (_picture_url(base, address) if base else None) or address
            item.images.append(Image(place if n == 0 else f"{place}#{n + 1}", url, path, file.sha256 if file else None))
    return item


def _image_addresses(question: dict[str, Any]) -> list[str]:
    """Addresses of all images of a question as the API writes them, most without a host."""
    answers = question.get("risposte")
    texts = [question.get("domanda")]
    texts += [a.get("text") for a in answers if isinstance(a, dict)] if isinstance(answers, list) else []
    topic = topic_of(question.get("argomento"))
    found = [source for text in texts if isinstance(text, str) for source in html_to_text(text).images]
    return [_image_address(source, topic) for source in found if not source.startswith("data:")]


def _image_address(source: str, topic: str) -> str:
    """Address of one image: its src, or the folder of the May 2024 layout."""
    if not source.startswith("includegraphics:"):
        return source
    name = quote(source.removeprefix("includegraphics:"))
    return f"/assets/includeGraphics/{_PICTURE_FOLDERS.get(topic, 'logica')}/{name}"


def topic_of(subject: object) -> str:
    """The topic of a subject in either layout's spelling; an unknown subject keeps its own name."""
    name = str(subject).strip().lower()
    return TOPICS.get(name, name)
