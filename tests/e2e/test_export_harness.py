"""Exports in the hands of the tools that they are for: each is read by its own tool, in an environment of its own.

lm-evaluation-harness runs the generated tasks with its dummy model, and the logs come back through the inbox with the
same questions and the same scores. `make harness` makes that environment (.venv-harness); nothing comes from a hub.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from pipelines.export import harness_utils
from tests.e2e.conftest import Command, harness_tool, needs_harness, rows

BENCHMARKS = ("cognet_md", "kokushi_md10", "medschool")
FORMS = ("mc", "cloze", "generated")


@pytest.fixture(scope="module")
def data(medexams: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published warehouse of the sample, on a machine that has the tools."""
    needs_harness()
    folder = tmp_path_factory.mktemp("export") / "data"
    done = medexams("refresh", "--profile", "sample", data=folder)
    assert done.code == 0, done.err
    return folder


# ---- lm-evaluation-harness ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(medexams: Command, data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """Task to figures of the harness; its logs, and such with answers instead of 'lol', are in the inbox."""
    out = tmp_path_factory.mktemp("tasks") / "lm-eval"
    done = medexams("export", "lm-eval", out, data=data)
    assert done.code == 0, done.err
    run = ("run", "--model", "dummy", "--include_path", ".", "--tasks", "medexams", "--output_path", "results")
    harness_tool("lm_eval", *run, "--log_samples", folder=out)
    [path] = (out / "results").rglob("results_*.json")
    figures = {task: _figures(found) for task, found in json.loads(path.read_text())["results"].items()}
    (out / "canned").mkdir()
    for log in path.parent.glob("samples_*_generated_*.jsonl"):
        figures[f"canned {log.name.removeprefix('samples_').rpartition('_')[0]}"] = _canned(
            log, out / "canned" / log.name
        )
    for model, folder in (("dummy", "results"), ("canned", "canned")):
        done = medexams("runs", "add", out / folder, "--model", model, data=data)
        assert done.code == 0 and "0 files rejected" in done.out, done.out + done.err
    return figures


def _figures(found: dict[str, Any]) -> dict[str, float]:
    """Figures of a task by name, without the name of the filter."""
    return {k.partition(",")[0]: v for k, v in found.items() if "stderr" not in k and isinstance(v, (int, float))}


def _canned(log: Path, to: Path) -> dict[str, float]:
    """Write a log anew with answers, every second of them accepted; answers what the task's utils.py makes of them."""
    figures: dict[str, list[Any]] = defaultdict(list)
    with to.open("w", encoding="utf-8") as file:
        for i, line in enumerate(log.read_text(encoding="utf-8").splitlines()):
            row = json.loads(line)
            doc = row["doc"]
            said = doc["accepted"][0] if doc["accepted"] and i % 2 else (doc["labels"] or ["98765"])[-1]
            if doc["labels"] and doc["dataset_id"].startswith("kokushi") and doc["answer_type"] != "sequence":
                said = said.replace("-", "")  # as its prompt asks
            row["resps"], row["filtered_resps"] = [[said]], [said]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            for name, value in harness_utils.process_generated(doc, [said]).items():
                figures[name].append(value)
    made = {
        "acc": harness_utils.mean_counted(figures["acc"]),
        "score_share": harness_utils.share(figures["score_share"]),
    }
    return made | ({"exam_score": harness_utils.exam_score(figures["exam_score"])} if figures["exam_score"] else {})


def _came_back(data: Path, model: str) -> dict[tuple[str, str], list[dict[str, float]]]:
    """Figures of the runs that came in, by dataset and format, with the number of predictions as n."""
    sql = f"""
        select r.dataset_id, r.format, r.run_id, s.metric, s.value,
               (select count(*) from prediction p where p.run_id = r.run_id)
        from run r join benchmark_score s using (run_id)
        where r.model = '{model}' and s.ruleset = 'official' and s.use_case = 'all'
            and s.metric in ('accuracy', 'score_share', 'exam_score')"""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for dataset_id, form, run_id, metric, value, n in rows(data, sql):
        name = "acc" if metric == "accuracy" else metric
        found[dataset_id, form][run_id] |= {name: float(value), "n": n}
    return {key: list(runs.values()) for key, runs in found.items()}


def test_the_harness_runs_all_three_ways_on_all_three_benchmarks(results: dict[str, dict[str, float]]) -> None:
    for benchmark in BENCHMARKS:
        for form in FORMS:
            assert any(t.startswith(f"medexams_{benchmark}_") and t.endswith(f"_{form}") for t in results)
    assert all(figures["sample_len"] > 0 for task, figures in results.items() if not task.startswith("canned"))


