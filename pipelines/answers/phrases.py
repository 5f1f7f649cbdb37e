"""The contract that each language fills, and all languages as one.

Here: what the phrases mean, and how they are joined and compiled. Not here: any language's words (languages/).

Each field is a tuple of regular expressions (joined by "or", case ignored, ^ and $ at lines) for text after
cleaning.normalise. All repeats are bounded, so that time stays linear. A *forward* cue ends where the answer begins;
a *backward* cue begins where the option ends.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pipelines.registry import benchmarks


@dataclass(frozen=True, kw_only=True, eq=False)
class Phrases:
    """The phrases of one language around an answer."""

    # what a list of options is made of
    code: str = ""
    """As in question.language: "en"."""
    spoken: tuple[str, ...] = ()
    """Tells that a response is in this language; none: its one-letter words are always heeded."""
    nouns: tuple[str, ...] = ()
    """Stand before a label and name its kind: "option"."""
    articles: tuple[str, ...] = ()
    """Stand before an option's own text, spaces included: "the "."""
    conjunctions: tuple[str, ...] = ()
    disjunctions: tuple[str, ...] = ()
    either_after: tuple[str, ...] = ()
    """After a list of options: one of them, it is not said which."""
    ranges: tuple[str, ...] = ()
    """Between the first and the last option of a range: "through"."""
    range_after: tuple[str, ...] = ()
    """After a range whose ends alone do not show that it is one."""
    letter_words: str = ""
    """Labels that are words too: "a patient"."""
    not_runs: tuple[str, ...] = ()
    """Short words made of the first letters: "be" is not B and E."""
    after_label: tuple[str, ...] = ()
    """Words that follow a label rather than a one-letter word."""
    no_label_before: tuple[str, ...] = ()
    no_label_after: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    """Stand after a number that is a label: "number 3" where the word comes second."""
    ordinals: tuple[str, ...] = ()
    """Stand after a number that counts the answers: "2nd"."""
    before_digit: tuple[str, ...] = ()
    """Lookbehinds: a digit alone on the rest of the line answers."""
    list_ends: tuple[str, ...] = ()
    """After the last label of a list: the sentence goes on."""
    text_ends: tuple[str, ...] = ()
    """After an option's text: the sentence goes on."""
    possessives: tuple[str, ...] = ()
    """Between a label and its option's text in quotes."""
    quantity: tuple[str, ...] = ()
    """Units and counters: the digit before them is not a label."""

    # forward cues
    stated: tuple[str, ...] = ()
    """The answer follows and is called so."""
    concluded: tuple[str, ...] = ()
    """The answer follows as a conclusion."""
    against: tuple[str, ...] = ()
    """What a negated question asks for follows: "the incorrect statement is"."""
    corrects: tuple[str, ...] = ()
    """The answer follows at once and takes the place of an earlier one: "no, wait: "."""
    rejected: tuple[str, ...] = ()
    """Options that are set aside follow."""
    superlative: tuple[str, ...] = ()
    """In a conclusion: it names its option even far from the cue."""
    hedges: tuple[str, ...] = ()
    """Said before an answer without naming it as one: "probably"."""
    lists: tuple[str, ...] = ()
    """After a cue: the answer is listed after the next colon ("there are two: ")."""
    points_below: tuple[str, ...] = ()
    """After a cue: the answer stands in the lines below ("the following")."""
    negated: tuple[str, ...] = ()
    """Turns a cue, or what stands between a cue and its option, into its opposite: "not"."""
    turns: tuple[str, ...] = ()
    """Ends right before a cue and turns it into one against: "wrong" (answer)."""
    adversatives: tuple[str, ...] = ()
    """Between two clauses of which the second holds: "but"."""
    contrast: tuple[str, ...] = ()
    """After "not A": "but"."""
    clause_starts: tuple[str, ...] = ()
    """After these the last clause of a response may begin."""

    # backward cues
    is_stated: tuple[str, ...] = ()
    is_concluded: tuple[str, ...] = ()
    is_against: tuple[str, ...] = ()
    is_right: tuple[str, ...] = ()
    is_wrong: tuple[str, ...] = ()
    is_not: tuple[str, ...] = ()
    ends_right: tuple[str, ...] = ()
    """Ends the sentence that an option begins: it was judged right."""
    ends_wrong: tuple[str, ...] = ()
    after_conclusion: tuple[str, ...] = ()
    """What may go on after a concluded option that is meant."""
    copulas: tuple[str, ...] = ()
    """After an answer: no more than "is"."""
    themes: tuple[str, ...] = ()
    """What comes before is spoken of, what follows is said of it."""
    links: tuple[str, ...] = ()
    """Between what is asked for and its value: "is", "of"."""
    endings: tuple[str, ...] = ()
    """What may stand after a bare answer and adds nothing."""
    tells: tuple[str, ...] = ()
    """How a sentence goes on whose first word is the answer: "C because"."""
    topics: tuple[str, ...] = ()
    """After an option, in brackets or not: something is said of it, not that it is the answer."""
    before_text: tuple[str, ...] = ()
    """Before an option's own text that is the answer: "first"."""
    after_text: tuple[str, ...] = ()
    """How a sentence goes on that names the answer by its own text."""

    # sentences and whole responses
    others: tuple[str, ...] = ()
    """The clause reports what somebody else says, or what was thought before: nothing is stated in it."""
    hypothetical: tuple[str, ...] = ()
    """The same, of what would be if."""
    introduces: tuple[str, ...] = ()
    """Ends a line after which the options are gone through."""
    sentence_ends: tuple[str, ...] = ()
    """The response ends as a sentence does, and was not cut off."""
    everything: tuple[str, ...] = ()
    """All options."""
    all_but: tuple[str, ...] = ()
    """Before the options that are left out of all."""
    all_but_after: tuple[str, ...] = ()
    """After the options that are left out of all."""
    refusal: tuple[str, ...] = ()
    abstention: tuple[str, ...] = ()
    """A whole sentence that gives no answer: "I don't know"."""
    abstention_option: tuple[str, ...] = ()
    """The whole text of an option that stands for giving no answer."""
    errors: tuple[str, ...] = ()
    """A response that is a tool's error message begins so."""
    next_turn: tuple[str, ...] = ()
    """A line that starts another question, a turn of the other side, or the prompt again."""
    asks: tuple[str, ...] = ()
    """Ends a line that asks a question with options."""

    # numbers
    no_value_before: tuple[str, ...] = ()
    no_value_after: tuple[str, ...] = ()
    """The number beside it counts or names something."""
    number_ranges: tuple[str, ...] = ()
    """A span, or several numbers of which none is the answer."""
    approximately: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    concludes: tuple[str, ...] = ()
    """A line with a number that is the result."""
    compounds: tuple[str, ...] = ()
    """Between two numbers that are one quantity: "2 h 30"."""
    reasons: tuple[str, ...] = ()
    """Names of JSON fields that hold reasoning, confidence and the like."""
    answers: tuple[str, ...] = ()
    """Names of JSON fields that hold the answer."""
    yes: tuple[str, ...] = ()
    """Values of a JSON map from option to verdict."""


