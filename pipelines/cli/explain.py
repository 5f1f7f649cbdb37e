"""`medexams explain`: why one answer of a run scored as it did, from the question to the file that it came from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pipelines.cli.command import command, data_option, style_options
from pipelines.cli.names import complete_run, runs_named, the_question
from pipelines.cli.output import dump, echo, echo_sentence, number
from pipelines.cli.warehouse import open_warehouse, records
from pipelines.errors import MedexamsError
from pipelines.report import links
from pipelines.settings import Settings

_ANSWERS = """
    select * from answer_detail where question_id = ? and run_id in (select unnest(?)) order by run_id, attempt"""
_CHOICES = "select label, text, is_correct, is_forbidden from choice where question_id = ? order by position"


@command()
@click.argument("run", shell_complete=complete_run)
@click.argument("question")
@style_options("text", "json")
@data_option
def explain(run: str, question: str, style: str, data: Path | None) -> None:
    """Say why an answer scored as it did: response, reading, key, points, rule, file and line.

    RUN is a run_id, a model or a part of one; QUESTION a question_id or a part of one that fits no other question.

    \b
    Examples:
      medexams explain RUN QUESTION
      medexams explain gpt-4 医師/2020/A/12
      medexams explain gpt-4 医師/2020/A/12 --json | jq .answers[].evidence
    """
    settings = Settings.from_env(data=data)
    with open_warehouse(settings) as con:
        runs = runs_named(con, run)
        question_id = the_question(con, question, set(runs.values()))
        answers = records(con, _ANSWERS, [question_id, list(runs)])
        if not answers:
            raise MedexamsError(f"{run} has no answer to {question_id}; `medexams runs show {run}` lists what it has")
        choices = records(con, _CHOICES, [question_id])
    page = (settings.data / "report").resolve() / links.question(question_id)
    if style == "json":
        echo(dump({"question_id": question_id, "choices": choices, "answers": answers, "report": str(page)}))
        return
    for answer in answers:
        for line in _text(answer, choices):
            echo_sentence(line, indent=" " * 10)
        echo("")
    written = page.with_name("question.html").exists()
    echo(f"report    {page}{'' if written else ' (after `medexams report`)'}")


def _text(a: dict[str, Any], choices: list[dict[str, Any]]) -> Iterator[str]:
    attempt = f", attempt {a['attempt']}" if a["attempt"] > 1 else ""
    points = f"{number(a['points'])} of {number(a['max_points'])} points"
    yield f"{a['model']} on {a['question_id']}{attempt}: {a['result']}, {points}"
    yield f"run       {a['run_id']}"
    yield _block("question", a["stem"])
    chosen = (a["answer"] or "").split("-") if choices else []
    for choice in choices:
        marks = [
            word
            for word, holds in (
                ("chosen", choice["label"] in chosen),
                ("key", choice["is_correct"]),
                ("forbidden", choice["is_forbidden"]),
            )
            if holds
        ]
        sign = f"  ← {', '.join(marks)}" if marks else ""
        yield _block("", f"{choice['label']}. {choice['text']}{sign}")
    yield _block("response", a["response"] if a["response"] is not None else "(none)")
    read = f"{a['status']}: {a['answer']}" if a["answer"] else a["status"]
    yield _block("read as", f"{read}, from “{a['evidence']}”" if a["evidence"] else read)
    counts = "" if a["key_status"] == "scored" else f" ({a['key_status'].replace('_', ' ')})"
    yield _block("key", f"{a['key'] or 'unknown'}{counts}")
    yield _block("rule", f"{a['rule']} ({a['rule_status']}: {a['rule_source']})")
    if a["disagreement"]:
        yield _block("released", f"{number(a['published_points'])} by the released scorer: {a['disagreement']}")
    yield _block("file", f"{a['file']}, {a['locator']} (reader {a['reader']})" if a["file"] else "none: a baseline")


def _block(name: str, text: str) -> str:
    """A named text, its further lines set under the first."""
    return f"{name:<10}" + text.strip().replace("\n", "\n" + " " * 10)
