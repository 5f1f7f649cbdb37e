"""The report in a real browser, opened from disk: layout at three widths, work by keyboard, no network.

Pictures go into the folder that MEDEXAMS_PICTURES names, to be looked at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, sync_playwright

from pipelines.report import links, write
from tests.conftest import lacking
from tests.unit.report_world import HOSTILE, warehouse

WIDTHS = (360, 800, 1440)
RUN, OTHER, QUESTION = "model-0/kokushi_md10-ja/00000000", "model-9/kokushi_md10-ja/00000009", "kokushi_md10/ja/3"
THINGS = {"run": links.run(RUN), "pair": links.pair(RUN, OTHER), "question": links.question(QUESTION)}
"""Address of each page that shows one thing; a report of a single run lacks OTHER, and says so."""
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    chromium = shutil.which("chromium")
    if not chromium:
        lacking("Debian's chromium")
    with sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("profile")
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium, headless=True, args=list(FLAGS)
        )
        yield context
        context.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Folders of reports by number of runs; the one of a single run is a sample."""
    folder = tmp_path_factory.mktemp("reports")
    return {
        n: write(warehouse(folder / f"{n}.duckdb", n, sample=n == 1), folder / str(n), lambda *_: None).parent
        for n in (1, 20, 200)
    }


@pytest.fixture
def page(browser: BrowserContext) -> Iterator[Page]:
    """A page that fails its test when the console shows an error or anything but a file is asked for."""
    page = browser.new_page()
    faults: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: faults.append(str(e)))
    page.on("dialog", dismiss)
    page.on("request", lambda r: faults.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
    yield page
    page.close()
    assert not faults


def show(page: Page, file: Path, width: int, height: int = 900) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(file.as_uri())


def drawn(page: Page) -> None:
    """Wait until a page of one thing, or a search, has drawn itself."""
    page.wait_for_selector("#shown:not([aria-busy]) > *", state="attached")


def each_page(page: Page, folder: Path, width: int) -> Iterator[str]:
    """Opens all pages of a report, those of one thing with theirs; yields the name of each."""
    page.set_viewport_size({"width": width, "height": 900})
    for file in sorted(folder.glob("*.html")):
        page.goto("about:blank")
        page.goto(f"{folder.as_uri()}/{THINGS.get(file.stem, file.name)}")
        if page.locator("#shown").count() and file.stem != "sql":
            drawn(page)
        yield file.stem


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("MEDEXAMS_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


def column(page: Page, table: str, n: int) -> list[str]:
    """Cell n of every row that can be seen, of each group of rows the first."""
    return page.eval_on_selector_all(
        f"{table} [data-run]",
        """(all, n) => all.filter(e => e.offsetParent)
           .map(e => (e.rows ? e.rows[0] : e).cells[n]).map(c => c.dataset.value ?? c.innerText)""",
        n,
    )


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.name || document.activeElement.innerText || ''"))


def tab_to(page: Page, text: str) -> None:
    """Press Tab until the element with this text (or field with this name) has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if focused(page).strip().startswith(text):
            return
    raise AssertionError(f"{text!r} can't be reached by keyboard")


@pytest.mark.parametrize(("n", "width"), [(20, 320), *product((1, 20, 200), WIDTHS)])
def test_no_page_is_wider_than_the_screen(reports: dict[int, Path], page: Page, n: int, width: int) -> None:
    for name in each_page(page, reports[n], width):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.evaluate("document.fonts.status") == "loaded"
        # Exactly one of the two drawings of each chart shows.
        charts = page.eval_on_selector_all(
            "figure", "all => all.map(f => [...f.querySelectorAll('svg')].filter(s => s.clientWidth).length)"
        )
        assert all(count == 1 for count in charts), name
        if n == 20 and width != 320:
            picture(page, f"report-{name}-{width}")


@pytest.mark.parametrize("width", WIDTHS)
def test_sorting_by_keyboard(reports: dict[int, Path], page: Page, width: int) -> None:
    show(page, reports[20] / "index.html", width)
    before = column(page, "#board-0", 2)
    assert [float(v) for v in before] == sorted(map(float, before), reverse=True)
    tab_to(page, "Score")
    page.keyboard.press("Enter")  # best first, as it was
    header = page.locator("#board-0 th[aria-sort]")
    assert header.get_attribute("aria-sort") == "descending" and column(page, "#board-0", 2) == before
    page.keyboard.press("Space")
    assert header.get_attribute("aria-sort") == "ascending"
    assert column(page, "#board-0", 2) == before[::-1]
    assert "Sorted by Score" in page.inner_text("#status")
    assert focused(page).startswith("Score")


@pytest.mark.parametrize("width", WIDTHS)
def test_filtering_by_keyboard(reports: dict[int, Path], page: Page, width: int) -> None:
    show(page, reports[20] / "index.html", width)
    assert page.locator(".board:visible").count() == 3
    tab_to(page, "benchmark")
    page.keyboard.type("Med")
    assert page.locator(".board:visible").count() == 1
    assert page.locator(".board:visible h2").inner_text().endswith("Title of medschool")
    page.keyboard.press("Home")
    tab_to(page, "modality")
    page.keyboard.type("mul")
    shown = page.eval_on_selector_all(
        "[data-modality]", "all => all.filter(e => e.offsetParent).map(e => e.dataset.modality)"
    )
    assert shown and set(shown) == {"multimodal"}
    tab_to(page, "text")
    page.keyboard.type("no such model")
    assert page.locator("[data-nothing]").is_visible()
    assert "0 of 20 rows" in page.inner_text("#status")


def test_many_runs_stay_usable(reports: dict[int, Path], page: Page) -> None:
    show(page, reports[200] / "index.html", 1440)
    assert len(column(page, "#board-0", 0)) == 30
    page.get_by_role("button", name="Show all 66").first.press("Enter")
    assert len(column(page, "#board-0", 0)) == 66
    page.fill("[name=text]", "model-19")
    assert 0 < len(column(page, "#board-0", 0)) < 5
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    picture(page, "report-index-200-runs")
    show(page, reports[200] / "exams-physician.html", 360)
    assert len(column(page, "#grid", 1)) == 30
    page.emulate_media(media="print")
    assert len(column(page, "#grid", 1)) == 67
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", WIDTHS)
def test_reason_of_a_verdict_shows_on_focus_and_hover(reports: dict[int, Path], page: Page, width: int) -> None:
    show(page, reports[20] / "exams-physician.html", width)
    verdict = page.locator("#grid .verdict").first
    reason = verdict.locator(".reason")
    for act in (verdict.focus, verdict.hover):
        act()
        box = reason.bounding_box()
        assert box and box["height"] > 20 and box["x"] >= 0 and box["x"] + box["width"] <= width
        page.keyboard.press("Escape")
        assert not reason.is_visible()
        page.evaluate("document.activeElement.blur()")
    picture(page, f"report-reason-{width}")
    page.locator("#grid summary").first.press("Enter")
    assert page.locator("#grid .parts").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"report-points-{width}")


def test_grid_sorts_with_its_details(reports: dict[int, Path], page: Page) -> None:
    show(page, reports[20] / "exams-physician.html", 800)
    page.get_by_role("button", name="2021").press("Enter")
    values = [int(v) for v in column(page, "#grid", 2)]
    assert values == sorted(values, reverse=True)
    assert page.eval_on_selector_all("#grid > tbody", "all => all.every(b => b.rows.length === 2)")


def test_complete_without_a_script(reports: dict[int, Path], page: Page) -> None:
    file = reports[200] / "index.html"
    text = file.read_text(encoding="utf-8").replace("<script ", "<template ").replace("</script>", "</template>")
    plain = file.with_name("plain.html")
    plain.write_text(text, encoding="utf-8")
    show(page, plain, 800)
    assert page.locator("tr[data-run]:visible").count() == 200
    assert not page.locator("form").first.is_visible() and not page.locator("thead button").count()
    plain.unlink()


def test_dark_and_light_differ_and_both_can_be_read(reports: dict[int, Path], page: Page) -> None:
    """Text against paper at 4.5 : 1 or more (WCAG AA), for each colour that text has."""
    contrast = """() => {
        const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
        const light = (colour) => {
            const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => linear(Number(v) / 255));
            return .2126 * r + .7152 * g + .0722 * b;
        };
        const paper = light(getComputedStyle(document.body).backgroundColor);
        const all = [...document.querySelectorAll('main *, header *')];
        const text = all.filter((e) => e.offsetParent && e.innerText?.trim());
        return Math.min(...text.map((e) => light(getComputedStyle(e).color))
            .map((l) => (Math.max(l, paper) + .05) / (Math.min(l, paper) + .05)));
    }"""
    papers = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for name in ("index", "exams-physician", "responses"):
            show(page, reports[20] / f"{name}.html", 1440)
            assert page.evaluate(contrast) >= 4.5, (scheme, name)
            picture(page, f"report-{name}-{scheme}")
        papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers[0] != papers[1]
    page.emulate_media(color_scheme="light")


def test_screen_reader_tree(reports: dict[int, Path], page: Page) -> None:
    show(page, reports[20] / "index.html", 1440)
    tree = page.locator("body").aria_snapshot()
    for part in (
        "- banner:",
        '- navigation "Pages":',
        "- main:",
        "- contentinfo:",
        '- heading "Leaderboards" [level=1]',
    ):
        assert part in tree, part
    assert tree.count('img "Title of') == 3
    assert page.get_by_role("region", name="ranked by").count() == 3
    assert HOSTILE in page.inner_text("main")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"


def test_print(reports: dict[int, Path], page: Page, tmp_path: Path) -> None:
    show(page, reports[1] / "exams-physician.html", 1440)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator(".sample").is_visible()
    assert not page.locator("#grid .parts").first.is_visible()
    folder = Path(os.environ.get("MEDEXAMS_PICTURES") or tmp_path)
    page.pdf(path=folder / "report-exams.pdf", prefer_css_page_size=True)
    assert (folder / "report-exams.pdf").read_bytes().startswith(b"%PDF")
    page.emulate_media(media="screen")
