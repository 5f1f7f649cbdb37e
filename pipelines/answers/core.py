"""What a response says: its statements about the options, and which of them is the answer.

Here: the order of precedence between statements, the border to what a runaway model wrote next, refusals and
abstentions.
Not here: markup and thinking (cleaning), what names an option (labels), the phrases of a language (english,
italian, japanese), numbers (numbers).

Precedence, as a careful person reads: the last explicit statement ("answer: c", a line that holds nothing but "c");
else a conclusion in prose ("most likely is c"), which also settles "b or c"; else the verdicts passed on the options
one by one; else an option's own text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pipelines.answers import cleaning, english, italian, japanese, numbers
from pipelines.answers.cleaning import FINAL
from pipelines.answers.labels import Group, Options, options

Status = Literal["answered", "abstained", "refused", "ambiguous", "unparsed", "empty", "error"]
DEFAULT_LABELS = ("A", "B", "C", "D", "E")
_EVIDENCE = 200  # characters
_CLAUSE = 300  # characters after a cue that are searched for the answer
SIMPLE_LENGTH = 40  # characters (and bytes: they are ASCII) of a plain list of labels
_CUES = 200  # cues of one kind that are looked at, from the last


@dataclass(frozen=True, slots=True)
class Answer:
    """One response as read.

    `selection` has bit i set for position i in the question's labels; `labels` are the chosen ones in that order
    (in the order given, for a sequence); `value` is canonical text for numeric, sequence and text answers;
    `evidence` is the piece of the response that decided.
    """

    status: Status
    selection: int | None = None
    labels: tuple[str, ...] = ()
    value: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """A non-blank line: where it is, the options it begins with, and how it goes on.

    kind: `bare` (nothing but labels), `exact` (a label and its option's text), `titled` ("c: …"), `told` ("c です",
    "b because"), `other`.
    gap: whether a blank line stands before it.
    """

    start: int
    end: int
    group: Group | None
    kind: str
    gap: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A statement that names options: where, which, and whether it names what a negated question asks for."""

    at: int
    group: Group
    negative: bool = False


# ---- the cues of all languages, compiled
# -------------------------------------------------------------------------------


def _any(*tables: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for table in tables for pattern in table), re.I | re.M)


_LANGUAGES = (japanese, italian, english)
_FINAL = _any(*(x.FINAL for x in _LANGUAGES), [FINAL])
_LIKELY = _any(*(x.LIKELY for x in _LANGUAGES))
_LIKELY_NOT = _any(*(x.LIKELY_NOT for x in _LANGUAGES))
_DROPPED = _any(*(x.DROPPED for x in _LANGUAGES))
_IS_FINAL = _any(*(x.IS_FINAL for x in _LANGUAGES))
_IS_LIKELY = _any(*(x.IS_LIKELY for x in _LANGUAGES))
_IS_LIKELY_NOT = _any(*(x.IS_LIKELY_NOT for x in _LANGUAGES))
_IS_RIGHT = _any(*(x.IS_RIGHT for x in _LANGUAGES))
_IS_WRONG = _any(*(x.IS_WRONG for x in _LANGUAGES))
_IS_NOT = _any(*(x.IS_NOT for x in _LANGUAGES))
_ENDS_RIGHT = _any([x.ENDS_RIGHT for x in _LANGUAGES])
_ENDS_WRONG = _any([x.ENDS_WRONG for x in _LANGUAGES])
_REFUSAL = _any(*(x.REFUSAL for x in _LANGUAGES))
_ABSTENTION = _any(*(x.ABSTENTION for x in _LANGUAGES))
_NEXT = _any(*(x.NEXT for x in _LANGUAGES))
_HEDGES = re.compile(rf"(?:{'|'.join(x.HEDGE for x in _LANGUAGES)}){{1,3}}", re.I)
_ALL = _any([x.ALL for x in _LANGUAGES])
_ALL_BUT = tuple(tuple(re.compile(part, re.I) for part in x.ALL_BUT) for x in _LANGUAGES)
_OFFERS_ABSTENTION = re.compile(
    r"preferisco non rispondere|non (?:lo )?so|i (?:do not|don't) know|(?:i )?prefer not to answer|no answer"
    r"|(?:わか|分か)らない|(?:無回答|回答しない)",
    re.I,
)
_NEGATED_CUE = re.compile(
    r"(?:incorrect|wrong|false|inappropriate|not\s+the|errat[ae]|sbagliat[ae]|誤った|間違った|不|誤)\s{0,2}$", re.I
)
_ERROR = re.compile(
    r"[\[<{(\"'\s]{0,4}(?:api[ _]?)?(?:error|exception|errore|エラー)[\])\"'>]{0,2}\s?(?:code\b|occurred\b|\d{3}|[:\-]|が発生|$)|traceback \(most recent"  # noqa: E501
    r"|(?:request|connection)\s(?:failed|timed\sout|error)|(?:read\s)?time[d\s]{0,2}\s?out\b|rate\slimit|internal\sserver\serror|\w{2,30}(?:Error|Exception):",
    re.I,
)

