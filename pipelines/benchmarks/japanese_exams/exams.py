"""The ten national exams: names, sittings, place of a question, and questions that share a case.

How a row of a source is read belongs to items.py, what its key says to keys.py; what was adjusted is a rule file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from pipelines.questions.item import Exam
from pipelines.scoring.rulebook import rulebook


@dataclass(frozen=True)
class Profession:
    """One licence. `round_2020` is the number of its sitting of 2020; each later year's is one more."""

    name: str
    english: str
    round_2020: int
    choices: tuple[int, ...]
    aliases: tuple[str, ...]


_ALL = (
    Profession("医師", "Physician", 114, (5,), (
        "medicine", "medical", "medical doctor", "doctor", "physicians", "medical practitioner", "ishi")),
    Profession("歯科", "Dentist", 113, (5,), ("歯科医師", "dentistry", "dental", "dentists", "shika")),
    Profession("看護", "Nurse", 109, (4, 5), ("看護師", "nursing", "nurses", "registered nurse", "kango")),
    Profession("保健", "Public health nurse", 106, (4, 5), (
        "保健師", "public health nursing", "public health nurses", "hoken")),
    Profession("助産", "Midwife", 103, (4, 5), ("助産師", "midwifery", "midwives", "josan", "jyosan")),
    Profession("理学", "Physical therapist", 55, (5,), (
        "理学療法", "理学療法士", "physical therapy", "physical therapists", "physiotherapy",
        "physiotherapist", "rigaku")),
    Profession("作業", "Occupational therapist", 55, (5,), (
        "作業療法", "作業療法士", "occupational therapy", "occupational therapists", "sagyou", "sagyo")),
    Profession("診療", "Radiological technologist", 72, (5,), (
        "診療放射線", "診療放射線技師", "radiologic technology", "radiologic technologist", "radiological technology",
        "radiological technologists", "radiology technologist", "radiographer", "radiography", "radiology technology",
        "shinryo", "shinryou")),
    Profession("視能", "Orthoptist", 50, (5,), (
        "視能訓練", "視能訓練士", "orthoptics", "orthoptists", "optometry", "optometrist", "shinou", "shino")),
    Profession("薬剤", "Pharmacist", 105, (5, 6), ("薬剤師", "pharmacy", "pharmacists", "yakuzai")),
)  # fmt: skip
PROFESSIONS: dict[str, Profession] = {p.name: p for p in _ALL}


def _letters(text: str) -> str:
    """A name as it is looked up: narrow, lower case, letters only, without the words that every exam's name has."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = re.sub(r"国家試験|国試|試験|第?\d+回", "", plain)
    plain = re.sub(r"['’]s\b", "", plain)
    plain = re.sub(r"\b(?:japan(?:ese)?|national|licen[sc](?:e|ing|ure)|exam(?:ination)?s?|the|for)\b", " ", plain)
    return re.sub(r"[^a-z\u3040-\u30ff\u3400-\u9fff]", "", plain)


_BY_ALIAS = {_letters(alias): p for p in _ALL for alias in (p.name, p.english, *p.aliases)}


def profession_of(text: str) -> Profession | None:
    """The profession a text names (医師, 医師国家試験, "Physician", "Physical Therapy Examination"), or None."""
    return _BY_ALIAS.get(_letters(text))


FIRST_YEAR, LAST_YEAR = 2010, 2099


def round_of(profession: Profession, year: int) -> int:
    """The number of a year's sitting. There has been one a year since before FIRST_YEAR."""
    return profession.round_2020 + year - 2020


def year_of(profession: Profession, number: int) -> int:
    """The year of the sitting of a number."""
    return 2020 + number - profession.round_2020


def exam_of(profession: Profession, year: int) -> Exam:
    """The sitting of a year, with its round."""
    return Exam(profession.name, profession.english, year, round_of(profession, year))


