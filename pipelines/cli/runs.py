"""`medexams runs`: predictions that tools wrote, added, listed and looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import duckdb
from rich.table import Table

from pipelines.cli.command import Group, data_option, json_option
from pipelines.cli.output import cell, console, dump, echo, rows_as_json, show_progress
from pipelines.cli.refresh import run_job
from pipelines.cli.warehouse import open_warehouse, query_warehouse
from pipelines.errors import MedexamsError, SettingsError
from pipelines.settings import Settings
from pipelines.vocabulary import PREDICTION_STATUSES, RUN_KINDS


@click.group(cls=Group)
def runs() -> None:
    """Predictions that evaluation tools wrote: add them, list them, look at the responses."""


@runs.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--model", help="Model, where the files do not say.")
@click.option("--vendor", help="Who made the model.")
@click.option("--dataset", help="Dataset (or benchmark) that was answered, where the files do not say.")
@click.option("--description", help="Free description of the run.")
@click.option("--use-case", help="Use case of COGNET-MD's benchmark card.")
@click.option("--kind", type=click.Choice(RUN_KINDS), help="What answered.")
@json_option
@data_option
def runs_add(paths: tuple[Path, ...], as_json: bool, data: Path | None, **said: str | None) -> None:
    """Copy prediction files or folders into the inbox, read and score them, publish, and say what was read.

    The format is found from the content: lm-evaluation-harness, KokushiMD-10 results, IgakuQA, COGNET-MD, Inspect,
    HELM, lighteval, OpenCompass, OpenAI batches, CSV and JSON lines; also in folders and zip, tar or gz archives.

    \b
    Examples:
      medexams runs add results/                              a folder, whatever is in it
      medexams runs add answers.csv --model my-model          what the file does not say
      medexams runs add samples_medschool.jsonl.gz --dataset medschool
      medexams runs add people.csv --model "class of 2024" --kind human
    """
    from pipelines.runs import inbox
    from pipelines.runs.archives import Limits
    from pipelines.runs.formats.card import Card

    settings = Settings.from_env(data=data)
    # Without questions there is nothing to match predictions to.
    before = {run for run, _, _ in query_warehouse(settings, _UNMATCHED)}
    card = Card(**said) if any(said.values()) else None
    with show_progress() as report:
        copied = inbox.add(paths, settings.inbox_folder, card, Limits(file_bytes=settings.max_bytes), report)
    run_job(settings, "score")
    with open_warehouse(settings) as con:
        con.execute("create temp table copied (name varchar)")
        con.executemany("insert into copied values (?)", [[f"{settings.inbox_folder.name}/{name}"] for name in copied])
        found = con.execute(_ADDED).fetchall()
        rejected = con.execute(_REJECTED).fetchall()
        unmatched = [row for row in con.execute(_UNMATCHED).fetchall() if row[0] not in before]
    if as_json:
        runs_found = [dict(zip(_RUN_COLUMNS, row, strict=True)) for row in found]
        refused = [{"path": path, "reason": reason} for path, reason in rejected]
        strangers = [dict(zip(("from", "predictions", "reason"), row, strict=True)) for row in unmatched]
        echo(dump({"files": copied, "runs": runs_found, "rejected": refused, "unmatched": strangers}))
    else:
        if found:
            _print_runs(found, _RUN_COLUMNS)
        for path, reason in rejected:
            echo(f"rejected {path}: {reason}")
        for run, n, reason in unmatched:
            echo(f"unmatched {run}: {n} predictions, the first: {reason}")
        echo(f"{len(copied)} files added, {len(found)} runs, {len(rejected)} files rejected")
    if rejected and not found:
        raise MedexamsError("no run came of these files; the reasons stand in rejected_file")


_RUN_COLUMNS = (
    "run", "model", "dataset", "format",
    "answered", "abstained", "refused", "ambiguous", "unparsed", "empty", "error", "unmatched",
)  # fmt: skip

_COUNTS = """
    select
        run_id, model, dataset_id, format,
        count(*) filter (status = 'answered') as answered,
        count(*) filter (status = 'abstained') as abstained,
        count(*) filter (status = 'refused') as refused,
        count(*) filter (status = 'ambiguous') as ambiguous,
        count(*) filter (status = 'unparsed') as unparsed,
        count(*) filter (status = 'empty') as empty,
        count(*) filter (status = 'error') as error,
        (select count(*) from unmatched_prediction u where u.run_id = r.run_id) as unmatched
    from run r left join prediction p using (run_id)
    where {where}
    group by all order by dataset_id, model, run_id"""

_ADDED = _COUNTS.format(
    where="exists (select 1 from copied c where list_contains(string_split(coalesce(r.files, ''), chr(10)), c.name))"
)

# Predictions that came with no run at all: each file or folder, how many, and the first reason.
_UNMATCHED = """
    select u.run_id, count(*), min_by(u.reason, u.locator) from unmatched_prediction u
    where not exists (select 1 from run r where r.run_id = u.run_id) group by u.run_id order by u.run_id"""

_REJECTED = """
    select path, reason from rejected_file
    where exists (select 1 from copied c where path = c.name or starts_with(path, c.name || '/')) order by path"""


def _print_runs(rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> None:
    table = Table(*columns)
    for row in rows:
        table.add_row(*map(cell, row[: len(columns)]))
    console().print(table)


@runs.command("list")
@json_option
@data_option
def runs_list(as_json: bool, data: Path | None) -> None:
    """List all runs with how their responses were read.

    \b
    Examples:
      medexams runs list
      medexams runs list --json | jq '.[] | select(.unparsed > 0) | .run'
    """
    rows = query_warehouse(Settings.from_env(data=data), _COUNTS.format(where="true"))
    echo(rows_as_json(_RUN_COLUMNS, rows)) if as_json else _print_runs(rows, _RUN_COLUMNS)


def _run_ids(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Run ids for the shell's completion; none where there is no warehouse."""
    try:
        sql = "select run_id from run where starts_with(run_id, ?) order by 1 limit 50"
        return [row[0] for row in query_warehouse(Settings.from_env(data=ctx.params.get("data")), sql, [incomplete])]
    except (MedexamsError, duckdb.Error):
        return []


