"""IgakuQA as a fourth source: files, skipping, links with KokushiMD-10, predictions, the points of its evaluator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pipelines import stages
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.definitions import run_job
from pipelines.errors import SettingsError, SourceError
from pipelines.progress import silent
from pipelines.questions.item import Item, Reading
from pipelines.questions.unify import unify
from pipelines.registry import sources
from pipelines.runs.matching import QuestionIndex
from pipelines.settings import Settings
from tests.reading import in_memory, read_all
from tests.unit.scoring_world import World
from tests.web import Reply, serve

AT = datetime(2026, 1, 1)


def question(problem: str, answer: list[str], **more: Any) -> dict[str, Any]:
    """A made-up line of <round>-<paper>.jsonl."""
    return {
        "problem_id": problem, "problem_text": f"設問{problem}で正しいのはどれか。", "text_only": True, "points": "1",
        "choices": [f"{mark} 選択肢{problem}" for mark in "①②③④⑤"], "answer": answer,
    } | more  # fmt: skip


def metadata(problem: str, **more: Any) -> dict[str, Any]:
    """A made-up line of <round>-<paper>_metadata.jsonl."""
    return {"problem_id": problem, "category": "総論", "kinki": [], "reason": "", "human_accuracy": "81.5"} | more


PAPERS = {
    "2020/114-A.jsonl": [
        question("114A1", ["c"]),
        question("114A2", ["b", "d"], problem_text="正しいのはどれか。2つ選べ。"),
        question("114A3", ["04"], choices=[], problem_text="値を求めよ。\n解答:①.②", points="1"),
        question("114A4", ["a"], text_only=False, points="0"),
    ],
    "2020/114-A_metadata.jsonl": [
        metadata("114A1", kinki=["ｅ"]), metadata("114A2", human_accuracy="12.25"), metadata("114A3"),
        metadata("114A4"),
    ],
    "2022/116-B.jsonl": [question("116B26", ["e"], points="3")],
    "2022/116-B_metadata.jsonl": [metadata("116B26", category="救急")],
}  # fmt: skip


def write(folder: Path, papers: dict[str, list[Any]]) -> Path:
    for name, lines in papers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines), encoding="utf-8")
    return folder


@pytest.fixture
def landing(tmp_path: Path) -> Landing:
    return Landing(tmp_path / "archive")


def got(address: Path | str, landing: Landing, source: str = "igakuqa") -> Reading:
    card = sources()[source].card
    settings = Settings.from_env({card.variable: str(address)}, request_delay=0.0, attempts=1)
    shot = sources()[source].fetch(settings, Session(settings, landing), landing, silent)
    landing.add_snapshot(shot)
    return sources()[source].read(shot, landing)


def test_questions_and_their_metadata(tmp_path: Path, landing: Landing) -> None:
    reading = got(write(tmp_path / "data", PAPERS), landing)
    assert (reading.dataset.dataset_id, reading.rejected) == ("igakuqa/2020-2022", [])
    assert "lack 2018, 2019, 2021" in (reading.dataset.count_note or "")
    one, two, number, removed, must = reading.items
    assert (one.source_key, one.paper, one.number, one.topic) == ("114A1", "A", 1, "総論")
    assert one.exam and (one.exam.profession, one.exam.year, one.exam.round) == ("医師", 2020, 114)
    # letters, as the key has them, although the choices begin with numbers
    assert [c.label for c in one.choices] == list("abcde") and one.choices[0].text == "① 選択肢114A1"
    assert [c.label for c in one.choices if c.is_forbidden] == ["e"] and "forbidden_repaired" in one.flags
    assert (two.answer_type, [k.labels for k in two.keys], two.human_accuracy) == (
        "multiple", [("b", "d")], Decimal("12.25"))  # fmt: skip
    assert (number.answer_type, number.choices, [k.value for k in number.keys]) == (
        "numeric", [], ["04", "0.4"]
    )  # fmt: skip
    assert removed.key_status == "removed" and removed.needs_image and "image_missing" in removed.flags
    assert (must.component, must.points, must.topic) == ("必修", 3, "救急")
    assert {i.component for i in (one, two, number)} == {"一般+臨床"}


def test_any_folder_of_the_repository_will_do(tmp_path: Path, landing: Landing) -> None:
    write(tmp_path / "repository/data", PAPERS)
    write(tmp_path / "repository/baseline_results", {"2020/114-A_gpt4.jsonl": [{"problem_id": "114A1"}]})
    whole = [i.source_key for i in got(tmp_path / "repository", landing).items]
    assert whole == [i.source_key for i in got(tmp_path / "repository/data", landing).items]
    year = got(tmp_path / "repository/data/2022", landing)
    assert [i.source_key for i in year.items] == ["116B26"] and year.dataset.release == "2022"


def test_a_url_is_asked_for_every_paper(landing: Landing) -> None:
    def answer(path: str, headers: dict[str, str]) -> Reply:
        _, year, name = path.strip("/").split("/")
        problem = name.split(".")[0].split("_")[0].replace("-", "") + "1"
        line = metadata(problem) if "_metadata" in name else question(problem, ["a"])
        return Reply(body=json.dumps(line).encode()) if year == str(int(name[:3]) + 1906) else Reply(404)

    with serve(answer) as web:
        reading = got(f"{web.url}/data/", landing)
    assert len(reading.items) == 30 and len(web.asked) == 60
    assert (reading.dataset.release, reading.dataset.count_note) == ("2018-2022", None)


def test_nothing_is_lost(tmp_path: Path, landing: Landing) -> None:
    papers: dict[str, list[Any]] = {
        "2020/114-A.jsonl": [question("114A1", ["a"]), question("114A1", ["b"]), question("A2", ["a"]), [1],
                             question("114A3", ["a"], problem_text="")],
        "2020/114-A_metadata.jsonl": [metadata("114A1"), metadata("114A9"), {"category": "総論"}],
    }  # fmt: skip
    reading = got(write(tmp_path / "data", papers), landing)
    assert [i.source_key for i in reading.items] == ["114A1"]
    assert sorted(r.reason for r in reading.rejected) == [
        "114A1 stands on an earlier line too",
        "problem_id is not like 114A1 (round, paper, number)",
        "problem_id is not like 114A1 (round, paper, number)",
        "problem_id is not like 114A1 (round, paper, number)",
        "the metadata of 114A9, which is not a question here",
        "the row has neither a question's text nor an image",
    ]
    assert reading.rows_in == 7


@pytest.mark.parametrize(
    ("papers", "says"),
    [
        ({"2020/114-A.jsonl": [question("114A1", ["a"])]}, "114-A_metadata.jsonl belong together"),
        ({"2020/114-A.jsonl": [{"id": 1}], "2020/114-A_metadata.jsonl": []}, "no line is a question of IgakuQA"),
        ({"2020/questions.jsonl": [question("114A1", ["a"])]}, "no file matches"),
    ],
)
def test_another_layout_is_said(papers: dict[str, list[Any]], says: str, tmp_path: Path, landing: Landing) -> None:
    papers = {name: lines or [{"problem_id": "?"}] for name, lines in papers.items()}
    with pytest.raises(SourceError, match=says):
        got(write(tmp_path / "data", papers), landing)


@pytest.mark.parametrize("profile", ["live", "sample"])
def test_without_an_address_it_is_skipped(profile: str, tmp_path: Path) -> None:
    settings = Settings.from_env({}, profile=profile, data=tmp_path)
    assert stages.fetch(settings, "igakuqa") is None and not list(tmp_path.iterdir())
    assert settings.where(sources()["igakuqa"].card) == "MEDEXAMS_IGAKUQA_RELEASE is not set, skipped"
    assert not settings.is_skipped(sources()["mur"].card)
    with pytest.raises(SettingsError, match="set MEDEXAMS_IGAKUQA_RELEASE"):
        run_job(settings, "refresh", only="igakuqa")


# ---- beside KokushiMD-10 -------------------------------------------------------------------------------------------


@pytest.fixture
def both(tmp_path: Path, landing: Landing) -> Iterator[list[Reading]]:
    """The same exam in both benchmarks; KokushiMD-10 has it in its own layout."""
    rows = [
        {"index": q["problem_id"][4:], "question": q["problem_text"], "answer": ",".join(q["answer"]), "points": "1"}
        | dict(zip("abcde", q["choices"], strict=False))
        for q in PAPERS["2020/114-A.jsonl"]
    ]
    exams = tmp_path / "exams/JA/医師"
    exams.mkdir(parents=True)
    (exams / "医師_2020_a.json").write_text(json.dumps(rows), encoding="utf-8")
    yield [got(write(tmp_path / "data", PAPERS), landing), got(tmp_path, landing, "kokushi")]


def test_the_same_question_is_linked_and_the_later_one_flagged(both: list[Reading]) -> None:
    tables = unify(both)
    assert tables["dataset"]["dataset_id"].to_list() == ["kokushi_md10/ja", "igakuqa/2020-2022"]
    assert set(tables["exam"]["exam_id"]) == {"kokushi_md10/医師/2020", "igakuqa/医師/2020", "igakuqa/医師/2022"}
    links = [(a, b) for a, b, _, _ in tables["question_link"].iter_rows()]
    assert links == [(f"kokushi_md10/ja/医師/2020/A/{n}", f"igakuqa/2020-2022/114A{n}") for n in (1, 2, 3, 4)]
    flags = tables["question_flag"]
    assert set(flags.filter(flags["flag"] == "duplicate_question")["question_id"]) == {b for _, b in links}
    assert tables["answer_key_change"].is_empty()


def runs(readings: list[Reading]) -> dict[str, set[str]]:
    """Datasets that the predictions of IgakuQA's and of KokushiMD-10's layout are matched to."""
    tables = unify(readings)
    index = QuestionIndex.build(*(tables[name] for name in ("question", "choice", "dataset", "exam")))
    files = {
        "baseline_results/2020/114-A_gpt4.jsonl": b'{"problem_id": "114A1", "prediction": "c"}\n'
        b'{"problem_id": "114A2", "prediction": "b,d"}\n',
        "results/OpenAI/other/text/医師/医師_2020_a_pred.json": b'[{"index": "1", "pred": "c"}]',
    }
    found = read_all(in_memory(files), index, AT)
    assert not found.unmatched_prediction and not found.rejected_file
    return {r["model"]: {x["dataset_id"] for x in found.run if x["model"] == r["model"]} for r in found.run}


def test_predictions_go_to_the_benchmark_that_they_name(both: list[Reading]) -> None:
    own, other = both
    assert runs(both) == {"gpt-4": {"igakuqa/2020-2022"}, "other": {"kokushi_md10/ja"}}
    assert runs([other]) == {"gpt-4": {"kokushi_md10/ja"}, "other": {"kokushi_md10/ja"}}
    assert runs([own]) == {"gpt-4": {"igakuqa/2020-2022"}, "other": {"igakuqa/2020-2022"}}


@pytest.mark.parametrize(
    ("response", "chosen", "official", "evaluator"),
    [
        ("a,c", "ac", True, True), ("c,a", "ac", True, True), ("a, c", "ac", True, False), ("a-c", "ac", True, False),
        ("答えはa,c", "ac", True, False), ("a", "a", False, False), ("a,a,c", "ac", True, False),
        ("", "", False, False),
    ],
)  # fmt: skip
def test_points_of_its_evaluator(response: str, chosen: str, official: bool, evaluator: bool, tmp_path: Path) -> None:
    world = World()
    world.run("r", "igakuqa/test")
    world.question("q", "igakuqa", ["ac"], "abcde", answer_type="multiple", points=3)
    world.answer("r", "q", chosen, "abcde", response=response)
    found = world.results(tmp_path, "item_score")["item_score"]
    points = {r["ruleset"]: r["points"] for r in found.iter_rows(named=True)}
    assert points == {"official": 3 * official, "published": 3 * evaluator}


def test_its_evaluator_credits_what_the_exam_credits_and_reads_numbers_as_text(tmp_path: Path) -> None:
    world = World()
    world.run("r", "igakuqa/test")
    world.question("all", "igakuqa", ["a"], "abcde", key_status="all_credit", source_key="116A71")
    world.answer("r", "all", "b", "abcde")
    world.question("number", "igakuqa", ["100", "10.0"], answer_type="numeric", released_key="100")
    for attempt, value in enumerate(("100", "10.0"), 1):
        world.answer("r", "number", attempt=attempt, status="answered", value=value, response=value)
    found = world.results(tmp_path, "item_score")["item_score"]
    points = {(r["question_id"], r["attempt"], r["ruleset"]): int(r["points"]) for r in found.iter_rows(named=True)}
    assert points == {
        ("all", 1, "official"): 1, ("all", 1, "published"): 1,
        ("number", 1, "official"): 1, ("number", 1, "published"): 1,
        ("number", 2, "official"): 1, ("number", 2, "published"): 0,
    }  # fmt: skip


def test_an_item_is_what_kokushis_reader_makes_of_it(both: list[Reading]) -> None:
    """The same code reads both sources: what they share is equal."""

    def shared(item: Item) -> tuple[Any, ...]:
        return item.stem, item.answer_type, item.keys, item.points, item.component, [c.text for c in item.choices]

    own, other = both
    assert [shared(i) for i in own.items[:3]] == [shared(i) for i in other.items[:3]]