def test_the_logs_come_back_with_the_same_questions_and_scores(
    results: dict[str, dict[str, float]], data: Path
) -> None:
    assert rows(data, "select * from unmatched_prediction where run_id like 'dummy/%' or run_id like 'canned/%'") == []
    ids = {d.replace("/", "_").replace("-", "_"): d for (d,) in rows(data, "select dataset_id from dataset")}
    dummy = _came_back(data, "dummy")
    seen = 0
    for task, figures in results.items():
        if task.startswith("canned"):
            continue
        stem, _, form = task.removeprefix("medexams_").rpartition("_")
        runs = dummy[ids[stem], form]
        for norm in ("", "_norm") if form == "cloze" else ("",):
            expected = {k: figures[k + norm] for k in ("acc", "score_share", "exam_score") if k + norm in figures}
            expected["n"] = figures["sample_len"]
            assert any(run == pytest.approx(expected, abs=1e-6) for run in runs), (task, norm, expected, runs)
            seen += 1
    assert seen == 4 * 4  # mc, cloze plain and by length, generated; of four datasets


def test_generated_answers_come_back_with_the_same_scores(results: dict[str, dict[str, float]], data: Path) -> None:
    canned = _came_back(data, "canned")
    ids = {d.replace("/", "_").replace("-", "_"): d for (d,) in rows(data, "select dataset_id from dataset")}
    for task, figures in results.items():
        if task.startswith("canned"):
            stem = task.removeprefix("canned medexams_").removesuffix("_generated")
            [run] = canned[ids[stem], "generated"]
            assert run.pop("n") == results[task.removeprefix("canned ")]["sample_len"]
            assert 0.3 < figures["acc"] < 0.9 and run == pytest.approx(figures, abs=1e-6), task


# ---- the other tools ---------------------------------------------------------------------------------------------

_DATASETS = """
import json, sys
from datasets import load_dataset
for folder in sys.argv[1:]:
    found = load_dataset(folder)
    print(json.dumps({"splits": list(found), "n": len(found["test"]), "first": found["test"][0]["question_id"]}))
"""


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_hub_folder_loads_by_its_card(medexams: Command, data: Path, tmp_path: Path, form: str) -> None:
    assert medexams("export", form, tmp_path / "out", data=data).code == 0
    folders = sorted(p for p in (tmp_path / "out").iterdir() if p.is_dir())
    said = harness_tool("python", "-c", _DATASETS, *folders, folder=tmp_path)
    loaded = [json.loads(line) for line in said.splitlines()]
    counts = [n for (n,) in rows(data, "select n_questions from dataset order by dataset_id")]
    assert [x["n"] for x in loaded] == counts and all(x["splits"] == ["test"] for x in loaded)


_CROISSANT = """
import json, sys
import mlcroissant
for path in sys.argv[1:]:
    dataset = mlcroissant.Dataset(path)
    issues = dataset.metadata.issues
    counts = {r.id: sum(1 for _ in dataset.records(r.id)) for r in dataset.metadata.record_sets}
    print(json.dumps({"errors": list(issues.errors), "warnings": list(issues.warnings), "counts": counts}))
"""


def test_croissant_metadata_validates_and_its_records_can_be_read(
    medexams: Command, data: Path, tmp_path: Path
) -> None:
    assert medexams("export", "croissant", tmp_path / "out", data=data).code == 0
    said = harness_tool(
        "python", "-c", _CROISSANT, *sorted((tmp_path / "out").rglob("croissant.json")), folder=tmp_path
    )
    found = [json.loads(line) for line in said.splitlines()]
    assert [x["errors"] + x["warnings"] for x in found] == [[]] * 4
    for table, name in (("question", "questions"), ("choice", "choices"), ("answer_key", "answers")):
        assert sum(x["counts"][name] for x in found) == rows(data, f"select count(*) from {table}")[0][0]


_STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}


def _record(
    required: dict[str, Any], optional: dict[str, Any] | None = None, *, closed: bool = False
) -> dict[str, Any]:
    """The JSON schema of an object."""
    properties = required | (optional or {})
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": not closed}


