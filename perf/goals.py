"""How a ratio is held against its goal: said in one line, true where it is missed."""

from __future__ import annotations

import sys


def missed(what: str, ratio: float, *, at_least: float | None = None, at_most: float | None = None) -> bool:
    """Print the ratio with its goal; whether it is missed."""
    short = at_least is not None and ratio < at_least
    over = at_most is not None and ratio > at_most
    goal = f"at least {at_least:g}" if at_least is not None else f"at most {at_most:g}"
    print(f"{what}: {ratio:.2f} (goal: {goal}){' MISSED' if short or over else ''}", flush=True)
    return short or over


def must_agree(what: str, same: bool) -> None:
    """End the run where two ways that are timed do not give the same: a fast wrong one would be worth nothing."""
    if not same:
        sys.exit(f"{what}: the two ways that are compared do not agree")
