"""Format lm-eval: tasks for lm-evaluation-harness with local data, to be run from inside the folder that is written.

For each dataset up to three tasks (multiple choice, cloze, generated): a YAML file, the documents as JSON lines, and
one utils.py (harness_utils.py) that gives the exam's own points. A document carries question_id, question, answers (the
choices' texts) and its rule, so that the logs can be matched and scored again (medexams runs add). Ranking one choice
can't give several: questions that want an exact number of answers above one stand in the generated task alone.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.content import questions, write_jsonl
from pipelines.export.gate import Chosen, Dataset, ReportProgress
from pipelines.prompts import Prompts, Question, asked, numbered_exams, prompts_of
from pipelines.registry import states_how_many
from pipelines.runs.shown import bare

FORMS = ("mc", "cloze", "generated")
_PROCESS = {"mc": "process_choice", "cloze": "process_cloze", "generated": "process_generated"}
_AGGREGATION = {"acc": "mean_counted", "score_share": "share", "exam_score": "exam_score"}
MOST_TOKENS = 1024
"""Longest answer that a model may generate, in tokens."""


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/medexams_*.yaml, FOLDER/data/*.jsonl, FOLDER/utils.py and FOLDER/README.md."""
    shutil.copyfile(Path(__file__).with_name("harness_utils.py"), folder / "utils.py")
    tasks: list[tuple[str, int]] = []
    for i, dataset in enumerate(chosen.open):
        report("datasets", i, len(chosen.open))
        found = questions(con, dataset.dataset_id)
        for form in FORMS:
            docs = documents_of(con, found, form, prompts_of(dataset.benchmark))
            if docs:
                name = task_name(dataset, form)
                write_jsonl(folder / "data" / f"{name}.jsonl", docs)
                (folder / f"{name}.yaml").write_text(_task(dataset, form, name, docs), encoding="utf-8")
                tasks.append((name, len(docs)))
    (folder / "README.md").write_text(_readme(tasks), encoding="utf-8")
    report("datasets", len(chosen.open), len(chosen.open))


def task_name(dataset: Dataset, form: str) -> str:
    """The name of a dataset's task, unique among the harness's own."""
    return f"medexams_{dataset.slug.replace('-', '_').replace('.', '_')}_{form}"


def documents_of(
    con: duckdb.DuckDBPyConnection, found: Sequence[Question], form: str, asks: Prompts
) -> list[dict[str, Any]]:
    """The documents of one task over a dataset's questions, with the rules of the warehouse."""
    rules = {r["benchmark"]: r for r in _rows(con, "select * from rule_item where ruleset = 'official'")}
    weights = {(r["benchmark"], r["topic"]): r["weight"] for r in _rows(con, "select * from rule_topic")}
    return documents(found, form, rules[found[0]["benchmark"]], weights, asks) if found else []


def documents(
    found: Sequence[Question],
    form: str,
    rule: dict[str, Any],
    weights: dict[tuple[str, str], int],
    asks: Prompts | None = None,
) -> list[dict[str, Any]]:
    """The documents of one task: the questions that can be asked so, each with its rule and its prompt."""
    if not found:
        return []
    asks = asks or prompts_of(found[0]["benchmark"])
    if (task := asks.tasks.get(form)) is None:
        return []
    numbered = numbered_exams(found)
    docs = []
    for q in found:
        if form != "generated" and not _can_be_ranked(q, form):
            continue
        labels = [c["label"] for c in q["choices"]]
        texts = [c["text"].strip() for c in q["choices"]]
        ranked = [*(labels if form == "mc" else texts), *asks.decline(task, q)]
        accepted = ["-".join(a["labels"]) if a["labels"] else a["value"] or "" for a in q["answers"]]
        first = q["answers"][0]["labels"][:1] if q["answers"] else []
        docs.append({
            "question_id": q["question_id"], "id": q["source_key"], "dataset_id": q["dataset_id"],
            "topic": q["topic"] or "", "question": q["question"], "answers": texts, "labels": labels,
            "answer_type": q["answer_type"], "query": asks.text(task, q, numbered),
            "choices": ranked if form != "generated" else [], "accepted": accepted,
            "gold": labels.index(first[0]) if first and first[0] in labels else 0,
            "target": accepted[0] if accepted else "", "key_status": q["key_status"],
            "needs_image": q["needs_image"], "topic_weight": weights.get((q["benchmark"], q["topic"]), 0),
            "rule": {
                "weight": float(q["points"]) if rule["weighted"] else 1.0,
                **{k: float(rule[k]) for k in ("any_right", "exact", "each_wrong", "any_wrong")},
            },
        })  # fmt: skip
    return docs


