"""Files as people have them: key columns beside answers, orders shown, encodings, workbooks, stand-ins, sizes."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
import xlsxwriter  # type: ignore[import-untyped]

from pipelines.errors import Unreadable
from pipelines.runs.formats import openai_batch
from pipelines.runs.matching import Match, Question
from pipelines.runs.parsed import Ask, File, Prediction
from pipelines.runs.responses import read_responses
from pipelines.runs.shown import ask_of, bare, in_prompt, prompt_of, unranked
from pipelines.text import readers
from pipelines.text.limits import Limits
from tests.unit.test_runs_importer import STEM, A, B, jsonl, one, picked, read, reasons

TOLD = {"model": "m", "question_id": f"{A}/1"}


# ---- the column of the answer ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    ["model_answer", "output", "Generated Text", "llm_response", "predicted_answer", "completion", "final_answer"],
)
def test_a_models_own_column_makes_answer_the_key(column: str) -> None:
    found = one({**TOLD, "answer": "A", column: "B", "is_correct": False, "latency_s": 1.2, "notes": "by hand"})
    assert picked(found) == {f"{A}/1": "B"} and [r["model"] for r in found.run] == ["m"]
    assert column in found.run[0]["description"] and "answer" in found.run[0]["description"]


def test_two_columns_that_could_each_be_the_key_are_refused_and_named() -> None:
    (why,) = [r["reason"] for r in one({**TOLD, "answer": "A", "hypothesis": "B"}).rejected_file]
    assert "answer" in why and "hypothesis" in why
    assert picked(one({**TOLD, "answer": "A", "explanation": "A is right", "confidence": 0.9})) == {f"{A}/1": "A"}


def test_columns_named_by_models_are_a_run_each() -> None:
    row = {"question_id": f"{A}/1", "answer": "C", "gpt-4o_answer": "A", "gemini answer": "B"}
    found = read({"x/wide.jsonl": jsonl(row)})
    assert sorted((r["model"], p["labels"]) for r, p in zip(found.run, found.prediction, strict=True)) == [
        ("gemini", "B"), ("gpt-4o", "A"),
    ]  # fmt: skip


def test_an_answer_may_be_a_list_of_labels() -> None:
    assert picked(one({**TOLD, "prediction": ["A"]})) == {f"{A}/1": "A"}
    assert "list of labels" in one({**TOLD, "prediction": {"a": 1}}).rejected_file[0]["reason"]


def test_an_error_is_one_where_the_response_is_empty() -> None:
    states = [
        one({**TOLD, "response": said, "error": fault}).prediction[0]
        for said, fault in (("", "timed out"), ("ERROR", "timed out"), ("A", "slow"), ("A", "None"), ("", "nan"))
    ]
    assert [p["status"] for p in states] == ["error", "error", "answered", "answered", "empty"]
    assert states[0]["evidence"] == "timed out"


# ---- evidence ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "...", "il", "polmone", "N/A"])
def test_a_text_that_says_nothing_matches_nothing(text: str) -> None:
    found = one({"dataset": A, "id": "1", "question": text, "prediction": "A"})
    assert not found.prediction and len(found.unmatched_prediction) == 1


def test_choices_that_differ_refuse_the_match() -> None:
    others = ["uno", "due", "tre"]
    for named in ({"question_id": f"{A}/1"}, {"dataset": A, "id": "1"}):
        found = one({**named, "choices": others, "prediction": "A"})
        assert not found.prediction and "other choices" in reasons(found)[0]


def test_a_whole_id_in_any_column_is_one_and_an_unknown_one_is_told_what_there_is() -> None:
    assert picked(one({"id": f"{B}/9", "prediction": "A"})) == {f"{B}/9": "A"}
    assert f"the nearest is {B}/9" in reasons(one({"id": f"{B}/10", "prediction": "A"}))[0]
    assert (
        "the dataset medschool/nope is not in the warehouse"
        in reasons(one({"question_id": "medschool/nope/9", "prediction": "A"}))[0]
    )


# ---- what the model was shown --------------------------------------------------------------------------------------

OWN = ("Diaframma", "Pleura", "Peritoneo")


@pytest.mark.parametrize(
    ("style", "labels"),
    [("{}. {}", "ABC"), ("({}) {}", "abc"), ("{}: {}", "123"), ("{}. {}", "012"), ("**{}.** {}", "ABC"),
     ("Opzione {}: {}", "ABC")],
)  # fmt: skip
def test_the_order_of_the_prompt_wins_over_the_datasets(style: str, labels: str) -> None:
    shown = [OWN[2], OWN[0], OWN[1]]
    prompt = f"{STEM}\n" + "\n".join(style.format(x, t) for x, t in zip(labels, shown, strict=True)) + "\nRisposta:"
    assert in_prompt(prompt, OWN)[1] == tuple(shown)


def test_a_prompt_that_lists_something_else_or_nothing_changes_no_order() -> None:
    assert in_prompt("A. rosso\nB. verde\nC. blu\n", OWN) == ((), OWN)
    assert in_prompt(f"{STEM} Peritoneo? Rispondi.", OWN) == ((), OWN)
    assert in_prompt(None, OWN) == ((), OWN)


def test_prompts_are_texts_or_messages_also_as_json() -> None:
    turns = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "last"},
    ]
    assert prompt_of(turns) == prompt_of(json.dumps(turns)) == prompt_of({"messages": turns}) == "last"
    assert prompt_of([{"role": "HUMAN", "prompt": "asked"}]) == "asked"
    assert prompt_of("[1] a plain text") == "[1] a plain text"
    assert prompt_of([{"role": "user", "content": [{"type": "image", "image": "x"}]}]) == ""


@pytest.mark.parametrize(
    "labels", ["A B C", "a b c", "(A) (B) (C)", '"A" "B" "C"', "0 1 2", "1. 2. 3.", "ア イ ウ", "«A» «B» «C»"]
)
def test_labels_in_order_are_no_texts(labels: str) -> None:
    assert bare(labels.split()) and not bare([*labels.split(), "text"]) and not bare(["B", "A"])


def test_log_likelihoods_that_rank_nothing() -> None:
    inf = float("inf")
    assert [bool(unranked(s)) for s in ([-inf, -inf], [float("nan"), -1.0], [-2.0, -2.0], [-inf, -1.0])] == [1, 1, 1, 0]


# ---- bytes ---------------------------------------------------------------------------------------------------------


def table(rows: Sequence[Sequence[Any]], above: Sequence[Sequence[Any]] = ()) -> bytes:
    """A workbook with a sheet of notes, then one with the rows below some others."""
    body = io.BytesIO()
    book = xlsxwriter.Workbook(body, {"in_memory": True})
    book.add_worksheet("notes").write_column(0, 0, ["made by hand", "twice"])
    sheet = book.add_worksheet("predictions")
    for i, row in enumerate([*above, *rows]):
        sheet.write_row(i, 0, row)
    book.close()
    return body.getvalue()


def test_a_workbook_is_read_from_the_sheet_that_holds_the_table() -> None:
    rows: list[list[Any]] = [["model", "dataset", "id", "prediction"], ["m", A, 1, "A"], ["m", A, 4, "B"]]
    for above in ([], [["My results"], []]):
        assert picked(read({"x/t.xlsx": table(rows, above)})) == {f"{A}/1": "A", f"{A}/4": "B"}
    (refused,) = read({"x/t.xlsx": table([["a", "b"], [1, 2]])}).rejected_file
    assert refused["path"] == "x/t.xlsx" and "workbook" in refused["detail"]
    cut = table(rows)[:-300]
    assert [r["path"] for r in read({"x/t.xlsx": cut}).rejected_file] == ["x/t.xlsx"]


def test_another_encoding_is_proposed_and_taken_from_the_card() -> None:
    text = 'model,question_id,prediction\nモデル,"kokushi_md10/ja/医師/2020/A/1",A\n'
    (refused,) = read({"x/t.csv": text.encode("cp932")}).rejected_file
    assert "--encoding cp932" in refused["reason"]
    found = read({"x/t.csv": text.encode("cp932"), "x/t.csv.card.toml": b'encoding = "cp932"'})
    assert [r["model"] for r in found.run] == ["モデル"]
    wrong = read({"x/t.csv": text.encode("cp932"), "x/t.csv.card.toml": b'encoding = "klingon"'})
    assert "klingon" in wrong.rejected_file[0]["reason"]


def test_a_first_line_that_names_the_separator_is_no_header() -> None:
    body = f"sep=|\r\nmodel|question_id|prediction\r\nm|{A}/1|A, perché\r\n".encode()
    assert picked(read({"x/t.csv": body})) == {f"{A}/1": "A"}


def test_a_character_across_the_end_of_the_look_is_no_fault() -> None:
    head = f"model,question_id,prediction,note\nm,{A}/1,A,".encode()
    body = head + b"x" * ((1 << 18) - len(head) - 1) + "è\n".encode()
    assert picked(read({"x/t.csv": body})) == {f"{A}/1": "A"}


@pytest.mark.parametrize(
    ("body", "word"),
    [(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "LFS"), (b"<!DOCTYPE html>\n<p>", "HTML"),
     (b"/annex/objects/SHA256E-s9", "annex"), (b"\xd0\xcf\x11\xe0" + b"\0" * 600, ".xls"),
     (b'{\n "overview": {"a": 1},\n "items": [1]\n}', "overview, items"),
     (b"modello,domanda\nx,1\n", "modello, domanda")],
)  # fmt: skip
def test_what_is_no_prediction_file_is_named(body: bytes, word: str) -> None:
    (refused,) = read({"x/any.json": body}).rejected_file
    assert word in refused["reason"] and "still being written" not in refused["reason"]


@pytest.mark.parametrize(
    ("body", "setting"),
    [(b"[" + b"{}," * 2000 + b"{}]", "MAX_CELLS"), (b"{}\n" * 2000, "MAX_ROWS"), (b"a,b\n" * 2000, "MAX_ROWS"),
     (b"a,b" + b",c" * 3000 + b"\n", "MAX_CELLS"), (b"[" + b"1," * 900 + b"1]", "MAX_ROWS")],
)  # fmt: skip
def test_size_is_judged_before_values_are_made(body: bytes, setting: str) -> None:
    limits = Limits(rows=500, cells=3000)
    with pytest.raises(Unreadable, match=f"MEDEXAMS_{setting}"):
        readers.json_rows(body, limits) if body[:1] in b"[{" else readers.csv_rows(body, limits)


@pytest.mark.parametrize(
    ("frame", "setting"),
    [(pl.DataFrame({"a": ["x"] * 1000}), "MAX_ROWS"), (pl.DataFrame({"a": [list(range(5000))]}), "MAX_CELLS"),
     (pl.DataFrame({"a": ["x" * 5000] * 400}), "MAX_UNPACKED_BYTES")],
)  # fmt: skip
def test_a_parquet_file_is_judged_by_its_footer(frame: pl.DataFrame, setting: str) -> None:
    body = io.BytesIO()
    frame.write_parquet(body)
    with pytest.raises(Unreadable, match=f"MEDEXAMS_{setting}"):
        readers.parquet_rows(body.getvalue(), Limits(rows=500, cells=3000, unpacked_bytes=1_000_000))
    assert readers.parquet_rows(body.getvalue()).values == frame.to_dicts()


def test_a_defect_of_ours_is_called_one_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from pipelines.runs.formats import table as module

    monkeypatch.setattr(module, "load", lambda file: 1 / 0)
    (row,) = one({**TOLD, "prediction": "A"}).rejected_file
    assert "a defect of medexams" in row["reason"] and "ZeroDivisionError" in row["detail"]
    assert any(record.exc_info for record in caplog.records)


def test_gzip_of_a_table_stands_for_the_table() -> None:
    body = gzip.compress(jsonl({**TOLD, "prediction": "A"}))
    assert [r["files"] for r in read({"x/t.jsonl.gz": body}).run] == ["x/t.jsonl"]


_UNFINISHED = "Let me compare them. Option B looks plausible at first, since"
_STOPPED: dict[str, tuple[str, Any]] = {
    "chat": ("length", {"choices": [{"message": {"content": _UNFINISHED}, "finish_reason": "length"}]}),
    "responses": ("max_output_tokens", {
        "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
        "output": [{"type": "message", "content": [{"type": "output_text", "text": _UNFINISHED}]}],
    }),
}  # fmt: skip


@pytest.mark.parametrize("api", _STOPPED)
@pytest.mark.parametrize("stopped", [True, False])
def test_a_response_stopped_at_its_limit_is_said_to_be_cut_off(api: str, stopped: bool) -> None:
    reason, body = _STOPPED[api]
    text = json.dumps({"custom_id": "q", "response": {"status_code": 200, "body": body}})
    if not stopped:
        text = text.replace(reason, "stop")
    [fragment] = openai_batch.read(File("out.jsonl", text.encode()), [])
    assert [(p.response, p.cut_off) for p in fragment.predictions] == [(_UNFINISHED, stopped)]


@pytest.mark.parametrize(
    ("response", "cut_off", "status"),
    [
        (_UNFINISHED, True, "unparsed"),
        ("The answer is B. To see why, consider", True, "answered"),  # what it states holds
        ("B", True, "answered"),  # and what it opens with
        ("Therefore B.", False, "answered"),
    ],
)
def test_unfinished_work_is_not_an_answer(response: str, cut_off: bool, status: str) -> None:
    question = Question("b/r/1", "b/r", "b", "1", "en", "Which?", "single", "f", tuple("ABCD"), ("w", "x", "y", "z"))
    said = Prediction("row 1", Ask(), response, cut_off=cut_off)
    [row] = read_responses([(said, Match(question, "question_id"))])
    assert isinstance(row, dict) and row["status"] == status


def test_a_list_in_a_prompt_is_no_list_of_choices_where_the_record_has_another_number_of_them() -> None:
    prompt = "Rules:\n1. Be brief.\n2. Answer with a letter.\n\nWhich picture is it? {a: ①, b: ②, c: ③, d: ④, e: ⑤}"
    asked = ask_of({"question": "Which picture is it?", "answers": list("①②③④⑤")}, prompt)
    assert (asked.choices, asked.labels) == ((), ())
    shown = ask_of({"question": "Which?", "answers": ["A", "B"]}, "Which?\nA. this one\nB. that one")
    assert shown.choices == ("this one", "that one")
