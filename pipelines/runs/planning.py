"""From files to groups: what is at a path, in archives too, whose format each file is, and which files belong together.

A group is read as one (ingesting.py) and remembered as one (inbox.py). A file that is of no known format, or can't be
opened, is a row of rejected_file. No predictions are read here: a look at the beginning of each file must do.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pipelines.errors import Unreadable
from pipelines.runs import archives
from pipelines.runs.formats import card, formats
from pipelines.runs.formats.card import Card
from pipelines.runs.imported import Imported, rejecting
from pipelines.runs.parsed import File, Peek
from pipelines.runs.peek import peek
from pipelines.runs.values import short
from pipelines.text import readers
from pipelines.text.limits import LIMITS, Limits

_SYSTEM_FILES = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_TEXT_SHAPES = ("text", "array", "object", "lines")


Loader = Callable[[], bytes]
"""Gives the bytes of a file; raises Unreadable or OSError."""


@dataclass(frozen=True)
class OnDisk:
    """A loader for what is at a path. What is not read (hidden files, links, pipes, devices) says why when loaded."""

    path: Path
    limits: Limits
    fault: str | None = None

    def __call__(self) -> bytes:
        if self.fault:
            raise Unreadable(self.fault)
        if self.path.name.startswith("."):
            raise Unreadable("hidden files and folders (with a leading dot) are not read; rename it to have it read")
        found = self.path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise Unreadable("links are not followed; add the file that it points to")
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("this is a pipe, a device or a socket; only files are read")
        self.limits.check_file(found.st_size)
        return self.path.read_bytes()


@dataclass(frozen=True)
class Entry:
    """A file that is known but not held: its name, its SHA-256, and how to load it."""

    name: str
    sha256: str
    load: Loader = field(compare=False)
    limits: Limits = field(default=LIMITS, compare=False)

    def file(self) -> File:
        return File(self.name, self.load(), self.limits)


@dataclass(frozen=True)
class Group:
    """Files that are read together, in the order of their names: `files` hold predictions, `helpers` what they need."""

    format: str
    files: tuple[Entry, ...]
    helpers: tuple[Entry, ...] = ()
    card: Card | None = None

    def sha256(self, names: Sequence[str]) -> str:
        """Of one of its files, the file's own; of several, over theirs."""
        hashes = sorted(f.sha256 for f in self.files if f.name in names)
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


@dataclass
class Plan:
    """Groups to read, and the files that nothing can read."""

    groups: list[Group]
    rejected: Imported


# ---- what is there -------------------------------------------------------------------------------------------------


def walk(path: Path, limits: Limits = LIMITS) -> dict[str, OnDisk]:
    """The files at or below a path, by names with '/'. Names keep the folders above that say whose results they are.

    A link that is named itself is followed; those below a folder are not.
    """
    path = path.resolve()
    root = path.parent
    for parent in (path, *path.parents):
        # Results by company/model/text/exam/file.
        if parent.name in ("text", "multimodal") and len(parent.parts) > 3:
            root = parent.parents[2]
            break
    found = _below(path, limits) if path.is_dir() else [OnDisk(path, limits)]
    return {load.path.relative_to(root).as_posix(): load for load in found}


def _below(folder: Path, limits: Limits) -> Iterator[OnDisk]:
    try:
        found = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as e:
        yield OnDisk(folder, limits, f"the folder can't be read ({e.strerror}); check its permissions and add it again")
        return
    for entry in found:
        if entry.name in _SYSTEM_FILES:
            continue
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _below(Path(entry.path), limits)
        else:
            yield OnDisk(Path(entry.path), limits)


# ---- which belong together -------------------------------------------------------------------------------------------


def plan(files: Mapping[str, Loader], given: Card | None = None, limits: Limits = LIMITS) -> Plan:
    """Which files are read together. `given` is what a person says of all of them and wins over card files."""
    rejected = Imported()
    cards = _Cards(given)
    members: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    helpers: dict[str, list[tuple[str, Entry]]] = defaultdict(list)
    for name, load in files.items():
        if card.is_card(name):
            with rejecting(rejected, name, "card"):
                cards.add(name, load())
    others = {name: load for name, load in files.items() if not card.is_card(name)}
    for name, load, data, look in _unpacked(others, cards, rejected, limits):
        if card.is_card(name):
            with rejecting(rejected, name, "card"):
                cards.add(name, data)
            continue
        with rejecting(rejected, name):
            role, found = classify(look, data)
            entry = Entry(name, hashlib.sha256(data).hexdigest(), load, limits)
            key = formats()[found].group(look)
            if role == "helper":
                helpers[found].append((key, entry))
            else:
                members[found, key].append(entry)
    groups = []
    used: set[str] = set()
    for (fmt, key), entries in sorted(members.items(), key=lambda item: item[1][0].name):
        entries.sort(key=lambda e: e.name)
        near = _near(entries, key, helpers.get(fmt, []))
        used |= {e.name for e in near}
        for said, part in cards.split(entries):
            groups.append(Group(fmt, tuple(part), tuple(near), said))
    for fmt, lonely in helpers.items():
        for _, entry in lonely:
            if entry.name not in used:
                why = (
                    f"the file belongs to {fmt} predictions, but there are none beside it; add the folder that has both"
                )
                rejected.reject(entry.name, why, None, fmt)
    return Plan(groups, rejected)


