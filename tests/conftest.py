"""Fixtures for all tests: where the shared real data is, and what to do on a machine that lacks it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def lacking(what: str) -> None:
    """Skip on a person's machine; fail on CI, where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is absent, and on CI nothing is skipped")
    pytest.skip(f"{what} is absent")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real questions and predictions (MEDEXAMS_SHARED, or ../shared beside the project)."""
    folder = Path(os.environ.get("MEDEXAMS_SHARED") or ROOT.parent / "shared")
    if not (folder / "data" / "README.md").exists():
        lacking(f"the real data ({folder.name}/, see MEDEXAMS_SHARED)")
    return folder
