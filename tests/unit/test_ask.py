"""Asking a model on a server that fails in every way: nothing is lost, paid twice or said to somebody it is not for."""

from __future__ import annotations

import errno
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assets.ask import AskConfig
from pipelines.ask import endpoint as endpoint_module
from pipelines.ask.asking import FAILURES_IN_A_ROW, Limits, Outcome, is_right, missing, ranking, remind, run
from pipelines.ask.call import Call
from pipelines.ask.endpoint import Endpoint, NoLogprobs, apart
from pipelines.ask.journal import Journal
from pipelines.ask.plan import Item, Plan, Wish, about_tokens
from pipelines.cli import ask as command
from pipelines.errors import LockedError, MedexamsError, SettingsError
from pipelines.prompts import Prompts
from pipelines.runs.formats import medexams_ask
from pipelines.runs.parsed import File
from tests.endpoint import Answer, Server, said, served, text

pytest.importorskip("openai")
KEY = "sk-marked-0123456789"


def question(n: int) -> dict[str, Any]:
    choices = [{"label": label, "text": f"text {label}"} for label in "ABC"]
    return {
        "question_id": f"bench/one/{n}", "question": f"Which is {n}?", "choices": choices, "answer_type": "single",
        "answers": [{"labels": ["B"], "value": None}], "key_status": "scored", "language": "en",
    }  # fmt: skip


def plan(n: int = 3) -> Plan:
    items = [Item(question(i), ({"role": "user", "content": f"Which is {i}?"},)) for i in range(n)]
    header = {
        "medexams_ask": 1, "model": "m", "base_url": "http://127.0.0.1/v1", "dataset": "bench/one", "variant": "v",
        "form": "generated", "prompt": {"version": "1", "digest": "d", "source": "s"}, "request": {"seed": 0},
    }  # fmt: skip
    return Plan("bench/one", tuple(items), header)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "BACKOFF", 0.0)


def ask(server: Server, path: Path, n: int = 3, limits: Limits | None = None, **wish: Any) -> tuple[Outcome, list[Any]]:
    timeout = wish.pop("timeout", 5.0)
    wished = Wish("m", server.url, max_tokens=50, **wish)
    with Journal(path, plan(n).header, [KEY]) as journal:
        outcome = run(plan(n), wished, Endpoint(server.url, "m", KEY, timeout), journal, limits, concurrency=1)
        return outcome, list(journal.rows)


def test_answers_are_kept_and_not_asked_twice(tmp_path: Path) -> None:
    with served() as server:
        outcome, rows = ask(server, tmp_path / "a.jsonl")
        again, _ = ask(server, tmp_path / "a.jsonl")
        more, _ = ask(server, tmp_path / "a.jsonl", attempts=2)
    assert (outcome.answered, again.wanted, more.answered) == (3, 0, 3)
    assert len(server.asked) == 6
    assert [r["response"] for r in rows] == ["B"] * 3
    assert [b["seed"] for b in server.asked] == [0, 0, 0, 1, 1, 1]
    assert server.asked[0]["temperature"] == 0 and server.asked[0]["max_tokens"] == 50


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        (said({"error": {"message": "overloaded"}}, 500), "500 (overloaded)"),
        (said({"error": {"message": "too long"}}, 400), "400 (too long)"),
        ((200, {}, b"<html>proxy</html>"), "a web page came"),
        ((502, {}, b"<html>Bad gateway</html>"), "a web page came: is a proxy in between?"),
        ((200, {}, b""), "nothing came"),
        ((200, {}, b'{"choices": [{"mess'), "no JSON came"),
        ((200, {}, b"[1]"), "no JSON object"),
        (said({"choices": []}), "holds no choice"),
        ((200, {"content-length": "5000"}, b'{"choices"'), "connection broke"),
        (1.0, "no whole answer within 0.5 seconds"),
    ],
)
def test_a_fault_is_that_questions_error_and_asked_again_by_a_second_call(
    tmp_path: Path, fault: Answer, word: str
) -> None:
    with served(*[fault] * 4) as server:
        server.script = server.script[: 1 if word in ("400 (too long)", "holds no choice") else 4]
        outcome, rows = ask(server, tmp_path / "a.jsonl", timeout=0.5)
        assert (outcome.answered, outcome.failed, outcome.stopped) == (2, 1, None)
        assert word in rows[0]["error"]
        again, rows = ask(server, tmp_path / "a.jsonl")
    assert (again.wanted, again.answered) == (1, 1)
    [fragment] = medexams_ask.read(File("a.jsonl", (tmp_path / "a.jsonl").read_bytes()), [])
    assert [(p.response, p.error) for p in fragment.predictions] == [("B", None)] * 3


