"""What the Dagster UI shows open beside an asset, as rows: the first rows of a table, or what matters most of it.

The UI opens a table of any size, but Markdown above 999 characters (so every picture) only behind a link. So bars are
drawn in characters here; the pictures are in pictures.py. Pure: frames in, rows of text out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipelines.text.printable import printable
from pipelines.vocabulary import CHANGE_KINDS, METRICS

Row = dict[str, str]

ROWS, COLUMNS = 5, 8
"""Of a table that has no panel of its own."""
BAR = 24
"""Characters of the longest bar."""
OF_A_DATASET, OF_A_KIND = 12, 5
MARKS = {True: "✓", False: "✗", None: "–"}


@dataclass(frozen=True)
class Panel:
    """The tables that a panel is made of, and how."""

    inputs: tuple[str, ...]
    rows: Callable[..., list[Row]]


def preview(frame: pl.DataFrame) -> list[Row]:
    """The first rows and columns of a table, long texts cut."""
    return [{name: text(value) for name, value in row.items()} for row in frame[:ROWS, :COLUMNS].iter_rows(named=True)]


def text(value: Any) -> str:
    """A value as one short line that steers nothing."""
    return "" if value is None else printable(str(value)[:60].replace("\n", " "))


def board(leaderboard: pl.DataFrame) -> list[Row]:
    """The best of each dataset, models first: score with interval and chance, and a bar from the least to the most."""
    found = []
    for (dataset,), rows in leaderboard.group_by("dataset_id", maintain_order=True):
        ends = [float(v) for v in (*rows["score"], *rows["chance"], 0) if v is not None]
        low, width = min(ends), max(ends) - min(ends) or 1.0
        models_first = rows.with_columns(is_baseline=pl.col("kind") == "baseline").sort(
            "is_baseline", "score", "model", descending=[False, True, False], nulls_last=True
        )
        for row in models_first.head(OF_A_DATASET).iter_rows(named=True):
            score = None if row["score"] is None else float(row["score"])
            interval = "" if row["low"] is None else f"{row['low']:.3f} … {row['high']:.3f}"
            found.append({
                "dataset": text(dataset),
                "rank": text(row["rank"]),
                "model": text(row["model"]),
                "kind": row["kind"],
                "score": "–" if score is None else f"{score:.3f}",
                "95 % interval": interval,
                "bar": "" if score is None else "█" * round(BAR * (score - low) / width),
                "chance": "" if row["chance"] is None else f"{row['chance']:.3f}",
                "asked": f"{row['asked']} of {row['questions']}",
                "what the score is": f"{METRICS[row['metric']].says} ({METRICS[row['metric']].unit})",
            })  # fmt: skip
    return sorted(found, key=lambda row: row["dataset"])


def verdicts(results: pl.DataFrame, runs: pl.DataFrame, exams: pl.DataFrame) -> list[Row]:
    """Each run's verdicts by the exam's own rule: a column for each profession, a sign for each year."""
    cells = (
        results.filter((pl.col("ruleset") == "official") & (pl.col("component") == "overall"))
        .join(runs.select("run_id", "model", "kind"), on="run_id")
        .join(exams.select("exam_id", "profession_en", "year"), on="exam_id")
        .sort("profession_en", "year")
    )
    professions = cells["profession_en"].unique().sort().to_list()
    found = []
    for (run, model, kind), own in cells.group_by("run_id", "model", "kind"):
        by_profession = {
            name: " ".join(f"{year} {MARKS[passed]}" for passed, year in rows.select("passed", "year").iter_rows())
            for (name,), rows in own.group_by("profession_en", maintain_order=True)
        }
        passed = own["passed"].sum()
        row = {"model": text(model), "kind": str(kind), "passed": f"{passed} of {len(own)}"}
        found.append((kind == "baseline", -passed, str(run), row | {p: by_profession.get(p, "") for p in professions}))
    return [row for *_, row in sorted(found, key=lambda entry: entry[:3])[: 2 * OF_A_DATASET]]


def quality(source_quality: pl.DataFrame) -> list[Row]:
    """What became of each dataset's rows."""
    return [
        {
            "dataset": text(row["dataset_id"]),
            "rows": f"{row['rows_in']:,}",
            "without a flag █, flagged ▒, rejected ░": _parts(
                (row["kept"] - row["flagged"], "█"), (row["flagged"], "▒"), (row["rejected"], "░")
            ),
            "flagged": f"{row['flagged']:,}",
            "rejected": f"{row['rejected']:,}",
            "answerable by text": f"{100 * row['answerable_by_text']:.1f} %",
        }
        for row in source_quality.sort("dataset_id").iter_rows(named=True)
    ]


def changed(refresh_change: pl.DataFrame) -> list[Row]:
    """What the refresh changed: how many of each kind, and the first few."""
    found: list[Row] = []
    names = ("kind", "subject", "old", "new", "cause")
    for kind in CHANGE_KINDS:
        rows = refresh_change.filter(kind=kind)
        found += [{n: text(row[n]) for n in names} for row in rows.sort("subject")[:OF_A_KIND].iter_rows(named=True)]
        if len(rows) > OF_A_KIND:
            more = dict.fromkeys(("old", "new", "cause"), "")
            found.append({"kind": kind, "subject": f"… and {len(rows) - OF_A_KIND:,} more: medexams diff", **more})
    return found


PANELS = {
    "leaderboard": Panel(("leaderboard",), board),
    "exam_result": Panel(("exam_result", "run", "exam"), verdicts),
    "source_quality": Panel(("source_quality",), quality),
    "refresh_change": Panel(("refresh_change",), changed),
}
"""The panel of each table that has one."""


def _parts(*parts: tuple[int, str]) -> str:
    """A bar of parts; what is there at all has at least one character."""
    total = sum(n for n, _ in parts) or 1
    return "".join(sign * max(round(BAR * n / total), 1 if n else 0) for n, sign in parts)
