"""The pages of the report: view models and charts put into the templates, numbers and names written for people.

What is read belongs to world.py, boards.py, exams.py and quality.py, how a chart looks to charts.py, how a page looks
to templates/ and static/.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import duckdb
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pipelines.registry import benchmarks
from pipelines.report import boards, charts, exams, links, quality, summaries
from pipelines.report.changes import changes
from pipelines.report.charts import MOST, MOST_NARROW, Chart, Mark, Point
from pipelines.report.predictions import predictions
from pipelines.report.world import World
from pipelines.store.sqlfiles import sql_queries
from pipelines.vocabulary import PREDICTION_STATUSES, VERDICTS

T = TypeVar("T")
D = TypeVar("D")
Progress = Callable[[str, int, int | None], None]

HERE = Path(__file__).parent
STATIC = HERE / "static"

NAV = (
    ("index.html", "Leaderboards"),
    ("run.html", "Runs"),
    ("pair.html", "Two models"),
    ("questions.html", "Questions"),
    ("exams.html", "Pass grid"),
    ("subjects.html", "Subjects"),
    ("usecases.html", "Use cases"),
    ("responses.html", "Responses"),
    ("quality.html", "Source quality"),
    ("rules.html", "Rules"),
    ("changes.html", "Changes"),
    ("provenance.html", "Provenance"),
    ("sql.html", "SQL"),
)

LANGUAGES = {"en": "English", "it": "Italian", "ja": "Japanese", "zh": "Chinese", "mixed": "mixed"}
METRICS = {
    "score_share": "points over points possible",
    "exam_score": "exam score",
    "accuracy": "share right in full",
    "score": "points",
    "pass_chance": "chance to pass",
    "rank": "place among measured runs",
}
_SHARES = ("score_share", "accuracy", "accuracy_answered", "answered_share", "pass_chance")


def title_of(benchmark: str) -> str:
    """A benchmark's title; its name where it is not installed here."""
    known = benchmarks().get(benchmark)
    return known.card.title if known else benchmark


def scoring_of(benchmark: str) -> str:
    """What its card says an answer earns, or nothing."""
    known = benchmarks().get(benchmark)
    return known.card.scoring if known else ""


def use_cases_of(benchmark: str) -> list[tuple[str, str]]:
    """Its use cases by name, in words."""
    known = benchmarks().get(benchmark)
    return list(known.card.use_cases.items()) if known else []


@cache
def names_of(of: str) -> dict[str, str]:
    """Names of `of` (topics, components) of all benchmarks, in words."""
    return {name: said for b in benchmarks().values() for name, said in getattr(b.card, of).items()}


# ---- numbers and names -------------------------------------------------------------------------------------------


def number(value: Decimal | float | None, digits: int = 2) -> str:
    """A number with so many decimals and a true minus sign; an en dash for none."""
    if value is None:
        return "–"
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if text.strip("-0.") else text.lstrip("-")  # no minus before zero


def share(value: Decimal | float | None, digits: int = 1) -> str:
    """A share of 0 to 1 in per cent."""
    return "–" if value is None else f"{number(100 * value, digits)} %"


def points(value: Decimal | None) -> str:
    """Points without needless zeros."""
    return "–" if value is None else f"{value.normalize():f}".replace("-", "−")


def score(value: Decimal | float | None, metric: str) -> str:
    """A score as its metric is written: shares in per cent, places whole, the rest as numbers."""
    return share(value) if metric in _SHARES else number(value, _digits(metric))


def _digits(metric: str) -> int:
    return 0 if metric == "rank" else 2


def interval(low: Decimal | float | None, high: Decimal | float | None, metric: str) -> str:
    """The ends of an interval, in the unit of the metric."""
    if low is None or high is None:
        return "–"
    if metric in _SHARES:
        return f"{number(100 * low, 1)} to {number(100 * high, 1)}"
    return f"{number(low, _digits(metric))} to {number(high, _digits(metric))}"


def instant(value: datetime) -> str:
    return f"{value:%Y-%m-%d %H:%M} UTC"


def case_name(name: str) -> str:
    """A use case for people: 'specialty:dermatology' is Dermatology."""
    return name.rpartition(":")[2].replace("_", " ").capitalize()


_JAPANESE = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u4e00-\u9fff](?:[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef・：+]*"
                       r"[\u3005-\u3007\u3040-\u30ff\u4e00-\u9fff])?")  # fmt: skip


def words(text: str) -> Markup:
    """A text, escaped, with its Japanese parts marked so for screen readers and fonts."""
    parts, at = [], 0
    for found in _JAPANESE.finditer(text):
        parts += [escape(text[at : found.start()]), Markup('<span lang="ja">{}</span>').format(found[0])]
        at = found.end()
    return Markup("<bdi>{}</bdi>").format(Markup("").join([*parts, escape(text[at:])]))


