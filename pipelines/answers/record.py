"""One response as a JSON mapping in, its reading as a JSON mapping out: what `medexams extract` does with a line.

Not here: reading lines, writing lines (the CLI).
"""

from collections.abc import Mapping
from typing import Any

from pipelines.answers.core import read
from pipelines.registry import benchmarks


def read_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read one record.

    Keys in: text, answer_type (default single), labels (default A to E), choices, benchmark (gives the language),
    language, cut_off.
    Keys out: case and id where given, then status, labels (as given, in order), value, evidence. Missing or odd
    keys never raise.
    """
    benchmark = benchmarks().get(str(record.get("benchmark")))
    language = record.get("language") or (benchmark.card.language if benchmark else None)
    answer = read(
        record.get("text"),
        str(record.get("answer_type") or "single"),
        _strings(record.get("labels")),
        _strings(record.get("choices")),
        str(language) if language else None,
        cut_off=record.get("cut_off") is True,
    )
    echo = {key: record[key] for key in ("case", "id") if key in record}
    return echo | {
        "status": answer.status,
        "labels": list(answer.labels),
        "value": answer.value,
        "evidence": answer.evidence,
    }


def _strings(value: object) -> list[str] | None:
    """A list of labels or texts as strings; a mapping from label to text gives its values; anything else is
    taken as missing."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return None
    return ["" if item is None else str(item) for item in value]
