"""The data of the pages of runs, questions and pairs, in chunks that a page opened from disk can load as scripts.

Everything is read through the licence gate of the exports (export/tables.py), column by column: no text of a dataset
whose licence keeps it closed gets here. How a page looks belongs to static/, what stands on it without a script to
templates/.

data/index.js     datasets and runs
data/dN/          of dataset N: questions.js (a line per question), outcomes.js (what an answer can come to, and the
                  methods of comparisons), bN.js (questions in full, with the answers of all runs), rN.js (the outcome
                  of each answer of a run, and its comparisons)

Decimals stand as text, as the warehouse has them; an answer is a place in a list of those that differ, so that 200 runs
over 6,800 questions stay below 60 MB.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.gate import Options, choose
from pipelines.export.tables import views
from pipelines.report.world import Dataset, Run, World, rows

Progress = Callable[[str, int, int | None], None]

BLOCK = 50
"""Questions in a chunk."""
ROOM = 30_000_000
"""Bytes that all responses together may take; longer ones are cut around what was read in them."""
_LENGTHS = (100_000, 20_000, 8_000, 4_000, 2_000, 1_000, 600, 400, 250, 150, 100, 60, 40, 25)


class Places(dict[Hashable, int]):
    """Numbers things in the order in which they are first asked for."""

    def __missing__(self, thing: Hashable) -> int:
        self[thing] = len(self)
        return self[thing]


def write(con: duckdb.DuckDBPyConnection, everything: World, folder: Path, progress: Progress) -> None:
    """Write all chunks into `folder`/data."""
    _pass_the_gate(con)
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in everything.runs.values():
        runs[run.dataset_id].append(run)
    length = response_length(con)
    datasets = list(everything.datasets.values())
    places = {
        run.run_id: f"d{i}/r{j}" for i, d in enumerate(datasets) for j, run in enumerate(runs.get(d.dataset_id, []))
    }
    _write(folder, "index", {
        "block": BLOCK,
        "length": length,
        "datasets": [_dataset(d) for d in datasets],
        "runs": [
            {"id": r.run_id, "label": r.label, "kind": r.kind, "dataset": r.dataset_id, "chunk": places[r.run_id]}
            for r in everything.runs.values()
        ],
    })  # fmt: skip
    for done, dataset in enumerate(datasets):
        progress("questions and answers of the report", done, len(datasets))
        for name, value in _of_dataset(con, dataset, runs.get(dataset.dataset_id, []), length):
            _write(folder, f"d{done}/{name}", value)
    progress("questions and answers of the report", len(datasets), len(datasets))


def response_length(con: duckdb.DuckDBPyConnection) -> int:
    """Characters of a response that are shown: the most with which all responses fit into ROOM."""
    sums = ", ".join(f"sum(least(coalesce(strlen(response), 0), {n}))" for n in _LENGTHS)
    taken = con.execute(f"select {sums} from prediction").fetchall()[0]
    return next((n for n, size in zip(_LENGTHS, taken, strict=True) if (size or 0) <= ROOM), _LENGTHS[-1])


def cut(response: str | None, evidence: str | None, length: int) -> tuple[str | None, int, int]:
    """A response of at most about `length` characters around its evidence, and where that stands in it (start, length).

    Length 0: the evidence is not part of the response as it is stored.
    """
    if response is None:
        return None, 0, 0
    at = response.rfind(evidence) if evidence else -1
    n = len(evidence or "") if at >= 0 else 0
    at = max(at, 0)
    if len(response) <= length:
        return response, at if n else 0, n
    n = min(n, length)
    middle = at + n // 2 if n else len(response)  # unread: how it ends says most
    start = min(max(0, middle - length // 2), len(response) - length)
    head = "…" if start else ""
    tail = "…" if start + length < len(response) else ""
    return head + response[start : start + length] + tail, at - start + len(head) if n else 0, n


def _pass_the_gate(con: duckdb.DuckDBPyConnection) -> None:
    """Each table as a view shown_TABLE without the text that a licence keeps back."""
    for view in views(con, choose(con, Options(), "report", needs_questions=False)):
        con.execute(f"create or replace temp view shown_{view.table.name} as {view.sql}")


def _dataset(dataset: Dataset) -> dict[str, Any]:
    return {
        "id": dataset.dataset_id,
        "benchmark": dataset.benchmark,
        "title": dataset.title,
        "language": dataset.language,
        "licence": dataset.licence,
        "refusal": dataset.refusal,
        "sample": dataset.is_sample,
    }


def _of_dataset(
    con: duckdb.DuckDBPyConnection, dataset: Dataset, runs: list[Run], length: int
) -> Iterator[tuple[str, Any]]:
    """(name, content) of the chunks of one dataset."""
    # One table with the place of each question, by which all else is ordered.
    con.execute(
        """create or replace temp table place as
           select question_id, row_number() over (
               order by e.year, e.profession, q.paper, q.number, len(q.source_key), q.source_key) - 1 as place
           from shown_question q left join exam e using (exam_id) where q.dataset_id = $dataset""",
        {"dataset": dataset.dataset_id},
    )
    questions = rows(con, _QUESTIONS)
    yield "questions", [_line(q, dataset) for q in questions]

    outcomes = Places()
    by_run: dict[str, list[tuple[int, int, int]]] = {r.run_id: [] for r in runs}
    of_run = {r.run_id: i for i, r in enumerate(runs)}
    parts = _Parts(con)
    block: list[dict[str, Any]] = []
    given = _grouped(con, _ANSWERS)
    for question in questions:
        answers = Places()
        who, said = [], []
        for a in given(question["place"]):
            outcome = outcomes[tuple(map(_plain, a[3:13]))]
            who.append([of_run[a[1]], a[2]])
            said.append(answers[(outcome, *cut(a[13], a[14], length))])
            by_run[a[1]].append((question["place"], a[2], outcome))
        everyone = [[i, 1] for i in range(len(runs))]
        block.append(_question(question, parts) | {
            "answers": list(answers), "said": said, "who": None if who == everyone else who,
        })  # fmt: skip
        if len(block) == BLOCK or question is questions[-1]:
            yield f"b{question['place'] // BLOCK}", block
            block = []

    compared: dict[str, list[list[Any]]] = defaultdict(list)
    methods = Places()
    for row in con.execute(
        """select run_a, run_b, metric, value_a, value_b, difference, low, high, p, p_adjusted, n, method
           from comparison where dataset_id = $dataset order by run_a, run_b, metric""",
        {"dataset": dataset.dataset_id},
    ).fetchall():
        compared[row[0]].append([*map(_plain, row[1:-1]), methods[row[-1]]])
    yield "outcomes", {"outcomes": list(outcomes), "methods": list(methods)}
    everything = list(range(len(questions)))
    for run_id, found in by_run.items():
        asked = [place for place, _, _ in found]
        yield (
            f"r{of_run[run_id]}",
            {
                "run": run_id,
                "questions": None if asked == everything else asked,
                "attempts": None if all(a == 1 for _, a, _ in found) else [a for _, a, _ in found],
                "outcomes": [o for _, _, o in found],
                "comparisons": compared.get(run_id, []),
            },
        )


_QUESTIONS = """
    select p.place, q.*, e.profession, e.profession_en, e.year, d.runs, d.families, d.share_right, d.gap,
        d.discrimination, d.strong_runs, d.strong_answer, d.strong_share,
        coalesce(d.suspicious_key, false) as suspicious, f.flags
    from shown_question q join place p using (question_id) left join exam e using (exam_id)
    left join shown_question_difficulty d using (question_id)
    left join (select question_id, list(flag order by flag) as flags from question_flag group by all) f
        using (question_id)
    order by p.place"""

_ANSWERS = """
    select p.place, a.run_id, a.attempt, a.status, a.labels, a.value, s.points, s.max_points, s.is_correct,
        s.hits_forbidden, s.counts, r.points as published, r.is_correct as published_correct, a.response, a.evidence
    from shown_prediction a join place p using (question_id) join run on run.run_id = a.run_id
    left join item_score s on s.run_id = a.run_id and s.question_id = a.question_id and s.attempt = a.attempt
        and s.ruleset = 'official'
    left join item_score r on r.run_id = a.run_id and r.question_id = a.question_id and r.attempt = a.attempt
        and r.ruleset = 'published'
    order by p.place, run.dataset_id, run.model, run.run_id, a.attempt"""


def _grouped(con: duckdb.DuckDBPyConnection, sql: str) -> Callable[[int], list[tuple[Any, ...]]]:
    """The rows of each place, asked for in order; the first column is the place. Reads a batch at a time."""
    found = con.execute(sql)  # nothing else may be asked of the connection meanwhile
    groups = groupby(iter(lambda: found.fetchone(), None), key=itemgetter(0))
    ahead: list[tuple[int, list[tuple[Any, ...]]]] = []

    def of(place: int) -> list[tuple[Any, ...]]:
        if not ahead and (group := next(groups, None)):
            ahead.append((group[0], list(group[1])))
        return ahead.pop()[1] if ahead and ahead[0][0] == place else []

    return of


class _Parts:
    """What belongs to a question, by its id: choices, keys, flags, images, key changes and twins."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.choices = self._by(con, "choice", "label, text, is_correct, is_forbidden, has_image", "position")
        self.keys = self._by(con, "answer_key", "labels, value", "alternative")
        self.flags = self._by(con, "question_flag", "flag, detail", "flag")
        self.images = self._by(con, "question_image", "place, url", "place")
        self.twins = _rows_by_first(con, _TWINS)
        self.changes = _rows_by_first(con, _CHANGES)
        self.passages = dict(con.execute("select passage_id, text from shown_passage").fetchall())

    @staticmethod
    def _by(con: duckdb.DuckDBPyConnection, table: str, columns: str, order: str) -> dict[str, list[list[Any]]]:
        return _rows_by_first(
            con,
            f"select question_id, {columns} from shown_{table} t where question_id in (select question_id from place) "
            f"order by question_id, t.{order}",
        )


