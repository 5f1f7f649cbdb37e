"""The medexams command: what a person types, printed for a person or, with --json, for a program.

Exit codes: 0 done; 1 a check failed or something could not be read (one sentence says what and what to do); 2 wrong
usage. No computing here: commands call the jobs of definitions.py or read the published warehouse.
"""

from __future__ import annotations

import csv
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import duckdb
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from pipelines.errors import MedexamsError, SettingsError
from pipelines.schema import BENCHMARKS, PREDICTION_STATUSES
from pipelines.settings import PROFILES, Settings

EXPORT_FORMATS = ("parquet", "jsonl", "croissant", "lm-eval", "prompts", "every-eval-ever", "csv", "xlsx")
"""The names of pipelines.export.FORMATS, stated here so that other commands need not import it."""
ROWS_SHOWN = 1000
"""Rows that `sql` sets as a table; a longer one takes long to set, and nobody reads it."""
STALE_AFTER = 0.5
"""Seconds between two progress lines where there is no terminal."""


INTERRUPTED, BROKEN_PIPE = 130, 141
"""Exit codes as a shell has them for a program that Ctrl-C ended, or whose reader went away."""


def _debug_option() -> click.Option:
    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta["medexams.debug"] = True  # one for all contexts of a call

    help_text = "Show the traceback of an error."
    return click.Option(["--debug"], is_flag=True, expose_value=False, callback=remember, help=help_text)


