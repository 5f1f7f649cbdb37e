"""Sources that are broken in any way: what comes in is a release whose tables hold, or one sentence; never a defect.

Each example is a small source, spoiled, through the whole path of a refresh: fetched, read, made into tables, checked.
Hypothesis shrinks what fails. Its seed is fixed, so that a failure here is the same everywhere. MEDEXAMS_FUZZ_SEED
names another one, MEDEXAMS_FUZZ_EXAMPLES how many for each source; 60 (300 in all) take about four minutes.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from pipelines import stages
from pipelines.errors import MedexamsError
from pipelines.registry import sources
from pipelines.settings import Settings
from tests.unit.test_igakuqa import PAPERS
from tests.web import bank

SEED = int(os.environ.get("MEDEXAMS_FUZZ_SEED", "20261201"))
EXAMPLES = int(os.environ.get("MEDEXAMS_FUZZ_EXAMPLES", "10"))
POISON: list[Any] = [
    None, True, -1, 0, 10**30, 1e308, float("nan"), "", " ", "\ud800", "\0", "x" * 100_000, "9999-99-99", "<b", "&#0;",
    "&#xD800;", "A\x1b[31m", "a,c", "①", [], {}, [[]], {"id": None}, [None], ["\ud800"],
]  # fmt: skip
Files = dict[str, bytes]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def files_of(name: str) -> Files:
    """A small whole source: the bundled sample, a saved bank, or papers made up for the tests of IgakuQA."""
    source = sources()[name]
    path = source.benchmark.folder / str(source.card.sample)
    if path.is_dir():
        return {p.relative_to(path).as_posix(): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
    if path.is_file():
        return {path.name: path.read_bytes()}
    if name == "igakuqa":
        return {f"data/{paper}": lines(rows) for paper, rows in PAPERS.items()}
    return {"bank.json": json.dumps(bank(12)).encode()}


NAMES = ("medschool", "mur", "cognet", "kokushi", "igakuqa")
WHOLE = {name: files_of(name) for name in NAMES}


# ---- what may happen to a file -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spoil:
    """One change of one file: of what kind, where (0 to 1 of what there is), and with what."""

    kind: str
    file: float
    at: float
    value: Any


def _values(body: bytes, spoil: Spoil) -> bytes:
    """A value of the JSON in the file, or a cell of a table, replaced by another one."""
    try:
        rows = [json.loads(body)] if body[:1] == b"[" else [json.loads(line) for line in body.splitlines()]
    except ValueError:
        cells = body.decode("utf-8", "replace").split(",")
        cells[_place(spoil.at, cells)] = str(spoil.value)
        return ",".join(cells).encode("utf-8", "surrogatepass")
    spots: list[tuple[Any, Any]] = []
    stack: list[Any] = [rows]
    while stack:
        node = stack.pop()
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            spots.append((node, key))
            if isinstance(value, (dict, list)):
                stack.append(value)
    node, key = spots[_place(spoil.at, spots)]
    node[key] = spoil.value
    return json.dumps(rows[0]).encode() if body[:1] == b"[" else b"\n".join(json.dumps(r).encode() for r in rows)


def _keys(body: bytes, spoil: Spoil) -> bytes:
    """A name of a field or column that is another one, everywhere."""
    names = sorted({part for part in body.replace(b",", b'"').split(b'"') if re.fullmatch(rb"\w+", part)})
    return body.replace(names[_place(spoil.at, names)], b"other") if names else body


def _place(at: float, of: Any) -> int:
    return min(int(at * len(of)), len(of) - 1)


CHANGES: dict[str, Callable[[bytes, Spoil], bytes]] = {
    "value": _values,
    "key": _keys,
    "cut": lambda body, s: body[: int(s.at * len(body))],
    "byte": lambda body, s: body[: (i := int(s.at * len(body)))] + b"\xff\0" + body[i + 1 :],
    "twice": lambda body, s: body + b"\n" + body[int(s.at * len(body)) :],
    "recoded": lambda body, s: body.decode("utf-8", "replace").encode("utf-16" if s.at < 0.5 else "cp932", "replace"),
    "deep": lambda body, s: body[: (i := int(s.at * len(body)))] + b'[{"a":' * 20_000 + body[i:],
    "empty": lambda body, s: b"",
    "page": lambda body, s: b"<!doctype html><title>503</title>",
}

SPOILS = st.lists(
    st.builds(Spoil, st.sampled_from(sorted(CHANGES)), st.floats(0, 1), st.floats(0, 1), st.sampled_from(POISON)),
    min_size=1,
    max_size=3,
)


# ---- and what must hold then --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_spoiled_source_gives_tables_that_hold_or_one_sentence(name: str) -> None:
    @seed(SEED)
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(SPOILS)
    def spoiled(spoils: list[Spoil]) -> None:
        files = dict(WHOLE[name])
        for spoil in spoils:
            file = sorted(files)[_place(spoil.file, files)]
            files[file] = CHANGES[spoil.kind](files[file], spoil)
        outcome(name, files)

    outcome(name, WHOLE[name])
    spoiled()


def outcome(name: str, files: Files) -> None:
    """Refresh one source from files: rows in are rows kept and rejected, or a MedexamsError of one line."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "given"
        for file, body in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(body)
        card = sources()[name].card
        given = folder / next(iter(files)) if len(files) == 1 else folder
        settings = Settings.from_env({card.variable: str(given)}, data=Path(place) / "data")
        try:
            stages.fetch(settings, name)
            stages.build_questions(settings, stages.open_store(settings))
        except MedexamsError as fault:
            assert str(fault).strip() and "\n" not in str(fault) and len(str(fault)) < 2000
            return
        store = stages.open_store(settings)
        kept, said = store.read("question"), store.read("dataset")
        assert kept.height == said["n_questions"].sum()
        assert set(store.read("choice")["question_id"]) <= set(kept["question_id"])
        assert all(store.read("rejected_row")["reason"])
