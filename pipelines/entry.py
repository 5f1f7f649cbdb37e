"""Where the medexams command starts: the signals that end it are heard before anything heavy is imported.

A thread hears them, so that a long query or a library with handlers of its own can't keep one waiting. What the process
leaves is swept away at the next start (store/upkeep.py); nothing published is ever half written.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

_SAYS = "medexams: interrupted; what was published is as it was\n"
_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""As a shell has them."""


def run() -> None:
    """The command, from the first moment on ended by SIGINT and SIGTERM with one sentence and the exit code of each."""
    hear_signals()
    from pipelines.cli import main

    main()


def hear_signals() -> None:
    """End this process on SIGINT or SIGTERM, whatever it is doing."""
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    for number in _CODES:
        signal.signal(number, lambda *_: None)  # so that Python writes the number to the pipe
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    threading.Thread(target=_end, args=(ear,), daemon=True).start()


def _end(ear: int) -> None:
    while True:
        for number in os.read(ear, 64):
            if number in _CODES:
                sys.stderr.flush()
                os.write(2, _SAYS.encode())
                os._exit(_CODES[signal.Signals(number)])


if __name__ == "__main__":
    run()
