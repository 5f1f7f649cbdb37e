"""The rules of the exams, read from the benchmarks' folders rules/ and checked: data in, objects and rule tables out.

`tables()` gives the rule tables that sql/scores reads. A new exam year is a change of lines.csv and layout.csv only.
How points follow from the rules is SQL, and which questions were adjusted is the sources' matter: neither belongs here.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from math import ceil, floor
from typing import Any

import polars as pl

from pipelines.errors import SettingsError
from pipelines.schema import BENCHMARKS, RULE_STATUSES, RULESETS, TABLES

_SCORER = "kokushi_md10"
"""The benchmark whose released scorer the `published` lines are; the official ones hold for every benchmark."""
_ROOT = resources.files("pipelines.benchmarks")


@dataclass(frozen=True)
class ItemRule:
    """Points of one answer; see the table rule_item."""

    benchmark: str
    ruleset: str
    reads: str
    any_right: Decimal
    exact: Decimal
    each_wrong: Decimal
    any_wrong: Decimal
    weighted: bool
    credits_all: bool
    status: str
    source: str
    note: str


@dataclass(frozen=True)
class Line:
    """One line of one exam; see the table rule_component. `line` is None when it was not found."""

    ruleset: str
    benchmark: str | None
    profession: str
    year: int
    component: str
    kind: str
    first_number: int | None
    last_number: int | None
    max_points: Decimal | None
    line: Decimal | None
    basis: str
    percent: int | None
    status: str
    source: str
    note: str | None

    def needed(self, counted: Decimal | int) -> Decimal | None:
        """Points needed (or the number allowed) when `counted` points count; None when the line was not found."""
        if self.basis == "at_least" and self.percent is not None:
            return Decimal(ceil(Decimal(counted) * self.percent / 100))
        if self.basis == "more_than" and self.percent is not None:
            return Decimal(floor(Decimal(counted) * self.percent / 100) + 1)
        return self.line


@dataclass(frozen=True)
class Layout:
    """A run of questions of one paper; see the table rule_layout. `paper` 'all': numbered through the exam."""

    profession: str
    first_year: int
    last_year: int
    paper: str
    first_number: int
    last_number: int
    component: str | None
    points: int | None
    status: str
    source: str


@dataclass(frozen=True)
class Rulebook:
    """Every rule. `weights`: Medschool-Test's questions per subject; `beta`: COGNET-MD's half sample (share, seed)."""

    items: tuple[ItemRule, ...]
    lines: tuple[Line, ...]
    layouts: tuple[Layout, ...]
    weights: dict[str, int]
    beta: tuple[Decimal, int]
    documents: dict[str, dict[str, Any]]
    """The TOML files as read, for the documentation."""

    def of_exam(self, ruleset: str, profession: str, year: int) -> list[Line]:
        """The lines of one exam under one ruleset; empty when there are none."""
        return [x for x in self.lines if (x.ruleset, x.profession, x.year) == (ruleset, profession, year)]

    def layout(self, profession: str, year: int) -> list[Layout]:
        """The layout of one exam; empty when it is not known."""
        return [x for x in self.layouts if x.profession == profession and x.first_year <= year <= x.last_year]


def _fault(file: str, what: str) -> SettingsError:
    return SettingsError(f"{file}: {what}")


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _points(text: str) -> Decimal | None:
    return Decimal(text) if text else None


def _files(root: Traversable, name: str) -> list[tuple[str, str]]:
    """Path below `root` and text of the files FOLDER/rules/`name`, by folder."""
    found = []
    for folder in sorted((f for f in root.iterdir() if f.is_dir()), key=lambda f: f.name):
        file = folder / "rules" / name
        if file.is_file():
            found.append((f"{folder.name}/rules/{name}", file.read_text(encoding="utf-8")))
    return found


def _rows(root: Traversable, name: str) -> list[tuple[str, int, dict[str, str]]]:
    return [
        (file, number, row)
        for file, text in _files(root, name)
        for number, row in enumerate(csv.DictReader(text.splitlines()), 2)
    ]


def _lines(root: Traversable) -> tuple[Line, ...]:
    lines: list[Line] = []
    seen = set()
    for file, number, row in _rows(root, "lines.csv"):
        try:
            line = Line(
                row["ruleset"], None if row["ruleset"] == "official" else _SCORER, row["profession"],
                int(row["year"]), row["component"], row["kind"],
                _whole(row["first_number"]), _whole(row["last_number"]), _points(row["max_points"]),
                _points(row["line"]), row["basis"], _whole(row["percent"]), row["status"], row["source"],
                row["note"] or None,
            )  # fmt: skip
        except (KeyError, ValueError, InvalidOperation) as fault:
            raise _fault(file, f"line {number} can't be read ({fault!r})") from None
        for column in ("ruleset", "kind", "basis", "status"):
            allowed = TABLES["rule_component"].column(column).values
            if getattr(line, column) not in allowed:
                raise _fault(file, f"line {number}: {column} is {getattr(line, column)!r}, not one of {allowed}")
        key = (line.ruleset, line.profession, line.year, line.component)
        if key in seen:
            raise _fault(file, f"line {number}: {key} stands there twice")
        seen.add(key)
        if not line.source:
            raise _fault(file, f"line {number}: no source is given; say where it was read, or 'not found'")
        if line.max_points is not None and line.line is not None and line.needed(line.max_points) != line.line:
            raise _fault(file, f"line {number}: {line.line} points aren't {line.percent} % of {line.max_points}")
        if line.line is None and line.status == "sourced":
            raise _fault(file, f"line {number}: a line that was not found can't be 'sourced'")
        lines.append(line)
    return tuple(lines)


def _layouts(root: Traversable) -> tuple[Layout, ...]:
    layouts = []
    for file, number, row in _rows(root, "layout.csv"):
        try:
            layout = Layout(
                row["profession"], int(row["first_year"]), int(row["last_year"]), row["paper"],
                int(row["first_number"]), int(row["last_number"]), row["component"] or None, _whole(row["points"]),
                row["status"], row["source"],
            )  # fmt: skip
        except (KeyError, ValueError) as fault:
            raise _fault(file, f"line {number} can't be read ({fault!r})") from None
        if layout.status not in RULE_STATUSES or not layout.source or layout.first_number > layout.last_number:
            raise _fault(file, f"line {number}: the status, the source or the question numbers are wrong")
        layouts.append(layout)
    return tuple(layouts)


def load(root: Traversable | None = None) -> Rulebook:
    """Read and check all folders rules/ below `root` (default: our own). Raises SettingsError naming file and line."""
    root = root or _ROOT
    items: list[ItemRule] = []
    documents: dict[str, dict[str, Any]] = {}
    for file, text in _files(root, "points.toml"):
        try:
            document = tomllib.loads(text)
            for ruleset in RULESETS:
                rule = document["item"][ruleset]
                if rule["reads"] not in TABLES["rule_item"].column("reads").values:
                    raise ValueError(f"reads = {rule['reads']!r}")
                points = {k: Decimal(rule[k]) for k in ("any_right", "exact", "each_wrong", "any_wrong")}
                items.append(ItemRule(
                    benchmark=document["benchmark"], ruleset=ruleset, reads=rule["reads"], **points,
                    weighted=rule["weighted"], credits_all=rule["credits_all"], status=rule["status"],
                    source=rule["source"], note=rule["note"],
                ))  # fmt: skip
        except (ValueError, KeyError, TypeError, InvalidOperation) as fault:
            raise _fault(file, f"can't be read ({fault!r})") from None
        documents[document["benchmark"]] = document
    if documents.keys() != set(BENCHMARKS):
        raise _fault("rules", f"one points.toml for each of {', '.join(BENCHMARKS)}; found {', '.join(documents)}")
    weights = {k: int(v) for k, v in documents["medschool"]["exam"]["subjects"].items()}
    if sum(weights.values()) != documents["medschool"]["exam"]["questions"]:
        raise _fault("medschool/rules/points.toml", "the subjects' questions don't add up to the exam's")
    beta = documents["cognet_md"]["beta"]
    return Rulebook(
        tuple(items), _lines(root), _layouts(root), weights, (Decimal(beta["share"]), int(beta["seed"])), documents
    )


@cache
def rulebook() -> Rulebook:
    """The package's own rules, read once."""
    return load()


def tables(rules: Rulebook | None = None) -> dict[str, pl.DataFrame]:
    """The rule tables that SQL reads, by table name, with exactly schema.py's columns."""
    rules = rules or rulebook()
    rows: dict[str, list[dict[str, object]]] = {
        "rule_item": [asdict(x) for x in rules.items],
        "rule_topic": [{"benchmark": "medschool", "topic": t, "weight": w} for t, w in rules.weights.items()],
        "rule_component": [asdict(x) for x in rules.lines],
        "rule_layout": [asdict(x) for x in rules.layouts],
    }
    return {name: TABLES[name].frame(found) for name, found in rows.items()}
