"""What the model was shown: the question's text and its choices, found in a tool's record or in a prompt.

Shared by the formats. Which question of the warehouse it is, and which of its choices, is for matching.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pipelines.runs.parsed import Ask
from pipelines.runs.reading import first_of, text_of, texts_of

STEMS = ("question", "Questions", "Question", "text", "problem_text", "domanda", "query", "input", "problem", "prompt",
         "sentence", "ctx", "stem")  # fmt: skip
CHOICES = ("answers", "options", "choices", "endings", "alternatives", "candidates", "risposte")
KEYS = ("question_id", "source_key", "id", "qid", "idx", "index", "problem_id")

SEARCHED = 20_000
"""Characters of a prompt that are searched, from its end: the question asked stands last."""

_LABELS = tuple("ABCDEFGHIJKLMNOP")
_ORDER = {c: i for row in ("ABCDEFGHIJKLMNOP", "abcdefghijklmnop", "123456789", "アイウエオカキクケコ", "①②③④⑤⑥⑦⑧⑨⑩",
                           "ＡＢＣＤＥＦＧＨＩＪ", "１２３４５６７８９") for i, c in enumerate(row)}  # fmt: skip
_SET = "".join(map(re.escape, _ORDER))
_LINE = re.compile(
    rf"^[ \t]*(?:[(\[（]([{_SET}])[)\]）]|([{_SET}])(?:[.):：．、）]|[ \t]*[-–][ \t]))[ \t]*(?=\S)", re.M
)
_INLINE = re.compile(rf"(?:^|(?<=[\s]))(?:[(\[（]([{_SET}])[)\]）]|([{_SET}])[.):：．）])[ \t]+(?=\S)", re.M)
_PREFIX = re.compile(rf"^\s*[(\[（]?([{_SET}])[.):：．、）\]]\s*(?=\S)")


def options(text: str) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Labels and texts of the last list of lettered options in a text, and where the list begins; empty without one."""
    skipped = max(0, len(text) - SEARCHED)
    text = text[skipped:]
    for pattern in (_LINE, _INLINE):
        best: list[re.Match[str]] = []
        run: list[re.Match[str]] = []
        for mark in pattern.finditer(text):
            order = _ORDER[_letter(mark)]
            if run and order == len(run) and _kind(_letter(mark)) == _kind(_letter(run[0])):
                run.append(mark)
            else:
                run = [mark] if order == 0 else []
            if len(run) >= 2:
                best = run
        if best:
            ends = [m.start() for m in best[1:]] + [_line_end(text, best[-1].end())]
            texts = [" ".join(text[m.end() : end].split()) for m, end in zip(best, ends, strict=True)]
            return tuple(_letter(m) for m in best), tuple(texts), skipped + best[0].start()
    return (), (), skipped + len(text)


def _letter(mark: re.Match[str]) -> str:
    return mark[1] or mark[2]


def _kind(letter: str) -> str:
    return "upper" if letter.isupper() else "lower" if letter.islower() else "digit" if letter.isdecimal() else ""


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def bare(choices: Sequence[str]) -> bool:
    """True when the choices are no texts but the letters A, B, C … (or 1, 2, 3 …) in order."""
    return len(choices) > 1 and all(_ORDER.get(c.strip()) == i for i, c in enumerate(choices))


def without_labels(choices: Sequence[str]) -> tuple[str, ...]:
    """Choices without the 'A. ' that each begins with, where all of them do."""
    marks = [_PREFIX.match(c) for c in choices]
    if len(choices) > 1 and all(m and _ORDER[m[1]] == i for i, m in enumerate(marks)):
        return tuple(c[m.end() :] for c, m in zip(choices, marks, strict=True) if m)
    return tuple(choices)


def choices_of(record: dict[str, Any]) -> tuple[str, ...]:
    """The choices' texts in a record, from the many shapes that datasets have; empty when there are none."""
    for name in CHOICES:
        value = record.get(name)
        if isinstance(value, dict):
            inner = value.get("text") or value.get("texts")
            texts = texts_of(inner) if inner is not None else texts_of([value[k] for k in sorted(value, key=str)])
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            texts = texts_of([c.get("text") for c in value if isinstance(c, dict)])
        else:
            texts = texts_of(value)
        if len(texts) > 1 and not bare(texts):
            return without_labels(texts)
    for letters in ("ABCDEFGHIJ", "abcdefghij", "123456789"):
        for form in ("{}", "option_{}", "opt_{}", "choice_{}", "answer_{}", "op{}"):
            found = [record.get(form.format(c)) for c in letters]
            texts = texts_of([v for v in found if v is not None])
            if len(texts) > 1 and all(v is not None for v in found[: len(texts)]):
                return texts
    return ()


def ask_of(record: dict[str, Any], prompt: str | None = None, position: int | None = None) -> Ask:
    """How a tool's copy of the dataset row names its question: text, choices and id, as far as it has them."""
    stem = first_of(record, [n for n in STEMS if isinstance(record.get(n), str) and record[n].strip()])
    choices = choices_of(record)
    labels: tuple[str, ...] = ()
    if prompt:
        shown_labels, shown, _ = options(prompt)
        if shown and (not choices or len(shown) >= len(choices)):
            labels, choices = shown_labels, (choices + shown[len(choices) :] if choices else shown)
    return Ask(
        question_id=text_of(record.get("question_id")),
        source_key=text_of(first_of(record, KEYS)), stem=stem, choices=choices, labels=labels, prompt=prompt,
        position=position,
    )  # fmt: skip


def letters(n: int) -> tuple[str, ...]:
    """The first n capital letters."""
    return _LABELS[:n] if n <= len(_LABELS) else tuple(str(i + 1) for i in range(n))
