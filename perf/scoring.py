"""Scoring against a plain Python loop and against a bare scan of the same Parquet columns, in one run.

    python -m perf.scoring [PREDICTIONS]     default 2,000,000 synthetic predictions over the three benchmarks

Prints seconds, predictions a second and the two ratios. The loop scores a part of the predictions and is scaled up. The
loop and the SQL must agree on that part, else the run ends with an error. Exit code 1 where a ratio misses its goal.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from perf.goals import missed, must_agree
from pipelines.schema import TABLES
from pipelines.scoring.rulebook import rulebook, tables
from pipelines.store.sqlfiles import sql_tables

QUESTIONS = 3000
LOOP = 200_000
TIMES_LOOP = 10.0
"""How many times as fast as the loop scoring must be (16 to 24 seen on two cores)."""
TIMES_SCAN = 10.0
"""How many times as long as a bare scan it may take (4.8 to 5.0 seen)."""
COLUMNS = "run_id, question_id, attempt, response, status, selection, labels, value"

# Synthetic tables in SQL: a third of the questions of each benchmark, five choices, one or two of them right; of the
# predictions four in a hundred are no answer.
_SETUP = f"""
create table q as
select i, 'benchmark-question/' || i as question_id,
    ['medschool', 'cognet_md', 'kokushi_md10'][i % 3 + 1] as benchmark,
    case when i % 3 = 0 then 1 << (i * 7 % 5) else (1 << (i * 7 % 5)) | (1 << (i * 11 % 5)) end as mask,
    case when i % 3 = 2 then ['scored', 'scored', 'scored', 'scored', 'correct_only', 'all_credit'][i % 5 + 1]
        else 'scored' end as key_status
from range({QUESTIONS}) as t(i);
create table masks as
select m as mask, concat_ws('-', case when m & 1 <> 0 then 'A' end, case when m & 2 <> 0 then 'B' end,
    case when m & 4 <> 0 then 'C' end, case when m & 8 <> 0 then 'D' end, case when m & 16 <> 0 then 'E' end) as labels
from range(1, 32) as t(m);
create table question as
select question_id, benchmark || '/synthetic' as dataset_id, benchmark, i::varchar as source_key,
    null::varchar as exam_id, 'multiple' as answer_type, 5 as n_choices, 1::decimal(9, 3) as points, key_status,
    case when i % 3 <> 0 then labels end as released_key
