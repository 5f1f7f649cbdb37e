"""Which run or question a person means by a few of its letters; where none or several fit, which names are near.

A name is tried as the whole, as the model of a run, as the beginning, then as any part of an id. One that fits several
is an error that lists them, one that fits none an error with the nearest names.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence

import click
import duckdb

from pipelines.cli.warehouse import open_warehouse
from pipelines.errors import MedexamsError, SettingsError
from pipelines.settings import Settings

LISTED = 5


def runs_named(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """The runs that may be meant, each with its dataset; at least one. Raises SettingsError."""
    rows = con.execute("select run_id, model, dataset_id from run order by 1").fetchall()
    found = _matching(name, {run: model for run, model, _ in rows})
    if not found:
        raise _unknown("run", name, {run: model for run, model, _ in rows}, "medexams runs list")
    return {run: dataset for run, _, dataset in rows if run in found}


def the_run(con: duckdb.DuckDBPyConnection, name: str) -> str:
    """The run_id that is meant. Raises SettingsError."""
    return _only(name, list(runs_named(con, name)))


def the_question(con: duckdb.DuckDBPyConnection, name: str, datasets: Iterable[str]) -> str:
    """The question_id that is meant, of these datasets. Raises SettingsError."""
    sql = "select question_id, source_key from question where dataset_id in (select unnest(?)) order by 1"
    keys = dict(con.execute(sql, [list(datasets)]).fetchall())
    found = _matching(name, keys)
    if not found:
        raise _unknown("question of this run", name, keys, "medexams sql 'select question_id from question'")
    return _only(name, found)


def _matching(name: str, names: Mapping[str, str]) -> list[str]:
    """The ids that a name fits in the strongest of the ways in which it fits any. `names`: another name by id."""
    ways: tuple[Callable[[str], bool], ...] = (
        lambda i: i == name,
        lambda i: names[i] == name,
        lambda i: i.startswith(name),
        lambda i: i.endswith(f"/{name}"),
        lambda i: name.casefold() in i.casefold(),
    )
    return next((found for way in ways if name and (found := [i for i in names if way(i)])), [])


def _only(name: str, found: Sequence[str]) -> str:
    if len(found) > 1:
        raise SettingsError(f"{name!r} may be any of {len(found)}: {_listed(found)}; say more of its name")
    return found[0]


def _unknown(what: str, name: str, names: Mapping[str, str], listing: str) -> SettingsError:
    """The error that names the ids nearest to a name, as they are or by their other name."""
    parts = name.count("/") + 1  # so many of an id, from its end, are compared too
    by_name: dict[str, str] = {}
    for i, other in names.items():
        for text in (i, other, "/".join(i.split("/")[-parts:])):
            by_name.setdefault(text.casefold(), i)
    near = difflib.get_close_matches(name.casefold(), list(by_name), n=LISTED, cutoff=0.5)
    found = list(dict.fromkeys(by_name[n] for n in near))
    return SettingsError(
        f"no {what} is called {name!r}; {f'the nearest: {_listed(found)}; ' if found else ''}`{listing}` lists all"
    )


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:LISTED]) + (" …" if len(ids) > LISTED else "")


def complete_run(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Run ids for the shell's completion; none where there is no warehouse."""
    try:
        with open_warehouse(Settings.from_env(data=ctx.params.get("data"))) as con:
            sql = "select run_id from run where starts_with(run_id, ?) order by 1 limit 50"
            return [row[0] for row in con.execute(sql, [incomplete]).fetchall()]
    except (MedexamsError, duckdb.Error):
        return []
