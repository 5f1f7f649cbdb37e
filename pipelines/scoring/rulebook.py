"""The rules of the exams, read from the benchmarks' folders rules/ and checked: objects (rules.py) and the rule tables.

A folder's rules/ may hold points.toml (points of an answer, weights of subjects, use cases), lines.csv, layout.csv,
adjusted.toml and reported.csv; a folder with points.toml is a benchmark, one without is shared by those that ask its
exams. A new exam year is a change of these files only.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.errors import SettingsError, Unreadable
from pipelines.registry import benchmarks
from pipelines.schema import TABLES
from pipelines.scoring.rules import Adjusted, ItemRule, Layout, Line, Reported, Rulebook, Topic, UseCase, meets
from pipelines.text.readers import csv_rows
from pipelines.vocabulary import ADJUSTED_KINDS, RULE_STATUSES, RULESETS

TABLE_NAMES = (
    "rule_item", "rule_topic", "rule_use_case", "rule_component", "rule_layout", "rule_adjusted", "reported_result",
)  # fmt: skip


@dataclass(frozen=True)
class _File:
    """One rule file: its place for messages, the benchmark whose folder it stands in (None: shared), its text."""

    place: str
    benchmark: str | None
    text: str

    def fault(self, what: str, line: int | None = None) -> SettingsError:
        return SettingsError(f"{self.place}: {'' if line is None else f'line {line}: '}{what}")

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The rows of a CSV file, each with its line number."""
        try:
            header, rows = csv_rows(self.text.encode())
        except Unreadable as fault:
            raise self.fault(f"{fault.reason} ({fault.detail})") from None
        for number, row in zip(rows.numbers, rows.values, strict=True):
            yield number, dict(zip(header, row, strict=True))


def _files(folders: Iterable[Path], name: str) -> list[_File]:
    found = []
    for folder in sorted(folders, key=lambda f: f.name):
        file = folder / "rules" / name
        if file.is_file():
            benchmark = folder.name if (folder / "rules" / "points.toml").is_file() else None
            found.append(_File(f"{folder.name}/rules/{name}", benchmark, file.read_text(encoding="utf-8")))
    return found


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _points(text: str) -> Decimal | None:
    return Decimal(text) if text else None


def _documents(folders: Iterable[Path]) -> Iterator[tuple[_File, str, dict[str, Any]]]:
    for file in _files(folders, "points.toml"):
        try:
            yield file, str(file.benchmark), tomllib.loads(file.text)
        except (tomllib.TOMLDecodeError, KeyError) as fault:
            raise file.fault(f"can't be read ({fault})") from None


def _items(file: _File, benchmark: str, document: dict[str, Any]) -> Iterator[ItemRule]:
    for ruleset in RULESETS:
        try:
            rule = document["item"][ruleset]
            points = {k: Decimal(rule[k]) for k in ("any_right", "exact", "each_wrong", "any_wrong")}
            yield ItemRule(
                benchmark=benchmark, ruleset=ruleset, reads=rule["reads"], **points, weighted=rule["weighted"],
                credits_all=rule["credits_all"], status=rule["status"], source=rule["source"], note=rule["note"],
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, InvalidOperation) as fault:
            raise file.fault(f"[item.{ruleset}] can't be read ({fault!r})") from None


def _topics(file: _File, benchmark: str, document: dict[str, Any]) -> list[Topic]:
    if "exam" not in document:
        return []
    try:
        topics = [Topic(benchmark, name, int(weight)) for name, weight in document["exam"]["subjects"].items()]
        total = int(document["exam"]["questions"])
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise file.fault(f"[exam] can't be read ({fault!r})") from None
    if sum(t.weight for t in topics) != total:
        raise file.fault("the subjects' questions don't add up to the exam's")
    return topics


