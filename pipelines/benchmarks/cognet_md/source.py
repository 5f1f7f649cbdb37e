"""COGNET-MD (arXiv 2405.10893): one CSV with the columns Questions, CorrectResponse, Specialty; options stand inline.

Reading the file, splitting options off the stem, keys and specialties belong here; how the benchmark scores does not.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import partial

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
from pipelines.errors import SourceError, Unreadable
from pipelines.progress import Progress
from pipelines.questions.item import Choice, Dataset, Item, Key, Reading, Rejected
from pipelines.registry.card import source_of
from pipelines.settings import Settings
from pipelines.text.limits import CHECKED
from pipelines.text.markup import tidy
from pipelines.text.mojibake import repair
from pipelines.text.options import label_of, split_options
from pipelines.text.readers import Rows, csv_rows, decode

SOURCE = source_of(__file__, "cognet")
RELEASE = "1.0"
LABELS = "ABCDEFGH"

_COLUMNS = {
    "Questions": ("questions", "question"),
    "CorrectResponse": ("correctresponse", "correctresponses", "correctanswer", "correctanswers", "answer", "answers"),
    "Specialty": ("specialty", "speciality", "specialties", "domain", "medicaldomain"),
}
# The README and the notebook of the release spell some specialties differently. Keys are letters only, small.
_SPECIALTIES = {
    "dentistry": ("dentistry", "dental", "dentist", "dentalmedicine", "odontology", "orthodontics"),
    "dermatology": ("dermatology", "dermatological", "derma", "dermatologist", "skin"),
    "endocrinology": ("endocrinology", "endocrine", "endocrinological", "endocrinologist", "endo"),
    "psychiatry": ("psychiatry", "psychiatric", "psychiatrist", "psychiatrics"),
    "pulmonology": (
        "pulmonology", "pulmonary", "pulmology", "pulmonologist", "pneumonology", "pneumology", "pneumonologist",
        "respiratory", "respiratorymedicine", "pulmonarymedicine", "pulmonarydiseases",
    ),
}  # fmt: skip
_SPECIALTY_OF = {alias: name for name, aliases in _SPECIALTIES.items() for alias in aliases}


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive the released CSV. Raises SourceError."""
    address = settings.address(SOURCE)
    files = fetch_address(address, session, landing, progress, ("*.csv",))
    if len(files) > 1:
        raise SourceError(f"{address}: {len(files)} CSV files; name the one of the release")
    _table(landing.get(files[0].sha256), address)
    if settings.is_sample(SOURCE):
        return snapshot(SOURCE.name, "sample", SAMPLE_ORIGIN, files, is_sample=True)
    sha256 = files[0].sha256
    release = release_name(landing, SOURCE.name, [RELEASE, f"{RELEASE}-{sha256[:8]}"], sha256)
    return snapshot(SOURCE.name, release, address, files, is_sample=False)


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every row of the CSV as an item or a rejected row; numbers count rows of data from 1. Raises SourceError."""
    columns, rows, was_repaired = _table(landing.get(shot.files[0].sha256), shot.origin)
    items: list[Item] = []
    rejected: list[Rejected] = []
    for number, row in enumerate(rows.values, 1):
        locator = f"row {number} ({rows.locator(number - 1)})"
        cells = {name: row[at] if at < len(row) else "" for name, at in columns.items()}
        if len(row) <= max(columns.values()):
            reason = f"the row has {len(row)} cells and lacks some of {', '.join(columns)}"
            rejected.append(Rejected(locator, reason, json.dumps(row, ensure_ascii=False)))
        elif not tidy(cells["Questions"]):
            rejected.append(Rejected(locator, "the row has no question", json.dumps(row, ensure_ascii=False)))
        else:
            items.append(_item(number, locator, cells, was_repaired))
    dataset = Dataset(
        benchmark="cognet_md", release=shot.release, title=title(shot, SOURCE.title), language="en",
        licence=licence(shot, SOURCE.licence), count_note=count_note(shot, len(rows.values), SOURCE.published_count),
        origin=shot.origin, sha256=shot.sha256, fetched_at=shot.fetched_at,
        published_count=None if shot.is_sample else SOURCE.published_count, is_sample=shot.is_sample,
        source=SOURCE.name,
    )  # fmt: skip
    return Reading(dataset, items, rejected)


def _item(number: int, locator: str, cells: dict[str, str], was_repaired: bool) -> Item:
    text, repaired = repair(cells["Questions"])
    key = read_key(cells["CorrectResponse"])
    stem, choices, doubt = _choices(tidy(text), key or ())
    item = Item(
        source_key=str(number), locator=locator, language="en", stem=stem,
        answer_type="multiple",  # the benchmark never says how many answers are right
        choices=choices, topic=specialty(cells["Specialty"]), number=number, released_key=cells["CorrectResponse"],
    )  # fmt: skip
    if doubt:
        item.flag("options_not_split", doubt)
    if key:
        item.keys = [Key(key)]
    else:
        item.key_status = "unknown"
        item.flag("key_missing", f"the key {cells['CorrectResponse'].strip()!r} names no option")
    if repaired:
        item.flag("text_repaired", "UTF-8 that had been read as Windows-1252 was turned back")
    if was_repaired and not cells["Questions"].isascii():
        item.flag("text_repaired", "the file is not UTF-8 and was read as Windows-1252")
    if "\ufffd" in text:
        item.flag("text_repaired", "characters were lost before the release (U+FFFD)")
    return item


def _choices(text: str, key: tuple[str, ...]) -> tuple[str, list[Choice], str | None]:
    """Stem, choices, and what could not be split. A label that the key or the chain needs gets an empty choice, so that
    letters stay scorable: its text stands in the stem or inside another option."""
    split = split_options(text)
    highest = max((LABELS.index(x) for x in key), default=-1)
    usual = max(highest, 4)  # five options are usual
    if split is None:
        empty = [Choice(label_of("upper", i), "") for i in range(usual + 1)]
        return text, empty, "no list of options was found; the question is kept whole in the stem"
    if split.options[0][0].isdigit():  # numbered options: the key's letters count them
        found = {int(label) - 1: option for label, option in split.options}
    else:
        found = {ord(label.upper()) - ord("A"): option for label, option in split.options}
    wanted = range(max(highest, *found) + 1)
    choices = [Choice(label_of("upper", i), tidy(found.get(i, ""))) for i in wanted]
    lost = [label_of("upper", i) for i in wanted if i not in found]
    return split.stem, choices, f"option {', '.join(lost)} was not found in the text" if lost else None


def read_key(text: str) -> tuple[str, ...] | None:
    """Labels of a key ("A-C-E", "A, C", "a-c", "ACE", "A and C", "C. Delirium"), in order; None when it names none."""
    plain = unicodedata.normalize("NFKC", text).strip()
    tokens = [t for t in re.split(r"[^A-Za-z]+|\band\b", plain, flags=re.I) if t]
    letters = "".join(tokens).upper()
    if letters and all(c in LABELS for c in letters) and not re.search(r"\d", plain):
        return tuple(sorted(set(letters)))
    if m := re.match(r"\(?([A-Ha-h])[.):]\s*\S", plain):
        return (m[1].upper(),)
    return None


def specialty(text: str) -> str | None:
    """The specialty's one name, in lower case; one that is not known stays as it is, in lower case."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    letters = re.sub(r"[^a-z]", "", plain)
    return _SPECIALTY_OF.get(letters) or _SPECIALTY_OF.get(letters.removesuffix("medicine")) or plain or None


def _table(body: bytes, where: str) -> tuple[dict[str, int], Rows, bool]:
    """Place of each wanted column, the rows, and whether the file was not Unicode.

    Raises SourceError when this is not CSV or its columns are others.
    """
    try:
        decode(body)
        was_repaired = False
    except Unreadable:
        body, was_repaired = body.decode("cp1252", "replace").encode(), True
    header, rows = read_file(partial(csv_rows, limits=CHECKED, is_ragged=True), body, where)
    names = [re.sub(r"[^a-z]", "", cell.casefold()) for cell in header]
    columns = {
        wanted: at
        for wanted, aliases in _COLUMNS.items()
        if (at := next((names.index(a) for a in aliases if a in names), None)) is not None
    }
    if len(columns) < len(_COLUMNS):
        found = ", ".join(cell.strip()[:40] for cell in header[:20])
        raise SourceError(
            f"{where}: the columns {', '.join(_COLUMNS)} are wanted, found {found}; not the layout of COGNET-MD"
        )
    if not rows.values:
        raise SourceError(f"{where}: the file has columns but no rows; fetch it again")
    return columns, rows, was_repaired
