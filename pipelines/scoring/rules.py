"""What a rule of an exam is: the rows of the rule files as objects, and when a line of points is met.

rulebook.py reads and checks the files. How points follow from the rules is SQL's matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_SLACK = 1e-6  # of a hundredth of a point: what sums of doubles may be off


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
class Topic:
    """Weight of a subject in a benchmark's exam score; see the table rule_topic."""

    benchmark: str
    topic: str
    weight: int


@dataclass(frozen=True)
class UseCase:
    """A named part of a benchmark; see the table rule_use_case."""

    benchmark: str
    use_case: str
    kind: str
    share: Decimal
    seed: int | None
    source: str


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


def meets(basis: str, percent: float | None, line: float | None, earned: Any, counted: Any) -> Any:
    """Whether `earned` points meet a line of kind points when `counted` points count: numbers, or arrays of them.

    A share is compared as it is stated; the cut score in whole points that follows from it stands in exam_line.
    """
    spare = earned - line if percent is None else earned * 100 - counted * percent
    return spare > _SLACK if basis == "more_than" else spare > -_SLACK


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
class Adjusted:
    """How one question's scoring was changed officially; see the table rule_adjusted. `paper` 'all': as in Layout.

    `accepted` holds tuples of labels, upper case, where several answers are accepted and known.
    """

    profession: str
    year: int
    paper: str
    number: int
    kind: str
    accepted: tuple[tuple[str, ...], ...]
    source: str
    status: str

    @property
    def words(self) -> str:
        what = {
            "removed": "left out for all",
            "correct_only": "counted only for those who got it right",
            "all_credit": "right for all",
            "several_accepted": "several answers accepted",
            "unstated": "adjusted, how is not stated",
        }[self.kind]
        if self.accepted:
            return f"{what} ({', '.join('-'.join(labels) for labels in self.accepted)})"
        return f"{what} (which is not known)" if self.kind == "several_accepted" else what


@dataclass(frozen=True)
class Reported:
    """A figure that a paper reports; see the table reported_result. What does not apply is None."""

    source: str
    model: str
    benchmark: str
    profession: str | None
    year: int | None
    component: str | None
    modality: str | None
    metric: str
    value: Decimal
    locator: str

    @property
    def scope(self) -> str:
        """What it speaks of, in words."""
        parts = (self.profession, self.year, self.component, self.modality)
        return "; ".join(str(part) for part in parts if part is not None) or "all"


@dataclass(frozen=True)
class Rulebook:
    """Every rule of every benchmark."""

    items: tuple[ItemRule, ...]
    topics: tuple[Topic, ...]
    use_cases: tuple[UseCase, ...]
    lines: tuple[Line, ...]
    layouts: tuple[Layout, ...]
    adjusted: Mapping[tuple[str, int, str, int], Adjusted]
    """By profession, year, paper and number."""
    reported: tuple[Reported, ...]
    documents: Mapping[str, dict[str, Any]]
    """Each benchmark's points.toml as read, for the documentation."""

    def of_exam(self, ruleset: str, profession: str, year: int) -> list[Line]:
        """The lines of one exam under one ruleset; empty when there are none."""
        return [x for x in self.lines if (x.ruleset, x.profession, x.year) == (ruleset, profession, year)]

    def layout(self, profession: str, year: int) -> list[Layout]:
        """The layout of one exam; empty when it is not known."""
        return [x for x in self.layouts if x.profession == profession and x.first_year <= year <= x.last_year]

    def adjustment(self, profession: str, year: int, paper: str, number: int) -> Adjusted | None:
        """How one question was adjusted, where it was."""
        return self.adjusted.get((profession, year, paper, number)) or self.adjusted.get(
            (profession, year, "all", number)
        )