def _use_cases(file: _File, benchmark: str, document: dict[str, Any]) -> Iterator[UseCase]:
    for case in document.get("use_case", []):
        try:
            found = UseCase(
                benchmark, case["name"], case["kind"], Decimal(case.get("share", "1")), case.get("seed"), case["source"]
            )
        except (KeyError, TypeError, InvalidOperation) as fault:
            raise file.fault(f"a [[use_case]] can't be read ({fault!r})") from None
        allowed = TABLES["rule_use_case"].column("kind").values
        if found.kind not in allowed or (found.kind == "sample") != (found.seed is not None):
            raise file.fault(f"use case {found.use_case}: kind is one of {allowed}, and a sample has a seed")
        yield found


def _lines(folders: Iterable[Path]) -> tuple[Line, ...]:
    lines: list[Line] = []
    seen = set()
    for file in _files(folders, "lines.csv"):
        for number, row in file.rows():
            line = _line(file, number, row)
            key = (line.ruleset, line.profession, line.year, line.component)
            if key in seen:
                raise file.fault(f"{key} stands there twice", number)
            seen.add(key)
            lines.append(line)
    return tuple(lines)


def _line(file: _File, number: int, row: dict[str, str]) -> Line:
    try:
        line = Line(
            row["ruleset"], file.benchmark, row["profession"], int(row["year"]), row["component"], row["kind"],
            _whole(row["first_number"]), _whole(row["last_number"]), _points(row["max_points"]), _points(row["line"]),
            row["basis"], _whole(row["percent"]), row["status"], row["source"], row["note"] or None,
        )  # fmt: skip
    except (KeyError, ValueError, InvalidOperation) as fault:
        raise file.fault(f"can't be read ({fault!r})", number) from None
    for column in ("ruleset", "kind", "basis", "status"):
        allowed = TABLES["rule_component"].column(column).values
        if getattr(line, column) not in allowed:
            raise file.fault(f"{column} is {getattr(line, column)!r}, not one of {allowed}", number)
    if not line.source:
        raise file.fault("no source is given; say where it was read, or 'not found'", number)
    if line.ruleset == "published" and line.benchmark is None:
        raise file.fault("a released scorer's line belongs into the folder of its benchmark", number)
    stated = None not in (line.percent, line.max_points)
    if stated and line.line is not None and not _is_sharp(line, line.line):
        raise file.fault(f"{line.line} points aren't {line.percent} % of {line.max_points}", number)
    if line.line is None and line.status != "unverified":
        raise file.fault(f"a line that was not found can't be {line.status!r}", number)
    return line


def _is_sharp(line: Line, points: Decimal) -> bool:
    """Whether `points` is the lowest whole number that the line's share of the official maximum asks for."""
    return [meets(line.basis, line.percent, None, p, line.max_points) for p in (points - 1, points)] == [False, True]


def _layouts(folders: Iterable[Path]) -> Iterator[Layout]:
    for file in _files(folders, "layout.csv"):
        for number, row in file.rows():
            try:
                layout = Layout(
                    row["profession"], int(row["first_year"]), int(row["last_year"]), row["paper"],
                    int(row["first_number"]), int(row["last_number"]), row["component"] or None,
                    _whole(row["points"]), row["status"], row["source"],
                )  # fmt: skip
            except (KeyError, ValueError) as fault:
                raise file.fault(f"can't be read ({fault!r})", number) from None
            if layout.status not in RULE_STATUSES or not layout.source or layout.first_number > layout.last_number:
                raise file.fault("the status, the source or the question numbers are wrong", number)
            yield layout


def _adjusted(folders: Iterable[Path]) -> dict[tuple[str, int, str, int], Adjusted]:
    """By profession, year, paper and number; a stated kind goes before an unstated one."""
    found: dict[tuple[str, int, str, int], Adjusted] = {}
    for file in _files(folders, "adjusted.toml"):
        try:
            announcements = tomllib.loads(file.text)["announcement"]
            listed = [(group, question) for group in announcements for question in group["questions"]]
            for group, q in listed:
                one = Adjusted(
                    group["profession"], int(group["year"]), q.get("paper", "all"), int(q["number"]), q["kind"],
                    tuple(tuple(answer) for answer in q.get("accepted", ())), group["source"],
                    "unverified" if group["confidence"] == "unverified" else "sourced",
                )  # fmt: skip
                place = (one.profession, one.year, one.paper, one.number)
                known = found.get(place)
                if one.kind not in ADJUSTED_KINDS:
                    raise file.fault(f"{place}: kind is {one.kind!r}, not one of {ADJUSTED_KINDS}")
                if known and "unstated" not in (known.kind, one.kind):
                    raise file.fault(f"{place} is listed twice")
                if known is None or known.kind == "unstated":
                    found[place] = one
        except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as fault:
            raise file.fault(f"can't be read ({fault!r})") from None
    return found


