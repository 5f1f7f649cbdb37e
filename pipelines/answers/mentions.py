"""The mentions of options in a text: what a response says of which option, and how firmly.

Here: the lines and their form, the tours through the options, the cues before and after an option. Not here: which
mention decides (selection), what names an option (labels), the cues themselves (languages).

A mention is a span, the options in it, a sign and a force. In a tour (the options taken up in turn, each with a remark)
an option's place says nothing; only a verdict does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, partial

from pipelines.answers.cleaning import FINAL
from pipelines.answers.labels import Group, Options, union
from pipelines.answers.phrases import any_of, either, words

_CLAUSE = 300  # characters after a cue that are searched for the answer
_CUES = 200  # cues of one kind that are looked at, from the last
_BEFORE = 160  # characters before a cue that tell whose words they are
_PERCENT = r"[(\[]?\s?(?:\d{1,3}(?:\.\d{1,9})?\s?%|0?\.\d{1,4}|1\.0)\s?[)\]]?"
_TITLE = re.compile(r"[ \t]{0,2}(?:[:、)]|\.(?!\d)|[ \t]-|-[ \t]|[→=])[ \t]{0,3}(?=\S)")
_TELLS = (r"[ \t]{0,2}(?:[。.](?=\s|[^\d\s])|\()",)
_AFTER = (r"[ \t]{0,2}(?:$|[。.,:;()\n!」』])",)
_TICKS = "○◯〇✓✔✅⭕◎"
_CROSSES = "×✗✘❌✕"
_MARK_BEFORE = re.compile(rf"(?:^|\n|[ \t])[ \t]*([{_TICKS}×✗✘❌✕])[ \t]?:?[ \t]?\Z")
_TICK = re.compile(rf"[{_TICKS}][ \t]?")
_WORDS = re.compile(r"\w|[①-⑳]")
_SHARE = re.compile(rf"[ \t]{{0,2}}[:=\-]?[ \t]{{0,2}}({_PERCENT})[ \t.]*$", re.M)
_TICKED = re.compile(rf"[ \t]{{0,3}}[:\-]?[ \t]{{0,3}}[(\[]?([{_TICKS}]|[×✗✘❌✕])")
_HEAD = re.compile(r"(?:^|[。\n;]|\.(?=\s))[ \t]{0,20}(?:\d{1,2}[.)][ \t]+)?(?:[○◯〇×✗✘❌✕✓✔✅◎][ \t]?:?[ \t]?)?", re.M)
_NUMBERING = re.compile(r"\d{1,2}(?:[.)][ \t]+|[つ個番]目\s?[:は]\s?)(?=\S)")
_SENTENCE_END = re.compile(r"[。!?！？]|(?<=[a-zà-ÿ)\]\"'])\.(?=\s|$)|\n|;\s")
_STOP = re.compile(r"(?<=[a-z)])\. ")
_ASKED = re.compile(r"[ \t]{0,2}[)\]」』]?\?(?=[ \t]*\S|\s*\n\s*\S)")


class Force(IntEnum):
    """How firmly a mention names the answer, weakest first."""

    JUDGED = 0
    CONCLUDED = 1
    OPENING = 2
    ALONE = 3
    STATED = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """What is said of some options at one place; `against`: they are what a negated question asks for."""

    at: int
    group: Group
    force: Force
    chosen: bool = True
    against: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A non-blank line: where it is, the options it begins with, how it goes on, and whether a blank line stands
    before it.

    form: `bare` (nothing but labels), `exact` (a label and its option's text), `titled` ("c: …"), `told` ("c です",
    "b because"), `other`.
    """

    start: int
    end: int
    group: Group | None
    form: str
    gap: bool


