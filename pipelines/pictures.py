"""Pictures (PNG) of a few tables, for places that show no more than Markdown: the metadata of Dagster's assets.

Pure: frames in, bytes out. The report's charts are in report/charts.py; what a figure means belongs to the schema.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl

from pipelines.vocabulary import METRICS, VERDICTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RUNS_SHOWN = 12
"""Of each dataset, the best; a picture of 200 runs can't be read."""
DATASETS_SHOWN = 6
COLOURS = {"model": "#0072B2", "baseline": "#767676", "human": "#D55E00"}
MARKS = {"model": "o", "baseline": "D", "human": "s"}
SIGNS = {True: ("#009E73", "✓"), False: ("#D55E00", "✗"), None: ("#E4E4E4", "–")}
"""Colour (told apart by colour-blind people too) and sign of each verdict."""
_JAPANESE = ("Noto Sans CJK JP", "Noto Serif CJK JP", "IPAexGothic", "IPAGothic", "TakaoGothic", "Hiragino Sans")


@dataclass(frozen=True)
class Picture:
    """A picture of one table: what to say where it can't be seen, the tables it is drawn from, and how."""

    alt: str
    inputs: tuple[str, ...]
    draw: Callable[..., bytes | None]


def markdown_image(alt: str, png: bytes) -> str:
    """A picture that travels inside Markdown."""
    return f"![{alt}](data:image/png;base64,{base64.b64encode(png).decode()})"


def leaderboard(board: pl.DataFrame) -> bytes | None:
    """Score with its 95 % interval, best first, one panel per dataset."""
    datasets = board.filter(pl.col("rank").is_not_null())["dataset_id"].unique().sort().to_list()[:DATASETS_SHOWN]
    if not datasets:
        return None
    panels = [_best(board.filter(pl.col("dataset_id") == d)) for d in datasets]
    heights = [len(p) + 3.0 for p in panels]
    figure = _figure(8, 0.27 * sum(heights) + 0.3)
    for axes, dataset, rows in zip(_rows_of(figure, heights), datasets, panels, strict=True):
        for place, row in enumerate(rows.iter_rows(named=True)):
            colour, score = COLOURS[row["kind"]], float(row["score"])
            if row["low"] is not None and row["high"] is not None:
                axes.plot([float(row["low"]), float(row["high"])], [place, place], color=colour, linewidth=2)
            axes.plot(score, place, MARKS[row["kind"]], color=colour, markersize=6)
        axes.set_yticks(range(len(rows)), [_short(m) for m in rows["model"]])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.axvline(0, color="#BBBBBB", linewidth=1, zorder=0)
        if (chance := rows["chance"][0]) is not None:
            axes.axvline(float(chance), color="#767676", linewidth=1, linestyle=":", zorder=0)
        metric = METRICS[rows["metric"][0]]
        axes.set_xlabel(f"{metric.says} ({metric.unit}); dotted: chance", fontsize=8)
        n = board.filter(pl.col("dataset_id") == dataset).height
        more = f", best {len(rows)} of {n}" if n > len(rows) else ""
        axes.set_title(f"{dataset}{more}", loc="left", fontsize=10)
    kinds = {kind: colour for kind, colour in COLOURS.items() if kind in {k for p in panels for k in p["kind"]}}
    handles: list[Any] = [_mark(kind, colour) for kind, colour in kinds.items()]
    figure.legend(handles=handles, ncols=3, loc="outside lower center", frameon=False, fontsize=9)
    return _png(figure)


