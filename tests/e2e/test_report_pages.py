"""The pages of runs and questions, search, saving and charts that follow filters, in a real browser.

The browser is that of test_report_browser.py; the answers shown are compared with the warehouse for all runs.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from pipelines.report import links, write
from tests.e2e.test_report_browser import browser, page, picture, show
from tests.unit.test_report import ATTACK, query, warehouse

__all__ = ["browser", "page"]  # fixtures

RESULT = """case when not s.counts or s.counts is null then 'uncounted' when s.is_correct then 'right'
    when p.status <> 'answered' then 'none' when s.points > 0 then 'part' else 'wrong' end"""
SCORED = """prediction p left join item_score s on s.run_id = p.run_id and s.question_id = p.question_id
    and s.attempt = p.attempt and s.ruleset = 'official'"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 20 runs; its warehouse stands beside it."""
    out = tmp_path_factory.mktemp("pages") / "report"
    return write(warehouse(out.with_suffix(".duckdb"), 20), out, lambda *_: None).parent


@pytest.fixture(scope="module")
def table(folder: Path) -> Path:
    """The warehouse of the report."""
    return folder.with_suffix(".duckdb")


def go(page: Page, folder: Path, address: str) -> None:
    """Open a page by its address and wait until it has drawn itself; the same page draws itself anew."""
    file, _, thing = address.partition("#")
    if page.url.startswith(f"{folder.as_uri()}/{file}#"):
        page.evaluate(
            "(thing) => { document.getElementById('shown').replaceChildren(); location.hash = thing; }", thing
        )
    else:
        page.goto(f"{folder.as_uri()}/{address}")
    drawn(page)


def drawn(page: Page) -> None:
    page.wait_for_selector("#shown:not([aria-busy]) > *", state="attached")


COUNTS = """all => Object.fromEntries(all.map((e) =>
    [e.dataset.count, Number(e.querySelector('strong').textContent)]))"""


def cells(page: Page, selector: str) -> list[list[str]]:
    """Text of all cells of a table, those of later pages included."""
    found: list[list[str]] = page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((row) =>
            [...medexams.tables.firstRow(row).cells].map((c) => c.innerText.replace(/\\s+/g, ' ').trim()))""",
        selector,
    )
    return found


def points(value: Any) -> str:
    return f"{value.normalize():f}"


def test_every_answer_of_every_run_equals_the_warehouse(folder: Path, table: Path, page: Page) -> None:
    for (run_id,) in query(table, "select run_id from run order by run_id"):
        go(page, folder, f"{links.run(run_id)}?all.answers=1")
        assert page.locator("article.run:visible").count() == 1
        expected = query(
            table,
            f"""select p.question_id, p.status, coalesce(p.labels, '–'), {RESULT}, s.points, s.max_points
                from {SCORED} where p.run_id = '{run_id}' order by p.question_id""",
        )
        shown = page.eval_on_selector_all(
            "#answers tbody tr", "all => all.map(r => [r.dataset.question, r.dataset.status, r.dataset.result])"
        )
        written = cells(page, "#answers tbody tr")
        found = sorted((*map(str, s), w[5], w[7]) for s, w in zip(shown, written, strict=True))
        assert found == sorted(
            (q, status, result, said, f"{points(earned)} of {points(most)}")
            for q, status, said, result, earned, most in expected
        )
        counts = page.eval_on_selector_all("[data-count]", COUNTS)
        assert counts == {
            r: sum(row[3] == r for row in expected) for r in ("right", "part", "wrong", "none", "uncounted")
        }


def test_charts_follow_the_filters(folder: Path, page: Page) -> None:
    show(page, folder / "index.html", 1400)
    assert page.locator("figure .wide:visible").count() == 3 and not page.locator(".followed").count()
    page.fill("[name=text]", "model-01")
    left = page.eval_on_selector_all("#board-0 tr[data-run]:not([hidden])", "all => all.length")
    drawing = page.locator("figure[data-of=board-0] .followed svg")
    assert drawing.locator("circle").count() == left > 0
    assert f"{left} of the {left} runs" in (drawing.get_attribute("aria-label") or "")
    picture(page, "report-filtered-chart")
    page.fill("[name=text]", "")
    assert not page.locator(".followed").count()
    show(page, folder / "responses.html", 360)
    page.select_option("[name=kind]", "baseline")
    assert page.locator(".followed svg rect").count() > 7


def test_a_chart_is_saved_as_svg_and_a_table_as_csv(folder: Path, table: Path, page: Page) -> None:
    show(page, folder / "index.html", 1400)
    with page.expect_download() as saved:
        page.locator("figure[data-of=board-0]").get_by_role("button", name="Save SVG").click()
    drawing = Path(saved.value.path()).read_text(encoding="utf-8")
    assert saved.value.suggested_filename.endswith(".svg") and drawing.startswith("<svg") and "var(--" not in drawing
    page.select_option("[name=kind]", "model")
    for excel in (False, True):
        page.set_checked("[name=excel]", excel)
        with page.expect_download() as saved:
            page.locator("section", has=page.locator("#board-0")).get_by_role("button", name="Save CSV").click()
        data = Path(saved.value.path()).read_bytes()
        assert data.startswith(b"\xef\xbb\xbf") == excel
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
        board = query(
            table, "select run_id, score, answered from leaderboard join run using (run_id) where run.kind = 'model'"
        )
        expected = {(run, float(value), answered) for run, value, answered in board}
        found = {(r["run_id"], float(r["Score"]), int(r["Answered"])) for r in rows}
        assert found and found <= expected


def test_a_hostile_response_and_name_stay_text(folder: Path, page: Page) -> None:
    go(page, folder, links.question("kokushi_md10/ja/0"))
    assert page.locator("#answers img, #answers script, .choices i").count() == 0
    assert ATTACK in page.inner_text("#answers") and "<i>scelta</i>" in page.inner_text(".choices")
    for address in (
        'run.html#"><img src=x onerror=alert(1)>', f"question.html#{quote(ATTACK)}", "pair.html#%,%E0%A4%A",
        "questions.html#?text=<script>alert(1)</script>", "index.html#?kind=%22%3E&sort.board-0=99.x",
    ):  # fmt: skip
        page.goto("about:blank")
        page.goto(f"{folder.as_uri()}/{address}")
        page.wait_for_timeout(100)
        assert page.locator("main img, main script").count() == 0


def test_search_finds_questions_and_models(folder: Path, table: Path, page: Page) -> None:
    go(page, folder, "questions.html")
    assert page.get_attribute("#hits", "data-total") == "120"
    page.fill("[name=text]", "città")
    assert page.get_attribute("#hits", "data-total") == "40"
    page.select_option("[name=topic]", "logic")
    assert page.get_attribute("#hits", "data-total") == str(
        query(table, "select count(*) from question where topic = 'logic' and stem like '%città%'")[0][0]
    )
    page.select_option("[name=topic]", "")
    page.fill("[name=text]", "model-10")
    assert page.locator("#models li").count() == 1
