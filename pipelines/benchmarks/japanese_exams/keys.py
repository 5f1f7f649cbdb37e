"""What a KokushiMD-10 key says: which choices or value, how many answers are accepted, whether the question counts.

Also the cleaning of forbidden lists, which use the same labels. Official corrections are facts: kokushi_exams.py.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations

from pipelines.questions.item import Key

ALL = 0
"""asked_for: the question asks for all that apply."""

_KANJI = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6}
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_ASKS = re.compile(
    r"([0-9一二三四五六])\s*つ\s*(?:を|だけ)?\s*(?:選|えら)|"
    r"\b(?:choose|select|pick|mark|indicate)\s+(?:only\s+|the\s+|any\s+|exactly\s+)?(one|two|three|four|five|six|[1-6])\b",
    re.I,
)
_ASKS_ALL = re.compile(
    r"(?:すべて|全て|全部)\s*(?:を)?\s*(?:選|えら)|\b(?:select|choose|mark)\s+all\b|\ball that apply\b", re.I
)
_ASKS_ORDER = re.compile(
    r"並べ(?!て(?:い|お))|並び替え|\b(?:arrange|put|place|list)\b[^.?!]*\border\b|\brearrange\b|\bsort\b[^.?!]*\border\b",
    re.I,
)
_ASKS_NUMBER = re.compile(
    r"求めよ|計算せよ|算出せよ|を求め(?:なさい|て)|\bcalculate\b|\bcompute\b|\bdetermine the value\b", re.I
)
_MISSING = frozenset({"", "na", "n/a", "nan", "none", "null", "-", "--", "?", "不明", "なし", "unknown", "未定"})
_VOID = re.compile(
    r"解\s*な\s*し|正解\s*(?:なし|無し)|正答\s*(?:なし|無し)|該当なし|採点(?:対象)?(?:から|より)?\s*(?:除外|外)|除外|削除"
    r"|\bno (?:correct |right )?answer\b|\bexcluded?\b|\bvoid(?:ed)?\b|\bnot scored\b|\bremoved\b|\bdeleted\b", re.I,
)  # fmt: skip
_ALL_CREDIT = re.compile(
    r"全員\s*(?:を|に|が)?\s*(?:正解|正答|加点|得点)|全受験者|(?:credit(?:ed)?|correct|right|points?)\s+(?:to|for)\s+all\b"
    r"|\ball\s+(?:examinees|credited|correct)\b|すべて正解|全て正解", re.I,
)  # fmt: skip
_CORRECT_ONLY = re.compile(
    r"正解した(?:者|受験者|人|場合)(?:のみ|に限り|については|は)|正解者のみ"
    r"|\bcounted only when right\b|\bcorrect[ -]only\b|\bonly (?:if|when) correct\b",
    re.I,
)
_ANY_OF = re.compile(
    r"いずれか\s*([0-9一二三四五六])\s*つ|どれか\s*([0-9一二三四五六])\s*つ|\bany\s+(one|two|three|four|five|[1-6])\b",
    re.I,
)
_EITHER = re.compile(r"いずれも|いずれか|どちらでも|どちらか|のどれでも|\beither\b|\bany of\b", re.I)
_OR = re.compile(r"\s*(?:\bor\b|または|又は|もしくは|若しくは|あるいは|または|/|\|)\s*", re.I)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|〈[^〈〉]*〉|【[^【】]*】")
_NUMBER = re.compile(
    r"([-+−‐]?\d[\d,]*(?:\.\d+)?|[-+−‐]?\.\d+)\s*(?:[%°℃/a-zA-Zµμ^\d・・人日回点歳年円個本倍度割対単位]*)"
)
_LEADING_LABELS = re.compile(r"[A-Za-z0-9,、・ ]*")
_BOXES = re.compile(r"(?:解答|答え?|\banswer)\s*[:：]\s*([-−‐–\d\s,.．，、①-⑳]*[①-⑳][\d\s,.．，、①-⑳]*)", re.I)


@dataclass
class KeyReading:
    """A key as read. `status` is a key_status; `flags` maps a flag to its detail."""

    answer_type: str
    keys: list[Key] = field(default_factory=list)
    status: str = "scored"
    flags: dict[str, str] = field(default_factory=dict)


def narrow(value: object) -> str:
    """A value of the source as narrow text: lists joined by commas, 4.0 as "4", null and NaN as ""."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (list, tuple)):
        return ",".join(part for part in map(narrow, value) if part)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return unicodedata.normalize("NFKC", str(value)).strip()