_ENDING = rf"{japanese.ENDING}[\s.。,、:;!?…)\]」』]{{0,9}}"
_BARE_END = re.compile(
    rf"(?:[.。,、:;!)\]」』\"'-]|\s){{0,12}}{_ENDING}(?:[(\[]?\s?(?:\d{{1,3}}(?:\.\d{{1,9}})?\s?%|0?\.\d{{1,4}}|1\.0)\s?[)\]]?)?[ \t]{{0,9}}$"  # noqa: E501
)
_TITLE = re.compile(r"[ \t]{0,2}(?:[:、)]|\.(?!\d)|[ \t]-|-[ \t]|[→=])[ \t]{0,3}(?=\S)")
_TOLD = re.compile(
    r"[ \t]{0,2}(?:です|である|だ(?![けっ])|となる|となります|と考え|の(?:いずれか|どちらか)|で(?:迷|悩)|,?[ \t]?(?:not|non)\b|[。.](?=\s|[^\d\s])|\(|[「『]|[,、][ \t]?(?:because|since|as\s|なぜなら|理由|perch)|"  # noqa: E501
    r"(?:because|since|perché|poiché|due\sto)\b|[ \t]{1,4}(?![もは])(?=[\u3040-\u9fff(「【]))",
    re.I,
)
_AFTER_WEAK = re.compile(
    r"""[ \t]{0,2}(?:$|[。.,:;()」』\n?!]|です|である|だ(?![けっ])|であり|で[、,]
    |と(?:考え|なる|なり|なっ|判断|推|思|い[えう]|言|結論|診断)
    |が(?:[、]?(?:最も|正|適|妥|該|考え|答|一番|当て|疑))
    |を(?:選|疑|答)|の(?:可能性|みで|み[。、])|、(?![^\n。]{0,12}(?:など|誤))|のため
    |(?:because|since|as|which|is|are|due|with|for|perch|poich|in\s+quanto|è)(?!\w))""",
    re.X | re.I | re.M,
)
_NEGATED_LINK = re.compile(r"\b(?:not|isn't|non)\b[^\n.,:]{0,8}$", re.I)
_NEGATED_START = re.compile(r"[\s:]{0,3}(?:not|non)\s{1,3}(?:è\s{1,2}(?:la\s)?)?", re.I)
_CONTRAST = re.compile(
    r"[ \t]?,?[ \t]?(?:but|rather|instead|ma|bensì)[ \t:]{1,3}(?:(?:it|this)\s(?:is|'s)[ \t]|è[ \t])?(?:la[ \t]|l'|the[ \t])?",  # noqa: E501
    re.I,
)
_TICKS = "○◯〇✓✔✅⭕"
_MARK_BEFORE = re.compile(rf"(?:^|\n)[ \t]*([{_TICKS}×✗✘❌✕])[ \t]?:?[ \t]?$")
_BEFORE_LABEL = re.compile(
    rf"[ \t]{{0,20}}(?:\d{{1,2}}[.)][ \t]+|[{_TICKS}×✗✘❌✕][ \t]?:?[ \t]?|(?:まず|次に|一方|また|さらに|そして|最後に|なお)、?)?"  # noqa: E501
)
_ARTICLE = re.compile(r"\s?(?:まず|直ちに|(?:an?|the|il|la|lo|le|i|gli)\s|l')?", re.I)
_ACTS = re.compile(r"(?:検査|療法|治療|術)?[をにがで](?!な)|\s(?:is|are|should|would|è|sono)(?!\w)", re.I)
_POINTER = re.compile(r"(?:以下|次|下記|following|below|seguent)[^\n]{0,30}$|^[\s:。、]*$", re.I)
_INTRODUCES = re.compile(
    r"(?:解説|理由|説明|検討|考察|評価|分析|確認|吟味|選択肢|explanation|reason\w{0,3}|analy\w{2,4}|options?|spiegazion\w|opzioni)"
    r"[^\n。:]{0,12}[。.:]?$|問題(?:です|である)。$|[^:\n]{1,30} : ",
    re.I,
)
_ENDED = re.compile(r"(?:[。!」]|(?<=\w\w)\.|です|ます|である)\s*$")  # "c." may be cut off, "c。" is not
_STOP = re.compile(r"(?<=[a-z)])\. ")
_COLON = re.compile(r"[^:\n。]{0,20}(?:[2-5二三四五]つ|複数|two|three|following)[^:\n。]{0,20}:[ \t]{0,3}", re.I)
_SENTENCE_END = re.compile(r"[。!?！？]|(?<=[a-zà-ÿ)\]\"'])\.(?=\s|$)|\n|;\s")


# ---- lines and groups ------------------------------------------------------------------------------------------------


def _lines(text: str, known: Options) -> list[_Line]:
    lines: list[_Line] = []
    at, gap = 0, False
    for raw in text.split("\n"):
        stripped = raw.strip()
        start = at + (len(raw) - len(raw.lstrip()))
        at += len(raw) + 1
        if not stripped or not re.search(r"\w|[①-⑳]", stripped):
            gap = True
            continue
        end = start + len(stripped)
        numbering = (
            re.match(r"\d{1,2}(?:[.)][ \t]+|[つ個番]目\s?[:は]\s?)(?=\S)", stripped) if not known.numbered else None
        )
        start += numbering.end() if numbering else 0
        hedge = _HEDGES.match(text, start, end)
        group, kind = _line_kind(text, hedge.end() if hedge else start, end, known)
        if hedge and kind not in ("bare", "exact"):
            group, kind = None, "other"
        lines.append(_Line(start, end, group, kind, gap))
        gap = False
    return lines


