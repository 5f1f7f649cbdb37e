"""Every table of the warehouse: columns, types, keys, nullability, descriptions, units, and which hold question text.

The one place they are stated: validation, the published comments, the asset checks, the licence gate of the exports
and docs/schema.md are all made from TABLES. What a table's rows mean belongs here, in one file per group; how they are
computed does not.
"""

from pipelines.schema import changes, exams, questions, rules, runs, scores
from pipelines.schema.table import BENCHMARKS, BOOL, REAL, TEXT, TIME, Column, Table

TABLES: dict[str, Table] = {
    t.name: t for group in (questions, runs, scores, exams, rules, changes) for t in group.TABLES
}

__all__ = ["BENCHMARKS", "BOOL", "REAL", "TABLES", "TEXT", "TIME", "Column", "Table"]