def test_retry_after_is_honoured(tmp_path: Path) -> None:
    with served(said({}, 429, retry_after="1")) as server:
        start = time.monotonic()
        outcome, _ = ask(server, tmp_path / "a.jsonl", n=1)
    assert outcome.answered == 1 and time.monotonic() - start >= 1


@pytest.mark.parametrize(
    "fault",
    [
        said({"error": {"message": f"bad key {KEY}"}}, 401),
        said({"error": {"message": "no such model"}}, 404),
        said({"detail": "Not Found"}, 404),
        (404, {}, b""),
        (403, {}, b"<html>Blocked by the proxy</html>"),
        said({}, 302, location="http://127.0.0.1:1/"),
        said({}, 307, location="/v2/chat/completions"),
        said({}, 429, retry_after="3600"),
    ],
)
def test_what_every_question_would_meet_ends_the_asking(tmp_path: Path, fault: Answer) -> None:
    with served(fault) as server:
        outcome, rows = ask(server, tmp_path / "a.jsonl")
    assert outcome.stopped and KEY not in outcome.stopped
    assert rows == [] and len(server.asked) == 1


@pytest.mark.parametrize("status", [200, 400])
def test_endless_text_ends_and_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr(endpoint_module, "MOST_BYTES", 2**20)
    with served((status, {}, itertools.repeat(b"x" * 2**16))) as server:
        server.script *= 4 if status == 200 else 1
        outcome, rows = ask(server, tmp_path / "a.jsonl", timeout=60.0)
        assert (outcome.answered, outcome.failed) == (2, 1)
        assert (
            "longer than" in rows[0]["error"] if status == 200 else rows[0]["error"].startswith("the server says 400")
        )
        assert len(rows[0]["error"]) < 500
        assert server.sent < 64 * 2**20  # what the sockets' buffers hold among it


@pytest.mark.parametrize("status", [200, 500])
def test_a_text_that_drips_is_not_waited_for(tmp_path: Path, status: int) -> None:
    def drip() -> Iterator[bytes]:
        while True:
            time.sleep(0.05)
            yield b" "

    with served(*[(status, {}, drip()) for _ in range(4)]) as server:
        start = time.monotonic()
        outcome, rows = ask(server, tmp_path / "a.jsonl", n=1, timeout=0.3)
    assert outcome.failed == 1 and time.monotonic() - start < 5
    assert "no whole answer within 0.3 seconds" in rows[0]["error"]


def test_a_refusal_is_an_answer_and_said(tmp_path: Path) -> None:
    with served(text("", refusal="I can't help with that."), text("")) as server:
        outcome, rows = ask(server, tmp_path / "a.jsonl", n=2)
    assert (outcome.answered, rows[0]["refused"], rows[0]["response"]) == (2, True, "I can't help with that.")
    [fragment] = medexams_ask.read(File("a.jsonl", (tmp_path / "a.jsonl").read_bytes()), [])
    assert [p.refused for p in fragment.predictions] == [True, False]
    assert "refused" not in rows[1] and rows[1]["response"] == ""


def test_a_server_out_of_order_is_left_alone(tmp_path: Path) -> None:
    with served(*[said({}, 400)] * 50) as server:
        outcome, _ = ask(server, tmp_path / "a.jsonl", n=40)
    assert outcome.stopped and outcome.failed == FAILURES_IN_A_ROW == len(server.asked)


def test_a_limit_is_never_passed_and_stops_cleanly(tmp_path: Path) -> None:
    with served() as server:
        outcome, _ = ask(server, tmp_path / "a.jsonl", n=10, limits=Limits(tokens=120))
        assert outcome.stopped == "the limit of 120 tokens leaves no room for another answer"
        used = sum(r["usage"] for r in [{"usage": 25}] * outcome.answered)
        assert used <= 120 and 0 < outcome.answered < 10
        costly, _ = ask(server, tmp_path / "b.jsonl", limits=Limits(cost=1e-6, price_in=1.0, price_out=1.0))
    assert costly.stopped and costly.answered == 0


def test_no_key_in_what_is_written(tmp_path: Path) -> None:
    echoed = {"choices": [{"message": {"content": f"B {KEY}", "reasoning_content": KEY}, "finish_reason": "length"}]}
    with served(said(echoed)) as server:
        ask(server, tmp_path / "a.jsonl", n=1)
    assert KEY not in (tmp_path / "a.jsonl").read_text()
    assert "[key]" in (tmp_path / "a.jsonl").read_text()
    [fragment] = medexams_ask.read(File("a.jsonl", (tmp_path / "a.jsonl").read_bytes()), [])
    assert fragment.predictions[0].cut_off and fragment.predictions[0].response == "B [key]"


