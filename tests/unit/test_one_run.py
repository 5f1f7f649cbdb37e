"""A refresh in one run, as "materialize all" and the schedule start it: a fault of an upstream is one red check.

A run that fails makes Dagster show every check planned in it as failed, also those that never ran; so it must not fail.
"""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from assets.common import process_tags
from pipelines import stages
from pipelines.definitions import build_defs
from pipelines.errors import StoreError
from pipelines.settings import Settings

SAYS = "the release differs too much"


def refresh(data: Path, tags: dict[str, str], **addresses: str) -> dg.ExecuteInProcessResult:
    settings = Settings.from_env({"MEDEXAMS_DATA": str(data), "MEDEXAMS_PROFILE": "sample", **addresses})
    job = build_defs(settings).resolve_job_def("refresh")
    return job.execute_in_process(instance=dg.DagsterInstance.ephemeral(), tags=tags, raise_on_error=False)


def checks(result: dg.ExecuteInProcessResult, *, passed: bool) -> dict[str, str | None]:
    found = [e for e in result.get_asset_check_evaluations() if e.passed is passed]
    return {f"{e.asset_key.to_user_string()} {e.check_name}": e.description for e in found}


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    return {e.materialization.asset_key.to_user_string() for e in result.get_asset_materialization_events()}


def failed_steps(result: dg.ExecuteInProcessResult) -> list[str | None]:
    return [e.step_key for e in result.all_events if e.is_step_failure]


def test_a_source_that_fails_is_the_only_thing_red(tmp_path: Path) -> None:
    result = refresh(tmp_path / "data", {}, MEDEXAMS_COGNET_RELEASE=str(tmp_path / "gone.csv"))
    failed = checks(result, passed=False)
    assert list(failed) == ["cognet_release newest_release_is_fetched"]
    assert "gone.csv" in str(failed["cognet_release newest_release_is_fetched"])
    assert result.success and not failed_steps(result)
    assert "cognet_release" not in made(result)
    assert {"kokushi_release", "rule_item"} <= made(result)
    assert not {"question", "item_score", "warehouse"} & made(result)
    assert not [c for c in checks(result, passed=True) if c.startswith("question ")]


def test_a_release_that_is_refused_is_the_only_thing_red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StoreError(SAYS)

    monkeypatch.setattr(stages, "build_questions", refuse)
    result = refresh(tmp_path / "data", {})
    assert checks(result, passed=False) == {"dataset releases_are_accepted": SAYS}
    assert result.success and not failed_steps(result)
    assert "cognet_release" in made(result) and not {"question", "warehouse"} & made(result)


def test_stage_by_stage_the_step_itself_fails(tmp_path: Path) -> None:
    """As the command runs it, whose exit code says so."""
    result = refresh(tmp_path / "data", process_tags(), MEDEXAMS_COGNET_RELEASE=str(tmp_path / "gone.csv"))
    assert not result.success
    assert failed_steps(result) == ["cognet_release"]