def asked_for(stem: str) -> int | None:
    """How many choices the question's own words ask for: a number, ALL, or None; the last words count."""
    plain = unicodedata.normalize("NFKC", stem)
    if _ASKS_ALL.search(plain):
        return ALL
    found = list(_ASKS.finditer(plain))
    return _count(found[-1][1] or found[-1][2]) if found else None


def _count(text: str) -> int:
    return _KANJI.get(text) or _WORDS.get(text.lower()) or int(text)


def asks_for_number(stem: str) -> bool:
    """True when the words ask for a value to be worked out, or show digit boxes (解答：①②)."""
    return bool(_ASKS_NUMBER.search(unicodedata.normalize("NFKC", stem)) or _BOXES.search(stem))


def read_labels(text: str, labels: Sequence[str]) -> tuple[str, ...] | None:
    """Labels that a text names, in its order ("cde", "1,4", "A and C", "10"); None when anything else stands in it."""
    known = {unicodedata.normalize("NFKC", label).casefold(): label for label in labels}
    plain = unicodedata.normalize("NFKC", text).casefold()
    tokens = [t for t in re.split(r"[\s,、;・&+\-→>.'\"\[\](){}「」]+|\band\b|と|及び|および", plain) if t]
    found: list[str] = []
    for token in tokens:
        if token in known:
            found.append(known[token])
        elif all(c in known for c in token):
            found += [known[c] for c in token]
        else:
            return None
    return tuple(dict.fromkeys(found)) or None


def read_number(text: str) -> str | None:
    """The number of a key without its unit, digits as written ("04", "8.5", "1,130 kcal" → "1130"), or None."""
    plain = unicodedata.normalize("NFKC", text).strip()
    m = _NUMBER.fullmatch(plain)
    return re.sub("[−‐]", "-", m[1].replace(",", "")) if m else None


def fill_boxes(stem: str, digits: str) -> str | None:
    """The value that a key of digit boxes stands for: "100" in "解答：①②.③" is 10.0; None when the boxes don't fit."""
    found = list(_BOXES.finditer(stem))
    if not found or not digits.isdigit():
        return None
    template = found[-1][1]
    boxes = re.findall("[①-⑳]", template)
    if len(boxes) != len(digits):
        return None
    left = iter(digits)
    filled = "".join(next(left) if "①" <= c <= "⑳" else unicodedata.normalize("NFKC", c) for c in template)
    value = re.sub(r"[\s,、]", "", re.sub("[−‐–]", "-", filled)).rstrip(".")
    return value if re.fullmatch(r"-?\d+(?:\.\d+)?", value) else None


def read_key(answer: object, labels: Sequence[str], stem: str, texts: Sequence[str] = ()) -> KeyReading:
    """Read a key against the labels (and texts) of the choices shown and the question's own words.

    Kind of answer: without choices, `numeric` when the key is a number or the words ask for one, else `text`; with
    choices, `sequence` when the words ask for an order and not for a number of choices, `multiple` when they ask for
    several or the key has several, else `single`. A key of several labels on words that ask for one is several accepted
    answers. No usable key: status unknown with the flag key_missing, never a guess.
    """
    text = narrow(answer)
    asked = asked_for(stem)
    if not labels:
        return _value_key(text, stem)
    wants_order = bool(_ASKS_ORDER.search(unicodedata.normalize("NFKC", stem))) and asked is None
    expected = "sequence" if wants_order else "multiple" if asked == ALL or (asked or 1) > 1 else "single"
    status, outside = _standing(text)
    if status is None and text.casefold() in _MISSING:
        return KeyReading(expected, [], "unknown", {"key_missing": f"the source gives {text or 'nothing'} as the key"})
    choices = _accepted(outside, text, labels, asked, texts)
    if choices is None and status is not None:  # words that no pattern knows may follow the labels
        choices = _accepted(_LEADING_LABELS.match(outside)[0], text, labels, asked, texts)  # type: ignore[index]
    if not choices and status in (None, "correct_only"):
        if (number := read_number(outside)) is not None and asks_for_number(stem):
            return _numeric(number, stem)
        detail = f"the key {text!r} names none of the choices {labels[0]} to {labels[-1]}"
        return KeyReading(expected, [], "unknown", {"key_missing": detail})
    choices = choices or []
    flags: dict[str, str] = {}
    if len(choices) == 1 and asked == 1 and len(choices[0]) > 1:
        flags["key_disputed"] = f"one choice is asked for and the key is {text}: each is taken as accepted"
        flags["key_unverified"] = "no other source says that several answers are accepted"
        choices = [(label,) for label in choices[0]]
    sizes = {len(c) for c in choices}
    if wants_order and sizes - {1}:
        return KeyReading("sequence", [Key(value="-".join(c)) for c in choices], status or "scored", flags)
    if asked is not None and asked > 1 and sizes - {asked} and status is None:
        flags["key_disputed"] = f"{asked} choices are asked for and the key is {text}"
    answer_type = "single" if asked == 1 or (asked is None and sizes <= {1}) else "multiple"
    if status is not None and status != "correct_only":
        flags.setdefault("key_disputed", f"the source's key: {text}")
    ordered = [tuple(sorted(c, key=list(labels).index)) for c in choices]
    return KeyReading(answer_type, [Key(labels=c) for c in dict.fromkeys(ordered)], status or "scored", flags)


