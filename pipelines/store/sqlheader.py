"""The header of a file of sql/: the comment lines at its top, one grammar for tables, views, checks and queries.

    -- What the statement gives, as a sentence or a question; it may go on over several lines.
    -- name: a note, which may go on over lines that begin with more than one space
    --
    -- Anything else, for whoever reads the file.

Notes of a view are its columns and, for a macro, `parameters`. A table's columns are explained in the schema alone, so
that there `name: …` is prose like the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Header:
    """What a file says of itself, and its statement without the header and the closing semicolon."""

    says: str
    notes: dict[str, str] = field(default_factory=dict)
    statement: str = ""


def read(path: Path, notes: tuple[str, ...] | None = ()) -> Header:
    """The header of a file. `notes`: the notes that its kind may have; None: any. Raises ValueError for another."""
    lines = path.read_text(encoding="utf-8").rstrip().rstrip(";").split("\n")
    length = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    comment = [line[2:].removeprefix(" ").rstrip() for line in lines[:length]]
    says: list[str] = []
    found: dict[str, str] = {}
    name, in_first = None, True
    for line in comment:
        note = re.fullmatch(r"(\w+): (.+)", line) if says and notes != () else None
        if note:
            name = note[1]
            found[name] = note[2]
        elif name and line.startswith("  "):
            found[name] += f" {line.strip()}"
        elif line and in_first and not name:
            says.append(line)
        else:
            name, in_first = None, False
    sentence = " ".join(says).removeprefix(f"{path.stem}: ")
    if not re.search(r"[.?)…]$", sentence):
        raise ValueError(f"{path.name}: begin it with a comment that says what it gives, as a sentence")
    if notes is not None and (unknown := found.keys() - set(notes)):
        raise ValueError(f"{path.name}: its header has a note {sorted(unknown)[0]!r}; known are {', '.join(notes)}")
    return Header(sentence, found, "\n".join(lines[length:]).strip("\n"))
