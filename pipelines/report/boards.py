"""Leaderboards, subjects and use cases, read from the published warehouse into plain view models.

Each function is a SELECT or two; nothing is computed here that the warehouse does not hold.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

import duckdb

from pipelines.registry import benchmarks
from pipelines.report.world import Dataset, Run, World, rows


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
    attempts: int
    asked: int
    questions: int
    coverage: Decimal
    note: str | None
    examinees: Decimal | None
    examinees_questions: int | None
    examinees_accuracy: Decimal | None
    method: str


@dataclass(frozen=True)
class Board:
    """The leaderboard of one dataset. `metric` is that of all entries; `chance` is what guessing is expected to score.

    `examinees` is people's share right on `examinees_questions` questions, where it is published.
    """

    dataset: Dataset
    metric: str
    entries: list[Entry]
    chance: Decimal | None
    examinees: Decimal | None
    examinees_questions: int | None
    methods: list[str]

    @property
    def ranked(self) -> list[Entry]:
        """Entries that were asked the same, best first: the chart shows no others."""
        return [e for e in self.entries if e.rank is not None]


def boards(con: duckdb.DuckDBPyConnection, everything: World) -> list[Board]:
    """One leaderboard per dataset that was answered."""
    found = rows(
        con,
        """select * replace (coalesce(method, 'not stated') as method) from leaderboard
           order by benchmark, dataset_id, rank nulls last, score desc nulls last, model, run_id""",
    )
    names = [f for f in Entry.__dataclass_fields__ if f != "run"]
    by_dataset: dict[str, list[Entry]] = defaultdict(list)
    chance = {r["dataset_id"]: r["chance"] for r in found}
    for r in found:
        by_dataset[r["dataset_id"]].append(Entry(everything.runs[r["run_id"]], **{n: r[n] for n in names}))
    result = []
    for dataset_id, entries in by_dataset.items():
        # The run that was asked most questions tells best how people did on the dataset.
        most = max(entries, key=lambda e: e.asked)
        result.append(
            Board(
                everything.datasets[dataset_id],
                most.metric,
                entries,
                chance[dataset_id],
                most.examinees,
                most.examinees_questions,
                sorted({e.method for e in entries}),
            )
        )
    # Boards with models first: that is what a reader comes for.
    return sorted(result, key=lambda b: all(e.run.kind != "model" for e in b.entries))


@dataclass(frozen=True)
class Topic:
    """Mean points per question of a run in one subject, with its 95 % interval; accuracy is a share."""

    score: Decimal
    low: Decimal | None
    high: Decimal | None
    accuracy: Decimal
    n: int
    method: str


@dataclass(frozen=True)
class Profile:
    """Topics of one dataset, in order of their weight in the exam; runs best first."""

    dataset: Dataset
    topics: list[str]
    runs: list[tuple[Run, dict[str, Topic]]]
    methods: list[str]


def profiles(con: duckdb.DuckDBPyConnection, everything: World) -> list[Profile]:
    """The profile of each dataset whose benchmark names its topics, by the official rule."""
    found = rows(
        con,
        """select t.*, r.dataset_id, coalesce(w.weight, 0) as weight
           from topic_score t join run r using (run_id) join dataset d using (dataset_id)
           left join rule_topic w on w.benchmark = d.benchmark and w.topic = t.topic
           left join leaderboard l on l.run_id = t.run_id and l.benchmark = d.benchmark
           where t.ruleset = 'official' and list_contains($named, d.benchmark)
           order by r.dataset_id, l.rank nulls last, l.score desc nulls last, t.run_id, weight desc""",
        {"named": [b.name for b in benchmarks().values() if b.card.topics]},
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
    """Points over points possible of a run in one use case, with its interval."""

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
    """The use cases of one dataset: those over all topics first, the largest first; then topic by topic."""

    dataset: Dataset
    names: list[str]
    cases: list[UseCase]


def use_cases(con: duckdb.DuckDBPyConnection, everything: World) -> list[UseCases]:
    """Datasets by use case; a run that answered too little for a use case does not show in it."""
    found = rows(
        con,
        """select s.run_id, s.use_case as name, s.value, s.low, s.high, a.value as accuracy, s.n, s.method, r.dataset_id
           from benchmark_score s join run r using (run_id)
           left join benchmark_score a on a.run_id = s.run_id and a.benchmark = s.benchmark
               and a.use_case = s.use_case and a.ruleset = s.ruleset and a.metric = 'accuracy'
           where s.ruleset = 'official' and s.metric = 'score_share' and s.use_case <> 'all'
           order by r.dataset_id, s.value desc nulls last, s.run_id""",
    )
    by_dataset: dict[str, list[UseCase]] = defaultdict(list)
    for r in found:
        by_dataset[r.pop("dataset_id")].append(UseCase(everything.runs[r.pop("run_id")], **r))
    result = []
    for dataset_id, cases in by_dataset.items():
        largest = {c.name: max(o.n for o in cases if o.name == c.name) for c in cases}
        names = sorted(largest, key=lambda name: (":" in name, 0 if ":" in name else -largest[name], name))
        ordered = sorted(cases, key=lambda c: names.index(c.name))
        result.append(UseCases(everything.datasets[dataset_id], names, ordered))
    return result