def _environment() -> Environment:
    # Autoescape is on for every template: model names and responses come from strangers.
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "number": number, "share": share, "points": points, "instant": instant, "case_name": case_name,
        "benchmark": title_of, "scoring": scoring_of, "use_cases": use_cases_of,
        "language": lambda c: LANGUAGES.get(c, c),
        "metric": lambda m: METRICS.get(m, m), "topic": lambda t: names_of("topics").get(t, t), "verdict": VERDICTS.get,
        "component": lambda c: names_of("components").get(c), "excerpt": quality.excerpt,
    }  # fmt: skip
    filters = environment.filters
    filters["plain"] = lambda name: name.replace("_", " ")
    filters["pairs"] = lambda values, name=None: [(v, filters[name](v) if name else v) for v in values]
    filters |= {"words": words, "run_link": links.run, "question_link": links.question}
    environment.globals |= {
        "score": score,
        "interval": interval,
        "nav": NAV,
        "most": MOST,
        "most_narrow": MOST_NARROW,
        "most_named": 12,
    }
    return environment


# ---- charts ------------------------------------------------------------------------------------------------------


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


Scale = dict[str, Any]
"""What static/charts.js draws a chart anew by when its table is filtered."""


def _dots(key: str, title: str, shown: Sequence[Point], marks: Sequence[Mark], limits: tuple[float, float],
          percent: bool) -> tuple[Chart, Scale]:  # fmt: skip
    scale = {"draw": "dots", "low": limits[0], "high": limits[1], "percent": percent, "marks": [vars(m) for m in marks]}
    return charts.dots(key, title, shown, marks, limits, percent), scale


def board_chart(board: boards.Board, key: str) -> tuple[Chart, Scale] | None:
    """The best runs of a leaderboard with their intervals, and the lines for chance and examinees."""
    entries = board.ranked[:MOST]
    if not entries:
        return None
    shown = [
        Point(e.run.label, float(e.score or 0), _float(e.low), _float(e.high), e.run.kind, score(e.score, board.metric))
        for e in entries
    ]
    marks = []
    if board.chance is not None:
        marks.append(Mark(f"chance {score(board.chance, board.metric)}", float(board.chance), "baseline"))
    # people's line stands only where it is over the same questions as the runs'
    if board.examinees_questions == entries[0].questions and board.metric in _SHARES:
        marks.append(Mark(f"examinees {share(board.examinees)}", float(board.examinees or 0), "human"))
    top = max([1.0, *(p.high for p in shown if p.high is not None), *(p.value for p in shown)])
    bottom = min([0.0, *(p.low for p in shown if p.low is not None), *(p.value for p in shown)])
    title = f"{board.dataset.title}: {METRICS.get(board.metric, board.metric)} with 95 % interval"
    return _dots(key, title, shown, marks, (bottom - 0.01 * top, top * 1.01), board.metric in _SHARES)


def profile_chart(profile: boards.Profile, key: str) -> Chart | None:
    """Mean points per question of the best runs, a panel per subject."""
    best = profile.runs[:MOST]
    columns = []
    for topic in profile.topics:
        column = []
        for run, topics in best:
            t = topics.get(topic)
            column.append(
                Point(run.label, float(t.score), _float(t.low), _float(t.high), run.kind, number(t.score))
                if t
                else Point(run.label, 0, None, None, run.kind, "")
            )
        columns.append(column)
    if not best or not columns:
        return None
    title = f"{profile.dataset.title}: mean points per question by subject, with 95 % interval"
    values = [v for column in columns for p in column for v in (p.value, p.low, p.high) if v is not None]
    limits = (min([0.0, *values]) - 0.05, max([1.0, *values]) + 0.05)
    return charts.panels(key, title, [names_of("topics").get(t, t) for t in profile.topics], columns, limits)


def case_chart(cases: boards.UseCases, key: str) -> tuple[Chart, Scale] | None:
    """Scores of the best runs in the first use case there is."""
    best = [c for c in cases.cases if c.name == cases.names[0] and c.value is not None][:MOST]
    if not best:
        return None
    shown = [
        Point(c.run.label, float(c.value or 0), _float(c.low), _float(c.high), c.run.kind, share(c.value)) for c in best
    ]
    bottom = min([0.0, *(p.low for p in shown if p.low is not None)])
    title = f"{case_name(cases.names[0])}: points over points possible with 95 % interval"
    return _dots(key, title, shown, [], (bottom - 0.01, 1.01), percent=True)