def _line_kind(text: str, start: int, end: int, known: Options) -> tuple[Group | None, str]:
    line = text[start : min(end, start + 1000)]
    group = known.group(line, 0)
    if group is None:
        group = known.texts_at(line, 0)
        if group is None or not _BARE_END.match(line, group.end):
            return None, "other"
        return _moved(group, start), "exact"
    if _BARE_END.match(line, group.end):
        kind = "bare"
    elif _BARE_END.match(line, group.tail):
        attached = line[group.end : group.tail].strip(" ()")
        kind = "bare" if line[group.end : group.tail].lstrip().startswith("(") or not attached else "exact"
    elif _IS_WRONG.match(line, group.end) or _IS_RIGHT.match(line, group.end) or _IS_NOT.match(line, group.end):
        kind = "other"
    elif _TITLE.match(line, group.end):
        kind = "titled"
    elif _TOLD.match(line, group.end):
        kind = "told"
    else:
        kind = "other"
    return _moved(group, start), kind


def _moved(group: Group, by: int) -> Group:
    return Group(group.positions, group.start + by, group.end + by, group.tail + by, group.either)


def _groups(text: str, known: Options) -> Iterator[Group]:
    """Every list of options in the text, in order; the texts of options do not count."""
    at = 0
    while found := known.candidate.search(text, at):
        start = found.start()
        group = known.group(text, start)
        if group is None:
            at = start + 1
            continue
        yield group
        at = max(group.end, start + 1)


def _text_groups(text: str, known: Options) -> Iterator[Group]:
    """The options whose texts begin a sentence or clause."""
    for start in [0, *(m.end() for m in re.finditer(r"[。\n、「(]|[.,]\s|から|より|ため|ので|例は", text))]:
        group = known.texts_at(text, start)
        if group is not None:
            yield group


def _union(groups: Sequence[Group]) -> Group:
    positions = tuple(dict.fromkeys(p for g in groups for p in g.positions))
    return Group(positions, groups[0].start, groups[-1].end, groups[-1].tail, any(g.either for g in groups))


# ---- what a cue is followed by ---------------------------------------------------------------------------------------


def _said_after(text: str, at: int, known: Options, lines: list[_Line], *, loose: bool, multiple: bool) -> Group | None:
    """The options that the clause from `at` names: at once, or (loose) in brackets, by their text, or in the
    lines below."""
    line_end = text.find("\n", at)
    line_end = len(text) if line_end < 0 else line_end
    stop = min(line_end, at + _CLAUSE)
    clause = text[at:stop]
    if "\n" in text[max(0, at - 4) : at] and (below := _list_below(text, at, known, lines)):
        return below
    here = at
    refused = _NEGATED_START.match(text, at)
    if refused or _NEGATED_LINK.search(text[max(0, at - 16) : at]):
        here = refused.end() if refused else at
        found = _named_at(text, here, stop, known)
        contrast = _CONTRAST.match(text, found.end) or _CONTRAST.match(text, found.tail) if found else None
        return _named_at(text, contrast.end(), stop, known) if contrast else None
    for _ in range(4):
        found = _named_at(text, here, stop, known)
        if found is None:
            break
        negated = _IS_NOT.match(text, found.tail) or _IS_NOT.match(text, found.end)
        if not negated:
            return _continued(found, known, lines)
        here = negated.end()
        here += len(text[here : here + 10]) - len(text[here : here + 10].lstrip(" 、,"))
    if not loose:
        return None
    if not clause.strip() or _POINTER.search(clause):
        below = _list_below(text, line_end, known, lines)
        if below is not None or not clause.strip():
            return below
    colon = _COLON.match(clause)  # "正解は2つあります: aとc"
    if colon and (found := known.group(text, at + colon.end())) and _AFTER_WEAK.match(text, found.end):
        return found
    sentence_end = _SENTENCE_END.search(clause)
    sentence = clause[: sentence_end.start()] if sentence_end else clause
    marked = [g for g in _groups(sentence, known) if _is_marked(sentence, g) and not _IS_NOT.match(sentence, g.tail)]
    marked = [g for g in marked if not _dropped_before(sentence, g.start)]
    if marked:
        joined = _union(marked)
        between = sentence[marked[0].end : marked[-1].start] if len(marked) > 1 else ""
        either = joined.either or bool(re.search(rf"{japanese.OR}|\b(?:or|oppure)\b", between) and len(marked) > 1)
        return Group(joined.positions, at + joined.start, at + joined.end, at + joined.tail, either)
    by_text = known.texts_in(sentence)
    if (
        by_text
        and (len(by_text.positions) == 1 or multiple)
        and not re.search(r"ではな|以外|でな[いく]|\bnot\b|\bnon\b", sentence)
    ):
        return _moved(by_text, at)
    return None


def _named_at(text: str, at: int, stop: int, known: Options) -> Group | None:
    """Options named exactly here, by label or by text, whichever reaches further."""
    by_label = known.group(text, at)
    opening = re.match(r"[\s「『\"'(【<〈]{0,4}(?:(?:the|la|il|le)\s)?", text[at : at + 10])
    by_text = known.texts_at(text, at + (opening.end() if opening else 0))
    if by_text and by_text.start >= stop:
        by_text = None
    if by_label and by_text:
        return by_text if by_text.end > by_label.tail else by_label
    return by_label or by_text


def _is_marked(text: str, group: Group) -> bool:
    """Whether the label stands in brackets or quotes or after "option": not a letter in passing."""
    lead = text[group.start : group.end]
    before = text[max(0, group.start - 12) : group.start]
    noun = rf"(?:{english.NOUNS}|{italian.NOUNS}|{japanese.NOUNS})"
    opening = r"[(\[「『【〈《]"
    return bool(
        re.match(rf"\s?{opening}", lead)
        or re.search(rf"{opening}\s?$", before)
        or re.search(rf"{noun}\s?$", before, re.I)
    )


def _dropped_before(text: str, at: int) -> bool:
    return any(found.end() >= at - 1 for found in _DROPPED.finditer(text, max(0, at - 40), at))


