"""What the model was shown: the question's text and its choices, found in a tool's record or in a prompt.

Shared by the formats. Which question of the warehouse it is, and which of its choices, is for matching.py.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from pipelines.questions.identity import squeeze
from pipelines.runs.parsed import Ask
from pipelines.runs.values import first_of, message_text, text_of, texts_of
from pipelines.text.surrogates import whole

STEMS = ("question", "Questions", "Question", "text", "problem_text", "domanda", "query", "input", "problem", "prompt",
         "sentence", "ctx", "stem")  # fmt: skip
CHOICES = ("answers", "options", "choices", "endings", "alternatives", "candidates", "risposte")
KEYS = ("question_id", "source_key", "id", "qid", "idx", "index", "problem_id")

SEARCHED = 20_000
"""Characters of a prompt that are searched, from its end: the question asked stands last."""

_TELLING = 12  # squeezed characters from which the beginning of a choice tells which one it is

_LABELS = tuple("ABCDEFGHIJKLMNOP")
_ORDER = {c: i for row in ("ABCDEFGHIJKLMNOP", "abcdefghijklmnop", "123456789", "アイウエオカキクケコ", "①②③④⑤⑥⑦⑧⑨⑩",
                           "ＡＢＣＤＥＦＧＨＩＪ", "１２３４５６７８９") for i, c in enumerate(row)}  # fmt: skip
_SET = "0" + "".join(map(re.escape, _ORDER))
_LINE = re.compile(
    rf"^[ \t]*(?:[(\[（]([{_SET}])[)\]）]|([{_SET}])(?:[.):：．、）]|[ \t]*[-–][ \t]))[ \t]*(?=\S)", re.M
)
_INLINE = re.compile(rf"(?:^|(?<=[\s]))(?:[(\[（]([{_SET}])[)\]）]|([{_SET}])[.):：．）])[ \t]+(?=\S)", re.M)
_BARE = re.compile(rf"(?:option|choice|answer|opzione|選択肢)?\s*[^\w\s]*([{_SET}])[^\w\s]*", re.I)
_PREFIX = re.compile(rf"^\s*[(\[（]?([{_SET}])[.):：．、）\]]\s*(?=\S)")


def options(text: str) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Labels and texts of the last list of lettered options in a text, and where the list begins; empty without one."""
    skipped = max(0, len(text) - SEARCHED)
    text = text[skipped:]
    for pattern in (_LINE, _INLINE):
        best: list[re.Match[str]] = []
        run: list[re.Match[str]] = []
        for mark in pattern.finditer(text):
            if run and _follows(_letter(mark), _letter(run[0]), len(run)):
                run.append(mark)
            else:
                run = [mark] if _letter(mark) == "0" or _ORDER[_letter(mark)] == 0 else []
            if len(run) >= 2:
                best = run
        if best:
            ends = [m.start() for m in best[1:]] + [_line_end(text, best[-1].end())]
            texts = [" ".join(text[m.end() : end].split()) for m, end in zip(best, ends, strict=True)]
            return tuple(_letter(m) for m in best), tuple(texts), skipped + best[0].start()
    return (), (), skipped + len(text)


def _letter(mark: re.Match[str]) -> str:
    return mark[1] or mark[2]


def _follows(letter: str, first: str, n: int) -> bool:
    """True when the label is the n-th (from 0) of the list that `first` begins; lists of numbers may begin with 0."""
    if first == "0":
        return letter == str(n)
    return _ORDER.get(letter) == n and _kind(letter) == _kind(first)


def _kind(letter: str) -> str:
    return "upper" if letter.isupper() else "lower" if letter.islower() else "digit" if letter.isdecimal() else ""


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def bare(choices: Sequence[str]) -> bool:
    """True when the choices are not texts but labels in order: A, B, C …, (a), (b) …, "1", "2" … or 0, 1, 2 …"""
    named = [_BARE.fullmatch(c.strip()) for c in choices]
    labels = [m[1] for m in named if m]
    if len(choices) < 2 or len(labels) < len(choices):
        return False
    return all(_ORDER.get(c) == i for i, c in enumerate(labels)) or labels == [str(i) for i in range(len(labels))]


def without_labels(choices: Sequence[str]) -> tuple[str, ...]:
    """Choices without the 'A. ' that each begins with, where all of them do."""
    marks = [_PREFIX.match(c) for c in choices]
    if len(choices) > 1 and all(m and _ORDER.get(m[1]) == i for i, m in enumerate(marks)):
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


