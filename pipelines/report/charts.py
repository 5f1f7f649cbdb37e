"""Charts as inline SVG, drawn by matplotlib in the colours and fonts of the page.

Each chart is drawn twice, for wide and for narrow screens; the page's CSS shows one. Colours are placeholders that
become CSS variables, so that light, dark and print need no second picture. What is drawn belongs to page.py.
"""

from __future__ import annotations

import io
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

WIDE, NARROW = 760, 340
"""Widths of the two drawings in px."""

MOST = 30
"""A chart shows at most so many runs; the page says so."""

MOST_NARROW = 10
"""The same for panels that stand one below the other."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"

# Each placeholder stands for one CSS variable of style.css.
_COLOURS = {
    name: f"#0000{i:02x}"
    for i, name in enumerate(
        ("ink", "muted", "hairline", "accent", "people", "paper", "s1", "s2", "s3", "s4", "s5", "s6", "s7"), start=1
    )
}
INK, MUTED, HAIRLINE, ACCENT, PEOPLE, PAPER = (
    _COLOURS[n] for n in ("ink", "muted", "hairline", "accent", "people", "paper")
)

_RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "medexams",
    "text.parse_math": False,
    "font.size": 12,
    "hatch.linewidth": 1.2,
    "text.color": INK,
    "axes.edgecolor": HAIRLINE,
    "xtick.color": MUTED,
    "ytick.color": INK,
}


@dataclass(frozen=True)
class Point:
    """One run on a chart: a value with its interval. `text` is the value as the table writes it."""

    label: str
    value: float
    low: float | None
    high: float | None
    kind: str
    text: str


@dataclass(frozen=True)
class Mark:
    """A vertical line through a chart, e.g. chance."""

    label: str
    value: float
    kind: str


@dataclass(frozen=True)
class Chart:
    """A finished chart: both drawings as markup."""

    wide: Markup
    narrow: Markup


def dots(key: str, title: str, points: Sequence[Point], marks: Sequence[Mark], limits: tuple[float, float],
         percent: bool) -> Chart:  # fmt: skip
    """Runs one below the other, each a dot on its interval; `marks` are lines through all of them."""

    def draw(narrow: bool) -> Figure:
        lift = _lift(narrow)
        figure, axes = _lanes(len(points), narrow, top=8 + lift + 16 * len(marks), right=66)
        _scale(axes, limits, percent)
        for i, mark in enumerate(sorted(marks, key=lambda m: m.value)):
            colour = PEOPLE if mark.kind == "human" else MUTED
            axes.axvline(
                mark.value, color=colour, linewidth=1.2, linestyle=(0, (1, 2) if mark.kind == "human" else (5, 3))
            )
            middle = (limits[0] + limits[1]) / 2
            axes.annotate(
                mark.label, (mark.value, 1), xycoords=("data", "axes fraction"), xytext=(0, 6 + lift + 16 * i),
                textcoords="offset points", ha="right" if mark.value > middle else "left", fontsize=11, color=colour,
            )  # fmt: skip
        for y, point in enumerate(points):
            _label(axes, y, point.label, narrow)
            _dot(axes, y, point)
            axes.annotate(point.text, (1, y), xycoords=("axes fraction", "data"), xytext=(8, 0),
                          textcoords="offset points", va="center", fontsize=11, annotation_clip=False)  # fmt: skip
        return figure

    return _chart(key, title, _say(points), draw)


def panels(key: str, title: str, names: Sequence[str], columns: Sequence[Sequence[Point]],
           limits: tuple[float, float]) -> Chart:  # fmt: skip
    """Small multiples: a panel per name, the same runs in each; on narrow screens one below the other."""

    def draw(narrow: bool) -> Figure:
        n = min(len(columns[0]), MOST_NARROW if narrow else MOST)
        lane, lift = _lane(narrow), _lift(narrow)
        frames: list[tuple[float, float, float, float]]  # left, bottom, width, height in px
        if narrow:
            block = n * lane + 64 + lift
            figure = Figure(figsize=(NARROW / 72, len(names) * block / 72), dpi=72)
            height = len(names) * block
            frames = [(10, height - i * block - 24 - lift - n * lane, NARROW - 20, n * lane) for i in range(len(names))]
        else:
            height = n * lane + 64
            figure = Figure(figsize=(WIDE / 72, height / 72), dpi=72)
            width = (WIDE - 190) / len(names)
            frames = [(180 + i * width, 40, width - 16, n * lane) for i in range(len(names))]
        for i, (name, points, (x, y, w, h)) in enumerate(zip(names, columns, frames, strict=True)):
            total = NARROW if narrow else WIDE
            axes = figure.add_axes((x / total, y / height, w / total, h / height))
            _plain(axes, n)
            _scale(axes, limits, percent=False, few=True)
            axes.axvline(0, color=MUTED, linewidth=1)
            axes.annotate(name, (0, 1), xycoords="axes fraction", xytext=(0, 6 + lift), textcoords="offset points",
                          fontsize=11, weight="bold")  # fmt: skip
            for lane_number, point in enumerate(points[:n]):
                if narrow or i == 0:
                    _label(axes, lane_number, point.label, narrow)
                if point.text:
                    _dot(axes, lane_number, point)
        return figure

    return _chart(key, title, f"{len(names)} panels: {', '.join(names)}, {len(columns[0])} runs each.", draw)


_HATCHES = ("", "////", "||||", "xx", "\\\\\\\\", "---", "++")


def stacks(
    key: str, title: str, labels: Sequence[str], names: Sequence[str], shares: Sequence[Sequence[float]]
) -> Chart:
    """Bars that add up to 100 %: one per label, split by name; patterns tell the parts apart without colour.

    `shares[label][name]` are 0 to 1.
    """

    def draw(narrow: bool) -> Figure:
        columns = 2 if narrow else 4
        legend = 20 * -(-len(names) // columns) + 12
        figure, axes = _lanes(len(labels), narrow, top=legend + 8 + _lift(narrow), right=16)
        _scale(axes, (0, 1), percent=True)
        for y, label in enumerate(labels):
            _label(axes, y, label, narrow)
            left = 0.0
            for i, share in enumerate(shares[y]):
                if share:
                    axes.barh(y, share, 0.36 if narrow else 0.56, left, **_paint(i))
                left += share
        handles = [Patch(**_paint(i)) for i in range(len(names))]
        figure.legend(handles, names, loc="upper left", ncols=columns, frameon=False, fontsize=11, handlelength=1.8,
                      borderaxespad=0.2, columnspacing=1.6)  # fmt: skip
        return figure

    return _chart(key, title, f"Bars of {len(labels)} runs, split into {', '.join(names)}.", draw)


def bars(key: str, title: str, counts: Sequence[tuple[str, int]]) -> Chart:
    """Counts as bars, one below the other."""

    def draw(narrow: bool) -> Figure:
        figure, axes = _lanes(len(counts), narrow, top=8 + _lift(narrow), right=56)
        axes.set_xlim(0, max(n for _, n in counts) or 1)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)
        for y, (label, n) in enumerate(counts):
            _label(axes, y, label, narrow)
            axes.barh(y, n, 0.3 if narrow else 0.5, color=ACCENT)
            axes.annotate(f"{n:,}", (n, y), xytext=(6, 0), textcoords="offset points", va="center", fontsize=11,
                          annotation_clip=False)  # fmt: skip
        return figure

    return _chart(key, title, "; ".join(f"{label}: {n:,}" for label, n in counts) + ".", draw)


# ---- drawing -----------------------------------------------------------------------------------------------------


def _lane(narrow: bool) -> int:
    """Height of one run in px; on narrow screens its label stands above it."""
    return 40 if narrow else 26


def _lift(narrow: bool) -> int:
    """Room in px for the first run's label, where labels stand above."""
    return 12 if narrow else 0


