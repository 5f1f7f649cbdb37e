"""How responses were read, and all that is known about defects, read from the published warehouse.

Text of questions whose licence keeps them closed is not read into the view models.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import duckdb

from pipelines.report.world import Dataset, Row, Run, World, page_name, rows
from pipelines.vocabulary import PREDICTION_STATUSES

MOST_FLAGS = 5000
"""Rows of the longest table; what is left out is counted, and the page says how to get it."""

_EXCERPT = 160


def excerpt(text: str, length: int = _EXCERPT) -> str:
    """The beginning of a text on one line, at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


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
        return f"flagged-{page_name(self.dataset.dataset_id)}.html"


@dataclass(frozen=True)
class Soundness:
    """All that is known about defects: of datasets, keys, source rows and prediction files."""

    datasets: list[Quality]
    key_changes: list[Row]
    suspicious: list[Row]
    rejected_rows: list[Row]
    rejected_files: list[Row]
    unmatched: list[Row]


_KEY_CHANGES = """
    select c.*, a.question_id as old_question, b.question_id as new_question, b.stem
    from answer_key_change c
    left join (select dataset_id, fingerprint, min(question_id) as question_id from question group by all) a
        on a.dataset_id = c.from_dataset and a.fingerprint = c.fingerprint
    left join (select dataset_id, fingerprint, min(question_id) as question_id, min(stem) as stem from question
        group by all) b
        on b.dataset_id = c.to_dataset and b.fingerprint = c.fingerprint
    order by c.benchmark, c.from_dataset, c.fingerprint"""

# Who gave the answer: model runs, first attempts. Its text: that of the choices that its labels name.
_SUSPICIOUS = """
    with doubted as (
        select q.question_id, q.dataset_id, q.language, q.stem, q.source_url, q.human_accuracy, d.strong_runs,
            d.strong_answer, d.strong_share, d.share_right, d.runs
        from question_difficulty d join question q using (question_id) where d.suspicious_key
        order by d.strong_share desc, q.question_id limit 500
    ), named as (
        select d.question_id, string_agg(c.text, '; ' order by c.position) filter (where c.is_correct) as key_text,
            string_agg(c.text, '; ' order by c.position)
                filter (where list_contains(string_split(d.strong_answer, '-'), c.label)) as strong_text
        from doubted d join choice c using (question_id) group by d.question_id
    ), gave as (
        select d.question_id, list(r.run_id order by r.model, r.run_id) as who
        from doubted d join prediction p using (question_id) join run r on r.run_id = p.run_id
        where p.attempt = 1 and r.kind = 'model' and coalesce(p.labels, p.value) = d.strong_answer
        group by d.question_id
    )
    select * from doubted left join accepted_answer using (question_id) left join named using (question_id)
        left join gave using (question_id)
    order by strong_share desc, question_id"""


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
    changes = rows(con, _KEY_CHANGES)
    for r in changes:
        r["is_closed"] = bool({r["from_dataset"], r["to_dataset"]} & closed)
        r["language"] = everything.datasets[r["to_dataset"]].language
        r["stem"] = None if r["is_closed"] else r["stem"] or ""
    suspicious = rows(con, _SUSPICIOUS)
    for r in suspicious:
        r["is_closed"] = r["dataset_id"] in closed
        r["who"] = [everything.runs[run_id] for run_id in r["who"] or []]
        r["reference"] = (
            f"the key of {everything.datasets[r['dataset_id']].title}, {r['source_url'] or r['question_id']}"
        )
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
