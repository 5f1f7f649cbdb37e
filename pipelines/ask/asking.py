"""The loop that asks: several questions at a time, only what is missing, within the limits.

Each answer is kept as it comes. A Picker may choose the questions one by one in place of the plan's order.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from time import monotonic
from typing import Any, Protocol

from pipelines import answers
from pipelines.ask.endpoint import Endpoint, Failed, Hopeless, NoLogprobs, Reply
from pipelines.ask.journal import Journal, Row
from pipelines.ask.plan import Item, Plan, Wish, about_tokens
from pipelines.errors import SettingsError
from pipelines.progress import Progress, silent

FAILURES_IN_A_ROW = 10
"""After so many questions without an answer, one after the other, the server is taken to be out of order."""


class Picker(Protocol):
    """Chooses the next question by the answers so far. `left`: how many it still wants; `next`: None when none can be
    asked now; `record` is told each answer that is there, `is_right` None where the question has no key."""

    @property
    def left(self) -> int: ...
    def next(self) -> str | None: ...
    def record(self, question_id: str, is_right: bool | None) -> None: ...


@dataclass(frozen=True)
class Limits:
    """What a run may use in all, earlier calls included: tokens, or money at so much for a million tokens."""

    tokens: int | None = None
    cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        if self.cost is not None and not self.price_in + self.price_out:
            raise SettingsError("a limit of cost needs prices; give price-in and price-out")

    def money(self, tokens_in: float, tokens_out: float) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6

    def allows(self, tokens_in: float, tokens_out: float) -> bool:
        within = self.tokens is None or tokens_in + tokens_out <= self.tokens
        return within and (self.cost is None or self.money(tokens_in, tokens_out) <= self.cost)

    def __str__(self) -> str:
        said = [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        return " and ".join([*said, *([f"a cost of {self.cost:g}"] if self.cost is not None else [])])


@dataclass
class Outcome:
    """What a call came to: answers and errors it added, and, if it ended early, why."""

    wanted: int
    answered: int = 0
    failed: int = 0
    kept: bool = False
    """Whether the journal holds any answer."""
    stopped: str | None = None


@dataclass(frozen=True)
class Estimate:
    """What is left to ask: questions times attempts, about how many tokens of prompts, at most how many of answers.

    `there`: answers that the journal holds of the plan's.
    """

    answers: int
    tokens_in: int
    most_out: int
    there: int


def missing(plan: Plan, attempts: int, journal: Journal) -> list[tuple[Item, int]]:
    """What the journal lacks, attempt by attempt."""
    done = journal.answered
    return [(item, k) for k in range(1, attempts + 1) for item in plan.items if (item.question_id, k) not in done]


def remind(picker: Picker, plan: Plan, journal: Journal) -> None:
    """Tell a picker the answers of earlier calls; what got an error may be asked again."""
    items = {item.question_id: item for item in plan.items}
    for row in journal.rows:
        if not row.get("error") and row["question_id"] in items:
            picker.record(row["question_id"], is_right(items[row["question_id"]], row))


def estimate(plan: Plan, wish: Wish, journal: Journal, picker: Picker | None = None) -> Estimate:
    """What is left for a plan. The questions that a picker takes are taken to be as long as those it may take."""
    todo = missing(plan, wish.attempts, journal)
    answers = picker.left if picker else len(todo)
    tokens = sum(item.tokens for item, _ in todo) * answers // max(1, len(todo))
    there = len(plan.items) * wish.attempts - len(todo)
    return Estimate(answers, tokens, answers * (0 if wish.rank else _most_out(wish)), there)


def run(
    plan: Plan,
    wish: Wish,
    endpoint: Endpoint,
    journal: Journal,
    limits: Limits | None = None,
    concurrency: int = 4,
    progress: Progress = silent,
    picker: Picker | None = None,
) -> Outcome:
    """Ask what the (open) journal lacks. Raises NoLogprobs, before any answer is written, where none can be ranked."""
    return asyncio.run(_Asking(plan, wish, endpoint, journal, limits or Limits(), progress, picker).run(concurrency))


class _Asking:
    def __init__(
        self, plan: Plan, wish: Wish, endpoint: Endpoint, journal: Journal, limits: Limits, progress: Progress,
        picker: Picker | None,
    ) -> None:  # fmt: skip
        self.plan, self.wish, self.endpoint, self.journal = plan, wish, endpoint, journal
        self.limits, self.progress, self.picker = limits, progress, picker
        todo = missing(plan, wish.attempts, journal)
        self.todo = iter(todo)
        self.items = {item.question_id: item for item in plan.items}
        self.outcome = Outcome(picker.left if picker else len(todo))
        self.in_row = 0
        self.reserved: dict[int, tuple[int, int]] = {}
        self.freed = asyncio.Condition()

    def _next(self) -> tuple[Item, int] | None:
        """A question and its attempt; None where this worker is not needed any more."""
        if self.picker is None:
            return next(self.todo, None)
        question_id = self.picker.next()
        return None if question_id is None else (self.items[question_id], 1)

    async def run(self, concurrency: int) -> Outcome:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._work())
        except BaseExceptionGroup as faults:
            raise faults.exceptions[0] from None
        finally:
            await self.endpoint.close()
        self.outcome.kept = bool(self.journal.rows)
        return self.outcome

    async def _work(self) -> None:
        while self.outcome.stopped is None and (step := self._next()):
            item, attempt = step
            most = (item.tokens, 0 if self.wish.rank else _most_out(self.wish))
            if not await self._reserve(id(step), most):
                return
            try:
                row = await self._ask(item, attempt)
            finally:
                async with self.freed:
                    del self.reserved[id(step)]
                    self.freed.notify_all()
            if row is not None:
                self._keep(item, row)

    async def _reserve(self, who: int, most: tuple[int, int]) -> bool:
        """Whether the limits have room for one more answer at its longest; waits for those under way."""
        async with self.freed:
            while self.outcome.stopped is None:
                taken = [self.journal.tokens, *self.reserved.values(), most]
                if self.limits.allows(sum(t[0] for t in taken), sum(t[1] for t in taken)):
                    self.reserved[who] = most
                    return True
                if not self.reserved:
                    self.outcome.stopped = f"the limit of {self.limits} leaves no room for another answer"
                    break
                await self.freed.wait()
        return False

    async def _ask(self, item: Item, attempt: int) -> Row | None:
        """The journal's row of one answer; None where asking has ended."""
        row: Row = {"question_id": item.question_id, "attempt": attempt, "prompt": item.prompt}
        row |= {name: list(value) for name, value in item.shown.items()}
        start, row["asked_at"] = monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        try:
            if self.wish.rank:
                scores, tokens = await self.endpoint.loglikelihoods(item.context, item.continuations)
                row |= ranking(item.ranked, scores) | {"prompt_tokens": tokens or item.tokens}
            else:
                request = self.wish.request()
                if attempt > 1 and "seed" in request:  # or each attempt would be the first one again
                    request["seed"] += attempt - 1
                row |= _row(await self.endpoint.chat(item.messages, request), item)
        except Hopeless as fault:
            self.outcome.stopped = str(fault)
            return None
        except NoLogprobs:
            if not self.journal.rows:
                raise
            row["error"] = "the server gave no log-probabilities for this question"
        except Failed as fault:
            row["error"] = str(fault)
        return row | {"seconds": round(monotonic() - start, 2)}

    def _keep(self, item: Item, row: Row) -> None:
        self.journal.add(row)
        if row.get("error"):
            self.outcome.failed += 1
            self.in_row += 1
            if self.in_row >= FAILURES_IN_A_ROW:
                self.outcome.stopped = f"{self.in_row} questions in a row got no answer, the last: {row['error']}"
        else:
            self.outcome.answered += 1
            self.in_row = 0
        if self.picker:
            self.picker.record(row["question_id"], None if row.get("error") else is_right(item, row))
        done = self.outcome.answered + self.outcome.failed
        self.progress(f"answers of {self.plan.dataset_id}", done, self.outcome.wanted)


