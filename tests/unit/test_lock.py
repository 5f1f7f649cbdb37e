"""The lock files fit pyproject.toml: `make lock` followed the last change of a dependency, and no registry is named."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

ABOUT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PIN = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([\w.+!-]+)(?: ;[^\n]*)? \\\n +--hash=sha256:", re.MULTILINE)


def pinned(name: str) -> dict[str, str]:
    """The versions of a lock file by package."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text, f"{name} names a host"
    found = PIN.findall(text)
    assert len(found) == len(re.findall(r"^[\w.-]+\S*==", text, re.MULTILINE)), f"{name}: a line without a hash"
    return {canonicalize_name(package): version for package, version in found}


def wanted(*groups: str) -> list[str]:
    """The requirements of pyproject.toml, with those of the groups and of the groups that they include."""
    found = list(ABOUT["project"]["dependencies"])
    for group in groups:
        for entry in ABOUT["dependency-groups"][group]:
            found += wanted(entry["include-group"]) if isinstance(entry, dict) else [entry]
    return found


@pytest.mark.parametrize(
    ("name", "groups"), [("requirements.txt", ["build"]), ("requirements-dev.txt", ["build", "dev"])]
)
def test_every_requirement_is_pinned_as_wanted(name: str, groups: list[str]) -> None:
    versions = pinned(name)
    for requirement in map(Requirement, wanted(*groups)):
        version = versions.get(canonicalize_name(requirement.name))
        assert version and requirement.specifier.contains(version, prereleases=True), f"{requirement}: run `make lock`"


def test_tests_run_on_what_people_run() -> None:
    running, testing = pinned("requirements.txt"), pinned("requirements-dev.txt")
    assert running.items() <= testing.items()
    for tool in ("pytest", "playwright", "mypy", "ruff", "sqlfluff"):
        assert tool in testing and tool not in running
