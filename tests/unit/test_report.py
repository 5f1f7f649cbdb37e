"""The report: its numbers equal the tables, all shows, hostile text stays text, and nothing is loaded from outside.

warehouse() writes a small warehouse with as many runs as asked; the browser tests use it too.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from decimal import Decimal
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bs4 import BeautifulSoup, Tag
from click.testing import CliRunner

from pipelines.cli import main
from pipelines.errors import MedexamsError
from pipelines.report import MANIFEST, write
from pipelines.report.page import number, score, share, words
from pipelines.report.quality import excerpt
from pipelines.schema import TABLES
from pipelines.store.publishing import STORAGE_VERSION, create_view
from pipelines.store.sqlfiles import sql_views
from pipelines.vocabulary import PREDICTION_STATUSES, RULESETS, VERDICTS

HOSTILE = '<script>alert("x")</script>'
ATTACK = "<img src=x onerror=alert(1)>"
METRICS = ("accuracy", "score_share")
MODELS = (
    HOSTILE,
    '"><img src=x onerror=alert(1)>',
    "$\\frac{a}$ \u202e mixed",
    "医師モデル-とても長い名前のモデル・第二版-指示調整済み",
    "è-così",
)
SECRET = "Which dermatology question must never be printed?"
YEARS = (2020, 2021, 2022)
PROFESSIONS = (("医師", "Physician"), ("薬剤", "Pharmacist"))
TOPICS = ("biology", "chemistry", "maths_physics", "world_knowledge", "logic")
_SET = {"kokushi_md10": "kokushi_md10/ja", "medschool": "medschool/room-b007", "cognet_md": "cognet_md/1.0"}


def warehouse(path: Path, n_runs: int, *, sample: bool = False, only: str | None = None) -> Path:
    """A warehouse with three datasets and `n_runs` runs (of all, or of `only` one), the first hostile by name.

    Every third question has a doubted key; responses are hostile, and one is long.
    """
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    same = {"old": f"stem: {SECRET}", "new": None, "cause": "read otherwise"}
    rows["refresh_change"] = [
        same | {"kind": "question", "subject": q, "question_id": q} for q in ("cognet_md/1.0/7", "cognet_md/gone/1")
    ]
    q = "medschool/room-b007/7"
    rows["refresh_change"].append(same | {"kind": "key", "subject": q, "old": "A", "new": "B", "question_id": q})
    day = datetime.fromisoformat("2026-01-02T03:04")
    for benchmark, licence, language in (
        ("kokushi_md10", "MIT", "ja"), ("medschool", "Apache-2.0", "it"), ("cognet_md", "CC BY-NC-ND 4.0", "en"),
    ):  # fmt: skip
        dataset_id = _SET[benchmark]
        rows["dataset"].append({
            "dataset_id": dataset_id, "benchmark": benchmark, "release": "1", "source": benchmark,
            "title": f"Title of {benchmark}", "language": language, "licence": licence,
            "origin": "https://example.org/data", "sha256": "ab" * 32, "fetched_at": day,
            "n_questions": 40, "published_count": 41, "is_sample": sample, "is_latest": True,
        })  # fmt: skip
        rows["source_quality"].append({
            "dataset_id": dataset_id, "rows_in": 41, "kept": 40, "rejected": 1, "flagged": 40, "needs_image": 2,
            "scorable": 39, "answerable_by_text": Decimal("0.875"), "published_count": 41, "missing": 1,
        })  # fmt: skip
        stem = {"ja": "最も適切なのはどれか。", "it": "Qual è la città più <b>alta</b>?", "en": SECRET}[language]
        for i in range(40):
            question = {"question_id": f"{dataset_id}/{i}", "dataset_id": dataset_id, "benchmark": benchmark}
            rows["question"].append(question | {
                "source_key": str(i), "language": language, "stem": stem, "answer_type": "single", "n_choices": 5,
                "points": 1, "key_status": "scored", "needs_image": False, "fingerprint": f"{i:032x}",
                "topic": TOPICS[i % 5] if benchmark == "medschool" else None,
            })  # fmt: skip
            _add_details(rows, question["question_id"], dataset_id, i)
            flag = "image_missing" if i % 2 else "key_disputed"
            detail = f"the stem is {stem!r}"
            rows["question_flag"].append({"question_id": question["question_id"], "flag": flag, "detail": detail})
    rows["answer_key_change"].append({
        "benchmark": "medschool", "fingerprint": f"{7:032x}", "from_dataset": _SET["medschool"],
        "to_dataset": _SET["medschool"], "old_key": "perché", "new_key": "<i>no</i>",
    })  # fmt: skip
    rows["rejected_row"].append({"source": "a.csv", "locator": "line 3", "reason": "no question", "raw": "{}"})
    for topic in TOPICS:
        rows["rule_topic"].append({"benchmark": "medschool", "topic": topic, "weight": 23 - TOPICS.index(topic)})
    for name, name_en in PROFESSIONS:
        for year in YEARS:
            rows["exam"].append({
                "exam_id": f"kokushi_md10/{name}/{year}", "benchmark": "kokushi_md10", "profession": name,
                "profession_en": name_en, "year": year, "round": year - 1906,
            })  # fmt: skip
    for i in range(n_runs):
        _add_run(rows, i, day, sample, only)
    for (a, b), (dataset_id, metric) in product(combinations(rows["run"], 2), product(_SET.values(), METRICS)):
        if a["dataset_id"] == b["dataset_id"] == dataset_id and len(rows["comparison"]) < 600:
            _add_comparison(rows, a["run_id"], b["run_id"], dataset_id, metric)
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as warehouse (storage_version '{STORAGE_VERSION}')")  # as it is published
        con.execute("use warehouse")
        for table in TABLES.values():
            columns = ", ".join(f'"{c.name}" {c.type}' for c in table.columns)
            con.execute(f"create table {table.name} ({columns})")
            if rows[table.name]:
                parts = path.with_suffix(".parquet")
                table.frame(rows[table.name]).write_parquet(parts)
                con.execute(f"insert into {table.name} select * from read_parquet('{parts}')")
                parts.unlink()
        for view in sql_views():
            create_view(con, view)
    return path


def _add_details(rows: dict[str, list[dict[str, Any]]], question_id: str, dataset_id: str, i: int) -> None:
    """Choices, key, difficulty and a twin in the next dataset."""
    closed = dataset_id == _SET["cognet_md"]
    for position, label in enumerate("ABCDE"):
        text = SECRET if closed else f"<i>scelta</i> {label} & {i}"
        rows["choice"].append({
            "question_id": question_id, "position": position, "label": label, "text": text, "is_correct": label == "B",
            "is_forbidden": label == "E" and i % 7 == 0, "has_image": False,
        })  # fmt: skip
    rows["answer_key"].append({"question_id": question_id, "alternative": 1, "labels": "B", "selection": 2})
    rows["question_difficulty"].append({
        "question_id": question_id, "runs": 7, "families": 7, "share_right": Decimal(i) / 80, "strong_runs": 4,
        "strong_answer": "A", "strong_share": Decimal("0.8125"), "suspicious_key": i % 3 == 0,
    })  # fmt: skip
    if dataset_id == _SET["medschool"]:
        rows["question_link"].append({
            "from_question": question_id, "to_question": f"{_SET['kokushi_md10']}/{i}", "kind": "near",
            "similarity": Decimal("0.905"),
        })  # fmt: skip


def _add_comparison(rows: dict[str, list[dict[str, Any]]], a: str, b: str, dataset_id: str, metric: str) -> None:
    n = len(rows["comparison"])
    rows["comparison"].append({
        "run_a": a, "run_b": b, "dataset_id": dataset_id, "metric": metric, "value_a": Decimal(500 + n) / 1600,
        "value_b": Decimal(500) / 1600, "difference": Decimal(n) / 1600, "low": Decimal(n - 40) / 1600,
        "high": Decimal(n + 40) / 1600, "p": 0.0004, "p_adjusted": (None, 0.0004, 0.2)[n % 3],
        "method": "exact", "n": 40,
    })  # fmt: skip


def _add_run(rows: dict[str, list[dict[str, Any]]], i: int, day: datetime, sample: bool, only: str | None) -> None:
    benchmark = only or tuple(_SET)[i % 3]
    model = MODELS[i] if i < len(MODELS) else "seeded-random" if i in (5, 6, 7) else f"model-{i:03d}"
    kind = "baseline" if i in (5, 6, 7) else "human" if i == 8 else "model"
    run_id = f"model-{i}/{_SET[benchmark].replace('/', '-')}/{i:08x}"
    run = {"run_id": run_id}
    rows["run"].append(run | {
        "model": model, "dataset_id": _SET[benchmark], "modality": "multimodal" if i % 4 == 3 else "text",
        "format": "generated", "harness": "table", "language": {"k": "ja", "m": "it", "c": "en"}[benchmark[0]],
        "created_at": day, "sha256": "cd" * 32, "kind": kind, "is_sample": sample,
    })  # fmt: skip
    value = Decimal(900 - 4 * i) / 1000
    low, high = value - Decimal("0.03"), value + Decimal("0.04")
    metric, scale = ("exam_score", 60) if benchmark == "medschool" else ("score_share", 1)
    counts = dict.fromkeys(PREDICTION_STATUSES, 0) | {"answered": 33 - i % 5, "refused": i % 5, "unparsed": 7}
    rows["leaderboard"].append(run | {
        "benchmark": benchmark, "dataset_id": _SET[benchmark], "rank": i // 3 + 1, "rank_low": i // 3 + 1,
        "rank_high": i // 3 + 3, "model": model, "kind": kind, "metric": metric, "score": value * scale,
        "low": low * scale, "high": high * scale, "accuracy": value, "answered": counts["answered"], "abstained": 0,
        "refused": counts["refused"], "unparsed": 7, "n": 40, "is_sample": sample,
        "format": "generated", "modality": "text", "attempts": 1, "asked": 40, "questions": 40, "coverage": 1,
        "chance": Decimal("0.2"), "method": "bootstrap of the test",
        "examinees": Decimal("0.8388") if benchmark == "kokushi_md10" else None,
    })  # fmt: skip
    cases = ("production", "beta", "specialty:dermatology") if benchmark == "cognet_md" else ()
    for case in ("all", *cases):
        for name in (metric, "accuracy"):
            rows["benchmark_score"].append(run | {
                "ruleset": "official", "benchmark": benchmark, "use_case": case, "metric": name,
                "value": value * scale, "low": low * scale, "high": high * scale, "method": "test", "n": 40,
            })  # fmt: skip
    names = list(counts.items())
    answers = [status for status, n in names for _ in range(n)]
    for q, status in enumerate(answers):
        question_id = f"{_SET[benchmark]}/{q}"
        label = "ABCDE"[(q * 7 + i) % 5] if status == "answered" else None
        words = SECRET if benchmark == "cognet_md" else f"{ATTACK} Answer: {label}.</script> {'x' * 300 * (q == 3)}"
        answer = run | {"question_id": question_id, "attempt": 1}
        rows["prediction"].append(answer | {
            "status": status, "labels": label, "response": words, "evidence": f"Answer: {label}" if label else None,
        })  # fmt: skip
        for ruleset in RULESETS:
            rows["item_score"].append(answer | {
                "ruleset": ruleset, "points": Decimal({"B": "1.5", "A": "0.25"}.get(label or "", "0")),
                "max_points": Decimal("1.5"), "is_correct": label == "B", "counts": q != 5,
                "hits_forbidden": label == "E" and q % 7 == 0,
            })  # fmt: skip
    if benchmark == "medschool":
        for topic in TOPICS:
            rows["topic_score"].append(run | {
                "ruleset": "official", "topic": topic, "score": value, "low": low, "high": high, "method": "bootstrap",
                "accuracy": value, "n": 8,
            })  # fmt: skip
    if benchmark == "kokushi_md10":
        for name, _ in PROFESSIONS:
            for year in YEARS:
                _add_exam(rows, run | {"exam_id": f"kokushi_md10/{name}/{year}"}, (i + year) % 4, model)
        rows["rule_disagreement"].append(run | {
            "scope": "exam", "scope_id": "kokushi_md10/医師/2020", "attempt": 1, "official": "pass",
            "published": "fail", "cause": f"said by {model}",
        })  # fmt: skip


def _add_exam(rows: dict[str, list[dict[str, Any]]], exam: dict[str, Any], kind: int, model: str) -> None:
    passed = (True, False, False, None)[kind]
    for ruleset, verdict in (("official", passed), ("published", False)):
        for component, line in (("必修", 160), ("一般+臨床", 217), ("禁忌", 3), ("overall", None)):
            rows["exam_result"].append(exam | {
                "ruleset": ruleset, "component": component, "points": Decimal("168.500"), "max_points": 200,
                "threshold": line, "passed": verdict, "reason": f"必修 168.5 of 160 needed, {model}",
                "rule_status": "unverified" if kind == 2 else "sourced",
            })  # fmt: skip
    rows["pass_chance"].append(exam | {"passed": passed, "chance": Decimal("0.25"), "method": "resampled", "n": 40})


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


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.execute(sql).fetchall()


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