def _bare_choices(record: dict[str, Any]) -> int:
    """How many choices a record has that are labels and no texts."""
    lists = (texts_of(record.get(name)) for name in CHOICES)
    return next((len(texts) for texts in lists if bare(texts)), 0)


def in_prompt(prompt: str | None, own: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels and choices as a prompt shows them: its last list of options, where that is a list of `own`.

    A record's choices are often in the order of the dataset, while the model saw them in another, or one more. Where
    the prompt cuts an option short, its whole text is taken from `own`. Without such a list, the order in which the
    texts of `own` follow one another there; without that, `own` as it is. Labels are empty where none were read.
    """
    labels, listed, _ = options(prompt or "")
    if not own or not prompt:
        return labels, listed or tuple(own)
    flat = [squeeze(c) for c in own]
    shown, hits, free = [], 0, list(range(len(own)))
    for text in listed:
        key = squeeze(text)
        at = next((i for i in free if flat[i] == key), None)
        if at is None and len(key) > _TELLING:
            at = next((i for i in free if flat[i].startswith(key)), None)
        if at is not None:
            free.remove(at)
            hits += 1
        shown.append(text if at is None else own[at])
    if 2 * hits >= len(own):
        return labels, tuple(shown)
    return (), tuple(own[i] for i in _sequence(squeeze(prompt[-SEARCHED:]), flat))


def _sequence(text: str, parts: Sequence[str]) -> Sequence[int]:
    """The order in which the parts stand one after the other, little between them, at their last places in a text; as
    they are where they do not."""
    found = sorted((text.rfind(part), i) for i, part in enumerate(parts))
    ends = [at + len(parts[i]) for at, i in found]
    gaps = [start - end for end, (start, _) in zip(ends, found[1:], strict=False)]
    close = found and found[0][0] >= 0 and all(parts) and all(0 <= gap <= _TELLING for gap in gaps)
    return [i for _, i in found] if close else range(len(parts))


def ask_of(record: dict[str, Any], prompt: str | None = None, position: int | None = None) -> Ask:
    """How a tool's copy of the dataset row names its question: text, choices and id, as far as it has them.

    The choices are in the order of the prompt, where that shows them.
    """
    texts = [n for n in STEMS if isinstance(record.get(n), str)]
    stem = first_of(record, [n for n in texts if record[n].strip()] or texts)
    own = choices_of(record)
    labels, choices = in_prompt(prompt, own)
    if not own and (n := _bare_choices(record)) and len(choices) != n:
        labels, choices = (), ()  # a list of something else
    return Ask(
        question_id=text_of(record.get("question_id")),
        source_key=text_of(first_of(record, KEYS)), stem=stem, choices=choices, labels=labels, prompt=prompt,
        position=position,
    )  # fmt: skip


def ask_of_prompt(prompt: str | None) -> Ask:
    """The question in a prompt: everything before the last list of options is taken to hold its text."""
    labels, choices, start = options(prompt or "")
    stem = prompt[:start].strip() if prompt is not None else None
    return Ask(prompt=prompt, stem=stem, choices=choices, labels=labels)


def prompt_of(value: Any) -> str | None:
    """What a user asked last: a text, or the last user's turn in a list of messages, also in one written as text."""
    if isinstance(value, str):
        if value.lstrip()[:1] not in ("[", "{") or '"role"' not in value:
            return value
        try:
            said = prompt_of(whole(json.loads(value)))
        except (ValueError, RecursionError):
            return value
        return value if said is None else said
    if isinstance(value, dict):
        return prompt_of(first_of(value, ("messages", "input", "prompt", "content")))
    if not isinstance(value, list):
        return None
    turns = [m for m in value if isinstance(m, dict)]
    asked = [m for m in turns if str(m.get("role", "user")).casefold() in ("user", "human")] or turns
    texts = [text_of(m.get("prompt")) or message_text(m.get("content")) for m in asked]
    return next((text for text in reversed(texts) if text), "" if turns else None)


def unranked(scores: Sequence[float]) -> str | None:
    """Why log-likelihoods of choices rank none of them; None where one is the highest."""
    if any(math.isnan(s) for s in scores):
        return "a log-likelihood is not a number, so no choice was ranked"
    if max(scores) == -math.inf:
        return "all log-likelihoods are -inf, so no choice was ranked"
    if len(scores) > 1 and min(scores) == max(scores):
        return "all log-likelihoods are equal, so no choice was ranked"
    return None


def letters(n: int) -> tuple[str, ...]:
    """The first n capital letters."""
    return _LABELS[:n] if n <= len(_LABELS) else tuple(str(i + 1) for i in range(n))
