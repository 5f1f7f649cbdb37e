"""What the report shows, read from the published warehouse into plain view models.

One function per page, each a few SELECTs; nothing is computed here that the warehouse does not hold, apart from counts
and shares of counts. How it looks belongs to page.py and charts.py.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

import duckdb

from pipelines.schema import PREDICTION_STATUSES

Row = dict[str, Any]

CHANCE = "seeded-random"
"""The baseline that guesses: its score is the chance line."""

MOST_FLAGS = 5000
MOST_VERDICTS = 2000
"""Rows of the longest tables; what is left out is counted, and the page says how to get it."""

_EXCERPT = 160


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    """A query's result as dicts."""
    found = con.execute(sql)
    names = [d[0] for d in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def forbids_derivatives(licence: str) -> bool:
    """True for licences such as CC BY-NC-ND: questions must not be shown in part or changed."""
    return "ND" in re.split(r"[^A-Z]+", licence.upper()) or "NODERIV" in re.sub(r"[^A-Z]+", "", licence.upper())


def excerpt(text: str, length: int = _EXCERPT) -> str:
    """The beginning of a text on one line, at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def slug(text: str) -> str:
    """A text as part of a file's name: lower-case ASCII letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


# ---- datasets and runs -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dataset:
    """One release of a benchmark's questions."""

    dataset_id: str
    benchmark: str
    title: str
    language: str
    licence: str
    origin: str
    sha256: str
    fetched_at: datetime
    n_questions: int
    published_count: int | None
    count_note: str | None
    is_sample: bool
    is_latest: bool

    @property
    def is_closed(self) -> bool:
        """True where its questions must not be printed in part."""
        return forbids_derivatives(self.licence)

    @property
    def link(self) -> str | None:
        """Its origin where that is a web address."""
        return self.origin if re.match(r"https?://", self.origin) else None


@dataclass(frozen=True)
class Run:
    """What answered a dataset. `twin`: the hash that tells it from runs of the same model on the same dataset."""

    run_id: str
    model: str
    vendor: str | None
    description: str | None
    dataset_id: str
    benchmark: str
    modality: str
    format: str
    language: str
    harness: str
    harness_version: str | None
    created_at: datetime
    sha256: str | None
    kind: str
    is_sample: bool
    twin: str | None

    @property
    def label(self) -> str:
        return f"{self.model} · {self.twin}" if self.twin else self.model


@dataclass(frozen=True)
class World:
    """What all pages need: the datasets and runs by id, and when the newest source was fetched."""

    datasets: dict[str, Dataset]
    runs: dict[str, Run]

    @property
    def samples(self) -> list[Dataset]:
        return [d for d in self.datasets.values() if d.is_sample]

    @property
    def is_all_sample(self) -> bool:
        return bool(self.samples) and len(self.samples) == len(self.datasets)


def world(con: duckdb.DuckDBPyConnection) -> World:
    """All datasets and all runs."""
    names = ", ".join(f for f in Dataset.__dataclass_fields__)
    datasets = {r["dataset_id"]: Dataset(**r) for r in rows(con, f"select {names} from dataset order by dataset_id")}
    columns = ", ".join(f"r.{f}" for f in Run.__dataclass_fields__ if f not in ("benchmark", "twin"))
    found = rows(
        con,
        f"""select {columns}, d.benchmark,
                case when count(*) over (partition by r.dataset_id, r.model) > 1
                    then split_part(r.run_id, '/', -1) end as twin
            from run r join dataset d using (dataset_id) order by r.dataset_id, r.model, r.run_id""",
    )
    return World(datasets, {r["run_id"]: Run(**r) for r in found})


# ---- leaderboards ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One run on a leaderboard. Shares are 0 to 1; `score` is in the unit of `metric`."""

    run: Run
    metric: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    score: Decimal | None
    low: Decimal | None
    high: Decimal | None
    accuracy: Decimal | None
    answered: int
    abstained: int
    refused: int
    unparsed: int
    n: int
    examinees: Decimal | None
    method: str


@dataclass(frozen=True)
class Board:
    """The leaderboard of one dataset. `metric` ranks; entries with another metric could not be ranked."""

    dataset: Dataset
    metric: str
    entries: list[Entry]
    chance: Decimal | None
    examinees: Decimal | None
    methods: list[str]

    @property
    def ranked(self) -> list[Entry]:
        """Entries that the chart can show on one axis, best first."""
        return [e for e in self.entries if e.metric == self.metric and e.score is not None]


def boards(con: duckdb.DuckDBPyConnection, everything: World) -> list[Board]:
    """One leaderboard per dataset that was answered."""
    found = rows(
        con,
        """select l.*, coalesce(s.method, 'not stated') as method from leaderboard l
           left join benchmark_score s
               on l.run_id = s.run_id and l.benchmark = s.benchmark and l.metric = s.metric and s.use_case = 'all'
           order by l.benchmark, l.dataset_id, l.rank nulls last, l.score desc nulls last, l.model, l.run_id""",
    )
    names = [f for f in Entry.__dataclass_fields__ if f != "run"]
    by_dataset: dict[str, list[Entry]] = defaultdict(list)
    for r in found:
        by_dataset[r["dataset_id"]].append(Entry(everything.runs[r["run_id"]], **{n: r[n] for n in names}))
    result = []
    for dataset_id, entries in by_dataset.items():
        metrics = Counter(e.metric for e in entries if e.rank is not None) or Counter(e.metric for e in entries)
        metric = metrics.most_common(1)[0][0]
        chance = [e.score for e in entries if e.run.model == CHANCE and e.run.kind == "baseline" and e.metric == metric]
        # The runs that answered most questions tell best how people did on the dataset.
        people = [e.examinees for e in sorted(entries, key=lambda e: -e.n) if e.examinees is not None]
        result.append(
            Board(
                everything.datasets[dataset_id],
                metric,
                entries,
                chance[0] if chance else None,
                people[0] if people else None,
                sorted({e.method for e in entries}),
            )
        )
    # Boards with models first: that is what a reader comes for.
    return sorted(result, key=lambda b: all(e.run.kind != "model" for e in b.entries))


# ---- exams -------------------------------------------------------------------------------------------------------


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
        return f"exams-{slug(self.name_en) or 'profession'}.html"


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
                verdict_word(r["published_passed"]) if differs else None,
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


def verdict_word(passed: bool | None) -> str:
    return {True: "pass", False: "fail", None: "no verdict"}[passed]


# ---- subjects and use cases --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Topic:
    """Mean points per question of a run in one subject, with its 95 % interval; accuracy is a share."""

    score: Decimal
    low: Decimal
    high: Decimal
    accuracy: Decimal
    n: int
    method: str


@dataclass(frozen=True)
class Profile:
    """Subjects of one Medschool dataset: topics in order of weight, runs best first by `order`."""

    dataset: Dataset
    topics: list[str]
    runs: list[tuple[Run, dict[str, Topic]]]
    methods: list[str]


def profiles(con: duckdb.DuckDBPyConnection, everything: World) -> list[Profile]:
    """The subject profile of each Medschool dataset, by the official rule."""
    found = rows(
        con,
        """select t.*, r.dataset_id, coalesce(w.weight, 0) as weight
           from topic_score t join run r using (run_id) join dataset d using (dataset_id)
           left join rule_topic w on w.benchmark = d.benchmark and w.topic = t.topic
           left join leaderboard l on l.run_id = t.run_id and l.benchmark = d.benchmark
           where t.ruleset = 'official' and d.benchmark = 'medschool'
           order by r.dataset_id, l.rank nulls last, l.score desc nulls last, t.run_id, weight desc""",
    )
    by_dataset: dict[str, dict[str, dict[str, Topic]]] = defaultdict(lambda: defaultdict(dict))
    weight: dict[str, int] = {}
    for r in found:
        weight[r["topic"]] = r["weight"]
        by_dataset[r["dataset_id"]][r["run_id"]][r["topic"]] = Topic(
            r["score"], r["low"], r["high"], r["accuracy"], r["n"], r["method"]
        )
    return [
        Profile(
            everything.datasets[dataset_id],
            sorted({t for topics in runs.values() for t in topics}, key=lambda t: (-weight[t], t)),
            [(everything.runs[run_id], topics) for run_id, topics in runs.items()],
            sorted({t.method for topics in runs.values() for t in topics.values()}),
        )
        for dataset_id, runs in by_dataset.items()
    ]


@dataclass(frozen=True)
class UseCase:
    """Points over points possible of a run in one use case of COGNET-MD, with its interval."""

    run: Run
    name: str
    value: Decimal | None
    low: Decimal | None
    high: Decimal | None
    accuracy: Decimal | None
    n: int
    method: str


@dataclass(frozen=True)
class UseCases:
    """The use cases of one COGNET-MD dataset: production and beta first, then the specialties."""

    dataset: Dataset
    names: list[str]
    cases: list[UseCase]


def use_cases(con: duckdb.DuckDBPyConnection, everything: World) -> list[UseCases]:
    """COGNET-MD by use case; runs that answered too little for `production` have their specialties alone."""
    found = rows(
        con,
        """select s.run_id, s.use_case as name, s.value, s.low, s.high, a.value as accuracy, s.n, s.method, r.dataset_id
           from benchmark_score s join run r using (run_id)
           left join benchmark_score a on a.run_id = s.run_id and a.benchmark = s.benchmark
               and a.use_case = s.use_case and a.metric = 'accuracy'
           where s.benchmark = 'cognet_md' and s.metric = 'score_share' and s.use_case <> 'all'
           order by r.dataset_id, s.use_case like 'specialty:%', s.use_case desc, s.value desc nulls last, s.run_id""",
    )
    by_dataset: dict[str, list[UseCase]] = defaultdict(list)
    for r in found:
        by_dataset[r.pop("dataset_id")].append(UseCase(everything.runs[r.pop("run_id")], **r))
    return [
        UseCases(
            everything.datasets[dataset_id],
            sorted({c.name for c in cases}, key=lambda n: (n.startswith("specialty:"), n != "production", n)),
            sorted(cases, key=lambda c: (c.name.startswith("specialty:"), c.name != "production", c.name)),
        )
        for dataset_id, cases in by_dataset.items()
    ]


# ---- responses ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Responses:
    """How the responses of a run were read: predictions by status, and those that matched no question."""

    run: Run
    counts: dict[str, int]
    unmatched: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def share(self, status: str) -> float:
        """Share of its predictions, 0 to 1."""
        return self.counts[status] / self.total if self.total else 0.0


def responses(con: duckdb.DuckDBPyConnection, everything: World) -> list[Responses]:
    """One row per run, in the order of the runs."""
    counted = rows(con, "select run_id, status, count(*) as n from prediction group by run_id, status")
    unmatched = {
        r["run_id"]: r["n"] for r in rows(con, "select run_id, count(*) as n from unmatched_prediction group by run_id")
    }
    by_run: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(PREDICTION_STATUSES, 0))
    for r in counted:
        by_run[r["run_id"]][r["status"]] = r["n"]
    return [Responses(run, by_run[run_id], unmatched.get(run_id, 0)) for run_id, run in everything.runs.items()]


