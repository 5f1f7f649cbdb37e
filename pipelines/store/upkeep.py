"""What a data folder needs now and then: leftovers of killed writers swept away, generations put back, space made.

Everything here runs under the folder's refresh lock (lock.py).
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb

from pipelines.durable import sync_folder
from pipelines.errors import SettingsError, StoreError

_SAFE_AGE = 3600.0
"""Seconds after which a temp file of the inbox, which is filled without the lock, is nobody's any more."""
TABLES_OF = ".tables"
"""Ending of the folder that holds a generation's tables, beside its file."""
CURRENT = "current"


# ---- leftovers ---------------------------------------------------------------------------------------------------


def sweep(data: Path, warehouse: Path) -> list[Path]:
    """Remove temp files of writers that were killed, and move a stale .wal of the warehouse away; returns what went.

    Raises StoreError when another program has the warehouse open for writing.
    """
    gone = []
    for folder in (data, data / "tables", data / "landing", data / "generations", data / "inbox"):
        found = folder.glob(".*") if folder == data else folder.rglob(".*")
        for path in sorted(found):
            if not re.search(r"\.tmp(\.wal|\.staged)?$|\.staged$", path.name) or not path.exists():
                continue
            if folder.name == "inbox" and time.time() - path.lstat().st_mtime < _SAFE_AGE:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            gone.append(path)
    return gone + sweep_wal(warehouse)


def sweep_wal(warehouse: Path) -> list[Path]:
    """Move a .wal away that a killed program left beside the warehouse: a new file could not be opened with it.

    Raises StoreError when that program is still there.
    """
    wal = warehouse.with_name(warehouse.name + ".wal")
    if not wal.exists():
        return []
    if why := held_open(warehouse):
        raise StoreError(why)
    kept = warehouse.parent / "generations" / f"{wal.name}.stale"
    kept.parent.mkdir(exist_ok=True)
    wal.replace(kept)
    return [wal]


def held_open(warehouse: Path) -> str:
    """Who has the warehouse open for writing, as a sentence; empty when nobody has."""
    try:
        duckdb.connect(str(warehouse), read_only=True).close()
    except duckdb.Error as fault:
        return writer_of(warehouse, fault)
    return ""


def writer_of(warehouse: Path, fault: duckdb.Error) -> str:
    """The same, from the fault that opening it met."""
    text = str(fault)
    if "lock" not in text.lower():
        return ""
    process = re.search(r"PID (\d+)", text)
    return (
        f"{warehouse} is open for writing in another program{f' (process {process[1]})' if process else ''}; close it "
        "there, and open the file read-only from now on"
    )


# ---- generations -------------------------------------------------------------------------------------------------


def generations(warehouse: Path) -> list[Path]:
    """The published files that were kept, the oldest first: by their number, whatever a clock said."""
    return sorted((warehouse.parent / "generations").glob(f"{warehouse.stem}-*.duckdb"), key=_number)


def generation_named(warehouse: Path, name: str | None) -> Path:
    """The generation of a name or number; without one the newest. Raises SettingsError."""
    known = generations(warehouse)
    if not known:
        raise SettingsError(f"{warehouse.parent}/generations holds no earlier file")
    found = [p for p in known if name in (p.stem, p.name, p.stem.rpartition("-")[2].lstrip("0"))]
    if name and not found:
        raise SettingsError(f"no generation is called {name!r}; known are {', '.join(p.stem for p in known)}")
    return found[0] if found else known[-1]


def _number(path: Path) -> tuple[int, str]:
    found = re.search(r"-(\d{6})$", path.stem)
    return (int(found[1]) if found else 0, path.name)


def keep_generation(warehouse: Path, keep: int) -> None:
    """Keep the published file, and the tables that it was made of, as the newest generation; the oldest ones go."""
    if not warehouse.exists():
        return
    folder = warehouse.parent / "generations"
    folder.mkdir(exist_ok=True)
    old = generations(warehouse)
    name = folder / f"{warehouse.stem}-{(_number(old[-1])[0] if old else 0) + 1:06d}"
    name.with_suffix(".duckdb").hardlink_to(warehouse)
    current = folder / f"{CURRENT}{TABLES_OF}"
    if current.exists():
        current.rename(name.with_suffix(TABLES_OF))
    for path in generations(warehouse)[: -keep or None]:
        drop_generation(path)
    sync_folder(folder)


def drop_generation(path: Path) -> None:
    path.unlink(missing_ok=True)
    shutil.rmtree(path.with_suffix(TABLES_OF), ignore_errors=True)


def keep_tables(warehouse: Path, tables: Path) -> None:
    """Keep the tables of the file that was just published. They are hard links: a table is replaced, never changed."""
    folder = warehouse.parent / "generations"
    folder.mkdir(exist_ok=True)
    _swap(_linked(tables, folder / f".{CURRENT}.tmp"), folder / f"{CURRENT}{TABLES_OF}")


def roll_back(warehouse: Path, tables: Path, generation: Path) -> bool:
    """Put a generation's file and tables in place of the published ones; returns False where it has no tables.

    The file that was published becomes a generation itself, so that a step back can be taken back.
    """
    kept = generation.with_suffix(TABLES_OF)
    file = warehouse.with_name(f".{warehouse.name}.back.tmp")
    file.unlink(missing_ok=True)
    file.hardlink_to(generation)
    staged = _linked(kept, tables.with_name(f".{tables.name}.tmp")) if kept.exists() else None
    keep_generation(warehouse, keep=len(generations(warehouse)) + 1)
    if staged:
        _swap(staged, tables)
        keep_tables(warehouse, tables)
    file.replace(warehouse)
    sync_folder(warehouse.parent)
    return staged is not None


def _linked(folder: Path, copy: Path) -> Path:
    shutil.rmtree(copy, ignore_errors=True)
    return Path(shutil.copytree(folder, copy, copy_function=lambda a, b: Path(b).hardlink_to(a)))


def _swap(new: Path, place: Path) -> None:
    old = place.with_name(f".{place.name}.old.tmp")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


# ---- space -------------------------------------------------------------------------------------------------------


def spare(data: Path, warehouse: Path, used: set[str], keep: int) -> Iterator[Path]:
    """What may go: generations beyond `keep`, a stale .wal, and archived bytes that no release is made of (`used`)."""
    yield from generations(warehouse)[: -keep or None]
    yield from sorted((data / "generations").glob("*.stale"))
    for path in sorted((data / "landing" / "objects").glob("*/*")):
        if path.name not in used and not path.name.startswith("."):
            yield path
