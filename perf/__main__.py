"""Runs every measurement and exits 1 when a ratio misses its goal: `python -m perf [NAME …]`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

NAMES = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem[0] != "_" and p.stem != "goals")


def main(wanted: list[str]) -> int:
    """Run the named measurements, or all; how many missed a goal."""
    return sum(bool(importlib.import_module(f"perf.{name}").main()) for name in wanted or NAMES)


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
