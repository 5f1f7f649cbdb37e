"""`medexams runs`: predictions that tools wrote, added, listed and looked at."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from pipelines.cli.command import Group, data_option, json_option
from pipelines.cli.names import the_run
from pipelines.cli.output import cell, console, dump, echo, echo_sentence, is_narrow, rows_as_json, show_progress
from pipelines.cli.refresh import run_job
from pipelines.cli.shown import runs_show
from pipelines.cli.warehouse import open_warehouse, query_warehouse
from pipelines.errors import LockedError, MedexamsError, SettingsError
from pipelines.settings import Settings
from pipelines.vocabulary import RUN_KINDS


@click.group(cls=Group)
def runs() -> None:
    """Predictions that evaluation tools wrote: add them, list them, look at the responses."""


@runs.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--model", help="Model, where the files do not say.")
@click.option("--vendor", help="Who made the model.")
@click.option("--dataset", help="Dataset (or benchmark) that was answered, where the files do not say.")
@click.option("--description", help="Free description of the run.")
@click.option("--use-case", help="Use case that was run, of those on the benchmark's card.")
@click.option("--kind", type=click.Choice(RUN_KINDS), help="What answered.")
@click.option("--encoding", help="Encoding of text files that are not UTF-8, for example cp932.")
@click.option("--replace", is_flag=True, help="Take the place of files of the same name that came from elsewhere.")
@click.option("--lenient", is_flag=True, help="Exit with 0 though something could not be read or matched.")
@json_option
@data_option
def runs_add(
    paths: tuple[Path, ...], replace: bool, lenient: bool, as_json: bool, data: Path | None, **said: str | None
) -> None:
    """Copy prediction files or folders into the inbox, read and score them, publish, and say what was read.

    The format is found from the content: the benchmarks' own results, lm-evaluation-harness, Inspect, HELM, lighteval,
    OpenCompass, OpenAI batches, CSV, Excel and JSON lines; also in folders and zip, tar or gz archives. Exit code 1
    when anything that was named could not be read or matched.

    \b
    Examples:
      medexams runs add results/                              a folder, whatever is in it
      medexams runs add answers.csv --model my-model          what the file does not say
      medexams runs add samples.jsonl.gz --dataset DATASET
      medexams runs add people.csv --model "class of 2024" --kind human
      medexams runs add mended/answers.csv --replace          in place of the answers.csv added before
    """
    from pipelines.runs import inbox
    from pipelines.runs.formats.card import Card

    settings = Settings.from_env(data=data)
    query_warehouse(settings, "select 1")  # without questions there is nothing to match predictions to
    card = Card(**said) if any(said.values()) else None
    with show_progress() as report:
        added = inbox.add(
            paths, settings.inbox_folder, card, settings.limits, report, lambda *there: replace or _may_replace(*there)
        )
    try:
        run_job(settings, "score")
    except LockedError as fault:
        raise MedexamsError(
            f"{len(added.copied)} files are in the inbox and not read yet, since {fault}; the next `medexams refresh` "
            "or the inbox sensor reads them"
        ) from fault
    names = [f"{settings.inbox_folder.name}/{name}" for name in (*added.copied, *added.refused)]
    if not as_json:
        for name, origin in added.kept.items():
            echo(f"an earlier {name} (from {origin}) stays beside the new one; --replace takes its place")
    shown = {"files": added.copied, "kept": added.kept} if as_json else None
    say_what_was_read(settings, names, lenient=lenient, as_json=shown)


def say_what_was_read(
    settings: Settings, names: Sequence[str], *, lenient: bool, as_json: dict[str, Any] | None = None
) -> None:
    """What the published warehouse made of files of the inbox; with `as_json`, as JSON beside what that says.

    Raises MedexamsError when not all of them could be read and matched, unless `lenient`.
    """
    from pipelines.runs.imported import NOTHING_NEW

    with open_warehouse(settings) as con:
        con.execute("create temp table named (name varchar)")
        con.executemany("insert into named values (?)", [[name] for name in names])
        found = con.execute(_ADDED).fetchall()
        rejected = con.execute(_REJECTED).fetchall()
        unmatched = con.execute(_UNMATCHED).fetchall()
    if as_json is not None:
        runs_found = [dict(zip(_RUN_COLUMNS, row, strict=True)) for row in found]
        refused = [dict(zip(("path", "reason", "detail"), row, strict=True)) for row in rejected]
        strangers = [dict(zip(("from", "predictions", "reason"), row, strict=True)) for row in unmatched]
        echo(dump(as_json | {"runs": runs_found, "rejected": refused, "unmatched": strangers}))
    else:
        if found:
            _print_runs(found, _RUN_COLUMNS)
        for path, reason, detail in rejected:
            echo_sentence(f"rejected {path}: {reason}{f' ({detail})' if detail else ''}")
        for run, n, reason in unmatched:
            echo_sentence(f"unmatched {run}: {n} predictions, the first: {reason}")
        echo(f"{len(names)} files added, {len(found)} runs, {len(rejected)} files rejected")
    faults = [path for path, reason, _ in rejected if not reason.startswith(NOTHING_NEW)]
    if (faults or unmatched) and not lenient:
        lost = sum(n for _, n, _ in unmatched)
        raise MedexamsError(
            f"{len(faults)} files could not be read and {lost} predictions not matched, for the reasons given; "
            "mend them and add them again, or use --lenient"
        )


def _may_replace(name: str, origin: str) -> bool:
    """Ask whether a file may take the place of one of its name; without a terminal it may not."""
    if not sys.stdin.isatty():
        return False
    echo(f"{name} was added before, from {origin}", err=True)
    return click.confirm("Replace it?", default=False, err=True)


@runs.command("remove")
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@data_option
def runs_remove(names: tuple[str, ...], data: Path | None) -> None:
    """Take runs out: their files leave the inbox, and all is scored and published anew.

    RUN is a run_id, a model or a part of one. A file that holds other runs too leaves only if these are named as well.

    \b
    Examples:
      medexams runs remove RUN
    """
    from pipelines.runs import inbox

    settings = Settings.from_env(data=data)
    with open_warehouse(settings) as con:
        named = [the_run(con, name) for name in names]
    files_of = {
        run: {name for path in (files or "").split("\n") if (name := _in_inbox(settings, path))}
        for run, files in query_warehouse(settings, "select run_id, files from run")
    }
    if strange := [run for run in named if not files_of[run]]:
        raise SettingsError(f"{strange[0]} has no file in the inbox (a baseline, or part of the sample); it stays")
    gone = set().union(*(files_of[run] for run in named))
    if others := sorted(run for run, files in files_of.items() if run not in named and gone & files):
        raise SettingsError(f"the files of {named[0]} hold other runs too: {', '.join(others[:5])}; name them as well")
    inbox.remove(settings.inbox_folder, sorted(gone))
    run_job(settings, "score")
    echo(f"removed {', '.join(named)}: {len(gone)} files left the inbox")


def _in_inbox(settings: Settings, path: str) -> str | None:
    """The file of the inbox that a run's file is, or is a member of; None where it lies elsewhere."""
    folder, _, inner = path.partition("/")
    if folder != settings.inbox_folder.name:
        return None
    parts = inner.split("/")
    above = ("/".join(parts[:n]) for n in range(1, len(parts) + 1))
    return next((name for name in above if (settings.inbox_folder / name).is_file()), None)