class Text:
    """One text and the options of its question, looked through once."""

    def __init__(self, text: str, known: Options, several: bool) -> None:
        self.text, self.known, self.several = text, known, several
        self.words = words()
        self._group_at = cache(partial(known.group, text))
        self.lines = list(self._lines())
        self.shares = self._shares()
        self.groups = list(known.groups(text, self._group_at))
        self.heads = list(self._heads())

    def is_(self, field: str, group: Group) -> bool:
        """Whether a backward cue follows the options."""
        pattern = any_of(getattr(self.words, field))
        return pattern.match(self.text, group.end) is not None or (
            group.tail != group.end and pattern.match(self.text, group.tail) is not None
        )

    def bare_end(self, at: int, end: int | None = None) -> bool:
        """Whether nothing that adds to the answer follows on the line."""
        marks = r"(?:[.。,、:;!)\]」』\"'»-]|\s){0,12}"
        pattern = (rf"{marks}{either(self.words.endings)}[\s.。,、:;!?…)\]」』]{{0,9}}(?:{_PERCENT})?[ \t]*$",)
        return any_of(pattern).match(self.text, at, len(self.text) if end is None else end) is not None

    # ---- lines and tours ---------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[Line]:
        at, gap = 0, False
        for raw in self.text.split("\n"):
            start, end = at + len(raw) - len(raw.lstrip()), at + len(raw.rstrip())
            at += len(raw) + 1
            if not _WORDS.search(raw):
                gap = True
                continue
            if not self.known.numbered and (numbering := _NUMBERING.match(self.text, start, end)):
                start = numbering.end()
            hedge = any_of((rf"{either(self.words.hedges)}{{1,3}}",)).match(self.text, start, end)
            group, form = self._form(hedge.end() if hedge else start, end)
            if hedge and form not in ("bare", "exact", "told"):
                group, form = None, "other"
            yield Line(start, end, group, form, gap)
            gap = False

    def _shares(self) -> list[tuple[float, Group]]:
        """The shares of certainty of several options, a line each ("a: 70%"): such lines give no answer by form."""
        found: list[tuple[float, Group]] = []
        at: list[int] = []
        for i, line in enumerate(self.lines):
            share = line.group and _SHARE.match(self.text, line.group.end)
            if share and line.group and len(line.group.positions) == 1:
                found.append((float(re.sub(r"[^\d.]", "", share[1])), line.group))
                at.append(i)
        if len({g.positions for _, g in found}) < 2:
            return []
        for i in at:
            self.lines[i] = replace(self.lines[i], form="other")
        return found

    def _form(self, start: int, end: int) -> tuple[Group | None, str]:
        text = self.text
        if tick := _TICK.match(text, start):
            start = tick.end()
        group = self._group_at(start)
        if group is None or group.end > end:
            group = self.known.texts_at(text, start)
            if group is None or group.end > end:
                return None, "other"
            if self.bare_end(group.end, end):
                return group, "exact"
            refused = any_of((rf"[,、;]\s?{either(self.words.rejected)}",)).match(text, group.end, end)
            return (group, "told") if refused else (None, "other")
        if self.bare_end(group.end, end):
            return group, "bare"
        if self.bare_end(group.tail, end):
            attached = text[group.end : group.tail].strip(" ()")
            return group, "bare" if text[group.end : group.tail].lstrip().startswith("(") or not attached else "exact"
        if any(self.is_(field, group) for field in ("is_wrong", "is_right", "is_not")):
            return group, "other"
        if any(_TITLE.match(text, e) for e in group.ends) or text[group.end - 1] in ")]】":
            return group, "titled"
        topic = any_of(self.words.topics).match(text, group.tail)  # "c (…) も"
        return group, "told" if not topic and any_of(_TELLS, self.words.tells).match(text, group.end) else "other"

    def _heads(self) -> Iterator[Group]:
        """The options with which a line or sentence begins."""
        past = -1
        for head in _HEAD.finditer(self.text):
            if head.end() >= past and (group := self._group_at(head.end())):
                past = group.end
                yield group

    def style(self, group: Group) -> str:
        """How a label is set off from what is said of it: by its text, a mark, a space, or a particle."""
        after = self.text[group.end : group.end + 1]
        marked = self.text[group.end - 1] in ")]】" or _TITLE.match(self.text, group.end)
        return "mark" if marked else "space" if after.isspace() else after

    def opens_tour(self, first: Group) -> bool:
        """Whether the options after the first one are taken up in turn, in the same style."""
        stop = self.lines[0].end  # an option within the first line counts where a mark sets it off
        inline = [g for g in self.groups if g.end < stop and not g.by_text and self.style(g) == "mark"]
        following = [g for g in (*inline, *self.heads) if g.start > first.end and self.style(g) == self.style(first)]
        others = [p for g in following for p in g.positions if p not in first.positions]
        return (
            bool(others) and first.positions == tuple(range(len(first.positions))) and others[0] == len(first.positions)
        )

    # ---- forward cues ------------------------------------------------------------------------------------------------

    def mentions(self) -> list[Mention]:
        """All mentions, in order of place."""
        w = self.words
        found = [
            *self._after_cues((*w.stated, FINAL), Force.STATED),
            *self._after_cues(w.corrects, Force.STATED, loose=False),
            *self._after_cues(w.concluded, Force.CONCLUDED),
            *self._after_cues(w.against, Force.CONCLUDED, against=True),
            *self._by_form(),
        ]
        highest = max((share for share, _ in self.shares), default=0.0)
        found += [Mention(g.start, g, Force.JUDGED, chosen=share == highest) for share, g in self.shares]
        dropped = self._rejected()
        found += [Mention(g.start, g, Force.JUDGED, chosen=False) for g in dropped]
        found += self._before_cues({g.first for g in dropped} | {m.group.first for m in found if not m.chosen})
        return sorted(found, key=lambda m: (m.group.end, m.force))

    def _after_cues(
        self, cues: tuple[str, ...], force: Force, *, against: bool = False, loose: bool | None = None
    ) -> Iterator[Mention]:
        for cue in list(any_of(cues).finditer(self.text))[-_CUES:]:
            before = self.text[max(0, cue.start() - 16) : cue.start()]
            turned = force is Force.STATED and any_of(self.words.turns).search(before)
            superlative = against or any_of(self.words.superlative).search(cue[0]) is not None
            far = (superlative or force is Force.STATED) if loose is None else loose
            if self._judges_head(cue) or self._not_own(cue.start(), cue.end()):
                continue
            group, refused = self._said_after(cue, loose=far and not turned, against=against)
            if refused is not None:
                yield Mention(refused.start, refused, Force.JUDGED, chosen=False)
            if group is None or _ASKED.match(self.text, group.end) or self._not_own(cue.start(), group.first):
                continue
            if turned:
                yield Mention(group.start, group, Force.CONCLUDED, against=True)
            elif force is Force.STATED and far:
                yield Mention(cue.start(), group, force)
            elif self._is_meant(cue, group, superlative):
                yield Mention(group.start, group, force, against=against)

    def _is_meant(self, cue: re.Match[str], group: Group, superlative: bool) -> bool:
        """Whether a conclusion names its option as the answer, and does not go on to say something of it."""
        if not (superlative or not self.text[group.end :] or self._goes_on(group)):
            return False
        wrong = (any_of(self.words.is_wrong).match(self.text, end) for end in group.ends)
        return all("\n" in m[0] for m in wrong if m)  # the next line judges others

    def _goes_on(self, group: Group) -> bool:
        """Whether the clause ends after the options, or goes on as one does that concludes."""
        after = any_of(_AFTER, self.words.after_conclusion)
        return any(after.match(self.text, end) for end in group.ends)

    def _not_own(self, cue: int, at: int) -> bool:
        """Whether the clause reports what others say, or what was thought before, or what would be if."""
        start = max(0, cue - _BEFORE)
        sentence = re.split(r"[。!?\n]|\.\s", self.text[start:at])[-1]
        clause = re.split(r"[,;、]|\bbut\b|\bma\b|が、", sentence)[-1]
        return bool(any_of(self.words.others).search(clause) or any_of(self.words.hypothetical).search(sentence))

    def _judges_head(self, cue: re.Match[str]) -> bool:
        """Whether "c. 正解" is said of the option before it, the next line being about the next one."""
        start = self.text.rfind("\n", 0, cue.start()) + 1
        if "\n" not in cue[0] or start == cue.start():
            return False
        group = self.known.group(self.text, start)
        return group is not None and self.is_("is_right", group)

    def _said_after(self, cue: re.Match[str], *, loose: bool, against: bool) -> tuple[Group | None, Group | None]:
        """The options that the clause after a cue names (at once; or, loose, in brackets, by their text, in the lines
        below), and those that it refuses ("is not A")."""
        text, at = self.text, cue.end()
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        stop = min(line_end, at + _CLAUSE)
        if "\n" in cue[0][-4:] and (below := self.list_below(at)):
            return below, None
        here, refused = at, None
        negation = re.compile(rf"[\s:]{{0,3}}{either(self.words.rejected)}", re.I).match(text, at)
        if negation or (not against and any_of(self.words.negated).search(cue[0])):
            refused = self._named(negation.end() if negation else at, stop)
            contrast = refused and self._contrast(refused)
            return (self._named(contrast.end(), stop) if contrast else None), refused
        for _ in range(4):
            if (found := self._named(here, stop)) is None:
                break
            not_it = next((m for e in reversed(found.ends) if (m := any_of(self.words.is_not).match(text, e))), None)
            if not_it is None:
                return self._continued(found), refused
            refused = found
            here = not_it.end() + len(re.match(r"[ 、,]{0,9}", text[not_it.end() : not_it.end() + 9])[0])  # type: ignore[index]
        colon = any_of(self.words.lists).match(text, at, stop)  # "正解は2つあります: aとc"
        if colon and (found := self.known.group(text, colon.end())):
            return found, refused
        return (self._loosely(at, stop, line_end) if loose else None), refused

    def _named(self, at: int, stop: int) -> Group | None:
        found = self.known.named_at(self.text, at)
        return found if found and found.first < stop else None

    def _contrast(self, group: Group) -> re.Match[str] | None:
        return next((m for end in group.ends if (m := any_of(self.words.contrast).match(self.text, end))), None)

    def _loosely(self, at: int, stop: int, line_end: int) -> Group | None:
        text, known, clause = self.text, self.known, self.text[at:stop]
        if not clause.strip(" :。、") or any_of(self.words.points_below).search(clause):
            below = self.list_below(line_end)
            if below is not None or not clause.strip():
                return below
        sentence_end = _SENTENCE_END.search(clause)
        sentence = clause[: sentence_end.start()] if sentence_end else clause
        if any_of(self.words.is_not, self.words.negated, self.words.rejected).search(sentence):
            return None
        inside = [g.moved(at) for g in known.groups(sentence) if not g.by_text and len(g.positions) < known.count]
        if marked := [g for g in inside if self._is_marked(g)]:
            joined = union(marked)
            between = text[marked[0].end : marked[-1].start] if len(marked) > 1 else ""
            is_either = joined.either or re.search(either(self.words.disjunctions), between) is not None
            return Group(joined.positions, joined.start, joined.first, joined.end, joined.tail, is_either)
        by_text = known.texts_in(sentence)
        return by_text.moved(at) if by_text and (len(by_text.positions) == 1 or self.several) else None

    def _is_marked(self, group: Group) -> bool:
        """Whether the label stands in brackets or quotes or after "option": not a letter in passing."""
        before = self.text[max(0, group.first - 14) : group.first]
        return re.search(rf"[(\[「『【〈《]\s?$|{either(self.words.nouns)}\s?$", before, re.I) is not None

    def _continued(self, found: Group) -> Group:
        """A first option on the cue's line, more of them on the lines right below ("b: …⏎d: …", "b⏎d")."""
        at = next((i for i, line in enumerate(self.lines) if line.start <= found.start <= line.end), None)
        if at is None or self.lines[at].end - found.tail > 2:
            return found
        form = "bare" if found.tail == found.end else "exact"
        groups = [found]
        for line in self.lines[at + 1 :]:
            if (
                line.gap
                or line.group is None
                or line.form != form
                or (form == "bare" and len(line.group.positions) > 1)
            ):
                break
            groups.append(line.group)
        joined = union(groups)
        return joined if len(joined.positions) < self.known.count else found

    def list_below(self, at: int) -> Group | None:
        """The options listed in the lines after `at`, remarks between them aside; all of them are no choice."""
        groups: list[Group] = []
        form = ""
        for line in self.lines:
            if line.start < at:
                continue
            if line.group is None or line.form == "other":
                if not groups or line.gap or form == "bare":
                    break
                continue  # a remark on the option above
            if form and (line.form != form and not {line.form, form} <= {"exact", "titled", "told"}):
                break
            if form == "bare" and line.gap:
                break
            form = form or line.form
            groups.append(line.group)
        named = {p for g in groups for p in g.positions}
        if not groups or (len(groups) > 1 and len(named) == self.known.count > 2):
            return None
        return union(groups)

    # ---- backward cues -----------------------------------------------------------------------------------------------

    def _rejected(self) -> list[Group]:
        """Options that a cue before them sets aside: "not A", "excluding B and C"."""
        found: list[Group] = []
        for cue in list(any_of(self.words.rejected).finditer(self.text))[-_CUES:]:
            group = self.known.group(self.text, cue.end()) or self.known.texts_at(self.text, cue.end())
            if group is not None:
                found.append(group)
        return found

    def _before_cues(self, dropped: set[int]) -> Iterator[Mention]:
        heads = {g.first for g in self.heads}
        for group in self.groups:
            if group.first in dropped:
                continue
            mention = self._said_of(group, group.first in heads)
            if mention is None or self._not_own(group.first, group.first):
                continue
            yield mention
            if not mention.chosen and (contrast := self._contrast(group)):
                meant = self._named(contrast.end(), len(self.text))
                if meant and self.is_("is_not", group) and self._goes_on(meant):
                    yield Mention(meant.start, meant, Force.STATED)

    def _said_of(self, group: Group, is_head: bool) -> Mention | None:
        """The mention that a backward cue makes of the options, strongest first."""
        if self.is_("is_not", group):
            return Mention(group.start, group, Force.JUDGED, chosen=False)
        if self.is_("is_stated", group):
            return Mention(group.start, group, Force.STATED)
        if self.is_("is_against", group):
            return Mention(group.start, group, Force.CONCLUDED, against=True)
        if self.is_("is_concluded", group):
            return Mention(group.start, group, Force.CONCLUDED)
        verdict = self._verdict(group, is_head)
        return None if verdict is None else Mention(group.start, group, Force.JUDGED, chosen=verdict)

    def _verdict(self, group: Group, is_head: bool) -> bool | None:
        """Whether the options are judged right or wrong; None where they are not judged."""
        text = self.text
        mark = _MARK_BEFORE.search(text[max(0, group.first - 8) : group.first])
        attached = text[group.first - 1 : group.first] in (*_TICKS, *_CROSSES)  # "×a ○b"
        if mark and (is_head or attached):
            return mark[1] in _TICKS
        for end in group.ends:
            if tick := _TICKED.match(text, end):
                return tick[1] in _TICKS
        for field, verdict in (("is_wrong", False), ("is_right", True)):
            if self.is_(field, group):
                return verdict
        if not is_head:
            return None
        stop = _SENTENCE_END.search(text, group.tail, min(len(text), group.tail + _CLAUSE))
        sentence = text[group.end : stop.start() if stop else group.tail + _CLAUSE]
        if any_of(self.words.ends_wrong).search(sentence):
            return False
        return True if any_of(self.words.ends_right).search(sentence) else None

    # ---- by form alone -----------------------------------------------------------------------------------------------

    def _by_form(self) -> Iterator[Mention]:
        """The options with which the response opens, and labels alone on a line or in the last clause."""
        lines = self.lines
        if not lines:
            return
        opening = self._opening()
        if opening is not None:
            yield Mention(opening.start, opening, Force.OPENING)
        # a, b, c … each alone on a line are headings, not answers
        order = [
            x.group.positions[0] for x in lines[1:] if x.form == "bare" and x.group and len(x.group.positions) == 1
        ]
        headings = order[:3] == [0, 1, 2] or len(order) >= self.known.count > 2
        last = lines[-1]
        for i, line in enumerate(lines):
            if i == 0 or line.form != "bare" or line.group is None:
                continue
            if re.search(r":[\s.…]{0,9}$", self.text[line.start : line.end][-12:]):
                continue  # the heading of an option, or an option cut off
            if line is last and self._is_cut(lines[i - 1], line, opening is not None):
                continue
            if headings and len(line.group.positions) == 1:
                continue
            if opening is None or (line is last and line.start > opening.end):
                yield Mention(line.start, line.group, Force.ALONE)
        if last.form in ("other", "told") and (clause := self._last_clause(last)):
            yield Mention(clause.start, clause, Force.ALONE)
        told = [line for line in lines if line.form in ("exact", "titled")]
        own = opening is None and last.form == "exact" and len(told) == 1 and last.gap
        if own and last.group and not self._is_cut(lines[-2], last, False):
            yield Mention(last.start, last.group, Force.ALONE)

    def _is_cut(self, before: Line, line: Line, answered: bool) -> bool:
        """Whether options alone on the last line are where an explanation or a tour was cut off."""
        if before.form == "bare" or line.group is None or self.ended(line):
            return line.form == "exact" and self._begins_tour(before, line)
        first = line.group.positions[0]
        if before.group is not None and (not line.gap or before.group.positions[-1] + 1 == first):
            return True
        numbered = self.text[self.text.rfind("\n", 0, line.start) + 1 : line.start].strip()
        return answered or bool(numbered) or self._begins_tour(before, line)

    def _begins_tour(self, before: Line, line: Line) -> bool:
        """Whether the line holds the first option under a line that announces all of them."""
        announced = any_of(self.words.introduces).search(self.text, before.start, before.end) is not None
        first = line.group is not None and line.group.positions[0] == 0
        return first and (announced or (line.form == "exact" and self.ended(before)))

    def ended(self, line: Line) -> bool:
        """Whether the line ends as a sentence does; "c." may be cut off, "c。" is not."""
        piece = self.text[max(line.start, line.end - 12) : line.end]
        return re.search(rf"{either(self.words.sentence_ends)}\s*$", piece, re.I) is not None

    def _last_clause(self, line: Line) -> Group | None:
        """Labels alone in the last clause of the response: "… → c", "消去法でe", "aかbで迷うがa"."""
        near = max(line.start, line.end - 60)
        ended = self.text[line.end - 1] in ".。!)" or self.ended(line)  # or else it may be cut off
        clauses = [
            m.end()
            for pattern in (any_of(self.words.clause_starts), _STOP)
            for m in pattern.finditer(self.text, near, line.end)
            if ended or m[0] not in ("。", ". ", "は")
        ]
        for start in sorted(clauses, reverse=True):
            while self.text[start : start + 1] in (" ", "\t"):
                start += 1
            hedge = any_of((rf"{either(self.words.hedges)}{{1,3}}",)).match(self.text, start, line.end)
            group = self.known.group(self.text, hedge.end() if hedge else start)
            inside = any(g.first < start < g.end for g in self.groups)  # the last of "a → c → b"
            if group and group.end <= line.end and not inside and self.bare_end(group.end, line.end):
                return None if self.text[line.end - 1] == ":" else group  # "…: e:" was cut off
        return None

    def _opening(self) -> Group | None:
        """The answer with which the response opens, unless it opens a tour of the options."""
        lines, first = self.lines, self.lines[0]
        if first.group is None or first.form == "other" or _ASKED.match(self.text, first.group.end):
            return None
        if first.form == "bare":
            run = [first.group]
            nothing_else = all(line.form == "bare" for line in lines)
            for line in lines[1:]:
                if line.form != "bare" or (line.gap and not nothing_else) or line.group is None:
                    break
                run = [line.group] if len(line.group.positions) > 1 or len(run[0].positions) > 1 else [*run, line.group]
            return union(run)
        if first.form == "exact":
            return self._opening_texts()
        after = self.text[first.group.end : first.group.end + 2].strip()[:1]
        numbering = first.form == "titled" and self.known.numbered and after in (".", ")") and len(lines) > 1
        if numbering or self.opens_tour(first.group):
            return None
        if first.form == "titled" and len(lines) == 1 and first.group.positions == (0,) and not self.ended(first):
            return None if first.group.tail > first.group.end else first.group  # "A. Text is one that", cut off
        titled = [line.group for line in lines if line.form == "titled" and line.group]
        if first.form == "titled" and 1 < len(lines) < self.known.count and len(titled) == len(lines):
            return union(titled)  # "a: …⏎d: …" and no more
        return first.group

    def _opening_texts(self) -> Group | None:
        """Options with their own texts that open the response, a line each."""
        lines = self.lines
        groups: list[Group] = []
        for line in lines:
            if line.form != "exact" or line.group is None:
                break
            groups.append(line.group)
        named = [p for g in groups for p in g.positions]
        if len(groups) > 1 and len(named) >= self.known.count > 2:
            return None
        following = lines[len(groups)] if len(groups) < len(lines) else None
        if following is None:
            return union(groups)
        next_head = next((x for x in lines[len(groups) :] if x.group and x.form in ("exact", "titled", "bare")), None)
        in_turn = (
            next_head is not None
            and next_head.group is not None
            and (named == list(range(len(named))) and next_head.group.positions[0] == len(named))
        )
        heading = next_head is not None and next_head.form == "exact" and not following.gap
        return None if in_turn and (heading or next_head is following) else union(groups)
