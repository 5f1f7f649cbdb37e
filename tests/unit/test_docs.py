"""Pages written by hand: links lead somewhere, commands exist, and the settings are those of the code."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

import click
import pytest

from pipelines.cli import main
from pipelines.registry import sources
from pipelines.runs.formats.card import FIELDS, Card
from pipelines.settings import Settings
from tests.conftest import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
MEDEXAMS = re.compile(r"(?:^|&& |bin/|exec medexams-daemon )medexams (?!-|:)(.+)$")


def shell_lines(page: Path) -> list[str]:
    """The lines of the page's code blocks that may be commands, continued ones joined, without their comments."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    text = "".join(block for language, block in blocks if language in ("", "sh", "bash")).replace("\\\n", " ")
    return [line.split("  #")[0].strip() for line in text.splitlines()]


def commands(page: Path) -> list[str]:
    """What follows `medexams` in the page's code blocks."""
    return [found[1] for line in shell_lines(page) if (found := MEDEXAMS.search(line))]


def test_environment_variables_are_those_of_the_settings() -> None:
    text = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `MEDEXAMS_(\w+)` \| (?:`([^`]*)`)? ?\| .+ \|$", text, re.MULTILINE)
    settings = {f.name: f.default for f in dataclasses.fields(Settings) if f.name not in ("given", "addresses")}
    settings |= {source.card.setting: None for source in sources().values()} | {"benchmarks": None}
    assert dict(rows) == {k.upper(): "" if v is None else str(v) for k, v in settings.items()}


def test_fields_of_a_card_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "runs.md").read_text(encoding="utf-8").partition("## Cards")[2]
    assert dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)) == FIELDS
    assert list(FIELDS) == [f.name for f in dataclasses.fields(Card)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_documented_commands_exist(page: Path) -> None:
    for line in commands(page):
        words = shlex.split(line.split(" | ")[0].split(" < ")[0].split(" > ")[0])
        command: click.Command = main
        while isinstance(command, click.Group) and words:
            name = words.pop(0)
            assert name in command.commands, line
            command = command.commands[name]
        known = {option for p in command.params for option in p.opts}
        used = {word.split("=")[0] for word in words if word.startswith("--")}
        assert used <= known | {"--help"}, line


@pytest.mark.parametrize("unit", sorted((ROOT / "deploy").glob("*.service")), ids=lambda p: p.name)
def test_units_call_programs_that_are_installed(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    program = re.search(r"^ExecStart=/opt/medexams/(\S+)", text, re.MULTILINE)
    assert program and Path(program[1]).name in ("dagster-webserver", "dagster-daemon")
    for name in re.findall(r"MEDEXAMS_(\w+)=", text):
        assert name.lower() in {f.name for f in dataclasses.fields(Settings)}


def test_containerfile_copies_what_there_is() -> None:
    text = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    for named in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / source).exists() for source in named.split())
