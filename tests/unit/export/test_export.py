"""medexams export: what licences forbid, and the folder as a whole; formats are test_formats.py."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner

from pipelines.cli import main
from pipelines.cli.export import EXPORT_FORMATS
from pipelines.errors import MedexamsError, SettingsError
from pipelines.export import FORMATS, Options, Written, export
from pipelines.licences import terms
from pipelines.schema import TABLES, Column
from pipelines.store.checks import name_of
from tests.unit.export.conftest import QUESTION_FORMATS, SECRET, texts
from tests.unit.scoring_world import TIME

# ---- licences ----------------------------------------------------------------------------------------------------


def test_the_command_offers_every_format() -> None:
    assert tuple(FORMATS) == EXPORT_FORMATS


@pytest.mark.parametrize(
    ("licence", "open_"),
    [("Apache-2.0 (written for medexams)", True), ("MIT", True), ("CC BY 4.0", True), ("CC BY-NC-ND 4.0", False),
     ("CC BY-ND 4.0", False), ("none stated (public exam)", False), ("", False), ("MITRE terms", False)],
)  # fmt: skip
def test_a_licence_that_is_not_known_to_permit_sharing_permits_nothing(licence: str, open_: bool) -> None:
    assert (terms(licence).refusal is None) == open_


@pytest.mark.parametrize("form", QUESTION_FORMATS)
@pytest.mark.parametrize("closed", ["cognet_md/test", "medschool/mur-2024-07"])
def test_questions_of_a_closed_dataset_are_refused_with_the_reason(
    data: Path, tmp_path: Path, form: str, closed: str
) -> None:
    command = ["export", form, str(tmp_path / "out"), "--dataset", closed, "--data", str(data)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 1
    assert closed in done.output and "Still possible" in done.output and "--for-own-use" in done.output
    assert ("BY-NC-ND" if closed.startswith("cognet") else "no licence") in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", list(FORMATS))
def test_what_is_closed_stands_in_no_file_and_is_said(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, form: str
) -> None:
    written = export(form, con, tmp_path / "out", Options())
    said = texts(tmp_path / "out")
    assert SECRET not in said
    assert "/somebody/" not in said
    assert len(written.left_out) == 2 and any("BY-NC-ND" in line for line in written.left_out)
    if form not in QUESTION_FORMATS:
        assert "cognet_md/test" in written.datasets
    manifest = json.loads((tmp_path / "out/medexams-export.json").read_text())
    assert {f["path"] for f in manifest["files"]} | {"medexams-export.json"} == set(written.files)
    assert manifest["left_out"] == list(written.left_out)


@pytest.mark.parametrize("form", list(FORMATS))
def test_a_copy_for_own_use_holds_all_and_is_marked(con: duckdb.DuckDBPyConnection, tmp_path: Path, form: str) -> None:
    written = export(form, con, tmp_path / "out", Options(for_own_use=True))
    assert not written.left_out and set(written.not_to_share) == {"cognet_md/test", "medschool/mur-2024-07"}
    assert SECRET in texts(tmp_path / "out")
    assert "Do not publish" in (tmp_path / "out/NOT-FOR-SHARING.txt").read_text()
    if form in ("parquet", "jsonl", "croissant"):
        assert "**Not for sharing.**" in (tmp_path / "out/cognet_md-test/README.md").read_text()


def test_scores_without_questions_stay_possible(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("csv", con, tmp_path / "out", Options(datasets=("cognet_md/test",)))
    scores = pl.read_csv(tmp_path / "out/item_score.csv")
    assert scores["question_id"].unique().to_list() == ["cognet_md/test/1"]
    question = pl.read_csv(tmp_path / "out/question.csv")
    assert question["stem"].unique().to_list() == ["withheld: licence"] and len(question) == 2
    assert len(pl.read_csv(tmp_path / "out/choice.csv")) == 10
    assert (
        "Columns concerned: passage.text, question.stem, question.released_key, choice.text"
        in (tmp_path / "out/README.txt").read_text()
    )


def _secret_rows(con: duckdb.DuckDBPyConnection, dataset_id: str) -> list[str]:
    """A row in every table that can hold the text of questions, of a dataset, with SECRET in each such column."""
    words = dict.fromkeys(("dataset_id", "from_dataset", "to_dataset", "source"), dataset_id)
    words |= {"run_id": f"{dataset_id}/run", "question_id": f"{dataset_id}/q", "passage_id": f"{dataset_id}/p"}
    filled = []
    for name, table in TABLES.items():
        names = [c.name for c in table.columns if c.holds_question_text]
        if names or name == "run":
            values = words | dict.fromkeys(names, f"{SECRET} of {dataset_id}")
            given = {k: v for k, v in values.items() if k in table.column_names}
            named, marks = ", ".join(map(name_of, given)), ", ".join("?" * len(given))
            con.execute(f"insert into {name} ({named}) values ({marks})", [*given.values()])
            filled += [f"{name}.{c}" for c in names]
    return filled


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_every_column_that_may_repeat_a_question_is_held_back(tmp_path: Path, form: str) -> None:
    with duckdb.connect() as con:
        for table in [*TABLES.values()]:
            columns = ", ".join(f"{name_of(c.name)} {c.type}" for c in table.columns)
            con.execute(f"create table {table.name} ({columns})")
        for dataset_id, licence in (("a/open", "MIT"), ("b/closed", "CC BY-NC-ND 4.0")):
            values = (dataset_id, "medschool", "r", "t", "it", licence, "o", "0", TIME, 1, False)
            con.execute(
                "insert into dataset (dataset_id, benchmark, release, title, language, licence, origin, sha256, "
                f"fetched_at, n_questions, is_sample) values ({', '.join('?' * len(values))})",
                values,
            )
            filled = _secret_rows(con, dataset_id)
        export(form, con, tmp_path / "out", Options())
        said = texts(tmp_path / "out")
        open_ = [f for f in filled if not f.startswith("rejected_file.")]  # a file that can't be read is nobody's
        assert len(filled) > 15
        assert f"{SECRET} of b/closed" not in said
        assert form == "xlsx" or said.count(f"{SECRET} of a/open") == len(open_)


def test_a_new_text_column_is_held_back_until_it_is_stated_to_be_free(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(data / "medexams.duckdb", tmp_path / "copy.duckdb")
    for name in ("question", "exam"):  # exam: a table that does not tell the dataset of a row
        columns = (*TABLES[name].columns, Column("hint", "VARCHAR", "A new column.", nullable=True))
        monkeypatch.setitem(TABLES, name, dataclasses.replace(TABLES[name], columns=columns))
    with duckdb.connect(str(tmp_path / "copy.duckdb")) as con:
        for name in ("question", "exam"):
            con.execute(f"alter table {name} add column hint varchar; update {name} set hint = '{SECRET}'")
        export("csv", con, tmp_path / "out", Options())
    hints = dict(pl.read_csv(tmp_path / "out/question.csv").group_by("dataset_id").agg(pl.col("hint").unique()).rows())
    assert hints == {"cognet_md/test": [None], "medschool/mur-2024-07": [None],
                     "medschool/test": [SECRET], "kokushi_md10/test": [SECRET]}  # fmt: skip
    assert SECRET not in (tmp_path / "out/exam.csv").read_text()


# ---- the folder --------------------------------------------------------------------------------------------------


def test_an_earlier_export_is_replaced_as_a_whole_and_nothing_else_is(
    con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = export("jsonl", con, out, Options())
    assert isinstance(export("prompts", con, out, Options()), Written)
    assert not (out / "medschool-test").exists() and first.files and len(list(tmp_path.iterdir())) == 1
    foreign = tmp_path / "mine"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    with pytest.raises(MedexamsError, match="holds something other than the export"):
        export("jsonl", con, foreign, Options())
    assert (foreign / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("form", ["lm-eval", "csv"])
def test_what_a_person_put_into_an_export_is_never_deleted(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "out"
    export(form, con, out, Options())
    results = out / "results" / "model" / "samples.jsonl"
    results.parent.mkdir(parents=True)
    results.write_text("a night's work")
    with pytest.raises(MedexamsError, match=r"results/model/samples\.jsonl, which is not part of the export"):
        export(form, con, out, Options())
    assert results.read_text() == "a night's work"
    shutil.rmtree(out / "results")
    written = next(p for p in sorted(out.iterdir()) if p.suffix in (".yaml", ".csv"))
    written.write_text("corrected by hand")
    with pytest.raises(MedexamsError, match="was changed since the export was written"):
        export(form, con, out, Options())
    assert written.read_text() == "corrected by hand"
    written.unlink()
    (out / "__pycache__").mkdir()
    (out / "__pycache__" / "utils.pyc").write_bytes(b"")  # as a harness leaves it
    assert export(form, con, out, Options()).files


def test_a_failed_export_leaves_the_earlier_one(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    export("jsonl", con, out, Options())
    before = texts(out)

    def breaks(what: str, done: int, total: int | None) -> None:
        if done:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        export("prompts", con, out, Options(progress=breaks))
    assert texts(out) == before and [p.name for p in tmp_path.iterdir()] == ["out"]


def test_wrong_names_are_wrong_usage(con: duckdb.DuckDBPyConnection, data: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no dataset 'nothing/here'; it holds cognet_md/test"):
        export("jsonl", con, tmp_path / "out", Options(datasets=("nothing/here",)))
    with pytest.raises(SettingsError, match="not one of the formats parquet"):
        export("pdf", con, tmp_path / "out", Options())
    done = CliRunner().invoke(main, ["export", "pdf", str(tmp_path / "out"), "--data", str(data)])
    assert done.exit_code == 2


def test_the_command_says_what_was_written(data: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["export", "jsonl", str(tmp_path / "out"), "--data", str(data)])
    assert done.exit_code == 0, done.output
    assert "left out: cognet_md/test can't be exported as jsonl: CC BY-NC-ND 4.0" in done.output
    assert "5 files of kokushi_md10/test, medschool/test written to" in done.output