class _Command(click.Command):
    """A command that takes --debug too, so that it may stand before or after the command's name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_debug_option())


class _Group(click.Group):
    """Turns the errors that a person meets into one sentence and an exit code."""

    command_class = _Command
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_debug_option())

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo("medexams: interrupted; what was published is as it was", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            with suppress(OSError, ValueError):  # or Python complains of it once more when it ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(BROKEN_PIPE)
        except Exception as error:
            if ctx.meta.get("medexams.debug"):
                raise
            known = isinstance(error, MedexamsError)
            what = str(error) if known else _defect(error)
            click.echo(f"medexams: {what}", err=True)
            ctx.exit(2 if isinstance(error, SettingsError) else 1)


def _defect(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0][:300]
    return f"a defect of medexams: {type(error).__name__}: {first}; --debug shows where, please report it"


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="medexams")
def main() -> None:
    """One warehouse for medical licensing-exam benchmarks: COGNET-MD, KokushiMD-10 and Medschool-Test.

    \b
    Start here:
      medexams refresh --profile sample    the bundled sample, no network
      medexams refresh                     the public sources
      medexams runs add FILE…              predictions that a tool wrote
      medexams leaderboard                 what came out
      medexams sql "from pass_grid"        any question, in SQL

    Each command has its own help, with examples: medexams sql -h
    """


def _data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="Data folder (default: MEDEXAMS_DATA, or ./data).",
    )(command)


_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


# ---- refreshing --------------------------------------------------------------------------------------------------


@main.command()
@click.option("--profile", type=click.Choice(PROFILES), help="sample: bundled, no network; live: the public sources.")
@click.option("--only", type=click.Choice(BENCHMARKS), help="Fetch the sources of this benchmark alone.")
@click.option("--accept-shrink", is_flag=True, default=None, help="Accept a table that lost more rows than allowed.")
@_json_option
@_data_option
def refresh(
    profile: str | None, only: str | None, accept_shrink: bool | None, as_json: bool, data: Path | None
) -> None:
    """Fetch all sources, rebuild all tables, score all runs and publish the warehouse.

    Ends with a whole new warehouse, or with the old one untouched and exit code 1.

    \b
    Examples:
      medexams refresh --profile sample          the bundled sample, no network
      medexams refresh --data live               the public sources, in a folder of their own
      medexams refresh --only medschool          one benchmark's sources; all tables are rebuilt
      MEDEXAMS_KOKUSHI_RELEASE=./kokushi medexams refresh     one source from a local folder
    """
    settings = Settings.from_env(profile=profile, data=data, accept_shrink=accept_shrink)
    _run(settings, "refresh", only)
    counts = _rows(settings, "select dataset_id, n_questions, is_sample from dataset order by dataset_id")
    if as_json:
        datasets = [dict(zip(("dataset_id", "n_questions", "is_sample"), row, strict=True)) for row in counts]
        click.echo(_dump({"warehouse": str(settings.warehouse), "datasets": datasets}))
        return
    for dataset_id, n, is_sample in counts:
        click.echo(f"{dataset_id}: {n} questions{' (sample, not an exam)' if is_sample else ''}")
    click.echo(f"published: {settings.warehouse}")


def _run(settings: Settings, job: str, only: str | None = None) -> None:
    from pipelines.definitions import run_job  # Dagster takes a while to import; other commands need not wait

    with _progress() as report:
        run_job(settings, job, only, report)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """A bar on a terminal, else a line now and then, both on standard error."""
    if not sys.stderr.isatty():
        last = 0.0

        def line(what: str, done: int, total: int | None) -> None:
            nonlocal last
            if done == total or time.monotonic() - last > STALE_AFTER:
                last = time.monotonic()
                click.echo(f"{what}: {done}{f' of {total}' if total else ''}", err=True)

        yield line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def bar(what: str, done: int, total: int | None) -> None:
            task = tasks.setdefault(what, None) or bars.add_task(what)
            tasks[what] = task
            bars.update(task, completed=done, total=total)

        yield bar


# ---- reading the warehouse ---------------------------------------------------------------------------------------


@contextmanager
def _warehouse(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    if not settings.warehouse.exists():
        raise MedexamsError(
            f"{settings.warehouse} does not exist yet; run `medexams refresh` first (--profile sample: no network)"
        )
    try:
        con = duckdb.connect(str(settings.warehouse), read_only=True)
    except duckdb.Error as fault:
        raise MedexamsError(
            f"{settings.warehouse} can't be opened ({str(fault).splitlines()[0][:200]}); "
            f"delete it and refresh, or take one of {settings.data}/generations"
        ) from fault
    with con:
        yield con


def _rows(settings: Settings, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with _warehouse(settings) as con:
        return con.execute(sql, parameters).fetchall()


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers stay numbers, times are ISO 8601."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | list | dict) or value is None else str(value)


def _as_json(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> str:
    return _dump([dict(zip(names, map(_plain, row), strict=True)) for row in rows])


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


class _Out(Console):
    """Standard output for tables."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # Rich's own way is exit code 1


def _console() -> Console:
    """Standard output; where it is no terminal, wide enough that nothing is cut."""
    return _Out(width=None if sys.stdout.isatty() else 200, soft_wrap=False)


@main.command()
@click.option("--benchmark", type=click.Choice(BENCHMARKS), help="This benchmark alone.")
@_json_option
@_data_option
def leaderboard(benchmark: str | None, as_json: bool, data: Path | None) -> None:
    """Print the leaderboards of the published warehouse, one per dataset.

    \b
    Examples:
      medexams leaderboard
      medexams leaderboard --benchmark medschool
      medexams leaderboard --json | jq '.[] | select(.rank == 1) | .model'
    """
    settings = Settings.from_env(data=data)
    sql = """select l.*, d.title, d.licence from leaderboard l join dataset d using (dataset_id)
             where coalesce(l.benchmark = ?, true) order by d.benchmark, d.dataset_id, l.rank nulls last, l.model"""
    with _warehouse(settings) as con:
        found = con.execute(sql, [benchmark])
        names = [d[0] for d in found.description or []]
        rows = found.fetchall()
    if as_json:
        click.echo(_as_json(names, rows))
        return
    if not rows:
        raise MedexamsError("the leaderboard is empty; add predictions with `medexams runs add FILE…`")
    by_dataset: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        entry = dict(zip(names, row, strict=True))
        by_dataset.setdefault(entry["dataset_id"], []).append(entry)
    for dataset_id, entries in by_dataset.items():
        _print_board(dataset_id, entries)


