"""The Dagster UI as a person meets it: `dagster dev` as `make ui` starts it, driven in Debian's Chromium.

One test walks through it, since starting it takes longer than all the rest. Where MEDEXAMS_PICTURES names a folder,
what was seen is saved there to be looked at.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Page, expect, sync_playwright

from pipelines.errors import StoreError
from pipelines.store.lock import refresh_lock
from tests.conftest import ROOT, lacking

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
PATIENCE = 120
"""Seconds for a start or a whole run on a busy machine."""


@dataclass
class Cockpit:
    """A running UI with a data folder of its own."""

    url: str
    data: Path

    def ask(self, query: str) -> Any:
        """A GraphQL query, as the UI itself asks."""
        answer = requests.post(f"{self.url}/graphql", json={"query": query}, timeout=30).json()
        assert "errors" not in answer, answer
        return answer["data"]

    def runs(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.ask("{runsOrError {... on Runs {results {runId status}}}}")["runsOrError"][
            "results"
        ]
        return found

    def _instigator(self, kind: str, field: str, name: str) -> str:
        place = 'repositoryLocationName: "medexams", repositoryName: "__repository__"'
        selector = f'{field}Selector: {{{place}, {field}Name: "{name}"}}'
        found = self.ask(f"{{{field}OrError({selector}) {{... on {kind} {{{field}State {{status}}}}}}}}")
        status: str = found[f"{field}OrError"][f"{field}State"]["status"]
        return status

    def schedule(self) -> str:
        return self._instigator("Schedule", "schedule", "weekly_refresh")

    def sensor(self) -> str:
        return self._instigator("Sensor", "sensor", "inbox")


def wait_for(what: str, happened: Callable[[], Any]) -> Any:
    """Look until it is so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := happened():
            return found
        time.sleep(0.5)
    pytest.fail(f"waited {PATIENCE} s in vain for {what}")


@pytest.fixture(scope="module")
def cockpit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cockpit]:
    folder = tmp_path_factory.mktemp("ui")
    home, data = folder / "home", folder / "data"
    home.mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", home)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MEDEXAMS_", "DAGSTER_"))} | {
        "DAGSTER_HOME": str(home),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "MEDEXAMS_DATA": str(data),
        "MEDEXAMS_PROFILE": "sample",
    }
    command = [str(Path(sys.executable).with_name("dagster")), "dev", "--workspace", "workspace.yaml"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log, start_new_session=True)
    try:
        wait_for("the UI", lambda: server.poll() is not None or answers(url))
        assert server.poll() is None, (folder / "log").read_text(errors="replace")[-2000:]
        yield Cockpit(url, data)
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)  # its own session: nobody else's process is in it
            server.wait()


