"""Options that stand inside a question's text ("… A. first B. second"), found as the best chain of option markers.

A marker is a label and a delimiter ("A.", "b)", "(C)", "３．", "④"). A text holds more markers than options: "Vitamin
B. ", "hepatitis A.", initials, "E. coli". So every marker gets points for how an option usually begins, a chain gets
points for each label in order, and the chain with the most points wins. For sources that run options together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FULL_WIDTH = "ＡＢＣＤＥＦＧＨＩＪａｂｃｄｅｆｇｈｉｊ０１２３４５６７８９．）（：、"
_HALF_WIDTH = "ABCDEFGHIJabcdefghij0123456789.)(:,"
_NARROW = str.maketrans(_FULL_WIDTH, _HALF_WIDTH)  # one to one, so that positions stay
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩"

# "(A)", "A.", "A)", "A:". No marker: "3.5", "e.g.", "a.m."
_MARKER = re.compile(
    r"""(?<![^\W_]) (?<![^A-Za-z][A-Za-z]\.)
    (?:
        [(\[](?P<bracketed>[A-Ha-h]|10|[1-9])[)\]]
      | (?P<plain>[A-Ha-h]|10|[1-9])\s?(?P<mark>[.):])(?!\d)(?![A-Za-z]\.)
    )""",
    re.X,
)
# Also "①", "A," and, at the start of a line, a label alone or before a wide space.
_LOOSE_MARKER = re.compile(
    rf"""(?<![A-Za-z0-9]) (?<![^A-Za-z][A-Za-z]\.)
    (?:
        [(\[](?P<bracketed>[A-Ja-j]|10|[1-9])[)\]]
      | (?P<circled>[{_CIRCLED}])
      | (?P<plain>[A-Ja-j]|10|[1-9])\s?(?P<mark>[.):,])(?!\d)(?![A-Za-z]\.)
      | (?:^|(?<=\n))(?P<line>[A-Ja-j]|10|[1-9])(?=[ \t]*\n|[ ]{{2,}}\S|[\t\u3000])
    )""",
    re.X,
)
# Words after which a capital letter belongs to the word: "Vitamin B.", "hepatitis A.", "type C".
_TAKES_A_LETTER = re.compile(
    r"(?:vitamins?|hepatitis|influenza|types?|groups?|class|grade|factor|stage|coenzyme|category|phase|immunoglobulin|ig"
    r"|hemoglobin|haemoglobin|protein|apolipoprotein|botulinum toxin|toxin|cyclosporin|amphotericin|figure|fig\.?|table"
    r"|panel|child-pugh|dr\.?|mr\.?|mrs\.?|prof\.?|plan|antigen|streptococcus|streptococci|cells?|zone|pattern|ビタミン|型)\s*$",
    re.I,
)
_UNFINISHED = re.compile(r"\b(?:with|by|of|in|to|from|for|and|or|the|an|than|as|on|at|like|via)$")
_SPECIES = re.compile(
    r"\s?(?:coli|difficile|aureus|cereus|anthracis|botulinum|perfringens|tetani|albicans|auris|diphtheriae|burgdorferi"
    r"|fa?ecalis|fa?ecium|fragilis|abortus|melitensis|pertussis|jejuni|trachomatis|pneumoniae|psittaci|burnetii"
    r"|canis|cloacae|corrodens|ducreyi|freundii|glabrata|histolytica|granulosus|vermicularis|floccosum|elegans)\b"
)
_LONGEST_TEXT = 50_000
_MOST_MARKERS = 300


@dataclass(frozen=True)
class Split:
    """The stem and its options as (label, text), in order; `missing` are labels that were skipped in the chain."""

    stem: str
    options: tuple[tuple[str, str], ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Marker:
    kind: str
    rank: int
    label: str
    style: str
    start: int
    end: int


def split_options(text: str, *, loose: bool = False) -> Split | None:
    """Split `text` into stem and options, or None when it holds no list of options.

    Labels come back narrow, in the case they stand in. With `loose`, labels may also be circled digits or stand alone
    at the start of a line, as Japanese layouts have them, and the stem may be empty.
    """
    if len(text) > _LONGEST_TEXT:
        return None
    narrow = text.translate(_NARROW)
    markers = _markers(narrow, loose)[-_MOST_MARKERS:]
    chain = _best_chain(narrow, markers, loose)
    if not chain:
        return None
    ends = [m.start for m in chain[1:]] + [len(text)]
    options = tuple((m.label, text[m.end : end].strip()) for m, end in zip(chain, ends, strict=True))
    ranks = {m.rank for m in chain}
    missing = tuple(label_of(chain[0].kind, r) for r in range(chain[-1].rank) if r not in ranks)
    return Split(text[: chain[0].start].strip(), options, missing)


def label_of(kind: str, rank: int) -> str:
    """The label of place `rank` (0-based): 'upper' A, 'lower' a, 'digit' 1."""
    return str(rank + 1) if kind == "digit" else chr(ord("A" if kind == "upper" else "a") + rank)


def _markers(text: str, loose: bool) -> list[_Marker]:
    found = []
    for m in (_LOOSE_MARKER if loose else _MARKER).finditer(text):
        groups = m.groupdict()
        if circled := groups.get("circled"):
            label, style = str(_CIRCLED.index(circled) + 1), "circled"
        elif bracketed := groups.get("bracketed"):
            label, style = bracketed, "()"
        elif line := groups.get("line"):
            label, style = line, "line"
        else:
            label, style = groups["plain"], groups["mark"]
        kind = "digit" if label.isdigit() else "upper" if label.isupper() else "lower"
        rank = int(label) - 1 if kind == "digit" else ord(label.lower()) - ord("a")
        found.append(_Marker(kind, rank, label, style, m.start(), m.end()))
    return found


def _best_chain(text: str, markers: list[_Marker], loose: bool) -> list[_Marker]:
    """The chain with the most points; of equals the one that starts later, so that the stem stays whole."""
    capitals = [_starts_high(text, m) for m in markers if m.kind != "digit"]
    mostly_capitals = sum(capitals) * 2 > len(capitals)
    best: list[tuple[int, int, int]] = []  # points, start of the chain, previous marker
    for i, m in enumerate(markers):
        own = _context_points(text, m, mostly_capitals)
        if not text[m.end :].strip(" .;,\n\t\u3000") and not loose:
            best.append((-99, m.start, -1))
            continue
        points = own + 3 - 4 * m.rank
        if not text[: m.start].strip() and not loose:
            points -= 3  # a question without a stem
        top = (points, m.start, -1)
        for j in range(i):
            before, p = markers[j], best[j]
            if before.kind != m.kind or before.rank >= m.rank or p[0] <= -99:
                continue
            if not text[before.end : m.start].strip(" .;,\n\t\u3000"):
                continue  # an option without a text
            other_style = 2 if before.style != m.style else 0
            points = p[0] + own + 3 - 4 * (m.rank - before.rank - 1) - other_style
            top = max(top, (points, p[1], j))
        best.append(top)
    for _, _, i in sorted(((p[0], p[1], i) for i, p in enumerate(best)), reverse=True):
        chain = [markers[i]]
        while (i := best[i][2]) >= 0:
            chain.append(markers[i])
        chain.reverse()
        if _is_a_list(chain):
            return chain
    return []


def _is_a_list(chain: list[_Marker]) -> bool:
    """Two options in a row from the first label, or more with at most one skipped."""
    skipped = chain[-1].rank + 1 - len(chain)
    return len(chain) >= 2 and (skipped == 0 or (skipped == 1 and len(chain) >= 3))


def _starts_high(text: str, m: _Marker) -> bool:
    """True when the text after a marker does not begin with a small letter."""
    return not text[m.end : m.end + 3].lstrip()[:1].islower()


def _context_points(text: str, m: _Marker, mostly_capitals: bool) -> int:
    before = text[: m.start].rstrip(" \t\u3000")
    points = 0
    if not before or before.endswith(("\n", "?", "？", ":", "：")):
        points += 2
    elif before.endswith((".", ";", ",", "。", "、", "!")):
        points += 1
    if before.endswith("°") or (m.kind == "upper" and _TAKES_A_LETTER.search(before[-24:])):
        points -= 3
    # "J. D. Salinger": an initial follows, or one went before.
    among_initials = re.match(r"\s?[A-Z]\.", text[m.end :]) or re.search(r"\b[I-Z]\.$", before)
    if m.kind == "upper" and m.style == "." and among_initials:
        points -= 2
    # "infection with E. coli": no option ends with such a word, and the abbreviated genus has its species after it.
    if _UNFINISHED.search(before[-12:]) or (m.style == "." and _SPECIES.match(text, m.end)):
        points -= 4
    elif m.kind != "digit" and mostly_capitals and not _starts_high(text, m):
        points -= 1
    return points