def response_chart(found: list[quality.Responses]) -> tuple[Chart, int] | None:
    """Runs with the fewest answers (baselines only where there is nothing else), and how many are shown."""
    answered = [r for r in found if r.total]
    real = [r for r in answered if r.run.kind != "baseline"] or answered
    if not real:
        return None
    least = sorted(real, key=lambda r: (r.share("answered"), r.run.run_id))[:MOST]
    shares = [[r.share(s) for s in PREDICTION_STATUSES] for r in least]
    labels = [r.run.label for r in least]
    return charts.stacks("responses", "How responses were read", labels, PREDICTION_STATUSES, shares), len(least)


def flag_chart(found: quality.Soundness) -> Chart | None:
    """Flagged questions by flag, all datasets together."""
    counts: dict[str, int] = {}
    for q in found.datasets:
        for flag, n in q.flag_counts.items():
            counts[flag] = counts.get(flag, 0) + n
    if not counts:
        return None
    most = sorted(counts.items(), key=lambda c: (-c[1], c[0]))
    return charts.bars("flags", "Flagged questions by kind of flag", [(f.replace("_", " "), n) for f, n in most])


# ---- pages -------------------------------------------------------------------------------------------------------


def pages(con: duckdb.DuckDBPyConnection, everything: World, progress: Progress) -> Iterator[tuple[str, str]]:
    """(file name, HTML) of every page."""
    environment = _environment()
    leaderboards = boards.boards(con, everything)
    grids = exams.professions(con, everything)
    profiles = boards.profiles(con, everything)
    cases = boards.use_cases(con, everything)
    responses = quality.responses(con, everything)
    sound = quality.soundness(con, everything)
    made = datetime.now(UTC)
    flagged = [q for q in sound.datasets if q.flags]
    done, total = 0, len(NAV) + 1 + len(grids) + len(flagged)  # and the page of a question

    def page(file: str, template: str, title: str, nav: str | None = None, **values: Any) -> tuple[str, str]:
        nonlocal done
        shared = {"world": everything, "made": made, "file": nav or file, "title": title}
        html = environment.get_template(template).render(shared | values)
        done += 1
        progress("pages of the report", done, total)
        return file, html

    runs = list(everything.runs.values())
    choices = {name: sorted({getattr(r, name) for r in runs}) for name in ("benchmark", "language", "modality", "kind")}
    questions = sum(d.n_questions for d in everything.datasets.values())
    yield page("index.html", "index.html", "Leaderboards", boards=_drawn(leaderboards, board_chart, "board"),
               choices=choices, questions=questions, predicted=predictions(con, everything))  # fmt: skip

    matrix = {(s.run.run_id, g.file): s for g in grids for s in g.sittings}
    passed: Counter[str] = Counter()
    for (run_id, _), sitting in matrix.items():
        passed[run_id] += sitting.passed
    takers = sorted(
        (everything.runs[i] for i in passed), key=lambda r: (-passed[r.run_id], r.kind == "baseline", r.run_id)
    )
    yield page("exams.html", "exams.html", "Pass grid", grids=grids, takers=takers, matrix=matrix)
    for grid in grids:
        yield page(grid.file, "profession.html", f"Pass grid: {grid.name_en}", nav="exams.html", grid=grid)

    found_runs = summaries.summaries(con, leaderboards, grids, cases, responses)
    yield page("run.html", "run.html", "Runs", summaries=found_runs)
    yield page("pair.html", "pair.html", "Two models")
    yield page("questions.html", "questions.html", "Questions")
    yield page("question.html", "question.html", "Question", nav="questions.html")

    yield page("subjects.html", "subjects.html", "Subjects", profiles=_drawn(profiles, profile_chart, "profile"))
    yield page("usecases.html", "usecases.html", "Use cases", cases=_drawn(cases, case_chart, "case"))
    yield page("responses.html", "responses.html", "Responses", found=responses, chart=response_chart(responses),
               statuses=PREDICTION_STATUSES, benchmarks=choices["benchmark"])  # fmt: skip

    yield page("quality.html", "quality.html", "Source quality", sound=sound, chart=flag_chart(sound))
    for found in flagged:
        yield page(found.file, "flagged.html", f"Flagged questions: {found.dataset.title}", nav="quality.html",
                   quality=found, limit=quality.MOST_FLAGS)  # fmt: skip

    yield page(
        "rules.html", "rules.html", "Rules", found=exams.disagreements(con, everything), limit=exams.MOST_VERDICTS
    )
    yield page("changes.html", "changes.html", "What changed", changes=changes(con, everything))
    yield page("provenance.html", "provenance.html", "Provenance")
    yield page("sql.html", "sql.html", "SQL", queries=sql_queries())


def _drawn(views: Sequence[T], draw: Callable[[T, str], D | None], name: str) -> list[tuple[T, D | None, str]]:
    """Each view with its chart and the id that both have on the page."""
    return [(view, draw(view, f"{name}-{i}"), f"{name}-{i}") for i, view in enumerate(views)]
