"""The statements of sql/ in Spark's dialect, translated by sqlglot from the one source."""

from __future__ import annotations

import sqlglot


def for_spark(sql: str) -> str:
    """A SELECT of DuckDB's as one of Spark's. Raises sqlglot's UnsupportedError where Spark has no word for it."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    return tree.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
