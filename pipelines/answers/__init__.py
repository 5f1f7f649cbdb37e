"""A model's free-text response to the options, number or sequence that it gives as its answer.

`read` reads one response, `read_frame` a table of them (same results, faster), `read_record` one mapping as
`medexams extract` takes it. Nothing here knows the answer key or the scoring rule.
"""

from pipelines.answers.core import Answer, read
from pipelines.answers.record import read_record
from pipelines.answers.vectorised import read_frame

READER_VERSION = 4
"""Raised with each change that may read a response differently: what was read by an older version is read again."""

__all__ = [
    "READER_VERSION",
    "Answer",
    "read",
    "read_frame",
    "read_record",
]
