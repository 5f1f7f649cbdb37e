"""Points of single answers: sql/scores/item_score.sql against plain Python oracles written from the rules' texts."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.answers.numbers import canonical
from pipelines.questions.item import Key
from pipelines.questions.unify import _with_boxes
from pipelines.runs.matching import Match, Question
from pipelines.runs.parsed import Ask, Prediction
from pipelines.runs.responses import read_responses
from tests.unit.scoring_world import World

HALF, NONE = Decimal("0.5"), Decimal(0)
QUESTIONS = 300
"""Questions of one random exam; each is answered four times, and each rule sees at least four exams."""
STATUSES = ("answered", "abstained", "refused", "ambiguous", "unparsed", "empty", "error")
exams = settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))

Expected = dict[tuple[str, int], tuple[Decimal, bool]]


def check(world: World, folder: Path, ruleset: str, expected: dict[tuple[str, int], dict[str, Any]]) -> None:
    """Compare item_score with what the oracle says of (question, attempt): any of points, max_points, is_correct, …"""
    found = world.results(folder, "item_score")["item_score"]
    rows = {(r["question_id"], r["attempt"]): r for r in found.iter_rows(named=True) if r["ruleset"] == ruleset}
    assert len(rows) == len(world.rows["prediction"])
    for key, wanted in expected.items():
        got = {name: rows[key][name] for name in wanted}
        assert got == wanted, (key, [p for p in world.rows["prediction"] if (p["question_id"], p["attempt"]) == key])


def some(rng: random.Random, labels: str, least: int = 1) -> str:
    return "".join(sorted(rng.sample(labels, rng.randint(least, len(labels)))))


# ---- Medschool-Test: 1.5 right, -0.4 wrong, 0 for no answer --------------------------------------------------------


@exams
@given(st.integers(0, 2**32))
def test_medschool(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, world, expected = random.Random(seed), World(), {}
    world.run("r", "medschool/test")
    for i in range(QUESTIONS):
        key = rng.choice("ABCDE")
        status = rng.choice(("scored", "scored", "scored", "unknown", "removed"))
        qid = world.question(
            f"q{i}", "medschool", [key] if status != "unknown" else [], points="1.5", key_status=status
        )
        for attempt in range(1, 5):
            chosen, state = rng.choice("ABCDE"), rng.choice(STATUSES[:1] * 6 + STATUSES)
            world.answer("r", qid, chosen if state == "answered" else "", attempt=attempt, status=state)
            if status != "scored" or state != "answered":
                points = NONE
            else:
                points = Decimal("1.5") if chosen == key else Decimal("-0.4")
            expected[qid, attempt] = {
                "points": points,
                "max_points": Decimal("1.5") if status == "scored" else NONE,
                "counts": status == "scored",
            }
    for ruleset in ("official", "published"):
        check(world, tmp_path_factory.mktemp("m"), ruleset, expected)


# ---- COGNET-MD, Algorithm 1 of the paper -----------------------------------------------------------------------------


def cognet(chosen: set[str], key: set[str]) -> Decimal:
    """+0.5 if any chosen is right, +0.5 more if exactly the key, -0.5 for each wrong one."""
    points = NONE
    if chosen & key:
        points += HALF
    if chosen == key:
        points += HALF
    return points - HALF * len(chosen - key)


@exams
@given(st.integers(0, 2**32))
def test_cognet_official(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, world, expected = random.Random(seed), World(), {}
    world.run("r", "cognet_md/test")
    for i in range(QUESTIONS):
        labels = "ABCDEFGH"[: rng.randint(3, 8)]
        key = some(rng, labels)
        qid = world.question(f"q{i}", "cognet_md", [key], labels, answer_type="multiple")
        for attempt in range(1, 5):
            chosen = some(rng, labels, least=0) if rng.random() < 0.7 else key
            world.answer("r", qid, chosen, labels, attempt)
            expected[qid, attempt] = {
                "points": cognet(set(chosen), set(key)), "max_points": Decimal(1), "counts": True,
                "is_correct": set(chosen) == set(key),
            }  # fmt: skip
    check(world, tmp_path_factory.mktemp("c"), "official", expected)


def notebook(response: str) -> set[str]:
    """How the released notebook cleans a response: letters before a full stop if there is one, else split at '-'."""
    if re.search(r"[A-Z]\.", response):
        return set(re.findall(r"([A-Z])\.", response))
    return set(response.split("-"))


RESPONSES = (
    "{dash}", "{dash}", "{dash}", "{comma}", "{dotted}", "The answers are {dash}", " {dash}", "{dash}.", "{spaced}", "",
    "I can't say - sorry", "A. and Z. are right", "{lower}", "{dash}-", "A-A-{dash}", "--", "none",
)  # fmt: skip


def respond(rng: random.Random, chosen: str) -> str:
    return rng.choice(RESPONSES).format(
        dash="-".join(chosen), comma=",".join(chosen), dotted=" ".join(f"{c}. text" for c in chosen),
        spaced=" - ".join(chosen), lower="-".join(chosen).lower(),
    )  # fmt: skip


@exams
@given(st.integers(0, 2**32))
def test_cognet_published(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, world, expected = random.Random(seed), World(), {}
    world.run("r", "cognet_md/test")
    for i in range(QUESTIONS):
        labels = "ABCDEF"[: rng.randint(3, 6)]
        key = some(rng, labels)
        qid = world.question(f"q{i}", "cognet_md", [key], labels, answer_type="multiple")
        for attempt in range(1, 5):
            chosen = some(rng, labels)
            response = respond(rng, chosen)
            world.answer("r", qid, chosen, labels, attempt, response=response, status=rng.choice(STATUSES[:2]))
            points = cognet(notebook(response), set(key))
            expected[qid, attempt] = {"points": points, "is_correct": notebook(response) == set(key)}
    check(world, tmp_path_factory.mktemp("c"), "published", expected)


def test_cognet_the_papers_four_questions(tmp_path: Path) -> None:
    """All key sets give 4.0; of the third: "A" 0.5, "A-B" 0.0, "B-D" -1.0, nothing 0."""
    world = World()
    world.run("r", "cognet_md/test")
    for i, key in enumerate(("B", "D", "ACE", "ABE")):
        qid = world.question(f"q{i}", "cognet_md", [key], answer_type="multiple")
        world.answer("r", qid, key)
    for attempt, chosen in enumerate(("A", "AB", "BD", ""), 2):
        world.answer("r", "q2", chosen, attempt=attempt)
    found = world.results(tmp_path, "item_score")["item_score"]
    points = {
        (r["question_id"], r["attempt"]): r["points"] for r in found.iter_rows(named=True) if r["ruleset"] == "official"
    }
    assert sum(points[f"q{i}", 1] for i in range(4)) == 4
    assert [points["q2", n] for n in (2, 3, 4, 5)] == [HALF, NONE, -1, NONE]


# ---- KokushiMD-10 ----------------------------------------------------------------------------------------------------

KEY_STATUSES = ("scored", "scored", "scored", "removed", "correct_only", "all_credit", "unknown")
NUMBERS = ("12", "21", "8.5", "85", "1250", "0.2", "04", "130", "-3", "0")
"""Keys; each is compared with every one of ANSWERS."""
ANSWERS = (
    "12", "21", "8.5", "58", "8.50", "1,250", "1250", "０．２０", "0.2", "0.4", "4", "04", "130", "１３０", "-3", "−3",
    "0", "abc", "",
)  # fmt: skip


def number(text: str | None) -> Decimal | None:
    wide = str.maketrans("０１２３４５６７８９．，－−", "0123456789.,--")
    try:
        return Decimal((text or "").translate(wide).replace(",", ""))
    except ArithmeticError:
        return None


def same_number(answer: str | None, key: str) -> bool:
    """Equal as decimals; a key of digit boxes ("04") is 0.4 as well as 4."""
    given_, wanted = number(answer), number(key)
    if given_ is None:
        return False
    boxed = Decimal(f"0.{key[1:]}") if re.fullmatch(r"0\d+", key) else None
    return given_ in (wanted, boxed)


def kokushi(world: World, rng: random.Random, i: int) -> tuple[str, str, list[str], str, str, Decimal]:
    """A random question of every key kind: id, answer type, accepted answers, key status, labels, points."""
    kind = rng.choice(("single", "multiple", "multiple", "several", "numeric", "sequence"))
    status, points = rng.choice(KEY_STATUSES), Decimal(rng.choice((1, 2, 3)))
    labels = rng.choice(("abcde", "12345", "123456"))
    if kind == "numeric":
        chosen = [Key(value=x) for x in rng.sample(NUMBERS, rng.choice((1, 1, 2)))]
        keys, answer_type = [k.value or "" for k in _with_boxes(chosen)], "numeric"
    elif kind == "sequence":
        keys, answer_type = ["-".join(rng.sample("ABCD", 4))], "sequence"
    elif kind == "several":
        keys = list({some(rng, labels) for _ in range(3)})
        answer_type = "multiple"
    else:
        keys, answer_type = [rng.choice(labels) if kind == "single" else some(rng, labels)], kind
    if status == "unknown":
        keys = []
    qid = world.question(
        f"q{i}", "kokushi_md10", keys, labels, forbidden=rng.choice(("", "", labels[1], labels[0] + labels[2])),
        answer_type=answer_type, points=points, key_status=status,
    )  # fmt: skip
    return qid, answer_type, keys, status, labels, points


def predict(
    world: World, rng: random.Random, qid: str, kind: str, keys: list[str], labels: str, attempt: int
) -> dict[str, Any]:
    """A random prediction; about a third are right. Answers the row."""
    state = rng.choice(STATUSES[:1] * 8 + STATUSES[1:])
    right = rng.random() < 0.35 and keys
    if kind in ("single", "multiple"):
        chosen = rng.choice(keys) if right else some(rng, labels)
        world.answer("r", qid, chosen if state == "answered" else "", labels, attempt, status=state)
        row = world.rows["prediction"][-1]
        if state == "answered" and rng.random() < 0.6:
            row["response"] = rng.choice(
                ("".join(chosen), ",".join(chosen), f"答えは{chosen}です", "".join(chosen).upper(), f"answer {chosen}")
            )
    elif kind == "numeric":
        value = rng.choice(keys) if right else rng.choice(ANSWERS)
        world.answer(
            "r",
            qid,
            attempt=attempt,
            status=state,
            value=canonical(value) if state == "answered" else None,
            response=value,
        )
    else:
        value = rng.choice(keys) if right else "-".join(rng.sample("ABCD", 4))
        given_ = value if state == "answered" else None
        world.answer(
            "r",
            qid,
            attempt=attempt,
            status=state,
            value=given_,
            response=value.replace("-", rng.choice(("", "→", ","))),
        )
    return world.rows["prediction"][-1]


@exams
@given(st.integers(0, 2**32))
def test_kokushi_official(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, world, expected = random.Random(seed), World(), {}
    world.run("r", "kokushi_md10/test")
    for i in range(QUESTIONS):
        qid, kind, keys, status, labels, points = kokushi(world, rng, i)
        forbidden = {c["label"] for c in world.rows["choice"] if c["question_id"] == qid and c["is_forbidden"]}
        for attempt in range(1, 5):
            row = predict(world, rng, qid, kind, keys, labels, attempt)
            answered = row["status"] == "answered"
            chosen = set((row.get("labels") or "").split("-")) - {""} if answered else set()
            if kind in ("single", "multiple"):
                right = answered and any(chosen == set(key) for key in keys)
            elif kind == "numeric":
                right = answered and any(same_number(row["value"], key) for key in keys)
            else:
                right = answered and row["value"] in keys
            if status == "all_credit":
                wanted = (points, points, True, True)
            elif status in ("removed", "unknown"):
                wanted = (NONE, NONE, right, False)
            elif status == "correct_only":
                wanted = (points, points, True, True) if right else (NONE, NONE, False, False)
            else:
                wanted = (points if right else NONE, points, right, True)
            expected[qid, attempt] = dict(
                zip(("points", "max_points", "is_correct", "counts"), wanted, strict=True)
            ) | {"hits_forbidden": bool(chosen & forbidden)}
    check(world, tmp_path_factory.mktemp("k"), "official", expected)


def released(text: str) -> str:
    """What the released scorer makes of an answer or a key: letters and digits, sorted, upper-cased, cut at six."""
    return "".join(sorted(re.sub(r"[^a-zA-Z0-9]", "", text))).upper()[:6]


@exams
@given(st.integers(0, 2**32))
def test_kokushi_published(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, world, expected = random.Random(seed), World(), {}
    world.run("r", "kokushi_md10/test")
    for i in range(QUESTIONS):
        qid, kind, keys, _, labels, points = kokushi(world, rng, i)
        listed = [c["label"] for c in world.rows["choice"] if c["question_id"] == qid and c["is_forbidden"]]
        dirty = rng.random() < 0.2
        if dirty:
            world.rows["question_flag"].append(
                {"question_id": qid, "flag": "forbidden_repaired", "detail": "full-width"}
            )
        for attempt in range(1, 5):
            row = predict(world, rng, qid, kind, keys, labels, attempt)
            text = released(row.get("response") or row.get("labels") or row.get("value") or "")
            # whatever was announced later: the key is the file's, several answers stand in it as one text
            right = text != "" and text == released("/".join(keys))
            expected[qid, attempt] = {
                "points": points if right else NONE,
                "max_points": points if keys else NONE,
                "counts": bool(keys),
                # the list holds single characters as they stand: lower-case ones never match the upper-cased answer
                "hits_forbidden": not dirty and any(c in listed for c in text),
            }
    check(world, tmp_path_factory.mktemp("k"), "published", expected)


@pytest.mark.parametrize(
    ("answer", "key", "official", "published"),
    [
        ("21", "12", False, True), ("58", "8.5", False, True), ("1,250", "1250", True, True),
        ("０．２０", "0.2", True, False), ("0.4", "04", True, True), ("04", "04", True, True),
        ("40", "04", False, True), ("12", "12", True, True),
    ],
)  # fmt: skip
def test_numbers(tmp_path: Path, answer: str, key: str, official: bool, published: bool) -> None:
    world = World()
    world.run("r", "kokushi_md10/test")
    accepted = [k.value or "" for k in _with_boxes([Key(value=key)])]
    world.question("q", "kokushi_md10", accepted, answer_type="numeric", released_key=key)
    world.answer("r", "q", status="answered", value=canonical(answer), response=answer)
    found = world.results(tmp_path, "item_score")["item_score"]
    assert {r["ruleset"]: r["is_correct"] for r in found.iter_rows(named=True)} == {
        "official": official,
        "published": published,
    }


def test_a_ranked_choice_has_no_text_to_read(tmp_path: Path) -> None:
    """Where a harness ranked the choices, what it logged is not a response: published compares the choice."""
    world = World()
    world.run("r", "cognet_md/test", format="mc")
    world.question("q", "cognet_md", ["A"], answer_type="multiple")
    world.answer("r", "q", "A", response="-12.5")
    world.answer("r", "q", attempt=2, response="[-3.1, -2.0]", status="abstained")
    found = world.results(tmp_path, "item_score")["item_score"].sort("ruleset", "attempt")
    assert found["points"].to_list() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("status", "keys", "released_key", "answer", "official", "published"),
    [
        ("removed", ["b"], "b", "b", 0, 1), ("removed", ["b"], "", "b", 0, 0), ("all_credit", ["b"], "b", "a", 1, 0),
        ("correct_only", ["b"], "b", "a", 0, 0), ("scored", ["a", "b"], "a", "b", 1, 0),
        ("scored", ["a", "b"], "a", "a", 1, 1), ("unknown", [], "f", "f", 0, 1),
    ],
)  # fmt: skip
def test_published_knows_the_released_file_alone(
    tmp_path: Path, status: str, keys: list[str], released_key: str, answer: str, official: int, published: int
) -> None:
    """Neither removals nor accepted answers announced later; a key that names no choice shown is a key all the same."""
    world = World()
    world.run("r", "kokushi_md10/test")
    world.question("q", "kokushi_md10", keys, "abcde", key_status=status, released_key=released_key)
    if answer in "abcde":
        world.answer("r", "q", answer, "abcde")
    else:
        world.answer("r", "q", status="unparsed", response=answer)
    found = world.results(tmp_path, "item_score")["item_score"]
    points = {r["ruleset"]: int(r["points"]) for r in found.iter_rows(named=True)}
    assert points == {"official": official, "published": published}


def test_the_notebooks_key_may_name_a_choice_that_is_not_shown(tmp_path: Path) -> None:
    world = World()
    world.run("r", "cognet_md/test")
    world.question("q", "cognet_md", [], answer_type="multiple", key_status="unknown", released_key="A-F")
    for attempt, response in enumerate(("A-F", "A", "F-A"), 1):
        world.answer("r", "q", "A", attempt=attempt, response=response)
    found = world.results(tmp_path, "item_score")["item_score"]
    rows = found.filter(ruleset="published").sort("attempt")
    assert rows["points"].to_list() == [1, HALF, 1]
    assert found.filter(ruleset="official")["counts"].any() is False


@pytest.mark.parametrize(
    ("response", "labels", "points"),
    [
        ("F-A-C", "A-C-F", "0"),  # half a point for a right one, half off for F; not exactly the key
        ("A, C", "A-C", "1"),
        ("G", "G", "-0.5"),
        ("A-Z", "A-Z", "0"),
        ("See F-A-C above.", None, "0"),  # no list of letters alone
    ],
)
def test_a_letter_not_offered_is_a_wrong_choice_where_the_rule_deducts(
    tmp_path: Path, response: str, labels: str | None, points: str
) -> None:
    question = Question(
        "q1", "cognet_md/test", "cognet_md", "1", "en", "Which?", "multiple", "f", tuple("ABCDE"), ("",) * 5
    )
    [row] = read_responses([(Prediction("row 1", Ask(), response), Match(question, "question_id"))])
    assert isinstance(row, dict)
    assert row["labels"] == labels and (row["status"] == "answered") == (labels is not None)
    world = World()
    world.run("r", "cognet_md/test")
    world.question("q1", "cognet_md", ["AC"], answer_type="multiple")
    world.answer("r", "q1", **{k: row[k] for k in ("status", "response", "labels", "selection")})
    scored = world.results(tmp_path, "item_score")["item_score"].filter(ruleset="official")
    assert scored["points"].to_list() == [Decimal(points)]
    other = replace(question, benchmark="kokushi_md10")
    [row] = read_responses([(Prediction("row 1", Ask(), "F-A-C"), Match(other, "question_id"))])
    assert isinstance(row, dict) and row["status"] != "answered"
