"""The pages of runs, questions and pairs, search, SQL, saving and the address, in a real browser; and axe on all pages.

The browser is that of test_report_browser.py; numbers are compared with the warehouse for all runs,
questions and pairs.
"""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page

from pipelines.report import links, write
from pipelines.report.page import share
from pipelines.report.serving import MODULES, Server
from pipelines.store.sqlfiles import sql_queries
from tests.conftest import lacking
from tests.e2e.test_report_browser import RUN, THINGS, browser, drawn, each_page, page, picture, show
from tests.unit.report_world import ATTACK, query, warehouse

__all__ = ["browser", "page"]  # fixtures

AXE = MODULES / "axe-core/axe.min.js"
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


@pytest.fixture(scope="module")
def served(folder: Path, table: Path) -> Iterator[str]:
    """The report over HTTP."""
    with Server(folder, table) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


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


def test_every_question_with_all_its_answers_equals_the_warehouse(folder: Path, table: Path, page: Page) -> None:
    for (question_id,) in query(table, "select question_id from question order by question_id"):
        go(page, folder, f"{links.question(question_id)}?all.answers=1")
        expected = query(
            table,
            f"""select p.run_id, coalesce(p.labels, '–'), {RESULT}, p.status, s.points, s.max_points, p.response
                from {SCORED} where p.question_id = '{question_id}'""",
        )
        runs = page.eval_on_selector_all("#answers tbody tr", "all => all.map(r => [r.dataset.run, r.dataset.result])")
        written = cells(page, "#answers tbody tr")
        closed = question_id.startswith("cognet_md/")
        found = {(*r, w[1], w[4], w[3], w[5]) for r, w in zip(runs, written, strict=True)}
        assert found == {
            (run, result, said, status, f"{points(got)} of {points(most)}",
             "not shown: licence" if closed else " ".join(response.split()))
            for run, said, result, status, got, most, response in expected
        }  # fmt: skip
        marked = page.locator("#answers mark").all_inner_texts()
        answered = sum(row[3] == "answered" for row in expected)
        assert closed or (len(marked) == answered and all(m.startswith("Answer: ") for m in marked))
        assert (page.locator(".stem").count() == 0) == closed


def test_every_pair_equals_the_warehouse(folder: Path, table: Path, page: Page) -> None:
    seen = 0
    for (dataset,) in query(table, "select dataset_id from dataset"):
        runs = [r for (r,) in query(table, f"select run_id from run where dataset_id = '{dataset}' order by run_id")]
        for a, b in combinations(runs, 2):
            go(page, folder, links.pair(a, b))
            counts = page.eval_on_selector_all("[data-count]", COUNTS)
            ((both, first, second, neither, same),) = query(
                table,
                f"""select count(*) filter (x.is_correct and y.is_correct),
                        count(*) filter (x.is_correct and not y.is_correct),
                        count(*) filter (not x.is_correct and y.is_correct),
                        count(*) filter (not x.is_correct and not y.is_correct),
                        count(*) filter (not x.is_correct and not y.is_correct and p.labels = q.labels)
                    from item_score x join item_score y using (question_id, attempt, ruleset)
                    join prediction p on p.run_id = x.run_id and p.question_id = x.question_id
                    join prediction q on q.run_id = y.run_id and q.question_id = y.question_id
                    where x.run_id = '{a}' and y.run_id = '{b}' and ruleset = 'official' and x.counts and y.counts""",
            )
            expected = {"both": both, "first": first, "second": second, "neither": neither, "same": same}
            assert counts == expected, (a, b)
            assert page.locator("#shared tbody tr").count() == both + first + second + neither
            for metric, value_a, value_b, n in query(
                table,
                f"""select metric, value_a, value_b, n from comparison where run_a = '{a}' and run_b = '{b}'
                    union all select metric, value_b, value_a, n from comparison
                    where run_a = '{b}' and run_b = '{a}'""",
            ):
                said = page.inner_text(f"[data-metric={metric}]")
                assert share(value_a) in said and share(value_b) in said and f"the {n} questions" in said
                seen += 1
    assert seen > 60


def test_the_address_keeps_filters_order_and_search(folder: Path, page: Page) -> None:
    show(page, folder / "index.html", 1400)
    page.select_option("[name=kind]", "model")
    page.fill("[name=text]", "model-0")
    by_score = page.locator("#board-0").get_by_role("button", name=re.compile(r"^Score\b"))
    by_score.click()
    by_score.click()
    order = "all => all.filter(r => r.offsetParent).map(r => r.dataset.run)"
    shown, address = page.eval_on_selector_all("tr[data-run]", order), page.url
    assert shown and "kind=model" in address and "sort.board-0=2.ascending" in address
    page.goto("about:blank")
    page.goto(address)
    assert page.eval_on_selector_all("tr[data-run]", order) == shown
    assert page.input_value("[name=text]") == "model-0"
    page.evaluate("location.hash = '#?kind=human'")
    page.wait_for_function("document.querySelectorAll('tr[data-run]:not([hidden])').length === 1")


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