def exam_grid(results: pl.DataFrame, runs: pl.DataFrame, exams: pl.DataFrame) -> bytes | None:
    """Verdict by the exam's own rule: a row for each model's run, a column for each sitting."""
    cells = (
        results.filter((pl.col("ruleset") == "official") & (pl.col("component") == "overall"))
        .join(runs.select("run_id", "model", "kind"), on="run_id")
        .join(exams.select("exam_id", "profession", "profession_en", "year"), on="exam_id")
    )
    models = cells.filter(pl.col("kind") != "baseline")
    cells = (models if len(models) else cells).sort("profession", "year")
    if cells.is_empty():
        return None
    name = "profession" if _japanese() else "profession_en"
    columns = cells.select("exam_id", name, "year").unique(maintain_order=True)
    lines = (
        cells.group_by("run_id", "model")
        .agg(pl.col("passed").sum())
        .sort("passed", "model", "run_id", descending=[True, False, False])
        .head(2 * RUNS_SHOWN)
    )
    place = {run: i for i, run in enumerate(lines["run_id"])}
    column = {exam: i for i, exam in enumerate(columns["exam_id"])}
    figure = _figure(max(5.0, 2.4 + 0.34 * len(columns)), 1.5 + 0.3 * len(lines))
    axes = figure.add_subplot()
    for row in cells.iter_rows(named=True):
        if row["run_id"] not in place:
            continue
        colour, sign = SIGNS[row["passed"]]
        x, y = column[row["exam_id"]], place[row["run_id"]]
        axes.add_patch(_tile(x, y, colour))
        ink = "#555555" if row["passed"] is None else "white"
        axes.text(x, y, sign, ha="center", va="center", fontsize=10, color=ink)
    axes.set_xticks(range(len(columns)), [f"{p} {y}" for p, y in zip(columns[name], columns["year"], strict=True)])
    axes.tick_params(axis="x", labelrotation=90, labeltop=True, labelbottom=False, length=0)
    axes.set_yticks(range(len(lines)), [_short(m) for m in lines["model"]])
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.grid(False)
    figure.supxlabel("  ".join(f"{sign} {VERDICTS[passed]}" for passed, (_, sign) in SIGNS.items()), fontsize=9)
    return _png(figure)


def source_quality(quality: pl.DataFrame) -> bytes | None:
    """What became of each dataset's rows: kept as they are, kept with a flag, rejected."""
    rows = quality.sort("dataset_id")
    if rows.is_empty():
        return None
    figure = _figure(8, 1.2 + 0.45 * len(rows))
    axes = figure.add_subplot()
    places = range(len(rows))
    parts = {
        "without a flag": ([k - f for k, f in zip(rows["kept"], rows["flagged"], strict=True)], "#0072B2", ""),
        "flagged": (rows["flagged"].to_list(), "#E69F00", "///"),
        "rejected": (rows["rejected"].to_list(), "#D55E00", "xxx"),
    }
    # Shares, since a bank of 3,500 questions would make a bar of 4 invisible.
    total = [max(1, n) for n in rows["rows_in"]]
    start = [0.0] * len(rows)
    for label, (counts, colour, hatch) in parts.items():
        width = [100 * n / t for n, t in zip(counts, total, strict=True)]
        axes.barh(places, width, left=start, color=colour, label=label, hatch=hatch, edgecolor="white", height=0.62)
        start = [a + b for a, b in zip(start, width, strict=True)]
    names = [f"{d} ({n:,} rows)" for d, n in zip(rows["dataset_id"], rows["rows_in"], strict=True)]
    axes.set_yticks(places, names)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the rows read")
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=9)
    return _png(figure)


PICTURES = {
    "leaderboard": Picture("Score and 95 % interval of each run, by dataset", ("leaderboard",), leaderboard),
    "exam_result": Picture("Which run passes which exam", ("exam_result", "run", "exam"), exam_grid),
    "source_quality": Picture("Rows kept, flagged and rejected, by dataset", ("source_quality",), source_quality),
}
"""The picture of each table that has one."""


def _best(rows: pl.DataFrame) -> pl.DataFrame:
    scored = rows.filter(pl.col("rank").is_not_null())
    return scored.sort("score", "model", descending=[True, False]).head(RUNS_SHOWN)


def _short(name: str) -> str:
    return name if len(name) <= 32 else name[:31] + "…"


@cache
def _japanese() -> str | None:
    """An installed font with Japanese glyphs."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _JAPANESE if name in installed), None)


def _figure(width: float, height: float) -> Figure:
    # Matplotlib takes a second to import, and only who draws need wait. No pyplot: it keeps state and wants a display.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _rows_of(figure: Figure, heights: list[float]) -> list[Axes]:
    found: Any = figure.subplots(len(heights), squeeze=False, gridspec_kw={"height_ratios": heights})
    return [row[0] for row in found]


def _mark(kind: str, colour: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker=MARKS[kind], linewidth=2, label=f"{kind}, with 95 % interval")


def _tile(x: float, y: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.46, y - 0.44), 0.92, 0.88, color=colour)


def _png(figure: Figure) -> bytes:
    families = ["DejaVu Sans", *([found] if (found := _japanese()) else [])]
    for axes in figure.axes:
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        for label in [*axes.get_xticklabels(), *axes.get_yticklabels(), axes.title]:
            label.set_fontfamily(families)
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a box instead of a letter, where no font has it
        figure.savefig(out, format="png", dpi=80, facecolor="white", pil_kwargs={"optimize": True})
    return out.getvalue()
