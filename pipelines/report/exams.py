"""Pass grids and where the released scorers part from the exams' rules, read from the published warehouse."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

import duckdb

from pipelines.report.world import Row, Run, World, page_name, rows
from pipelines.vocabulary import VERDICTS

MOST_VERDICTS = 2000
"""Rows of the longest table; what is left out is counted, and the page says how to get it."""


@dataclass(frozen=True)
class Line:
    """One component of an exam for a run: points of max_points, and what was needed."""

    points: Decimal | None
    max_points: Decimal | None
    threshold: Decimal | None
    passed: bool | None
    reason: str


@dataclass(frozen=True)
class Verdict:
    """Whether a run passes one exam by the official rule. `published`: the released scorer's verdict where it differs.

    `chance` is the share of resampled exams that it passes, 0 to 1.
    """

    passed: bool | None
    reason: str
    rule_status: str
    published: str | None
    chance: Decimal | None
    points: Decimal | None
    max_points: Decimal | None


@dataclass
class Sitting:
    """A run in one profession: verdicts by year and lines by component and year."""

    run: Run
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    lines: dict[str, dict[int, Line]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def passed(self) -> int:
        return sum(v.passed is True for v in self.verdicts.values())

    @property
    def judged(self) -> int:
        return sum(v.passed is not None for v in self.verdicts.values())


@dataclass
class Profession:
    """The pass grid of one profession: a row per run, a column per year (year to number of the sitting)."""

    name: str
    name_en: str
    years: dict[int, int | None]
    sittings: list[Sitting]

    @property
    def file(self) -> str:
        return f"exams-{page_name(self.name_en) or 'profession'}.html"


_ORDER = ("overall", "禁忌", "零点科目", "科目")


def professions(con: duckdb.DuckDBPyConnection, everything: World) -> list[Profession]:
    """The pass grids, professions in the order of the warehouse, runs best first."""
    found = rows(
        con,
        """select r.run_id, e.profession, e.profession_en, e.year, e.round, r.component, r.points, r.max_points,
               r.threshold, r.passed, r.reason, r.rule_status, c.chance, p.passed as published_passed,
               p.run_id is not null as is_published
           from exam_result r join exam e using (exam_id)
           left join pass_chance c on r.run_id = c.run_id and r.exam_id = c.exam_id
           left join exam_result p on p.ruleset = 'published' and p.component = 'overall'
               and r.run_id = p.run_id and r.exam_id = p.exam_id
           where r.ruleset = 'official' order by e.benchmark, e.profession, e.year, r.run_id, r.component""",
    )
    groups: dict[tuple[str, str], dict[str, Sitting]] = defaultdict(dict)
    years: dict[tuple[str, str], dict[int, int | None]] = defaultdict(dict)
    for r in found:
        key = (r["profession"], r["profession_en"])
        years[key][r["year"]] = r["round"]
        sitting = groups[key].setdefault(r["run_id"], Sitting(everything.runs[r["run_id"]]))
        sitting.lines[r["component"]][r["year"]] = Line(
            r["points"], r["max_points"], r["threshold"], r["passed"], r["reason"]
        )
        if r["component"] == "overall":
            differs = r["is_published"] and r["published_passed"] != r["passed"]
            sitting.verdicts[r["year"]] = Verdict(
                r["passed"],
                r["reason"],
                r["rule_status"],
                VERDICTS[r["published_passed"]] if differs else None,
                r["chance"],
                r["points"],
                r["max_points"],
            )
    result = []
    for (name, name_en), sittings in groups.items():
        for s in sittings.values():
            parts = sorted(s.lines, key=lambda c: (_ORDER.index(c) if c in _ORDER else -1, c))
            s.lines = {c: s.lines[c] for c in parts}
        best = sorted(sittings.values(), key=lambda s: (-s.passed, -s.judged, s.run.kind == "baseline", s.run.run_id))
        result.append(Profession(name, name_en, dict(sorted(years[name, name_en].items())), best))
    return result


@dataclass(frozen=True)
class Disagreements:
    """Where the released scorers part from the exams' rules: by cause, and the verdicts one by one."""

    causes: list[Row]
    verdicts: list[Row]
    n_verdicts: int


def disagreements(con: duckdb.DuckDBPyConnection, everything: World) -> Disagreements:
    """Causes by number of cases; verdicts at most MOST_VERDICTS."""
    causes = rows(
        con,
        """select scope, cause, count(*) as n, count(distinct run_id) as runs, min(scope_id) as example,
               arg_min(official, scope_id) as official, arg_min(published, scope_id) as published
           from rule_disagreement group by scope, cause order by n desc, scope, cause limit 500""",
    )
    verdicts = rows(
        con,
        f"""select d.run_id, d.scope_id, d.official, d.published, d.cause, e.profession, e.profession_en, e.year
            from rule_disagreement d left join exam e on d.scope_id = e.exam_id
            where d.scope = 'exam' order by d.scope_id, d.run_id limit {MOST_VERDICTS}""",
    )
    for r in verdicts:
        r["run"] = everything.runs[r["run_id"]]
    n = rows(con, "select count(*) as n from rule_disagreement where scope = 'exam'")[0]["n"]
    return Disagreements(causes, verdicts, n)
