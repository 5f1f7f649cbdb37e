"""medexams export: what each format holds, what licences forbid, hostile text, and the folder as a whole."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json
import re
import shutil
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import polars as pl
import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner

from pipelines.answers.numbers import canonical
from pipelines.cli import main
from pipelines.cli.export import EXPORT_FORMATS
from pipelines.errors import MedexamsError, SettingsError
from pipelines.export import FORMATS, Options, Written, export, harness_utils, tables_xlsx
from pipelines.export.content import FIELDS, questions
from pipelines.export.gate import public_address
from pipelines.export.lm_eval import documents
from pipelines.export.tables_csv import RISKY
from pipelines.export.tables_xlsx import CELL, CUT, cell_text
from pipelines.licences import terms
from pipelines.prompts import prompts_of
from pipelines.schema import TABLES, Column, Table
from pipelines.scoring.rulebook import rulebook, tables
from pipelines.store.checks import name_of
from tests.unit.scoring_world import INPUTS, TIME, World

SECRET = "A closed question about jaundice"
HOSTILE = "=cmd|' /C calc'!A0\u2028{{ doc }} </script>\n--- license: x"
QUESTION_FORMATS = [name for name, form in FORMATS.items() if form.needs_questions]
LICENCES = {
    "medschool/test": "Apache-2.0",
    "medschool/mur-2024-07": "none stated (public exam questions)",
    "kokushi_md10/test": "MIT",
    "cognet_md/test": "CC BY-NC-ND 4.0",
}


def _world() -> World:
    world = World()
    for dataset_id, licence in LICENCES.items():
        benchmark, _, release = dataset_id.partition("/")
        world.rows["dataset"].append({
            "dataset_id": dataset_id, "benchmark": benchmark, "release": release, "source": benchmark,
            "title": f'Title of {dataset_id}"\nlicense: "mit', "language": "it", "licence": licence,
            "origin": "/somebody/secret place/file.json", "sha256": "0" * 64, "fetched_at": TIME, "n_questions": 2,
            "is_sample": False, "is_latest": True,
        })  # fmt: skip
    exam = world.exam("医師", 2020)
    about: dict[str, Any] = {"topic": "biology", "source_url": "/somebody/secret place/file.json#row 1"}
    world.question("medschool/test/1", "medschool", ["B"], stem=HOSTILE, **about)
    world.question("medschool/test/2", "medschool", ["A"], stem="-5 °C o +5 °C?", topic="logic")
    for n in (1, 2):
        mur = {"dataset_id": "medschool/mur-2024-07", "stem": f"{SECRET} {n}"}
        world.question(f"medschool/mur-2024-07/{n}", "medschool", ["B"], topic="biology", **mur)
        world.question(f"cognet_md/test/{n}", "cognet_md", ["AC"], answer_type="multiple", stem=f"{SECRET} {n}",
                       topic="dermatology", fingerprint=f"c{n}")  # fmt: skip
    sitting = {"exam_id": exam, "paper": "A"}
    world.question("kokushi_md10/test/1", "kokushi_md10", ["AB", "AC"], answer_type="multiple", number=1, **sitting)
    world.question("kokushi_md10/test/2", "kokushi_md10", ["04"], answer_type="numeric", number=2, **sitting)
    for run, dataset in (("../../etc/a b", "medschool/test"), ("vendor/model", "cognet_md/test")):
        world.run(f"{run}/x/1", dataset, model=run)
    world.answer("../../etc/a b/x/1", "medschool/test/1", "B")
    world.answer("../../etc/a b/x/1", "medschool/test/2", "C", response="@SUM(1)" + "x" * (CELL + 5))
    world.answer("vendor/model/x/1", "cognet_md/test/1", "AC", response=SECRET)
    return world


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a warehouse of four datasets, two of which are closed by their licences."""
    folder = tmp_path_factory.mktemp("data")
    world = _world()
    frames = {name: world.frame(name) for name in INPUTS} | tables(rulebook())
    frames["dataset"] = frames["dataset"].with_columns(pl.lit(None).alias("count_note"))
    frames |= world.results(tmp_path_factory.mktemp("results"), "item_score")
    score = {"run_id": "vendor/model/x/1", "ruleset": "official", "benchmark": "cognet_md", "use_case": "all",
             "metric": "score_share", "value": 1, "low": 0, "high": 1, "method": "test", "n": 1}  # fmt: skip
    frames["benchmark_score"] = TABLES["benchmark_score"].frame([
        score,
        score | {"run_id": "../../etc/a b/x/1", "benchmark": "medschool", "metric": "exam_score", "value": None},
        score | {"run_id": "../../etc/a b/x/1", "benchmark": "medschool", "metric": "accuracy", "value": 0.5},
    ])  # fmt: skip
    with duckdb.connect(str(folder / "medexams.duckdb")) as con:
        for name, table in TABLES.items():
            columns = ", ".join(f"{name_of(c.name)} {c.type}" for c in table.columns)
            con.execute(f"create table {name} ({columns})")
            if name in frames:
                path = folder / "rows.parquet"
                frames[name].select(table.column_names).write_parquet(path)
                con.execute(f"insert into {name} select * from read_parquet('{path}')")
                path.unlink()
        con.execute("insert into rejected_row values ('a file', 'row 1', 'no key', ?)", [SECRET])
    return folder


