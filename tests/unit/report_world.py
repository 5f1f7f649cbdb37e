"""A small warehouse with as many runs as asked, for the tests of the report: hostile text, doubts, a closed licence."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from itertools import combinations, product
from pathlib import Path
from typing import Any

import duckdb

from pipelines.schema import TABLES
from pipelines.store.publishing import STORAGE_VERSION, create_view
from pipelines.store.sqlfiles import sql_views
from pipelines.vocabulary import PREDICTION_STATUSES, RULESETS

HOSTILE = '<script>alert("x")</script>'


ATTACK = "<img src=x onerror=alert(1)>"


METRICS = ("accuracy", "score_share")


MODELS = (
    HOSTILE,
    '"><img src=x onerror=alert(1)>',
    "$\\frac{a}$ \u202e mixed",
    "医師モデル-とても長い名前のモデル・第二版-指示調整済み",
    "è-così",
)


SECRET = "Which dermatology question must never be printed?"


YEARS = (2020, 2021, 2022)


PROFESSIONS = (("医師", "Physician"), ("薬剤", "Pharmacist"))


TOPICS = ("biology", "chemistry", "maths_physics", "world_knowledge", "logic")


_SET = {"kokushi_md10": "kokushi_md10/ja", "medschool": "medschool/room-b007", "cognet_md": "cognet_md/1.0"}


def warehouse(path: Path, n_runs: int, *, sample: bool = False, only: str | None = None) -> Path:
    """A warehouse with three datasets and `n_runs` runs (of all, or of `only` one), the first hostile by name.

    Every third question has a doubted key; responses are hostile, and one is long.
    """
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    same = {"old": f"stem: {SECRET}", "new": None, "cause": "read otherwise"}
    rows["refresh_change"] = [
        same | {"kind": "question", "subject": q, "question_id": q} for q in ("cognet_md/1.0/7", "cognet_md/gone/1")
    ]
    q = "medschool/room-b007/7"
    rows["refresh_change"].append(same | {"kind": "key", "subject": q, "old": "A", "new": "B", "question_id": q})
    day = datetime.fromisoformat("2026-01-02T03:04")
    for benchmark, licence, language in (
        ("kokushi_md10", "MIT", "ja"), ("medschool", "Apache-2.0", "it"), ("cognet_md", "CC BY-NC-ND 4.0", "en"),
    ):  # fmt: skip
        dataset_id = _SET[benchmark]
        rows["dataset"].append({
            "dataset_id": dataset_id, "benchmark": benchmark, "release": "1", "source": benchmark,
            "title": f"Title of {benchmark}", "language": language, "licence": licence,
            "origin": "https://example.org/data", "sha256": "ab" * 32, "fetched_at": day,
            "n_questions": 40, "published_count": 41, "is_sample": sample, "is_latest": True,
        })  # fmt: skip
        rows["source_quality"].append({
            "dataset_id": dataset_id, "rows_in": 41, "kept": 40, "rejected": 1, "flagged": 40, "needs_image": 2,
            "scorable": 39, "answerable_by_text": Decimal("0.875"), "published_count": 41, "missing": 1,
        })  # fmt: skip
        stem = {"ja": "最も適切なのはどれか。", "it": "Qual è la città più <b>alta</b>?", "en": SECRET}[language]
        for i in range(40):
            question = {"question_id": f"{dataset_id}/{i}", "dataset_id": dataset_id, "benchmark": benchmark}
            rows["question"].append(question | {
                "source_key": str(i), "language": language, "stem": stem, "answer_type": "single", "n_choices": 5,
                "points": 1, "key_status": "scored", "needs_image": False, "fingerprint": f"{i:032x}",
                "topic": TOPICS[i % 5] if benchmark == "medschool" else None,
            })  # fmt: skip
            _add_details(rows, question["question_id"], dataset_id, i)
            flag = "image_missing" if i % 2 else "key_disputed"
            detail = f"the stem is {stem!r}"
            rows["question_flag"].append({"question_id": question["question_id"], "flag": flag, "detail": detail})
    rows["answer_key_change"].append({
        "benchmark": "medschool", "fingerprint": f"{7:032x}", "from_dataset": _SET["medschool"],
        "to_dataset": _SET["medschool"], "old_key": "perché", "new_key": "<i>no</i>",
    })  # fmt: skip
    rows["rejected_row"].append({"source": "a.csv", "locator": "line 3", "reason": "no question", "raw": "{}"})
    for topic in TOPICS:
        rows["rule_topic"].append({"benchmark": "medschool", "topic": topic, "weight": 23 - TOPICS.index(topic)})
    for name, name_en in PROFESSIONS:
        for year in YEARS:
            rows["exam"].append({
                "exam_id": f"kokushi_md10/{name}/{year}", "benchmark": "kokushi_md10", "profession": name,
                "profession_en": name_en, "year": year, "round": year - 1906,
            })  # fmt: skip
    for i in range(n_runs):
        _add_run(rows, i, day, sample, only)
    for (a, b), (dataset_id, metric) in product(combinations(rows["run"], 2), product(_SET.values(), METRICS)):
        if a["dataset_id"] == b["dataset_id"] == dataset_id and len(rows["comparison"]) < 600:
            _add_comparison(rows, a["run_id"], b["run_id"], dataset_id, metric)
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as warehouse (storage_version '{STORAGE_VERSION}')")  # as it is published
        con.execute("use warehouse")
        for table in TABLES.values():
            columns = ", ".join(f'"{c.name}" {c.type}' for c in table.columns)
            con.execute(f"create table {table.name} ({columns})")
            if rows[table.name]:
                parts = path.with_suffix(".parquet")
                table.frame(rows[table.name]).write_parquet(parts)
                con.execute(f"insert into {table.name} select * from read_parquet('{parts}')")
                parts.unlink()
        for view in sql_views():
            create_view(con, view)
    return path


def _add_details(rows: dict[str, list[dict[str, Any]]], question_id: str, dataset_id: str, i: int) -> None:
    """Choices, key, difficulty and a twin in the next dataset."""
    closed = dataset_id == _SET["cognet_md"]
    for position, label in enumerate("ABCDE"):
        text = SECRET if closed else f"<i>scelta</i> {label} & {i}"
        rows["choice"].append({
            "question_id": question_id, "position": position, "label": label, "text": text, "is_correct": label == "B",
            "is_forbidden": label == "E" and i % 7 == 0, "has_image": False,
        })  # fmt: skip
    rows["answer_key"].append({"question_id": question_id, "alternative": 1, "labels": "B", "selection": 2})
    rows["question_difficulty"].append({
        "question_id": question_id, "runs": 7, "families": 7, "share_right": Decimal(i) / 80, "strong_runs": 4,
        "strong_answer": "A", "strong_share": Decimal("0.8125"), "suspicious_key": i % 3 == 0,
    })  # fmt: skip
    if dataset_id == _SET["medschool"]:
        rows["question_link"].append({
            "from_question": question_id, "to_question": f"{_SET['kokushi_md10']}/{i}", "kind": "near",
            "similarity": Decimal("0.905"),
        })  # fmt: skip


def _add_comparison(rows: dict[str, list[dict[str, Any]]], a: str, b: str, dataset_id: str, metric: str) -> None:
    n = len(rows["comparison"])
    rows["comparison"].append({
        "run_a": a, "run_b": b, "dataset_id": dataset_id, "metric": metric, "value_a": Decimal(500 + n) / 1600,
        "value_b": Decimal(500) / 1600, "difference": Decimal(n) / 1600, "low": Decimal(n - 40) / 1600,
        "high": Decimal(n + 40) / 1600, "p": 0.0004, "p_adjusted": (None, 0.0004, 0.2)[n % 3],
        "method": "exact", "n": 40,
    })  # fmt: skip


def _add_run(rows: dict[str, list[dict[str, Any]]], i: int, day: datetime, sample: bool, only: str | None) -> None:
    benchmark = only or tuple(_SET)[i % 3]
    model = MODELS[i] if i < len(MODELS) else "seeded-random" if i in (5, 6, 7) else f"model-{i:03d}"
    kind = "baseline" if i in (5, 6, 7) else "human" if i == 8 else "model"
    run_id = f"model-{i}/{_SET[benchmark].replace('/', '-')}/{i:08x}"
    run = {"run_id": run_id}
    rows["run"].append(run | {
        "model": model, "dataset_id": _SET[benchmark], "modality": "multimodal" if i % 4 == 3 else "text",
        "format": "generated", "harness": "table", "language": {"k": "ja", "m": "it", "c": "en"}[benchmark[0]],
        "created_at": day, "sha256": "cd" * 32, "kind": kind, "is_sample": sample,
    })  # fmt: skip
    value = Decimal(900 - 4 * i) / 1000
    low, high = value - Decimal("0.03"), value + Decimal("0.04")
    metric, scale = ("exam_score", 60) if benchmark == "medschool" else ("score_share", 1)
    counts = dict.fromkeys(PREDICTION_STATUSES, 0) | {"answered": 33 - i % 5, "refused": i % 5, "unparsed": 7}
    rows["leaderboard"].append(run | {
        "benchmark": benchmark, "dataset_id": _SET[benchmark], "rank": i // 3 + 1, "rank_low": i // 3 + 1,
        "rank_high": i // 3 + 3, "model": model, "kind": kind, "metric": metric, "score": value * scale,
        "low": low * scale, "high": high * scale, "accuracy": value, "answered": counts["answered"], "abstained": 0,
        "refused": counts["refused"], "unparsed": 7, "n": 40, "is_sample": sample,
        "format": "generated", "modality": "text", "attempts": 1, "asked": 40, "questions": 40, "coverage": 1,
        "chance": Decimal("0.2"), "method": "bootstrap of the test",
        "examinees": Decimal("0.8388") if benchmark == "kokushi_md10" else None,
    })  # fmt: skip
    cases = ("production", "beta", "specialty:dermatology") if benchmark == "cognet_md" else ()
    for case in ("all", *cases):
        for name in (metric, "accuracy"):
            rows["benchmark_score"].append(run | {
                "ruleset": "official", "benchmark": benchmark, "use_case": case, "metric": name,
                "value": value * scale, "low": low * scale, "high": high * scale, "method": "test", "n": 40,
            })  # fmt: skip
    names = list(counts.items())
    answers = [status for status, n in names for _ in range(n)]
    for q, status in enumerate(answers):
        question_id = f"{_SET[benchmark]}/{q}"
        label = "ABCDE"[(q * 7 + i) % 5] if status == "answered" else None
        words = SECRET if benchmark == "cognet_md" else f"{ATTACK} Answer: {label}.</script> {'x' * 300 * (q == 3)}"
        answer = run | {"question_id": question_id, "attempt": 1}
        rows["prediction"].append(answer | {
            "status": status, "labels": label, "response": words, "evidence": f"Answer: {label}" if label else None,
        })  # fmt: skip
        for ruleset in RULESETS:
            rows["item_score"].append(answer | {
                "ruleset": ruleset, "points": Decimal({"B": "1.5", "A": "0.25"}.get(label or "", "0")),
                "max_points": Decimal("1.5"), "is_correct": label == "B", "counts": q != 5,
                "hits_forbidden": label == "E" and q % 7 == 0,
            })  # fmt: skip
    if benchmark == "medschool":
        for topic in TOPICS:
            rows["topic_score"].append(run | {
                "ruleset": "official", "topic": topic, "score": value, "low": low, "high": high, "method": "bootstrap",
                "accuracy": value, "n": 8,
            })  # fmt: skip
    if benchmark == "kokushi_md10":
        for name, _ in PROFESSIONS:
            for year in YEARS:
                _add_exam(rows, run | {"exam_id": f"kokushi_md10/{name}/{year}"}, (i + year) % 4, model)
        rows["rule_disagreement"].append(run | {
            "scope": "exam", "scope_id": "kokushi_md10/医師/2020", "attempt": 1, "official": "pass",
            "published": "fail", "cause": f"said by {model}",
        })  # fmt: skip


def _add_exam(rows: dict[str, list[dict[str, Any]]], exam: dict[str, Any], kind: int, model: str) -> None:
    passed = (True, False, False, None)[kind]
    for ruleset, verdict in (("official", passed), ("published", False)):
        for component, line in (("必修", 160), ("一般+臨床", 217), ("禁忌", 3), ("overall", None)):
            rows["exam_result"].append(exam | {
                "ruleset": ruleset, "component": component, "points": Decimal("168.500"), "max_points": 200,
                "threshold": line, "passed": verdict, "reason": f"必修 168.5 of 160 needed, {model}",
                "rule_status": "unverified" if kind == 2 else "sourced",
            })  # fmt: skip
    rows["pass_chance"].append(exam | {"passed": passed, "chance": Decimal("0.25"), "method": "resampled", "n": 40})


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.execute(sql).fetchall()
