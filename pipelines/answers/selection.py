"""From the mentions in a text to the options that it chooses.

Here: which mention decides, elimination, verdicts on all options, where another question begins. Not here: finding the
mentions (mentions).

The strongest force decides, then the last place; what is set aside is taken away, and where all options but one are,
that one is left.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from pipelines.answers.labels import Group, Options, union
from pipelines.answers.mentions import Force, Mention, Text
from pipelines.answers.phrases import any_of, either, words

_EVIDENCE = 200  # characters
_BORDERS = 8  # places where another question may begin


def select(text: str, known: Options, several: bool, cut_off: bool = False) -> tuple[Group, str] | None:
    """The options that a text chooses, and the piece of it that decides; from as much as is the model's own answer.

    several: whether more than one option may be right. cut_off: the text is known to be unfinished, so that only what
    it states or opens with counts.
    """
    for at, foreign in _borders(text, known):
        head = text[:at].rstrip()
        if head and (found := _select(head, known, several, cut_off)):
            return found
        if foreign:
            return None
    return _select(text, known, several, cut_off)


def _select(text: str, known: Options, several: bool, cut_off: bool) -> tuple[Group, str] | None:
    scan = Text(text, known, several)
    if not scan.lines:
        return None
    if several and (group := _everything(text, known)):
        return group, evidence(text, group.start, group.end)
    mentions = scan.mentions()
    if cut_off:
        mentions = [m for m in mentions if m.force in (Force.STATED, Force.OPENING)]
    chosen = _strongest(mentions, several)
    if chosen is not None:
        return chosen.group, evidence(text, min(chosen.at, chosen.group.start), chosen.group.tail)
    if cut_off:
        return None
    group = _judged(scan, mentions, several) or _by_text(scan)
    return (group, evidence(text, group.start, group.tail)) if group else None


def evidence(text: str, start: int, end: int) -> str:
    """The piece of a text from `start` to `end`, with the beginning of its line where that is near."""
    line = text.rfind("\n", 0, start) + 1
    start = line if start - line < 60 else start
    return " ".join(text[start : min(max(end, start + 1), start + _EVIDENCE)].replace("\ue000", "").split())


# ---- the strongest mention -------------------------------------------------------------------------------------------


def _strongest(mentions: Sequence[Mention], several: bool) -> Mention | None:
    """The last mention of the strongest force; "b or c" only where nothing weaker settles it."""
    unsettled: Mention | None = None
    for force in sorted(Force, reverse=True)[:-1]:
        found = [m for m in mentions if m.chosen and m.force is force]
        if force is Force.CONCLUDED:
            found = _of_one_sign(found, several)
        if not found:
            continue
        if not found[-1].group.either:
            return found[-1]
        unsettled = unsettled or found[-1]
    return unsettled


def _of_one_sign(found: list[Mention], several: bool) -> list[Mention]:
    """Of conclusions for and against, those that fit the kind of question."""
    if not several:
        return [m for m in found if len(m.group.positions) == 1] or found
    against = {m.group.start for m in found if m.against}
    return [m for m in found if m.group.start not in against] or found


# ---- verdicts on the options -----------------------------------------------------------------------------------------


def _judged(scan: Text, mentions: Sequence[Mention], several: bool) -> Group | None:
    """The options judged right when each was judged in turn; for a single answer also the one judged unlike all
    others, or left by elimination."""
    known = scan.known
    right: dict[int, Group] = {}
    wrong: dict[int, Group] = {}
    touched = dict.fromkeys(p for g in scan.heads for p in g.positions)
    for mention in mentions:
        if mention.force is Force.JUDGED:
            (right if mention.chosen else wrong).update(dict.fromkeys(mention.group.positions, mention.group))
            touched.update(dict.fromkeys(mention.group.positions))
    silent = {p for p, own in enumerate(known.texts) if abstains(own)}
    count = known.count - len(silent)
    chosen = [p for p in right if p not in wrong]
    first = next(iter(touched), None)
    if not several and chosen == [first] and first and len(touched) == len(wrong) + 1:
        return right[chosen[0]]  # "c is right, a is wrong"
    fits = chosen and (len(chosen) == 1 or several) and len(chosen) < count
    if fits and (len(touched) == count or (len(touched) == len(chosen) and _is_complete(scan, right, chosen))):
        return Group(tuple(chosen), *_span([right[p] for p in chosen]))
    others = [p for p in range(known.count) if p not in wrong and p not in silent]
    if not right and len(others) == 1 and count > 2:
        return Group(tuple(others), *_span(list(wrong.values())))
    odd = [p for p in wrong if p not in right]
    if not several and len(odd) == 1 and len(right) == count - 1 and count > 2:
        return wrong[odd[0]]
    return None


def _span(groups: Sequence[Group]) -> tuple[int, int, int, int]:
    joined = union(sorted(groups, key=lambda g: g.start))
    return joined.start, joined.first, joined.end, joined.tail


def _is_complete(scan: Text, right: Mapping[int, Group], chosen: Sequence[int]) -> bool:
    """Whether the options called right are all that the response speaks of, not the start of a tour that was cut."""
    if len(chosen) > 1 and len({right[p].first for p in chosen}) == 1:
        return True  # all at once: "A to C are correct"
    from_first = sorted(chosen) == list(range(len(chosen)))
    if from_first and (len(chosen) > 1 or "\n" in scan.text):
        return False
    return len(chosen) == 1 or scan.ended(scan.lines[-1])


def _by_text(scan: Text) -> Group | None:
    """An option given by its own text: as the whole response or its first or last line, or as the only one that a
    short response names."""
    text, known, lines, w = scan.text, scan.known, scan.lines, scan.words
    pieces = [text, text[lines[0].start : lines[0].end]]
    announced = len(lines) > 1 and any_of(w.introduces).search(text, lines[-2].start, lines[-2].end)
    if lines[-1].gap and not announced:
        pieces.append(text[lines[-1].start : lines[-1].end])
    for piece in dict.fromkeys(pieces):
        if (position := known.whole_text(piece)) is not None:
            at = text.find(piece)
            return Group((position,), at, at, at + len(piece), at + len(piece))
    if len(lines) > 1 or len(text) > 200 or any_of(w.is_not, w.negated, w.rejected, w.others).search(text):
        return None
    found = known.texts_in(text)
    if found is None or (len(found.positions) > 1 and not scan.several):
        return None
    before = text[: found.start]
    opens = any_of((rf"\s?{either(w.before_text + w.articles)}?\Z",)).match(before) is not None
    tour = re.search(r".[A-Za-z]\s?:\s?$", before)  # "the options are a: …"
    last = before.rstrip(' 「『"(')[-1:]
    begins = opens or (not tour and (not last or last in ":,、。→=" or any_of(w.themes).fullmatch(last)))
    prose = before[-1:].isascii() and not begins  # "… flows to the heart."
    meant = scan.bare_end(found.end) and (begins or (scan.ended(lines[-1]) and not prose))
    acts = opens and len(text) <= 80 and any_of(w.after_text).match(text, found.end)  # "腹部CT検査を行う"
    return found if meant or acts else None


def abstains(text: str) -> bool:
    """Whether an option's text is an abstention ("Preferisco non rispondere")."""
    return any_of(words().abstention_option).fullmatch(text.strip(" .。")) is not None


