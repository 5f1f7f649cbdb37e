"""Which options a piece of text names: letters, digits, circled digits, katakana, lists, ranges, own texts.

Here: what may stand for an option, and what looks like a letter and is none ("A patient", "E' vero", ビタミンB,
D-dimer).
Not here: whether the text chooses the options it names (mentions), the words themselves (languages).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

from pipelines.answers.cleaning import CIRCLED, normalise
from pipelines.answers.joints import LOOSE, closing, ends_loosely, lone_digit, text_link, text_stops
from pipelines.answers.phrases import Phrases, any_of, either, words

_LONGEST_LIST = 30  # labels
KATAKANA = "アイウエオカキクケコ"
_LATIN = "A-Za-zÀ-ɏ"
_WORD = f"{_LATIN}0-9_"
_QUOTES = "「」『』\"'"
_BRACKETED = re.compile(r"[ \t]?\([^()\n]{0,80}\)|[ \t]?〈[^〈〉\n]{0,80}〉")
_NO_LINK = frozenset(("-", ">", "→", "->", "=>"))  # after an option's text: what is said of it follows
_TOUCHING = frozenset({")(", "][", "」「", "】【"})
_LATIN_WORD = re.compile(rf"[ \t]+([{_LATIN}']{{2,30}})|[ \t]+[A-Za-z][ \t]+[a-z]{{2,30}}")


@dataclass(frozen=True, slots=True)
class Group:
    """Options named together, in the order of mention.

    start: where the phrase begins ("option", a bracket), first: its first label or text, end: after the labels,
    tail: after the texts attached to them. either: one of them, it is not said which, or a label whose attached text
    is another option's. span: "A to C". by_text: named by the options' own texts alone.
    """

    positions: tuple[int, ...]
    start: int
    first: int
    end: int
    tail: int
    either: bool = False
    span: bool = False
    by_text: bool = False

    @property
    def ends(self) -> tuple[int, ...]:
        """Where what is said of the options may begin: after the labels, or after their texts."""
        return (self.end,) if self.end == self.tail else (self.end, self.tail)

    def moved(self, by: int) -> "Group":
        """The same group in a text that has `by` more characters before it."""
        return replace(self, start=self.start + by, first=self.first + by, end=self.end + by, tail=self.tail + by)


def union(groups: Sequence[Group]) -> Group:
    """Several groups as one, from the first to the last."""
    positions = tuple(dict.fromkeys(p for g in groups for p in g.positions))
    a, z = groups[0], groups[-1]
    return Group(positions, a.start, a.first, z.end, max(z.end, z.tail), any(g.either for g in groups))


def squash(text: str) -> str:
    """Letters and digits alone, case-folded: two texts that differ in nothing else read the same."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


@cache
def _lead_in() -> re.Pattern[str]:
    """What may stand between a cue and the label itself: "option", brackets, quotes."""
    whole_word = rf"(?:(?<=[{_LATIN}])(?![{_LATIN}])|(?<![{_LATIN}]))"
    return re.compile(
        rf"""(?:{either(words().nouns)}{whole_word}[ \t:.]{{0,3}}){{0,2}}[(\[{{「『【〈《<"'« \t]{{0,4}}""", re.I
    )


def _word(source: str) -> str:
    """A pattern's matches that are whole words, where they are in Latin letters."""
    return rf"(?:(?=[{_LATIN}])(?<![{_LATIN}]){source}(?![{_LATIN}'])|(?![{_LATIN}]){source})"


@lru_cache(maxsize=64)
def _separator(languages: tuple[Phrases, ...]) -> re.Pattern[str]:
    """Between two labels: a mark, a conjunction, both, or nothing but spaces; groups `either` ("or") and `range`."""

    def word(field: str) -> str:
        return _word(either(p for language in languages for p in getattr(language, field)))

    mark = r"(?:->|=>|[,;、・/|+&→>-]|\.(?=[ \t]?[A-Z]\.(?:[ \t]?[A-Z]\.|[ \t]*$)))"
    return re.compile(
        rf"[ \t]{{0,3}}(?:(?P<either>(?:[,、][ \t]?)?{word('disjunctions')})|(?P<range>~|{word('ranges')})"
        rf"|{mark}?[ \t]{{0,3}}{word('conjunctions')}?)[ \t]{{0,3}}",
        re.I,
    )