def place_of(profession: str, year: int, paper: str, number: int) -> tuple[str | None, Decimal]:
    """Component and points of a question by its place in the exam (rules/layout.csv).

    No component where the place doesn't tell: which of 歯科's questions 21–90 belongs to which 領域, and which earn
    three points, is not published item by item. Points not known are 1.
    """
    for part in rulebook().layout(profession, year):
        if part.paper in ("all", paper) and part.first_number <= number <= part.last_number:
            return part.component, Decimal(part.points or 1)
    return None, Decimal(1)


def paper_of(text: str, profession: str, number: int | None) -> str | None:
    """The paper a text names, upper case ("a", "Section A", 午前, "PM"); 薬剤's follows from the number when absent."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if m := re.fullmatch(r"(?:section|paper|part|block|問題)?[\s_-]*([A-Fa-f][1-3]?)(?:問題|ブロック)?", plain, re.I):
        return m[1].upper()
    folded = plain.casefold().replace(".", "")
    if folded in ("午前", "am", "morning", "午前問題"):
        return "A"
    if folded in ("午後", "pm", "afternoon", "午後問題"):
        return "B"
    if profession == "薬剤" and number is not None and not plain:
        limits = ((90, "A1"), (150, "A2"), (195, "A3"), (245, "B1"), (285, "B2"), (345, "B3"))
        return next((paper for last, paper in limits if number <= last), None)
    return None


_CASE_START = re.compile(r"次の(?:文|文章|症例|事例)を読み|read the following (?:text|passage|case|sentences?)", re.I)
_CASE_RANGE = re.compile(
    r"(\d{1,3})\s*(?:[〜～~－–—\-・,、]|to|and|と)\s*(?:問\s*)?(\d{1,3})\s*の?\s*(?:設問|問い|問)に答え|"
    r"questions?\s+(\d{1,3})\s*(?:[〜～~–—\-]|to|and)\s*(\d{1,3})", re.I,
)  # fmt: skip
_PREVIOUS = re.compile(r"前問|(?:the )?(?:previous|preceding) question", re.I)
_SEVERAL = re.compile(r"以下の(?:設問|問い|問)に答え")
_LONGEST_CASE = 6


def case_groups(profession: str, stems: Mapping[int, str]) -> dict[int, tuple[int, int]]:
    """First and last number of the case that a question shares, for the questions of one paper that share one.

    What tells, in the data: a stem that names its range ("72〜74の問いに答えよ"); a stem that opens a case without one
    (次の文を読み、以下の問いに答えよ), which then runs to the next opening but no longer than is usual in the paper;
    a stem that speaks of the question before (前問). And what the exam's layout tells: 薬剤 196–325 (複合問題) come in
    pairs. Where nothing tells, questions stand alone.
    """
    linked: set[int] = set()  # n is linked with n + 1
    starts: list[int] = []
    for n, stem in stems.items():
        plain = unicodedata.normalize("NFKC", stem)
        numbers = [int(x) for m in _CASE_RANGE.finditer(plain) for x in m.groups() if x]
        if len(numbers) >= 2 and numbers[0] <= n <= numbers[1] < numbers[0] + _LONGEST_CASE:
            linked.update(range(numbers[0], numbers[1]))
        elif _CASE_START.search(plain):
            starts.append(n)
        elif _SEVERAL.search(plain):
            linked.add(n)
        if _PREVIOUS.search(plain):
            linked.add(n - 1)
    starts.sort()
    steps = [b - a for a, b in pairwise(starts)]
    if steps:
        usual = min(Counter(steps).most_common(), key=lambda c: (-c[1], c[0]))[0]
        for start, step in zip(starts, [*steps, usual], strict=True):
            linked.update(range(start, start + min(step, usual, _LONGEST_CASE) - 1))
    if profession == "薬剤":
        linked.update(n for n in stems if 196 <= n < 325 and n % 2 == 0)
    return _runs(linked, stems)


def _runs(linked: Iterable[int], present: Mapping[int, str]) -> dict[int, tuple[int, int]]:
    groups: dict[int, tuple[int, int]] = {}
    links = {n for n in linked if n in present and n + 1 in present}
    for n in sorted(links):
        if n - 1 in links:
            continue
        last = n
        while last in links:
            last += 1
        groups.update(dict.fromkeys(range(n, last + 1), (n, last)))
    return groups
