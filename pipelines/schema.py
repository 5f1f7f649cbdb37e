"""Every table of the warehouse: columns, types, keys, nullability, descriptions, units, and which hold question text.

The one place they are stated: validation, the published comments, the asset checks, the licence gate of the exports
and docs/schema.md are all made from TABLES. What a table's rows mean belongs here; how they are computed does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pipelines.registry import benchmarks
from pipelines.vocabulary import (
    ADJUSTED_KINDS,
    ANSWER_TYPES,
    CHANGE_KINDS,
    FLAGS,
    KEY_STATUSES,
    LINE_KINDS,
    LINKS,
    METRICS,
    MODALITIES,
    PREDICTION_STATUSES,
    RULE_STATUSES,
    RULESETS,
    RUN_FORMATS,
    RUN_KINDS,
    USE_CASE_KINDS,
)

BENCHMARKS = tuple(sorted(benchmarks()))

TEXT, INT, BOOL, TIME, REAL = "VARCHAR", "INTEGER", "BOOLEAN", "TIMESTAMP", "DOUBLE"
POINTS, SCORE = "DECIMAL(9,3)", "DECIMAL(18,6)"

_POLARS: dict[str, pl.DataType] = {
    TEXT: pl.String(),
    INT: pl.Int32(),
    BOOL: pl.Boolean(),
    TIME: pl.Datetime("us"),
    REAL: pl.Float64(),
    POINTS: pl.Decimal(9, 3),
    SCORE: pl.Decimal(18, 6),
}


@dataclass(frozen=True)
class Column:
    """One column. `type` is a DuckDB type; `values` lists the only values allowed; `unit` is stated where one exists.

    `is_free`: a text that no part of a question gets into (an id, a name, words about a rule), so that no licence keeps
    it from being shared. It must be stated: a text without it is taken to hold questions.
    """

    name: str
    type: str
    description: str
    nullable: bool = False
    unit: str | None = None
    values: tuple[str, ...] = ()
    is_free: bool = False

    @property
    def holds_question_text(self) -> bool:
        """True when a value may repeat a question, a choice, a passage or an answer in words."""
        return self.type == TEXT and not self.values and not self.is_free

    @property
    def comment(self) -> str:
        """The description with unit and permitted values, as published in the warehouse."""
        parts = [self.description]
        if self.unit:
            parts.append(f"Unit: {self.unit}.")
        if self.values:
            parts.append(f"One of: {', '.join(self.values)}.")
        if self.holds_question_text:
            parts.append("May repeat a question.")
        return " ".join(parts)


@dataclass(frozen=True)
class Reference:
    """A foreign key: `columns` here equal `to_columns` of one row of `table` (a null refers to nothing)."""

    columns: tuple[str, ...]
    table: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One table. `key` is its primary key; empty means that rows may repeat (a log).

    `group` is the stage that fills it (questions, runs, scores, rules, releases). `not_empty`: a refresh without a row of it is broken.
    `guarded`: it must not shrink by more than the allowed share. `in_parts`: stored as a folder of Parquet files.
    """

    name: str
    group: str
    description: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    not_empty: bool = False
    guarded: bool = False
    in_parts: bool = False

    def column(self, name: str) -> Column:
        return next(c for c in self.columns if c.name == name)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def polars_schema(self) -> dict[str, pl.DataType]:
        """Column name to Polars type, in the table's order."""
        return {c.name: _POLARS[c.type] for c in self.columns}

    def frame(self, rows: list[dict[str, object]]) -> pl.DataFrame:
        """Rows (dicts; absent columns are null, unknown ones an error) as a typed frame in the table's column order."""
        known = set(self.column_names)
        for row in rows:
            if extra := row.keys() - known:
                raise ValueError(f"{self.name} has no column {sorted(extra)}")
        return pl.DataFrame(rows, schema=self.polars_schema(), orient="row")


def _c(name: str, type_: str, description: str, *, null: bool = False, unit: str | None = None,
       values: tuple[str, ...] = ()) -> Column:  # fmt: skip
    return Column(name, type_, description, null, unit, values)


def _n(name: str, description: str, *, null: bool = False, values: tuple[str, ...] = ()) -> Column:
    """A text that no part of a question gets into."""
    return Column(name, TEXT, description, null, None, values, is_free=True)


def _ref(column: str, table: str, to: str | None = None) -> Reference:
    return Reference((column,), table, (to or column,))


_QUESTION_ID = _n("question_id", "Question: dataset_id/source key.")
_RUN_ID = _n("run_id", "Run: model slug/dataset/short hash of its files.")
_RULESET = _n("ruleset", "official: the exam's own rule; published: what the benchmark's released scorer computes.",
              values=RULESETS)  # fmt: skip
_ATTEMPT = _c("attempt", INT, "1 for the first answer to a question in this run, then 2, 3 …")

_EXAM_PART = (
    _n("exam_id", "Exam."), _n("dataset_id", "Dataset that holds the questions."), _RULESET,
    _n("component", "Component of rule_component; overall: all questions of the exam; unplaced: those without a component."),
)  # fmt: skip

