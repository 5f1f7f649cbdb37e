"""Each row of the table of faults in docs/operating.md: the fault is brought about, and what is seen and published held
against the row. A row without a function here, or a function without a row, fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assets.sources import source_assets
from pipelines import stages
from pipelines.cli import main
from pipelines.errors import MedexamsError
from pipelines.questions import unify as unifying
from pipelines.runs import importing
from pipelines.settings import Settings
from pipelines.store import upkeep
from pipelines.store.lock import refresh_lock
from pipelines.store.publishing import unfit
from tests.conftest import ROOT
from tests.unit.test_lock_wait import holding
from tests.unit.test_releases import World, shrunk
from tests.unit.test_upkeep import writer
from tests.web import Answerer, Reply, bank, mur, serve

Seen = str
Provoke = Callable[[World, pytest.MonkeyPatch], Seen]


def table() -> dict[str, tuple[str, str, str]]:
    """Fault -> (what you see, what is published, what to do)."""
    text = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8").partition("| fault |")[2]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:2] == "| "]
    assert all(len(row) == 4 for row in rows)
    return {fault: (see, published, todo) for fault, see, published, todo in rows}


ROWS = table()
PROVOKED: dict[str, Provoke] = {}


def fault(begins: str) -> Callable[[Provoke], Provoke]:
    """The row that begins like this."""
    (name,) = [row for row in ROWS if row.startswith(begins)]

    def keep(provoke: Provoke) -> Provoke:
        PROVOKED[name] = provoke
        return provoke

    return keep


def said(world: World, **changes: object) -> str:
    with pytest.raises(MedexamsError) as error:
        world.refresh(**changes)
    return str(error.value)


def served(world: World, answer: Answerer, **changes: object) -> str:
    """What fetching the bank from a server that answers like this ends with."""
    with serve(answer) as web, pytest.raises(MedexamsError) as error:
        chosen = Settings.from_env(
            {"MEDEXAMS_MUR_API": web.url + "/api/v1"},
            data=world.settings.data,
            attempts=1,
            request_delay=0.0,
            **changes,
        )
        stages.fetch(chosen, "mur")
    return str(error.value)


@fault("a source can't be reached")
def unreachable(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    return served(world, lambda *_: Reply(404)) + served(world, lambda *_: Reply(503))


@fault("another thing comes than the source")
def html(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    return served(world, lambda *_: Reply(body=b"<!doctype html><title>Manutenzione</title>"))


@fault("a release lost a tenth")
def refused(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    world.bank(shrunk(bank(40)))
    text = said(world)
    assert [row["mended"] for row in world.refused()] == [False]
    assert "`medexams refresh --only medschool --accept-shrink`" in text
    return text


@fault("single rows of a source are broken")
def poison(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    world.bank([bank(40)[0] | {"domanda": "\ud800"}, *bank(40)[1:]])
    world.refresh()
    assert world.store.read("question").height >= 39
    return f"rows in `rejected_row`: {world.store.read('rejected_row').height}"


@fault("a part of `landing/`")
def changed(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    world.bank(bank(41))
    stages.fetch(world.settings, "mur")
    for path in (world.settings.data / "landing/objects").rglob("*"):
        if path.is_file():
            path.write_bytes(b"changed")
    with pytest.raises(MedexamsError) as error:
        stages.build_questions(world.settings, world.store)
    return str(error.value)


@fault("a source has a new layout")
def layout(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    file = world.folder / "c.csv"
    file.write_text("Item,Solution\nq,A\n")
    with pytest.raises(MedexamsError) as error:
        stages.fetch(Settings.from_env({"MEDEXAMS_COGNET_RELEASE": str(file)}, data=world.settings.data), "cognet")
    assert "Item, Solution" in str(error.value)
    return str(error.value)


@fault("a source or its reader is wrong")
def wrong(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    true_unify = unifying.unify
    without_keys = lambda readings: (f := true_unify(readings)) | {"answer_key": f["answer_key"].head(0)}  # noqa: E731
    monkeypatch.setattr(stages, "unify", without_keys)
    world.bank(bank(41))
    return said(world)


@fault("a table would lose")
def shrinking(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    with duckdb.connect(str(world.settings.warehouse)) as con:
        con.execute("create table question as from range(1000)")
    PUBLISHED[world.settings.warehouse] = world.settings.warehouse.read_bytes()
    world.bank(bank(41))
    return said(world)


@fault("tables of two runs")
def unfitting(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    world.store.write("dataset", world.store.read("dataset").with_columns(title=world.store.read("dataset")["origin"]))
    return "; ".join(unfit(world.store))


@fault("a table's file is damaged")
def damaged(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    world.store.files("question")[0].write_bytes(b"PAR1")
    with pytest.raises(MedexamsError) as error:
        world.store.version("question")
    return str(error.value)


@fault("two refreshes at once")
def twice(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    data = world.settings.data
    with holding(data), pytest.raises(MedexamsError) as error, refresh_lock(data):
        pass
    assert "MEDEXAMS_LOCK_WAIT" in str(error.value)
    return str(error.value)


@fault("another program has the warehouse open")
def opened(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    with writer(world.settings.warehouse), pytest.raises(MedexamsError) as error:
        upkeep.sweep(world.settings.data, world.settings.warehouse)
    return str(error.value)


@fault("such a program was killed")
def left(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    from click.testing import CliRunner

    data, anew = world.settings.data, world.folder / "anew.duckdb"
    with duckdb.connect(str(anew)) as con:
        con.execute("create table dataset as select 'published meanwhile' as title")
    with writer(world.settings.warehouse):
        anew.replace(world.settings.warehouse)
    PUBLISHED[world.settings.warehouse] = world.settings.warehouse.read_bytes()
    text = CliRunner().invoke(main, ["sql", "select 1", "--data", str(data)]).output
    upkeep.sweep(data, world.settings.warehouse)
    assert not world.settings.warehouse.with_name("medexams.duckdb.wal").exists()
    return text


@fault("a refresh was killed")
def killed(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    data = world.settings.data
    (data / ".medexams.duckdb.0a.tmp").write_bytes(b"half")
    assert upkeep.sweep(data, world.settings.warehouse) == [data / ".medexams.duckdb.0a.tmp"]
    return "nothing"


@fault("a source drips")
def drips(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    import time

    def slow(*_: object) -> Reply:
        time.sleep(1)
        return Reply(body=b"late")

    text = served(world, slow, request_deadline=0.2)
    assert "MEDEXAMS_REQUEST_DEADLINE" in text
    return text


@fault("an address redirects")
def redirected(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    return served(world, lambda *_: Reply(302, headers={"Location": "http://localhost:1/x"}))


@fault("the bank announces numbers")
def senseless(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    return served(world, mur(bank(40), lambda n, page: page | {"totalElements": 3}))


@fault("a source's file is beyond")
def swollen(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    file = world.folder / "c.csv"
    file.write_text("Questions,CorrectResponse,Specialty\n" + "q,A,x\n" * 60)
    chosen = {"MEDEXAMS_COGNET_RELEASE": str(file)}
    with pytest.raises(MedexamsError) as error:
        stages.fetch(Settings.from_env(chosen, data=world.settings.data, max_questions=50), "cognet")
    assert "MEDEXAMS_MAX_QUESTIONS" in str(error.value)
    return str(error.value)


@fault("a prediction file can't be read")
def unread(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    inbox = world.settings.inbox_folder
    inbox.mkdir()
    (inbox / "junk.csv").write_text("no,table\n1,2\n")
    (inbox / "stray.csv").write_text("model,question_id,response\nm,no/such/1,A\n")
    importing.read(world.store, [inbox], world.settings.limits)
    tables = {name: world.store.read(name).height for name in ("rejected_file", "unmatched_prediction")}
    assert all(tables.values()), tables
    return f"rows in {', '.join(f'`{name}`' for name in tables)}"


@fault("a source was not refreshed")
def stale(world: World, monkeypatch: pytest.MonkeyPatch) -> Seen:
    policies: list[Any] = [spec.freshness_policy for asset in source_assets() for spec in asset.specs]
    assert policies
    for policy in policies:
        assert timedelta(days=7) < policy.warn_window.to_timedelta() < policy.fail_window.to_timedelta()
    return "a freshness warning on its asset"


PUBLISHED: dict[Path, bytes] = {}


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.refresh()
    return made


def test_every_row_is_brought_about() -> None:
    assert PROVOKED.keys() == ROWS.keys()


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table(row: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    see, published, todo = ROWS[row]
    file = world.settings.warehouse
    PUBLISHED[file] = file.read_bytes()
    seen = PROVOKED[row](world, monkeypatch)
    quoted = re.findall(r'"([^"]+)"', see)
    for sentence in quoted or [see.partition(",")[0]]:
        assert re.search(re.escape(sentence).replace("…", ".+"), seen), (sentence, seen)
    if published.startswith("the file before"):
        assert file.read_bytes() == PUBLISHED[file]
    else:
        assert published == "the new file, without them"
    for variable in re.findall(r"`MEDEXAMS_(\w+)`", todo):
        assert hasattr(Settings(), variable.lower())
    for command in re.findall(r"`medexams (\w+)", todo):
        assert command in main.commands
