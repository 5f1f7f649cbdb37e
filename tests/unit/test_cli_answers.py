"""Commands that go from a rank to the single answer: explain, runs show, compare, diff, and how they take names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pipelines import cli
from tests.unit.published_world import write_world
from tests.unit.scoring_world import World

A, B = "alpha/cognet_md-test/11111111", "beta/cognet_md-test/22222222"
NOISE = "\x1b[31mred\x9b0m \u202eback"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on four questions of two subjects, one of them twice accepted, and a refusal."""
    world = World()
    for n, (keys, topic) in enumerate([(["A"], "skin"), (["AB", "CD"], "skin"), (["C"], "heart"), (["D"], "heart")], 1):
        world.question(f"cognet_md/test/{n}", "cognet_md", keys, topic=topic, source_key=str(n), stem=f"Stem {n}?")
    for run in (A, B):
        world.run(run, "cognet_md/test", model=run.split("/")[0], files="inbox/a.csv", reader="6.4")
    place: dict[str, Any] = {"file": "inbox/a.csv", "locator": "line 2"}
    world.answer(A, "cognet_md/test/1", "A", response="Answer: A", evidence="Answer: A", **place)
    world.answer(A, "cognet_md/test/2", "CD", **place)
    world.answer(A, "cognet_md/test/3", "B", **place)
    world.answer(A, "cognet_md/test/4", "A", response=NOISE, **place)
    world.answer(B, "cognet_md/test/1", "A")
    world.answer(B, "cognet_md/test/2", "A")
    world.answer(B, "cognet_md/test/3", "C")
    world.answer(B, "cognet_md/test/4", status="refused", response="I can't say.")
    return write_world(world, tmp_path_factory.mktemp("answers") / "data").parent


def run(data: Path, *args: str) -> Result:
    return CliRunner().invoke(cli.main, [*args, "--data", str(data)], prog_name="medexams")


def test_an_answer_is_explained_down_to_the_line_of_its_file(data: Path) -> None:
    said = run(data, "explain", "alpha", "1").stdout
    assert said.startswith("alpha on cognet_md/test/1: right, 1 of 1 points\n")
    assert "A. A  ← chosen, key" in said
    assert "read as   answered: A, from “Answer: A”" in said
    assert "rule      +0.5 when a right answer is chosen, +0.5 more for exactly an accepted answer" in said
    assert "(sourced: arXiv" in said
    assert "file      inbox/a.csv, line 2 (reader 6.4)" in said
    assert f"{data}/report/question.html#cognet_md/test/1" in said


def test_an_explanation_as_json_has_each_fact_by_name(data: Path) -> None:
    found = json.loads(run(data, "explain", "alpha", "cognet_md/test/2", "--json").stdout)
    answer = found["answers"][0]
    assert (answer["answer"], answer["key"], answer["result"], answer["points"]) == ("C-D", "A-B or C-D", "right", 1)
    assert [c["label"] for c in found["choices"]] == list("ABCDE")


def test_a_refusal_is_no_wrong_answer(data: Path) -> None:
    assert "beta on cognet_md/test/4: no answer, 0 of 1 points" in run(data, "explain", "beta", "4").stdout


def test_what_a_response_holds_does_not_steer_the_terminal(data: Path) -> None:
    for args in (("explain", "alpha", "4"), ("runs", "show", "alpha")):
        said = run(data, *args).stdout
        assert "red" in said and not set("\x1b\x9b\u202e") & set(said)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("explain", "alfa", "1"), "no run is called 'alfa'; the nearest: alpha/cognet_md-test/11111111;"),
        (("explain", "", "1"), "no run is called ''; `medexams runs list` lists all"),
        (("explain", "alpha", "test/9"), "no question of this run is called 'test/9'; the nearest: cognet_md/test/"),
        (("explain", "alpha", "test"), "'test' may be any of 4: cognet_md/test/1, cognet_md/test/2"),
        (("runs", "show", "cognet"), "'cognet' may be any of 2: alpha/cognet_md-test/11111111, beta/"),
        (("runs", "show", "alpha", "--topic", "hart"), "has no subject 'hart'; it has heart, skin"),
        (("compare", "alpha", "gamma"), "no run is called 'gamma'"),
        (("compare", "alpha", "alpha"), "alpha and alpha answered no dataset in common"),
        (("compare", "alpha", "beta", "--topic", "x"), "no subject 'x' in what both answered; there are heart, skin"),
        (("diff", "7"), "generations holds no earlier file"),
    ],
)
def test_a_name_that_fits_nothing_or_several_things_says_so(data: Path, args: tuple[str, ...], says: str) -> None:
    done = run(data, *args)
    assert done.exit_code == 2 and says in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ((), [1, 2, 3, 4]),
        (("--right",), [1, 2]),
        (("--wrong",), [3, 4]),
        (("--wrong", "--right"), [1, 2, 3, 4]),
        (("--wrong", "--topic", "heart", "--limit", "1"), [3]),
        (("--refused",), []),
        (("--unparsed",), []),
    ],
)
def test_responses_of_a_run_by_result_and_subject(data: Path, options: tuple[str, ...], shown: list[int]) -> None:
    found = json.loads(run(data, "runs", "show", "alpha", *options, "--json").stdout)
    assert [a["question_id"] for a in found] == [f"cognet_md/test/{n}" for n in shown]


def test_responses_as_json_have_what_they_had_and_more(data: Path) -> None:
    (found,) = json.loads(run(data, "runs", "show", "alpha", "--limit", "1", "--json").stdout)
    assert list(found)[:7] == ["question_id", "attempt", "status", "labels", "value", "evidence", "response"]
    assert (found["result"], found["key"], found["topic"], found["locator"]) == ("right", "A", "skin", "line 2")


def test_refusals_are_found(data: Path) -> None:
    said = run(data, "runs", "show", "beta", "--refused").stdout
    assert said == "cognet_md/test/4 (attempt 1): refused (no answer, key D)\n    I can't say.\n"


def test_two_runs_are_compared_in_words_by_subject_and_by_question(data: Path) -> None:
    said = run(data, "compare", "alpha", "beta").stdout
    assert "Of 4 questions: both right 1, only A 1, only B 1, both wrong 1." in said
    lines = [line.replace("│", " ").split() for line in said.splitlines()]
    assert ["skin", "1", "1", "0", "0"] in lines and ["heart", "0", "0", "1", "1"] in lines
    assert ["cognet_md/test/2", "skin", "A-B", "or", "C-D", "C-D", "A", "only", "A"] in lines
    assert not any("cognet_md/test/1" in line for line in lines), "which both have right tells nothing"
    assert f"pair.html#{A},{B}" in said
    both = run(data, "compare", "alpha", "beta", "--outcome", "both wrong", "--format", "json").stdout
    assert [(i["question_id"], i["answer_b"]) for i in json.loads(both)] == [("cognet_md/test/4", "refused")]
    assert run(data, "compare", "beta", "alpha", "--format", "csv").stdout.count("\n") == 5


def test_diff_of_a_first_generation(data: Path) -> None:
    assert run(data, "diff").stdout == "since the generation before: no change\n"
    assert run(data, "diff", "--format", "csv").stdout == "kind,subject,old,new,cause,run_id,question_id,exam_id\n"
