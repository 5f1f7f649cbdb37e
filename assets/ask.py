"""The job `ask`: what `medexams ask` does, from the Dagster UI. The key comes from the environment, never from here."""

from pathlib import Path
from typing import Any

import dagster as dg
import duckdb

from pipelines.ask.asking import Limits
from pipelines.ask.call import Call, what_is_missing
from pipelines.ask.plan import Wish
from pipelines.errors import MedexamsError
from pipelines.settings import Settings


class AskConfig(dg.Config):
    """The settings of `medexams ask`, by the same names."""

    base_url: str
    model: str
    benchmark: str | None = None
    datasets: list[str] = []  # noqa: RUF012 - a pydantic field
    exam: str | None = None
    variant: str | None = None
    rank: str | None = None
    limit: int | None = None
    attempts: int = 1
    images: bool = False
    prompts: str | None = None
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 1024
    parameters: dict[str, Any] = {}  # noqa: RUF012 - a pydantic field
    budget: int | None = None
    concurrency: int = 4
    timeout: float = 120.0
    max_tokens_total: int | None = None
    max_cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0


def ask_job(settings: Settings) -> dg.JobDefinition:
    """The job, bound to the data folder of `settings`."""

    @dg.op(description="Ask what the journals in the inbox lack; needs a published warehouse.")
    def ask_model(context: dg.OpExecutionContext, config: AskConfig) -> None:
        c = config
        wish = Wish(
            c.model, c.base_url, c.benchmark, tuple(c.datasets), c.exam, c.variant, c.rank, c.limit, c.attempts,
            c.images, Path(c.prompts) if c.prompts else None, c.temperature, c.seed, c.max_tokens,
            c.parameters,
        )  # fmt: skip
        limits = Limits(c.max_tokens_total, c.max_cost, c.price_in, c.price_out)
        call = Call(
            settings.data, settings.inbox_folder, wish, limits, c.timeout, c.concurrency, context.log.info,
            budget=c.budget,
        )  # fmt: skip
        if not settings.warehouse.exists():
            raise MedexamsError(f"{settings.warehouse} does not exist yet; run the job refresh first")
        with duckdb.connect(str(settings.warehouse), read_only=True) as con:
            outcomes = call.make(con)
        if lost := what_is_missing(outcomes):
            raise MedexamsError(f"{lost}; the same job asks for them again")

    @dg.job(name="ask", description="Ask a model, as `medexams ask` does; the inbox sensor scores its answers.")
    def ask() -> None:
        ask_model()

    return ask
