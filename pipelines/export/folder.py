"""The folder that an export writes: built beside its place, swapped in when whole, with a manifest of what it holds.

A folder that no export made is never replaced. What stands in the files is the formats' matter.
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

MANIFEST = "medexams-export.json"


@contextmanager
def fresh(out: Path) -> Iterator[Path]:
    """An empty folder to fill; on leaving without an error it takes the place of `out`. Raises MedexamsError."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise MedexamsError(f"{out} is no folder; name a new one for the export")
    if out.exists() and any(out.iterdir()) and not (out / MANIFEST).exists():
        raise MedexamsError(f"{out} holds files that no export wrote; name a new folder, or empty it")
    place = out.resolve()
    temp = place.with_name(f".{place.name}.{uuid.uuid4().hex}.tmp")
    old = temp.with_suffix(".old")
    try:
        temp.mkdir(parents=True)
        yield temp
        if place.exists():
            place.rename(old)
        temp.rename(place)
    except OSError as fault:
        if old.exists() and not place.exists():
            old.rename(place)
        raise MedexamsError(f"{out} can't be written ({fault}); is there room, and may you write there?") from fault
    finally:
        shutil.rmtree(temp, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def write_manifest(folder: Path, about: dict[str, Any]) -> list[str]:
    """Write the manifest: `about`, and each file with size and SHA-256. Answers the files, the manifest included."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    listed = [{"path": p.relative_to(folder).as_posix(), "bytes": p.stat().st_size, "sha256": sha256(p)} for p in files]
    (folder / MANIFEST).write_text(
        json.dumps(about | {"files": listed}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    return [str(f["path"]) for f in listed] + [MANIFEST]


def sha256(path: Path) -> str:
    """SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
