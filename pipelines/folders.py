"""A folder that a command writes for people: built beside its place, swapped in when whole, with a manifest.

A later one takes its place only where nothing but the files of the manifest stands, as they were written: what somebody
put there or changed is never deleted. What stands in the files is the matter of report/ and export/.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipelines.errors import MedexamsError


@contextmanager
def replaced(out: Path, manifest: str, what: str) -> Iterator[Path]:
    """An empty folder to fill; on leaving without an error it takes the place of `out`.

    `manifest` is the name of the file that write_manifest puts into it, `what` a word for such a folder ("report").
    Raises MedexamsError, and then `out` is as it was.
    """
    place = out.resolve()
    _refuse_others(place, manifest, what)
    temp = place.with_name(f".{place.name}.{uuid.uuid4().hex}.tmp")  # beside it, so that the last step is a rename
    old = temp.with_suffix(".old")
    try:
        temp.mkdir(parents=True)
        yield temp
        _refuse_others(place, manifest, what)  # it may have changed meanwhile
        if place.exists():
            place.rename(old)  # a folder can't replace one that has files, so the old one steps aside
        try:
            temp.rename(place)
        except OSError:
            if old.exists():
                old.rename(place)
            raise
    except OSError as fault:
        raise MedexamsError(
            f"the {what} could not be written to {out} ({fault.strerror or fault}); is there room, may you write there?"
        ) from fault
    finally:
        shutil.rmtree(temp, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def write_manifest(folder: Path, manifest: str, about: dict[str, Any]) -> list[str]:
    """Write the manifest: `about`, and each file with size and SHA-256. Returns the files, the manifest included."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    listed = [{"path": p.relative_to(folder).as_posix(), "bytes": p.stat().st_size, "sha256": sha256(p)} for p in files]
    text = json.dumps(about | {"files": listed}, ensure_ascii=False, indent=1) + "\n"
    (folder / manifest).write_text(text, encoding="utf-8")
    return [str(f["path"]) for f in listed] + [manifest]


def sha256(path: Path) -> str:
    """SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_others(out: Path, manifest: str, what: str) -> None:
    """Raise unless `out` is absent, an empty folder, or a `what` with nothing else in it and nothing changed."""
    if not out.exists():
        return
    if not out.is_dir():
        raise MedexamsError(f"{out} is a file; name a folder for the {what}")
    there = {
        p.relative_to(out).as_posix()
        for p in out.rglob("*")
        if (not p.is_dir() or p.is_symlink()) and "__pycache__" not in p.parts  # Python's own, of an exported utils.py
    } - {manifest}
    if not there and not any(out.iterdir()):
        return
    try:
        written = {f["path"]: f["sha256"] for f in json.loads((out / manifest).read_text(encoding="utf-8"))["files"]}
    except (OSError, ValueError, TypeError, KeyError):
        raise MedexamsError(
            f"{out} holds something other than the {what}; name another folder for it, or empty this one"
        ) from None
    if strange := sorted(there - written.keys()):
        raise MedexamsError(f"{out} also holds {strange[0]}, which is not part of the {what}; move it away first")
    if changed := sorted(p for p in there if sha256(out / p) != written[p]):
        raise MedexamsError(f"{out / changed[0]} was changed since the {what} was written; move it away first")
