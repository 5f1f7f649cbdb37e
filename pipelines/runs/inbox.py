"""The inbox, a folder of prediction files: how they get in and out, and when they are ready to be read.

What was added from where is kept in a file of its own beside them, and so is what was named and could not be copied.
Reading is for importing.py.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pipelines.durable import write_atomically
from pipelines.errors import MedexamsError, Unreadable
from pipelines.progress import Progress, silent
from pipelines.runs.formats.card import Card, dump, is_card
from pipelines.runs.planning import walk
from pipelines.text.limits import LIMITS, Limits

ORIGINS = ".origins.json"
REFUSED = ".refused.json"
STATE = (ORIGINS, REFUSED)
"""Files of the inbox that are its own."""

Replace = Callable[[str, str], bool]
"""Asked with a name of the inbox and where its file came from: may another file take its place?"""


# ---- getting files in and out ------------------------------------------------------------------------------------


@dataclass
class Added:
    """What `add` did: names of copies, why something was not copied, and earlier files that a name like theirs has."""

    copied: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)


def add(
    paths: Iterable[Path],
    inbox: Path,
    card: Card | None = None,
    limits: Limits = LIMITS,
    progress: Progress = silent,
    replace: Replace = lambda name, origin: False,
) -> Added:
    """Copy files and folders into the inbox, with a card beside each that says what `card` says.

    The same path added again replaces what it gave before. A file of the same name from elsewhere takes the place of
    the one that is there if `replace` says so; else it is kept apart, in a folder of its own, and the other stays.
    Raises MedexamsError when a path is not there or the inbox can't be written.
    """
    state = _State.load(inbox)
    added = Added()
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise MedexamsError(f"{path}: no such file or folder; correct the path")
        files = walk(path, limits)
        if not files:
            raise MedexamsError(f"{path}: the folder holds no files; name the one that holds the predictions")
        source = path.resolve()
        state.forget_refused(source)
        taken = [n for n, load in files.items() if state.holds_another(n, str(load.path))]
        place = ""
        if taken:
            origin = state.origins.get(taken[0], "the inbox itself")
            if not replace(taken[0], origin):
                place = f"{hashlib.sha256(str(source).encode()).hexdigest()[:8]}/"
                added.kept |= {n: state.origins.get(n, "the inbox itself") for n in taken}
        for n, (name, load) in enumerate(files.items()):
            try:
                data = load()
            except Unreadable as fault:
                added.refused[place + name] = state.refuse(place + name, load.path, fault.reason)
                continue
            except OSError as fault:
                why = f"{fault.strerror or fault}; make the file readable and add it again"
                added.refused[place + name] = state.refuse(place + name, load.path, why)
                continue
            try:
                _put(inbox, place + name, data, card, has_own=f"{name}.card.toml" in files)
            except OSError as fault:
                raise MedexamsError(f"{inbox}: {fault.strerror or fault}; make the inbox writable, or room") from fault
            state.origins[place + name] = str(load.path)
            added.copied.append(place + name)
            progress("files copied to the inbox", n + 1, len(files))
        gone = state.below(source) - {place + name for name in files}
        remove(inbox, sorted(gone), state)
    state.save()
    return added


def remove(inbox: Path, names: Iterable[str], state: _State | None = None) -> None:
    """Take files out of the inbox, with their cards and the folders that become empty."""
    known = state or _State.load(inbox)
    for name in names:
        for gone in (name, f"{name}.card.toml"):
            (inbox / gone).unlink(missing_ok=True)
            known.origins.pop(gone, None)
        for folder in (inbox / name).parents:
            if folder == inbox or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    if state is None:
        known.save()


def refused(inbox: Path) -> dict[str, tuple[str, str]]:
    """What was named to be added and could not be copied: the path that it has, and the reason."""
    return dict(_State.load(inbox).refused)


def _put(inbox: Path, name: str, data: bytes, card: Card | None, *, has_own: bool) -> None:
    """One file, with the card that is given for it; a card from an earlier time must not speak for it."""
    write_atomically(inbox / name, data)
    if is_card(name) or has_own:
        return
    if card:
        write_atomically(inbox / f"{name}.card.toml", dump(card).encode())
    else:
        (inbox / f"{name}.card.toml").unlink(missing_ok=True)


@dataclass
class _State:
    """Which path each file of the inbox came from, and what was refused: name to path and reason."""

    inbox: Path
    origins: dict[str, str]
    refused: dict[str, tuple[str, str]]

    @classmethod
    def load(cls, inbox: Path) -> _State:
        origins = {str(k): str(v) for k, v in _json(inbox / ORIGINS).items()}
        refused = {str(k): (str(v[0]), str(v[1])) for k, v in _json(inbox / REFUSED).items() if len(v) == 2}
        return cls(inbox, origins, refused)

    def save(self) -> None:
        for name, value in ((ORIGINS, self.origins), (REFUSED, self.refused)):
            write_atomically(self.inbox / name, json.dumps(value, ensure_ascii=False, indent=1).encode())

    def holds_another(self, name: str, source: str) -> bool:
        """True when the name is taken by a file that came from elsewhere."""
        known = self.origins.get(name)
        return (self.inbox / name).exists() and known != source

    def below(self, source: Path) -> set[str]:
        """The names that came from a path, or from below it."""
        return {n for n, known in self.origins.items() if source in (Path(known), *Path(known).parents)}

    def refuse(self, name: str, path: Path, reason: str) -> str:
        self.refused[name] = (str(path), reason)
        return reason

    def forget_refused(self, source: Path) -> None:
        for name, (known, _) in list(self.refused.items()):
            if source in (Path(known), *Path(known).parents):
                del self.refused[name]


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


# ---- watching ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Watch:
    """What the sensor remembers: what the inbox looked like at the last look, and what it was when last read."""

    seen: str = ""
    read: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | None) -> Watch:
        try:
            return cls(**json.loads(text)) if text else cls()
        except (ValueError, TypeError):
            return cls()


def look(inbox: Path) -> str:
    """A digest of names, sizes and times of the files in the inbox; empty for an empty inbox."""
    files = sorted(p for p in inbox.rglob("*") if p.is_file() and not p.name.startswith(".")) if inbox.exists() else []
    lines = []
    for path in files:
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue  # gone between the listing and the look
        lines.append(f"{path.relative_to(inbox)}\t{stat.st_size}\t{stat.st_mtime_ns}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else ""


def due(watch: Watch, now: str) -> tuple[bool, Watch]:
    """Whether to read the inbox now, and what to remember: only what stood still between two looks is read."""
    if now != watch.seen:
        return False, Watch(now, watch.read)
    return (True, Watch(now, now)) if now != watch.read else (False, watch)
