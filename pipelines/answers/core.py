"""One response to one reading: its status, and the options, number, order or text that it gives.

Here: the order of the steps and what has no answer (empty, refused, abstained, error). Not here: markup and thinking
(cleaning), JSON (structured), what names an option (labels), what is said of it (mentions), which of it decides
(selection), numbers (numbers), any language's words (languages).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pipelines.answers import cleaning, numbers, structured
from pipelines.answers.labels import Options, options
from pipelines.answers.phrases import any_of, either, spoken, words
from pipelines.answers.selection import abstains, borders, evidence, select

Status = Literal["answered", "abstained", "refused", "ambiguous", "unparsed", "empty", "error"]
DEFAULT_LABELS = ("A", "B", "C", "D", "E")
SIMPLE_LENGTH = 40  # characters (and bytes: they are ASCII) of a plain list of labels
_EVIDENCE = 200  # characters
_LOOKED = 4000  # characters of a response that are searched for a refusal
_LABELLED = re.compile(r"[\s.。):、,\"'」』*]*$")


@dataclass(frozen=True, slots=True)
class Answer:
    """One response as read.

    `selection` has bit i set for position i in the question's labels; `labels` are the chosen ones in that order
    (in the order given, for a sequence); `value` is canonical text for numeric, sequence and text answers;
    `evidence` is the piece of the response that decided, or what went wrong.
    """

    status: Status
    selection: int | None = None
    labels: tuple[str, ...] = ()
    value: str | None = None
    evidence: str | None = None


def read(
    text: object,
    answer_type: str,
    labels: Sequence[str] | None = None,
    choices: Sequence[str] | None = None,
    language: str | None = None,
    *,
    cut_off: bool = False,
) -> Answer:
    """Read a response as a careful person would.

    text: the response as stored; None and other types are accepted. answer_type: single, multiple, numeric,
    sequence or text.
    labels: the options' labels in the order shown (default A to E). choices: the options' texts in the same order.
    language: the code of one in languages/; it decides which one-letter words are heeded (Italian "e", "a").
    cut_off: the model was stopped before it had finished: only what it states or opens with is its answer.
    Never raises on a response: a defect in reading gives the status `error`, its words as evidence.
    A single question answered with two labels stays answered with both: the scoring rule, not the reader, says what
    that is worth.
    """
    try:
        return _read(text, answer_type, labels, choices, language, cut_off)
    except Exception as defect:  # one response must not cost its file
        return Answer("error", evidence=f"could not be read: {type(defect).__name__}: {defect}"[:_EVIDENCE])


def _read(
    text: object,
    answer_type: str,
    labels: Sequence[str] | None,
    choices: Sequence[str] | None,
    language: str | None,
    cut_off: bool,
) -> Answer:
    raw = cleaning.as_text(text)
    if not raw.strip() or raw.strip().lower() in ("nan", "none", "null", "<na>"):
        return Answer("empty")
    given = tuple(str(label) for label in labels) if labels else DEFAULT_LABELS
    texts = tuple("" if choice is None else str(choice) for choice in choices) if choices else ()
    if is_simple(raw, answer_type, given):
        known = options(given, texts, ())
        positions = dict.fromkeys(known.index[c] for c in raw.upper() if c in known.index)
        return _answered(tuple(positions), raw, known)
    said = cleaning.clean(raw)
    body = cleaning.plain(said).strip()
    if not body:
        return Answer("empty" if not cleaning.normalise(raw).strip() else "unparsed")
    if any_of(words().errors).match(body):
        return Answer("error", evidence=body.split("\n", 1)[0][:_EVIDENCE])
    json = structured.find(said)
    if answer_type == "numeric":
        return _number(body, json, cut_off)
    if answer_type == "text":
        return _free_text(body, json)
    known = options(given, texts, spoken(language, body))
    return _options(body, json, known, answer_type, cut_off)


# ---- options ---------------------------------------------------------------------------------------------------------


def _options(body: str, json: structured.Structure | None, known: Options, answer_type: str, cut_off: bool) -> Answer:
    several = answer_type != "single"
    if json is not None:
        chosen = _of_fields(json.fields, known, several)
        if chosen is not None:
            return _as_answer(chosen[0], chosen[1], known, answer_type)
        body = cleaning.plain(json.rest).strip() if json.fields else body
    found = select(known.circled(body), known, several, cut_off) if body else None
    if found is None:
        return _silence(body)
    group, piece = found
    if group.either:
        return Answer("ambiguous", evidence=piece)
    return _as_answer(group.positions, piece, known, answer_type)


def _of_fields(fields: Sequence[structured.Field], known: Options, several: bool) -> tuple[tuple[int, ...], str] | None:
    """The options that JSON names: a map from label to verdict; fields that hold nothing but options, first those
    whose key says answer, the last of them; else what the text under such a key says."""
    for field in reversed(fields):
        if field.verdicts and not field.is_reason and (chosen := _of_verdicts(field.verdicts, known)) is not None:
            return chosen, ", ".join(f"{k}: {v}" for k, v in field.verdicts)[:_EVIDENCE]
    named = [f for f in fields if f.names_answer]
    for candidates in (named, [f for f in fields if not f.is_reason and f not in named]):
        read_alone = [(p, f) for f in candidates if (p := _label_alone(f, known))]
        some = [x for x in read_alone if len(x[0]) < known.count] or read_alone
        if some and (candidates is named or len({x[0] for x in some}) == 1):
            positions, field = some[-1]
            return positions, f"{field.key}: {field.value}"[:_EVIDENCE]
    for field in reversed(named):
        value = cleaning.plain(field.value).strip()
        if value and (found := select(value, known, several)) and not found[0].either:
            return found[0].positions, found[1]
    return None


def _of_verdicts(verdicts: Sequence[tuple[str, str]], known: Options) -> tuple[int, ...] | None:
    positions = [known.index.get(cleaning.normalise(label).strip(" ().:").upper()) for label, _ in verdicts]
    if None in positions or len(set(positions)) < 2:
        return None
    yes = any_of(words().yes)
    chosen = tuple(p for p, (_, v) in zip(positions, verdicts, strict=True) if p is not None and yes.fullmatch(v))
    return chosen or None


def _label_alone(field: structured.Field, known: Options) -> tuple[int, ...]:
    """The options where the value holds nothing else: labels, labels with their texts, or an option's text."""
    positions: list[int] = []
    for item in field.items or (field.value,):
        value = cleaning.plain(item).strip()
        whole = known.whole_text(value)
        group = None if whole is not None else known.group(value, 0)
        if (group is not None and not group.either and any(_LABELLED.match(value, end) for end in group.ends)) or (
            group is not None
            and not group.either
            and field.names_answer
            and re.match(r"\s?[.):-]\s", value[group.end :])
        ):
            positions += group.positions
        elif whole is not None:
            positions.append(whole)
        else:
            return ()
    return tuple(dict.fromkeys(positions))