@runs.command("show")
@click.argument("run", shell_complete=_run_ids)
@click.option("--status", type=click.Choice(PREDICTION_STATUSES), help="Responses that were read so, alone.")
@click.option("--limit", default=20, show_default=True, help="At most so many responses.")
@json_option
@data_option
def runs_show(run: str, status: str | None, limit: int, as_json: bool, data: Path | None) -> None:
    """Show how the responses of a run were read. RUN is a run_id or the beginning of one (see `runs list`).

    \b
    Examples:
      medexams runs show gpt-4/kokushi_md10-ja
      medexams runs show gpt-4 --status unparsed --limit 5     what could not be read, to see why
    """
    settings = Settings.from_env(data=data)
    ids = [
        r[0] for r in query_warehouse(settings, "select run_id from run where starts_with(run_id, ?) order by 1", [run])
    ]
    exact = [i for i in ids if i == run] or ids
    if len(exact) != 1:
        which = f"{len(ids)} runs begin so: {', '.join(ids[:5])}" if ids else "see `medexams runs list`"
        raise SettingsError(f"no single run {run!r}; {which}")
    sql = """select question_id, attempt, status, labels, value, evidence, response from prediction
             where run_id = ? and coalesce(status = ?, true) order by question_id, attempt limit ?"""
    rows = query_warehouse(settings, sql, [exact[0], status, limit])
    names = ("question_id", "attempt", "status", "labels", "value", "evidence", "response")
    if as_json:
        echo(rows_as_json(names, rows))
        return
    if not rows:
        echo(f"no response{f' with status {status}' if status else ''} in {exact[0]}")
    for row in rows:
        shown = dict(zip(names, row, strict=True))
        echo(f"{shown['question_id']} (attempt {shown['attempt']}): {shown['status']} "
                   f"{shown['labels'] or shown['value'] or ''}")  # fmt: skip
        echo(f"    {shown['response'] if shown['response'] is not None else '(no response)'}".replace("\n", "\n    "))
    unmatched = query_warehouse(
        settings, "select locator, reason from unmatched_prediction where run_id = ? limit ?", [exact[0], limit]
    )
    for locator, reason in unmatched if status is None else []:
        echo(f"unmatched {locator}: {reason}")