@pytest.mark.parametrize("address", ["http://me:secret@host/v1", "http://host/v1?key=secret", "host/v1", "ftp://x/"])
def test_an_address_with_secrets_is_refused_without_saying_them(address: str) -> None:
    with pytest.raises(SettingsError) as fault:
        Endpoint(address, "m", None)
    assert "secret" not in str(fault.value)


def test_a_torn_line_is_asked_again_and_a_second_asker_waits(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with served() as server:
        ask(server, path)
        path.write_bytes(path.read_bytes()[:-20])
        [fragment] = medexams_ask.read(File("a.jsonl", path.read_bytes()), [])
        assert len(fragment.predictions) == 2
        with Journal(path, {}) as journal, pytest.raises(LockedError):
            assert len(missing(plan(), 1, journal)) == 1
            Journal(path, {}).__enter__()
        outcome, _ = ask(server, path)
    assert outcome.wanted == outcome.answered == 1


def test_reasoning_is_kept_apart() -> None:
    assert apart("<think>B? no</think>\n\nC") == ("C", "B? no")
    assert apart("<think>B? no") == ("<think>B? no", None)
    assert apart("C </think>") == ("C </think>", None)


def test_choices_are_ranked_as_the_harness_does_it(tmp_path: Path) -> None:
    logprobs = [[None, -9.0, -1.0], [None, -9.0, -2.0, -0.5, -7.0], [None, -9.0, -1.5, -7.0]]
    body = {"choices": [{"index": i, "logprobs": {"token_logprobs": p}} for i, p in enumerate(logprobs)]}
    items = (Item(question(1), context="Q: ", continuations=(" a b", " c"), ranked=("a b", "c")),)
    wish = Wish("m", "", rank="cloze")
    with served(said(body)) as server, Journal(tmp_path / "a.jsonl", plan().header) as journal:
        run(Plan("d", items, {}), wish, Endpoint(server.url, "m", None), journal)
        [row] = journal.rows
        assert row["scores"] == [-2.5, -1.5]
        assert server.asked[0]["prompt"] == ["Q:", "Q:  a b", "Q:  c"] and server.asked[0]["echo"] is True
    assert (row["chosen"], row["chosen_by_length"]) == (1, 0)
    assert ranking(("a", "b"), [-1.0, -1.0])["chosen"] == 0
    with served() as server, Journal(tmp_path / "b.jsonl", {}) as journal, pytest.raises(NoLogprobs):
        run(Plan("d", items, {}), wish, Endpoint(server.url, "m", None), journal)


def test_a_picker_chooses_and_hears_what_was_right(tmp_path: Path) -> None:
    class Two:
        heard: list[tuple[str, bool | None]]

        def __init__(self) -> None:
            self.heard = []

        def next(self) -> str | None:
            return ["bench/one/2", "bench/one/0", None][len(self.heard)]

        @property
        def left(self) -> int:
            return 2 - len(self.heard)

        def record(self, question_id: str, is_right: bool | None) -> None:
            self.heard.append((question_id, is_right))

    for _ in range(2):  # the second time both are there already
        picker = Two()
        with served() as server, Journal(tmp_path / "a.jsonl", plan().header) as journal:
            remind(picker, plan(), journal)
            wanted = picker.left
            outcome = run(plan(), Wish("m", ""), Endpoint(server.url, "m", None), journal, picker=picker, concurrency=1)
        assert outcome.wanted == outcome.answered == wanted
        assert picker.heard == [("bench/one/2", True), ("bench/one/0", True)]
    assert server.asked == []
    assert is_right(Item(question(1)), {"response": "A"}) is False


def test_the_users_prompts_take_the_place_of_ours_and_examples_are_not_scored(tmp_path: Path) -> None:
    (tmp_path / "prompts.toml").write_text(
        'prompt = [{variant = "few", system = "s.txt", user = "u.txt", source = "a paper", examples = 1}]\n'
        'example = [{question = "Which is 1?", choices = ["text A", "text B", "text C"], key = ["B"]}]\n'
    )
    (tmp_path / "s.txt").write_text("Obey.")
    (tmp_path / "u.txt").write_text(
        "{% for e in examples %}{{ e.question }} {{ e.key[0] }}\n{% endfor %}{{ question }}"
    )
    prompts = Prompts("bench", tmp_path)
    from pipelines.questions.identity import fingerprint

    found = [
        question(n) | {"topic": None, "exam": None, "passage": None, "source_key": str(n),
                       "fingerprint": fingerprint(f"Which is {n}?", ["text A", "text B", "text C"])}
        for n in (1, 2)
    ]  # fmt: skip
    [message] = prompts.messages(found)["bench/one/2"]
    assert message.messages[1]["content"] == "Which is 1? B\nWhich is 2?"
    assert prompts.examples(prompts.prompts[0], found) == {found[0]["fingerprint"]}
    digest = prompts.digest
    (tmp_path / "s.txt").write_text("Obey!")
    assert Prompts("bench", tmp_path).digest != digest


FEW = '[[prompt]]\nvariant = "few"\nsystem = "s.txt"\nuser = "u.txt"\nsource = "x"\n'
EXAMPLE = '[[example]]\nquestion = "Q"\nchoices = ["a", "b"]\nkey = '


@pytest.mark.parametrize(
    ("file", "user", "why"),
    [
        ("prompt = [", "", r"prompts.toml can't be read \(.*\); correct it"),
        ('prompt = {variant = "few"}', "", r"write \[\[prompt\]\] over each"),
        (FEW + "examples = '1'", "", "examples of prompt is '1'; give a whole number"),
        (FEW + "examples = -1", "", "examples is -1"),
        (FEW + EXAMPLE + '"B"', "", "key of example is 'B'; give a list of texts"),
        (FEW + EXAMPLE + '["Z"]', "", r"the key \['Z'\] of an example is not among its choices \['A', 'B'\]"),
        (FEW.replace("u.txt", "gone.txt"), "", "names gone.txt, which is not in its folder"),
        (FEW, "{% for e in %}", "u.txt can't be used .* correct the template"),
        (FEW, "{{ nothing }}", "u.txt can't be used .*'nothing' is undefined"),
        (FEW, "{{ question + 1 }}", "u.txt can't be used"),
        (FEW, "{% include 'u.txt' %}", "u.txt can't be used .*recursion"),
    ],
)
def test_a_folder_of_prompts_that_is_no_use_is_one_sentence(tmp_path: Path, file: str, user: str, why: str) -> None:
    (tmp_path / "prompts.toml").write_text(file)
    (tmp_path / "s.txt").write_text("Obey.")
    (tmp_path / "u.txt").write_text(user)
    asked = question(1) | {"topic": None, "exam": None, "passage": None, "source_key": "1", "fingerprint": "f"}
    with pytest.raises(SettingsError, match=why):
        Prompts("bench", tmp_path).messages([asked])
    with pytest.raises(SettingsError):
        Prompts("bench", tmp_path).task("mc")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"limit": 30, "budget": 50}, "leave limit and attempts out"),
        ({"attempts": 2, "budget": 50}, "leave limit and attempts out"),
        ({"budget": 19}, "nothing is predicted from fewer than 20"),
        ({"cost": 1.0}, "needs prices"),
        ({"rank": "best"}, "mc or cloze"),
        ({"attempts": 0}, "attempts is 0"),
        ({"temperature": float("nan")}, "not a finite number"),
        ({"parameters": {"top_p": float("inf")}}, "not a finite number"),
        ({"model": " "}, "model is empty"),
    ],
)
def test_settings_that_make_no_sense_are_said_by_command_and_job_alike(
    tmp_path: Path, settings: dict[str, Any], why: str
) -> None:
    budget, cost = settings.pop("budget", None), settings.pop("cost", None)
    with pytest.raises(SettingsError, match=why):
        wish = Wish(**{"model": "m", "base_url": "http://host/v1"} | settings)
        Call(tmp_path, tmp_path, wish, Limits(cost=cost), budget=budget)