_BOARD = (
    _c(
        "rank",
        INT,
        "Rank by score among runs that were asked all of it; ties share the better rank, a copy has its original's.",
        null=True,
    ),
    _c("rank_low", INT, "Best rank of the 95 % rank interval.", null=True),
    _c("rank_high", INT, "Worst rank of the 95 % rank interval.", null=True),
    _n("model", "Model, baseline or group."),
    _n("kind", "What answered.", values=RUN_KINDS),
    _n("metric", "Metric that ranks, as the benchmark's card names it."),
    _c("score", SCORE, "Value of that metric.", null=True),
    _c("low", SCORE, "Lower end of its 95 % interval.", null=True),
    _c("high", SCORE, "Upper end of its 95 % interval.", null=True),
    _c("accuracy", SCORE, "Share of questions right in full.", null=True, unit="share, 0 to 1"),
    _c("answered", INT, "Predictions read as an answer.", unit="predictions"),
    _c("abstained", INT, "Predictions that decline by choice.", unit="predictions"),
    _c("refused", INT, "Predictions that refuse.", unit="predictions"),
    _c(
        "unparsed",
        INT,
        "Predictions in which no answer was found (unparsed, ambiguous, empty or error).",
        unit="predictions",
    ),
    _c("n", INT, "Predictions scored.", unit="predictions"),
    _n("format", "How it answered, as in run.", values=RUN_FORMATS),
    _n("modality", "What it was shown, as in run.", values=MODALITIES),
    _c("attempts", INT, "Most attempts at one question; figures are means over attempts.", unit="attempts"),
    _c("asked", INT, "Questions that can be scored and have a prediction.", unit="questions"),
    _c("questions", INT, "Questions that can be scored.", unit="questions"),
    _c("coverage", SCORE, "asked / questions; below 1 there is no rank.", unit="share, 0 to 1"),
    _n("note", "Why there is no rank, no score, or no count.", null=True),
    _n("same_as", "The earlier run with identical answers.", null=True),
    _c("chance", SCORE, "Expected score of guessing under the exam's own rule, in the unit of the metric.", null=True),
    _n("method", "How score and interval were computed, or why there is none.", null=True),
    _c("is_sample", BOOL, "True when it belongs to the bundled sample."),
    _c(
        "examinees",
        SCORE,
        "Share of examinees right, as published, over the questions that have it.",
        null=True,
        unit="share, 0 to 1",
    ),
    _c("examinees_questions", INT, "Questions that have it.", null=True, unit="questions"),
    _c("examinees_accuracy", SCORE, "accuracy of the run on those questions alone.", null=True, unit="share, 0 to 1"),
)
"""Columns that both leaderboards share."""

