"""What a refresh changed: the one table that is made in publishing, from two generations of all the others."""

from __future__ import annotations

from pipelines.schema.table import TEXT, Table, col, free
from pipelines.vocabulary import CHANGE_KINDS

TABLES = (
    Table(
        "refresh_change", "releases",
        "What differs from the generation published before, each with its cause; empty for the first.",
        (
            free("kind", "dataset, question, key, rule, run: rows that are new, gone or not as they were; score: of a "
                         "leaderboard, with the rank; verdict: of an exam; item: points of an answer, by the exam's own rule.",
                values=CHANGE_KINDS),
            free("subject", "What changed: its id, for an answer run and question. At most 1,000 of a kind; one more row "
                            "says how many there are besides."),
            col("old", TEXT, "As it was (of a row, the columns that differ); null: it was not there.", null=True),
            col("new", TEXT, "As it is; null: it is gone.", null=True),
            free("cause", "Why: key, question, rule, reader (with its versions), file, new file, removed run, other runs, "
                          "computation and the like; of several answers, each cause with their number."),
            free("run_id", "The run, where it is about one.", null=True),
            free("question_id", "The question, where it is about one.", null=True),
            free("exam_id", "The exam, where it is about one.", null=True),
        ),
        key=("kind", "subject"),
    ),
)  # fmt: skip
