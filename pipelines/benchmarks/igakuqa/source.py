"""IgakuQA (Kasai et al. 2023): the 医師 exams of 2018 to 2022, one JSON line a question.

<year>/<round>-<paper>.jsonl holds the questions, <round>-<paper>_metadata.jsonl beside it their subjects, forbidden
choices and the examinees' accuracy, by problem_id ("114A1": round, paper, number). KokushiMD-10 asks the same exams:
a line with its metadata becomes that source's neutral row, and its code reads keys, labels, parts and corrections.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import Any

from pipelines.address import is_url
from pipelines.archive.files import fetch_address, release_name, snapshot
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot, StoredFile
from pipelines.benchmarks.japanese_exams.exams import PROFESSIONS, round_of
from pipelines.benchmarks.japanese_exams.items import items_of
from pipelines.benchmarks.japanese_exams.layouts import Row, parse, row_of
from pipelines.errors import SourceError
from pipelines.progress import Progress
from pipelines.questions.item import Dataset, Reading, Rejected
from pipelines.registry.card import source_of
from pipelines.settings import Settings

SOURCE = source_of(__file__, "igakuqa")
PROFESSION = "医師"
_ROUNDS = {year: round_of(PROFESSIONS[PROFESSION], year) for year in range(2018, 2023)}
_PAPER = re.compile(r"(?P<paper>1\d\d-[A-F])(?P<meta>_metadata)?\.jsonl")
_PROBLEM = re.compile(r"(?P<year>1\d\d)(?P<paper>[A-F])(?P<index>[1-9]\d{0,2})")
_FILES = ("1??-[A-F].jsonl", "1??-[A-F]_metadata.jsonl")


def fetch(settings: Settings, session: Session, landing: Landing, progress: Progress) -> Snapshot:
    """Archive both files of every paper. Raises SourceError.

    The address is a local folder (the repository's, its data/, or one year of it) or the URL that stands before
    2018/112-A.jsonl.
    """
    address = settings.address(SOURCE)
    files: list[StoredFile] = []
    if is_url(address):
        for year, number in _ROUNDS.items():
            for name in (f"{number}-{paper}{kind}.jsonl" for paper in "ABCDEF" for kind in ("", "_metadata")):
                files += fetch_address(f"{address.rstrip('/')}/{year}/{name}", session, landing, progress)
    else:
        patterns = [f"{folder}{name}" for folder in ("data/*/", "*/", "") for name in _FILES]
        files = fetch_address(address, session, landing, progress, patterns)
    rows, rejected = _rows(files, landing)
    if not rows:
        why = rejected[0].reason if rejected else "the files are empty"
        raise SourceError(f"{address}: no line is a question of IgakuQA ({why}); name the folder that holds data/")
    years = sorted({row.year for row in rows.values()})
    span = str(years[0]) if len(years) == 1 else f"{years[0]}-{years[-1]}"
    shot = snapshot(SOURCE.name, span, address, files, is_sample=False)
    release = release_name(landing, SOURCE.name, [span, f"{span}-{shot.sha256[:8]}"], shot.sha256)
    return snapshot(SOURCE.name, release, address, files, is_sample=False)


def read(shot: Snapshot, landing: Landing) -> Reading:
    """Every line as an item or a rejected row, also a line of metadata that belongs to no question."""
    rows, rejected = _rows(shot.files, landing)
    held = sorted({row.year for row in rows.values()})
    missing = ", ".join(str(year) for year in _ROUNDS if year not in held)
    dataset = Dataset(
        benchmark="igakuqa", release=shot.release, title=f"{SOURCE.title} ({PROFESSION} {', '.join(map(str, held))})",
        language="ja", licence=SOURCE.licence, origin=shot.origin, sha256=shot.sha256,
        fetched_at=shot.fetched_at, published_count=SOURCE.published_count, is_sample=shot.is_sample,
        source=SOURCE.name,
        count_note=f"the published count is over five exams; the files lack {missing}" if missing else None,
    )  # fmt: skip
    return Reading(dataset, items_of(rows), rejected)


def _rows(files: list[StoredFile] | tuple[StoredFile, ...], landing: Landing) -> tuple[dict[str, Row], list[Rejected]]:
    """Rows by problem_id, each with its metadata, and what is none. Raises SourceError when a file is missing."""
    papers = {m["paper"]: f for f in files if (m := _PAPER.fullmatch(f.name.rpartition("/")[2])) and not m["meta"]}
    details = {m["paper"]: f for f in files if (m := _PAPER.fullmatch(f.name.rpartition("/")[2])) and m["meta"]}
    if alone := sorted(papers.keys() ^ details.keys()):
        raise SourceError(f"{alone[0]}.jsonl and {alone[0]}_metadata.jsonl belong together, and one of them is missing")
    rows: dict[str, Row] = {}
    rejected: list[Rejected] = []
    for paper, file in papers.items():
        known = _by_problem(details[paper], landing, rejected)
        for problem, (locator, line) in _by_problem(file, landing, rejected).items():
            more = known.pop(problem, ("", {}))[1]
            found = _PROBLEM.fullmatch(problem)  # _by_problem lets nothing else through
            place = {"profession": PROFESSION, **(found.groupdict() if found else {})}
            row = row_of(locator, more | line | _lettered(line), place, "ja")
            if isinstance(row, Row) and problem not in rows:
                rows[problem] = row
            else:
                reason = f"{problem} stands in another file too" if isinstance(row, Row) else row.reason
                rejected.append(Rejected(locator, reason, row.raw))
        for problem, (locator, line) in known.items():
            rejected.append(Rejected(locator, f"the metadata of {problem}, which is not a question here", str(line)))
    return rows, rejected


def _lettered(line: dict[str, Any]) -> dict[str, Any]:
    """The choices by the letters that the key calls them, whatever they begin with ("① 舌知覚")."""
    choices = line.get("choices")
    return {"choices": dict(zip(ascii_lowercase, choices, strict=False))} if isinstance(choices, list) else {}


def _by_problem(file: StoredFile, landing: Landing, rejected: list[Rejected]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Locator and object of each line of a file, by problem_id; a line without a new one is added to `rejected`."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for locator, line in parse(landing.get(file.sha256), file.name):
        problem = str(line.get("problem_id")) if isinstance(line, dict) else ""
        if not _PROBLEM.fullmatch(problem):
            rejected.append(Rejected(locator, "problem_id is not like 114A1 (round, paper, number)", str(line)))
        elif problem in found:
            rejected.append(Rejected(locator, f"{problem} stands on an earlier line too", str(line)))
        else:
            found[problem] = (locator, line)
    return found
