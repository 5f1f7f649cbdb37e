"""The mentions of options in a text: what a response says of which option, and how firmly.

Here: the cues before and after an option. Not here: what place and form alone say (layout), which mention decides
(selection), what names an option (labels), the cues themselves (languages).

A mention is a span, the options in it, a sign and a force. In a tour (the options taken up in turn, each with a remark)
an option's place says nothing; only a verdict does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from pipelines.answers.cleaning import FINAL
from pipelines.answers.labels import Group, Options, union
from pipelines.answers.layout import ASKED, CROSSES, TICKS, Layout
from pipelines.answers.phrases import any_of, either

_CLAUSE = 300  # characters after a cue that are searched for the answer
_CUES = 200  # cues of one kind that are looked at, from the last
_BEFORE = 160  # characters before a cue that tell whose words they are
_AFTER = (r"[ \t]{0,2}(?:$|[。.,:;()\n!」』])",)
_MARK_BEFORE = re.compile(rf"(?:^|\n|[ \t])[ \t]*([{TICKS}{CROSSES}])[ \t]?:?[ \t]?\Z")
_TICKED = re.compile(rf"[ \t]{{0,3}}[:\-]?[ \t]{{0,3}}[(\[]?([{TICKS}]|[{CROSSES}])")
_SENTENCE_END = re.compile(r"[。!?！？]|(?<=[a-zà-ÿ)\]\"'])\.(?=\s|$)|\n|;\s")


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


class Text(Layout):
    """One text and the options of its question, with all that is said of them."""

    def __init__(self, text: str, known: Options, several: bool) -> None:
        super().__init__(text, known)
        self.several = several

    # ---- forward cues ------------------------------------------------------------------------------------------------

    def mentions(self) -> list[Mention]:
        """All mentions, in order of place."""
        w = self.words
        found = [
            *self._after_cues((*w.stated, FINAL), Force.STATED),
            *self._after_cues(w.corrects, Force.STATED, loose=False),
            *self._after_cues(w.concluded, Force.CONCLUDED),
            *self._after_cues(w.against, Force.CONCLUDED, against=True),
            *(Mention(g.start, g, Force.ALONE) for g in self.alone()),
        ]
        if opening := self.opening():
            found.append(Mention(opening.start, opening, Force.OPENING))
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
            if group is None or ASKED.match(self.text, group.end) or self._not_own(cue.start(), group.first):
                continue
            if against and "\n" in self.text[cue.start() : group.first]:
                continue  # "Why the others are wrong:", and a tour
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
        clause = any_of((r"[,;、]",), self.words.adversatives).split(sentence)[-1]
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
        attached = text[group.first - 1 : group.first] in (*TICKS, *CROSSES)  # "×a ○b"
        if mark and (is_head or attached):
            return mark[1] in TICKS
        for end in group.ends:
            if tick := _TICKED.match(text, end):
                return tick[1] in TICKS
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