def test_numbers_names_and_flags_lead_to_what_is_behind_them(folder: Path, page: Page) -> None:
    show(page, folder / "index.html", 1400)
    page.locator("#board-0 tbody tr").first.locator("td a", has_text=re.compile(r"^\d+$")).first.click()
    drawn(page)
    assert "status=answered" in page.url and page.input_value("[name=status]") == "answered"
    picture(page, "report-run")
    page.locator("#answers tbody tr:not([hidden]) a").first.click()
    drawn(page)
    assert "question.html#" in page.url and page.locator("tr.chosen").count() == 1
    show(page, folder / "quality.html", 1400)
    page.get_by_role("button", name="Show all 42").click()
    row = page.locator("#suspicious tbody tr", has_text="medschool/room-b007/3").first
    assert (
        "scelta" in row.inner_text() and "B" in row.inner_text() and "the key of Title of medschool" in row.inner_text()
    )
    row.locator("a").first.click()
    drawn(page)
    assert page.locator(".doubt a").count() > 0
    page.locator("[data-twin]").first.click()
    page.wait_for_selector(".beside .stem")
    assert "beside=" in page.url
    picture(page, "report-question")


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


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (800, "dark"), (1440, "light")])
def test_axe_finds_nothing(folder: Path, page: Page, width: int, scheme: str) -> None:
    if not AXE.exists():
        lacking("axe-core (make wasm)")
    axe = AXE.read_text(encoding="utf-8")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for name in each_page(page, folder, width):
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")["violations"]
        assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found], name
        picture(page, f"report-{name}-{width}-{scheme}")


def test_without_a_script_the_figures_of_a_run_still_show(folder: Path, page: Page) -> None:
    page.context.new_cdp_session(page).send("Emulation.setScriptExecutionDisabled", {"value": True})
    page.goto(f"{folder.as_uri()}/{links.run(RUN)}")
    assert page.locator("article.run:visible").count() == 1
    assert "95 % interval" in page.inner_text("article.run:visible")
    for name in ("question", "pair", "questions", "sql"):
        page.goto(f"{folder.as_uri()}/{name}.html")
        assert "medexams " in page.inner_text("main")
    page.goto((folder / "index.html").as_uri())
    assert page.locator("tr[data-run]:visible").count() == 20 and not page.locator("form:visible").count()


def test_the_physician_grid_of_200_runs_prints_on_ten_pages(tmp_path: Path, page: Page) -> None:
    made = write(warehouse(tmp_path / "w.duckdb", 200, only="kokushi_md10"), tmp_path / "report", lambda *_: None)
    show(page, made.parent / "exams-physician.html", 1400)

    def printed() -> int:
        return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))

    assert 3 <= printed() <= 10
    page.get_by_role("button", name="Open the points of all runs").click()
    assert printed() > 20  # details on demand


def test_over_http_the_pages_are_the_same(folder: Path, served: str, browser: BrowserContext) -> None:
    over = browser.new_page()
    for address in ("index.html", *THINGS.values()):
        texts = []
        for base in (served, f"{folder.as_uri()}/"):
            over.goto(base + address)
            over.wait_for_timeout(200)
            texts.append(over.inner_text("main"))
        assert texts[0] == texts[1] and len(texts[0]) > 500
    over.close()


def test_every_ready_query_gives_in_the_page_what_it_gives_in_python(
    table: Path, served: str, browser: BrowserContext
) -> None:
    if not (MODULES / "@duckdb").exists():
        lacking("DuckDB-Wasm (make wasm)")
    over = browser.new_page()
    over.goto(f"{served}sql.html#?q=select+1+as+one")
    over.wait_for_selector("#result, [role=alert]", timeout=60_000)
    assert cells(over, "#result tbody tr") == [["1"]] and not over.locator("#from-disk").is_visible()
    ready = dict(over.eval_on_selector_all("[data-query]", "all => all.map((e) => [e.dataset.query, e.textContent])"))
    assert ready.keys() == {q.name for q in sql_queries()}
    values = "all => all.map((row) => [...row.cells].map((c) => c.dataset.value))"
    seen = 0
    for name, sql in ready.items():
        over.fill("textarea", sql)
        over.keyboard.press("Control+Enter")
        over.wait_for_selector("form.query button:not([disabled])")
        assert not over.locator("[role=alert]").count(), (name, over.inner_text("#found"))
        expected = query(table, f"select columns(*)::varchar from ({sql.strip().rstrip(';')}\n)")
        found = over.eval_on_selector_all("#result tbody tr", values)
        assert sorted(found) == sorted([["" if v is None else v for v in row] for row in expected[:1000]]), name
        seen += len(found)
    assert seen > 100
    over.fill("textarea", "select model, score from leaderboard order by score desc limit 3")
    over.keyboard.press("Control+Enter")
    over.wait_for_selector("#result tbody:not(:has(tr:nth-child(4))) tr:nth-child(3)")
    with over.expect_download() as saved:
        over.locator("#found").get_by_role("button", name="Save CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text(encoding="utf-8"))))
    best = query(table, "select score::varchar from leaderboard order by score desc limit 3")
    assert [(r["score"],) for r in rows] == best
    over.fill("textarea", "select * from nothing_here")
    over.keyboard.press("Control+Enter")
    over.wait_for_selector("[role=alert]")
    assert "nothing_here" in over.inner_text("[role=alert]")
    over.close()


def test_from_disk_the_sql_page_says_what_to_do(folder: Path, page: Page) -> None:
    show(page, folder / "sql.html", 800)
    said = page.inner_text("#from-disk")
    assert "medexams report --serve" in said and "medexams sql" in said and not page.locator("textarea").count()
