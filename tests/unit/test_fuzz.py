"""Sources and prediction files broken at random, through the whole path of a file: rows or one sentence, within 1 GB.

Hypothesis keeps what failed in .hypothesis and tries it first; what was found and mended stands in KEPT for good.
MEDEXAMS_FUZZ=3000 tries that many of each in place of 300.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines import stages
from pipelines.archive.landing import Landing
from pipelines.errors import MedexamsError
from pipelines.questions.item import sound
from pipelines.questions.unify import unify
from pipelines.registry import sources
from pipelines.runs import importing
from pipelines.schema import TABLES
from pipelines.settings import OFF, Settings
from pipelines.text.limits import Limits
from tests.fuzzing import Edit, Files, at_most, edited, edits
from tests.unit.test_igakuqa import PAPERS
from tests.unit.test_kokushi import row as kokushi_row
from tests.unit.test_runs_formats import SAMPLES
from tests.web import bank

EACH = int(os.environ.get("MEDEXAMS_FUZZ", "300"))
COGNET = """Questions,CorrectResponse,Specialty
"Which vitamin prevents scurvy? A. Vitamin A B. Vitamin C C. Iron D. Zinc",B,Dentistry
"Which signs belong to it?
A. Ptosis
B. Miosis
C. Fever",A-B,Dermatology
Which? a) one b) two c) three,C,Psychiatry
"""


def lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


RELEASED = [
    {"id": i, "topic": "chimica", "text": f"Quale &lt;b&gt; {i}?", "answers": [*"vwxyz"], "label": i % 5}
    for i in range(6)
]
KOKUSHI = [
    kokushi_row("1"),
    kokushi_row("2", answer=["a", "c"], question="2つ選べ。", kinki=["e"]),
    kokushi_row("3", answer="12", a=..., b=..., c=..., d=..., e=..., question="値を求めよ。解答: ①②"),
]
HUB = [{"id": f"医師_2020_a_{i}", "question": f"設問{i}", "choices": [*"甲乙丙"], "answer": "b"} for i in range(1, 4)]
PICTURED = [q | {"domanda": q["domanda"] + "<img src='/api/v1/image/1'>", "branoId": "a-b"} for q in bank(8)]

SOURCES: dict[str, tuple[str, str, Files]] = {
    "cognet csv": ("cognet", "c.csv", {"c.csv": COGNET.encode()}),
    "kokushi folder": ("kokushi", "", {
        "exams/JA/医師/医師_2020_a.json": json.dumps(KOKUSHI, ensure_ascii=False).encode(),
        "exams/JA/看護/看護_2021_b.json": json.dumps(KOKUSHI, ensure_ascii=False).encode(),
    }),
    "kokushi lines": ("kokushi", "train_ja.jsonl", {"train_ja.jsonl": lines(HUB)}),
    "medschool lines": ("medschool", "r.jsonl", {"r.jsonl": lines(RELEASED)}),
    "mur bank": ("mur", "bank.json", {"bank.json": json.dumps(PICTURED).encode()}),
    "igakuqa folder": ("igakuqa", "", {name: lines(rows) for name, rows in PAPERS.items()}),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def bounded() -> Iterator[None]:
    with at_most(1024):
        yield


def refreshed(name: str, address: str, files: Files, *, is_stored: bool) -> int:
    """Fetch the files as a source and make question tables of them: how many questions. Raises MedexamsError.

    Storing the tables takes most of the time; without it, they are made in memory.
    """
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, "in"), files)
        addresses = {s.card.variable: OFF for s in sources().values()}
        addresses[sources()[name].card.variable] = str(Path(folder, "in", address))
        chosen = Settings.from_env(addresses, data=Path(folder, "data"))
        shot = stages.fetch(chosen, name)
        assert shot is not None
        if is_stored:
            return stages.build_questions(chosen, stages.open_store(chosen))["question"].rows
        frames = unify([sound(sources()[name].read(shot, Landing(chosen.data)))])
        for table, frame in frames.items():
            schema: Any = TABLES[table].polars_schema()
            frame.select(list(schema)).cast(schema).write_parquet(io.BytesIO())
        return frames["question"].height


def write(folder: Path, files: Files) -> None:
    for path, body in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)


@pytest.mark.parametrize("which", SOURCES)
def test_sources_are_sound_before_they_are_broken(which: str) -> None:
    assert refreshed(*SOURCES[which], is_stored=True) >= 3


@settings(max_examples=EACH, deadline=None, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_a_broken_source_gives_rows_or_one_sentence(data: st.DataObject) -> None:
    name, address, files = SOURCES[data.draw(st.sampled_from(sorted(SOURCES)))]
    check_source(name, address, edited(files, data.draw(edits(files))), is_stored=data.draw(st.integers(0, 29)) == 29)


def check_source(name: str, address: str, files: Files, *, is_stored: bool = True) -> None:
    try:
        refreshed(name, address, files, is_stored=is_stored)
    except MedexamsError as said:
        assert "\n" not in str(said) and len(str(said)) < 2000


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "bank.json").write_text(json.dumps(bank(5)))
    addresses = {s.card.variable: OFF for s in sources().values()} | {"MEDEXAMS_MUR_API": str(folder / "bank.json")}
    chosen = Settings.from_env(addresses, data=folder / "data")
    stages.fetch(chosen, "mur")
    made = stages.open_store(chosen)
    stages.build_questions(chosen, made)
    return made


@settings(max_examples=EACH, deadline=None, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_a_broken_prediction_file_gives_rows(store: Any, data: st.DataObject) -> None:
    which = data.draw(st.sampled_from(sorted(SAMPLES)))
    check_predictions(store, edited(SAMPLES[which], data.draw(edits(SAMPLES[which]))))


def check_predictions(store: Any, files: Files) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), files)
        importing.read(store, [Path(folder)], Limits())
    rejected = store.read("rejected_file")
    assert rejected["reason"].is_not_null().all()
    assert [r for r in rejected["reason"] if "a defect of medexams" in r] == []


KEPT: list[tuple[str, list[Edit]]] = [
    ("medexams_ask ranked", [("ask/tiny/run.jsonl", 0.5, "remove", None)]),
]
"""What was found: the source or format, and the edits that broke it."""


@pytest.mark.parametrize(("which", "changes"), KEPT)
def test_what_was_found_stays_mended(store: Any, which: str, changes: list[Edit]) -> None:
    if which in SOURCES:
        name, address, files = SOURCES[which]
        check_source(name, address, edited(files, changes))
    else:
        check_predictions(store, edited(SAMPLES[which], changes))