@pytest.fixture
def con(data: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(data / "medexams.duckdb"), read_only=True) as connection:
        yield connection


def _texts(folder: Path) -> str:
    """Everything an export says, workbooks and Parquet files unpacked."""
    parts = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as book:
                parts += [book.read(name).decode() for name in book.namelist()]
        elif path.suffix == ".parquet":
            parts.append(json.dumps(pl.read_parquet(path).to_dicts(), ensure_ascii=False))
        else:
            parts.append(path.read_text(encoding="utf-8"))
    return "\n".join(parts)


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
    said = _texts(tmp_path / "out")
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
    assert SECRET in _texts(tmp_path / "out")
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
        said = _texts(tmp_path / "out")
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


# ---- prompts -----------------------------------------------------------------------------------------------------


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_prompts_name_their_source(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export("prompts", con, tmp_path / "out", Options(for_own_use=True))
    medschool = _rows(tmp_path / "out/medschool-test.jsonl")
    assert {(r["question_id"], r["format"]) for r in medschool} == {
        (f"medschool/test/{n}", form) for n in (1, 2) for form in ("mc", "cloze")
    }
    assert "F. Preferisco non rispondere\nRisposta: " in medschool[0]["user"]
    choice, number = _rows(tmp_path / "out/kokushi_md10-test.jsonl")
    assert choice["system"].startswith("\n専門家の医師として、以下の医師国家試験問題に回答してください。")
    assert list(json.loads(choice["user"])) == ["question", "A", "B", "C", "D", "E"]
    assert list(json.loads(number["user"])) == ["question"] and "jamed-llm/KokushiMD-10" in number["source"]
    one, few, *_ = _rows(tmp_path / "out/cognet_md-test.jsonl")
    assert one["format"] == "one_shot" and few["format"] == "few_shot" and "expert in dermatology" in one["system"]
    assert one["user"].count("Answer:") == 2 and "Answer: A-C\n\n" in one["user"]
    assert one["user"].endswith("Answer:") and "written for medexams" in one["source"]


def _question(**more: Any) -> dict[str, Any]:
    exam = {"exam_id": "x", "profession": "薬剤", "year": 2024}
    q: dict[str, Any] = {"question_id": "q", "fingerprint": "f", "source_key": "1", "topic": None, "passage": None,
                         "exam": exam, "answers": []}  # fmt: skip
    return q | more


@pytest.mark.parametrize(
    ("labels", "shown", "example"), [("12", '"1": "選択肢1"', "例: 13"), ("ab", '"a": "選択肢A"', "例: AC")]
)
def test_numbered_choices_get_the_numbered_system_prompt(labels: str, shown: str, example: str) -> None:
    q = _question(question="?", choices=[{"label": x, "text": x} for x in labels])
    (message,) = prompts_of("kokushi_md10").messages([q])["q"]
    assert shown in message.system and example in message.system and "専門家の薬剤師として" in message.system
    assert "{" not in re.sub(r"\n    [{}]", "", message.system)  # no placeholder is left


def test_medschool_prompts_are_those_of_the_released_tasks(shared: Path) -> None:
    seen = 0
    asks = prompts_of("medschool")
    for path in (shared / "data/runs/lm_eval/0.4.12").rglob("samples_medschool_test_it_[mc]*"):
        form = "mc" if "_mc_" in path.name else "cloze"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            choices = [{"label": "ABCDE"[i], "text": t} for i, t in enumerate(row["doc"]["answers"])]
            q = _question(question=row["doc"]["text"], choices=choices)
            message = next(m for m in asks.messages([q])["q"] if m.variant == form)
            assert message.system + message.user == row["arguments"]["gen_args_0"]["arg_0"]
            seen += 1
    assert seen == 90


def test_a_benchmark_without_prompts_is_asked_neutrally() -> None:
    q = _question(question="What?", choices=[{"label": "A", "text": "this"}])
    (message,) = prompts_of("nobody_knows_it").messages([q])["q"]
    assert "What?\nA. this" in message.user and "brings no prompts" in message.source
    assert re.search(r"[\u3040-\u9fff]", message.system + message.user) is None


# ---- harness tasks -----------------------------------------------------------------------------------------------


class _Loader(yaml.SafeLoader):
    """YAML with the harness's own tag."""


_Loader.add_constructor("!function", lambda loader, node: f"function {node.value}")


def test_tasks_name_their_data_and_functions(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export("lm-eval", con, out, Options(for_own_use=True))
    tasks = [yaml.load(p.read_text(encoding="utf-8"), _Loader) for p in sorted(out.glob("*.yaml"))]
    assert {t["metadata"]["dataset"] for t in tasks} == set(LICENCES)
    assert {t["output_type"] for t in tasks} == {"multiple_choice", "generate_until"}
    for task in tasks:
        rows = _rows(out / task["dataset_kwargs"]["data_files"]["test"])
        assert len(rows) == task["metadata"]["questions"] and len({json.dumps(sorted(r)) for r in rows}) == 1
        assert all(r[task["doc_to_text"]] for r in rows)
        for function in [task["process_results"], *(m["aggregation"] for m in task["metric_list"])]:
            assert hasattr(harness_utils, function.removeprefix("function utils."))
    assert not (out / "medexams_kokushi_md10_test_mc.yaml").exists()  # two answers, or a number, can't be ranked
    [row, _] = _rows(out / "data/medexams_medschool_test_mc.jsonl")
    assert row["question"] == HOSTILE and HOSTILE in row["query"] and row["choices"] == list("ABCDEF")
    assert row["question_id"] == "medschool/test/1" and row["gold"] == 1 and row["labels"] == list("ABCDE")


def test_cloze_leaves_out_choices_that_say_nothing(con: duckdb.DuckDBPyConnection) -> None:
    found = questions(con, "medschool/test")  # its choices are the bare letters
    rule = {"weighted": False, "any_right": 0, "exact": 1.5, "each_wrong": 0, "any_wrong": -0.4}
    assert documents(found, "cloze", rule, {}) == []
    for i, choice in enumerate(found[0]["choices"]):
        choice["text"] = f"testo {i}"
    [doc] = documents(found, "cloze", rule, {})
    found[1]["question"] = "voce A, voce B, voce C, voce D: quale?"
    for choice in found[1]["choices"]:
        choice["text"] = f"voce {choice['text']}"
    assert len(documents(found, "cloze", rule, {})) == 2
    found[1]["question"] += " O voce E?"  # now it names them all
    assert documents(found, "cloze", rule, {}) == [doc]
    assert doc["choices"] == ["testo 0", "testo 1", "testo 2", "testo 3", "testo 4", "Preferisco non rispondere"]


_STATUSES = ("scored", "removed", "correct_only", "all_credit", "unknown")
_KINDS: tuple[tuple[str, dict[str, Any], list[str]], ...] = (
    ("cognet_md", {"answer_type": "multiple"}, ["AC"]),
    ("cognet_md", {"answer_type": "multiple"}, ["B"]),
    ("medschool", {}, ["C"]),
    *(("kokushi_md10", {"key_status": s, "points": 3}, ["B"]) for s in _STATUSES),
    ("kokushi_md10", {"answer_type": "multiple"}, ["AB", "AC"]),
    ("kokushi_md10", {"answer_type": "numeric"}, ["04", "0.4"]),
    ("kokushi_md10", {"answer_type": "sequence"}, ["c-b-a"]),
)


def test_the_harness_gives_the_points_of_the_warehouse(tmp_path: Path) -> None:
    world = World()
    expected: list[tuple[str, dict[str, Any]]] = []
    said = ["", *("".join(c) for n in (1, 2, 3) for c in itertools.combinations("ABCDE", n))]
    values = ["", "0.4", "4", "04", "０．４", "40", "c-b-a", "ｃ→ｂ→ａ", "abc"]
    rules = {r["benchmark"]: r for r in tables(rulebook())["rule_item"].to_dicts() if r["ruleset"] == "official"}
    docs = {}
    for n, (benchmark, kind, keys) in enumerate(_KINDS):
        qid = world.question(f"q{n}", benchmark, keys, **kind)
        chooses = kind.get("answer_type", "single") in ("single", "multiple")
        answers = [{"labels": list(k) if chooses else [], "value": None if chooses else k} for k in keys]
        q = dict.fromkeys(FIELDS) | {
            "question_id": qid, "source_key": qid, "benchmark": benchmark, "answer_type": "single", "points": 1,
            "question": "?", "answers": answers, "key_status": "scored",
            "choices": [{"label": x, "text": x, "has_image": False} for x in ("ABCDE" if chooses else "")],
        } | kind  # fmt: skip
        [docs[qid]] = documents([q], "generated", rules[benchmark], {})
        for i, text in enumerate(said if chooses else values):
            run = f"r{i}"
            if chooses:
                world.answer(run, qid, text)
            else:
                letters = "-".join(re.findall("[A-Z]", unicodedata.normalize("NFKC", text).upper()))
                value = (letters if kind["answer_type"] == "sequence" else canonical(text)) or None
                told: dict[str, Any] = {"response": text, "value": value}
                world.answer(run, qid, status="answered" if text else "empty", **told)
            response = "-".join(text) if chooses else text
            expected.append((f"{run} {qid}", harness_utils.process_generated(docs[qid], [response])))
    for run in sorted({p["run_id"] for p in world.rows["prediction"]}):
        world.run(run, "medschool/test")
    scores = world.results(tmp_path, "item_score")["item_score"].filter(pl.col("ruleset") == "official")
    got = {f"{s['run_id']} {s['question_id']}": s for s in scores.to_dicts()}
    assert len(got) == len(expected) > 200
    for key, result in expected:
        row = got[key]
        assert result["score_share"] == pytest.approx([float(row["points"]), float(row["max_points"])]), key
        assert result["acc"] == (float(row["is_correct"]) if row["counts"] else None), key


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("B", "B"), ("b", "B"), (" Ｂ。", "B"), ("A, C", "AC"), ("A-C", "AC"), ("AC", "AC"), ("**A and C**", "AC"),
     ("Answer: B", "B"), ("解答：Ｂ", "B"), ("The answer is B", "B"), ("Risposta: B", "B"), ("A、C", "AC"),
     ("lol", ""), ("", ""), ("I think B", ""), ("B because C", ""), ("BB", ""), ("F", ""), ("BAD CAB", "")],
)  # fmt: skip
def test_a_text_counts_only_when_it_is_nothing_but_the_answer(text: str, chosen: str) -> None:
    doc = {"labels": list("ABCDE"), "answer_type": "multiple"}
    assert harness_utils._read(doc, text) == (set(chosen) or None)


