"""Files that went wrong elsewhere, read in place from ../shared/data/reports: each comes out as its case says.

The cases about the words or the exit code of the command are for tests/unit/test_cli.py; reading alone is judged here.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pipelines import registry, stages
from pipelines.runs.imported import Imported
from pipelines.runs.importing import INPUTS
from pipelines.runs.matching import QuestionIndex
from pipelines.runs.planning import walk
from pipelines.settings import Settings
from tests.reading import read_all

AT = datetime(2026, 1, 1)
DATASET = "medschool/room-b007-sample/"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> QuestionIndex:
    settings = Settings.from_env({}, profile="sample", data=tmp_path_factory.mktemp("data"))
    for source in registry.sources():
        stages.fetch(settings, source)
    store = stages.open_store(settings)
    stages.build_questions(settings, store)
    frames = {name: store.read(name) for name in INPUTS}
    return QuestionIndex.build(frames["question"], frames["choice"], frames["dataset"], frames["exam"])


def cases(shared: Path) -> Iterator[dict[str, Any]]:
    for case in json.loads((shared / "data/reports/cases.json").read_text(encoding="utf-8")):
        if not (case.get("then") or case.get("before")):
            yield case


def test_each_report_comes_out_as_its_case_says(shared: Path, sample: QuestionIndex) -> None:
    wrong, judged = {}, 0
    for case in cases(shared):
        files = {n: f for path in case["input"] for n, f in walk(shared / "data/reports" / path).items()}
        found = read_all(files, sample, AT)
        found.frames()
        faults = [w for alternative in case["expect"] if (w := fault(found, alternative)) is not None]
        judged += any(kind(check) for alternative in case["expect"] for check in alternative)
        if len(faults) == len(case["expect"]):
            wrong[case["name"]] = faults
    assert judged > 40 and not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)


def kind(check: dict[str, Any]) -> str:
    """What a check looks at, of what reading alone can show."""
    known = ("readings", "no_predictions", "unmatched", "rejected", "not_rejected", "evidence")
    return next((name for name in known if name in check), "")


def fault(found: Imported, checks: list[dict[str, Any]]) -> str | None:
    """The first check that does not hold, in words; None where all hold."""
    for check in checks:
        what = kind(check)
        said = [f"{r['reason']} ({r['detail']})" for r in found.rejected_file if check.get(what, "") in r["path"]]
        if what == "readings" and (bad := differences(found, check)):
            return bad
        if what == "no_predictions" and runs_of(found, check[what]):
            return "predictions were matched"
        if what == "unmatched" and len(found.unmatched_prediction) != check["rows"]:
            return f"{len(found.unmatched_prediction)} unmatched"
        if what == "not_rejected" and said:
            return said[0]
        if what == "rejected":
            whole = " | ".join(said)
            wanted = (check.get("reason", ""), check.get("found", ""))
            if not said or not all(re.search(w, whole) for w in wanted) or re.search(check.get("not", "(?!)"), whole):
                return f"rejected: {whole}"
        if what == "evidence":
            rows = [p for p in found.prediction if p["question_id"] == DATASET + check["question"]]
            if not any(check["has"] in (p["evidence"] or "") for p in rows):
                return f"evidence: {[p['evidence'] for p in rows]}"
    return None


def runs_of(found: Imported, model: str) -> list[dict[str, Any]]:
    return [r for r in found.run if r["model"].rpartition("/")[2] == model]


def differences(found: Imported, check: dict[str, Any]) -> str:
    """What differs between a model's only run and the readings that are expected of it."""
    runs = runs_of(found, check["readings"])
    if len(runs) != 1:
        return f"{len(runs)} runs of {check['readings']}: {[r['reason'] for r in found.rejected_file]}"
    if check.get("format", runs[0]["format"]) != runs[0]["format"]:
        return f"format {runs[0]['format']}"
    read: dict[str, list[str]] = defaultdict(list)
    for p in sorted(found.prediction, key=lambda p: p["attempt"]):
        if p["run_id"] == runs[0]["run_id"]:
            letters = "".join(chr(65 + i) for i in range(26) if (p["selection"] or 0) >> i & 1)
            read[p["question_id"].removeprefix(DATASET)].append(letters if p["status"] == "answered" else p["status"])
    bad = []
    for question, want in check["are"].items():
        have = read.pop(question, [])
        if isinstance(want, dict):
            right = have == want["attempts"]
        else:
            right = len(have) == 1 and have[0] in (want if isinstance(want, list) else [want])
        if not right:
            bad.append(f"{question}: {have}, not {want}")
    return "; ".join(bad + [f"{q}: {have} is not expected" for q, have in read.items()])
