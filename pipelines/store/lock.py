"""One refresh at a time per data folder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipelines.errors import StoreError

_HELD: set[Path] = set()
"""Data folders that this process holds."""


@contextmanager
def refresh_lock(data: Path, wait: float = 0.0) -> Iterator[None]:
    """Hold DATA/refresh.lock: one refresh at a time per data folder. The file names the holder's pid.

    The lock goes with the process, however it ends; a process that holds it may take it again. Raises StoreError when
    another holds it for longer than `wait` seconds.
    """
    if (place := data.resolve()) in _HELD:
        yield
        return
    data.mkdir(parents=True, exist_ok=True)
    path = data / "refresh.lock"
    end = time.monotonic() + wait
    with path.open("a+", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    file.seek(0)
                    holder = file.read().strip() or "unknown"
                    raise StoreError(
                        f"another refresh of {data} is under way (process {holder}); wait for it, "
                        "or set MEDEXAMS_LOCK_WAIT to the seconds to wait"
                    ) from None
                time.sleep(0.2)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        _HELD.add(place)
        try:
            yield
        finally:
            _HELD.discard(place)
            with suppress(OSError):
                file.seek(0)
                file.truncate()
