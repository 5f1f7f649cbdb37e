"""A model asked here and by lm-evaluation-harness, through the exported task, makes the same choices by log-likelihood.

Both ask the same real model on the same server, which echoes log-probabilities of prompts (tests/model_server.py).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, harness_tool, needs_harness, rows, small_model

DATASET = "cognet_md/sample"
TASK = "medexams_cognet_md_sample"
FORMS = ("mc", "cloze")


@pytest.fixture(scope="module")
def data(sample: Path, medexams: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with the model's runs: `here` by `medexams ask`, `there` by the harness."""
    needs_harness()
    folder = tmp_path_factory.mktemp("ranked")
    data, tasks = folder / "data", folder / "tasks"
    shutil.copytree(sample, data)
    assert medexams("export", "lm-eval", tasks, data=data).code == 0
    with small_model("--echo") as address:
        for form in FORMS:
            wanted = ("--model", "here", "--dataset", DATASET, "--rank", form, "--no-import")
            done = medexams("ask", "--base-url", address, *wanted, data=data)
            assert done.code == 0 and "can't be ranked" not in done.err, done.err
        served = f"base_url={address}/completions,model=there,tokenizer_backend=remote"
        named = ",".join(f"{TASK}_{form}" for form in FORMS)
        harness_tool(
            "lm_eval", "run", "--model", "local-completions", "--model_args", served, "--include_path", ".",
            "--tasks", named, "--output_path", "results", "--log_samples", folder=tasks,
        )  # fmt: skip
    done = medexams("runs", "add", tasks / "results", "--model", "there", data=data)
    assert done.code == 0, done.err
    return data


def test_the_same_choices_plain_and_by_length(data: Path) -> None:
    found: dict[str, dict[tuple[str, bool], dict[str, int]]] = {"here": {}, "there": {}}
    sql = """select r.model, r.format, contains(coalesce(r.description, ''), 'length-normalised'), p.question_id,
             p.selection from prediction p join run r using (run_id) where r.model in ('here', 'there')"""
    for model, form, by_length, question_id, selection in rows(data, sql):
        found[model].setdefault((form, by_length), {})[question_id] = selection
    assert found["here"] == found["there"]
    assert {key: len(chosen) for key, chosen in found["here"].items()} == {
        ("mc", False): 21, ("cloze", False): 19, ("cloze", True): 19,
    }  # fmt: skip
    plain, by_length = found["here"]["cloze", False], found["here"]["cloze", True]
    assert plain != by_length and len(set(plain.values())) > 3  # of mc this model chooses the first choice throughout


@pytest.mark.parametrize("form", FORMS)
def test_the_same_log_likelihoods(data: Path, form: str) -> None:
    [journal] = (data / "inbox/ask/here").glob(f"*-{form}-ranked-*.jsonl")
    here = {r["question_id"]: r["scores"] for r in map(json.loads, journal.read_text().splitlines()[1:])}
    [log] = (data.parent / "tasks/results").rglob(f"samples_*_{form}_*.jsonl")
    there = {
        r["doc"]["question_id"]: [float(score) for [[score, _]] in r["resps"]]
        for r in map(json.loads, log.read_text().splitlines())
    }
    assert here.keys() == there.keys()
    assert all(here[q] == pytest.approx(there[q], abs=1e-9) for q in here)