def test_the_job_takes_the_settings_of_the_command() -> None:
    here_alone = {"dry_run", "no_import", "data", "verbose", "debug", "quiet"}
    assert {p.name for p in command.ask.params} - here_alone == set(AskConfig.model_fields)


@pytest.mark.parametrize("model", ["../../etc/passwd", "..", "/", ".hidden", "x" * 400, "模" * 400, "a/b:c"])
def test_a_model_of_any_name_has_its_journal_in_the_inbox(tmp_path: Path, model: str) -> None:
    named = Plan("bench/one", (), plan().header | {"model": model}).name
    path = tmp_path / named
    assert path.resolve().parents[1] == tmp_path / "ask" and not path.parent.name.startswith(".")
    with Journal(path, {}):
        assert path.exists()


def test_a_full_disk_is_said_and_costs_no_answer_that_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with served() as server:
        ask(server, tmp_path / "a.jsonl", n=1)
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(MedexamsError, match=r"a\.jsonl can't be written \(No space left on device\); make room"):
            ask(server, tmp_path / "a.jsonl")
        monkeypatch.undo()
        outcome, rows = ask(server, tmp_path / "a.jsonl")
    assert outcome.failed == 0 and {r["question_id"] for r in rows} == {f"bench/one/{n}" for n in range(3)}


def test_tokens_are_guessed_by_script() -> None:
    assert (about_tokens("abcdefgh"), about_tokens("医師国家試験")) == (2, 6)
