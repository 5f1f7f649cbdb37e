"""Pages made from code equal what the code says now."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from pipelines.cli import main
from pipelines.document import DOCS, PAGES
from pipelines.schema import TABLES


def walk(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, part in command.commands.items() if isinstance(command, click.Group) else ():
        yield from walk(part, f"{path} {name}")


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


def test_commands_page_explains_every_option() -> None:
    text = PAGES["commands.md"]()
    for path, command in walk(main, "medexams"):
        section = text.split(f"## {path}\n")[1].split("\n## ")[0]
        for option in (p for p in command.params if isinstance(p, click.Option)):
            assert option.help and option.opts[0] in section, f"{path} {option.opts[0]}"


def test_schema_page_names_every_column() -> None:
    text = PAGES["schema.md"]()
    for table in TABLES.values():
        section = text.split(f"### {table.name}\n")[1].split("\n### ")[0]
        assert table.description in section
        assert all(f"| {c} |" in section or f"| **{c}** |" in section for c in table.column_names)