def _continued(found: Group, known: Options, lines: list[_Line]) -> Group:
    """A first option on the cue's line, more of them on the lines right below ("b: …⏎d: …", "b⏎d")."""
    at = next((i for i, line in enumerate(lines) if line.start <= found.start <= line.end), None)
    if at is None or lines[at].end - found.tail > 2:
        return found
    kind = "bare" if found.tail == found.end else "exact"
    groups = [found]
    for line in lines[at + 1 :]:
        if line.gap or line.group is None or line.kind != kind or (kind == "bare" and len(line.group.positions) > 1):
            break
        groups.append(line.group)
    return _union(groups) if len({p for g in groups for p in g.positions}) < known.count else found


def _list_below(text: str, at: int, known: Options, lines: list[_Line]) -> Group | None:
    """The options listed in the lines after `at`: bare labels, or labels with their texts; all of them together
    are no choice."""
    groups: list[Group] = []
    first: _Line | None = None
    for line in lines:
        if line.start < at:
            continue
        if line.group is None or line.kind == "other":
            break
        if first is None:
            first = line
        elif (
            (line.kind != first.kind and not {line.kind, first.kind} <= {"exact", "titled"})
            or (line.kind == "bare" and line.gap)
            or (line.kind == "titled" and line.gap)
            or line.kind == "told"
        ):
            break
        groups.append(line.group)
        if len(groups) > known.count:
            break
    if first is None:
        return None
    everything = known.count > 2 and len({p for g in groups for p in g.positions}) == known.count
    if everything and len(groups) > 1:
        return None
    return _union(groups)


# ---- statements, by kind ---------------------------------------------------------------------------------------------


def _explicit(text: str, known: Options, lines: list[_Line], multiple: bool) -> _Found | None:
    """The last explicit statement of the answer."""
    found: list[_Found] = []
    cues = list(_FINAL.finditer(text))[-_CUES:]
    for cue in reversed(cues):
        if _NEGATED_CUE.search(text[max(0, cue.start() - 16) : cue.start()]):
            continue
        if _is_verdict(text, cue, known):
            continue
        group = _said_after(text, cue.end(), known, lines, loose=True, multiple=multiple)
        if group is not None:
            found.append(_Found(cue.start(), group))
            break
    found += _bare_lines(text, known, lines, stated=bool(found))
    after = max((f.at for f in found), default=-1)
    for group in (*_groups(text, known), *_text_groups(text, known)):
        stated = group.start > after and any(_IS_FINAL.match(text, end) for end in {group.end, group.tail})
        if stated and not _dropped_before(text, group.start):
            found.append(_Found(group.start, group))
    return max(found, key=lambda f: max(f.at, f.group.end), default=None)


def _is_verdict(text: str, cue: re.Match[str], known: Options) -> bool:
    """Whether "c. 正解" is said of the option before it, the next line being about the next one."""
    start = text.rfind("\n", 0, cue.start()) + 1
    if "\n" not in cue[0] or start == cue.start():
        return False
    group = known.group(text, start)
    return group is not None and any(_IS_RIGHT.match(text, end) for end in (group.end, group.tail))


def _bare_lines(text: str, known: Options, lines: list[_Line], *, stated: bool) -> list[_Found]:
    """Lines that hold an answer by their form: what the response opens with, and labels that stand alone on a line.

    stated: whether an answer was called so already; what stands after it is an explanation, perhaps cut off.
    """
    found: list[_Found] = []
    opening = _opening(text, known, lines)
    if opening is not None:
        found.append(opening)
    # a, b, c … each alone on a line are headings, not answers
    single = [line for line in lines[1:] if line.kind == "bare" and line.group and len(line.group.positions) == 1]
    order = [line.group.positions[0] for line in single if line.group]
    headings = (len(order) >= 3 and order[:3] == [0, 1, 2]) or len(order) >= known.count > 2
    for i, line in enumerate(lines):
        if i == 0 or line.kind != "bare" or line.group is None:
            continue
        if re.search(r":[\s.…]{0,9}$", text[line.start : line.end][-12:]):
            continue  # the heading of an option, or an option cut off
        if i == len(lines) - 1 and _cut_off(text, lines[i - 1], line, stated or opening is not None):
            continue
        if headings and len(line.group.positions) == 1:
            continue
        if opening is not None and (i < len(lines) - 1 or line.start <= opening.group.end):
            continue
        found.append(_Found(line.start, line.group))
    if lines[-1].kind in ("other", "told") and (clause := _last_clause(text, lines[-1], known)):
        found.append(clause)
    options_told = [line for line in lines if line.kind in ("exact", "titled")]
    last = lines[-1]
    alone = len(options_told) == 1 and last.gap and not _cut_off(text, lines[-2], last, stated)
    if opening is None and last.kind == "exact" and last.group and alone:
        found.append(_Found(last.start, last.group))
    return found


def _cut_off(text: str, before: _Line, line: _Line, stated: bool) -> bool:
    """Whether labels alone on the last line are where an explanation or a tour of the options was cut off."""
    positions = line.group.positions if line.group else ()
    if before.kind == "bare" or not positions or _ENDED.search(text[line.start : line.end]):
        return False
    if before.group is not None and not line.gap:
        return True
    if before.group is not None and before.group.positions[-1] + 1 == positions[0]:
        return True
    numbered = text[text.rfind("\n", 0, line.start) + 1 : line.start].strip()
    if stated or numbered:
        return True
    return positions[0] == 0 and _INTRODUCES.search(text[before.start : before.end]) is not None


