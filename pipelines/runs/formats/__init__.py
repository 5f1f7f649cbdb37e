"""One module per layout of prediction files, and the order in which they are asked whose a file is."""

from __future__ import annotations

from pipelines.benchmarks.cognet_md import predictions as cognet
from pipelines.benchmarks.igakuqa import predictions as igakuqa
from pipelines.benchmarks.kokushi_md10 import predictions as kokushi_results
from pipelines.runs.formats import (
    helm,
    inspect_log,
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