def _reported(folders: Iterable[Path]) -> Iterator[Reported]:
    for file in _files(folders, "reported.csv"):
        for number, row in file.rows():
            try:
                found = Reported(
                    row["source"], row["model"], str(file.benchmark), row["profession"] or None, _whole(row["year"]),
                    row["component"] or None, row["modality"] or None, row["metric"], Decimal(row["value"]),
                    row["locator"],
                )  # fmt: skip
            except (KeyError, TypeError, ValueError, InvalidOperation) as fault:
                raise file.fault(f"can't be read ({fault!r})", number) from None
            metrics = TABLES["reported_result"].column("metric").values
            if not (found.source and found.locator and file.benchmark) or found.metric not in metrics:
                raise file.fault(
                    f"source, locator and a metric of {metrics} are needed, in a benchmark's folder", number
                )
            yield found


def load(folders: Iterable[Path] | None = None) -> Rulebook:
    """Read and check the rules/ of `folders` (default: all benchmarks'). Raises SettingsError with file and line."""
    if folders is None:
        folders = {rules.parent for benchmark in benchmarks().values() for rules in benchmark.rule_folders}
    folders = list(folders)
    documents = list(_documents(folders))
    return Rulebook(
        items=tuple(x for d in documents for x in _items(*d)),
        topics=tuple(x for d in documents for x in _topics(*d)),
        use_cases=tuple(x for d in documents for x in _use_cases(*d)),
        lines=_lines(folders),
        layouts=tuple(_layouts(folders)),
        adjusted=_adjusted(folders),
        reported=tuple(_reported(folders)),
        documents={benchmark: document for _, benchmark, document in documents},
    )


@cache
def rulebook() -> Rulebook:
    """The rules of all benchmarks, read once."""
    return load()


def tables(rules: Rulebook | None = None) -> dict[str, pl.DataFrame]:
    """The rule tables by name, with exactly the schema's columns."""
    rules = rules or rulebook()
    unstated = {b.name for b in benchmarks().values() if not b.card.states_how_many}
    rows: dict[str, list[dict[str, object]]] = {
        "rule_item": [asdict(x) | {"states_how_many": x.benchmark not in unstated} for x in rules.items],
        "rule_topic": [asdict(x) for x in rules.topics],
        "rule_use_case": [asdict(x) for x in rules.use_cases],
        "rule_component": [asdict(x) for x in rules.lines],
        "rule_layout": [asdict(x) for x in rules.layouts],
        "rule_adjusted": [
            {
                "exam": f"{x.profession}/{x.year}", "profession": x.profession, "year": x.year, "paper": x.paper,
                "number": x.number, "kind": x.kind, "words": x.words, "source": x.source, "status": x.status,
            }
            for x in rules.adjusted.values()
        ],
        "reported_result": [asdict(x) | {"scope": x.scope} for x in rules.reported],
    }  # fmt: skip
    return {name: TABLES[name].frame(rows[name]) for name in TABLE_NAMES}


def state_of(table: str) -> str:
    """What a rule table records of what it was made from: the name of its rule files' state."""
    return f"state of the rule files ({table})"


def states(rules: Rulebook | None = None) -> dict[str, str]:
    """Fingerprint of each rule table as the files would make it now, by state_of."""
    return _states_now() if rules is None else _states(rules)


@cache
def _states_now() -> dict[str, str]:
    return _states(rulebook())


def _states(rules: Rulebook) -> dict[str, str]:
    return {
        state_of(name): hashlib.sha256(frame.write_csv().encode()).hexdigest()[:16]
        for name, frame in tables(rules).items()
    }