def _last_clause(text: str, line: _Line, known: Options) -> _Found | None:
    """Labels alone in the last clause of the response: "… → c", "消去法でe", "aかbで迷うがa"."""
    near = max(line.start, line.end - 60)
    ended = text[line.end - 1] in ".。!)" or _ENDED.search(text[line.start : line.end])  # or else it may be cut off
    clauses = [
        m.end()
        for pattern in (japanese.CLAUSE, _STOP)
        for m in pattern.finditer(text, near, line.end)
        if ended or m[0] not in ("。", ". ", "は")
    ]
    for start in sorted(clauses, reverse=True):
        spaces = re.compile(r"[ \t]{0,3}").match(text, start, line.end)
        start = spaces.end() if spaces else start
        hedge = _HEDGES.match(text, start, line.end)
        group = known.group(text, hedge.end() if hedge else start)
        if group is None or group.end > line.end or not _BARE_END.match(text, group.end):
            continue
        return None if text[line.end - 1] == ":" else _Found(group.start, group)  # "…: e:" was cut off
    return None


def _opening(text: str, known: Options, lines: list[_Line]) -> _Found | None:
    """The answer with which the response opens, unless it opens a tour of the options."""
    first = lines[0]
    if first.group is None or first.kind == "other":
        return None
    if first.kind == "bare":
        groups = [first.group]
        nothing_else = all(line.kind == "bare" for line in lines)
        for line in lines[1:]:
            if line.kind != "bare" or (line.gap and not nothing_else) or line.group is None:
                break
            if len(line.group.positions) > 1 or len(first.group.positions) > 1:
                groups = [line.group]
            else:
                groups.append(line.group)
        return _Found(first.start, _union(groups))
    if first.kind == "exact":
        groups = []
        for line in lines:
            if line.kind != "exact" or line.group is None:
                break
            groups.append(line.group)
        named = [p for g in groups for p in g.positions]
        in_order = named == list(range(len(named)))
        heads = len(lines) > 2 and not lines[1].gap and any(line.kind == "exact" for line in lines[2:])
        if heads and japanese.VERDICT.match(text, lines[1].start):
            return None  # the option as a heading, the verdict below it
        if len(groups) > 1 and len(named) >= known.count > 2:
            return None
        following = lines[len(groups)] if len(groups) < len(lines) else None
        if (
            in_order
            and following
            and following.group
            and following.kind in ("titled", "bare")
            and following.group.positions[0] == len(named)
        ):
            return None  # a tour: the next option follows, with a comment or cut off
        return _Found(first.start, _union(groups))
    if first.kind == "titled" and known.numbered and re.match(r"\s?[.)]", text[first.group.end :]) and len(lines) > 1:
        return None  # "1. Analyse the question": numbering
    if _tours(text, first, known):
        return None
    if first.kind == "titled" and 1 < len(lines) < known.count and all(line.kind == "titled" for line in lines):
        return _Found(first.start, _union([line.group for line in lines if line.group]))  # "a: …⏎d: …" and no more
    return _Found(first.start, first.group)


def _tours(text: str, first: _Line, known: Options) -> bool:
    """Whether the options after the first one are taken up in turn, each at the start of a sentence."""
    if first.group is None:
        return False
    own, style = first.group.positions, _style(text, first.group.end)
    others: list[int] = []
    for group in _sentence_groups(text[: first.start + 8000], known):
        if group.start > first.group.end and _style(text, group.end) == style:
            others += [p for p in group.positions if p not in others]
    if not others:
        return False
    return own == tuple(range(len(own))) and others[0] == len(own)


def _style(text: str, at: int) -> str:
    """How a label is set off from what is said of it: by a mark, by a space, or by a particle."""
    if _TITLE.match(text, at):
        return "mark"
    return "space" if text[at : at + 1].isspace() else text[at : at + 1]


def _sentence_groups(text: str, known: Options) -> Iterator[Group]:
    """The options with which a sentence or line begins."""
    starts = [0] + [m.end() for m in re.finditer(r"[。\n;]|\.(?=\s)", text)]
    past = -1
    for start in starts:
        spaces = _BEFORE_LABEL.match(text, start)
        at = spaces.end() if spaces and not known.numbered else start
        if at < past:
            continue
        group = known.group(text, at)
        if group is not None:
            past = group.end
            yield group


def _concluded(text: str, known: Options, lines: list[_Line], multiple: bool) -> _Found | None:
    """The conclusion in prose: the last one, or that which fits the kind of question where they are of both signs."""
    found: list[_Found] = []
    for pattern, negative in ((_LIKELY, False), (_LIKELY_NOT, True)):
        for cue in list(pattern.finditer(text))[-_CUES:]:
            superlative = bool(re.search(r"最も|もっとも|一番|most|best", cue[0], re.I))
            group = _said_after(text, cue.end(), known, lines, loose=superlative or negative, multiple=multiple)
            if group is None:
                continue
            told = text[max(group.end, cue.end()) :][:1]
            ends = {group.end, group.tail}
            meant = superlative or told == "" or any(_AFTER_WEAK.match(text, end) for end in ends)
            wrong = (m for end in ends if (m := _IS_WRONG.match(text, end)))
            if meant and all("\n" in m[0] for m in wrong):  # the next line judges others
                turned = _NEGATED_CUE.search(text[max(0, cue.start() - 16) : cue.start()]) is not None
                found.append(_Found(group.start, group, negative or turned))
    for cue in _FINAL.finditer(text):  # "the incorrect answer is"
        if _NEGATED_CUE.search(text[max(0, cue.start() - 16) : cue.start()]):
            group = _said_after(text, cue.end(), known, lines, loose=False, multiple=multiple)
            if group is not None:
                found.append(_Found(group.start, group, True))
    for group in (*_groups(text, known), *_text_groups(text, known)):
        for end in sorted({group.end, group.tail}):
            if _IS_NOT.match(text, end) or _dropped_before(text, group.start):
                continue
            if _IS_LIKELY_NOT.match(text, end):
                found.append(_Found(group.start, group, True))
                break
            if _IS_LIKELY.match(text, end):
                found.append(_Found(group.start, group))
                break
    if not found:
        return None
    found.sort(key=lambda f: f.at)
    if not multiple:
        single = [f for f in found if len(f.group.positions) == 1]
        return (single or found)[-1]
    asked_against = {f.group.start for f in found if f.negative}
    positive = [f for f in found if f.group.start not in asked_against]
    return (positive or found)[-1]


