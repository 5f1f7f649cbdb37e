"""Exported files, format by format: what each holds, and what becomes of hostile text."""

from __future__ import annotations

import csv
import itertools
import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import polars as pl
import pytest
import yaml  # type: ignore[import-untyped]

from pipelines.errors import SettingsError
from pipelines.export import Options, export, tables_xlsx
from pipelines.export.content import FIELDS, questions
from pipelines.export.gate import public_address
from pipelines.export.tables_csv import RISKY
from pipelines.export.tables_xlsx import CELL, CUT, cell_text
from pipelines.schema import TABLES, Column, Table
from pipelines.store.checks import name_of
from tests.unit.export.conftest import HOSTILE, LICENCES

# ---- what each format holds --------------------------------------------------------------------------------------


def test_parquet_and_jsonl_hold_the_same_questions(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for form in ("parquet", "jsonl"):
        export(form, con, tmp_path / form, Options(datasets=("medschool/test", "kokushi_md10/test")))
    for slug, dataset_id in (("medschool-test", "medschool/test"), ("kokushi_md10-test", "kokushi_md10/test")):
        lines = (tmp_path / f"jsonl/{slug}/data/test.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        assert (
            rows
            == questions(con, dataset_id)
            == pl.read_parquet(tmp_path / f"parquet/{slug}/data/*.parquet").to_dicts()
        )
        assert all(list(row) == list(FIELDS) for row in rows)
    first, number = rows
    assert first["exam"]["profession"] == "医師" and len(first["choices"]) == 5
    assert [a["labels"] for a in first["answers"]] == [["A", "B"], ["A", "C"]]
    assert number["answers"] == [{"labels": [], "value": "04"}] and number["choices"] == []


def test_the_card_is_read_by_a_hub_whatever_the_title_says(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("parquet", con, tmp_path / "out", Options(datasets=("kokushi_md10/test",)))
    head = (tmp_path / "out/kokushi_md10-test/README.md").read_text(encoding="utf-8").split("---\n")[1]
    meta = yaml.safe_load(head)
    assert meta["license"] == "mit" and meta["language"] == ["it"] and meta["size_categories"] == ["n<1K"]
    assert meta["pretty_name"].startswith("Title of kokushi_md10/test")
    [config] = meta["configs"]
    assert (tmp_path / "out/kokushi_md10-test" / config["data_files"][0]["path"]).exists()


def test_croissant_names_every_file_and_field(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("croissant", con, tmp_path / "out", Options(benchmark="kokushi_md10"))
    folder = tmp_path / "out/kokushi_md10-test"
    about = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert about["conformsTo"] == "http://mlcommons.org/croissant/1.0" and about["@type"] == "sc:Dataset"
    required = {"@context", "name", "description", "license", "url", "creator", "datePublished", "distribution"}
    assert required <= set(about)
    files = {f["@id"]: f for f in about["distribution"]}
    assert set(files) == {"questions.jsonl", "choices.jsonl", "answers.jsonl"}
    for records in about["recordSet"]:
        rows = [json.loads(x) for x in (folder / f"{records['name']}.jsonl").read_text(encoding="utf-8").splitlines()]
        names = [f["source"]["extract"]["column"] for f in records["field"]]
        assert rows and all(sorted(row) == sorted(names) for row in rows)


def test_records_of_runs_have_what_the_schema_requires(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("every-eval-ever", con, tmp_path / "out", Options())
    found = sorted(p for p in (tmp_path / "out/data").rglob("*.json"))
    assert len(found) == 2 and all(p.resolve().is_relative_to(tmp_path / "out/data") for p in found)
    closed, opened = (json.loads(p.read_text()) for p in found)
    assert closed["model_info"]["id"] == "vendor/model" and "detailed_evaluation_results" not in closed
    assert [r["metric_config"]["metric_name"] for r in opened["evaluation_results"]] == [
        "accuracy"
    ]  # the null is left out
    share = closed["evaluation_results"][0]["metric_config"]
    assert (share["min_score"], share["max_score"]) == (-1.5, 1.0)  # three wrong choices of half a point each
    samples = tmp_path / "out" / opened["detailed_evaluation_results"]["file_path"]
    rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").split("\n") if line]
    assert [(r["sample_id"], r["evaluation"]["score"]) for r in rows] == [
        ("medschool/test/1", 1.5), ("medschool/test/2", -0.4)
    ]  # fmt: skip
    assert rows[0]["input"]["reference"] == ["B"] and rows[0]["evaluation_id"] == opened["evaluation_id"]


# ---- tables, and hostile text ------------------------------------------------------------------------------------


def test_csv_is_reversible_and_runs_nothing(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("csv", con, tmp_path / "out", Options())
    for path in (tmp_path / "out").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert tuple(header) == TABLES[path.stem].column_names
        for cell in itertools.chain.from_iterable(rows):
            assert not re.match(r"[=+\-@＝＋－＠\t\r\n]", cell) or re.fullmatch(r"-?[0-9.]+", cell), cell
    with (tmp_path / "out/question.csv").open(encoding="utf-8", newline="") as file:
        stems = {r["question_id"]: r["stem"] for r in csv.DictReader(file)}
    for key, stem in (("medschool/test/1", HOSTILE), ("medschool/test/2", "-5 °C o +5 °C?")):
        assert stems[key] == f"'{stem}" and re.match(RISKY, stems[key]) and stems[key][1:] == stem
    assert (tmp_path / "out/answer_key.csv").read_text().count(",04") == 1  # a number is no formula


def _sheet(path: Path, name: str) -> list[list[str | None]]:
    """The cells of a sheet as text, read from the file's XML; a formula is an error."""
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as book:
        names = [
            s.get("name") for s in ElementTree.fromstring(book.read("xl/workbook.xml")).iterfind(".//m:sheet", space)
        ]
        root = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{names.index(name) + 1}.xml"))
        assert not any("_rels" in n and "sheet" in n for n in book.namelist())  # no links
    assert root.find(".//m:f", space) is None
    return [
        [c.findtext("m:is/m:t", None, space) or c.findtext("m:v", None, space) for c in row.iterfind("m:c", space)]
        for row in root.iterfind(".//m:row", space)
    ]


def test_xlsx_holds_text_as_text_and_cuts_what_no_cell_holds(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("xlsx", con, tmp_path / "out", Options())
    book = tmp_path / "out/medexams.xlsx"
    assert HOSTILE in [c for row in _sheet(book, "question") for c in row]
    cells = [c for row in _sheet(book, "prediction") for c in row if c]
    [long] = [c for c in cells if c.startswith("@SUM(1)")]
    assert len(long) == CELL and long.endswith(CUT)
    assert [row[0] for row in _sheet(book, "dataset")[1:]] == sorted(LICENCES)
    assert len(_sheet(book, "item_score")) == 1 + 3 * 2
    assert cell_text("😀" * CELL).endswith(CUT) and len(cell_text("😀" * CELL).encode("utf-16-le")) <= 2 * CELL


def test_xlsx_holds_the_values_of_every_table(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("xlsx", con, tmp_path / "out", Options(for_own_use=True))
    with zipfile.ZipFile(tmp_path / "out/medexams.xlsx") as book:
        for part in book.namelist():
            root = ElementTree.fromstring(book.read(part))
            numbers = [int(row.get("r", 0)) for row in root.iter() if row.tag.endswith("}row")]
            assert numbers == list(range(1, len(numbers) + 1)), part
    for name, table in TABLES.items():
        cells = [
            f"(epoch({name_of(c.name)}) / 86400 + 25569)::varchar" if c.type == "TIMESTAMP"
            else f"{name_of(c.name)}::int::varchar" if c.type == "BOOLEAN" else f"{name_of(c.name)}::varchar"
            for c in table.columns
        ]  # fmt: skip
        order = f" order by {', '.join(map(name_of, table.key))}" if table.key else ""
        rows = con.execute(f"select {', '.join(cells)} from {name}{order}").fetchall()
        if name in ("dataset", "question", "prediction"):  # without the paths of a machine; cut
            assert len(_sheet(tmp_path / "out/medexams.xlsx", name)) == 1 + len(rows)
            continue
        shown = [[v for v in row if v] for row in _sheet(tmp_path / "out/medexams.xlsx", name)[1:]]
        assert shown == [[v for v in row if v] for row in rows], name


def test_xlsx_of_text_that_xml_or_excel_would_take_otherwise(tmp_path: Path) -> None:
    odd = "a\x00b\x1f _x0041_ _x & <b> \r\n\ufffe 😀"
    table = Table("odd", "scores", "Odd.", (Column("text", "VARCHAR", ""), Column("real", "DOUBLE", "", nullable=True)))
    with duckdb.connect() as con:
        con.execute("create table odd as select unnest(['?', null]) as text, unnest([1e-7, 'inf'::double]) as real")
        con.execute("update odd set text = ? where text = '?'", [odd])
        con.create_function("cell_text", cell_text, ["VARCHAR"], "VARCHAR")
        first, second = tables_xlsx._rows(con, tables_xlsx.View(table, "select * from odd", 2))
    cell = ElementTree.fromstring(first).findtext("c/is/t")
    assert cell == "a\ufffdb\ufffd _x005F_x0041_ _x & <b> \r\n\ufffd 😀"
    assert ElementTree.fromstring(first).findtext("c/v") == "1e-07"
    assert second == '<row r="3"><c r="B3" t="e"><v>#NUM!</v></c></row>'


def test_csv_for_excel_begins_with_a_byte_order_mark(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for name, options in (("plain", Options()), ("excel", Options(for_excel=True))):
        export("csv", con, tmp_path / name, options)
    for path in (tmp_path / "plain").glob("*.csv"):
        marked = (tmp_path / "excel" / path.name).read_bytes()
        assert marked == b"\xef\xbb\xbf" + path.read_bytes(), path.name
    with pytest.raises(SettingsError, match="only csv"):
        export("xlsx", con, tmp_path / "book", Options(for_excel=True))


@pytest.mark.parametrize(
    ("origin", "shown"),
    [("https://host/a b?c#d", "https://host/a b?c#d"), ("bundled sample", "bundled sample"),
     ("/a/b/file.json#row 1/2", "local copy of file.json#row 1/2"), ("C:\\a\\file.csv", "local copy of file.csv"),
     ("/a/folder/", "local copy of folder")],
)  # fmt: skip
def test_an_origin_names_no_path_of_a_machine(origin: str, shown: str) -> None:
    assert public_address(origin) == shown
