"""The errors that a person meets. Each message says what is wrong, where, and what to do, in one sentence or two.

Anything that is not a MedexamsError is a defect of this program and may show a traceback.
"""

from __future__ import annotations


class MedexamsError(Exception):
    """Something outside the program is wrong (a source, a file, a setting); exit code 1.

    The message is one line, whatever is quoted in it.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(" ".join(line.strip() for line in message.splitlines()))


class SourceError(MedexamsError):
    """A source could not be fetched or is not what it should be; nothing of it was used."""


class StoreError(MedexamsError):
    """A table breaks its schema, shrank, or does not fit the others; the published file was left as it was."""


class LockedError(StoreError):
    """Another process works on the data folder."""


class SettingsError(MedexamsError):
    """A setting or an argument is wrong; exit code 2."""


class Unreadable(MedexamsError):
    """A file that can't be read: `reason` is a sentence for a person (what is wrong, what to do), `detail` where."""

    def __init__(self, reason: str, detail: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
