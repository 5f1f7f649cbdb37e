"""The report: its numbers equal the tables, all shows, hostile text stays text, and nothing is loaded from outside."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from click.testing import CliRunner

from pipelines.cli import main
from pipelines.errors import MedexamsError
from pipelines.report import MANIFEST, write
from pipelines.report.page import number, score, share, words
from pipelines.report.quality import excerpt
from pipelines.vocabulary import PREDICTION_STATUSES, VERDICTS
from tests.unit.report_world import HOSTILE, PROFESSIONS, SECRET, YEARS, query, warehouse


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return warehouse(tmp_path_factory.mktemp("twenty") / "medexams.duckdb", 20)


@pytest.fixture(scope="module")
def report(twenty: Path) -> Path:
    return write(twenty, twenty.parent / "report", lambda *_: None).parent


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return warehouse(tmp_path_factory.mktemp("one") / "medexams.duckdb", 1)


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def pages(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.html"))


def rows_of(page: BeautifulSoup, table: str = "") -> dict[str, Tag]:
    """Rows (or row groups) of a table by run."""
    found = page.select(f"{table} [data-run]")
    return {str(tag["data-run"]): tag for tag in found}


def test_every_run_exam_and_dataset_shows(twenty: Path, report: Path) -> None:
    runs = {r[0] for r in query(twenty, "select run_id from run")}
    for name in ("index.html", "responses.html", "provenance.html"):
        assert set(rows_of(soup(report / name))) == runs, name
    for (dataset_id,) in query(twenty, "select dataset_id from dataset"):
        for name in ("index.html", "quality.html", "provenance.html"):
            assert dataset_id in soup(report / name).text, name
    takers = {r[0] for r in query(twenty, "select distinct run_id from exam_result")}
    for _, name_en in PROFESSIONS:
        page = soup(report / f"exams-{name_en.lower()}.html")
        assert set(rows_of(page, "#grid")) == takers
        heads = " ".join(th.text for th in page.select("#grid > thead th"))
        assert all(str(year) in heads for year in YEARS)
    medschool = {r[0] for r in query(twenty, "select distinct run_id from topic_score")}
    assert set(rows_of(soup(report / "subjects.html"))) == medschool
    cognet = {r[0] for r in query(twenty, "select run_id from run where dataset_id like 'cognet%'")}
    assert set(rows_of(soup(report / "usecases.html"))) == cognet
    assert {d["data-case"] for d in soup(report / "usecases.html").select("[data-case]")} == {
        "production", "beta", "specialty:dermatology",
    }  # fmt: skip


def test_numbers_equal_the_tables(twenty: Path, report: Path) -> None:
    shown = rows_of(soup(report / "index.html"))
    for run_id, rank, value, accuracy, metric, answered, n in query(
        twenty, "select run_id, rank, score, accuracy, metric, answered, n from leaderboard"
    ):
        cells = [str(c["data-value"]) for c in shown[run_id].select("td[data-value]")]
        assert cells[0] == str(rank)
        assert Decimal(cells[1]) == value and Decimal(cells[2]) == accuracy
        assert {str(answered), str(n)} <= set(cells)
        assert score(value, metric) in shown[run_id].text
    shown = rows_of(soup(report / "responses.html"))
    for run_id, status, count in query(twenty, "select run_id, status, count(*) from prediction group by all"):
        cell = shown[run_id].select("td")[PREDICTION_STATUSES.index(status)]
        assert cell["data-value"] == str(count) and share(count / 40) in cell.text
    grid = rows_of(soup(report / "exams-physician.html"), "#grid")
    for run_id, passed, count in query(
        twenty,
        """select run_id, passed, count(*) from exam_result where ruleset = 'official' and component = 'overall'
           and exam_id like '%医師%' group by all""",
    ):
        assert len(grid[run_id].select(f".verdict.{VERDICTS[passed].replace(' ', '-')}")) == count
        assert "168.5 of 200 needs 160" in re.sub(r"\s+", " ", grid[run_id].text)
    changes = soup(report / "quality.html").select_one("#keys tbody")
    assert changes and "perché" in changes.text and "<i>no</i>" in changes.text


def test_a_reason_stands_with_each_verdict(report: Path) -> None:
    for verdict in soup(report / "exams-pharmacist.html").select("#grid .verdict"):
        assert verdict.name == "a" and verdict["href"]
        reason = verdict.select_one(".reason")
        assert reason and "needed" in reason.text
        japanese = reason.select_one("[lang=ja]")
        assert japanese and japanese.text == "必修"


def test_hostile_text_stays_text(report: Path) -> None:
    for path in pages(report):
        text = path.read_text(encoding="utf-8")
        page = soup(path)
        scripts = [str(s.get("src")) for s in page.select("script")]
        assert scripts[:2] == ["core.js", "tables.js"] and not page.select_one("script:not([src]:empty)"), path.name
        assert not page.select("img, iframe, object, embed, [onerror], [onload], style"), path.name
        assert "<b>alta" not in text and "<i>no" not in text
        ids = [str(tag["id"]) for tag in page.select("[id]")]
        assert len(ids) == len(set(ids)), path.name
    assert HOSTILE in soup(report / "index.html").text


def test_nothing_is_loaded_from_outside(report: Path) -> None:
    there = {p.name for p in report.iterdir()}
    for path in pages(report):
        page = soup(path)
        for tag in page.select("[src], link[href], use"):
            address = str(tag.get("src") or tag.get("href") or tag.get("xlink:href"))
            assert address in there or address.startswith(("#", "data:")), (path.name, address)
        for tag in page.select("a[href]"):
            address = str(tag["href"])
            assert address.partition("#")[0] in there or address.startswith(("#", "https://")), (path.name, address)
        assert not re.search(r"url\((?!#)", path.read_text(encoding="utf-8"))
    assert not re.search(r"url\(|@import|https?:", (report / "style.css").read_text())


def test_licence_without_derivatives_shows_ids_and_flags_alone(report: Path) -> None:
    page = soup(report / "flagged-cognet-md-1-0.html")
    assert (
        "cognet_md/1.0/7" in page.text
        and "image missing" in page.text
        and "lets nobody share the questions" in page.text
    )
    for path in pages(report):
        assert SECRET not in soup(path).text, path.name
    chunks = [path.read_text(encoding="utf-8") for path in (report / "data").rglob("*.js")]
    assert len(chunks) > 20 and not any(SECRET in text for text in chunks)
    assert any("città" in text for text in chunks)  # what may be shown is
    italian = soup(report / "flagged-medschool-room-b007.html").select_one("bdi[lang=it]")
    assert italian and italian.text == "Qual è la città più <b>alta</b>?"


def test_what_changed_is_listed_with_links_and_without_closed_text(report: Path) -> None:
    page = soup(report / "changes.html")
    found = [[cell.text for cell in row.select("th, td")] for row in page.select("#changes tbody tr")]
    hidden = "not shown: licence"
    assert found == [
        ["question", "cognet_md/1.0/7", hidden, "–", "read otherwise"],
        ["question", "cognet_md/gone/1", hidden, "–", "read otherwise"],
        ["key", "medschool/room-b007/7", "A", "B", "read otherwise"],
    ]
    links = [str(a["href"]) for a in page.select("#changes a")]
    assert links == ["question.html#cognet_md/1.0/7", "question.html#medschool/room-b007/7"]
    assert "2 question, 1 key" in page.select("#changes-caption")[0].text


def test_pages_are_sound_for_readers(report: Path) -> None:
    for path in pages(report):
        page = soup(path)
        assert page.select_one("html[lang=en]") and len(page.select("main")) == 1 and page.select_one("nav[aria-label]")
        levels = [int(h.name[1]) for h in page.select("h1, h2, h3, h4")]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(b <= a + 1 for a, b in pairwise(levels)), path.name
        for table in page.select("table"):
            assert table.select_one("caption"), path.name
            assert all(th.get("scope") for th in table.select("th")), path.name
        known = {str(tag["id"]) for tag in page.select("[id]")}
        for tag in page.select("[aria-labelledby]"):
            assert set(str(tag["aria-labelledby"]).split()) <= known, path.name
        for chart in page.select("svg"):
            assert chart["role"] == "img" and chart.select_one("title") and chart.select_one("desc")
        assert not page.select(".sample")


@pytest.mark.parametrize("n", [0, 1, 200])
def test_few_and_many_runs(tmp_path: Path, n: int) -> None:
    page = write(warehouse(tmp_path / "w.duckdb", n, sample=True), tmp_path / "report", lambda *_: None)
    for path in pages(page.parent):
        banner = soup(path).select_one(".sample")
        assert banner and "SAMPLE: not an exam" in banner.text, path.name
    index = soup(page)
    assert len(rows_of(index)) == n
    if n == 200:
        assert "The best 30 of 67 ranked runs." in index.text
        chart = index.select_one(".wide svg")
        assert chart and "30 runs" in chart.text
        assert page.stat().st_size < 3_000_000


def test_progress_is_told(one: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    write(one, tmp_path / "report", lambda *step: told.append(step))
    made = [done for what, done, _ in told if what.startswith("pages")]
    assert made == list(range(1, len(pages(tmp_path / "report")) + 1))
    assert [(done, total) for what, done, total in told if what.startswith("questions")] == [(i, 3) for i in range(4)]


def test_a_report_is_replaced_and_nothing_else(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "report"
    write(one, out, lambda *_: None)
    (out / "rules.html").unlink()
    write(one, out, lambda *_: None)
    assert (out / "rules.html").exists()
    assert [p.name for p in out.parent.iterdir()] == ["report"]
    listed = {f["path"] for f in json.loads((out / MANIFEST).read_text())["files"]}
    assert listed == {p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()} - {MANIFEST}

    (out / "notes.txt").write_text("mine")
    with pytest.raises(MedexamsError, match=r"notes\.txt"):
        write(one, out, lambda *_: None)
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "index.html").write_text("mine")
    with pytest.raises(MedexamsError, match="something other than the report"):
        write(one, other, lambda *_: None)
    assert (other / "index.html").read_text() == "mine"
    with pytest.raises(MedexamsError, match="is a file"):
        write(one, other / "index.html", lambda *_: None)


def test_a_fault_leaves_the_old_report(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    write(one, out, lambda *_: None)
    before = (out / "index.html").read_text()

    def stop(what: str, done: int, total: int | None) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(one, out, stop)
    assert (out / "index.html").read_text() == before
    broken = tmp_path / "broken.duckdb"
    broken.write_text("no database")
    with pytest.raises(MedexamsError, match="can't be read"):
        write(broken, out, lambda *_: None)
    assert (out / "index.html").read_text() == before
    assert {p.name for p in tmp_path.iterdir()} == {"report", "broken.duckdb"}


def test_command_says_where_the_report_is(one: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["report", "--data", str(one.parent), "--out", str(tmp_path / "r")])
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "r" / "index.html") in done.output
    done = CliRunner().invoke(main, ["report", "--data", str(tmp_path / "none")])
    assert done.exit_code == 1 and "medexams refresh" in done.output


def test_numbers_are_written_for_people() -> None:
    assert number(Decimal("-0.0001")) == "0.00" and number(Decimal("-1.5")) == "−1.50" and number(None) == "–"
    assert share(Decimal("0.8388")) == "83.9 %" and score(Decimal("46.51"), "exam_score") == "46.51"
    assert (
        words("必修:実務 10 <b>") == '<bdi><span lang="ja">必修</span>:<span lang="ja">実務</span> 10 &lt;b&gt;</bdi>'
    )
    assert excerpt("a " * 200).endswith("…") and len(excerpt("a " * 200)) <= 160