def _as_answer(positions: Sequence[int], piece: str, known: Options, answer_type: str) -> Answer:
    if answer_type == "sequence":
        ordered = tuple(known.labels[p] for p in positions)
        return Answer("answered", labels=ordered, value=numbers.SEQUENCE_JOIN.join(ordered), evidence=piece)
    return _answered(positions, piece, known)


def _answered(positions: Sequence[int], piece: str, known: Options) -> Answer:
    chosen = sorted(positions)
    if len(chosen) == 1 and chosen[0] < len(known.texts) and abstains(known.texts[chosen[0]]):
        return Answer("abstained", evidence=piece)
    return Answer("answered", known.mask(chosen), tuple(known.labels[p] for p in chosen), None, piece)


@cache
def _simple(labels: tuple[str, ...]) -> re.Pattern[str] | None:
    if not labels or not all(len(x) == 1 and x.isascii() and x.isalpha() for x in labels):
        return None
    letters = "".join(sorted({x.upper() for x in labels}))
    one, low = f"[{letters}]", f"[{letters.lower()}]"
    return re.compile(f"{one}(?:, ?{one}|-{one})*|{low}(?:, ?{low}|-{low})*")


def is_simple(text: str, answer_type: str, labels: Sequence[str] | None) -> bool:
    """Whether a response is nothing but labels in one case with plain separators, to be read without further ado."""
    if answer_type not in ("single", "multiple") or len(text) > SIMPLE_LENGTH:
        return False
    pattern = _simple(tuple(str(label) for label in labels) if labels else DEFAULT_LABELS)
    return pattern is not None and pattern.fullmatch(text) is not None


