"""docs/rules.md, made from the rules by `python -m pipelines.scoring.document > docs/rules.md`; a test compares them.

What the rules are belongs to the benchmarks' folders rules/; how they are applied to sql/scores.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from pipelines.registry import benchmarks
from pipelines.scoring.rulebook import rulebook
from pipelines.scoring.rules import Line, Rulebook, UseCase

_HEAD = """# Rules

Made from the folders rules/ of pipelines/benchmarks by `python -m pipelines.scoring.document`; do not edit by hand.

Two rulesets stand side by side. `official` is the exam's own rule; `published` is what the benchmark's released scorer
computes, faults included, so that a published table can be reproduced. Where they part, the table `rule_disagreement`
says why. A cell without a source is **unverified**, one worked out from sourced facts is **derived**, and a verdict
that rests on one says so (`rule_status`).

A new exam year is a change of rule files only: lines in lines.csv, the layout in layout.csv, adjusted questions in
adjusted.toml.
"""

_ANSWERS = """
## Points of an answer

An answer earns *any right* once when at least one chosen answer is right, *exact* more when it is an accepted answer in
full, *each wrong* for each wrong answer chosen, and *any wrong* once when it was given and is not an accepted one.
*Weighted*: times the question's own points. No answer (refused, ambiguous, unparsed, empty, abstained) earns nothing.
"""

_EXAMS = """
## Lines of the exams

How a verdict comes about, in the table `exam_result`:

- Every line must be met. A percentage is of the points that count for this candidate, rounded up; questions that count
  only when right leave points and maximum when they are wrong. "More than" asks for the least whole number above.
- No verdict where the run did not answer every question that counts, where a question has no usable key, where the
  points of a part do not add up to the official maximum (or, when that was not found, are not those of the layout),
  or where the year's own line was not found. The reason says which.
- A key of two choices where one is asked for is taken as two accepted answers; until a source says so, the part that it
  stands in is unverified.
- A run of several attempts has a verdict only where they agree; else the reason says how many passed.
- 禁忌 counts questions in which a forbidden choice was chosen. The ministry publishes no list: all are third-party.
  Without one, the limit is not checked and the verdict is unverified; so is a pass in 診療 without subjects.
- 歯科: which question belongs to which 領域 is not published. Where the source has no parts, a verdict is given only
  when it holds however the questions are divided: so few points were lost, or so few earned.
"""


def render(rules: Rulebook | None = None) -> str:
    """The whole page as Markdown."""
    return "\n".join(_parts(rules or rulebook()))


def _parts(rules: Rulebook) -> Iterator[str]:
    yield _HEAD.rstrip()
    yield _ANSWERS.rstrip()
    yield ""
    yield from _table(
        ("benchmark", "ruleset", "any right", "exact", "each wrong", "any wrong", "weighted", "status", "source"),
        (
            (r.benchmark, r.ruleset, r.any_right, r.exact, r.each_wrong, r.any_wrong, "yes" if r.weighted else "no",
             _status(r.status), r.source)
            for r in rules.items
        ),
    )  # fmt: skip
    yield ""
    for rule in rules.items:
        yield f"- {rule.benchmark}, {rule.ruleset}: {rule.note}"
    for benchmark, document in rules.documents.items():
        if topics := [t for t in rules.topics if t.benchmark == benchmark]:
            exam = document["exam"]
            weights = ", ".join(f"{t.weight} {t.topic}" for t in topics)
            yield f"\n## {benchmarks()[benchmark].card.title}: the exam score\n\n{exam['note']}"
            yield f"Weights: {weights}, of {exam['questions']}. Source: {exam['source']}."
        if cases := [c for c in rules.use_cases if c.benchmark == benchmark]:
            yield f"\n## {benchmarks()[benchmark].card.title}: use cases\n"
            yield from (_use_case(case) for case in cases)
    yield _EXAMS.rstrip()
    for profession in dict.fromkeys(x.profession for x in rules.lines):
        yield f"\n### {profession}\n\nLayout:\n"
        yield from _table(
            ("years", "paper", "questions", "part", "points each", "status", "source"),
            (
                (f"{x.first_year}-{x.last_year}", x.paper, f"{x.first_number}-{x.last_number}", x.component or "",
                 "" if x.points is None else x.points, _status(x.status), x.source)
                for x in rules.layouts
                if x.profession == profession
            ),
        )  # fmt: skip
        for ruleset in ("official", "published"):
            yield f"\n{ruleset.capitalize()} lines:\n"
            yield from _table(
                ("year", "part", "maximum", "line", "basis", "status", "source", "note"),
                (_line(x) for x in rules.lines if (x.profession, x.ruleset) == (profession, ruleset)),
            )
    yield ""


def _use_case(case: UseCase) -> str:
    what = {
        "whole": "every question",
        "topic": "the questions of one subject",
        "sample": f"{case.share:.0%} of each subject, drawn with seed {case.seed}",
    }[case.kind]
    return f"- {case.use_case}: {what}. Source: {case.source}."


def _line(line: Line) -> tuple[object, ...]:
    basis = {
        "absolute": "the year's own line",
        "at_least": f"{line.percent} % of what counts",
        "more_than": f"more than {line.percent} % of what counts",
        "at_most": "at most",
        "constant": "the scorer's constant",
    }[line.basis]
    numbers = f" ({line.first_number}-{line.last_number or ''})" if line.first_number else ""
    missing = "not found" if line.kind == "points" and line.ruleset == "official" else ""
    return (
        line.year, line.component + numbers, missing if line.max_points is None else line.max_points,
        ("by the percentage" if line.percent else "not found") if line.line is None else line.line,
        basis, _status(line.status), line.source, line.note or "",
    )  # fmt: skip


def _status(status: str) -> str:
    return status if status == "sourced" else f"**{status}**"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |"


if __name__ == "__main__":
    sys.stdout.write(render())