from q join masks using (mask);
create table choice as
select question_id, p::integer as position, chr(65 + p::integer) as label, (p = 4 and i % 50 = 0) as is_forbidden
from q, range(5) as t(p);
create table answer_key as
select question_id, 1 as alternative, labels, q.mask::integer as selection, null::varchar as value
from q join masks using (mask);
create table run as
select 'run/synthetic/' || r as run_id, 'generated' as format from range(1, 2 + $n // {QUESTIONS}) as t(r);
create table question_flag as select null::varchar as question_id, null::varchar as flag where false;
copy (
    select 'run/synthetic/' || (n // {QUESTIONS} + 1) as run_id, question_id, 1::integer as attempt,
        case when n * 7919 % 25 = 0 then null else labels end as response,
        case when n * 7919 % 25 = 0 then 'unparsed' else 'answered' end as status,
        case when n * 7919 % 25 = 0 then null else masks.mask::integer end as selection,
        case when n * 7919 % 25 = 0 then null else labels end as labels, null::varchar as value
    from range($n) as t(n) join q on q.i = n % {QUESTIONS}
    join masks on masks.mask = case when hash(n) % 2 = 0 then q.mask else 1 + hash(n) % 31 end
) to '$file' (format parquet, compression zstd);
"""
_SCAN = f"select {', '.join(f'max({c})' for c in COLUMNS.split(', '))}, count(*) from prediction"
_TOTALS = """select ruleset, sum(points), sum(max_points), sum(is_correct::int), sum(hits_forbidden::int),
    sum(counts::int)
from ($sql
) group by ruleset"""
_KEYS = "select question_id, benchmark, labels, key_status, points from question join answer_key using (question_id)"


def _timed(do: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    found = do()
    return time.perf_counter() - start, found


def python_loop(con: duckdb.DuckDBPyConnection, rows: list[tuple[str, ...]]) -> list[tuple[float, float]]:
    """Points (official, published) of each prediction, read and scored one by one as a script would."""
    keys = {
        qid: (benchmark, set(labels.split("-")), status, float(points))
        for qid, benchmark, labels, status, points in con.execute(_KEYS).fetchall()
    }
    rules = {(r.benchmark, r.ruleset): r for r in rulebook().items}
    constants = {k: tuple(map(float, (r.any_right, r.exact, r.each_wrong, r.any_wrong))) for k, r in rules.items()}
    out = []
    for _, question_id, _, response, status, _, labels, _ in rows:
        benchmark, key, key_status, points = keys[question_id]
        found = []
        for ruleset in ("official", "published"):
            if ruleset == "published" and benchmark != "medschool":
                text = response or ""
                chosen = set(text.split("-")) if benchmark == "cognet_md" else {c for c in text if c.isalnum()}
            else:
                chosen = set(labels.split("-")) if status == "answered" else set()
            any_right, exact, each_wrong, any_wrong = constants[benchmark, ruleset]
            hits, wrong, right = len(chosen & key), len(chosen - key), chosen == key
            score = any_right * (hits > 0) + exact * right + each_wrong * wrong
            if status == "answered" and not right:
                score += any_wrong
            if ruleset == "official" and key_status == "all_credit":
                score = points
            found.append(score)
        out.append((found[0], found[1]))
    return out


def main(predictions: int = 2_000_000) -> int:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        file, result = Path(folder) / "prediction.parquet", Path(folder) / "item_score.parquet"
        for statement in _SETUP.replace("$n", str(predictions)).replace("$file", str(file)).split(";\n"):
            if statement.strip():
                con.execute(statement)
        con.execute(f"create view prediction as select * from read_parquet('{file}')")
        for name, frame in tables().items():
            frame.write_parquet(Path(folder) / f"{name}.parquet")
            con.execute(f"create view {name} as select * from read_parquet('{folder}/{name}.parquet')")
        con.execute(f"create view released_answer as {sql_tables()['released_answer'].sql}")
        sql = sql_tables()["item_score"].sql
        columns = [c[0] for c in con.execute(f"describe {sql}").fetchall()]
        must_agree("item_score.sql and schema.py", columns == list(TABLES["item_score"].column_names))

        scan, _ = _timed(lambda: con.execute(_SCAN).fetchall())
        score, _ = _timed(lambda: con.execute(_TOTALS.replace("$sql", sql)).fetchall())
        write, _ = _timed(lambda: con.execute(f"copy ({sql}\n) to '{result}' (format parquet)"))
        part = min(LOOP, predictions)
        read, rows = _timed(lambda: con.execute(f"select {COLUMNS} from prediction limit {part}").fetchall())
        loop, mine = _timed(lambda: python_loop(con, rows))  # type: ignore[arg-type]
        loop = (read + loop) * predictions / part
        theirs = {
            (run_id, qid): (float(o), float(p))
            for run_id, qid, o, p in con.execute(
                f"""select run_id, question_id, sum(points) filter (ruleset = 'official'),
                    sum(points) filter (ruleset = 'published')
                from read_parquet('{result}') group by run_id, question_id"""
            ).fetchall()
        }
        wrong = [r for r, m in zip(rows, mine, strict=True) if theirs[r[0], r[1]] != m]  # type: ignore[call-overload]
        must_agree(f"scoring ({len(wrong)} predictions, the first: {wrong[:1]})", not wrong)
    print(f"{predictions:,} predictions, two rulesets")
    for name, seconds in (
        ("bare scan", scan),
        ("scoring", score),
        ("scoring, written to Parquet", write),
        ("loop", loop),
    ):
        print(f"  {name:28} {seconds:8.2f} s  {predictions / seconds:14,.0f} a second")
    slow = missed("scoring: times as fast as the loop", loop / score, at_least=TIMES_LOOP)
    heavy = missed("scoring: times as long as a bare scan", score / scan, at_most=TIMES_SCAN)
    return int(slow or heavy)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
