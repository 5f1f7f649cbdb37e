"""Format every-eval-ever: one record of each run in the schema of evaleval/every_eval_ever, with its single answers.

Schema versions 0.2.2 (aggregate) and instance_level_eval_0.2.2, read at 21b3d1a and c6d861b of that repository. Layout:
data/BENCHMARK/DEVELOPER/MODEL/UUID.json, and beside it UUID_samples.jsonl. The answers of a dataset whose licence keeps
its questions back are left out, the figures are not. UUIDs come from the run_id, so that a second export has the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.content import questions, write_jsonl
from pipelines.export.gate import Chosen, Dataset, ReportProgress
from pipelines.folders import sha256
from pipelines.prompts import asked
from pipelines.registry import benchmarks
from pipelines.store.checks import quoted
from pipelines.text.slugs import slug

VERSION = "0.2.2"
SAMPLES_VERSION = "instance_level_eval_0.2.2"
_LIBRARIES = {"lm-evaluation-harness": "lm_eval", "inspect": "inspect_ai", "Inspect": "inspect_ai", "HELM": "helm"}
# Metric: kind, unit, bounds (None: by the rule), description.
_METRICS: dict[str, tuple[str, str, tuple[float, float] | None, str]] = {
    "score": ("points", "points", None, "Points by the exam's own rule."),
    "score_share": ("score_share", "proportion", None, "Points over points possible, by the exam's own rule."),
    "accuracy": ("accuracy", "proportion", (0, 1), "Right in full, over all questions that count."),
    "accuracy_answered": ("accuracy", "proportion", (0, 1), "Right in full, over the questions answered."),
    "answered_share": ("answered_share", "proportion", (0, 1), "Questions answered, over all that count."),
    "exam_score": ("exam_score", "points", None, "Weighted mean of the subjects, times the questions of an exam."),
}
_ITEM_METRIC = "score"
"""The metric that the points of single answers add up to."""


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/data/…: a record for each run that answered one of the chosen datasets."""
    open_ = {d.dataset_id for d in chosen.open}
    total = sum(len(_runs(con, d)) for d in chosen.datasets)
    done = 0
    for dataset in chosen.datasets:
        asked_ = (
            {q["question_id"]: q for q in questions(con, dataset.dataset_id)} if dataset.dataset_id in open_ else {}
        )
        bounds = _bounds(con, dataset)
        scores: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in _rows(
            con,
            "select s.* from benchmark_score s join run r using (run_id) "
            f"where r.dataset_id = {quoted(dataset.dataset_id)} and s.ruleset = 'official' and s.value is not null "
            "order by use_case, metric",
        ):
            scores[row["run_id"]].append(row)
        for run in _runs(con, dataset):
            report("runs", done, total)
            done += 1
            record = _record(run, dataset, scores[run["run_id"]], bounds)
            name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"medexams:{run['run_id']}"))
            model = record["model_info"]["id"].partition("/")
            place = folder / "data" / dataset.benchmark / _slug(model[0]) / _slug(model[2])
            place.mkdir(parents=True, exist_ok=True)
            if asked_:
                path = place / f"{name}_samples.jsonl"
                count = write_jsonl(path, _samples(con, record, run, asked_))
                record["detailed_evaluation_results"] = {
                    "format": "jsonl", "file_path": path.relative_to(folder).as_posix(), "hash_algorithm": "sha256",
                    "checksum": sha256(path), "total_rows": count,
                }  # fmt: skip
            text = json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)
            (place / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    report("runs", total, total)


def _record(
    run: dict[str, Any], dataset: Dataset, scores: list[dict[str, Any]], bounds: dict[str, tuple[float, float]]
) -> dict[str, Any]:
    when = str(int(run["created_at"].replace(tzinfo=UTC).timestamp()))
    developer = run["vendor"] or ("examinees" if run["kind"] == "human" else "unknown")
    known = re.fullmatch(r"[\w.-]+/[\w.-]+", run["model"])
    model_id = run["model"] if known else f"{_slug(developer)}/{_slug(run['model'])}"
    source = {
        "dataset_name": dataset.title,
        "additional_details": {
            "dataset_id": dataset.dataset_id, "licence": dataset.licence, "sha256": dataset.sha256,
            "questions": str(dataset.n_questions), "is_sample": str(dataset.is_sample).lower(),
        },
    }  # fmt: skip
    if dataset.origin.startswith(("http://", "https://")):
        source |= {"source_type": "url", "url": [dataset.origin]}
    else:
        source |= {"source_type": "other", "source_id": dataset.dataset_id, "source_version": dataset.release}
    details = {k: str(run[k]) for k in ("run_id", "kind", "modality", "format", "description", "sha256") if run[k]}
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{dataset.dataset_id}/{model_id}/{when}/{run['run_id'].rpartition('/')[2]}",
        "evaluation_timestamp": when,
        "retrieved_timestamp": str(int(datetime.now(UTC).timestamp())),
        "source_metadata": {
            "source_name": "medexams",
            "source_type": "evaluation_run",
            "source_organization_name": "medexams",
            "evaluator_relationship": "third_party",
            "additional_details": {"rules": "official", "scored_by": "medexams"},
        },
        "eval_library": {
            "name": _LIBRARIES.get(run["harness"], run["harness"]),
            "version": run["harness_version"] or "unknown",
        },
        "model_info": {
            "name": run["model"], "id": model_id, "developer": developer, "additional_details": details,
        },
        "evaluation_results": [_result(run, row, source, bounds) for row in scores],
    }  # fmt: skip


