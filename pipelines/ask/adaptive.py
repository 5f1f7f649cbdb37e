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
from pipelines.scoring.predicting import Paper, belief, paper
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
    """Picks up to `budget` of the questions `allowed`: by `gains`, or at random within strata (Paper.drawn) where the
    questions are not known. A question without an answer in the end counts against the budget and says nothing."""

    def __init__(self, paper: Paper, allowed: Collection[str], budget: int) -> None:
        self.paper, self.budget = paper, budget
        self.place = {question_id: i for i, question_id in enumerate(paper.ids)}
        self.allowed = set(allowed) & self.place.keys()
        self.drawn = [q for q in paper.drawn(with_pictures=self._has_pictures()) if q in self.allowed]
        self.answers: dict[str, bool | None] = {}

    def _has_pictures(self) -> bool:
        return all(q in self.allowed for q, i in self.place.items() if self.paper.pictured[i])

    def record(self, question_id: str, is_right: bool | None) -> None:
        """An answer that is there, of this call or an earlier one."""
        if question_id in self.allowed:
            self.answers[question_id] = is_right

    def next(self) -> str | None:
        """The question to ask now; None when the budget is spent."""
        open_ = self.allowed - self.answers.keys()
        if len(self.answers) >= self.budget or not open_:
            return None
        if not self.paper.is_known:
            return next((q for q in self.drawn if q in open_), None)
        scored = {self.place[q]: float(right) for q, right in self.answers.items() if right is not None}
        gain = gains(self.paper, np.array(list(scored), dtype=np.int64), np.array(list(scored.values())))
        return max(sorted(open_), key=lambda q: gain[self.place[q]])


class Several:
    """One Adaptive for each exam, one after the other. `notes` says in words how the questions of each are chosen."""

    def __init__(self, pickers: dict[str, Adaptive]) -> None:
        self.pickers = list(pickers.values())
        self.size = sum(min(p.budget, len(p.allowed)) for p in self.pickers)
        self.notes = tuple(
            f"{name}: up to {p.budget} questions, "
            + ("chosen by the answers" if p.paper.is_known else
               "drawn at random within strata: too few runs answered it to know its questions")
            for name, p in pickers.items()
        )  # fmt: skip

    def record(self, question_id: str, is_right: bool | None) -> None:
        for picker in self.pickers:
            picker.record(question_id, is_right)

    def next(self) -> str | None:
        return next((q for picker in self.pickers if (q := picker.next()) is not None), None)


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