def _verdicts(text: str, known: Options, multiple: bool) -> Group | None:
    """The options judged right when each was judged in turn; for a single answer also the one judged unlike all
    others."""
    right: dict[int, Group] = {}
    wrong: dict[int, Group] = {}
    touched: dict[int, None] = {}
    inline = (
        g
        for g in _groups(text, known)
        if text[max(0, g.start - 1) : g.start] in (" ", "\t", "、", ",", "/") and _judged(text, g)
    )
    for group in sorted([*_sentence_groups(text, known), *inline], key=lambda g: g.start):
        ends = sorted({group.end, group.tail})
        touched.update(dict.fromkeys(group.positions))
        stop = _SENTENCE_END.search(text, group.tail, min(len(text), group.tail + _CLAUSE))
        sentence = text[group.end : stop.start() if stop else group.tail + _CLAUSE]
        mark = _MARK_BEFORE.search(text[max(0, group.start - 8) : group.start])
        if mark:
            (right if mark[1] in _TICKS else wrong).update(dict.fromkeys(group.positions, group))
        elif any(_IS_WRONG.match(text, end) for end in ends):
            wrong.update(dict.fromkeys(group.positions, group))
        elif any(_IS_RIGHT.match(text, end) for end in ends):
            right.update(dict.fromkeys(group.positions, group))
        elif _ENDS_WRONG.search(sentence):
            wrong.update(dict.fromkeys(group.positions, group))
        elif _ENDS_RIGHT.search(sentence):
            right.update(dict.fromkeys(group.positions, group))
    silent = {p for p, own in enumerate(known.texts) if abstains(own)}
    count = known.count - len(silent)
    whole_tour = len(touched) == count
    chosen = [p for p in right if p not in wrong]
    if (
        not multiple
        and len(chosen) == 1
        and chosen[0]
        and chosen == list(touched)[:1]
        and len(touched) == len(wrong) + 1
    ):
        return right[chosen[0]]  # "c is right, a is wrong"
    if (
        chosen
        and (len(chosen) == 1 or multiple)
        and len(chosen) < count
        and (whole_tour or (len(touched) == len(chosen) and _is_complete(text, chosen)))
    ):
        return Group(tuple(chosen), right[chosen[0]].start, right[chosen[0]].end, right[chosen[0]].tail)
    others = [p for p in range(known.count) if p not in wrong and p not in silent]
    if not multiple and not right and len(others) == 1 and count > 2:
        last = next(iter(wrong.values()))
        return Group(tuple(others), last.start, last.end, last.tail)
    odd = [p for p in wrong if p not in right]
    if not multiple and len(odd) == 1 and len(right) == count - 1 and count > 2:
        return wrong[odd[0]]
    return None


def _is_complete(text: str, chosen: Sequence[int]) -> bool:
    """Whether the options called right are all that the response speaks of, not the start of a tour that was cut."""
    from_first = sorted(chosen) == list(range(len(chosen)))
    return not (from_first and (len(chosen) > 1 or "\n" in text)) and (
        len(chosen) == 1 or _ENDED.search(text) is not None
    )


def _judged(text: str, group: Group) -> bool:
    return any(pattern.match(text, end) for pattern in (_IS_WRONG, _IS_RIGHT) for end in {group.end, group.tail})


def _by_text(text: str, known: Options, lines: list[_Line], multiple: bool) -> Group | None:
    """An option given by its own text: as the whole response or its first or last line, or as the only one a
    short response names."""
    pieces = [text, text[lines[0].start : lines[0].end]]
    if lines[-1].gap and not _INTRODUCES.search(text[lines[-2].start : lines[-2].end] if len(lines) > 1 else ""):
        pieces.append(text[lines[-1].start : lines[-1].end])
    for piece in dict.fromkeys(pieces):
        position = known.whole_text(piece)
        if position is not None:
            at = text.find(piece)
            return Group((position,), at, at + len(piece), at + len(piece))
    if len(lines) == 1 and len(text) <= 200:
        found = known.texts_in(text)
        if found and not re.search(r"ではな|以外|でな[いく]|誤|\bnot\b|\bnon\b|\bincorrect\b", text):
            joined = re.sub(r"[\s,、;・/]|と|and|e(?=\s)", "", _without(text, known, found))
            before = text[: found.start]
            tour = re.search(r".[A-Za-z]\s?:\s?$", before)  # "the options are a: …"
            last = before.rstrip(' 「『"(')[-1:]
            begins = _ARTICLE.fullmatch(before) or (not tour and (not last or last in "は:,、。→="))
            meant = (_BARE_END.match(text, found.end) and (begins or _ENDED.search(text))) or re.match(
                r"[」』\"')]?\s?(?:が|と|だと)(?:最も|考え|正|適|思)", text[found.end :]
            )
            acts = len(text) <= 80 and _ARTICLE.fullmatch(before) and _ACTS.match(text, found.end)
            if (meant or acts) and (len(found.positions) == 1 or (multiple and len(joined) <= 12)):
                return found
    return None


