"""The question to ask next when no more than a budget may be asked: a Picker for the loop of asking.py.

What the answers say of the run, and of the whole in the end, is scoring/predicting.py. catsim (0.21), the library for
adaptive tests, chooses what tells most of an ability; here the total of one paper is wanted, where a question's own
points count as much as what it tells of the others, questions are uncertain, and what is answered is known: its
selectors and estimators have no place for that, and the choice itself is the twenty lines of `gains`.
"""

from __future__ import annotations

from collections.abc import Collection

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipelines.scoring.items import WHOLE
from pipelines.scoring.predicting import FEWEST, Paper, belief, is_part, paper
from pipelines.store.tables import query

Array = NDArray[np.float64]
Places = NDArray[np.int64]


def gains(paper: Paper, asked: Places, right: Array) -> Array:
    """By how much an answer to each question (m) is expected to lower the variance of the total; 0 for those asked.

    An answer makes its own points certain, and says something of ability and slope, and so of all other points: that
    part is the variance of the other points' means over the grid, less what is expected to be left of it.
    """
    weight, chances = belief(paper.chances, asked, right), paper.chances
    rest = ~np.isin(np.arange(len(paper.worth)), asked)
    points = chances * paper.worth * rest
    others = points.sum(axis=1, keepdims=True) - points
    left = np.zeros(len(rest))
    for share in (chances, 1 - chances):
        mass = np.maximum(weight @ share, 1e-12)
        left += weight @ (share * others**2) - (weight @ (share * others)) ** 2 / mass
    total = points.sum(axis=1)
    own = paper.worth**2 * (weight @ (chances * (1 - chances)))
    return np.where(rest, own + weight @ total**2 - (weight @ total) ** 2 - left, 0.0)


class Adaptive:
    """Picks up to `budget` of the questions `allowed`: by `gains`, one after the other, or at random within strata
    (Paper.drawn) where the questions are not known. What has no answer in the end counts against the budget and says
    nothing."""

    def __init__(self, paper: Paper, allowed: Collection[str], budget: int) -> None:
        self.paper, self.budget = paper, budget
        self.place = {question_id: i for i, question_id in enumerate(paper.ids)}
        self.allowed = set(allowed) & self.place.keys()
        self.drawn = [q for q in paper.drawn(with_pictures=self._has_pictures()) if q in self.allowed]
        self.answers: dict[str, bool | None] = {}
        self.under_way: set[str] = set()

    def _has_pictures(self) -> bool:
        return all(q in self.allowed for q, i in self.place.items() if self.paper.pictured[i])

    def record(self, question_id: str, is_right: bool | None) -> None:
        """An answer that is there, of this call or an earlier one."""
        if question_id in self.allowed:
            self.answers[question_id] = is_right
            self.under_way.discard(question_id)

    @property
    def size(self) -> int:
        """How many questions it asks in all."""
        return min(self.budget, len(self.allowed))

    @property
    def left(self) -> int:
        return max(0, self.size - len(self.answers))

    def next(self) -> str | None:
        """The question to ask now; None when the budget is spent, or an answer is to be waited for."""
        open_ = self.allowed - self.answers.keys() - self.under_way
        if self.left <= len(self.under_way) or (self.paper.is_known and self.under_way):
            return None
        chosen = self._telling(open_) if self.paper.is_known else next((q for q in self.drawn if q in open_), None)
        if chosen is not None:
            self.under_way.add(chosen)
        return chosen

    def _telling(self, among: Collection[str]) -> str:
        scored = {self.place[q]: float(right) for q, right in self.answers.items() if right is not None}
        gain = gains(self.paper, np.array(list(scored), dtype=np.int64), np.array(list(scored.values())))
        return max(sorted(among), key=lambda q: gain[self.place[q]])


class Several:
    """One Adaptive for each exam. `notes` says in words how the questions of each are chosen."""

    def __init__(self, pickers: dict[str, Adaptive]) -> None:
        self.pickers = list(pickers.values())
        self.notes = tuple(_note(name, picker) for name, picker in pickers.items())

    @property
    def left(self) -> int:
        return sum(picker.left for picker in self.pickers)

    def record(self, question_id: str, is_right: bool | None) -> None:
        for picker in self.pickers:
            picker.record(question_id, is_right)

    def next(self) -> str | None:
        return next((q for picker in self.pickers if (q := picker.next()) is not None), None)


def _note(name: str, picker: Adaptive) -> str:
    whole = len(picker.paper.ids)
    how = (
        "chosen by the answers" if picker.paper.is_known
        else "drawn at random within strata: too few runs answered it to know its questions"
    )  # fmt: skip
    if picker.size < whole and not is_part(picker.size, whole):
        how += f"; nothing is predicted from {f'fewer than {FEWEST}' if picker.size < FEWEST else 'half of a whole'}"
    return f"{name}: {picker.size} of {whole} questions, {how}"


def picker(con: duckdb.DuckDBPyConnection, dataset_id: str, allowed: Collection[str], budget: int) -> Several:
    """What asks up to `budget` of the questions `allowed` of each exam of a dataset (or of one without exams)."""
    question, known, rules = (
        query(con, f"select * from {name}") for name in ("question", "item_parameter", "rule_item")
    )
    found = {}
    for (whole,), rows in (
        question.filter(pl.col("dataset_id") == dataset_id).sort("question_id").group_by(WHOLE, maintain_order=True)
    ):
        if not rows["question_id"].is_in(list(allowed)).any():
            continue
        found[str(whole)] = Adaptive(paper(rows, known, rules), allowed, budget)
    return Several(found)