@cache
def _or_remark() -> re.Pattern[str]:
    return re.compile(rf"[ \t]?\({_word(either(words().disjunctions))}[ \t]?", re.I)


class Options:
    """The labels and texts of one question's options, and how to find them in a (normalised) response."""

    def __init__(self, labels: tuple[str, ...], texts: tuple[str, ...], languages: tuple[Phrases, ...]) -> None:
        self.labels = labels
        self.count = len(labels)
        self._languages = languages
        self._separator = _separator(languages)
        plain = [normalise(label).strip().upper() for label in labels]
        self.index = {label: i for i, label in reversed(list(enumerate(plain))) if label}
        lettered = bool(plain) and all(len(label) == 1 and label.isascii() and label.isalpha() for label in plain)
        self.lettered = lettered
        self.numbered = bool(plain) and all(label.isascii() and label.isdigit() for label in plain)
        self.texts = tuple(normalise(text).strip().rstrip("。.").strip() for text in texts[: self.count])
        self.squashed = tuple(squash(text) for text in self.texts)
        self._circled = {text: i for i, text in enumerate(self.texts) if text in CIRCLED and text}
        self._katakana = {text: i for i, text in enumerate(self.texts) if text in KATAKANA and text}
        # texts that could be taken for a label ("A", "③", "2") say nothing beside one
        self._telling = [
            (i, text)
            for i, text in enumerate(self.texts)
            if text and text.upper() not in self.index and not (len(text) == 1 and text in CIRCLED + KATAKANA)
        ]
        self._own, self._own_at = _texts_pattern(self._telling)
        self.any_label = "|".join(re.escape(label) for label in sorted(self.index, key=lambda x: -len(x))) or "(?!)"
        after = rf"(?![{_WORD}])(?!\.\d|,\d{{3}})" if self.numbered else rf"(?![{_WORD}])"
        self._one = re.compile(f"(?:{self.any_label}){after}", re.I)
        letters = "".join(sorted(self.index)) if lettered else ""
        run = f"[{letters}{letters.lower()}]" if lettered else r"\d" if self.numbered else "(?!)"
        self._run = re.compile(rf"{run}{{2,10}}(?![{_WORD}])(?![.,]\d)")
        starts = "".join(sorted({c for label in self.index for c in label[0] + label[0].lower()}))
        self._candidate = re.compile(f"[{re.escape(starts)}{CIRCLED}{KATAKANA}]")

    @staticmethod
    def mask(positions: Sequence[int]) -> int:
        """Bit mask of the positions: bit i is position i."""
        return sum(1 << position for position in set(positions))

    # ---- labels ------------------------------------------------------------------------------------------------------

    def _symbol(self, text: str, at: int) -> int | None:
        """Circled digit or katakana at `at` as a position: by the options' own texts first, else by count."""
        char = text[at : at + 1]
        if not char:
            return None
        if char in CIRCLED:
            if self._circled:
                return self._circled.get(char)
            number = CIRCLED.index(char) + 1
            return self.index.get(str(number)) if self.numbered else number - 1 if number <= self.count else None
        if char in KATAKANA:
            near = text[max(0, at - 1) : at] + text[at + 1 : at + 2]
            if any("ァ" <= c <= "ヺ" or c == "ー" or "一" <= c <= "鿿" for c in near):
                return None
            position = self._katakana.get(char) if self._katakana else KATAKANA.index(char)
            return position if position is not None and position < self.count else None
        return None

    def _item(self, text: str, at: int, first: bool) -> tuple[tuple[int, ...], int] | None:
        """The label, or run of labels ("ACE"), that stands exactly at `at`: positions and end."""
        symbol = self._symbol(text, at)
        if symbol is not None:
            inner = self._one.match(text, at + 1) if self.lettered and not self._circled else None
            return ((self.index[inner[0].upper()],), inner.end()) if inner else ((symbol,), at + 1)  # "①a ②c"
        before = text[at - 1] if at else "\n"
        if (before.isascii() and (before.isalnum() or before == "_")) or before in "°µμ" or "À" <= before <= "ɏ":
            return None
        if found := self._one.match(text, at):
            position = self.index.get(found[0].upper())
            if position is None or self._is_no_label(text, at, found.end(), first):
                return None
            return (position,), found.end()
        run = self._run.match(text, at)
        if run and (run[0].isdigit() or run[0].islower() or run[0].isupper()):
            positions = tuple(self.index[name] for name in run[0].upper() if name in self.index)
            whole = len(positions) == len(run[0]) == len(set(run[0]))
            whole = whole and not (before == " " and any_of(words().not_runs).fullmatch(run[0]) and run[0].islower())
            if whole and not self._is_no_label(text, at, run.end(), first):
                return positions, run.end()
        return None

    def _is_no_label(self, text: str, start: int, end: int, first: bool) -> bool:
        """Whether what looks like a label is part of a term, an article, a conjunction or a quantity."""
        before, after = text[start - 1 : start], text[end : end + 1]
        if after == "'" and before != "'":
            return True
        if after in ("-", "+", "'") and re.match(rf"[-+'][{_LATIN}]{{2}}", text[end : end + 3]):
            return True
        if any_of(words().no_label_after).match(text, end):
            return True
        if any_of(words().no_label_before).search(text[max(0, start - 14) : start]):
            return True
        if self.numbered:
            return (first and before in (".", "-", "~")) or any_of(words().quantity).match(text, end) is not None
        follows = _LATIN_WORD.match(text, end)
        if end - start > 1:
            return follows is not None and first and text[start].isupper() and end - start < 5 and _is_name(follows)
        if follows is None or any_of(words().after_label).fullmatch(follows[1] or ""):
            return False
        sentence_start = first and text[:start].rstrip(" \t(\"'")[-1:] in ("", "\n", ".", "!", "?", "。", ":")
        letter = text[start]
        return (letter.islower() or sentence_start) and any(
            letter in x.letter_words for x in self._languages if x.letter_words
        )

    def group(self, text: str, at: int) -> Group | None:
        """The list of options that starts at `at` (after "option", brackets and the like), or None."""
        lead = _lead_in().match(text, at)
        for start in dict.fromkeys((lead.end() if lead else at, at)):
            if found := self._list(text, start):
                return replace(found, start=at)
        return None

    def _list(self, text: str, at: int) -> Group | None:
        item = self._item(text, at, True)
        if item is None:
            return None
        positions, is_either, spans = list(item[0]), False, 0
        end = tail = self._close(text, item[1])
        contradicted = False
        for _ in range(_LONGEST_LIST):
            tail, foreign = self._attached(text, end, positions[-1])
            contradicted = contradicted or foreign
            if (following := self._next(text, end, tail)) is None:
                break
            separator, item = following
            is_either = is_either or separator["either"] is not None
            spans += separator["range"] is not None
            positions += [p for p in item[0] if p not in positions]
            end = tail = self._close(text, item[1])
        remark = _or_remark().match(text, end)
        if remark and (item := self._item(text, remark.end(), False)):  # "b (or c)"
            positions, is_either = [*positions, *item[0]], True
        if len(positions) > 1 and any_of(words().either_after).match(text, end):
            is_either = True
        span = spans == 1 and len(positions) == 2
        if span:
            low, high = positions
            positions = list(range(low, high + 1)) if low < high else positions
            if after := any_of(words().range_after).match(text, end):
                end = after.end()
        named = tuple(dict.fromkeys(positions))
        return Group(named, at, at, end, max(tail, end), is_either or contradicted, span)

    def _next(self, text: str, end: int, tail: int) -> tuple[re.Match[str], tuple[tuple[int, ...], int]] | None:
        """The separator and the label that continue a list, after the text attached to the last label or after it."""
        for here in dict.fromkeys((tail, end)):
            separator = self._separator.match(text, here)
            touching = _touch(text, here)
            if separator is None or (separator.end() == here and not touching):
                continue
            link = separator[0].strip()
            if end < here and separator[0][:1].isspace() and link in _NO_LINK:
                continue
            if end < tail and not touching and not link:
                continue  # another heading, or a remark in brackets: "A, C (B and D are wrong)"
            lead = _lead_in().match(text, separator.end())
            item = self._item(text, lead.end() if lead else separator.end(), False)
            if item and (link not in LOOSE or touching or ends_loosely(link).match(text, item[1])):
                return separator, item
        return None

    @staticmethod
    def _close(text: str, at: int) -> int:
        found = closing().match(text, at)
        return found.end() if found else at

    def _attached(self, text: str, at: int, position: int) -> tuple[int, bool]:
        """Where the option's own text, or a remark in brackets, that follows its label ends (`at` where there is
        none); and whether it is another option's text."""
        foreign = False
        if link := text_link().match(text, at):
            own = self._own_text(text, link.end(), position)
            if own is not None:
                at = self._close(text, own)
            elif link[0] and (other := self._any_text(text, link.end())) and text_stops().match(text, other[1]):
                foreign = other[0] != position
        verdict = any_of(words().is_right, words().is_wrong).match(text, at)
        if not verdict and (remark := _BRACKETED.match(text, at)):  # a remark that is a label is a label: "胃瘻 (b)"
            inner = self._any_text(text, remark.start() + len(remark[0]) - len(remark[0].lstrip(" \t(〈")))
            foreign = foreign or bool(inner and inner[0] != position and inner[1] == remark.end() - 1)
            at = remark.end()
        return at, foreign

    def circled(self, text: str) -> str:
        """The text with digits that answer for options shown as ①, ②, … alone written as these."""
        if not self._circled or self.numbered:
            return text
        return lone_digit().sub(lambda m: CIRCLED[int(m[0]) - 1], text)

    # ---- the options' own texts --------------------------------------------------------------------------------------

    def _any_text(self, text: str, at: int) -> tuple[int, int] | None:
        """The option whose text stands at `at` (an opening quote may come before it), and where it ends."""
        for start in (at, at + 1) if text[at : at + 1] in ("「", "『", '"', "'", "(") else (at,):
            if (found := self._own.match(text, start)) and found.lastindex:
                return self._own_at[found.lastindex - 1], found.end()
        return None

    def _own_text(self, text: str, at: int, position: int) -> int | None:
        found = self._any_text(text, at)
        if found and self.squashed[found[0]] == self.squashed[position]:
            return found[1]
        own = self.texts[position] if position < len(self.texts) else ""
        end = at + len(own)
        return end if own and text[at:end].casefold() == own.casefold() else None

    def texts_at(self, text: str, at: int) -> Group | None:
        """Options given by their texts alone, starting at `at`: one, or several with separators between them."""
        positions: list[int] = []
        is_either, start, end = False, at, at
        while len(positions) <= self.count and (found := self._any_text(text, at)):
            positions.append(found[0])
            end = self._close(text, found[1])
            if remark := _BRACKETED.match(text, end):
                end = remark.end()  # "胃瘻 (b)"
            separator = self._separator.match(text, end)
            if separator is None or not separator[0].strip():
                break
            if self._any_text(text, separator.end()):
                is_either = is_either or separator["either"] is not None
            at = separator.end()
        if not positions:
            return None
        return Group(tuple(dict.fromkeys(positions)), start, start, end, end, is_either, by_text=True)

    def named_at(self, text: str, at: int) -> Group | None:
        """Options named exactly here, by label or by text, whichever reaches further."""
        by_label = self.group(text, at)
        by_text = None
        for opening in (r"[\s「『\"'(【<〈«]{0,4}", rf"[\s「『\"'(【<〈«]{{0,4}}{either(words().articles)}"):
            if lead := any_of((opening,)).match(text, at):
                by_text = by_text or self.texts_at(text, lead.end())
        if by_label and by_text:
            return by_text if by_text.end > by_label.tail else by_label
        return by_label or by_text

    def texts_in(self, text: str) -> Group | None:
        """Options whose texts occur anywhere in `text`, as one group."""
        found = [(m.start(), m.end(), self._own_at[m.lastindex - 1]) for m in self._own.finditer(text) if m.lastindex]
        if not found:
            return None
        positions = tuple(dict.fromkeys(p for _, _, p in found))
        start, end = found[0][0], found[-1][1]
        return Group(positions, start, start, end, end, by_text=True)

    def whole_text(self, text: str) -> int | None:
        """The one option whose text is exactly this text, spelling of spaces and marks aside."""
        exact = [i for i, own in self._telling if own.casefold() == text.strip().rstrip("。.").casefold()]
        if len(exact) == 1:
            return exact[0]
        key = squash(text)
        same = [i for i, _ in self._telling if key and self.squashed[i] == key]
        return same[0] if len(same) == 1 else None

    def groups(self, text: str, group_at: Callable[[int], Group | None] | None = None) -> Iterator[Group]:
        """Every list of options in the text, by label or by own text, in order; what a text holds is not a label.

        group_at: `group` for this text, where the caller remembers what it found.
        """
        group_at = group_at or partial(self.group, text)
        texts = [(m.start(), m.end()) for m in self._own.finditer(text) if m.end() - m.start() > 1]
        at = next_text = 0
        while True:
            found = self._candidate.search(text, at)
            while next_text < len(texts) and texts[next_text][0] < at:
                next_text += 1
            start, stop = texts[next_text] if next_text < len(texts) else (len(text), 0)
            if found is None and not stop:
                return
            if found is not None and found.start() < start:
                group = group_at(found.start())
                at = found.start() + 1
            else:
                group, at = self.texts_at(text, start), stop
            if group is not None:
                yield group
                at = max(group.tail if group.by_text else group.end, at)


