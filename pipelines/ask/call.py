"""One call of `medexams ask`, or of the job of that name: all its datasets, one journal each, one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from pipelines.ask.adaptive import Several, picker
from pipelines.ask.asking import Limits, Outcome, estimate, remind, run
from pipelines.ask.endpoint import Endpoint, NoLogprobs
from pipelines.ask.journal import Journal
from pipelines.ask.plan import Plan, Wish, plans
from pipelines.errors import SettingsError
from pipelines.progress import Progress, silent
from pipelines.scoring.predicting import FEWEST

KEYS = ("MEDEXAMS_ASK_KEY", "OPENAI_API_KEY")
"""Variables that may hold the key, the first that is set; it is read from nowhere else."""


@dataclass(frozen=True)
class Call:
    """`data`: the data folder; `inbox`: where the journals go; `say` is given what a person should read; `budget`: of
    each exam no more questions than this, chosen by the answers so far."""

    data: Path
    inbox: Path
    wish: Wish
    limits: Limits = field(default_factory=Limits)
    timeout: float = 120.0
    concurrency: int = 4
    say: Callable[[str], None] = lambda text: None
    progress: Progress = silent
    budget: int | None = None

    def __post_init__(self) -> None:
        if self.budget is not None and (self.wish.limit is not None or self.wish.attempts > 1):
            raise SettingsError("budget chooses the questions and asks each once; leave limit and attempts out")
        if self.budget is not None and self.budget < FEWEST:
            raise SettingsError(f"budget is {self.budget}; nothing is predicted from fewer than {FEWEST} questions")

    def make(self, con: duckdb.DuckDBPyConnection, *, dry_run: bool = False) -> list[tuple[Plan, Outcome]]:
        """Ask all that the wish names and the journals lack. Where choices can't be ranked, answers are generated."""
        self._endpoint()  # a wrong address is said before questions are read
        wish = self.wish
        try:
            return self._asked(con, wish, dry_run)
        except NoLogprobs as fault:
            self.say(f"choices can't be ranked here: {fault}; generated answers are asked for instead")
            return self._asked(con, replace(wish, rank=None), dry_run)

    def _asked(self, con: duckdb.DuckDBPyConnection, wish: Wish, dry_run: bool) -> list[tuple[Plan, Outcome]]:
        found: list[tuple[Plan, Outcome]] = []
        for plan in plans(con, wish, self.data):
            for line in plan.left_out:
                self.say(line)
            if not plan.items:
                continue
            journal = Journal(self.inbox / plan.name, plan.header, _secrets())
            if dry_run:
                self._picker(con, plan, wish, journal.peek())
                continue
            with journal:
                chooser = self._picker(con, plan, wish, journal)
                outcome = run(
                    plan, wish, self._endpoint(), journal, self.limits, self.concurrency, self.progress, chooser
                )
                used = journal.tokens
            self.say(
                f"{plan.dataset_id}: {outcome.answered} answers, {outcome.failed} errors; "
                f"{used[0]:,} tokens of prompts and {used[1]:,} of answers in all"
            )
            found.append((plan, outcome))
            if outcome.stopped:
                break
        return found

    def _picker(self, con: duckdb.DuckDBPyConnection, plan: Plan, wish: Wish, journal: Journal) -> Several | None:
        """What chooses the questions, where there is a budget; says how, and what is left to ask and may be paid."""
        found = None
        if self.budget is not None:
            found = picker(con, plan.dataset_id, [item.question_id for item in plan.items], self.budget)
            for line in found.notes:
                self.say(line)
            remind(found, plan, journal)
        left = estimate(plan, wish, journal, found)
        cost = self.limits.money(left.tokens_in, left.most_out)
        self.say(
            f"{plan.dataset_id} ({plan.header['variant']}): {left.answers} answers to ask for"
            + (f", {left.there} are there" if left.there else "")
            + f"; about {left.tokens_in:,} tokens of prompts, at most {left.most_out:,} of answers"
            + (f", a cost of at most about {cost:.2f}" if cost else "")
        )
        return found

    def _endpoint(self) -> Endpoint:
        return Endpoint(self.wish.base_url, self.wish.model, next(iter(_secrets()), None), self.timeout)


def what_is_missing(outcomes: Sequence[tuple[Plan, Outcome]]) -> str | None:
    """How many answers there are not, and why; None where all are there."""
    lost = sum(outcome.wanted - outcome.answered for _, outcome in outcomes)
    why = next((outcome.stopped for _, outcome in outcomes if outcome.stopped), "their errors are in the journal")
    return f"answers are missing ({lost}): {why}" if lost else None


def _secrets() -> list[str]:
    """The keys of the environment, the one that is used first."""
    return [value for name in KEYS if (value := os.environ.get(name))]
