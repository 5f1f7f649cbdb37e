"""Days of an unattended folder and kills of a real refresh, in short; in full: `python -m perf.soak`, `perf.kills`."""

from __future__ import annotations

from pathlib import Path

from perf.kills import kills
from perf.soak import soak


def test_after_three_days_all_is_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """The seed swaps all keys, kills a refresh early, which any machine sees, and adds a run."""
    assert soak(tmp_path, days=3, seed=3599).startswith("3 days, 1 killed, 1 refused or failed, ")


def test_a_refresh_that_is_killed_leaves_the_file_whole_and_nothing_over(tmp_path: Path) -> None:
    assert ", each whole, nothing left over, " in kills(tmp_path, count=2, seed=60)
