"""One module per layout of a tool's prediction files, and the order in which all formats are asked whose a file is.

A benchmark's own layout of results stands in its folder (predictions.py) and is asked before the tools' looser ones.
"""

from __future__ import annotations

from functools import cache

from pipelines import registry
from pipelines.runs.parsed import Format


@cache
def formats() -> dict[str, Format]:
    """All formats by name, in the order in which they are asked. The plain table asks for least, so it comes last."""
    from pipelines.runs.formats import (
        helm,
        inspect_log,
        lighteval,
        lm_eval,
        medexams_ask,
        openai_batch,
        opencompass,
        table,
    )

    tools = (inspect_log, helm, lighteval, openai_batch, opencompass, table)
    found: tuple[Format, ...] = (lm_eval, medexams_ask, *registry.prediction_formats(), *tools)
    return {f.NAME: f for f in found}
