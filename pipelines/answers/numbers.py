"""Numbers and sequences: the canonical form, and which number of a response is its answer.

Here: decimals as text (thousands separators, units, powers of ten, digit boxes ①②). Not here: options (labels),
cues (the languages).
Values are decimals without unit, as the response gives them: 2.05 g/day is "2.05". No conversion between units.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import takewhile

from pipelines.answers.cleaning import CIRCLED, FINAL, as_text, normalise
from pipelines.answers.phrases import any_of, either, words

SEQUENCE_JOIN = "-"
_EVIDENCE = 200

_NUMBER = re.compile(
    r"""(?<![\d.,A-Za-z_])(?P<sign>[-+±]?)
    (?P<digits> \d{1,3}(?:,\d{3}){1,8}(?!\d)(?:\.\d{1,20})?      # 1,250.5
              | \d{1,3}(?:[ ]\d{3}){1,3}(?![\d.,])               # 2 500
              | \d{1,30}(?:\.\d{1,20})?(?:,\d{1,2}(?![\d,]))?    # 2.05 and 2,5
              | \.\d{1,20} )
    (?: \s?[×xX*]\s?10\s?(?: \^\s?\{?\s?(?P<power>[-+]?\d{1,3})\}? | (?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}) )
      | [eE](?P<exponent>[-+]?\d{1,3})(?![A-Za-z\d]) )?""",
    re.X,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BOX = re.compile(f"[{CIRCLED}]")
_EQUALS = re.compile(r"[=≒≈≃≅⇒→]")
_OPERATION = re.compile(r"\d[^\d\n]{0,12}[×÷*+][^\d\n]{0,4}\d")
_TERM_END = r"\d\s?[^\d\s]{0,6}\s?[×÷*]\s?\(?\d[\d.,]*\)?[^\d\n^⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{0,12}"
_SPAN = (r"\d\s?[^\d\s~]{0,4}\s?~\s?\d", r"^[^\d+×÷*-]{0,16}\d+(?:\.\d+)?\s?-\s?\d+(?:\.\d+)?[^\d+×÷*-]*$")
_CUT_TERM = (r"\d\s?:\s?\d|\d\s?[-+×÷*/]\s?$",)  # a ratio, or a term that was cut off
_FRACTION = re.compile(r"[\s:(]*(-?\d{1,9})[\s)]*/[\s(]*(\d{1,9})[\s)]*(?![\d.×÷*/+-])")
_BRACKETS = re.compile(r"\([^()\n]{0,120}\)|〈[^〈〉\n]{0,120}〉")
_SPACED = r"\d(?: \d){1,5}$"  # a digit a box: "1 0 0"
_SENTENCE = re.compile(r"。|(?<=[^\d\s])\.\s|\.\s(?=[A-ZÀ-Ý#])")
_OPEN = re.compile(r"[({\[][^)}\]]*$|[=≒≈→:]\s*$")
_UNIT = r"\s?[^\d\s:=、。]{0,14}(?:\s?/\s?[^\d\s:=、。]{1,10}){0,2}"


@dataclass(frozen=True, slots=True)
class Number:
    """A number read from a response: canonical value (None where the response names several), and the piece
    that gave it."""

    value: str | None
    evidence: str


def canonical(text: object) -> str | None:
    """The first number in `text` in canonical form: no separators, no unit, no zeros at the end of a decimal;
    None where there is none.

    A leading zero is kept ("04"): in a paper with one box per digit it may stand for 0.4 (questions/unify.py).
    """
    found = next(_numbers(normalise(as_text(text)).strip()), None)
    return found[0] if found else None


def _numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """The numbers of a text in order, as (canonical form, start, end)."""
    for found in _NUMBER.finditer(text):
        yield _canonical(found), found.start(), found.end()


def _canonical(found: re.Match[str]) -> str:
    digits = found["digits"].replace(" ", "")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".") if digits.count(",") == 1 and "." not in digits else digits.split(",")[0]
    if digits.startswith("."):
        digits = "0" + digits
    power = found["power"] or found["exponent"] or (found["raised"] or "").translate(_RAISED)
    if power:
        digits = format(Decimal(digits).scaleb(int(power)), "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return ("-" if found["sign"] == "-" else "") + digits


def read_number(text: str, *, cut_off: bool = False) -> Number | None:
    """The number that a cleaned response gives as its answer, or None.

    Looked for in this order: after the last answer cue; as the whole response or its first line; in its last,
    concluding line. A number in work that is not finished is not an answer. cut_off: it is known to be unfinished.
    """
    w = words()
    text = any_of((rf"{either(w.minus)}(?=\d)",)).sub("-", text)
    text = any_of((rf"(?:^|(?:[:=]|{either(w.themes)}) ?){_SPACED}",)).sub(lambda m: m[0].replace(" ", ""), text)
    for cue in reversed(list(any_of(w.stated, (FINAL,)).finditer(text))[-200:]):
        rest = text[cue.end() : cue.end() + 300].lstrip()
        if rest and (number := _stated(rest)):
            return None if _is_cut(text, number) else number
    lines = [line.strip() for line in text.replace(FINAL, "").split("\n") if line.strip()]
    if not lines:
        return None
    boxed = list(takewhile(_BOX.match, lines))
    if boxed and all(_is_value(_BOX.sub("", line).lstrip(" :.)=")) for line in boxed):
        return _boxes(" ".join(boxed)[:1000])
    first, last = lines[0][:600], lines[-1][-600:]
    if len(lines) == 1 and len(first) <= 200 and (_is_value(first) or len(_SENTENCE.split(first)) == 1):
        return _stated(first)
    finished = not last[-1].isdigit() and re.search(r"[.。)!]$", last) is not None
    if _is_value(first) or (len(lines) > 1 and finished and _concludes(first, only=True)):
        return _stated(first)
    bare = not last[-1].isdigit() or any_of((rf"[-=≈≒]?\s?{either(w.approximately)}?\s?-?\d",)).match(last)
    if not cut_off and ((_is_value(last) and bare) or _concludes(last)):
        return _stated(last)
    return None


def _concludes(line: str, *, only: bool = False) -> bool:
    """Whether a line ends with the result of the work, and does end; only: whether it says nothing before it."""
    sentences = [s for s in _SENTENCE.split(line) if s.strip()]
    if not sentences or (only and len(sentences) > 1) or _OPEN.search(line):
        return False
    ended = not line[-1].isdigit() and (line[-1] in ".。)!" or re.search(rf"\d{_UNIT}$", line) is not None)
    result = any_of(words().concludes).search(sentences[-1]) or (not only and _EQUALS.search(sentences[-1]))
    return bool(ended and result)


def _is_cut(text: str, number: Number) -> bool:
    """Whether the text ends within a decimal that it gave in full before: "2.05 g … answer: 2.0" (no rounding)."""
    tail = re.search(r"\d{1,30}\.\d{0,20}$", text.rstrip()[-60:])
    if not tail or not number.value:
        return False
    places = Decimal(1).scaleb(-len(tail[0].split(".")[1]))
    fuller = re.findall(rf"(?<![\d.]){re.escape(tail[0])}\d{{1,20}}", text)
    return any(Decimal(x).quantize(places, ROUND_HALF_UP) != Decimal(tail[0]) for x in fuller)


def _is_value(line: str) -> bool:
    """Whether a line is one number and its unit, perhaps named, and nothing that is said of it."""
    line = _BRACKETS.sub("", line[:100])
    found = list(_numbers(line))
    if len(found) != 1 or found[0][1] > 16 or any_of(_ends(words().no_value_before)).search(line[: found[0][1]]):
        return False
    return any_of((rf"{_UNIT}{either(words().endings)}[。.!]?$",)).match(line, found[0][2]) is not None


def _ends(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return (rf"{either(patterns)}$",)


def _stated(piece: str) -> Number | None:
    """The number that a piece of text states: of an equation its result, else the one that is meant as a value."""
    w = words()
    whole = re.split(r"\n\s*\n", piece, maxsplit=1)[0].replace("\n", " ")
    piece = whole if _BOX.match(piece) else piece.split("\n", 1)[0]
    evidence = piece.strip()[:_EVIDENCE]
    if _BOX.search(piece) and (boxed := _boxes(piece)) is not None:
        return boxed
    sentence = _SENTENCE.split(piece, maxsplit=1)[0]
    outside = _BRACKETS.sub(" ", sentence)
    sentence = outside if re.search(r"\d", outside) else sentence
    parts = _EQUALS.split(sentence)
    for turn in any_of(w.concludes).finditer(parts[-1]):  # "22.857, so about 22.9"
        parts = (
            [*parts[:-1], parts[-1][turn.end() :]]
            if re.search(r"\d", sentence[-len(parts[-1]) :][turn.end() :])
            else parts
        )
        break
    if any_of(w.number_ranges, _SPAN).search(parts[-1]):
        return Number(None, evidence)
    formula = _term().fullmatch(parts[0]) if len(parts) == 1 else _OPERATION.search(parts[-1])
    compound = (rf"\d\s?{either(w.compounds)}\s?\d",)
    if formula or any_of(compound, _CUT_TERM).search(parts[-1]):
        return None  # a formula without its result
    if fraction := _FRACTION.match(parts[-1]):
        value = _quotient(int(fraction[1]), int(fraction[2]))
        ends = any_of((rf"(?:{either(w.copulas)}|[。.\s)])*",))
        alone = ends.fullmatch(parts[-1], fraction.end())  # 120/80 mmHg is not a quotient
        return Number(value, evidence) if value is not None and alone else None
    for part in reversed(parts):
        values = [
            (v, s)
            for v, s, e in _numbers(part)
            if not any_of(_ends(w.no_value_before)).search(part[max(0, s - 8) : s])
            and not any_of(w.no_value_after).match(part, e)
        ]
        if values:
            about = either(w.approximately)
            link = any_of((rf"(?:[\s:=「『(【\]】)」,、]|{either(w.themes)}|{about}){{0,8}}",)).match(part)
            start = link.end() if link else 0
            topic = any_of((rf"(?:[:=]|{either(w.themes + w.links)})\s?{about}?\s?$",))
            by_rank = [v for v, s in values if s == start] or [
                v for v, s in values if topic.search(part[max(0, s - 20) : s])
            ]
            several = len(set(by_rank)) > 1 and start not in (s for _, s in values)
            return Number(None if several else by_rank[0] if by_rank else values[-1][0], evidence)
        if len(parts) > 1 and part is parts[-1] and not part.strip():
            return None  # "… = " was cut off
    return None


def _term() -> re.Pattern[str]:
    """A formula and nothing else."""
    return any_of((rf"[\s(\d](?:(?!{either(words().themes)})[^\n=。、]){{0,80}}{_TERM_END}",))


def _quotient(numerator: int, denominator: int) -> str | None:
    """A fraction as a decimal, where it is one of few places: 3/4 is 0.75, 1/3 has no such form."""
    if not denominator:
        return None
    value = Decimal(numerator) / Decimal(denominator)
    return canonical(format(value.normalize(), "f")) if value == round(value, 6) else None


def _boxes(piece: str) -> Number | None:
    """The number written into boxes named ①, ②, …: one box holds a value, several hold one digit each ("①2.②5"
    is 2.5)."""
    edge = rf"(?:[ \t:=→、,;]|{either(words().themes)})+"
    parts = [any_of((rf"\A{edge}|{edge}\Z",)).sub("", part) for part in _BOX.split(piece)[1:]]
    parts = [re.sub(r"^[.)](?!\d)\s?", "", part) for part in parts]
    evidence = piece.strip()[:_EVIDENCE]
    if len(parts) > 1 and (result := re.search(r"\d\s?[→=]\s?(\d+(?:\.\d+)?)\D{0,9}$", parts[-1])):
        return Number(canonical(result[1]), evidence)  # "①1 ②2 ③5 → 125"
    numbers = [[v for v, _, _ in _numbers(part)] for part in parts]
    filled = [n for n in numbers if n]
    if not filled:
        return None
    if len(filled) == 1:
        return Number(filled[0][0], evidence)
    joined = re.match(r"-?\d+(?:\.\d+)?", "".join(re.sub(r"\s", "", part) for part in parts))
    one_each = all(re.fullmatch(r"\.?\d\.?\D*", part) for part in parts if re.search(r"\d", part))
    if joined and (one_each or any(not part for part in parts[:-1])):
        digits = "".join("".join(re.findall(r"[\d.]", re.match(r"[\d.\s]*", part)[0])) for part in parts)  # type: ignore[index]
        value = canonical(digits)
        return Number(digits if digits.isdigit() else value, evidence)
    return Number(None, evidence) if len({n[0] for n in filled}) > 1 else Number(filled[0][0], evidence)
