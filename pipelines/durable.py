"""Writes that survive a power cut: a reader sees the old file or the whole new one, and its name is on disk.

What is written where is the callers' business.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` so that a reader sees the old file or the whole new one, even if the power goes off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temp = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temp.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temp.replace(path)
    finally:
        temp.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_durable(path: Path) -> None:
    """Bring a file's content to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