def _print_board(dataset_id: str, entries: list[dict[str, Any]]) -> None:
    first = entries[0]
    note = "SAMPLE, written for medexams: not an exam" if first["is_sample"] else first["licence"]
    title = _cell(f"{first['title']}  [{dataset_id}]\n{note}")
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in (
        "rank",
        "model",
        "kind",
        "score",
        "95 % interval",
        "accuracy",
        "answered",
        "abstained",
        "refused",
        "unparsed",
        "n",
    ):
        table.add_column(name, justify="left" if name in ("model", "kind") else "right", no_wrap=name == "model")
    for e in entries:
        table.add_row(
            _rank(e), _cell(e["model"]), e["kind"],
            _number(e["score"]), _interval(e["low"], e["high"]), _share(e["accuracy"]),
            *(str(e[k]) for k in ("answered", "abstained", "refused", "unparsed", "n")),
        )  # fmt: skip
    console = _console()
    console.print(table)
    console.print(
        f"ranked by {first['metric']}, rank interval in brackets; no rank: only a part was answered; "
        "unparsed counts as no answer; n counts attempts\n",
        style="dim",
    )


def _cell(value: Any) -> Text:
    """A value as it stands: no markup of Rich's in it is obeyed, no control character reaches the terminal."""
    text = "" if value is None else str(value)
    return Text("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text))


def _rank(entry: dict[str, Any]) -> str:
    if entry["rank"] is None:
        return "–"
    span = "" if entry["rank_low"] is None else f" ({entry['rank_low']}–{entry['rank_high']})"
    return f"{entry['rank']}{span}"


def _number(value: Decimal | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(low: Decimal | None, high: Decimal | None) -> str:
    return "–" if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _share(value: Decimal | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


@main.command()
@click.argument("query", required=False)
@click.option("--format", "style", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--json", "style", flag_value="json", help="The same as --format json.")
@_data_option
def sql(query: str | None, style: str, data: Path | None) -> None:
    """Run a query on the published warehouse (read-only).

    Without QUERY it is read from standard input; on a terminal, a DuckDB shell opens. The tables and views are
    described in docs/schema.md, and docs/queries.md has examples with their results.

    \b
    Examples:
      medexams sql "from leaderboard where rank = 1"
      medexams sql "select verdict, count(*) from pass_grid group by all"
      medexams sql "from compare('model-a', 'model-b')"
      medexams sql --format csv < sql/queries/hard_questions.sql > hard.csv
      medexams sql "select table_name, comment from duckdb_tables()"
      medexams sql                               a shell, where duckdb or harlequin is installed
    """
    settings = Settings.from_env(data=data)
    if query is None and sys.stdin.isatty():
        _shell(settings)
        return
    text = query if query is not None else sys.stdin.read()
    with _warehouse(settings) as con:
        try:
            if not text.strip():
                raise SettingsError("the query is empty; give one, as in medexams sql 'from leaderboard'")
            found = con.execute(text)
            names = [d[0] for d in found.description or []]
            rows = found.fetchall() if names else []
        except duckdb.Error as fault:
            raise SettingsError(str(fault)) from fault
    if style == "json":
        click.echo(_as_json(names, rows))
    elif style == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(["" if v is None else v for v in row] for row in rows)
    else:
        table = Table(*(Column(_cell(name)) for name in names))
        for row in rows[:ROWS_SHOWN]:
            table.add_row(*map(_cell, row))
        _console().print(table)
        if len(rows) > ROWS_SHOWN:
            click.echo(f"the first {ROWS_SHOWN:,} of {len(rows):,} rows; --format csv or json prints all", err=True)


@main.command()
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder (default: DATA/report); a report there is replaced."
)
@_data_option
def report(out: Path | None, data: Path | None) -> None:
    """Write the report: a folder of pages that opens from disk with no network.

    \b
    Examples:
      medexams report                  writes DATA/report; open its index.html
      medexams report --out ~/exams-report
    """
    from pipelines.report import write

    settings = Settings.from_env(data=data)
    with _warehouse(settings):
        pass  # says what to do where there is none
    with _progress() as progress:
        page = write(settings.warehouse, out or settings.data / "report", progress)
    click.echo(f"report: {page}")


def _shell(settings: Settings) -> None:
    """Open somebody else's DuckDB shell on the published file, read-only."""
    with _warehouse(settings):
        pass  # says what to do where there is none
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
    for name, flag in (("duckdb", "-readonly"), ("harlequin", "--read-only")):
        if program := shutil.which(name, path=places):
            if code := subprocess.run([program, flag, str(settings.warehouse)], check=False).returncode:
                raise MedexamsError(f"{name} ended with code {code}")
            return
    raise MedexamsError(
        "no DuckDB shell is installed: get one with `pip install duckdb-cli` or `pip install harlequin`, "
        'or give the query: medexams sql "from leaderboard"'
    )


# ---- runs --------------------------------------------------------------------------------------------------------


@main.group()
def runs() -> None:
    """Predictions that evaluation tools wrote: add them, list them, look at the responses."""


@runs.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--model", help="Model, where the files do not say.")
@click.option("--vendor", help="Who made the model.")
@click.option("--dataset", help="Dataset (or benchmark) that was answered, where the files do not say.")
@click.option("--description", help="Free description of the run.")
@click.option("--use-case", help="Use case of COGNET-MD's benchmark card.")
@click.option("--kind", type=click.Choice(["model", "baseline", "human"]), help="What answered.")
@_json_option
@_data_option
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
    before = {run for run, _, _ in _rows(settings, _UNMATCHED)}
    card = Card(**said) if any(said.values()) else None
    with _progress() as report:
        copied = inbox.add(paths, settings.inbox_folder, card, Limits(file_bytes=settings.max_bytes), report)
    _run(settings, "score")
    with _warehouse(settings) as con:
        con.execute("create temp table copied (name varchar)")
        con.executemany("insert into copied values (?)", [[f"{settings.inbox_folder.name}/{name}"] for name in copied])
        found = con.execute(_ADDED).fetchall()
        rejected = con.execute(_REJECTED).fetchall()
        unmatched = [row for row in con.execute(_UNMATCHED).fetchall() if row[0] not in before]
    if as_json:
        runs_found = [dict(zip(_RUN_COLUMNS, row, strict=True)) for row in found]
        refused = [{"path": path, "reason": reason} for path, reason in rejected]
        strangers = [dict(zip(("from", "predictions", "reason"), row, strict=True)) for row in unmatched]
        click.echo(_dump({"files": copied, "runs": runs_found, "rejected": refused, "unmatched": strangers}))
    else:
        if found:
            _print_runs(found, _RUN_COLUMNS)
        for path, reason in rejected:
            click.echo(f"rejected {path}: {reason}")
        for run, n, reason in unmatched:
            click.echo(f"unmatched {run}: {n} predictions, the first: {reason}")
        click.echo(f"{len(copied)} files added, {len(found)} runs, {len(rejected)} files rejected")
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
        table.add_row(*map(_cell, row[: len(columns)]))
    _console().print(table)


@runs.command("list")
@_json_option
@_data_option
def runs_list(as_json: bool, data: Path | None) -> None:
    """List all runs with how their responses were read.

    \b
    Examples:
      medexams runs list
      medexams runs list --json | jq '.[] | select(.unparsed > 0) | .run'
    """
    rows = _rows(Settings.from_env(data=data), _COUNTS.format(where="true"))
    click.echo(_as_json(_RUN_COLUMNS, rows)) if as_json else _print_runs(rows, _RUN_COLUMNS)


def _run_ids(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Run ids for the shell's completion; none where there is no warehouse."""
    try:
        sql = "select run_id from run where starts_with(run_id, ?) order by 1 limit 50"
        return [row[0] for row in _rows(Settings.from_env(data=ctx.params.get("data")), sql, [incomplete])]
    except (MedexamsError, duckdb.Error):
        return []


@runs.command("show")
@click.argument("run", shell_complete=_run_ids)
@click.option("--status", type=click.Choice(PREDICTION_STATUSES), help="Responses that were read so, alone.")
@click.option("--limit", default=20, show_default=True, help="At most so many responses.")
@_json_option
@_data_option
def runs_show(run: str, status: str | None, limit: int, as_json: bool, data: Path | None) -> None:
    """Show how the responses of a run were read. RUN is a run_id or the beginning of one (see `runs list`).

    \b
    Examples:
      medexams runs show gpt-4/kokushi_md10-ja
      medexams runs show gpt-4 --status unparsed --limit 5     what could not be read, to see why
    """
    settings = Settings.from_env(data=data)
    ids = [r[0] for r in _rows(settings, "select run_id from run where starts_with(run_id, ?) order by 1", [run])]
    exact = [i for i in ids if i == run] or ids
    if len(exact) != 1:
        which = f"{len(ids)} runs begin so: {', '.join(ids[:5])}" if ids else "see `medexams runs list`"
        raise SettingsError(f"no single run {run!r}; {which}")
    sql = """select question_id, attempt, status, labels, value, evidence, response from prediction
             where run_id = ? and coalesce(status = ?, true) order by question_id, attempt limit ?"""
    rows = _rows(settings, sql, [exact[0], status, limit])
    names = ("question_id", "attempt", "status", "labels", "value", "evidence", "response")
    if as_json:
        click.echo(_as_json(names, rows))
        return
    if not rows:
        click.echo(f"no response{f' with status {status}' if status else ''} in {exact[0]}")
    for row in rows:
        shown = dict(zip(names, row, strict=True))
        click.echo(f"{shown['question_id']} (attempt {shown['attempt']}): {shown['status']} "
                   f"{shown['labels'] or shown['value'] or ''}")  # fmt: skip
        click.echo(
            f"    {shown['response'] if shown['response'] is not None else '(no response)'}".replace("\n", "\n    ")
        )
    unmatched = _rows(
        settings, "select locator, reason from unmatched_prediction where run_id = ? limit ?", [exact[0], limit]
    )
    for locator, reason in unmatched if status is None else []:
        click.echo(f"unmatched {locator}: {reason}")


# ---- the rest ----------------------------------------------------------------------------------------------------


@main.command()
@click.argument("file", type=click.File("r", encoding="utf-8"), default="-")
def extract(file: Any) -> None:
    """Read answers out of responses: JSON lines in (text, answer_type, labels, choices, benchmark), JSON lines out.

    Each line gives status, labels, value and evidence. A line that is no JSON object gives status error.

    \b
    Examples:
      echo '{"text": "The answer is B.", "labels": ["A", "B"], "answer_type": "single"}' | medexams extract
      medexams extract responses.jsonl > answers.jsonl
    """
    from pipelines.answers.record import read_record

    broken = 0
    for line in file:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError("the line is no object")
            answer = read_record(record)
        except (ValueError, TypeError, RecursionError) as fault:
            broken += 1
            answer = {"status": "error", "labels": [], "value": None, "evidence": f"not read: {str(fault)[:200]}"}
        click.echo(json.dumps(answer, ensure_ascii=False))
    if broken:
        raise MedexamsError(f"{broken} lines could not be read; each must be a JSON object with text and answer_type")


@main.command("export")
@click.argument("form", metavar="FORMAT", type=click.Choice(EXPORT_FORMATS))
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--dataset", "datasets", multiple=True, help="This dataset (may be given several times); default: all.")
@click.option("--benchmark", type=click.Choice(BENCHMARKS), help="The datasets of this benchmark.")
@click.option("--for-own-use", is_flag=True, help="Also what a licence keeps from being shared; the copy is marked.")
@_data_option
def export_(
    form: str, out: Path, datasets: tuple[str, ...], benchmark: str | None, for_own_use: bool, data: Path | None
) -> None:
    """Write the warehouse into the folder OUT for other tools; an earlier export there is replaced.

    \b
    parquet, jsonl    a folder per dataset as a dataset hub expects it, with a card
    croissant         questions as JSON lines with Croissant 1.0 metadata
    lm-eval           tasks for lm-evaluation-harness with their data
    prompts           each question as its benchmark asks it
    every-eval-ever   a record per run in the Every Eval Ever schema
    csv, xlsx         all tables

    What a licence forbids is refused with the reason. csv, xlsx and every-eval-ever then lack the text of questions.

    \b
    Examples:
      medexams export parquet hub/ --benchmark medschool
      medexams export lm-eval tasks/ && lm_eval --include_path tasks --tasks list
      medexams export xlsx tables/
    """
    from pipelines.export import Options, export

    with _warehouse(Settings.from_env(data=data)) as con, _progress() as report:
        written = export(form, con, out, Options(datasets, benchmark, for_own_use, report))
    for line in written.left_out:
        click.echo(f"left out: {line}", err=True)
    for dataset_id in written.not_to_share:
        click.echo(f"not for sharing: {dataset_id} (see NOT-FOR-SHARING.txt)", err=True)
    click.echo(f"{len(written.files)} files of {', '.join(written.datasets)} written to {out}")


@main.command()
@_json_option
@_data_option
def doctor(as_json: bool, data: Path | None) -> None:
    """Check this machine, the settings and the data folder; exit 1 when something needs mending.

    \b
    Examples:
      medexams doctor
      medexams doctor --data live --json
    """
    from pipelines.stages import ADDRESSES, open_store
    from pipelines.store.publishing import unfit

    settings = Settings.from_env(data=data)
    findings: list[tuple[bool, str, str]] = [
        (sys.version_info >= (3, 11), "Python", platform.python_version()),
        (True, "DuckDB", duckdb.__version__),
        (True, "profile", settings.profile),
    ]
    for source, name in ADDRESSES.items():
        findings.append((True, f"source {source}", settings.where(name)))
    folder = settings.data if settings.data.exists() else settings.data.resolve().parent
    findings.append(
        (_writable(folder), f"data folder {settings.data}", "writable" if _writable(folder) else "not writable")
    )
    if settings.warehouse.exists():
        try:
            n = _rows(settings, "select count(*) from question")[0][0]
            findings.append((True, "warehouse", f"{n} questions"))
        except (MedexamsError, duckdb.Error) as fault:
            findings.append((False, "warehouse", str(fault)))
        problems = unfit(open_store(settings))
        findings.append((not problems, "tables", "fit together" if not problems else "; ".join(problems[:5])))
    else:
        findings.append((True, "warehouse", "not published yet: run medexams refresh"))
    if as_json:
        click.echo(_dump([{"ok": good, "what": what, "detail": detail} for good, what, detail in findings]))
    for good, what, detail in [] if as_json else findings:
        click.echo(f"{'ok  ' if good else 'FAIL'} {what}: {detail}")
    if not all(good for good, _, _ in findings):
        raise MedexamsError("something needs mending, see FAIL above")


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that makes SHELL complete commands, options and run ids.

    \b
    Examples:
      eval "$(medexams completion bash)"                      in ~/.bashrc
      eval "$(medexams completion zsh)"                       in ~/.zshrc
      medexams completion fish > ~/.config/fish/completions/medexams.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(main, {}, "medexams", "_MEDEXAMS_COMPLETE").source())


if __name__ == "__main__":
    main()