def _is_name(follows: re.Match[str]) -> bool:
    """Whether the word after capitals makes them an abbreviation: "ACE inhibitors"."""
    return bool(follows[1]) and follows[1].islower() and not any_of(words().after_label).fullmatch(follows[1])


def _texts_pattern(telling: Sequence[tuple[int, str]]) -> tuple[re.Pattern[str], list[int]]:
    """All texts as one pattern, a group each, longest first; and the position that each group stands for."""
    articles = any_of(words().articles)
    forms: dict[str, int] = {}
    for position, own in telling:
        bare = own.strip(_QUOTES)
        article = articles.match(bare)
        for form in (own, bare, bare[article.end() :] if article and len(bare) - article.end() > 2 else bare):
            if form:
                forms.setdefault(form, position)
    ordered = sorted(forms, key=lambda form: -len(form))
    source = "|".join(f"({_bounded(form)})" for form in ordered) or "(?!)"
    return re.compile(source, re.I), [forms[form] for form in ordered]


def _bounded(form: str) -> str:
    """A text as a pattern that is not part of a longer word ("鉄" in 鉄欠乏)."""
    classes = {"katakana": "ァ-ー", "latin": f"{_LATIN}0-9", "kanji": "一-鿿"}
    kinds = [_kind(form[0]), _kind(form[-1])]
    first, last = (classes.get("" if kind == "kanji" and len(form) > 2 else kind) for kind in kinds)
    source = re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(form))
    return (f"(?<![{first}])" if first else "") + source + (f"(?![{last}])" if last else "")


def _kind(char: str) -> str:
    if "ァ" <= char <= "ー":
        return "katakana"
    if "一" <= char <= "鿿":
        return "kanji"
    return "latin" if char.isalnum() and not "ぁ" <= char <= "ゖ" else ""


def _touch(text: str, at: int) -> bool:
    """Whether two labels meet at `at` with nothing but brackets or circles to tell them apart: "(A)(C)", "①③"."""
    pair = text[at - 1 : at + 1]
    if len(pair) < 2:
        return False
    return (
        pair in _TOUCHING
        or (pair[0] in CIRCLED and pair[1] in CIRCLED)
        or (pair[0] == ")" and pair[1].isalnum() and text[at + 1 : at + 2] == ")")
    )


@lru_cache(maxsize=8192)
def options(labels: tuple[str, ...], texts: tuple[str, ...], languages: tuple[Phrases, ...]) -> Options:
    """The (cached) reader of one question's options."""
    return Options(labels, texts, languages)
