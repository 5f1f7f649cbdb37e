"""Licensing exams with pass lines: what a part holds, what a run earned in it, the verdict, its chance."""

from __future__ import annotations

from pipelines.schema.rules import LINE, LINE_NOTE
from pipelines.schema.table import (
    ATTEMPT,
    BOOL,
    INT,
    POINTS,
    QUESTION_ID,
    RULESET,
    RUN_ID,
    SCORE,
    Table,
    col,
    free,
    ref,
)
from pipelines.vocabulary import LINE_KINDS, OBSTACLES, RULE_STATUSES

_PART = (
    free("exam_id", "Exam."), free("dataset_id", "Dataset that holds the questions."), RULESET,
    free("component", "Component of exam_rule; overall: all questions of the exam; unplaced: those without a component."),
)  # fmt: skip

TABLES = (
    Table(
        "exam_rule", "scores",
        "The lines of each exam: those of its profession and year, and what its benchmark's released scorer has.",
        (free("exam_id", "Exam."), RULESET, *LINE, LINE_NOTE),
        key=("exam_id", "ruleset", "component"),
        references=(ref("exam_id", "exam"),),
    ),
    Table(
        "exam_part", "scores", "Which questions a line of an exam looks at, under each ruleset.",
        (
            *_PART, QUESTION_ID,
            col("is_needed", BOOL, "False for a question left out for all, which a run need not have answered."),
        ),
        key=("ruleset", "component", "question_id"),
        references=(ref("exam_id", "exam"), ref("dataset_id", "dataset"), ref("question_id", "question")),
    ),
    Table(
        "exam_part_size", "scores", "What a dataset holds of each part of an exam.",
        (
            *_PART,
            col("questions", INT, "Questions that a run must have answered.", unit="questions"),
            col("keyless", INT, "Of them, without a usable key.", unit="questions"),
            col("points", POINTS, "What they are worth.", unit="points"),
            col("layout_points", POINTS, "What the exam's layout gives them.", null=True, unit="points"),
            col("unplaced", INT, "Questions whose points the layout doesn't know.", unit="questions"),
            col("topicless", INT, "Questions without a subject.", unit="questions"),
            col("unverified", INT, "Questions whose several accepted answers rest on the source's key alone.", unit="questions"),
            col("has_forbidden_list", BOOL, "True when the dataset names forbidden choices in this exam."),
        ),
        key=("exam_id", "dataset_id", "ruleset", "component"),
        references=(ref("exam_id", "exam"), ref("dataset_id", "dataset")),
    ),
    Table(
        "exam_part_score", "scores", "What one attempt of a run earned in each part of an exam.",
        (
            RUN_ID, ATTEMPT, *_PART,
            col("points", POINTS, "Points earned.", unit="points"),
            col("max_points", POINTS, "Points that counted for this attempt.", unit="points"),
            col("questions", INT, "Needed questions that it has a prediction for.", unit="questions"),
            col("forbidden", INT, "Of them, those in which a forbidden choice was chosen.", unit="questions"),
        ),
        key=("run_id", "attempt", "exam_id", "dataset_id", "ruleset", "component"),
        references=(ref("run_id", "run"), ref("exam_id", "exam"), ref("dataset_id", "dataset")),
    ),
    Table(
        "exam_line", "scores", "One attempt of a run against each line of an exam, in numbers (exam_result says it in words).",
        (
            RUN_ID, ATTEMPT, free("exam_id", "Exam."), RULESET,
            free("component", "Component of exam_rule."),
            free("kind", "What the line limits, as in exam_rule.", values=LINE_KINDS),
            col("points", POINTS, "Points earned, or the number of what is limited; null where the line's questions aren't known.",
                null=True),
            col("max_points", POINTS, "Points that counted.", null=True, unit="points"),
            col("threshold", POINTS, "Points needed of what counted, or the highest number allowed.", null=True),
            col("passed", BOOL, "Whether the line was met; null when it can't be said.", null=True),
            free("obstacle", "Why it can't be said. incomplete: questions without a prediction; no_line: the line was not "
                "found; points: the paper's points are not the official maximum; layout: nor those of the "
                "layout; keys: questions without a usable key.",
                null=True, values=OBSTACLES),
            col("found", POINTS, "What the obstacle was found in: questions or points.", null=True),
            col("expected", POINTS, "What they should be.", null=True),
            col("is_unchecked", BOOL, "True when the data lacks what the line looks at (forbidden lists, subjects)."),
            col("is_pooled", BOOL, "True when it is not known which questions are this line's."),
            col("pool_points", POINTS, "Points earned in all questions whose part is not known.", null=True, unit="points"),
            col("pool_max_points", POINTS, "Points that counted in them.", null=True, unit="points"),
            free("rule_status", "Whether the line and the keys of its questions have a source.", values=RULE_STATUSES),
        ),
        key=("run_id", "attempt", "exam_id", "ruleset", "component"),
        references=(ref("run_id", "run"), ref("exam_id", "exam")),
    ),
    Table(
        "exam_result", "scores", "Each line of an exam for one run, and the verdict (component overall).",
        (
            RUN_ID, free("exam_id", "Exam."), RULESET,
            free("component", "Part with a line of its own, 禁忌 (forbidden choices), 零点科目 (subjects without a point), "
                "科目 (published 薬剤: subjects below their share), or overall: the verdict."),
            col("points", POINTS, "Points earned, the mean over attempts; for 禁忌, 零点科目 and 科目 their number.", null=True,
                unit="points"),
            col("max_points", POINTS, "Points that counted for this run, the mean over attempts.", null=True, unit="points"),
            col("threshold", POINTS, "Points needed, the mean over attempts; for 禁忌, 零点科目 and 科目 the highest number allowed.",
                null=True),
            col("passed", BOOL, "Whether the line (overall: the exam) was met; null when it can't be said, or attempts disagree.",
                null=True),
            free("reason", "In words: what was met or not, or why there is no verdict."),
            free("rule_status", "Whether all that it rests on has a source.", values=RULE_STATUSES),
            col("attempts", INT, "Attempts at the exam.", unit="attempts"),
            col("attempts_passed", INT, "Of them, those that met the line (overall: passed the exam).", unit="attempts"),
        ),
        key=("run_id", "exam_id", "ruleset", "component"), references=(ref("run_id", "run"), ref("exam_id", "exam")),
    ),
    Table(
        "pass_chance", "scores", "Chance that a run passes an exam of such questions, by the official rule.",
        (
            RUN_ID, free("exam_id", "Exam."),
            col("passed", BOOL, "The verdict on the exam as it was; null where attempts disagree.", null=True),
            col("chance", SCORE, "Share of such exams that a single sitting passes.", unit="share, 0 to 1"),
            free("method", "How it was computed."),
            col("n", INT, "Questions that count.", unit="questions"),
        ),
        key=("run_id", "exam_id"), references=(ref("run_id", "run"), ref("exam_id", "exam")),
    ),
)  # fmt: skip
