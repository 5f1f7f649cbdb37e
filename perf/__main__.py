"""Runs every benchmark and exits 1 when a ratio is missed: `python -m perf [NAME …]`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

NAMES = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))


def main(wanted: list[str]) -> int:
    """Run the named benchmarks, or all; the number that missed their ratio."""
    return sum(bool(importlib.import_module(f"perf.{name}").main()) for name in wanted or NAMES)


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
