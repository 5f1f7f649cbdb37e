"""The pages of docs/ that are made from code and data, so that they can't differ from it: schema.md and rules.md.

`python -m pipelines.document` writes them (make docs); a test compares. What is written by hand is not here.
"""

from __future__ import annotations

from pathlib import Path

from pipelines.schema import TABLES, Table
from pipelines.scoring import document as rules

DOCS = Path(__file__).resolve().parents[1] / "docs"

_STAGES = {
    "questions": "Questions: what the exams ask",
    "runs": "Runs: what models answered",
    "scores": "Scores: what the answers earn",
    "rules": "Rules: the exams' own, as data",
}


def schema() -> str:
    """docs/schema.md: a picture of the keys, then every table with its columns."""
    parts = [
        "# Schema",
        "Made from `pipelines/schema.py` by `make docs`. Each table and column has the same text as a comment in the "
        "published file (`select * from duckdb_columns()`). Text is NFC, times are UTC, scores are decimals.",
        _picture(),
    ]
    for group, heading in _STAGES.items():
        parts.append(f"## {heading}")
        parts += [_table(t) for t in TABLES.values() if t.group == group]
    return "\n\n".join(parts) + "\n"


def _picture() -> str:
    lines = ["```mermaid", "erDiagram"]
    for table in TABLES.values():
        for r in table.references:
            optional = any(table.column(c).nullable for c in r.columns)
            unique = table.key == r.columns
            ends = f"{'|o' if optional else '||'}--{'o|' if unique else 'o{'}"
            lines.append(f'    {r.table} {ends} {table.name} : "{", ".join(r.columns)}"')
    for table in TABLES.values():
        lines.append(f"    {table.name} {{")
        for c in table.columns:
            marks = (["PK"] if c.name in table.key else []) + (
                ["FK"] if any(c.name in r.columns for r in table.references) else []
            )
            lines.append(f"        {c.type.split('(')[0]} {c.name} {', '.join(marks)}".rstrip())
        lines.append("    }")
    return "\n".join([*lines, "```"])


def _table(table: Table) -> str:
    lines = [f"### {table.name}", "", table.description, ""]
    key = f"Key: {', '.join(f'`{k}`' for k in table.key)}." if table.key else "No key: a log."
    refers = "; ".join(f"`{', '.join(r.columns)}` → `{r.table}`" for r in table.references)
    lines += [
        key + (f" Refers to: {refers}." if refers else ""),
        "",
        "| column | type | null | meaning |",
        "|---|---|---|---|",
    ]
    for c in table.columns:
        name = f"**{c.name}**" if c.name in table.key else c.name
        lines.append(f"| {name} | {c.type} | {'yes' if c.nullable else ''} | {c.comment.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


PAGES = {"schema.md": schema, "rules.md": rules.render}


def main() -> None:
    """Write all pages."""
    for name, render in PAGES.items():
        (DOCS / name).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
