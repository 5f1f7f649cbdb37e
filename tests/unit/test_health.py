"""`medexams doctor` foresees what a refresh refuses: each fault is brought about, found, and its remedy named."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import duckdb
import pytest

from pipelines import stages
from pipelines.cli import health
from pipelines.cli.health import findings
from pipelines.errors import MedexamsError, SettingsError
from pipelines.settings import Settings
from tests.unit.test_lock_wait import holding
from tests.unit.test_releases import World, shrunk
from tests.unit.test_upkeep import writer
from tests.web import bank


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.refresh()
    with duckdb.connect(str(made.settings.warehouse)) as con:
        con.execute("create table question as select 1 as question_id")
    return made


def wrong(settings: Settings) -> dict[str, str]:
    """What needs mending, less the tables that this small world does not have."""
    return {f.what: f.detail for f in findings(settings) if not f.ok and f.what != "tables"}


def test_a_folder_in_order(world: World) -> None:
    assert wrong(world.settings) == {}
    (tables,) = [f for f in findings(world.settings) if f.what == "tables"]
    assert not tables.ok and "`medexams refresh` makes them anew" in tables.detail


def test_a_refused_release_is_named_until_a_good_one_comes(world: World) -> None:
    world.bank(shrunk(bank(40)))
    with pytest.raises(MedexamsError):
        world.refresh()
    found = wrong(world.settings)
    assert list(found) == ["source mur"]
    assert "`medexams refresh --only medschool --accept-shrink` accepts it" in found["source mur"]
    world.bank(bank(40))
    world.refresh()
    assert wrong(world.settings) == {}


def test_a_source_that_is_not_there(world: World) -> None:
    (world.folder / "bank.json").unlink()
    assert "set MEDEXAMS_MUR_API, or to off" in wrong(world.settings)["source mur"]
    with pytest.raises(MedexamsError):
        stages.fetch(world.settings, "mur")


def test_the_sample_beside_real_datasets(world: World) -> None:
    settings = Settings.from_env({"MEDEXAMS_PROFILE": "sample"}, data=world.settings.data)
    found = wrong(settings)
    assert "source mur" in found and all("use another folder" in why for why in found.values())
    with pytest.raises(MedexamsError, match="use another folder"):
        stages.fetch(settings, "mur")


def test_the_sample_looked_at_without_a_profile_is_well_and_says_the_profile(tmp_path: Path) -> None:
    settings = Settings.from_env({"MEDEXAMS_PROFILE": "sample"}, data=tmp_path)
    stages.fetch(settings, "cognet")
    stages.build_questions(settings, stages.open_store(settings))
    found = {f.what: f for f in findings(Settings.from_env({}, data=tmp_path))}
    assert found["source cognet"].ok and found["source cognet"].detail.endswith(", or --profile sample")
    given = {"MEDEXAMS_COGNET_RELEASE": str(tmp_path)}
    assert "source cognet" in wrong(Settings.from_env(given, data=tmp_path))


def test_a_refresh_that_is_under_way(world: World) -> None:
    with holding(world.settings.data) as other:
        assert f"process {other.pid}" in wrong(world.settings)["lock"]


def test_a_program_that_has_the_file_open_and_what_it_leaves_when_it_is_killed(world: World) -> None:
    with writer(world.settings.warehouse) as other:
        assert f"process {other.pid}); close it" in wrong(world.settings)["write-ahead log"]
    (left,) = [f for f in findings(world.settings) if f.what == "write-ahead log"]
    assert left.ok and "the next refresh moves it away" in left.detail


def test_a_disk_that_is_full(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2**30, 2**30, 2**20))
    assert "1 MiB are free, a refresh needs about 20" in wrong(world.settings)["room"]


def test_a_folder_without_rights(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = world.settings.data / "landing"
    monkeypatch.setattr(health.os, "access", lambda path, mode: Path(path) != closed)
    assert f"{closed} is not writable" in wrong(world.settings)[f"data folder {world.settings.data}"]


def test_rules_that_are_wrong(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise SettingsError("exams/rules/lines.csv: line 3: no source is given")

    monkeypatch.setattr(health, "load", load)
    assert wrong(world.settings)["rules"] == "exams/rules/lines.csv: line 3: no source is given"


def test_an_engine_that_is_not_installed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.changes = {"engine": "spark"}
    monkeypatch.setattr(health.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(health.shutil, "which", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert wrong(world.settings)["engine spark"].startswith("install PySpark (`make spark`) and Java 17")


def test_a_file_that_is_no_database(world: World) -> None:
    world.settings.warehouse.write_text("no database")
    assert "`medexams refresh` makes it anew" in wrong(world.settings)["warehouse"]