def _can_be_ranked(q: Question, form: str) -> bool:
    """Whether choosing one choice is an answer to it, and (cloze) whether each choice is a text that says something and
    the question does not show them all itself."""
    texts = [c["text"].strip() for c in q["choices"]]
    wants_one = q["answer_type"] == "single" or not states_how_many(q["benchmark"])
    if form == "mc":
        return wants_one and len(texts) > 1
    says_something = all(texts) and not bare(texts) and not any(c["has_image"] for c in q["choices"])
    shown = all(text in asked(q) for text in texts)
    return wants_one and len(texts) > 1 and says_something and not shown and len(set(texts)) == len(texts)


# ---- files -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Function:
    """A value that YAML has as !function."""

    name: str


def _task(dataset: Dataset, form: str, name: str, docs: Sequence[dict[str, Any]]) -> str:
    """The YAML of a task. Scalars are JSON, which is YAML."""
    metrics = ["acc", "score_share"] + (["exam_score"] if any(doc["topic_weight"] for doc in docs) else [])
    task: dict[str, Any] = {
        "task": name,
        "tag": ["medexams", f"medexams_{dataset.benchmark}", f"medexams_{form}"],
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"data/{name}.jsonl"}},
        "test_split": "test",
        "num_fewshot": 0,
        "output_type": "generate_until" if form == "generated" else "multiple_choice",
        "doc_to_text": "query",
        "doc_to_target": "target" if form == "generated" else "gold",
    }
    if form == "generated":
        task["generation_kwargs"] = {"until": [], "do_sample": False, "max_gen_toks": MOST_TOKENS}
    else:
        task["doc_to_choice"] = "choices"
    task |= {
        "target_delimiter": prompts_of(dataset.benchmark).tasks[form].delimiter,
        "process_results": _Function(f"utils.{_PROCESS[form]}"),
        "metric_list": [
            {
                "metric": metric + norm,
                "aggregation": _Function(f"utils.{_AGGREGATION[metric]}"),
                "higher_is_better": True,
            }
            for norm in (("", "_norm") if form == "cloze" else ("",))
            for metric in metrics
        ],
        "metadata": {"version": 1.0, "dataset": dataset.dataset_id, "licence": dataset.licence, "questions": len(docs)},
    }
    return "".join(_yaml(key, value) for key, value in task.items())


def _yaml(key: str, value: Any, indent: str = "") -> str:
    if isinstance(value, _Function):
        return f"{indent}{key}: !function {value.name}\n"
    if isinstance(value, dict):
        return f"{indent}{key}:\n" + "".join(_yaml(k, v, indent + "  ") for k, v in value.items())
    if isinstance(value, list) and value and isinstance(value[0], dict):
        items = ["".join(_yaml(k, v, f"{indent}    ") for k, v in item.items()) for item in value]
        return f"{indent}{key}:\n" + "".join(f"{indent}  - {item.lstrip()}" for item in items)
    return f"{indent}{key}: {json.dumps(value, ensure_ascii=False)}\n"


def _readme(tasks: Sequence[tuple[str, int]]) -> str:
    listed = "\n".join(f"| `{name}` | {n} |" for name, n in tasks)
    return f"""# Tasks for lm-evaluation-harness, made by medexams

Run them from inside this folder, where their data is. Results go elsewhere: a folder that holds more than the export
is not written again.

```
HF_HUB_OFFLINE=1 lm_eval run --include_path . --tasks medexams --model hf --model_args pretrained=MODEL \\
    --output_path ../results --log_samples
medexams runs add ../results
```

Tags: `medexams` (all), `medexams_mc`, `medexams_cloze`, `medexams_generated`, and one per benchmark. Seen to work with
0.4.13.

| task | questions |
| --- | --- |
{listed}

- `score_share`: points over points possible, by the exam's own rule; `exam_score`: the weighted score of the whole
  exam; `acc`: right in full. Questions that were removed from the exam, or have no usable key, count in none of them.
- mc ranks the labels of the choices, cloze their texts without showing them (`_norm`: by length). Questions that want
  several answers, a number, a sequence or a text can only be answered in the generated tasks. Where a benchmark
  never says how many answers are right, one choice is an answer there, and earns what the rule gives for it.
- The generated tasks count a text only when it is nothing but the answer. `medexams runs add` reads free text.
- Questions with images are asked without them (`needs_image`).
"""


def _rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    found = con.execute(sql)
    names = [d[0] for d in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