def _without(text: str, known: Options, found: Group) -> str:
    for position in found.positions:
        text = re.sub(re.escape(known.texts[position].strip("「」『』\"'")), "", text, count=1, flags=re.I)
    return text


# ---- whose words they are --------------------------------------------------------------------------------------------


def _borders(text: str, known: Options) -> Iterator[tuple[int, bool | None]]:
    """Where another question, or the prompt, begins: offset, and whether its options are other ones (None:
    can't be told)."""
    option_line = re.compile(rf"^[ \t]*({_label_class(known)})[ \t]?[:.)、．][ \t]*(\S[^\n]{{0,200}})$", re.M | re.I)
    at = 0
    raw = text.split("\n")
    for i, line in enumerate(raw):
        stripped = line.strip()
        begins = bool(_NEXT.match(stripped))
        if not begins and japanese.ASKS.search(stripped):
            following = next((x for x in raw[i + 1 : i + 4] if x.strip()), "")
            begins = bool(option_line.match(following))
        if begins:
            yield at, _foreign(text[at : at + 6000], option_line, known)
        at += len(line) + 1


def _label_class(known: Options) -> str:
    return "|".join(re.escape(label) for label in sorted(known.index, key=lambda x: -len(x))) or "(?!)"


def _foreign(text: str, option_line: re.Pattern[str], known: Options) -> bool | None:
    telling = [known.squashed[i] for i, own in enumerate(known.texts) if len(own) > 1]
    shown = [re.sub(r"[\W_]+", "", m[2]).casefold() for m in list(option_line.finditer(text))[:6]]
    shown = [s for s in shown if s]
    if len(shown) < 2 or not any(known.texts):
        return None
    if not telling:  # the options are pictures: any words are another question's
        return all(len(s) > 2 for s in shown)
    return not any(own and (own in s or (len(s) > 3 and s in own)) for s in shown for own in telling)


def _wholesale(text: str, known: Options) -> Group | None:
    """All options, or all but some, where the whole response or its last statement says no more than that."""
    pieces = [(0, len(text))] if "\n" not in text.strip() else []
    for cue in list(_FINAL.finditer(text))[-1:]:
        stop = re.compile(r"[\n。]|$").search(text, cue.end())
        pieces.append((cue.end(), stop.start() if stop else len(text)))
    for start, end in pieces:
        piece = text[start:end].strip(" \t.。!\"'「」")
        at = text.find(piece, start)
        if len(piece) > 80 or not piece:
            continue
        if re.fullmatch(rf"(?:{_ALL.pattern}){japanese.ENDING}", piece, re.I):
            return Group(tuple(range(known.count)), at, at + len(piece), at + len(piece))
        for before, after in _ALL_BUT:
            opening = before.match(piece)
            group = known.group(piece, opening.end()) if opening else None
            rest = after.match(piece, group.end) if group else None
            if group is None or rest is None or opening is None or not (opening[0] or rest[0]):
                continue
            if re.fullmatch(japanese.ENDING, piece[rest.end() :]):
                others = tuple(p for p in range(known.count) if p not in group.positions)
                return Group(others, at, at + len(piece), at + len(piece))
    return None


# ---- reading ---------------------------------------------------------------------------------------------------------


def _judge(text: str, known: Options, multiple: bool) -> tuple[Group, str] | None:
    """The options that this text chooses, and the evidence."""
    lines = _lines(text, known)
    if not lines:
        return None
    if multiple and (group := _wholesale(text, known)):
        return group, _evidence(text, group.start, group.end)
    explicit = _explicit(text, known, lines, multiple)
    if explicit is None or explicit.group.either:  # "b or c; c is more likely"
        concluded = _concluded(text, known, lines, multiple)
        explicit = concluded if concluded and (explicit is None or not concluded.group.either) else explicit
    group = explicit.group if explicit else _verdicts(text, known, multiple) or _by_text(text, known, lines, multiple)
    if group is None:
        return None
    at = min(explicit.at, group.start) if explicit else group.start
    return group, _evidence(text, at, max(group.tail, group.end))


def _evidence(text: str, start: int, end: int) -> str:
    start = text.rfind("\n", 0, start) + 1 if start - text.rfind("\n", 0, start) < 60 else start
    return " ".join(text[start : min(max(end, start + 1), start + _EVIDENCE)].replace(FINAL, "").split())


def _choose(cleaned: cleaning.Cleaned, known: Options, multiple: bool) -> tuple[Group, str] | None:
    """The chosen options: from the named answer of a JSON object, or from as much of the text as is the model's
    answer."""
    if cleaned.named:
        group = known.group(cleaned.named, 0) or known.texts_at(cleaned.named, 0)
        if group is not None and (_BARE_END.match(cleaned.named, group.tail) or _TITLE.match(cleaned.named, group.end)):
            return group, cleaned.named[:_EVIDENCE]
        if found := _judge(cleaned.named, known, multiple):
            return found
    text = known.circled(cleaned.body)
    for tried, (at, foreign) in enumerate(_borders(text, known)):
        if tried >= 8:
            break
        head = text[:at].rstrip()
        if head and (found := _judge(head, known, multiple)):
            return found
        if foreign:
            return None
    return _judge(text, known, multiple)