def _result(
    run: dict[str, Any], row: dict[str, Any], source: dict[str, Any], bounds: dict[str, tuple[float, float]]
) -> dict[str, Any]:
    kind, unit, limits, says = _METRICS.get(row["metric"], (row["metric"], "points", None, row["metric"]))
    low, high = limits or bounds.get(row["metric"], bounds["score"])
    uncertainty: dict[str, Any] = {"num_samples": row["n"]}
    if row["low"] is not None and row["high"] is not None:
        uncertainty["confidence_interval"] = {
            "lower": float(row["low"]), "upper": float(row["high"]), "confidence_level": 0.95, "method": row["method"],
        }  # fmt: skip
    return {
        "evaluation_result_id": _result_id(run, row["use_case"], row["metric"]),
        "evaluation_name": f"{run['dataset_id']} ({row['use_case']})",
        "source_data": source,
        "metric_config": {
            "evaluation_description": says,
            "metric_id": kind if kind == "accuracy" else f"{row['benchmark']}.{row['metric']}",
            "metric_name": row["metric"],
            "metric_kind": kind,
            "metric_unit": unit,
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": low,
            "max_score": high,
            "additional_details": {"use_case": row["use_case"], "ruleset": "official"},
        },
        "score_details": {
            "score": float(row["value"]), "details": {"method": row["method"]}, "uncertainty": uncertainty,
        },
    }  # fmt: skip


def _samples(
    con: duckdb.DuckDBPyConnection, record: dict[str, Any], run: dict[str, Any], asked_: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for row in _rows(
        con,
        f"""select p.*, s.points, s.is_correct, s.counts, s.hits_forbidden
            from prediction p join item_score s using (run_id, question_id, attempt)
            where run_id = {quoted(run["run_id"])} and s.ruleset = 'official' order by question_id, attempt""",
    ):
        q = asked_[row["question_id"]]
        raw = asked(q)
        reference = ["-".join(a["labels"]) or a["value"] or "" for a in q["answers"]]
        extracted = row["labels"] or row["value"]
        attribution = {
            "turn_idx": 0, "source": "output.raw", "extracted_value": extracted, "extraction_method": "medexams",
            "is_terminal": True,
        }  # fmt: skip
        yield {
            "schema_version": SAMPLES_VERSION,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": f"{run['dataset_id']} (all)",
            "evaluation_result_id": _result_id(run, "all", _ITEM_METRIC),
            "sample_id": row["question_id"],
            "sample_hash": hashlib.sha256((raw + "".join(reference)).encode()).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": raw, "reference": reference, "choices": [c["text"] for c in q["choices"]]},
            "output": {"raw": [] if row["response"] is None else [row["response"]]},
            "answer_attribution": [attribution] if row["status"] == "answered" and extracted else [],
            "evaluation": {"score": float(row["points"]), "is_correct": row["is_correct"], "num_turns": 1},
            "metadata": {
                "status": row["status"], "attempt": str(row["attempt"]), "counts": str(row["counts"]).lower(),
                "topic": q["topic"] or "", "hits_forbidden": str(row["hits_forbidden"]).lower(),
            },
        }  # fmt: skip


def _bounds(con: duckdb.DuckDBPyConnection, dataset: Dataset) -> dict[str, tuple[float, float]]:
    """Lowest and highest value of the metrics that depend on the rule: no answer does worse than all wrong choices."""
    sql = f"""
        with worth as (
            select
                case when r.weighted then q.points else 1 end as weight,
                r.any_right + r.exact as most,
                least(0, r.any_wrong + r.each_wrong * greatest(1, coalesce(w.wrong, 1))) as least
            from question q
            join rule_item r on r.benchmark = q.benchmark and r.ruleset = 'official'
            left join (select question_id, count(*) filter (not is_correct) as wrong from choice group by 1) w
                on w.question_id = q.question_id
            where q.dataset_id = {quoted(dataset.dataset_id)} and q.key_status not in ('removed', 'unknown')
        )
        select coalesce(sum(weight * least), 0), coalesce(sum(weight * most), 0), coalesce(min(least / most), 0)
        from worth"""
    lowest, highest, share = map(float, con.execute(sql).fetchall()[0])
    found = {"score": (lowest, highest), "score_share": (min(0.0, share), 1.0)}
    if benchmark := benchmarks().get(dataset.benchmark):
        metric = benchmark.card.metric
        found.setdefault(metric.name, (metric.low, metric.high))
    return found


def _runs(con: duckdb.DuckDBPyConnection, dataset: Dataset) -> list[dict[str, Any]]:
    return _rows(con, f"select * from run where dataset_id = {quoted(dataset.dataset_id)} order by run_id")


def _result_id(run: dict[str, Any], use_case: str, metric: str) -> str:
    return f"{run['run_id']}/{use_case}/{metric}"


def _slug(text: str) -> str:
    """A text as one part of a path or of a model's id: never empty, '.' or '..'."""
    return slug(text).strip("-.")[:100] or "unknown"


def _rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    found = con.execute(sql)
    names = [d[0] for d in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
