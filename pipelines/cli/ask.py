"""`medexams ask`: a model on an OpenAI-compatible server, from its address to the leaderboard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pipelines.cli.command import command, data_option
from pipelines.cli.output import echo, show_progress
from pipelines.cli.refresh import run_job
from pipelines.cli.runs import say_what_was_read
from pipelines.cli.warehouse import open_warehouse
from pipelines.errors import LockedError, MedexamsError, SettingsError
from pipelines.schema import BENCHMARKS
from pipelines.settings import Settings


@command()
@click.option("--base-url", required=True, help="The server, for example http://127.0.0.1:8000/v1.")
@click.option("--model", required=True, help="The model's name on that server.")
@click.option("--benchmark", type=click.Choice(BENCHMARKS), help="The newest datasets of this benchmark.")
@click.option("--dataset", "datasets", multiple=True, help="This dataset (may be given several times).")
@click.option("--exam", help="One exam: its id, profession/year, a profession or a year.")
@click.option("--variant", help="Which of the benchmark's prompts; default: its first.")
@click.option("--rank", type=click.Choice(["mc", "cloze"]), help="Choose by log-likelihood, as lm-eval does.")
@click.option("--limit", type=click.IntRange(1), help="So many questions of each dataset, drawn at random.")
@click.option(
    "--budget",
    type=click.IntRange(20),
    help="So many questions of each exam, the most telling ones; the whole is predicted.",
)
@click.option("--attempts", type=click.IntRange(1), default=1, help="Answers to each question.")
@click.option("--images", is_flag=True, help="The model takes pictures; else questions with one are not asked.")
@click.option("--prompts", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder of own prompts.")
@click.option(
    "--temperature", type=float, default=0.0, show_default=True, help="Temperature that the model samples with."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed, where the server takes one.")
@click.option("--max-tokens", type=click.IntRange(1), default=1024, show_default=True, help="Of one answer.")
@click.option("--parameter", "parameters", multiple=True, help="NAME=JSON for each request; null leaves NAME out.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Requests at a time.")
@click.option("--timeout", type=click.FloatRange(0.1), default=120.0, show_default=True, help="Seconds for one answer.")
@click.option("--max-tokens-total", type=click.IntRange(1), help="Stop before more tokens are used.")
@click.option("--max-cost", type=click.FloatRange(0), help="Stop before it costs more, at --price-in and --price-out.")
@click.option("--price-in", type=click.FloatRange(0), default=0.0, help="Price of a million tokens of prompts.")
@click.option("--price-out", type=click.FloatRange(0), default=0.0, help="Price of a million tokens of answers.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it may cost, and end.")
@click.option("--no-import", is_flag=True, help="Leave the answers in the inbox; the next refresh reads them.")
@data_option
def ask(
    parameters: tuple[str, ...],
    concurrency: int,
    timeout: float,
    max_tokens_total: int | None,
    max_cost: float | None,
    price_in: float,
    price_out: float,
    dry_run: bool,
    no_import: bool,
    budget: int | None,
    data: Path | None,
    **wished: Any,
) -> None:
    """Ask a model the questions of the warehouse with the benchmarks' prompts, score its answers and publish.

    Any OpenAI-compatible server will do. The key is read from MEDEXAMS_ASK_KEY or OPENAI_API_KEY and written nowhere.
    Each answer is kept as it comes; the same command asks what is missing, after whatever ended the one before, and
    what got an error again. Limits count all that the run has used, earlier calls included. Exit code 1 when a question
    has no answer in the end.

    \b
    Examples:
      medexams ask --base-url http://127.0.0.1:8000/v1 --model MODEL --limit 30
      medexams ask --base-url URL --model MODEL --benchmark BENCHMARK --rank mc
      medexams ask --base-url URL --model MODEL --exam EXAM --budget 100
      medexams ask --base-url URL --model MODEL --max-cost 5 --price-in 0.15 --price-out 0.6
    """
    from pipelines.ask.asking import Limits
    from pipelines.ask.call import Call, what_is_missing
    from pipelines.ask.plan import Wish

    settings = Settings.from_env(data=data)
    wish = Wish(parameters=_parameters(parameters), **wished)
    limits = Limits(max_tokens_total, max_cost, price_in, price_out)
    with show_progress() as report:
        call = Call(settings.data, settings.inbox_folder, wish, limits, timeout, concurrency, _say, report, budget)
        with open_warehouse(settings) as con:
            outcomes = call.make(con, dry_run=dry_run)
    names = [f"{settings.inbox_folder.name}/{plan.name}" for plan, outcome in outcomes if outcome.kept]
    if not no_import and names:
        try:
            run_job(settings, "score")
        except LockedError as fault:
            raise MedexamsError(f"the answers are in the inbox and not read yet, since {fault}") from fault
        say_what_was_read(settings, names, lenient=False)
    if lost := what_is_missing(outcomes):
        raise MedexamsError(f"{lost}; the same command asks for them again")


def _say(text: str) -> None:
    echo(text, err=True)


def _parameters(said: Sequence[str]) -> dict[str, Any]:
    found = {}
    for text in said:
        name, equals, value = text.partition("=")
        try:
            found[name] = json.loads(value)
        except ValueError:
            equals = ""
        if not equals:
            raise SettingsError(
                f"--parameter {text!r} is not NAME=JSON, such as top_p=0.9 or reasoning_effort='\"low\"'"
            )
    return found