_TABLES = (
    Table(
        "dataset", "questions", "One release of one benchmark's questions.",
        (
            _n("dataset_id", "Dataset: benchmark/release."),
            _n("benchmark", "The benchmark it belongs to.", values=BENCHMARKS),
            _n("release", "Name of the release within the benchmark."),
            _n("source", "Source that it came from; the releases of one source follow each other."),
            _n("title", "Title for people."),
            _n("language", "Language of the questions (ISO 639-1; 'mixed' where a release mixes them)."),
            _n("licence", "Licence of the questions as its publisher states it."),
            _n("origin", "Address or file that it was read from."),
            _n("sha256", "SHA-256 over the content that was read; a live source is a new dataset when it changes."),
            _c("fetched_at", TIME, "When these bytes were fetched.", unit="UTC"),
            _c("n_questions", INT, "Questions read from it.", unit="questions"),
            _c("published_count", INT, "Questions that the publisher states.", null=True, unit="questions"),
            _n("count_note", "Why the number found differs from the published one, where that is known.", null=True),
            _c("is_sample", BOOL, "True for the bundled sample, which was written for this project: not an exam."),
            _c("is_latest", BOOL, "True for the newest release of its source in its language."),
        ),
        key=("dataset_id",), not_empty=True, guarded=True,
    ),
    Table(
        "exam", "questions", "One sitting of a licensing exam.",
        (
            _n("exam_id", "Exam: benchmark/profession/year."),
            _n("benchmark", "The benchmark it belongs to.", values=BENCHMARKS),
            _n("profession", "Profession as its exam writes it, e.g. 医師."),
            _n("profession_en", "Profession in English."),
            _c("year", INT, "Year of the sitting."),
            _c("round", INT, "Number of the sitting (第…回).", null=True),
        ),
        key=("exam_id",),
    ),
    Table(
        "passage", "questions", "A text that one or more questions refer to.",
        (
            _n("passage_id", "Passage: dataset_id/passage key of the source."),
            _c("text", TEXT, "The passage as plain text."),
        ),
        key=("passage_id",),
    ),
    Table(
        "question", "questions", "One exam question of one dataset.",
        (
            _QUESTION_ID,
            _n("dataset_id", "The release it stands in."),
            _n("benchmark", "The benchmark it belongs to.", values=BENCHMARKS),
            _n("source_key", "The key its source gives it; not an identity across releases."),
            _n("exam_id", "The exam sitting, where the source has one.", null=True),
            _n("paper", "Paper or section of the exam, upper case.", null=True),
            _c("number", INT, "Number within the paper (薬剤: within the exam) or within the source's subject.", null=True),
            _n("topic", "Subject or specialty; the card of a benchmark names its own.", null=True),
            _n("language", "Language of the question (ISO 639-1)."),
            _c("stem", TEXT, "The question as plain text: x^2 and H_2O for super- and subscripts, [image] for a picture."),
            _n("passage_id", "The passage it refers to, where its text is known.", null=True),
            _n("answer_type", "What an answer looks like.", values=ANSWER_TYPES),
            _c("n_choices", INT, "Number of choices.", unit="choices"),
            _c("points", POINTS, "Points for a full answer by the exam's own rule.", unit="points"),
            _n("component", "Part of the exam that has a pass line of its own.", null=True),
            _n("key_status", "scored; removed: left out for all; correct_only: counted only when right; all_credit: "
                                   "right for all; unknown: no usable key.", values=KEY_STATUSES),
            _c("released_key", TEXT, "The key in the words of the release, which is all that its released scorer knows; empty: "
                                     "one that it never credits; null: the key as it is here.", null=True),
            _c("needs_image", BOOL, "True when the question or a choice shows a picture."),
            _c("human_accuracy", "DECIMAL(9,3)", "Share of examinees who got it right, as published.", null=True, unit="%"),
            _n("case_group", "Questions that share one case have the same value.", null=True),
            _n("fingerprint", "Hash over the normalised stem and sorted choices: the same question in any release."),
            _n("source_url", "Where it was read, with a line or page.", null=True),
        ),
        key=("question_id",), not_empty=True, guarded=True,
        references=(_ref("dataset_id", "dataset"), _ref("exam_id", "exam"), _ref("passage_id", "passage")),
    ),
    Table(
        "choice", "questions", "One choice of a question, in the order shown.",
        (
            _QUESTION_ID,
            _c("position", INT, "0-based place in the order shown."),
            _n("label", "Letter or number it is shown with."),
            _c("text", TEXT, "The choice as plain text."),
            _c("is_correct", BOOL, "True when it belongs to an accepted answer."),
            _c("is_forbidden", BOOL, "True when choosing it counts as a forbidden choice (禁忌肢; third-party lists)."),
            _c("has_image", BOOL, "True when the choice is or holds a picture."),
        ),
        key=("question_id", "position"), references=(_ref("question_id", "question"),), guarded=True,
    ),
    Table(
        "answer_key", "questions", "One accepted answer of a question; several rows are several accepted answers.",
        (
            _QUESTION_ID,
            _c("alternative", INT, "1-based number of the accepted answer."),
            _n("labels", "Labels of the choices that make it up, joined by '-'.", null=True),
            _c("selection", INT, "The same as a bit mask: bit i is the choice at position i.", null=True),
            _c("value", TEXT, "Accepted value of a numeric, sequence or text question.", null=True),
        ),
        key=("question_id", "alternative"), references=(_ref("question_id", "question"),), guarded=True,
    ),
    Table(
        "question_image", "questions", "A picture of a question.",
        (
            _QUESTION_ID,
            _n("place", "stem, passage or choice:POSITION, with #N for the second and later picture there."),
            _n("url", "Address of the picture.", null=True),
            _n("path", "File below the data folder, when it was fetched.", null=True),
            _n("sha256", "SHA-256 of the file.", null=True),
        ),
        key=("question_id", "place"), references=(_ref("question_id", "question"),),
    ),
    Table(
        "question_flag", "questions", "A defect or a peculiarity of a question.",
        (
            _QUESTION_ID,
            _n("flag", "Kind of defect.", values=FLAGS),
            _c("detail", TEXT, "What exactly, in words."),
        ),
        key=("question_id", "flag"), references=(_ref("question_id", "question"),),
    ),
    Table(
        "question_link", "questions", "The same question in two releases of a benchmark (or in two benchmarks).",
        (
            _n("from_question", "Question of the earlier dataset."),
            _n("to_question", "The same question in the later dataset."),
            _n("kind", "exact: same fingerprint; lost_markup: the earlier one lost text between < and >; near: alike.",
               values=LINKS),
            _c("similarity", "DECIMAL(9,3)", "1 for exact; share of agreeing text for the rest.", unit="share, 0 to 1"),
        ),
        key=("from_question", "to_question"),
        references=(_ref("from_question", "question", "question_id"), _ref("to_question", "question", "question_id")),
    ),
    Table(
        "answer_key_change", "questions", "A question whose answer key differs between two releases of its benchmark.",
        (
            _n("benchmark", "The benchmark.", values=BENCHMARKS),
            _n("fingerprint", "The question."),
            _n("from_dataset", "Earlier release."),
            _n("to_dataset", "Later release."),
            _c("old_key", TEXT, "Key of the earlier release, by choice text."),
            _c("new_key", TEXT, "Key of the later release, by choice text."),
        ),
        key=("benchmark", "fingerprint", "from_dataset", "to_dataset"),
        references=(_ref("from_dataset", "dataset", "dataset_id"), _ref("to_dataset", "dataset", "dataset_id")),
    ),
    Table(
        "rejected_row", "questions", "A row of a source that could not become a question.",
        (
            _n("source", "Dataset or file it stood in."),
            _n("locator", "Line, page or path within the source."),
            _c("reason", TEXT, "Why it was rejected, in words."),
            _c("raw", TEXT, "The row as it was read (JSON or text)."),
        ),
    ),
    Table(
        "accepted_deviation", "questions", "What a person accepted of a release although it deviates from what was expected.",
        (
            _n("dataset_id", "Dataset: benchmark/release."),
            _n("check", "What it deviates from."),
            _c("accepted_at", TIME, "When it was accepted.", unit="UTC"),
            _n("reason", "Who accepted it, and the deviation in words."),
            _c("expected", INT, "Number that was expected.", null=True),
            _c("found", INT, "Number that was found.", null=True),
        ),
        key=("dataset_id", "check"),
    ),
    Table(
        "refused_release", "releases", "A fetched release that was refused; nothing of it is used.",
        (
            _n("source", "Source that gave it."),
            _n("release", "Name that it would have had."),
            _n("sha256", "SHA-256 over its content."),
            _n("check", "What it was refused for."),
            _c("refused_at", TIME, "When it was last refused.", unit="UTC"),
            _n("reason", "Why, in words."),
            _c("expected", INT, "Number that was expected.", null=True),
            _c("found", INT, "Number that was found.", null=True),
            _c("mended", BOOL, "True once the source gave a release that was accepted."),
        ),
        key=("source", "sha256", "check"),
    ),
    Table(
        "refresh_change", "releases", "What differs from the generation published before, each with its cause; empty for the first.",
        (
            _n("kind", "dataset, question, key, rule, run: rows that are new, gone or not as they were; score: of a leaderboard, "
                       "with the rank; verdict: of an exam; item: points of an answer, by the exam's own rule.",
               values=CHANGE_KINDS),
            _n("subject", "What changed: its id, for an answer run and question. At most 1,000 of a kind; one more row says how "
                          "many there are besides."),
            _c("old", TEXT, "As it was (of a row, the columns that differ); null: it was not there.", null=True),
            _c("new", TEXT, "As it is; null: it is gone.", null=True),
            _n("cause", "Why: key, question, rule, reader (with its versions), file, new file, removed run, other runs, "
                        "computation and the like; of several answers, each cause with their number."),
            _n("run_id", "The run, where it is about one.", null=True),
            _n("question_id", "The question, where it is about one.", null=True),
            _n("exam_id", "The exam, where it is about one.", null=True),
        ),
        key=("kind", "subject"),
    ),
    Table(
        "source_quality", "questions", "How sound each dataset is.",
        (
            _n("dataset_id", "Dataset."),
            _c("rows_in", INT, "Rows of the source.", unit="rows"),
            _c("kept", INT, "Rows that became questions.", unit="questions"),
            _c("rejected", INT, "Rows in rejected_row.", unit="rows"),
            _c("flagged", INT, "Questions with at least one flag.", unit="questions"),
            _n("flag_counts", "Questions by flag, 'flag=n' joined by ', '.", null=True),
            _c("needs_image", INT, "Questions that show a picture.", unit="questions"),
            _c("scorable", INT, "Questions with a usable key (scored, correct_only or all_credit).", unit="questions"),
            _c("answerable_by_text", SCORE, "Share of questions a text-only model can answer in full: usable key, no picture, "
                                            "no missing passage.", unit="share, 0 to 1"),
            _c("published_count", INT, "Questions that the publisher states.", null=True, unit="questions"),
            _c("missing", INT, "Published count less questions found.", null=True, unit="questions"),
            _n("explanation", "Why the counts differ, where that is known.", null=True),
        ),
        key=("dataset_id",), references=(_ref("dataset_id", "dataset"),), not_empty=True,
    ),
    Table(
        "run", "runs", "One model (or baseline, or group of people) that answered one dataset once.",
        (
            _RUN_ID,
            _n("model", "Model, baseline or group."),
            _n("vendor", "Who made the model.", null=True),
            _n("description", "Free description.", null=True),
            _n("dataset_id", "Dataset that was answered."),
            _n("use_case", "Use case that the run declares, of those on its benchmark's card.", null=True),
            _n("modality", "What the model was shown.", values=MODALITIES),
            _n("format", "mc: choices ranked; cloze: choices not shown; generated: free text.",
               values=RUN_FORMATS),
            _n("harness", "Tool that wrote the predictions."),
            _n("harness_version", "Its version, where the file says so.", null=True),
            _n("language", "Language of the dataset."),
            _c("created_at", TIME, "When the run was made, where the file says so; else when it was read.", unit="UTC"),
            _n("files", "Files it was read from, joined by newlines.", null=True),
            _n("sha256", "SHA-256 over those files.", null=True),
            _n("kind", "What answered.", values=RUN_KINDS),
            _c("is_sample", BOOL, "True when it belongs to the bundled sample."),
            _n("reader", "Version of what read its files and, behind the dot, its responses; null for baselines.", null=True),
        ),
        key=("run_id",), references=(_ref("dataset_id", "dataset"),), not_empty=True, in_parts=True,
    ),
    Table(
        "prediction", "runs", "One answer of a run to a question.",
        (
            _RUN_ID, _QUESTION_ID, _ATTEMPT,
            _c("response", TEXT, "The response as the tool stored it.", null=True),
            _n("status", "How the response was read.", values=PREDICTION_STATUSES),
            _c("selection", INT, "Chosen choices as a bit mask: bit i is the choice at position i.", null=True),
            _n("labels", "Labels of the chosen choices, joined by '-'.", null=True),
            _c("value", TEXT, "Value given to a numeric, sequence or text question.", null=True),
            _c("evidence", TEXT, "The piece of the response that decided.", null=True),
            _n("file", "File of run.files that it was read from; null for baselines.", null=True),
            _n("locator", "Where in that file: a line, a row, an entry.", null=True),
        ),
        key=("run_id", "question_id", "attempt"),
        references=(_ref("run_id", "run"), _ref("question_id", "question")), in_parts=True,
    ),
    Table(
        "rejected_file", "runs", "A file of the inbox that could not be read.",
        (
            _n("path", "File, with the member's name for archives."),
            _n("format", "Format it was taken for.", null=True),
            _c("reason", TEXT, "Why it was rejected and what to do, in a sentence."),
            _c("detail", TEXT, "Where in the file, or the reader's own words.", null=True),
        ),
        in_parts=True,
    ),
    Table(
        "unmatched_prediction", "runs", "A prediction that belongs to no known question.",
        (
            _n("run_id", "Run or file it came with (not a row of run when nothing of it matched)."),
            _n("locator", "Where in the file."),
            _c("reason", TEXT, "Why it could not be matched."),
        ),
        in_parts=True,
    ),
    Table(
        "item_score", "scores", "Points of one prediction under one ruleset.",
        (
            _RUN_ID, _QUESTION_ID, _ATTEMPT, _RULESET,
            _c("points", POINTS, "Points earned.", unit="points"),
            _c("max_points", POINTS, "Points that could be earned.", unit="points"),
            _c("is_correct", BOOL, "True when the answer is an accepted one in full."),
            _c("hits_forbidden", BOOL, "True when a forbidden choice was chosen."),
            _c("counts", BOOL, "True when the question counts in the denominator."),
        ),
        key=("run_id", "question_id", "attempt", "ruleset"),
        references=(_ref("run_id", "run"), _ref("question_id", "question")),
    ),
    Table(
        "released_answer", "scores", "How a benchmark's released scorer reads a prediction, where it may read it otherwise than here.",
        (
            _RUN_ID, _QUESTION_ID, _ATTEMPT,
            _c("reading", TEXT, "What it makes of the response.", null=True),
            _c("n_right", INT, "Right choices in it.", unit="choices"),
            _c("n_wrong", INT, "Wrong choices in it.", unit="choices"),
            _c("is_exact", BOOL, "True when it equals the key of the released file."),
            _c("hits_forbidden", BOOL, "True when it counts as a forbidden choice."),
            _n("cause", "What is peculiar to this reading, in words."),
        ),
        key=("run_id", "question_id", "attempt"),
        references=(_ref("run_id", "run"), _ref("question_id", "question")),
    ),
    Table(
        "topic_score", "scores", "Mean points and accuracy of a run by subject.",
        (
            _RUN_ID, _RULESET,
            _n("topic", "Subject."),
            _c("score", SCORE, "Mean points per question.", unit="points per question"),
            _c("low", SCORE, "Lower end of the 95 % interval of the score; null with the reason in method.", null=True),
            _c("high", SCORE, "Upper end of the 95 % interval of the score.", null=True),
            _n("method", "How the interval was computed, or why there is none."),
            _c("accuracy", SCORE, "Share of questions answered right in full.", unit="share, 0 to 1"),
            _c("n", INT, "Questions that count.", unit="questions"),
        ),
        key=("run_id", "ruleset", "topic"), references=(_ref("run_id", "run"),),
    ),
    Table(
        "benchmark_score", "scores", "Figures of a run under each ruleset, each with its interval and method.",
        (
            _RUN_ID, _RULESET,
            _n("benchmark", "The benchmark.", values=BENCHMARKS),
            _n("use_case", "Part of the benchmark: 'all', or a use case such as beta or specialty:dermatology."),
            _n("metric", "; ".join(f"{name}: {m.says}" for name, m in METRICS.items()) + ".", values=tuple(METRICS)),
            _c("value", SCORE, "The figure; null with the reason in method when it can't be given.", null=True),
            _c("low", SCORE, "Lower end of its 95 % interval.", null=True),
            _c("high", SCORE, "Upper end of its 95 % interval.", null=True),
            _n("method", "How value and interval were computed, or why there is none."),
            _c("n", INT, "Questions it rests on.", unit="questions"),
        ),
        key=("run_id", "ruleset", "benchmark", "use_case", "metric"), references=(_ref("run_id", "run"),),
    ),
    Table(
        "leaderboard", "scores", "One line per run and benchmark, ready to read.",
        (
            _n("benchmark", "The benchmark.", values=BENCHMARKS),
            _n("dataset_id", "Dataset that was answered; ranks are within it."),
            _RUN_ID, *_BOARD,
        ),
        key=("run_id", "benchmark"), references=(_ref("run_id", "run"), _ref("dataset_id", "dataset")), not_empty=True,
    ),
    Table(
        "leaderboard_part", "scores", "One line per run and part of a dataset: an exam, a profession, a year, a topic, a use case.",
        (
            _RUN_ID, _n("dataset_id", "Dataset that was answered."),
            _n("part", "exam/PROFESSION/YEAR, profession/…, year/…, topic/…, type/…, use_case/…, text_only or with_image; "
                       "ranks are within it."),
            *_BOARD,
        ),
        key=("run_id", "dataset_id", "part"), references=(_ref("run_id", "run"), _ref("dataset_id", "dataset")),
    ),
    Table(
        "run_family", "scores", "Which runs are copies, and which belong together: votes and tests count families.",
        (
            _RUN_ID, _n("dataset_id", "Dataset of the run."),
            _n("same_as", "The earlier run of its kind with identical answers.", null=True),
            _n("family", "The earliest run that it is linked to by identical answers or near copies; itself where there is none."),
        ),
        key=("run_id",), references=(_ref("run_id", "run"),),
    ),
    Table(
        "near_copy", "scores", "Two model runs, not identical, that give the same wrong answers far beyond chance.",
        (
            _n("run_a", "First run."), _n("run_b", "Second run."), _n("dataset_id", "Dataset of both."),
            _c("both_wrong", INT, "Questions that both answered wrong.", unit="questions"),
            _c("same_wrong", INT, "Of them, those with the same wrong answer.", unit="questions"),
            _c("expected", SCORE, "How many that would be by chance, given the wrong answers of all runs.", unit="questions"),
            _c("p", REAL, "Chance of so many or more.", unit="probability"),
        ),
        key=("run_a", "run_b"), references=(_ref("run_a", "run", "run_id"), _ref("run_b", "run", "run_id")),
    ),
    Table(
        "exam_part", "scores", "Which questions a line of an exam looks at, under each ruleset.",
        (
            *_EXAM_PART, _QUESTION_ID,
            _c("is_needed", BOOL, "False for a question left out for all, which a run need not have answered."),
        ),
        key=("ruleset", "component", "question_id"),
        references=(_ref("exam_id", "exam"), _ref("dataset_id", "dataset"), _ref("question_id", "question")),
    ),
    Table(
        "exam_part_size", "scores", "What a dataset holds of each part of an exam.",
        (
            *_EXAM_PART,
            _c("questions", INT, "Questions that a run must have answered.", unit="questions"),
            _c("keyless", INT, "Of them, without a usable key.", unit="questions"),
            _c("points", POINTS, "What they are worth.", unit="points"),
            _c("layout_points", POINTS, "What the exam's layout gives them.", null=True, unit="points"),
            _c("unplaced", INT, "Questions whose points the layout doesn't know.", unit="questions"),
            _c("topicless", INT, "Questions without a subject.", unit="questions"),
            _c("unverified", INT, "Questions whose several accepted answers rest on the source's key alone.", unit="questions"),
            _c("has_forbidden_list", BOOL, "True when the dataset names forbidden choices in this exam."),
        ),
        key=("exam_id", "dataset_id", "ruleset", "component"),
        references=(_ref("exam_id", "exam"), _ref("dataset_id", "dataset")),
    ),
    Table(
        "exam_part_score", "scores", "What one attempt of a run earned in each part of an exam.",
        (
            _RUN_ID, _ATTEMPT, *_EXAM_PART,
            _c("points", POINTS, "Points earned.", unit="points"),
            _c("max_points", POINTS, "Points that counted for this attempt.", unit="points"),
            _c("questions", INT, "Needed questions that it has a prediction for.", unit="questions"),
            _c("forbidden", INT, "Of them, those in which a forbidden choice was chosen.", unit="questions"),
        ),
        key=("run_id", "attempt", "exam_id", "dataset_id", "ruleset", "component"),
        references=(_ref("run_id", "run"), _ref("exam_id", "exam"), _ref("dataset_id", "dataset")),
    ),
    Table(
        "exam_line", "scores", "One attempt of a run against each line of an exam, in numbers (exam_result says it in words).",
        (
            _RUN_ID, _ATTEMPT, _n("exam_id", "Exam."), _RULESET,
            _n("component", "Component of rule_component."),
            _n("kind", "What the line limits, as in rule_component.", values=LINE_KINDS),
            _c("points", POINTS, "Points earned, or the number of what is limited; null where the line's questions aren't known.",
               null=True),
            _c("max_points", POINTS, "Points that counted.", null=True, unit="points"),
            _c("threshold", POINTS, "Points needed of what counted, or the highest number allowed.", null=True),
            _c("passed", BOOL, "Whether the line was met; null when it can't be said.", null=True),
            _n("obstacle", "Why it can't be said. incomplete: questions without a prediction; no_line: the line was not "
                                 "found; points: the paper's points are not the official maximum; layout: nor those of the "
                                 "layout; keys: questions without a usable key.",
               null=True, values=("incomplete", "no_line", "points", "layout", "keys")),
            _c("found", POINTS, "What the obstacle was found in: questions or points.", null=True),
            _c("expected", POINTS, "What they should be.", null=True),
            _c("is_unchecked", BOOL, "True when the data lacks what the line looks at (forbidden lists, subjects)."),
            _c("is_pooled", BOOL, "True when it is not known which questions are this line's."),
            _c("pool_points", POINTS, "Points earned in all questions whose part is not known.", null=True, unit="points"),
            _c("pool_max_points", POINTS, "Points that counted in them.", null=True, unit="points"),
            _n("rule_status", "Whether the line and the keys of its questions have a source.", values=RULE_STATUSES),
        ),
        key=("run_id", "attempt", "exam_id", "ruleset", "component"),
        references=(_ref("run_id", "run"), _ref("exam_id", "exam")),
    ),
    Table(
        "exam_result", "scores", "Each line of an exam for one run, and the verdict (component overall).",
        (
            _RUN_ID, _n("exam_id", "Exam."), _RULESET,
            _n("component", "Part with a line of its own, 禁忌 (forbidden choices), 零点科目 (subjects without a point), "
                                  "科目 (published 薬剤: subjects below their share), or overall: the verdict."),
            _c("points", POINTS, "Points earned, the mean over attempts; for 禁忌, 零点科目 and 科目 their number.", null=True,
               unit="points"),
            _c("max_points", POINTS, "Points that counted for this run, the mean over attempts.", null=True, unit="points"),
            _c("threshold", POINTS, "Points needed, the mean over attempts; for 禁忌, 零点科目 and 科目 the highest number allowed.",
               null=True),
            _c("passed", BOOL, "Whether the line (overall: the exam) was met; null when it can't be said, or attempts disagree.",
               null=True),
            _n("reason", "In words: what was met or not, or why there is no verdict."),
            _n("rule_status", "Whether all that it rests on has a source.", values=RULE_STATUSES),
            _c("attempts", INT, "Attempts at the exam.", unit="attempts"),
            _c("attempts_passed", INT, "Of them, those that met the line (overall: passed the exam).", unit="attempts"),
        ),
        key=("run_id", "exam_id", "ruleset", "component"), references=(_ref("run_id", "run"), _ref("exam_id", "exam")),
    ),
    Table(
        "pass_chance", "scores", "Chance that a run passes an exam of such questions, by the official rule.",
        (
            _RUN_ID, _n("exam_id", "Exam."),
            _c("passed", BOOL, "The verdict on the exam as it was; null where attempts disagree.", null=True),
            _c("chance", SCORE, "Share of such exams that a single sitting passes.", unit="share, 0 to 1"),
            _n("method", "How it was computed."),
            _c("n", INT, "Questions that count.", unit="questions"),
        ),
        key=("run_id", "exam_id"), references=(_ref("run_id", "run"), _ref("exam_id", "exam")),
    ),
    Table(
        "comparison", "scores", "Two runs on the questions that both answered.",
        (
            _n("run_a", "First run."), _n("run_b", "Second run."),
            _n("dataset_id", "Dataset of both."),
            _n("metric", "accuracy: right in full; score_share: points over points possible.",
               values=("accuracy", "score_share")),
            _c("value_a", SCORE, "Figure of the first run on the shared questions."),
            _c("value_b", SCORE, "Figure of the second run on them."),
            _c("difference", SCORE, "First less second."),
            _c("low", SCORE, "Lower end of the 95 % interval of the difference."),
            _c("high", SCORE, "Upper end of the 95 % interval of the difference."),
            _c("p", REAL, "p-value, two-sided; never 0.", unit="probability"),
            _c("p_adjusted", REAL, "The same, Holm-adjusted over the pairs of families of runs of the dataset and metric; null "
                                 "beside a baseline.", null=True, unit="probability"),
            _n("method", "Test and interval."),
            _c("n", INT, "Shared questions that count.", unit="questions"),
        ),
        key=("run_a", "run_b", "metric"),
        references=(_ref("run_a", "run", "run_id"), _ref("run_b", "run", "run_id"), _ref("dataset_id", "dataset")),
    ),
    Table(
        "rule_disagreement", "scores", "Where the released scorer and the exam's own rule part, with the cause.",
        (
            _RUN_ID,
            _n("scope", "item: points of one answer; exam: the verdict.", values=("item", "exam")),
            _n("scope_id", "The question or the exam."),
            _ATTEMPT,
            _c("official", TEXT, "Points or verdict by the exam's own rule."),
            _c("published", TEXT, "Points or verdict by the released scorer."),
            _c("cause", TEXT, "Why they differ, in words."),
        ),
        key=("run_id", "scope", "scope_id", "attempt"), references=(_ref("run_id", "run"),),
    ),
    Table(
        "question_difficulty", "scores", "How hard a question is for models, against people, and whether its key is suspicious.",
        (
            _QUESTION_ID,
            _c("runs", INT, "Model runs that answered it (first attempts).", unit="runs"),
            _c("families", INT, "Families of runs (run_family) that these are; the shares are of families.", unit="families"),
            _c("share_right", SCORE, "Share right in full, each family one voice.", unit="share, 0 to 1"),
            _c("human_accuracy", POINTS, "Share of examinees who got it right, as published.", null=True, unit="%"),
            _c("gap", SCORE, "share_right less the examinees' share.", null=True, unit="share, -1 to 1"),
            _c("discrimination", SCORE, "Correlation of being right here with accuracy on the dataset's other questions.",
               null=True, unit="-1 to 1"),
            _c("strong_runs", INT, "Families at or above the dataset's median accuracy.", unit="families"),
            _c("strong_answer", TEXT, "Their most frequent answer that the key does not accept.", null=True),
            _c("strong_share", SCORE, "Share of them that gave it.", null=True, unit="share, 0 to 1"),
            _c("suspicious_key", BOOL, "True when at least three strong families, and three quarters of all, agree against the key."),
        ),
        key=("question_id",), references=(_ref("question_id", "question"),),
    ),
    Table(
        "rule_item", "rules", "Points of one answer, by benchmark and ruleset.",
        (
            _n("benchmark", "The benchmark.", values=BENCHMARKS), _RULESET,
            _n("reads", "How it takes a response. selection: the answer as read here; else in the way of the benchmark's "
                              "released.sql, in one word (see note)."),
            _c("any_right", POINTS, "Once, when at least one chosen answer is right.", unit="points"),
            _c("exact", POINTS, "More, when the answer is an accepted one in full.", unit="points"),
            _c("each_wrong", POINTS, "For each wrong answer chosen.", unit="points"),
            _c("any_wrong", POINTS, "Once, when an answer was given and is not an accepted one.", unit="points"),
            _c("weighted", BOOL, "True when these are multiplied by the question's own points."),
            _c("states_how_many", BOOL, "True when a question says how many choices are right; else a guess is one choice."),
            _c("credits_all", BOOL, "True when questions that the exam credits to all are right for all."),
            _n("status", "Whether the rule has a source.", values=RULE_STATUSES),
            _n("source", "Where the rule stands."),
            _n("note", "What else is worth knowing."),
        ),
        key=("benchmark", "ruleset"), not_empty=True,
    ),
    Table(
        "rule_use_case", "rules", "Named parts of a benchmark that its own reports speak of.",
        (
            _n("benchmark", "The benchmark.", values=BENCHMARKS),
            _n("use_case", "Its name."),
            _n("kind", "whole: every question; topic: one such part for each subject; sample: a share of each subject.",
               values=USE_CASE_KINDS),
            _c("share", POINTS, "Share of each subject's questions.", unit="share, 0 to 1"),
            _c("seed", INT, "Seed of a sample.", null=True),
            _n("source", "Where it is defined."),
        ),
        key=("benchmark", "use_case"),
    ),
    Table(
        "rule_topic", "rules", "Weight of each subject in an exam score.",
        (
            _n("benchmark", "The benchmark.", values=BENCHMARKS),
            _n("topic", "Subject."),
            _c("weight", INT, "Questions of this subject in one exam paper.", unit="questions"),
        ),
        key=("benchmark", "topic"), not_empty=True,
    ),
    Table(
        "rule_component", "rules", "Each line of each exam, official and as the released scorer has it.",
        (
            _RULESET,
            _n("benchmark", "The benchmark whose released scorer has this line; null: the exam's own.", null=True,
               values=BENCHMARKS),
            _n("profession", "Profession as its exam writes it."),
            _c("year", INT, "Year of the sitting."),
            _n("component", "Part of the exam; overall: all of it."),
            _n("kind", "points: points needed; forbidden: forbidden choices allowed; zero_subjects: subjects without a "
                             "point allowed; earned_share: the released scorer's check of 薬剤's subjects.",
               values=LINE_KINDS),
            _c("first_number", INT, "First question it looks at; null: by the question's component.", null=True),
            _c("last_number", INT, "Last question it looks at; null: to the end.", null=True),
            _c("max_points", POINTS, "Official maximum; null when not found.", null=True, unit="points"),
            _c("line", POINTS, "Points needed, or the highest number allowed; null when not found.", null=True),
            _n("basis", "absolute: the year's own line; at_least: percent of what counts, rounded up; more_than: the "
                        "least above percent of what counts; at_most: an upper limit; constant: the scorer's constant.",
               values=("absolute", "at_least", "more_than", "at_most", "constant")),
            _c("percent", INT, "Percent of what counts, for at_least, more_than and earned_share.", null=True, unit="%"),
            _n("status", "Whether line and layout have a source.", values=RULE_STATUSES),
            _n("source", "Where the line was read."),
            _n("note", "What else is worth knowing; for published, the scorer's fault.", null=True),
        ),
        key=("ruleset", "profession", "year", "component"), not_empty=True,
    ),
    Table(
        "rule_layout", "rules", "Questions and points of each paper, as the exams are laid out.",
        (
            _n("profession", "Profession as its exam writes it."),
            _c("first_year", INT, "First year it holds for."),
            _c("last_year", INT, "Last year it is known to hold for."),
            _n("paper", "Paper, upper case; 'all' where questions are numbered through the exam."),
            _c("first_number", INT, "First question."), _c("last_number", INT, "Last question."),
            _n("component", "Component of these questions; null where it isn't published item by item.", null=True),
            _c("points", INT, "Points of each; null where not published item by item.", null=True, unit="points"),
            _n("status", "Whether it has a source.", values=RULE_STATUSES),
            _n("source", "Where it was read."),
        ),
        key=("profession", "first_year", "paper", "first_number"), not_empty=True,
    ),
    Table(
        "rule_adjusted", "rules", "Exam questions whose scoring was changed officially after the sitting.",
        (
            _n("exam", "Profession and year of the sitting, as exam_id ends."),
            _n("profession", "Profession as its exam writes it."),
            _c("year", INT, "Year of the sitting."),
            _n("paper", "Paper, upper case; 'all' where questions are numbered through the exam."),
            _c("number", INT, "Number of the question."),
            _n("kind", "removed: left out for all; correct_only: counted only for those who got it right; all_credit: right "
                             "for all; several_accepted: more than one answer is right; unstated: listed, how is not stated.",
               values=ADJUSTED_KINDS),
            _n("words", "The same in words, with the accepted answers where they are known."),
            _n("source", "Where it was read."),
            _n("status", "Whether it has a source that can be relied on.", values=RULE_STATUSES),
        ),
        key=("profession", "year", "paper", "number"),
    ),
    Table(
        "reported_result", "rules", "Figures that papers report, to be set beside those computed here (view reproduction).",
        (
            _n("source", "The paper or repository."),
            _n("model", "Model as the source writes it; empty for figures that have none."),
            _n("benchmark", "The benchmark.", values=BENCHMARKS),
            _n("scope", "What it speaks of: profession, year, part, modality, as far as they apply, joined by '; '."),
            _n("profession", "Profession, where it speaks of one.", null=True),
            _c("year", INT, "Year of the sitting, where it speaks of one.", null=True),
            _n("component", "Part of the exam, where it speaks of one.", null=True),
            _n("modality", "What the model was shown, where that matters.", null=True, values=MODALITIES),
            _n("metric", "passes: exams passed; points: points earned; questions, questions_with_images: what the dataset holds.",
               values=("passes", "points", "questions", "questions_with_images")),
            _c("value", SCORE, "The figure."),
            _n("locator", "Where in the source it stands."),
        ),
        key=("source", "model", "benchmark", "scope", "metric"),
    ),
)  # fmt: skip

TABLES: dict[str, Table] = {t.name: t for t in _TABLES}