# The same question elsewhere: linked by its text, or by its place in the same exam (another language, another release).
_TWINS = """
    with linked as (
        select from_question as question_id, to_question as twin, kind, similarity from question_link
        union all select to_question, from_question, kind, similarity from question_link
    ), placed as (
        select a.question_id, b.question_id as twin, 'same place' as kind, cast(null as decimal(9, 3)) as similarity
        from question a join exam x using (exam_id) join exam y on y.profession = x.profession and y.year = x.year
        join question b on b.exam_id = y.exam_id and b.number = a.number and b.paper is not distinct from a.paper
            and b.dataset_id <> a.dataset_id
    )
    select question_id, twin, kind, similarity from linked where question_id in (select question_id from place)
    union all select * from placed where question_id in (select question_id from place)
        and not exists (select 1 from linked l where l.question_id = placed.question_id and l.twin = placed.twin)
    order by question_id, twin"""

_CHANGES = """
    select q.question_id, c.from_dataset, c.to_dataset, c.old_key, c.new_key
    from shown_answer_key_change c join question q on q.fingerprint = c.fingerprint and q.benchmark = c.benchmark
        and q.dataset_id in (c.from_dataset, c.to_dataset)
    where q.question_id in (select question_id from place) order by q.question_id, c.from_dataset, c.to_dataset"""