def _silence(text: str) -> Answer:
    """The status of a response that names no answer."""
    whole = text.strip(" \t\n.。!()[]「」\"'")
    if _ABSTENTION.fullmatch(whole):
        return Answer("abstained", evidence=whole[:_EVIDENCE])
    for cue in reversed(list(_FINAL.finditer(text))[-_CUES:]):
        told = re.split(r"[\n。]|\.(?:\s|$)", text[cue.end() : cue.end() + 80], maxsplit=1)[0].strip(" .!()[]「」\"'")
        if told and _ABSTENTION.fullmatch(told):
            return Answer("abstained", evidence=_evidence(text, cue.start(), cue.end() + len(told)))
    looked = text if len(text) <= 4000 else text[:2000] + "\n" + text[-2000:]
    if refusal := _REFUSAL.search(looked):
        stop = re.compile(r"[。\n]|$").search(looked, refusal.end())
        return Answer("refused", evidence=_evidence(looked, refusal.start(), stop.end() if stop else refusal.end()))
    for sentence in (s.strip(" \t.。!()[]「」\"'") for s in re.split(r"[\n。]|\.\s", looked)):
        if sentence and _ABSTENTION.fullmatch(sentence):
            return Answer("abstained", evidence=sentence[:_EVIDENCE])
    return Answer("unparsed")


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


def abstains(text: str) -> bool:
    """Whether an option's text is an abstention ("Preferisco non rispondere")."""
    return _OFFERS_ABSTENTION.fullmatch(text.strip(" .。")) is not None


def read(
    text: object,
    answer_type: str,
    labels: Sequence[str] | None = None,
    choices: Sequence[str] | None = None,
    language: str | None = None,
) -> Answer:
    """Read a response as a careful person would.

    text: the response as stored; None and other types are accepted. answer_type: single, multiple, numeric,
    sequence or text.
    labels: the options' labels in the order shown (default A to E). choices: the options' texts in the same order.
    language: en, it or ja; only Italian changes anything (its one-letter words). Never raises on a response,
    whatever it holds.
    A single question answered with two labels stays answered with both: the scoring rule, not the reader, says what
    that is worth.
    """
    raw = cleaning.as_text(text)
    if not raw.strip() or raw.strip().lower() in ("nan", "none", "null", "<na>"):
        return Answer("empty")
    given = tuple(str(label) for label in labels) if labels else DEFAULT_LABELS
    texts = tuple("" if choice is None else str(choice) for choice in choices) if choices else ()
    multiple = answer_type == "multiple"
    if is_simple(raw, answer_type, given):
        known = options(given, texts, language == "it")
        positions = dict.fromkeys(known.index[c] for c in raw.upper() if c in known.index)
        return _answered(tuple(positions), raw, known)
    cleaned = cleaning.clean(raw)
    if _ERROR.match(cleaned.body):
        return Answer("error", evidence=cleaned.body.split("\n", 1)[0][:_EVIDENCE])
    if not cleaned.body:
        return Answer("unparsed")
    if answer_type == "numeric":
        return _numeric_answer(cleaned)
    if answer_type == "text":
        return _text_answer(cleaned)
    is_italian = language == "it" or (language is None and bool(italian.IS_SPOKEN.search(cleaned.body[:4000])))
    known = options(given, texts, is_italian)
    chosen = _choose(cleaned, known, multiple or answer_type == "sequence")
    if chosen is None:
        return _silence(cleaned.body)
    group, evidence = chosen
    if group.either:
        return Answer("ambiguous", evidence=evidence)
    if answer_type == "sequence":
        ordered = tuple(given[p] for p in group.positions)
        return Answer("answered", labels=ordered, value=numbers.SEQUENCE_JOIN.join(ordered), evidence=evidence)
    return _answered(group.positions, evidence, known)


def _answered(positions: Sequence[int], evidence: str, known: Options) -> Answer:
    chosen = sorted(positions)
    if len(chosen) == 1 and chosen[0] < len(known.texts) and abstains(known.texts[chosen[0]]):
        return Answer("abstained", evidence=evidence)
    return Answer("answered", known.mask(chosen), tuple(known.labels[p] for p in chosen), None, evidence)


def _numeric_answer(cleaned: cleaning.Cleaned) -> Answer:
    """A number: from JSON's named answer, from what stands before another question begins, or from the whole text."""
    tried = [cleaned.named] if cleaned.named else []
    at = 0
    for line in cleaned.body.split("\n"):
        if at and len(tried) < 8 and _NEXT.match(line.strip()):
            tried.append(cleaned.body[:at])
        at += len(line) + 1
    for text in (*tried, cleaned.body):
        number = numbers.read_number(text, _FINAL)
        if number is not None:
            return Answer("answered" if number.value else "ambiguous", value=number.value, evidence=number.evidence)
    return _silence(cleaned.body)


def _text_answer(cleaned: cleaning.Cleaned) -> Answer:
    """A free-text answer: what follows the last answer cue, else the first line."""
    text = cleaned.named or cleaned.body
    silence = _silence(text)
    if silence.status != "unparsed":
        return silence
    piece = text.split("\n", 1)[0]
    for cue in list(_FINAL.finditer(text))[-_CUES:]:
        told = text[cue.end() :].lstrip().split("\n", 1)[0]
        piece = told if told.strip() else piece
    value = " ".join(re.sub(r"(?:です|である)?[。.]?\s*$", "", piece.strip().strip("「」\"'")).split())
    return Answer("answered", value=value, evidence=piece[:_EVIDENCE]) if value else Answer("unparsed")