def answers(url: str) -> bool:
    try:
        return requests.get(f"{url}/server_info", timeout=5).ok
    except requests.RequestException:
        return False


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    chromium = shutil.which("chromium")
    if not chromium:
        lacking("Debian's chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            tmp_path / "profile", executable_path=chromium, args=[*FLAGS], viewport={"width": 1500, "height": 950}
        )
        browser.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)
        yield browser.pages[0]
        browser.close()


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("MEDEXAMS_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(1000)  # fonts, and things that glide into place
        page.screenshot(path=Path(folder) / f"ui-{name}.png")


def test_from_an_empty_folder_to_a_chart(page: Page, cockpit: Cockpit) -> None:
    # The graph, in the order of the flow, and one button that does it all.
    page.goto(f"{cockpit.url}/asset-groups")
    for group in ("sources", "questions", "rules", "runs", "scores", "publish"):
        expect(page.get_by_text(group, exact=True).first).to_be_visible()
    page.get_by_role("button", name="Materialize all").click()
    run = wait_for("a run", cockpit.runs)[0]["runId"]

    # The run holds the lock of its data folder: nobody else refreshes meanwhile.
    lock = cockpit.data / "refresh.lock"
    wait_for("the lock", lambda: lock.exists() and lock.read_text())
    with pytest.raises(StoreError, match="under way"), refresh_lock(cockpit.data):
        pass
    ended = wait_for("the run's end", lambda: cockpit.runs()[0]["status"] in ("SUCCESS", "FAILURE", "CANCELED"))
    assert ended
    assert cockpit.runs() == [{"runId": run, "status": "SUCCESS"}]
    assert (cockpit.data / "medexams.duckdb").exists()
    assert lock.read_text() == ""
    page.goto(f"{cockpit.url}/runs/{run}")
    expect(page.get_by_text("Success", exact=True).first).to_be_visible()
    picture(page, "run")

    # Green all over.
    page.set_viewport_size({"width": 2100, "height": 800})  # wide enough for the graph to show how many are green
    page.goto(f"{cockpit.url}/asset-groups")
    expect(page.get_by_text("publish", exact=True).first).to_be_visible()
    expect(page.get_by_text("fetching statuses")).to_have_count(0)
    picture(page, "graph")
    page.set_viewport_size({"width": 1500, "height": 950})
    checks = cockpit.ask("{assetNodes {assetChecksOrError {... on AssetChecks {checks {name description "
                         "executionForLatestMaterialization {status}}}}}}")["assetNodes"]  # fmt: skip
    found = [c for node in checks for c in node["assetChecksOrError"].get("checks", [])]
    assert len(found) > 100
    assert all(c["description"] and c["executionForLatestMaterialization"]["status"] == "SUCCEEDED" for c in found)

    # A result: what it is, how many rows, what matters most of it open in the page, and its picture.
    shown = {"leaderboard": "points over points possible", "exam_result": "2020 –", "source_quality": "█"}
    for asset, panel in shown.items():
        page.goto(f"{cockpit.url}/assets/{asset}")
        expect(page.get_by_text("Row count")).to_be_visible()
        expect(page.get_by_text(panel).first).to_be_visible()
        page.get_by_text(panel).first.scroll_into_view_if_needed()
        picture(page, asset)
        page.locator("tr").filter(has=page.get_by_text("chart", exact=True)).get_by_text("[Show Markdown]").click()
        chart = page.locator("img[src^='data:image/png']")
        expect(chart).to_be_visible()
        assert chart.evaluate("image => image.naturalWidth") > 300
        assert chart.get_attribute("alt")
        picture(page, f"{asset}-chart")
    page.goto(f"{cockpit.url}/assets/leaderboard?view=checks")
    expect(page.get_by_text("key_is_unique").first).to_be_visible()
    expect(page.get_by_text("leaderboard: benchmark is one of").first).to_be_visible()
    picture(page, "checks")

    page.goto(f"{cockpit.url}/assets/warehouse")
    page.get_by_text("what_changed", exact=True).scroll_into_view_if_needed()
    picture(page, "warehouse")

    # The schedule and the sensor, to be switched on and off.
    page.goto(f"{cockpit.url}/automation")
    for name, status in (("weekly_refresh", cockpit.schedule), ("inbox", cockpit.sensor)):
        switch_on_and_off(page, name, status)
    page.goto(f"{cockpit.url}/jobs")
    for job in ("refresh", "score"):
        expect(page.get_by_text(job, exact=True).first).to_be_visible()
    picture(page, "jobs")


def switch_on_and_off(page: Page, name: str, status: Callable[[], str]) -> None:
    row = page.locator("[class*='ListItem_listItem_']").filter(has_text=name)
    switch = row.locator("label[class*='formatSwitch']")  # beside it stands a box that selects the row
    expect(switch.locator("input")).to_be_enabled()
    assert status() == "STOPPED", "a fresh checkout calls no public host by itself"
    switch.click()
    wait_for(f"{name} to run", lambda: status() == "RUNNING")
    expect(switch.locator("input")).to_be_checked()
    picture(page, f"automation-{name}")
    switch.click()
    wait_for(f"{name} to stop", lambda: status() == "STOPPED")