def _rows_by_first(con: duckdb.DuckDBPyConnection, sql: str) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for row in con.execute(sql).fetchall():
        found[row[0]].append([_plain(v) for v in row[1:]])
    return found


def _line(q: dict[str, Any], dataset: Dataset) -> list[Any]:
    """A question in the list of its dataset: source key, stem, topic, exam, status of its key, share right, flags."""
    exam = f"{q['profession']} {q['year']}" if q["profession"] else None
    return [q["source_key"], None if dataset.is_closed else q["stem"], q["topic"], exam, q["component"],
            q["key_status"], _plain(q["share_right"]), q["flags"] or [], q["suspicious"]]  # fmt: skip


_SHOWN = (
    "question_id", "stem", "topic", "language", "paper", "number", "answer_type", "component", "key_status",
    "points", "released_key", "human_accuracy", "needs_image", "case_group", "fingerprint", "source_url",
    "profession", "profession_en", "year", "runs", "families", "share_right", "gap", "discrimination", "strong_runs",
    "strong_answer", "strong_share", "suspicious",
)  # fmt: skip


def _question(q: dict[str, Any], parts: _Parts) -> dict[str, Any]:
    question_id = q["question_id"]
    of = {name: found.get(question_id, []) for name, found in vars(parts).items() if name != "passages"}
    return {n: _plain(q[n]) for n in _SHOWN} | of | {"passage": parts.passages.get(q["passage_id"])}


def _plain(value: Any) -> Any:
    """A value as JSON has it; a decimal as text without needless zeros."""
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return value


def _write(folder: Path, name: str, value: Any) -> None:
    path = folder / "data" / f"{name}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_text(f'medexams.take("{name}",{text});\n', encoding="utf-8")
