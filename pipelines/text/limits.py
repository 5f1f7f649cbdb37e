"""How much of a file from outside is read at most, and the sentence that says so. No reading here."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from pipelines.errors import Unreadable


@dataclass(frozen=True)
class Limits:
    """Those with a setting of their own: bytes of a file, bytes unpacked, rows, and cells (for JSON: values).

    `ratio` is unpacked over packed size, judged once `free` bytes are unpacked; `depth` is of archives in archives.
    """

    file_bytes: int = 512 * 2**20
    unpacked_bytes: int = 2 * 2**30
    rows: int = 2_000_000
    cells: int = 10_000_000
    members: int = 100_000
    ratio: int = 200
    free: int = 64 * 2**20
    depth: int = 2

    def check_file(self, size: int) -> None:
        """Raises Unreadable for a file of more bytes than are read."""
        check("the file has", size, "bytes", self.file_bytes, "MEDEXAMS_MAX_BYTES")

    def check_unpacked(self, size: int) -> None:
        """Raises Unreadable for an archive, or a compressed file, that unpacks to more bytes than are read."""
        check("the file unpacks to", size, "bytes", self.unpacked_bytes, "MEDEXAMS_MAX_UNPACKED_BYTES")

    def check_rows(self, count: int) -> None:
        check("the file has", count, "rows", self.rows, "MEDEXAMS_MAX_ROWS")

    def check_cells(self, count: int) -> None:
        check("the file has up to", count, "cells or values", self.cells, "MEDEXAMS_MAX_CELLS")


LIMITS = Limits()
CHECKED = Limits(*[sys.maxsize] * 4)
"""For bytes that were held against a limit before."""


def check(what: str, found: int, unit: str, limit: int, setting: str) -> None:
    """Raises Unreadable, with the numbers and the setting, where more was found than the limit."""
    if found > limit:
        raise Unreadable(f"{what} {found} {unit}, over the limit of {limit}; split it, or raise {setting}")
