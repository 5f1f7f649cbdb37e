"""Which columns of a table hold what a model answered: by their names, and by their cells where names do not tell.

The answer's column is never the key's: beside a column that is plainly a model's, `answer` is taken for the key; where
two could be either, the table is refused and both are named. Times, flags and notes are not answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.values import short, text_of

_WHOSE = ("model", "llm", "predicted", "generated", "assistant", "ai", "bot", "system", "final", "chosen", "selected",
          "candidate", "my", "raw", "extracted", "parsed")  # fmt: skip
_WHAT = (
    "answer",
    "answers",
    "response",
    "output",
    "prediction",
    "completion",
    "choice",
    "option",
    "label",
    "letter",
    "text",
)
# In order of preference: names that only a model's column has, then those that a key's may have too.
_MODELS = (
    *(whose + what for whose in _WHOSE for what in _WHAT),
    "prediction", "predictions", "pred", "preds", "predicted", "response", "responses", "reply", "completion",
    "completions", "generation", "generated", "outputtext", "output", "outputs", "answerchoice",
)  # fmt: skip
_EITHER = ("answer", "answers", "risposta", "回答", "解答")
ANSWERS = _MODELS + _EITHER
"""The names of columns that can hold answers, as `key` writes them."""
GOLD = frozenset((
    "gold", "goldanswer", "goldlabel", "golden", "goldenanswer", "target", "label", "key", "answerkey", "correct",
    "correctanswer", "correctanswers", "correctoption", "correctresponse", "correctlabel", "correctchoice",
    "rightanswer", "groundtruth", "groundtruthanswer", "reference", "referenceanswer", "referenceresponse", "truth",
    "trueanswer", "truelabel", "expected", "expectedanswer", "expectedoutput", "expectedresponse", "solution",
    "answeridx", "answerindex", "officialanswer", "rispostacorretta", "正解", "正答", "iscorrect", "isanswer",
))  # fmt: skip
_OF_MODEL = re.compile(
    r"(?P<model>.+?)[\s_\-.:]+(?:answer|response|output|prediction|pred|completion|generation|reply|risposta)", re.I
)
_ASIDE = re.compile(
    r"(?:correct|scores?|points?|grade|match|eval|judge|clean(?:ed)?(?:response|answer)?|parsed|extracted|normali[sz]ed"
    r"|type|category|section|part|block|group|difficulty|topic|subject|specialty|confidence)$"
)
_PROSE = re.compile(r"(?:notes?|comments?|explanation|reason|reasoning|rationale|thinking|thoughts?|cot|feedback)$")
_LABELS = re.compile(r"[\s\[('\"]*[A-Ja-j](?:[\s,;、・&/\-'\"]*[A-Ja-j]){0,5}[\s\])'\".]*")
_LETTER = re.compile(r"(?<![\w'])[A-J](?:[.):,\s\-]|$)")
_LOOKED_AT = 500  # rows by which a column is judged


@dataclass(frozen=True)
class Chosen:
    """A column of answers: its name, the model that the name tells if it does, and a note on what was left out."""

    name: str
    model: str | None = None
    note: str | None = None


def key(name: str) -> str:
    """A column's name without case, spaces, '_' and '-'."""
    return re.sub(r"[\s_\-]+", "", name).casefold()


def answer_columns(records: Sequence[Mapping[str, Any]], taken: Set[str], *, has_model: bool) -> list[Chosen]:
    """The columns that hold answers, mostly one. `taken` are columns that tell something else, `has_model`: one of them
    names the model. Raises Unreadable where none is found, or two could be the key and the answer."""
    names = {key(c): c for c in reversed(list(records[0])) if c not in taken}
    open_ = {k: c for k, c in names.items() if k not in GOLD and not _ASIDE.search(k)}
    if plain := next((open_[k] for k in _MODELS if k in open_), None):
        return [Chosen(plain, note=_note(plain, names.values()))]
    by_model = {c: m["model"] for c in open_.values() if (m := _OF_MODEL.fullmatch(c)) and key(m["model"]) not in GOLD}
    either = next((open_[k] for k in _EITHER if k in open_), None)
    if by_model and not (has_model and len(by_model) > 1):
        return [Chosen(c, None if has_model else m, _note(c, names.values())) for c, m in by_model.items()]
    like = [c for k, c in open_.items() if c != either and _like_answers(records, c)]
    if either and like:
        raise Unreadable(
            f"the columns {either} and {', '.join(like)} could each be the model's answer or the key; name the model's "
            "prediction and the key gold"
        )
    if either:
        return [Chosen(either, note=_note(either, names.values()))]
    if like and not has_model:
        return [Chosen(c, c, _note(c, names.values())) for c in like]
    if len(like) == 1:
        return [Chosen(like[0], note=_note(like[0], names.values()))]
    found = short(", ".join(map(str, records[0])), 200)
    raise Unreadable(f"no column for the answer; name it prediction, response or answer (the columns are: {found})")


def model_columns(records: Sequence[Mapping[str, Any]], taken: Set[str]) -> list[Chosen]:
    """The columns of a table that has one for each model, named by it: those whose cells are answers."""
    open_ = [c for c in records[0] if c not in taken and key(c) not in GOLD and not _ASIDE.search(key(c))]
    found = [c for c in open_ if _like_answers(records, c)]
    return [Chosen(c, c, _note(c, found)) for c in found]


def _note(column: str, names: Any) -> str | None:
    """What a person may want to know: that other columns could have been meant."""
    others = [c for c in names if c != column and (key(c) in ANSWERS or key(c) in GOLD or _OF_MODEL.fullmatch(c))]
    return f"answers from the column {column!r}; not read: {', '.join(others)}" if others else None


def _like_answers(records: Sequence[Mapping[str, Any]], column: str) -> bool:
    """True where most cells are filled and name options: labels alone, or a text with a capital letter of its own."""
    cells = [(text_of(r.get(column)) or "").strip() for r in records[:_LOOKED_AT]]
    filled = [c for c in cells if c]
    if 2 * len(filled) < len(cells) or not filled:
        return False
    prose = bool(_PROSE.search(key(column)))
    named = [bool(_LABELS.fullmatch(c)) or (not prose and bool(_LETTER.search(c))) for c in filled]
    return 10 * sum(named) >= 8 * len(filled)
