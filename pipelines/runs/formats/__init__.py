"""One module per layout of prediction files, and the order in which they are asked whose a file is."""

from __future__ import annotations

from pipelines.runs.formats import (
    cognet,
    helm,
    igakuqa,
    inspect_log,
    kokushi_results,
    lighteval,
    lm_eval,
    openai_batch,
    opencompass,
    table,
)
from pipelines.runs.parsed import Format

# The plain table asks for least, so it comes last.
FORMATS: tuple[Format, ...] = (
    lm_eval, kokushi_results, igakuqa, inspect_log, helm, lighteval, openai_batch, opencompass, cognet, table,
)  # fmt: skip
BY_NAME: dict[str, Format] = {f.NAME: f for f in FORMATS}