# ---- other kinds of answers, and none --------------------------------------------------------------------------------


def _number(body: str, json: structured.Structure | None, cut_off: bool) -> Answer:
    """A number: under JSON's answer key, in what stands before another question begins, or in the whole text."""
    fields = [f for f in json.fields if not f.is_reason] if json else []
    for field in [*(f for f in reversed(fields) if f.names_answer), *fields]:
        number = numbers.read_number(field.value, cut_off=False)
        if number is not None and number.value:
            return Answer("answered", value=number.value, evidence=f"{field.key}: {field.value}"[:_EVIDENCE])
    if json and json.fields:
        body = cleaning.plain(json.rest).strip()
    for at in (*list(borders(body))[:8], len(body)):
        number = numbers.read_number(body[:at], cut_off=cut_off) if body[:at].strip() else None
        if number is not None:
            return Answer("answered" if number.value else "ambiguous", value=number.value, evidence=number.evidence)
    return _silence(body)


def _free_text(body: str, json: structured.Structure | None) -> Answer:
    """A free-text answer: what follows the last answer cue, else the first line."""
    named = [f.value for f in json.fields if f.names_answer and f.value] if json else []
    text = cleaning.plain(named[-1]).strip() if named else body
    silence = _silence(text)
    if silence.status != "unparsed":
        return silence
    piece = text.split("\n", 1)[0]
    for told in _told(text):
        piece = told if told.strip() else piece
    value = " ".join(
        any_of((rf"{either(words().copulas)}?[。.]?\s*\Z",)).sub("", piece.strip().strip("「」\"'")).split()
    )
    return Answer("answered", value=value, evidence=piece[:_EVIDENCE]) if value else Answer("unparsed")


def _told(text: str) -> Iterator[str]:
    """The lines that follow the answer cues."""
    for cue in list(any_of(words().stated, (cleaning.FINAL,)).finditer(text))[-200:]:
        yield text[cue.end() : cue.end() + 2000].lstrip().split("\n", 1)[0]


def _silence(text: str) -> Answer:
    """The status of a response that names no answer."""
    abstention, marks = any_of(words().abstention), " \t\n.。!()[]「」\"'"
    whole = text.strip(marks)
    if abstention.fullmatch(whole):
        return Answer("abstained", evidence=whole[:_EVIDENCE])
    for told in reversed(list(_told(text))):
        clause = re.split(r"[。]|\.(?:\s|$)", told[:80], maxsplit=1)[0].strip(marks)
        if clause and abstention.fullmatch(clause):
            return Answer("abstained", evidence=clause)
    looked = text if len(text) <= _LOOKED else text[: _LOOKED // 2] + "\n" + text[-_LOOKED // 2 :]
    if refusal := any_of(words().refusal).search(looked):
        stop = re.compile(r"[。\n]|$").search(looked, refusal.end())
        return Answer("refused", evidence=evidence(looked, refusal.start(), stop.end() if stop else refusal.end()))
    for sentence in (s.strip(marks) for s in re.split(r"[\n。]|\.\s", looked)):
        if len(sentence) > 4 and abstention.fullmatch(sentence):  # not a word that was cut off
            return Answer("abstained", evidence=sentence[:_EVIDENCE])
    return Answer("unparsed")
