"""Rules of the benchmarks as data: points, weights, lines, layouts, adjusted questions; and figures that papers report."""

from __future__ import annotations

from pipelines.schema.table import BENCHMARKS, BOOL, INT, POINTS, RULESET, SCORE, Table, col, free
from pipelines.vocabulary import (
    ADJUSTED_KINDS,
    LINE_BASES,
    LINE_KINDS,
    MODALITIES,
    REPORTED_METRICS,
    RULE_STATUSES,
    USE_CASE_KINDS,
)

LINE = (
    free("component", "Part of the exam; overall: all of it."),
    free("kind", "points: points needed; forbidden: forbidden choices allowed; zero_subjects: subjects without a "
        "point allowed; earned_share: the released scorer's check of 薬剤's subjects.",
        values=LINE_KINDS),
    col("first_number", INT, "First question it looks at; null: by the question's component.", null=True),
    col("last_number", INT, "Last question it looks at; null: to the end.", null=True),
    col("max_points", POINTS, "Official maximum; null when not found.", null=True, unit="points"),
    col("line", POINTS, "Points needed, or the highest number allowed; null when not found.", null=True),
    free("basis", "absolute: the year's own line; at_least: percent of what counts, rounded up; more_than: the "
        "least above percent of what counts; at_most: an upper limit; constant: the scorer's constant.",
        values=LINE_BASES),
    col("percent", INT, "Percent of what counts, for at_least, more_than and earned_share.", null=True, unit="%"),
    free("status", "Whether line and layout have a source.", values=RULE_STATUSES),
)  # fmt: skip
"""A line of an exam, in rule_component and exam_rule."""
LINE_NOTE = free("note", "What else is worth knowing; for published, the scorer's fault.", null=True)

TABLES = (
    Table(
        "rule_item", "rules", "Points of one answer, by benchmark and ruleset.",
        (
            free("benchmark", "The benchmark.", values=BENCHMARKS), RULESET,
            free("reads", "How it takes a response. selection: the answer as read here; else in the way of the benchmark's "
                "released.sql, in one word (see note)."),
            col("any_right", POINTS, "Once, when at least one chosen answer is right.", unit="points"),
            col("exact", POINTS, "More, when the answer is an accepted one in full.", unit="points"),
            col("each_wrong", POINTS, "For each wrong answer chosen.", unit="points"),
            col("any_wrong", POINTS, "Once, when an answer was given and is not an accepted one.", unit="points"),
            col("weighted", BOOL, "True when these are multiplied by the question's own points."),
            col("states_how_many", BOOL, "True when a question says how many choices are right; else a guess is one choice."),
            col("credits_all", BOOL, "True when questions that the exam credits to all are right for all."),
            free("status", "Whether the rule has a source.", values=RULE_STATUSES),
            free("source", "Where the rule stands."),
            free("note", "What else is worth knowing."),
        ),
        key=("benchmark", "ruleset"), not_empty=True,
    ),
    Table(
        "rule_use_case", "rules", "Named parts of a benchmark that its own reports speak of.",
        (
            free("benchmark", "The benchmark.", values=BENCHMARKS),
            free("use_case", "Its name."),
            free("kind", "whole: every question; topic: one such part for each subject; sample: a share of each subject.",
                values=USE_CASE_KINDS),
            col("share", POINTS, "Share of each subject's questions.", unit="share, 0 to 1"),
            col("seed", INT, "Seed of a sample.", null=True),
            free("source", "Where it is defined."),
        ),
        key=("benchmark", "use_case"),
    ),
    Table(
        "rule_topic", "rules", "Weight of each subject in an exam score.",
        (
            free("benchmark", "The benchmark.", values=BENCHMARKS),
            free("topic", "Subject."),
            col("weight", INT, "Questions of this subject in one exam paper.", unit="questions"),
        ),
        key=("benchmark", "topic"), not_empty=True,
    ),
    Table(
        "rule_component", "rules", "Each line of each exam, official and as the released scorer has it.",
        (
            RULESET,
            free("benchmark", "The benchmark whose released scorer has this line; null: the exam's own.", null=True,
                values=BENCHMARKS),
            free("profession", "Profession as its exam writes it."),
            col("year", INT, "Year of the sitting."),
            *LINE, free("source", "Where the line was read."), LINE_NOTE,
        ),
        key=("ruleset", "profession", "year", "component"), not_empty=True,
    ),
    Table(
        "rule_layout", "rules", "Questions and points of each paper, as the exams are laid out.",
        (
            free("profession", "Profession as its exam writes it."),
            col("first_year", INT, "First year it holds for."),
            col("last_year", INT, "Last year it is known to hold for."),
            free("paper", "Paper, upper case; 'all' where questions are numbered through the exam."),
            col("first_number", INT, "First question."), col("last_number", INT, "Last question."),
            free("component", "Component of these questions; null where it isn't published item by item.", null=True),
            col("points", INT, "Points of each; null where not published item by item.", null=True, unit="points"),
            free("status", "Whether it has a source.", values=RULE_STATUSES),
            free("source", "Where it was read."),
        ),
        key=("profession", "first_year", "paper", "first_number"), not_empty=True,
    ),
    Table(
        "rule_adjusted", "rules", "Exam questions whose scoring was changed officially after the sitting.",
        (
            free("exam", "Profession and year of the sitting, as exam_id ends."),
            free("profession", "Profession as its exam writes it."),
            col("year", INT, "Year of the sitting."),
            free("paper", "Paper, upper case; 'all' where questions are numbered through the exam."),
            col("number", INT, "Number of the question."),
            free("kind", "removed: left out for all; correct_only: counted only for those who got it right; all_credit: right "
                "for all; several_accepted: more than one answer is right; unstated: listed, how is not stated.",
                values=ADJUSTED_KINDS),
            free("words", "The same in words, with the accepted answers where they are known."),
            free("source", "Where it was read."),
            free("status", "Whether it has a source that can be relied on.", values=RULE_STATUSES),
        ),
        key=("profession", "year", "paper", "number"),
    ),
    Table(
        "reported_result", "rules", "Figures that papers report, to be set beside those computed here (view reproduction).",
        (
            free("source", "The paper or repository."),
            free("model", "Model as the source writes it; empty for figures that have none."),
            free("benchmark", "The benchmark.", values=BENCHMARKS),
            free("scope", "What it speaks of: profession, year, part, modality, as far as they apply, joined by '; '."),
            free("profession", "Profession, where it speaks of one.", null=True),
            col("year", INT, "Year of the sitting, where it speaks of one.", null=True),
            free("component", "Part of the exam, where it speaks of one.", null=True),
            free("modality", "What the model was shown, where that matters.", null=True, values=MODALITIES),
            free("metric", "passes: exams passed; points: points earned; questions, questions_with_images: what the dataset holds.",
                values=REPORTED_METRICS),
            col("value", SCORE, "The figure."),
            free("locator", "Where in the source it stands."),
        ),
        key=("source", "model", "benchmark", "scope", "metric"),
    ),
)  # fmt: skip
