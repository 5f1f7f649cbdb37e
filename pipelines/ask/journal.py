"""The journal of a run: JSON lines in the inbox, the run's settings first, then one line per answer as it comes.

Each line is on disk before its question counts as answered. A line that a kill or a power cut tore off is taken
away when the journal is opened again; one process at a time has it open.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from pipelines.errors import LockedError, MedexamsError

HIDDEN = "[key]"
SHORTEST_SECRET = 8
"""A shorter key is one that a local server ignores ("none", "EMPTY"), and may be a word of an answer."""

Row = dict[str, Any]


class Journal:
    """A context manager. `rows` are all answers so far, errors among them; no secret is ever written."""

    def __init__(self, path: Path, header: Row, secrets: Sequence[str] = ()) -> None:
        self.path = path
        self.rows: list[Row] = []
        self._header = header
        self._secrets = [s for s in secrets if len(s) >= SHORTEST_SECRET]
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Journal:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LockedError(f"another `medexams ask` writes {self.path}; wait for it, or stop it") from None
        self._file = file
        file.seek(0)
        data = file.read()
        if not data.endswith(b"\n"):
            file.truncate(data.rfind(b"\n") + 1)
        try:
            is_new = not self._read(data)
        except MedexamsError:
            file.close()
            raise
        if is_new:
            self._write(self._header)
        return self

    def peek(self) -> Journal:
        """The same with the rows that the file holds now; nothing is held, made or mended."""
        if self.path.exists():
            self._read(self.path.read_bytes())
        return self

    def _read(self, data: bytes) -> bool:
        """Whether there is a header in the whole lines of a file; the rows after it become `rows`."""
        try:
            lines = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].split(b"\n") if line.strip()]
        except ValueError:
            raise MedexamsError(f"{self.path} is not a journal of answers; move it away and ask again") from None
        self.rows = lines[1:]
        return bool(lines)

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        if self._file:
            self._file.close()
            self._file = None

    def add(self, row: Row) -> None:
        """Keep an answer, for good."""
        self._write(row)
        self.rows.append(row)

    @property
    def answered(self) -> set[tuple[str, int]]:
        """Question and attempt of every answer that is there; an error is none."""
        return {(row["question_id"], row["attempt"]) for row in self.rows if not row.get("error")}

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of prompts and of answers that were paid so far."""
        return sum(r.get("prompt_tokens") or 0 for r in self.rows), sum(
            r.get("completion_tokens") or 0 for r in self.rows
        )

    def _write(self, row: Row) -> None:
        if self._file is None:
            raise MedexamsError(f"{self.path} is not open")
        line = json.dumps(row, ensure_ascii=False, allow_nan=False)
        for secret in self._secrets:
            for form in (secret, json.dumps(secret, ensure_ascii=False)[1:-1]):
                line = line.replace(form, HIDDEN)
        try:
            self._file.write(line.encode("utf-8", "replace") + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as fault:
            raise MedexamsError(f"{self.path} can't be written ({fault.strerror}); make room and ask again") from fault