def classify(look: Peek, data: bytes) -> tuple[str, str]:
    """Role and format of a file. Raises Unreadable when no format knows it, and says what it is instead."""
    if why := readers.stand_in(data):
        raise Unreadable(why)
    for fmt in formats().values():
        if role := fmt.sniff(look):
            return role, fmt.NAME
    match look.shape:
        case "empty":
            raise Unreadable("the file is empty; write it again")
        case "zip":
            raise Unreadable("the zip archive is broken or cut off; write it again")
        case "old workbook":
            raise Unreadable("this is an Excel workbook of the old kind (.xls); save it as .xlsx or CSV")
        case "array" | "lines":
            readers.json_rows(data)  # says where it is broken
        case "object":
            readers.json_document(data)
        case "text":
            readers.decode(data)
    keys = ", ".join(map(str, look.first or look.columns))
    raise Unreadable(
        "no known format of predictions: a plain table needs a column prediction, response or answer, and one that "
        "names the question (question_id, source_key, index with exam columns, or question)"
        + (f"; found: {short(keys, 200)}" if keys else ""),
        f"looks like {look.shape}" + (f" with {short(keys, 200)}" if keys else f": {short(look.head, 60)!r}"),
    )


def _unpacked(
    files: Mapping[str, Loader], cards: _Cards, rejected: Imported, limits: Limits, depth: int = 0
) -> Iterator[tuple[str, Loader, bytes, Peek]]:
    """Every file with its bytes and a look at them; in an archive's place the files in it."""
    for name, load in files.items():
        if any(part in _SYSTEM_FILES or part.startswith("._") for part in name.split("/")):
            continue
        inner: dict[str, Loader] = {}
        with rejecting(rejected, name):
            data = _limited(load, limits)
            look = peek(name, data, limits)
            encoding = cards.encoding(name)
            if encoding and look.shape in _TEXT_SHAPES:
                load = partial(_transcoded, load, encoding)
                data = load()
                look = peek(name, data, limits)
            if look.shape not in ("zip", "gzip", "tar") or any(f.sniff(look) for f in formats().values()):
                yield name, load, data, look
                continue
            if depth >= limits.depth:
                raise Unreadable("the archive is packed in too many others; unpack it and add the folder")
            for member, loader in archives.members(look.shape, name, data, limits):
                # A gzip file stands for its content, in the same folder.
                beside = f"{name.rpartition('/')[0]}/{member}".lstrip("/")
                stands_in = look.shape == "gzip" and (beside == name or beside not in files)
                inner[beside if stands_in else f"{name}/{member}"] = loader
            if not inner:
                raise Unreadable("the archive is empty or broken; write it again")
            yield from _unpacked(inner, cards, rejected, limits, depth + 1)


def _limited(load: Loader, limits: Limits) -> bytes:
    data = load()
    limits.check_file(len(data))
    return data


def _transcoded(load: Loader, encoding: str) -> bytes:
    return readers.transcode(load(), encoding)


def _near(entries: Sequence[Entry], key: str, helpers: Sequence[tuple[str, Entry]]) -> list[Entry]:
    """The helper files of a group: those of its own key, else those in its folders."""
    folders = {e.name.rpartition("/")[0] for e in entries}
    same = [h for k, h in helpers if k == key]
    return sorted(same or [h for _, h in helpers if h.name.rpartition("/")[0] in folders], key=lambda e: e.name)


class _Cards:
    """The cards found so far, by what they are about, under what a person says of all files."""

    def __init__(self, given: Card | None) -> None:
        self.given = given
        self.found: dict[str, Card] = {}

    def add(self, name: str, data: bytes) -> None:
        """A card is about its folder (with '/' at the end), or the file or archive that it is named after."""
        folder, _, base = name.rpartition("/")
        own = base.casefold().removesuffix("card.toml").removesuffix(".")
        self.found[f"{folder}/{own}" if own else f"{folder}/"] = card.read(File(name, data))

    def of(self, name: str) -> Card | None:
        """What is said of a file: by its own card, its folder's or archive's, or a folder's above, under `given`."""
        folder, _, base = name.rpartition("/")
        places = [f"{folder}/{b}" for b in (base.casefold(), base.casefold().rpartition(".")[0])]
        while folder:
            above, _, own = folder.rpartition("/")
            places += [f"{folder}/", f"{above}/{own.casefold()}"]
            folder = above
        nearest = next((self.found[p] for p in (*places, "/") if p in self.found), None)
        return self.given.over(nearest) if self.given else nearest

    def encoding(self, name: str) -> str | None:
        said = self.of(name)
        return said.encoding if said else None

    def split(self, entries: Sequence[Entry]) -> list[tuple[Card | None, list[Entry]]]:
        """The entries by what is said of them; how they are encoded makes no difference."""
        parts: dict[Card | None, list[Entry]] = {}
        for entry in entries:
            said = self.of(entry.name)
            parts.setdefault(replace(said, encoding=None) if said else None, []).append(entry)
        return list(parts.items())