def _lanes(n: int, narrow: bool, top: int, right: int) -> tuple[Figure, Axes]:
    total, left, bottom = (NARROW, 10, 34) if narrow else (WIDE, 210, 34)
    height = n * _lane(narrow) + top + bottom
    figure = Figure(figsize=(total / 72, height / 72), dpi=72)
    axes = figure.add_axes((left / total, bottom / height, (total - left - right) / total, n * _lane(narrow) / height))
    _plain(axes, n)
    return figure, axes


def _plain(axes: Axes, n: int) -> None:
    axes.patch.set_visible(False)
    axes.figure.patch.set_visible(False)
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.set_ylim(n - 0.5, -0.5)
    axes.yaxis.set_visible(False)


def _scale(axes: Axes, limits: tuple[float, float], percent: bool, few: bool = False) -> None:
    axes.set_xlim(*limits)
    axes.locator_params(axis="x", nbins=3 if few else 6)
    axes.xaxis.set_major_formatter(lambda x, _: (f"{100 * x:.0f} %" if percent else f"{x:g}").replace("-", "−"))
    axes.tick_params(axis="x", length=0, labelsize=11, pad=6)
    axes.grid(axis="x", color=HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)


def _label(axes: Axes, y: int, label: str, narrow: bool) -> None:
    if narrow:
        axes.annotate(_cut(label, 38), (0, y - 0.36), xycoords=("axes fraction", "data"), va="center", fontsize=12)
    else:
        axes.annotate(_cut(label, 26), (0, y), xycoords=("axes fraction", "data"), xytext=(-10, 0),
                      textcoords="offset points", ha="right", va="center", fontsize=12)  # fmt: skip


