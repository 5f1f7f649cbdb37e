"""The words that tables, code and people share: kinds, statuses, verdicts, flags, metrics with unit and range.

The schema permits these values and no others in its columns; modules that write or test for a word take it from here.
Names of benchmarks, exams, subjects and models are data and do not belong here.
"""

from __future__ import annotations

from dataclasses import dataclass

ANSWER_TYPES = ("single", "multiple", "numeric", "sequence", "text")
KEY_STATUSES = ("scored", "removed", "correct_only", "all_credit", "unknown")
PREDICTION_STATUSES = ("answered", "abstained", "refused", "ambiguous", "unparsed", "empty", "error")
UNPARSED = ("unparsed", "ambiguous", "empty", "error")
"""Of these, those in which no answer was found, which leaderboards count as unparsed."""
RUN_KINDS = ("model", "baseline", "human")
MODALITIES = ("text", "multimodal")
RUN_FORMATS = ("mc", "cloze", "generated")
RULESETS = ("official", "published")
RULE_STATUSES = ("sourced", "derived", "unverified")
"""derived: worked out from sourced facts, not stated by a source itself."""
ADJUSTED_KINDS = ("removed", "correct_only", "all_credit", "several_accepted", "unstated")
USE_CASE_KINDS = ("whole", "topic", "sample")
LINE_KINDS = ("points", "forbidden", "zero_subjects", "earned_share")
LINE_BASES = ("absolute", "at_least", "more_than", "at_most", "constant")
OBSTACLES = ("incomplete", "no_line", "points", "layout", "keys")
"""Why no verdict can be given on a line of an exam."""
DISAGREEMENTS = ("item", "exam")
"""What rule_disagreement speaks of."""
COMPARED_METRICS = ("accuracy", "score_share")
REPORTED_METRICS = ("passes", "points", "questions", "questions_with_images")
CHANGE_KINDS = ("dataset", "question", "key", "rule", "run", "score", "verdict", "item")
"""Kinds of refresh_change, each a file of sql/changes."""
LINKS = ("exact", "lost_markup", "near")
FLAGS = (
    "image_missing", "passage_missing", "lost_markup", "duplicate_choices", "duplicate_question", "key_missing",
    "key_disputed", "text_repaired", "choice_count_unusual", "options_not_split", "points_suspect",
    "forbidden_repaired", "key_unverified",
)  # fmt: skip

VERDICTS: dict[bool | None, str] = {True: "pass", False: "fail", None: "no verdict"}
"""A verdict (exam_result.passed) in words."""


@dataclass(frozen=True)
class Metric:
    """A figure of a run. `low` and `high` are the least and greatest possible value; None: by the rule."""

    says: str
    unit: str
    low: float | None = 0.0
    high: float | None = 1.0


_SHARE = "share, 0 to 1"
METRICS = {
    "score": Metric("points by the exam's own rule", "points", None, None),
    "score_share": Metric("points over points possible, by the exam's own rule", "share, at most 1", None, 1.0),
    "accuracy": Metric("right in full, over all questions that count", _SHARE),
    "accuracy_answered": Metric("right in full, over the questions answered", _SHARE),
    "answered_share": Metric("questions answered, over all that count", _SHARE),
    "exam_score": Metric("mean points of each subject, weighted as in the exam and summed", "points", None, None),
}
"""Metrics of benchmark_score by name."""
