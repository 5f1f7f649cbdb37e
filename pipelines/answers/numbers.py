"""Numbers and sequences: the canonical form, when two are the same, and which number of a response is its answer.

Here: decimals as text (thousands separators, units, powers of ten, digit boxes ①②). Not here: options (labels),
cues (the languages).
Values are decimals without unit, as the response gives them: 2.05 g/day is "2.05". No conversion between units.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile

from pipelines.answers.cleaning import CIRCLED, FINAL, as_text, normalise

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
# Numbers that count or name things: the 2nd decimal, item 3, per 1,000, one day's amount.
_NO_VALUE_BEFORE = re.compile(r"(?:第|小数点?|no\.?\s?|問|/\s?|\bnot\s|\bnon\s|有効数字|対\s?|per\s)$", re.I)
_NO_VALUE_AFTER = re.compile(
    r"[^\d\s]{0,4}\s?(?:では?な[いく]|以外)|\s?(?:桁|位(?:を|まで|以下)|番目|つ目|行目|つ(?:の|あ|で)|日(?=[一-鿿])(?!間)|(?:日|回|時間)\s?(?:あたり|当たり)|decimals?\b)"
)
_BOX = re.compile(f"[{CIRCLED}]")
_EQUALS = re.compile(r"[=≒≈≃≅⇒→]")
_OPERATION = re.compile(r"\d[^\d\n]{0,12}[×÷*+][^\d\n]{0,4}\d")
_TERM = re.compile(r"[\s(\d][^\n=。、は]{0,80}\d\s?[^\d\s]{0,6}\s?[×÷*]\s?\(?\d[\d.,]*\)?[^\d\n^⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{0,12}")
_RANGE = re.compile(
    r"\d\s?[^\d\s~]{0,4}\s?(?:~|から|または|又は|もしくは|あるいは|か|\bor\b|\boppure\b|\bo\b)\s?\d"
    r"|^\s?\d+(?:\.\d+)?\s?-\s?\d+(?:\.\d+)?[^\d+×÷*/-]*$",
    re.I,
)
# Several numbers that are one quantity ("2 h 30 min", 1:20), or a term that was cut off: no single value.
_COMPOUND = re.compile(
    r"\d\s?(?:時間|分|日|週間?|[かヶカケ]月|歳|年|h|hours?|min)\s?\d|\d\s?分の\s?\d|\d\s?:\s?\d|\d\s?[-+×÷*/]\s?$"
)
_FRACTION = re.compile(r"[\s:(]*(-?\d{1,9})[\s)]*/[\s(]*(\d{1,9})[\s)]*(?![\d.×÷*/+-])")
_BRACKETS = re.compile(r"\([^()\n]{0,120}\)|〈[^〈〉\n]{0,120}〉")
_CONCLUDES = re.compile(
    r"(?:したがって|従って|よって|ゆえに|以上より|つまり|合計|\btherefore\b|\bthus\b|\bhence\b|\bso\b|\bquindi\b|\bpertanto\b|とな(?:る|ります)|(?:です|である|だ)[。.]?$)",
    re.I,
)
_LINK = re.compile(
    r"(?:[\s:=はが「『(【\]】)」,、約]|およそ|おおよそ|ほぼ|about|approximately|approx\.?|circa|roughly|around){0,8}",
    re.I,
)
_MINUS = re.compile(r"(?:マイナス|▲|△|\bminus\s)\s?(?=\d)", re.I)
_SPACED = re.compile(r"(?:^|(?<=[:は=]) ?)\d(?: \d){1,5}$", re.M)  # a digit a box: "1 0 0"
_TOPIC = re.compile(r"(?:は|:|が|\bis|\bè|\bof)\s?(?:約|およそ|about|approximately|circa)?\s?$", re.I)


@dataclass(frozen=True, slots=True)
class Number:
    """A number read from a response: canonical value (None where the response names several), and the piece
    that gave it."""

    value: str | None
    evidence: str


def canonical(text: object) -> str | None:
    """The first number in `text` in canonical form: no separators, no unit, no zeros at the end of a decimal;
    None where there is none.

    A leading zero is kept ("04"): in a paper with one box per digit it may stand for 0.4 (see same_number).
    """
    found = next(_numbers(normalise(as_text(text)).strip()), None)
    return found[0] if found else None


def same_number(a: object, b: object) -> bool:
    """Whether two answers are the same number: equal as decimals, a digit-box form "04" being 0.4 as well as 4."""
    return bool(_readings(a) & _readings(b))


def _readings(value: object) -> set[Decimal]:
    text = canonical(value)
    if text is None:
        return set()
    readings = {Decimal(text)}
    if re.fullmatch(r"0\d+", text):
        readings.add(Decimal(f"0.{text[1:]}"))
    return readings


def canonical_sequence(items: Sequence[str] | str) -> str:
    """A sequence in canonical form: its items in order, upper-case, joined by "-". Takes a list, or text like
    "a→c→b" or "ACB"."""
    if isinstance(items, str):
        found = re.findall(r"[0-9A-Zァ-ヶ一-鿿①-⑩]+", normalise(items).upper())
        items = list(found[0]) if len(found) == 1 else found
    return SEQUENCE_JOIN.join(normalise(str(item)).strip().upper() for item in items)


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


def read_number(text: str, cues: re.Pattern[str]) -> Number | None:
    """The number that a cleaned response gives as its answer, or None. `cues`: where answers are stated, in all
    languages.

    Looked for in this order: after the last answer cue; as the whole response or its first line; in its last,
    concluding line.
    """
    text = _SPACED.sub(lambda m: m[0].replace(" ", ""), _MINUS.sub("-", text))
    for cue in reversed(list(cues.finditer(text))[-200:]):
        rest = text[cue.end() : cue.end() + 300].lstrip()
        if rest and (number := _stated(rest)):
            return number
    lines = [line.strip() for line in text.replace(FINAL, "").split("\n") if line.strip()]
    if not lines:
        return None
    boxed = list(takewhile(_BOX.match, lines))
    if boxed and all(_is_value(_BOX.sub("", line).lstrip(" :.)=")) for line in boxed):
        return _boxes(" ".join(boxed)[:1000])
    alone = len(lines) == 1 and len(lines[0]) <= 200
    if (_is_value(lines[0]) or alone) and (number := _stated(lines[0])):
        return number
    last = lines[-1]
    if len(lines) > 1 and (_is_value(last) or _EQUALS.search(last) or _CONCLUDES.search(last)):
        return _stated(last)
    return None


def _is_value(line: str) -> bool:
    """Whether a line is one number and its unit, perhaps named, and nothing that is said of it."""
    line = _BRACKETS.sub("", line[:100])
    found = list(_numbers(line))
    return len(found) == 1 and found[0][1] <= 12 and len(line) - found[0][2] <= 20


def _stated(piece: str) -> Number | None:
    """The number that a piece of text states: of an equation its result, else the one that is meant as a value."""
    piece = (
        piece.split("\n", 1)[0]
        if not _BOX.match(piece)
        else re.split(r"\n\s*\n", piece, maxsplit=1)[0].replace("\n", " ")
    )
    evidence = piece.strip()[:_EVIDENCE]
    if _BOX.search(piece):
        boxed = _boxes(piece)
        if boxed is not None:
            return boxed
    sentence = re.split(r"。", piece, maxsplit=1)[0]
    outside = _BRACKETS.sub(" ", sentence)
    sentence = outside if any(True for _ in _numbers(outside)) else sentence
    parts = _EQUALS.split(sentence)
    if _RANGE.search(parts[-1]):
        return Number(None, evidence)
    formula = _TERM.fullmatch(parts[0]) if len(parts) == 1 else _OPERATION.search(parts[-1])
    if formula or _COMPOUND.search(parts[-1]):
        return None  # a formula without its result
    if fraction := _FRACTION.match(parts[-1]):
        value = _quotient(int(fraction[1]), int(fraction[2]))
        alone = re.fullmatch(r"(?:です|である|[。.\s)])*", parts[-1][fraction.end() :])  # 120/80 mmHg is no quotient
        return Number(value, evidence) if value is not None and alone else None
    for part in reversed(parts):
        values = [
            (v, s)
            for v, s, e in _numbers(part)
            if not _NO_VALUE_BEFORE.search(part[max(0, s - 6) : s]) and not _NO_VALUE_AFTER.match(part, e)
        ]
        if values:
            link = _LINK.match(part)
            start = link.end() if link else 0
            by_rank = [v for v, s in values if s == start] or [
                v for v, s in values if _TOPIC.search(part[max(0, s - 16) : s])
            ]
            several = len(set(by_rank)) > 1 and start not in (s for _, s in values)
            return Number(None if several else by_rank[0] if by_rank else values[-1][0], evidence)
    return None


def _quotient(numerator: int, denominator: int) -> str | None:
    """A fraction as a decimal, where it is one of few places: 3/4 is 0.75, 1/3 has no such form."""
    if not denominator:
        return None
    value = Decimal(numerator) / Decimal(denominator)
    return canonical(format(value.normalize(), "f")) if value == round(value, 6) else None


def _boxes(piece: str) -> Number | None:
    """The number written into boxes named ①, ②, …: one box holds a value, several hold one digit each ("①2.②5"
    is 2.5)."""
    parts = [part.strip(" \t:=→は、,;") for part in _BOX.split(piece)[1:]]
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
