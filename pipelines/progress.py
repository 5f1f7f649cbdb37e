"""How a long step says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""progress(what, done, total or None): called after each page or file."""


def silent(what: str, done: int, total: int | None) -> None:
    """A Progress that says nothing."""
