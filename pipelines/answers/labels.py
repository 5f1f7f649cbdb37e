"""Which options a piece of text names: letters, digits, circled digits, katakana, lists, the options' own texts.

Here: what may stand for an option, and what looks like a letter and is none ("A patient", "E' vero", ビタミンB,
D-dimer).
Not here: whether the text chooses the options it names (core).
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipelines.answers import english, italian, japanese
from pipelines.answers.cleaning import CIRCLED, normalise

_LONGEST_LIST = 30  # labels
KATAKANA = "アイウエオカキクケコ"
_WORD = "A-Za-zÀ-ɏ0-9_"

# What may stand between a cue and the label itself: "option", 選択肢, brackets, quotes.
_LEAD_IN = re.compile(
    rf"""(?:(?:{english.NOUNS}|{italian.NOUNS})\b[ \t:.]{{0,3}} | (?:{japanese.NOUNS})[ \t:]{{0,3}}){{0,2}}[(\[{{「『【〈《<"' \t]{{0,4}}""",  # noqa: E501
    re.X | re.I,
)
_CLOSING = re.compile(r"""[ \t]?[)\]}」』】〉》>"']{1,4}|番(?!目)|""")
_BRACKETED = re.compile(r"[ \t]?\([^()\n]{0,80}\)|[ \t]?〈[^〈〉\n]{0,80}〉")
_TEXT_LINK = re.compile(r"[ \t]?[:.)、・\-=][ \t]{0,3}|[ \t]{1,3}|(?=「)|")
_LETTER = "A-Za-zÀ-ɏ"


def _separator(conjunctions: str, disjunctions: str) -> re.Pattern[str]:
    """Between two labels: a mark, a conjunction, both, or nothing but spaces; `either` is set where it says "or"."""
    words_or = rf"(?:(?<![{_LETTER}])(?:{disjunctions})(?![{_LETTER}])|{japanese.OR})"
    words_and = rf"(?:(?<![{_LETTER}])(?:{conjunctions})(?![{_LETTER}'])|{japanese.AND})"
    return re.compile(
        rf"[ \t]{{0,3}}(?:(?P<either>(?:[,、][ \t]?)?{words_or})|(?:[,;、・/|+&→>~-]|->|=>|\.(?=[ \t]?[A-Z]\.(?:[ \t]?[A-Z]\.|[ \t]*$)))?[ \t]{{0,3}}(?:{words_and})?)[ \t]{{0,3}}",  # noqa: E501
        re.I,
    )


_SEPARATOR = _separator(english.AND, english.OR)
_ITALIAN_SEPARATOR = _separator(
    rf"{english.AND}|(?<=[ \t])(?:{italian.AND})(?=[ \t])", rf"{english.OR}|(?<=[ \t])(?:{italian.OR})(?=[ \t])"
)
_OR_REMARK = re.compile(rf"[ \t]?\((?:{japanese.OR}|or\b|oppure\b)[ \t]?", re.I)
_NO_LINK = frozenset(("-", "~", ">", "→", "->", "=>"))  # after an option's text: what is said of it follows
_LONE_DIGIT = re.compile(r"(?:\A|(?<=[え解答]:)|(?<=[え解答]: )|(?<=[え解]は))[1-9](?=番?(?:です)?[。.]?$)", re.M)
_TOUCHING = frozenset({")(", "][", "」「", "】【"})
_LATIN_WORD = re.compile(r"[ \t]+([A-Za-zÀ-ɏ']{2,30})|[ \t]+[A-Za-z][ \t]+[a-z]{2,30}")
_JAPANESE_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Group:
    """Options named together, in the order of mention; `end` is after the labels, `tail` after the texts
    attached to them."""

    positions: tuple[int, ...]
    start: int
    end: int
    tail: int
    either: bool = False


def squash(text: str) -> str:
    """Letters and digits alone, case-folded: two texts that differ in nothing else read the same."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


class Options:
    """The labels and texts of one question's options, and how to find them in a (normalised) response."""

    def __init__(self, labels: tuple[str, ...], texts: tuple[str, ...], is_italian: bool) -> None:
        self.labels = labels
        self.is_italian = is_italian
        self._separator = _ITALIAN_SEPARATOR if is_italian else _SEPARATOR
        plain = [normalise(label).strip().upper() for label in labels]
        self.count = len(labels)
        self.index = {label: i for i, label in reversed(list(enumerate(plain))) if label}
        self.lettered = all(len(label) == 1 and label.isascii() and label.isalpha() for label in plain) and bool(plain)
        self.numbered = all(label.isascii() and label.isdigit() for label in plain) and bool(plain)
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
        self.by_length = sorted(self._telling, key=lambda pair: -len(pair[1]))
        if self.lettered:
            letters = "".join(sorted(self.index))
            self._one = re.compile(f"[{letters}{letters.lower()}](?![{_WORD}])")
            self._run = re.compile(f"[{letters}{letters.lower()}]{{2,10}}(?![{_WORD}])")
        else:
            any_label = "|".join(re.escape(label) for label in sorted(self.index, key=lambda x: -len(x))) or r"(?!)"
            after = rf"(?![{_WORD}])(?!\.\d|,\d{{3}})" if self.numbered else rf"(?![{_WORD}])"
            self._one = re.compile(f"(?:{any_label}){after}", re.I)
            self._run = re.compile(rf"\d{{2,10}}(?![{_WORD}])(?![.,]\d)") if self.numbered else re.compile("(?!)")
        starts = (
            "".join(sorted({c for label in self.index for c in (label[0] + label[0].lower())})) if self.index else ""
        )
        self.candidate = re.compile(f"[{re.escape(starts)}{CIRCLED}{KATAKANA}]")

    def mask(self, positions: Sequence[int]) -> int:
        """Bit mask of the positions: bit i is position i."""
        mask = 0
        for position in positions:
            mask |= 1 << position
        return mask

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
            if self.numbered:
                return self.index.get(str(number))
            return number - 1 if number <= self.count else None
        if char in KATAKANA:
            near = text[max(0, at - 1) : at] + text[at + 1 : at + 2]
            if any("ァ" <= c <= "ヺ" or c == "ー" or "一" <= c <= "鿿" for c in near):
                return None
            if self._katakana:
                return self._katakana.get(char)
            position = KATAKANA.index(char)
            return position if position < self.count else None
        return None

    def _item(self, text: str, at: int, first: bool) -> tuple[tuple[int, ...], int] | None:
        """The label, or run of labels ("ACE"), that stands exactly at `at`: positions and end."""
        symbol = self._symbol(text, at)
        if symbol is not None:
            inner = self._one.match(text, at + 1) if self.lettered and not self._circled else None
            if inner:  # "①a ②c": the circles count the answers
                return (self.index[inner[0].upper()],), inner.end()
            return (symbol,), at + 1
        before = text[at - 1] if at else "\n"
        if (before.isascii() and (before.isalnum() or before == "_")) or before in "°µμ" or "À" <= before <= "ɏ":
            return None
        found = self._one.match(text, at)
        if found:
            position = self.index.get(found[0].upper())
            if position is None or self._is_no_label(text, at, found.end(), first):
                return None
            return (position,), found.end()
        run = self._run.match(text, at)
        if run and (run[0].isdigit() or run[0].islower() or run[0].isupper()):
            names = list(run[0].upper())
            positions = tuple(self.index[name] for name in names if name in self.index)
            if len(positions) == len(names) == len(set(names)) and not self._is_no_label(text, at, run.end(), first):
                return positions, run.end()
        return None

    def _is_no_label(self, text: str, start: int, end: int, first: bool) -> bool:
        """Whether what looks like a label is part of a term, an article, a conjunction or a quantity."""
        after = text[end : end + 1]
        before = text[start - 1 : start]
        if after == "'" and before != "'":
            return True
        if after in ("-", "+", "'") and re.match(r"[-+'][A-Za-zÀ-ɏ]{2}", text[end : end + 3]):
            return True
        if after and japanese.NO_LABEL_AFTER.match(text, end):
            return True
        if before and japanese.NO_LABEL_BEFORE.search(text[max(0, start - 8) : start]):
            return True
        if before and english.NO_LABEL_BEFORE.search(text[max(0, start - 12) : start]):
            return True
        if self.numbered:
            return bool(
                (before in ("第", ".", "-") and before)
                or japanese.QUANTITY.match(text, end)
                or english.QUANTITY.match(text, end)
            )
        word = _LATIN_WORD.match(text, end)
        if word and end - start == 1:
            letter = text[start]
            follows = (word[1] or "").lower()
            sentence_start = first and text[:start].rstrip(" \t(\"'")[-1:] in ("", "\n", ".", "!", "?", "。")
            if (
                letter in english.ARTICLES
                and follows not in english.AFTER_LABEL
                and (letter.islower() or sentence_start)
            ):
                return True
            if (
                self.is_italian
                and letter.upper() in italian.WORDS
                and follows not in italian.AFTER_LABEL | english.AFTER_LABEL
            ):
                return letter.islower() or sentence_start
        return False

    def group(self, text: str, at: int, *, bracketed: bool = True) -> Group | None:
        """The list of options that starts at `at` (after "option", brackets and the like), or None."""
        lead = _LEAD_IN.match(text, at)
        starts = [lead.end()] if lead else []
        if at not in starts:
            starts.append(at)
        for start in starts:
            if (found := self._list(text, start)) and (bracketed or start == at):
                return Group(found.positions, at, found.end, found.tail, found.either)
        return None

    def _list(self, text: str, at: int) -> Group | None:
        item = self._item(text, at, True)
        if item is None:
            return None
        positions, either = list(item[0]), False
        end = tail = self._close(text, item[1])
        for _ in range(_LONGEST_LIST):
            tail = self._attached(text, end, positions[-1])
            # the attached text may be followed by another option; where it isn't one, the labels end where they ended
            for here in dict.fromkeys((tail, end)):
                separator = self._separator.match(text, here)
                touching = _touch(text, here)
                if separator is None or (separator.end() == here and not touching):
                    continue
                link = separator[0].strip()
                if end < here and separator[0][:1].isspace() and link in _NO_LINK:
                    continue
                if here < tail and not touching and not link and text.startswith("(", separator.end()):
                    continue  # a remark in brackets: "A, C (B and D are wrong)"
                lead = _LEAD_IN.match(text, separator.end())
                item = self._item(text, lead.end() if lead else separator.end(), False)
                bare = not separator[0].strip() and not touching
                if (
                    item
                    and bare
                    and not re.match(r"[\s,、。.)」』】;:]|$|です|である|だ|と|が正", text[item[1] : item[1] + 3])
                ):
                    item = None
                if item:
                    break
            else:
                break
            either = either or separator["either"] is not None
            positions += [p for p in item[0] if p not in positions]
            end = tail = self._close(text, item[1])
        remark = _OR_REMARK.match(text, end)
        if remark and (item := self._item(text, remark.end(), False)):  # "b (or c)"
            positions, either = [*positions, *item[0]], True
        if len(positions) > 1 and japanese.OR_AFTER.match(text, end):
            either = True
        return Group(tuple(dict.fromkeys(positions)), at, end, tail, either)

    @staticmethod
    def _close(text: str, at: int) -> int:
        found = _CLOSING.match(text, at)
        return found.end() if found else at

    def _attached(self, text: str, at: int, position: int) -> int:
        """Where the option's own text, or a remark in brackets, that follows its label ends; `at` where there
        is none."""
        link = _TEXT_LINK.match(text, at)
        if link and position < len(self.texts) and self.texts[position]:
            end = self._text_at(text, link.end(), position)
            if end is not None:
                at = self._close(text, end)
        remark = _BRACKETED.match(text, at)
        if remark:
            # a remark that is a label is a label: "胃瘻 (b)"
            return remark.end()
        return at

    def circled(self, text: str) -> str:
        """The text with digits that answer for options shown as ①, ②, … alone written as these."""
        if not self._circled or self.numbered:
            return text
        return _LONE_DIGIT.sub(lambda m: CIRCLED[int(m[0]) - 1], text)

    # ---- the options' own texts --------------------------------------------------------------------------------------

    def _text_at(self, text: str, at: int, position: int) -> int | None:
        """End of the option's text when it stands at `at` (an opening quote may come before it)."""
        own = self.texts[position]
        for start in (at, at + 1) if text[at : at + 1] in "「『\"'(" else (at,):
            for form in (own, own.strip("「」『』\"'")):
                if form and text[start : start + len(form)].casefold() == form.casefold():
                    return start + len(form)
        return None

    def texts_at(self, text: str, at: int) -> Group | None:
        """Options given by their texts alone, starting at `at`: one, or several with separators between them."""
        positions: list[int] = []
        start, either = at, False
        end = at
        while True:
            best = None
            for position, own in self.by_length:
                found = self._text_at(text, at, position)
                if found is not None and not _runs_on(text, found, own):
                    best = (position, found)
                    break
            if best is None:
                break
            positions.append(best[0])
            end = self._close(text, best[1])
            if remark := _BRACKETED.match(text, end):
                end = remark.end()  # "胃瘻 (b)"
            separator = self._separator.match(text, end)
            if separator is None or not separator[0].strip():
                break
            either = either or separator["either"] is not None
            at = separator.end()
        if not positions:
            return None
        return Group(tuple(dict.fromkeys(positions)), start, end, end, either)

    def texts_in(self, text: str) -> Group | None:
        """Options whose texts occur anywhere in `text`; of two that overlap the longer one counts."""
        folded = text.casefold()
        taken: list[tuple[int, int, int]] = []
        for position, own in self.by_length:
            form = own.strip("「」『』\"'").casefold()
            if len(form) < 2:
                continue
            at = folded.find(form)
            while at >= 0 and any(a < at + len(form) and at < b for a, b, _ in taken):
                at = folded.find(form, at + 1)
            if at >= 0 and not _runs_on(folded, at + len(form), form) and not _runs_into(folded, at, form):
                taken.append((at, at + len(form), position))
        if not taken:
            return None
        taken.sort()
        return Group(tuple(p for _, _, p in taken), taken[0][0], taken[-1][1], taken[-1][1])

    def whole_text(self, text: str) -> int | None:
        """The one option whose text is exactly this text, spelling of spaces and marks aside."""
        exact = [i for i, own in self._telling if own.casefold() == text.strip().rstrip("。.").casefold()]
        if len(exact) == 1:
            return exact[0]
        key = squash(text)
        same = [i for i, _ in self._telling if key and self.squashed[i] == key]
        return same[0] if len(same) == 1 else None


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


def _kind(char: str) -> str:
    if "ァ" <= char <= "ー":
        return "katakana"
    if "一" <= char <= "鿿":
        return "kanji"
    return "latin" if char.isalnum() and not "ぁ" <= char <= "ゖ" else ""


def _runs_on(text: str, end: int, own: str) -> bool:
    """Whether the word goes on after an option's text, so that it is another word ("鉄" in 鉄欠乏)."""
    after = text[end : end + 1]
    kind = _kind(own[-1]) if own else ""
    return bool(after and kind and _kind(after) == kind and (kind != "kanji" or len(own) <= 2))


def _runs_into(text: str, start: int, own: str) -> bool:
    before = text[start - 1 : start]
    kind = _kind(own[0]) if own else ""
    return bool(before and kind and _kind(before) == kind and (kind != "kanji" or len(own) <= 2))


@lru_cache(maxsize=8192)
def options(labels: tuple[str, ...], texts: tuple[str, ...], is_italian: bool) -> Options:
    """The (cached) reader of one question's options."""
    return Options(labels, texts, is_italian)
