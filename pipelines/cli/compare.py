"""`medexams compare`: two runs beside each other, from the test's result in words to the single question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import duckdb
from rich.table import Table

from pipelines.cli.command import command, data_option, style_options
from pipelines.cli.names import LISTED, complete_run, runs_named
from pipelines.cli.output import cell, console, echo, echo_sentence, print_rows
from pipelines.cli.warehouse import open_warehouse, records
from pipelines.errors import MedexamsError, SettingsError
from pipelines.report import links
from pipelines.settings import Settings

OUTCOMES = ("both right", "only the first", "only the second", "both wrong", "as often")
"""Values of compare_answers.outcome in the order in which they are shown."""
SURE = 0.05


@command()
@click.argument("first", metavar="A", shell_complete=complete_run)
@click.argument("second", metavar="B", shell_complete=complete_run)
@click.option("--dataset", help="The dataset, or a part of its name, where both answered several.")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="Questions with this outcome alone.")
@click.option("--topic", help="Questions of this subject alone.")
@click.option("--limit", default=20, show_default=True, help="At most so many questions in the table.")
@style_options()
@data_option
def compare(
    first: str, second: str, dataset: str | None, outcome: str | None, topic: str | None, limit: int, style: str,
    data: Path | None,
) -> None:  # fmt: skip
    """Compare two runs on the questions that both answered: the difference, by subject, and question by question.

    A and B are run_ids, models or parts of them. csv and json give every question.

    \b
    Examples:
      medexams compare model-a model-b
      medexams compare model-a model-b --dataset DATASET
      medexams compare model-a model-b --outcome "both wrong"       what neither got right
      medexams compare model-a model-b --outcome "only the first" --topic biology
      medexams compare model-a model-b --format csv > pair.csv
    """
    settings = Settings.from_env(data=data)
    with open_warehouse(settings) as con:
        run_a, run_b = _pair(con, first, second, dataset or "")
        items = records(con, "from compare_answers(?, ?)", [run_a, run_b])
        tests = records(con, "from compare(?, ?) order by metric", [run_a, run_b])
    if not items:
        raise MedexamsError(f"{run_a} and {run_b} share no question that counts")
    if topic and topic not in (topics := sorted({i["topic"] for i in items if i["topic"]})):
        raise SettingsError(f"no subject {topic!r} in what both answered; there are {', '.join(topics) or 'none'}")
    chosen = [i for i in items if outcome in (None, i["outcome"]) and topic in (None, i["topic"])]
    if style != "table":
        print_rows(style, list(items[0]), [tuple(i.values()) for i in chosen])
        return
    echo(f"A  {run_a}\nB  {run_b}\n")
    for line in _in_words(items, tests):
        echo_sentence(line)
    _print_topics(items)
    _print_items(chosen, limit, all_shown=outcome is not None or topic is not None)
    echo(f"report: {(settings.data / 'report').resolve() / links.pair(run_a, run_b)}")


def _pair(con: duckdb.DuckDBPyConnection, first: str, second: str, dataset: str) -> tuple[str, str]:
    """The two runs that are meant: of the runs that the names fit, the one pair that answered the same dataset."""
    ones, others = runs_named(con, first), runs_named(con, second)
    pairs = [(a, b) for a, d in ones.items() for b, e in others.items() if d == e and a != b and dataset in d]
    if len(pairs) == 1:
        return pairs[0]
    if not pairs:
        which = f"dataset like {dataset!r}" if dataset else "dataset"
        raise SettingsError(
            f"{first} and {second} answered no {which} in common: {', '.join(sorted(set(ones.values())))} "
            f"and {', '.join(sorted(set(others.values())))}"
        )
    shown = "; ".join(f"{a} and {b}" for a, b in pairs[:LISTED]) + (" …" if len(pairs) > LISTED else "")
    raise SettingsError(f"{first} and {second} may be any of {len(pairs)} pairs (--dataset tells): {shown}")


def _in_words(items: list[dict[str, Any]], tests: list[dict[str, Any]]) -> Iterator[str]:
    """What came out, as sentences."""
    counted = Counter(i["outcome"] for i in items)
    parts = [f"{name.replace('the first', 'A').replace('the second', 'B')} {counted[name]}" for name in OUTCOMES]
    yield f"Of {len(items)} questions: {', '.join(p for p in parts if not p.endswith(' 0'))}."
    for t in tests:
        name = t["metric"].replace("_", " ")
        better = "A" if t["difference"] > 0 else "B"
        p = t["p_adjusted"]
        if not t["difference"]:
            said = "no difference"
        elif p is None:
            said = f"{better} is higher; no test beside a baseline"
        elif p < SURE:
            said = f"{better} is better (p = {p:.2g}, adjusted for all pairs of the dataset)"
        else:
            said = f"which is better can't be told (p = {p:.2g}, adjusted for all pairs of the dataset)"
        yield (
            f"{name}: A {t['value_a']:.3f}, B {t['value_b']:.3f}, "
            f"difference {t['difference']:+.3f} (95 % {t['low']:+.3f} … {t['high']:+.3f}): {said}."
        )


def _print_topics(items: list[dict[str, Any]]) -> None:
    counted = Counter((i["topic"] or "(none)", i["outcome"]) for i in items)
    shown = [name for name in OUTCOMES if any(o == name for _, o in counted)]
    table = Table("subject", *(name.replace("the first", "A").replace("the second", "B") for name in shown))
    for topic in sorted({t for t, _ in counted}):
        table.add_row(cell(topic), *(str(counted[topic, name]) for name in shown))
    if table.row_count > 1:
        console().print(table)


def _print_items(chosen: list[dict[str, Any]], limit: int, *, all_shown: bool) -> None:
    """The questions, those that tell the two apart unless others were asked for."""
    rows = chosen if all_shown else [i for i in chosen if i["outcome"] not in ("both right", "both wrong")]
    table = Table("question", "subject", "key", "A", "B", "outcome")
    for i in rows[:limit]:
        outcome = i["outcome"].replace("the first", "A").replace("the second", "B")
        table.add_row(*map(cell, (i["question_id"], i["topic"], i["key"], i["answer_a"], i["answer_b"], outcome)))
    console().print(table)
    if len(rows) > limit:
        echo(f"the first {limit} of {len(rows)}; --limit shows more, --format csv all", err=True)