def _dot(axes: Axes, y: int, point: Point) -> None:
    colour = {"human": PEOPLE, "baseline": MUTED}.get(point.kind, ACCENT)
    if point.low is not None and point.high is not None:
        axes.plot([point.low, point.high], [y, y], color=colour, linewidth=2.4, solid_capstyle="round", alpha=None)
    shape = {"human": "D", "baseline": "o"}.get(point.kind, "o")
    face = PAPER if point.kind == "baseline" else colour
    axes.plot([point.value], [y], shape, markersize=8, markerfacecolor=face, markeredgecolor=colour, markeredgewidth=2)


def _paint(i: int) -> dict[str, Any]:
    return {"facecolor": _COLOURS[f"s{i + 1}"], "edgecolor": PAPER, "hatch": _HATCHES[i], "linewidth": 0.8}


def _cut(label: str, width: int) -> str:
    """A label of at most `width` columns (Chinese characters and kana take two), without control characters."""
    clean = "".join(c if c.isprintable() else " " for c in label)
    used = 0
    for i, c in enumerate(clean):
        used += 2 if unicodedata.east_asian_width(c) in "WF" else 1
        if used > width:
            return clean[: i - 1] + "…"
    return clean


def _say(points: Sequence[Point]) -> str:
    """The chart in a sentence, for those who do not see it."""
    first, last = points[0], points[-1]
    more = f"; last shown is {last.label} with {last.text}" if len(points) > 1 else ""
    return f"{len(points)} runs. First is {first.label} with {first.text}{more}. The table holds all numbers."


# ---- SVG for the page --------------------------------------------------------------------------------------------


def _chart(key: str, title: str, description: str, draw: Callable[[bool], Figure]) -> Chart:
    with matplotlib.rc_context(_RC), _no_glyph_warnings():
        return Chart(*(_inline(f"{key}-{'n' if n else 'w'}", title, description, draw(n)) for n in (False, True)))


@contextmanager
def _no_glyph_warnings() -> Iterator[None]:
    # Text stays text: the reader's browser has the fonts, this machine need not.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        yield


def _inline(key: str, title: str, description: str, figure: Figure) -> Markup:
    """A figure as SVG to stand in a page: ids of its own, colours by CSS variable, title and description."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    for name, colour in _COLOURS.items():
        text = text.replace(colour, f"var(--{name})")
    text = re.sub(r"font-family: [^;\"]*;?\s*", "", text)
    text = re.sub(
        r"font: (?:(bold|\d+) )?([\d.]+px) [^;\"]*",
        lambda m: f"font-weight: {m[1] or 'normal'}; font-size: {m[2]}",
        text,
    )
    used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", text))
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):  # a <style> here would reach the whole page
                parent.remove(child)
        for name, value in list(parent.attrib.items()):
            if name == "id":
                del parent.attrib[name]
                if value in used:
                    parent.set(name, f"{key}-{value}")
            elif "url(#" in value:
                parent.set(name, value.replace("url(#", f"url(#{key}-"))
            elif name.endswith("href"):
                parent.set(name, value.replace("#", f"#{key}-"))
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.attrib |= {
        "role": "img",
        "class": "chart",
        "aria-labelledby": f"{key}-title",
        "aria-describedby": f"{key}-desc",
    }
    for i, (tag, words) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(f"{{{_SVG}}}{tag}", {"id": f"{key}-{tag}"})
        element.text = "".join(c if c.isprintable() else " " for c in words)
        root.insert(i, element)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))
