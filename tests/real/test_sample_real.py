"""The sample shares no question with the real banks: it is written for this project."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from pipelines import benchmarks

BENCHMARKS = Path(benchmarks.__file__).parent
SHORTEST = 12
"""Letters below which two stems may agree by chance ("x = 2?")."""
OPTIONS = re.compile(r"\s\(?[Aa][.):]\s")


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", re.sub(r"<[^>]*>|&#?\w+;", " ", text)).casefold()
    return re.sub(r"[\W_]+", "", plain)


def medschool(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*mur_bank*.json")):
        yield from (q["domanda"] for q in json.loads(path.read_text("utf-8"))["content"])
    for line in (folder / "medical_school_questions.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)["text"]


def cognet(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from (OPTIONS.split(row["Questions"])[0] for row in csv.DictReader(file))


def kokushi(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("exams/JA/*/*.json")):
        yield from (q["question"] for q in json.loads(path.read_text("utf-8")))


def stems(texts: Iterator[str]) -> set[str]:
    return {found for text in texts if len(found := letters(text)) >= SHORTEST}


def runs(texts: set[str], size: int) -> set[str]:
    return {text[i : i + size] for text in texts for i in range(len(text) - size + 1)}


def test_no_question_is_shared(shared: Path) -> None:
    data = shared / "data"
    pairs = (
        (medschool(BENCHMARKS / "medschool" / "sample"), medschool(data / "medschool"), 40),
        (cognet(BENCHMARKS / "cognet_md" / "sample" / "cognet.csv"), cognet(data / "cognet" / "cognet_sample.csv"), 40),
        (kokushi(BENCHMARKS / "kokushi_md10" / "sample" / "kokushi"), kokushi(data / "kokushi"), 40),
    )
    for own, real, size in pairs:
        ours, theirs = stems(own), stems(real)
        assert ours and theirs
        assert not ours & theirs
        long_runs = runs(ours, size) & runs(theirs, size)
        usual = {run for run in long_runs if "四捨五入" in run or "小数" in run or "seguentiaffermazioni" in run}
        assert not long_runs - usual, sorted(long_runs - usual)[:5]
