"""Pages made from code equal what the code says now."""

from __future__ import annotations

import pytest

from pipelines.document import DOCS, PAGES
from pipelines.schema import TABLES


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


def test_schema_page_names_every_column() -> None:
    text = PAGES["schema.md"]()
    for table in TABLES.values():
        section = text.split(f"### {table.name}\n")[1].split("\n### ")[0]
        assert table.description in section
        assert all(f"| {c} |" in section or f"| **{c}** |" in section for c in table.column_names)