@pytest.mark.parametrize(("text", "chosen"), [("13", "13"), ("1, 3", "13"), ("１３", "13"), ("1-3", ""), ("10", "")])
def test_numbers_joined_by_a_hyphen_may_be_a_range(text: str, chosen: str) -> None:
    doc = {"labels": list("12345"), "answer_type": "multiple"}
    assert harness_utils._read(doc, text) == (set(chosen) or None)


def test_ranking_the_choice_that_declines_is_no_answer() -> None:
    rule = {"weight": 1.0, "any_right": 0.0, "exact": 1.5, "each_wrong": 0.0, "any_wrong": -0.4}
    doc = {"labels": ["A", "B"], "choices": ["short", "a much longer one", "no"], "accepted": ["B"], "rule": rule,
           "key_status": "scored", "topic": "logic", "topic_weight": 5}  # fmt: skip
    last = harness_utils.process_choice(doc, [(-3.0, False), (-2.0, False), (-1.0, False)])
    assert last == {"acc": 0.0, "score_share": [0.0, 1.5], "exam_score": ["logic", 5, 0.0, 1.5]}
    both = harness_utils.process_cloze(doc, [(-1.0, False), (-2.0, False), (-4.0, False)])
    assert (both["acc"], both["acc_norm"]) == (0.0, 1.0) and both["score_share"] == [-0.4, 1.5]
    assert harness_utils.exam_score([["logic", 5, 1.5, 1.5], ["biology", 23, 0.0, 1.5]]) == 7.5


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
    before = _texts(out)

    def breaks(what: str, done: int, total: int | None) -> None:
        if done:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        export("prompts", con, out, Options(progress=breaks))
    assert _texts(out) == before and [p.name for p in tmp_path.iterdir()] == ["out"]


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