@runs.command("card")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, exists=True))
@data_option
def runs_card(path: Path, data: Path | None) -> None:
    """Write a card to fill in beside a prediction file or folder, with what the files tell already.

    A card says what predictions do not: model, dataset, kind and more (docs/runs.md lists its fields).

    \b
    Examples:
      medexams runs card answers.csv         writes answers.csv.card.toml
      medexams runs card results/            writes results/card.toml, for all that is below
    """
    from pipelines.runs.formats.card import Card, template
    from pipelines.runs.ingesting import known_card
    from pipelines.runs.planning import plan, walk

    limits = Settings.from_env(data=data).limits
    card = path / "card.toml" if path.is_dir() else path.with_name(f"{path.name}.card.toml")
    if card.exists():
        raise SettingsError(f"{card} is there already; change it, or remove it first")
    planned = plan(walk(path, limits), limits=limits)
    if not planned.groups:
        rejected = planned.rejected.rejected_file
        raise MedexamsError(f"{path}: {rejected[0]['reason'] if rejected else 'no predictions are there'}")
    found = known_card(planned.groups[0]) if len(planned.groups) == 1 else Card()
    card.write_text(template(found), encoding="utf-8")
    echo(f"{card} written; fill it in, then: medexams runs add {path}{'' if path.is_dir() else f' {card}'}")


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

# `named` holds the names of the files that were added; those of archives' members begin with them.
_IS_NAMED = "exists (select 1 from named n where {path} = n.name or starts_with({path}, n.name || '/'))"

_OF_NAMED = f"""exists (
        select 1 from (select unnest(string_split(coalesce(r.files, ''), chr(10))) as path) f
        where {_IS_NAMED.format(path="f.path")})"""

_ADDED = _COUNTS.format(where=_OF_NAMED)

# Predictions of the named files that match no question: those of each run or file, how many, and the first reason.
_UNMATCHED = f"""
    select u.run_id, count(*), min_by(u.reason, u.locator) from unmatched_prediction u left join run r using (run_id)
    where {_IS_NAMED.format(path="u.run_id")} or {_OF_NAMED} group by u.run_id order by u.run_id"""

_REJECTED = f"""
    select path, reason, detail from rejected_file where {_IS_NAMED.format(path="path")} order by path"""


def _print_runs(rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> None:
    if is_narrow():
        for run, model, dataset, form, *counts in rows:
            told = (f"{n} {name}" for name, n in zip(columns[4:], counts, strict=False) if n)
            echo_sentence(f"{run}\n  {model} on {dataset}, {form}: {', '.join(told) or 'nothing'}", indent="    ")
        return
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


runs.add_command(runs_show)