_TEXT, _NUMBER, _TEXTS = {"type": "string"}, {"type": "number"}, {"type": "array", "items": {"type": "string"}}
# What eval.schema.json and instance_level_eval.schema.json 0.2.2 of evaleval/every_eval_ever say of what is written.
_SOURCES = [
    _record({"dataset_name": _TEXT, "source_type": {"const": "url"}, "url": _TEXTS}, {"additional_details": _STRINGS}),
    _record({"dataset_name": _TEXT, "source_type": {"const": "other"}}, {"additional_details": _STRINGS}),
]
_METRIC = _record(
    {"lower_is_better": {"type": "boolean"}, "score_type": {"const": "continuous"}, "min_score": _NUMBER,
     "max_score": _NUMBER},
    {"metric_id": _TEXT, "metric_unit": _TEXT, "additional_details": _STRINGS},
)  # fmt: skip
_INTERVAL = _record({"lower": _NUMBER, "upper": _NUMBER}, {"confidence_level": {"maximum": 1}, "method": _TEXT})
_UNCERTAINTY = _record({}, {"confidence_interval": _INTERVAL, "num_samples": {"type": "integer"}})
_RESULT = _record(
    {"evaluation_name": _TEXT, "source_data": {"oneOf": _SOURCES}, "metric_config": _METRIC,
     "score_details": _record({"score": _NUMBER}, {"details": _STRINGS, "uncertainty": _UNCERTAINTY})},
    {"evaluation_result_id": _TEXT},
)  # fmt: skip
_SOURCE = _record(
    {"source_type": {"enum": ["documentation", "evaluation_run"]}, "source_organization_name": _TEXT,
     "evaluator_relationship": {"enum": ["first_party", "third_party", "collaborative", "other"]}},
    {"source_name": _TEXT, "additional_details": _STRINGS},
)  # fmt: skip
_DETAILED = _record({"format": {"const": "jsonl"}, "file_path": _TEXT},
                    {"hash_algorithm": {"enum": ["sha256", "md5"]}, "total_rows": {"type": "integer"}})  # fmt: skip
_AGGREGATE = _record(
    {"schema_version": _TEXT, "evaluation_id": _TEXT, "retrieved_timestamp": _TEXT, "source_metadata": _SOURCE,
     "model_info": _record({"name": _TEXT, "id": _TEXT}, {"developer": _TEXT, "additional_details": _STRINGS}),
     "eval_library": _record({"name": _TEXT, "version": _TEXT}),
     "evaluation_results": {"type": "array", "items": _RESULT}},
    {"evaluation_timestamp": _TEXT, "detailed_evaluation_results": _DETAILED},
    closed=True,
)  # fmt: skip
_ATTRIBUTION = _record({"turn_idx": {"type": "integer", "minimum": 0}, "source": _TEXT, "extracted_value": _TEXT,
                        "extraction_method": _TEXT, "is_terminal": {"type": "boolean"}})  # fmt: skip
_SAMPLE = _record(
    {"schema_version": _TEXT, "evaluation_id": _TEXT, "model_id": _TEXT, "evaluation_name": _TEXT, "sample_id": _TEXT,
     "interaction_type": {"const": "single_turn"},
     "input": _record({"raw": _TEXT, "reference": _TEXTS}, {"choices": _TEXTS}),
     "output": _record({"raw": _TEXTS}),
     "answer_attribution": {"type": "array", "items": _ATTRIBUTION},
     "evaluation": _record({"score": _NUMBER, "is_correct": {"type": "boolean"}}, {"num_turns": {"type": "integer"}})},
    {"evaluation_result_id": _TEXT, "sample_hash": _TEXT, "metadata": _STRINGS},
    closed=True,
)  # fmt: skip
_JSONSCHEMA = """
import json, pathlib, sys
import jsonschema
schemas, folder, count = json.load(sys.stdin), pathlib.Path(sys.argv[1]), 0
aggregate, sample = map(jsonschema.Draft7Validator, schemas)
for path in sorted(folder.rglob("*.json")):
    record = json.loads(path.read_text())
    aggregate.validate(record)
    details = record["detailed_evaluation_results"]
    rows = [json.loads(line) for line in (folder.parent / details["file_path"]).read_text().splitlines()]
    assert len(rows) == details["total_rows"]
    known = {r["evaluation_result_id"] for r in record["evaluation_results"]}
    for row in rows:
        sample.validate(row)
        assert row["evaluation_id"] == record["evaluation_id"]
        assert row["evaluation_result_id"] in known
    count += 1
print(count)
"""


def test_records_of_all_runs_validate(medexams: Command, data: Path, tmp_path: Path) -> None:
    assert medexams("export", "every-eval-ever", tmp_path / "out", data=data).code == 0
    said = harness_tool(
        "python", "-c", _JSONSCHEMA, tmp_path / "out/data", folder=tmp_path, stdin=json.dumps([_AGGREGATE, _SAMPLE])
    )
    assert int(said) == rows(data, "select count(*) from run")[0][0]