def _everything(text: str, known: Options) -> Group | None:
    """All options, or all but some, where the whole response or its last statement says no more than that."""
    w = words()
    pieces = [(0, len(text))] if "\n" not in text.strip() else []
    for cue in list(any_of(w.stated).finditer(text))[-1:]:
        stop = re.compile(r"[\n。]|$").search(text, cue.end())
        pieces.append((cue.end(), stop.start() if stop else len(text)))
    for start, end in pieces:
        piece = text[start:end].strip(" \t.。!\"'「」")
        at = text.find(piece, start)
        if len(piece) > 80 or not piece:
            continue
        if any_of((either(w.everything) + either(w.endings),)).fullmatch(piece):
            return Group(tuple(range(known.count)), at, at, at + len(piece), at + len(piece))
        opening = any_of(w.all_but).match(piece)
        group = known.group(piece, opening.end() if opening else 0)
        rest = any_of(w.is_right if opening else w.all_but_after).match(piece, group.end) if group else None
        if group is None or not (opening or rest):
            continue
        if any_of(w.endings).fullmatch(piece, rest.end() if rest else group.end):
            others = tuple(p for p in range(known.count) if p not in group.positions)
            return Group(others, at, at, at + len(piece), at + len(piece))
    return None


# ---- whose words they are --------------------------------------------------------------------------------------------


def borders(text: str) -> Iterator[int]:
    """Offsets of the lines where another question, another turn or the prompt begins."""
    at = 0
    raw = text.split("\n")
    for line in raw:
        if any_of(words().next_turn).match(line.strip()):
            yield at
        at += len(line) + 1


def _borders(text: str, known: Options) -> Iterator[tuple[int, bool | None]]:
    """Where another question begins, and whether its options are other ones (None: it can't be told)."""
    option_line = re.compile(rf"^[ \t]*(?:{known.any_label})[ \t]?[:.)、．][ \t]*(\S[^\n]{{0,200}})$", re.M | re.I)
    starts = list(borders(text))[:_BORDERS]
    at = 0
    raw = text.split("\n")
    for i, line in enumerate(raw):
        if len(starts) >= 2 * _BORDERS:
            break
        if any_of(words().asks).search(line.strip()):
            following = next((x for x in raw[i + 1 : i + 4] if x.strip()), "")
            if option_line.match(following):
                starts.append(at)
        at += len(line) + 1
    for start in sorted(set(starts))[:_BORDERS]:
        yield start, _is_foreign(text[start : start + 6000], option_line, known)


def _is_foreign(text: str, option_line: re.Pattern[str], known: Options) -> bool | None:
    telling = [known.squashed[i] for i, own in enumerate(known.texts) if len(own) > 1]
    shown = [re.sub(r"[\W_]+", "", m[1]).casefold() for m in list(option_line.finditer(text))[:6]]
    shown = [s for s in shown if s]
    if len(shown) < 2 or not any(known.texts):
        return None
    if not telling:  # the options are images: any words are another question's
        return all(len(s) > 2 for s in shown)
    return not any(own and (own in s or (len(s) > 3 and s in own)) for s in shown for own in telling)