def _standing(text: str) -> tuple[str | None, str]:
    """Key status that the words of a key state, if any, and the key without those words."""
    patterns = ((_CORRECT_ONLY, "correct_only"), (_ALL_CREDIT, "all_credit"), (_VOID, "removed"))
    status = next((status for pattern, status in patterns if pattern.search(text)), None)
    outside = _BRACKETS.sub(" ", text)
    for pattern, _ in patterns:
        outside = pattern.sub(" ", outside)
    return status, outside.strip(" 、,。.のでとし")


def _accepted(
    outside: str, text: str, labels: Sequence[str], asked: int | None, texts: Sequence[str]
) -> list[tuple[str, ...]] | None:
    """Accepted sets of labels, or None when the key names no choices."""
    any_of = _ANY_OF.search(text)
    if any_of or _EITHER.search(text):
        size = _count(next(g for g in any_of.groups() if g)) if any_of else max(asked or 1, 1)
        bare = _EITHER.sub(" ", _ANY_OF.sub(" ", outside))
        bare = re.sub(r"\bof\b|選択|正解|正答|とする|のうち|でも|可|の", " ", bare)
        group = read_labels(_OR.sub(",", bare), labels)
        if group and len(group) >= size:
            return list(combinations(group, size))
    parts = [read_labels(part, labels) for part in _OR.split(outside)]
    if all(parts):
        return [p for p in parts if p]
    same = [label for label, choice in zip(labels, texts, strict=False) if choice and narrow(choice) == outside]
    return [(same[0],)] if len(same) == 1 else None


def _value_key(text: str, stem: str) -> KeyReading:
    kind = "numeric" if asks_for_number(stem) else "text"
    status, outside = _standing(text)
    if status is None and (text.casefold() in _MISSING or not re.search(r"\w", outside)):
        return KeyReading(kind, [], "unknown", {"key_missing": f"the source gives {text or 'nothing'} as the key"})
    parts = [p for p in _OR.split(outside) if p] if not re.search(r"\d\s*/\s*\d", outside) else [outside]
    numbers = [read_number(p) for p in parts]
    if parts and all(numbers):
        readings = [_numeric(n, stem) for n in numbers if n]
        keys = list(dict.fromkeys(k for r in readings for k in r.keys))
        return KeyReading("numeric", keys, status or "scored")
    if kind == "numeric" and status is None:
        return KeyReading(kind, [], "unknown", {"key_missing": f"the key {text!r} is not a number"})
    return KeyReading(kind, [Key(value=p) for p in parts], status or "scored")


def _numeric(number: str, stem: str) -> KeyReading:
    """The number as the source has it, and second the value it means when its digit boxes have a point."""
    filled = fill_boxes(stem, number)
    values = [number] if filled is None or Decimal(filled) == Decimal(number) else [number, filled]
    return KeyReading("numeric", [Key(value=v) for v in values])


def read_forbidden(value: object, labels: Sequence[str]) -> tuple[frozenset[str], str | None]:
    """Labels of a forbidden list, and what had to be repaired, if anything.

    The lists are third-party: full-width letters, several letters in one string, stray spaces, capitals, plain strings.
    """
    if isinstance(value, dict):
        value = [k for k, v in value.items() if v]
    parts = list(value) if isinstance(value, (list, tuple)) else [value]
    raw = [p if isinstance(p, str) else narrow(p) for p in parts]
    filled = [p for p in raw if p.strip("[]{}()'\" \u3000").casefold() not in _MISSING]
    found: list[str] = []
    lost: list[str] = []
    for part in filled:
        named = read_labels(part, labels)
        if named is None:
            lost.append(part)
        else:
            found += named
    as_lists = isinstance(value, (list, tuple)) or "," not in "".join(filled)
    clean = filled == found if as_lists else [p.strip() for p in filled[0].split(",")] == found
    detail = None
    if not clean:
        detail = f"the list {value!r} was read as {', '.join(found) or 'nothing'}"
        if lost:
            detail += f"; {', '.join(map(repr, lost))} is not a choice"
    return frozenset(found), detail
