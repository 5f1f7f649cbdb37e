"""FaMed's results: {"famed": YEAR, "modell": NAME, "antworten": {"1": "B", …}}, one file a model."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role

NAME = "famed"


def sniff(look: Peek) -> Role | None:
    return "predictions" if look.has("famed", "modell", "antworten") else None


def group(look: Peek) -> str:
    return look.name


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    data = json.loads(file.data)
    header = Header("FaMed", model=data["modell"], dataset="famed", language="de")
    return [
        Fragment(header, [Prediction(f"antworten.{n}", Ask(source_key=n), a) for n, a in data["antworten"].items()])
    ]