def _most_out(wish: Wish) -> int:
    request = wish.request()
    return int(request.get("max_tokens") or request.get("max_completion_tokens") or 0)


def _row(reply: Reply, item: Item) -> Row:
    row: Row = {
        "response": reply.text, "reasoning": reply.reasoning, "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens if reply.prompt_tokens is not None else item.tokens,
        "completion_tokens": reply.completion_tokens
        if reply.completion_tokens is not None
        else about_tokens((reply.text or "") + (reply.reasoning or "")),
    }  # fmt: skip
    return row | ({"refused": True} if reply.is_refusal else {})


def ranking(texts: tuple[str, ...], scores: list[float]) -> Row:
    """The choices ranked, the first with the highest log-likelihood, and the first by log-likelihood a character."""
    by_length = [s / max(1, len(text)) for s, text in zip(scores, texts, strict=True)]
    best = lambda found: max(range(len(found)), key=found.__getitem__)  # noqa: E731
    shown = [s if math.isfinite(s) else None for s in scores]
    return {"ranked": list(texts), "scores": shown, "chosen": best(scores), "chosen_by_length": best(by_length)}


def _equal(value: str, accepted: str) -> bool:
    """Equal as decimals, or as texts: what a leading zero may mean stands among the accepted answers already."""
    try:
        return Decimal(value) == Decimal(accepted)
    except ArithmeticError:
        return value == accepted


def is_right(item: Item, row: Row) -> bool | None:
    """Whether an answer is an accepted one in full; None where the question has no key that counts."""
    q: dict[str, Any] = item.question
    if q["key_status"] in ("removed", "unknown") or not q["answers"]:
        return None
    labels, choices = [c["label"] for c in q["choices"]], [c["text"] for c in q["choices"]]
    if (chosen := row.get("chosen")) is not None:
        given, value = (labels[chosen : chosen + 1], None)
    else:
        read = answers.read(row.get("response") or "", q["answer_type"], labels, choices, q["language"])
        given, value = list(read.labels), read.value
    accepted = [set(a["labels"]) for a in q["answers"] if a["labels"]]
    if value is not None and not accepted:
        return any(_equal(value, a["value"]) for a in q["answers"])
    return set(given) in accepted