@cache
def available() -> tuple[Phrases, ...]:
    """The phrases of every language: those in the folder languages, and those that a benchmark brings (phrases.py)."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent / "languages")]))
    own = [importlib.import_module(f"{__package__}.languages.{name}") for name in names]
    brought = [module for b in benchmarks().values() if (module := b.module("phrases"))]
    return tuple(module.PHRASES for module in (*own, *brought))


@cache
def words() -> Phrases:
    """All languages as one: every field the sum of theirs."""
    joined: dict[str, Any] = {
        f.name: tuple(pattern for language in available() for pattern in getattr(language, f.name))
        for f in fields(Phrases)
        if f.name not in ("code", "letter_words")
    }
    return Phrases(**joined)


def spoken(language: str | None, text: str) -> tuple[Phrases, ...]:
    """The languages whose one-letter words are heeded: the named one, or those that the text shows."""
    return tuple(
        x
        for x in available()
        if not x.spoken or (x.code == language if language else any_of(x.spoken).search(text[:4000]))
    )


def either(patterns: Iterable[str]) -> str:
    """The source of a group that matches any of the patterns, never one that matches where there are none."""
    return "(?:" + ("|".join(f"(?:{p})" for p in patterns) or r"(?!)") + ")"


@lru_cache(maxsize=256)
def any_of(*tables: tuple[str, ...]) -> re.Pattern[str]:
    """All patterns of the tables, compiled as one."""
    return re.compile(either(p for table in tables for p in table), re.I | re.M)