# ---- quality -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flag:
    """A flagged question. `stem` and `detail` are None where the licence forbids to print parts of questions."""

    question_id: str
    flag: str
    detail: str | None
    stem: str | None
    language: str


@dataclass(frozen=True)
class Quality:
    """How sound one dataset is. `flags` holds at most MOST_FLAGS of `n_flags`."""

    dataset: Dataset
    figures: Row
    flag_counts: dict[str, int]
    flags: list[Flag]
    n_flags: int

    @property
    def file(self) -> str:
        return f"flagged-{slug(self.dataset.dataset_id)}.html"


@dataclass(frozen=True)
class Soundness:
    """All that is known about defects: of datasets, keys, source rows and prediction files."""

    datasets: list[Quality]
    key_changes: list[Row]
    suspicious: list[Row]
    rejected_rows: list[Row]
    rejected_files: list[Row]
    unmatched: list[Row]


def soundness(con: duckdb.DuckDBPyConnection, everything: World) -> Soundness:
    """Source quality with the flagged questions, key changes, suspicious keys, and what was rejected."""
    closed = {d.dataset_id for d in everything.datasets.values() if d.is_closed}
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for r in rows(
        con,
        """select q.dataset_id, f.flag, count(*) as n from question_flag f join question q using (question_id)
           group by q.dataset_id, f.flag order by q.dataset_id, n desc, f.flag""",
    ):
        counts[r["dataset_id"]][r["flag"]] = r["n"]
    flags: dict[str, list[Flag]] = defaultdict(list)
    for r in rows(
        con,
        f"""select q.dataset_id, q.question_id, f.flag, f.detail, left(q.stem, 1000) as stem, q.language
            from question_flag f join question q using (question_id)
            qualify row_number() over (partition by q.dataset_id order by f.flag, q.question_id) <= {MOST_FLAGS}
            order by q.dataset_id, f.flag, q.question_id""",
    ):
        shown = r["dataset_id"] not in closed
        flags[r["dataset_id"]].append(
            Flag(
                r["question_id"],
                r["flag"],
                excerpt(r["detail"], 240) if shown else None,
                excerpt(r["stem"]) if shown else None,
                r["language"],
            )
        )
    figures = {r["dataset_id"]: r for r in rows(con, "select * from source_quality")}
    changes = rows(con, "select * from answer_key_change order by benchmark, from_dataset, fingerprint")
    for r in changes:
        r["is_closed"] = bool({r["from_dataset"], r["to_dataset"]} & closed)
        r["language"] = everything.datasets[r["to_dataset"]].language
    suspicious = rows(
        con,
        """select q.question_id, q.dataset_id, d.strong_runs, d.strong_answer, d.strong_share, d.share_right, d.runs
           from question_difficulty d join question q using (question_id)
           where d.suspicious_key order by d.strong_share desc, q.question_id limit 500""",
    )
    for r in suspicious:
        r["is_closed"] = r["dataset_id"] in closed
    return Soundness(
        [
            Quality(d, figures[i], counts[i], flags[i], sum(counts[i].values()))
            for i, d in everything.datasets.items()
            if i in figures
        ],
        changes,
        suspicious,
        rows(
            con, "select source, reason, count(*) as n from rejected_row group by all order by n desc, source limit 500"
        ),
        rows(con, "select path, format, reason, detail from rejected_file order by path limit 500"),
        rows(
            con, "select run_id, reason, count(*) as n from unmatched_prediction group by all order by n desc limit 500"
        ),
    )


# ---- rules -------------------------------------------------------------------------------------------------------


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
