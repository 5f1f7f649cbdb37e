"""Scoring of the tasks that medexams generates for lm-evaluation-harness: copied beside them as utils.py.

Runs inside the harness, with Python's standard library alone, and knows no benchmark: each document carries its rule.
Points are the exam's own (see docs/rules.md of medexams). A generated text counts here only when it is nothing but the
answer ("A-C", "13", "0.4", after "Answer:" or the like); medexams itself reads free text: give it the logs
(medexams runs add). Figures: acc (right in full, over the questions that count), score_share (points over points
possible), exam_score (subject means weighted, -24 to 90, where the document has topics with a weight).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from decimal import Decimal, InvalidOperation
from typing import Any

Doc = dict[str, Any]
Result = dict[str, Any]


def process_choice(doc: Doc, results: list[tuple[float, bool]]) -> Result:
    """The choice with the highest log-likelihood (letters shown with the question)."""
    return _result(doc, _ranked(doc, [float(r[0]) for r in results]))


def process_cloze(doc: Doc, results: list[tuple[float, bool]]) -> Result:
    """The same for texts that were not shown: plain, and divided by the text's number of characters (..._norm)."""
    scores = [float(r[0]) for r in results]
    normalised = [s / max(1, len(text)) for s, text in zip(scores, doc["choices"], strict=True)]
    by_length = _result(doc, _ranked(doc, normalised))
    return _result(doc, _ranked(doc, scores)) | {f"{name}_norm": value for name, value in by_length.items()}


def process_generated(doc: Doc, results: list[str]) -> Result:
    """A text that is nothing but an answer."""
    return _result(doc, _read(doc, results[0]))


def _ranked(doc: Doc, scores: list[float]) -> set[str] | None:
    best = max(range(len(scores)), key=scores.__getitem__)
    return {doc["labels"][best]} if best < len(doc["labels"]) else None  # the last choice may decline to answer


def _result(doc: Doc, chosen: set[str] | str | None) -> Result:
    points, possible, right = _points(doc, chosen)
    result: Result = {"acc": right, "score_share": [points, possible]}
    if doc["topic_weight"]:
        result["exam_score"] = [doc["topic"], doc["topic_weight"], points, possible]
    return result


def _points(doc: Doc, chosen: set[str] | str | None) -> tuple[float, float, float | None]:
    """Points, points possible (0: does not count) and whether it is right (None: does not count)."""
    rule = doc["rule"]
    full = rule["weight"] * (rule["any_right"] + rule["exact"])
    status = doc["key_status"]
    if status in ("removed", "unknown"):
        return 0.0, 0.0, None
    if status == "all_credit":
        return full, full, 1.0
    if chosen is None:
        exact, earned = False, 0.0
    elif isinstance(chosen, str):
        exact = _accepts(doc, chosen)
        earned = rule["any_right"] + rule["exact"] if exact else rule["each_wrong"] + rule["any_wrong"]
    else:
        accepted = [set(a.split("-")) for a in doc["accepted"]]
        exact = chosen in accepted
        hits = len(chosen & set().union(*accepted))
        earned = (rule["any_right"] if hits else 0.0) + (rule["exact"] if exact else rule["any_wrong"])
        earned += 0.0 if exact else rule["each_wrong"] * (len(chosen) - hits)
    if status == "correct_only" and not exact:
        return 0.0, 0.0, None
    return rule["weight"] * earned, full, float(exact)


def _read(doc: Doc, text: str) -> set[str] | str | None:
    """Labels, or the value of a question without choices to tick; None when the text is not just an answer."""
    said = unicodedata.normalize("NFKC", text).strip().strip("`*\"'「」.。 ")
    said = re.sub(r"^(?:the )?(?:answer|risposta|解答|回答|正解|答え)(?: is| è|は)?\s*[:：]?\s*", "", said, flags=re.I)
    if doc["answer_type"] not in ("single", "multiple"):
        return said or None
    known = {label.upper(): label for label in doc["labels"]}
    joined = "" if any(label.isdecimal() for label in known) else "-"  # "1-3" may be a range, "A-C" is a list
    parts = [p for p in re.split(rf"[\s,、・;/&+{joined}]+|\bAND\b", said.upper()) if p]
    if not all(p in known for p in parts):
        parts = list(said.upper()) if said.isalnum() else []
    chosen = {known[p] for p in parts if p in known}
    return chosen if parts and len(chosen) == len(parts) else None


def _accepts(doc: Doc, value: str) -> bool:
    if doc["answer_type"] == "numeric":
        number = _number(value)
        return number is not None and any(number == _number(a) for a in doc["accepted"])
    return _squeezed(value) in {_squeezed(a) for a in doc["accepted"]}


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(unicodedata.normalize("NFKC", text).replace(",", "").replace(" ", ""))
    except InvalidOperation:
        return None


def _squeezed(text: str) -> str:
    return re.sub(r"[\s,、，→>・-]", "", unicodedata.normalize("NFKC", text).upper())


# ---- aggregations ------------------------------------------------------------------------------------------------


def mean_counted(items: list[float | None]) -> float:
    """Mean over the questions that count."""
    counted = [i for i in items if i is not None]
    return sum(counted) / len(counted) if counted else float("nan")


def share(items: list[list[float]]) -> float:
    """Points over points possible."""
    possible = sum(i[1] for i in items)
    return sum(i[0] for i in items) / possible if possible else float("nan")


def exam_score(items: list[list[Any]]) -> float:
    """Mean points by subject times the subject's weight, summed."""
    by_topic: dict[str, list[float]] = defaultdict(list)
    weights: dict[str, float] = {}
    for topic, weight, points, possible in items:
        weights[topic] = weight
        if possible:
            by_topic[topic].append(points)
    return sum(weights[t] * sum(p) / len(p) for t, p in by_topic.items())
