"""How a text is laid out: its lines and what options they begin with, tours through the options, answers by form.

Here: what place and form alone say. Not here: the cues around an option (mentions), what names an option (labels).
In a tour the options are taken up in turn, each with a remark: an option's place in it says nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

from pipelines.answers.labels import Group, Options, union
from pipelines.answers.phrases import any_of, either, words

_PERCENT = r"[(\[]?\s?(?:\d{1,3}(?:\.\d{1,9})?\s?%|0?\.\d{1,4}|1\.0)\s?[)\]]?"
_TITLE = re.compile(r"[ \t]{0,2}(?:[:、)]|\.(?!\d)|[ \t]-|-[ \t]|[→=])[ \t]{0,3}(?=\S)")
_TELLS = (r"[ \t]{0,2}(?:[。.](?=\s|[^\d\s])|\()",)
TICKS = "○◯〇✓✔✅⭕◎"
CROSSES = "×✗✘❌✕"
_TICK = re.compile(rf"[{TICKS}][ \t]?")
_WORDS = re.compile(r"\w|[①-⑳]")
_SHARE = re.compile(rf"[ \t]{{0,2}}[:=\-]?[ \t]{{0,2}}({_PERCENT})[ \t.]*$", re.M)
_HEAD = re.compile(r"(?:^|[。\n;]|\.(?=\s))[ \t]{0,20}(?:\d{1,2}[.)][ \t]+)?(?:[○◯〇×✗✘❌✕✓✔✅◎][ \t]?:?[ \t]?)?", re.M)
_STOP = re.compile(r"(?<=[a-z)])\. ")
ASKED = re.compile(r"[ \t]{0,2}[)\]」』]?\?(?=[ \t]*\S|\s*\n\s*\S)")


def _numbering() -> re.Pattern[str]:
    """What numbers the lines of a response: "2. ", "2nd: "."""
    w = words()
    return any_of((rf"\d{{1,2}}(?:[.)][ \t]+|{either(w.ordinals)}\s?(?::|{either(w.themes)})\s?)(?=\S)",))


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


class Layout:
    """One text and the options of its question, line by line."""

    def __init__(self, text: str, known: Options) -> None:
        self.text, self.known = text, known
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

    def ended(self, line: Line) -> bool:
        """Whether the line ends as a sentence does; "c." may be cut off, "c。" is not."""
        piece = self.text[max(line.start, line.end - 12) : line.end]
        return re.search(rf"{either(self.words.sentence_ends)}\s*$", piece, re.I) is not None

    def _lines(self) -> Iterator[Line]:
        at, gap = 0, False
        for raw in self.text.split("\n"):
            start, end = at + len(raw) - len(raw.lstrip()), at + len(raw.rstrip())
            at += len(raw) + 1
            if not _WORDS.search(raw):
                gap = True
                continue
            if not self.known.numbered and (numbering := _numbering().match(self.text, start, end)):
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

    # ---- tours and lists ---------------------------------------------------------------------------------------------

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

    def list_below(self, at: int) -> Group | None:
        """The options listed in the lines after `at`, remarks between them aside; all of them are not a choice."""
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

    # ---- answers by form ---------------------------------------------------------------------------------------------

    def opening(self) -> Group | None:
        """The answer with which the response opens, unless it opens a tour of the options."""
        if not self.lines:
            return None
        lines, first = self.lines, self.lines[0]
        if first.group is None or first.form == "other" or ASKED.match(self.text, first.group.end):
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

    def alone(self) -> Iterator[Group]:
        """Labels alone on a line or in the last clause, where that is not part of a tour."""
        lines = self.lines
        if not lines:
            return
        opening = self.opening()
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
                yield line.group
        if last.form in ("other", "told") and (clause := self._last_clause(last)):
            yield clause
        told = [line for line in lines if line.form in ("exact", "titled")]
        own = opening is None and last.form == "exact" and len(told) == 1 and last.gap
        if own and last.group and not self._is_cut(lines[-2], last, False):
            yield last.group

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

    def _last_clause(self, line: Line) -> Group | None:
        """Labels alone in the last clause of the response: "… → c", "消去法でe", "aかbで迷うがa"."""
        near = max(line.start, line.end - 60)
        ended = self.text[line.end - 1] in ".。!)" or self.ended(line)  # or else it may be cut off
        clauses = [
            m.end()
            for pattern in (any_of(self.words.clause_starts), _STOP)
            for m in pattern.finditer(self.text, near, line.end)
            if ended or not (m[0] in ("。", ". ") or any_of(self.words.themes).fullmatch(m[0]))
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
