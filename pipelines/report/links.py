"""Addresses of the report's pages of one thing: a run, a question, two runs. How such a page looks belongs to static/.

The thing stands in the fragment, since a page that was opened from disk has nothing else: `run.html#RUN`,
`question.html#QUESTION`, `pair.html#RUN,RUN`; what a page filters by follows a `?`, as in `run.html#RUN?result=wrong`.
static/core.js reads them.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode


def run(run_id: str, **filters: str) -> str:
    """The page of a run, relative to the report's folder; `filters` as the page's form names them."""
    return _address("run.html", (run_id,), filters)


def question(question_id: str, **filters: str) -> str:
    """The page of a question."""
    return _address("question.html", (question_id,), filters)


def pair(run_id: str, other: str, **filters: str) -> str:
    """The page of two runs beside each other."""
    return _address("pair.html", (run_id, other), filters)


def _address(page: str, things: tuple[str, ...], filters: dict[str, str]) -> str:
    state = "?" + urlencode(filters, quote_via=quote) if filters else ""
    return f"{page}#{','.join(quote(t, safe='/:') for t in things)}{state}"
