"""Stage 2: the unified question tables, made together from the archive, and how sound each source is."""

from collections.abc import Iterator

import dagster as dg

from assets.common import Workspace, failed_check, passed_check, table_metadata, table_spec
from assets.sources import asset_names
from pipelines import stages
from pipelines.errors import MedexamsError
from pipelines.questions.unify import QUESTION_TABLES
from pipelines.scoring.rulebook import TABLE_NAMES as RULE_TABLES

ACCEPTED = dg.AssetCheckSpec(
    "releases_are_accepted",
    asset="dataset",
    description="What was fetched could be read, and does not differ too much from what is published.",
)


@dg.multi_asset(
    name="question_tables",
    specs=[
        table_spec(
            name, [*asset_names(), *RULE_TABLES], {"polars", "parquet"}, "pipelines/questions/unify.py"
        ).replace_attributes(skippable=True)
        for name in QUESTION_TABLES
    ],
    check_specs=[ACCEPTED],
)
def question_tables(
    context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Unify all releases ever fetched."""
    try:
        stages.build_questions(workspace.settings, workspace.store)
    except MedexamsError as fault:
        yield failed_check(context, ACCEPTED, fault)
        return
    yield passed_check(ACCEPTED)
    for name in QUESTION_TABLES:
        yield dg.MaterializeResult(name, metadata=table_metadata(workspace.store, name))


@dg.multi_asset(
    name="prompt_table",
    specs=[table_spec("prompt", list(stages.PROMPT_INPUTS), {"jinja", "parquet"}, "pipelines/prompts/__init__.py")],
)
def prompt_table(workspace: dg.ResourceParam[Workspace]) -> Iterator[dg.MaterializeResult]:
    """Write every question as its benchmark asks it."""
    stages.build_prompts(workspace.store)
    yield dg.MaterializeResult("prompt", metadata=table_metadata(workspace.store, "prompt"))
