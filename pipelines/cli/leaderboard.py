"""`medexams leaderboard`: one table per dataset."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import duckdb
from rich import box
from rich.table import Table

from pipelines.cli.command import command, data_option, json_option
from pipelines.cli.output import cell, console, echo, is_narrow, rows_as_json
from pipelines.cli.warehouse import open_warehouse
from pipelines.errors import MedexamsError
from pipelines.schema import BENCHMARKS
from pipelines.settings import Settings

_PREDICTED = """
    select r.model, p.dataset_id, p.part, p.component, p.metric, p.value, p.low, p.high, p.n_asked, p.n_whole
    from predicted_score p join run r using (run_id) join dataset d on p.dataset_id = d.dataset_id
    where p.value is not null and coalesce(d.benchmark = ?, true)
    order by r.model, p.run_id, p.part, p.component, p.metric
"""


@command()
@click.option("--benchmark", type=click.Choice(BENCHMARKS), help="This benchmark alone.")
@json_option
@data_option
def leaderboard(benchmark: str | None, as_json: bool, data: Path | None) -> None:
    """Print the leaderboards of the published warehouse, one per dataset.

    \b
    Examples:
      medexams leaderboard
      medexams leaderboard --benchmark BENCHMARK
      medexams leaderboard --json | jq '.[] | select(.rank == 1) | .model'
    """
    settings = Settings.from_env(data=data)
    sql = """select l.*, d.title, d.licence from leaderboard l join dataset d using (dataset_id)
             where coalesce(l.benchmark = ?, true) order by d.benchmark, d.dataset_id, l.rank nulls last, l.model"""
    with open_warehouse(settings) as con:
        found = con.execute(sql, [benchmark])
        names = [d[0] for d in found.description or []]
        rows = found.fetchall()
        try:
            predicted = con.execute(_PREDICTED, [benchmark]).fetchall()
        except duckdb.CatalogException:  # a warehouse from before there were predictions
            predicted = []
    if as_json:
        echo(rows_as_json(names, rows))
        return
    if not rows:
        raise MedexamsError("the leaderboard is empty; add predictions with `medexams runs add FILE…`")
    by_dataset: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        entry = dict(zip(names, row, strict=True))
        by_dataset.setdefault(entry["dataset_id"], []).append(entry)
    for dataset_id, entries in by_dataset.items():
        _print_board(dataset_id, entries)
    if predicted:
        _print_predicted(predicted)


def _print_predicted(rows: list[tuple[Any, ...]]) -> None:
    """What runs that were asked a part would earn: in a table of its own, since nothing of it was measured."""
    table = Table(title="PREDICTED, not measured: runs that were asked a part of the questions", title_justify="left",
                  title_style="bold")  # fmt: skip
    for name in ("model", "whole", "line", "figure", "predicted", "90 % interval", "asked"):
        table.add_column(name)
    for model, dataset_id, part, component, metric, value, low, high, asked, whole in rows:
        table.add_row(
            cell(model), cell(f"{dataset_id} {part}"), cell(component), metric,
            *([f"{value:.0f}", _places(low, high)] if metric == "rank" else [_number(value), _interval(low, high)]),
            f"{asked} of {whole}",
        )  # fmt: skip
    console().print(table)


def _print_board(dataset_id: str, entries: list[dict[str, Any]]) -> None:
    first = entries[0]
    note = "SAMPLE, written for medexams: not an exam" if first["is_sample"] else first["licence"]
    title = cell(f"{first['title']}  [{dataset_id}]\n{note}")
    table = (_narrow if is_narrow() else _wide)(entries)
    table.title, table.title_justify, table.title_style = title, "left", "bold"
    out = console()
    out.print(table)
    out.print(
        f"ranked by {first['metric']}, rank interval in brackets; chance: {_number(first['chance'])}; "
        "unparsed counts as no answer; n counts predictions, attempts one by one",
        style="dim",
    )
    for e in entries:
        if e["note"]:
            out.print(cell(f"{e['model']}: {e['note']}"), style="dim")
    for method in sorted({e["method"] for e in entries if e["method"] and e["score"] is not None}):
        out.print(cell(f"method: {method}"), style="dim")
    out.print()


COUNTS = ("answered", "abstained", "refused", "unparsed", "n")


def _wide(entries: list[dict[str, Any]]) -> Table:
    table = Table()
    for name in ("rank", "model", "kind", "score", "95 % interval", "accuracy", "coverage", *COUNTS):
        table.add_column(name, justify="left" if name in ("model", "kind") else "right", no_wrap=name == "model")
    for e in entries:
        table.add_row(
            _rank(e), cell(e["model"]), e["kind"],
            _number(e["score"]), _interval(e["low"], e["high"]), _share(e["accuracy"]),
            _coverage(e),
            *(str(e[k]) for k in COUNTS),
        )  # fmt: skip
    return table


def _narrow(entries: list[dict[str, Any]]) -> Table:
    """What fits 80 columns: names may be cut, and what is not an answer (unread, refused, abstained) is one number."""
    rows = [
        (
            _rank(e), _name(e), _number(e["score"]),
            _interval(e["low"], e["high"]), _coverage(e), str(e["n"] - e["answered"]),
        )
        for e in entries
    ]  # fmt: skip
    names = ("rank", "model", "score", "95 % interval", "asked", "no answer")
    widths = [max(len(name), *(len(row[place]) for row in rows)) for place, name in enumerate(names)]
    room = console().width - sum(widths) + widths[1] - 2 * len(names)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name, width in zip(names, widths, strict=True):
        if name == "model":
            table.add_column(name, no_wrap=True, overflow="ellipsis", width=max(8, min(width, room)))
        else:
            table.add_column(name, justify="right", no_wrap=True, width=width)
    for row in rows:
        table.add_row(*map(cell, row))
    return table


def _name(entry: dict[str, Any]) -> str:
    return entry["model"] if entry["kind"] == "model" else f"{entry['model']} ({entry['kind']})"


def _rank(entry: dict[str, Any]) -> str:
    if entry["rank"] is None:
        return "–"
    span = "" if entry["rank_low"] is None else f" ({entry['rank_low']}–{entry['rank_high']})"
    return f"{entry['rank']}{span}"


def _coverage(entry: dict[str, Any]) -> str:
    tries = f" × {entry['attempts']}" if entry["attempts"] > 1 else ""
    return f"{entry['asked']} of {entry['questions']}{tries}"


def _places(low: float, high: float) -> str:
    return f"{low:.0f} … {high:.0f}"


def _number(value: Decimal | float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(low: Decimal | float | None, high: Decimal | float | None) -> str:
    return "–" if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _share(value: Decimal | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
