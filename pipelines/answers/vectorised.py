"""A table of responses at once: plain label lists ("c", "a,c", "A-B-E") by Polars, the rest one by one.

Equal to `read` row by row by construction: Polars finds out which rows are alike, and `read` says what they mean.
What the reading of a plain list does not depend on (the language, the options' texts unless one of them is an
abstention) is left out of the comparison.
"""

from collections.abc import Iterable
from typing import Any

import polars as pl

from pipelines.answers.core import SIMPLE_LENGTH, Answer, abstains, is_simple, read

SCHEMA: dict[str, Any] = {
    "status": pl.String,
    "selection": pl.Int64,
    "labels": pl.String,
    "value": pl.String,
    "evidence": pl.String,
}
_LABEL_END = "\x1f"  # joins the labels of a question into one comparable text
_MAYBE_PLAIN = r"^[A-Za-z][A-Za-z, -]*$"


def read_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Read every row of `frame`; one row out for a row in, in order.

    Columns in: text, answer_type; labels and choices (lists of strings), language and cut_off where there are such.
    Columns out: SCHEMA. `labels` are the chosen ones joined by "-", null where none is chosen; the rest as in Answer.
    """
    if frame.schema["text"] != pl.String or not frame.height:
        return _table(_read_row(row) for row in frame.iter_rows(named=True))
    keys = frame.select("text", kind=_kind(frame))
    one_kind = keys.select(pl.col("kind").eq_missing(pl.col("kind").first()).all()).item()
    patterns = keys.select("text").unique() if one_kind else keys.unique()
    patterns = patterns.filter(
        pl.col("text").str.len_bytes() <= SIMPLE_LENGTH, pl.col("text").str.contains(_MAYBE_PLAIN)
    )
    if one_kind:
        patterns = patterns.with_columns(kind=pl.lit(keys["kind"][0], pl.String))
    plain = [
        (text, kind, answer)
        for text, kind in patterns.iter_rows()
        if (answer := _read_plain(text, *_parts(kind))) is not None
    ]
    if one_kind:
        at = keys["text"].cast(pl.Enum([p[0] for p in plain]), strict=False).to_physical().cast(pl.UInt32)
    else:
        index = pl.DataFrame(
            {"text": [p[0] for p in plain], "kind": [p[1] for p in plain], "at": range(len(plain))},
            schema={"text": pl.String, "kind": pl.String, "at": pl.UInt32},
        )
        at = keys.join(index, on=["text", "kind"], how="left", maintain_order="left")["at"]
    if (special := _offers_abstention(frame)) is not None:
        at = at.zip_with(~special, pl.Series([None], dtype=pl.UInt32))
    rest = frame.filter(at.is_null())
    answers = _table([p[2] for p in plain] + [_read_row(row) for row in rest.iter_rows(named=True)])
    if rest.height:
        missing = at.is_null()
        at = at.zip_with(~missing, (missing.cum_sum().cast(pl.Int64) + (len(plain) - 1)).cast(pl.UInt32, strict=False))
    return answers.select(pl.all().gather(at))


def _kind(frame: pl.DataFrame) -> pl.Expr:
    """What besides the text a plain list's reading depends on: the answer type and the labels, as one text."""
    if "labels" not in frame.columns or frame.schema["labels"] == pl.Null:
        return pl.col("answer_type")
    labels = pl.col("labels").list.join(_LABEL_END, ignore_nulls=False).fill_null("")
    return pl.concat_str(pl.col("answer_type"), labels, separator=_LABEL_END)


def _parts(kind: str | None) -> tuple[str, list[str] | None]:
    answer_type, *labels = (kind or "").split(_LABEL_END)
    return answer_type, labels if any(labels) else None


def _read_plain(text: str, answer_type: str, labels: list[str] | None) -> Answer | None:
    """The reading of a plain list, None where the text is not such a list for these labels."""
    return read(text, answer_type, labels) if is_simple(text, answer_type, labels) else None


def _offers_abstention(frame: pl.DataFrame) -> pl.Series | None:
    """The rows where one of the options is an abstention; None where no row has such an option."""
    if "choices" not in frame.columns or frame.schema["choices"] == pl.Null:
        return None
    abstentions = [text for text in frame["choices"].explode().unique().drop_nulls() if abstains(text)]
    if not abstentions:
        return None
    return frame["choices"].list.eval(pl.element().is_in(abstentions).any()).list.first().fill_null(False)


def _read_row(row: dict[str, Any]) -> Answer:
    return read(
        row["text"],
        row["answer_type"] or "",
        row.get("labels"),
        row.get("choices"),
        row.get("language"),
        cut_off=bool(row.get("cut_off")),
    )


def _table(answers: Iterable[Answer]) -> pl.DataFrame:
    rows = [(a.status, a.selection, "-".join(a.labels) or None, a.value, a.evidence) for a in answers]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
