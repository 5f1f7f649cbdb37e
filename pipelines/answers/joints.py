"""What stands around a label and around an option's text: marks, and the words of the languages.

Not here: which labels and texts these are (labels), the words themselves (languages).
"""

import re
from functools import cache

from pipelines.answers.phrases import any_of, either, words

_CLOSING = r"""[ \t]?(?:[)\]}」』】〉》"'»]|>(?![ \t]?[A-Za-z0-9①-⑩])){1,4}"""
LOOSE = {  # marks that may follow a label after a separator that may also end a clause; so may list_ends
    "": r"[\s,、。.)」』】;:]|$",
    ";": r"[ \t]*(?:[,;.。、()\]」』】\n]|$)",
}
_TEXT_STOPS = r"[.。,;、)\]」』\n(]|$"


def closing() -> re.Pattern[str]:
    """What closes a label: brackets, quotes, a counter."""
    return any_of((_CLOSING,), words().counters)


@cache
def ends_loosely(link: str) -> re.Pattern[str]:
    """What shows, after a separator of LOOSE, that the label is one of the list."""
    space = r"[ \t]*" if link else ""
    return re.compile(rf"{LOOSE[link]}|{space}{either(words().list_ends)}")


@cache
def text_link() -> re.Pattern[str]:
    """Between a label and its option's text."""
    return re.compile(rf"[ \t]?[:.)、・\-=/][ \t]{{0,3}}|{either(words().possessives)}?(?=[「『])|[ \t]{{1,3}}|")


@cache
def text_stops() -> re.Pattern[str]:
    """What shows that an option's text was named whole."""
    return re.compile(rf"[ \t]*(?:{_TEXT_STOPS}|{either(words().text_ends)})")


@cache
def lone_digit() -> re.Pattern[str]:
    """A digit that answers alone."""
    w = words()
    return re.compile(
        rf"(?:\A|{either(w.before_digit)})[1-9](?={either(w.counters)}?{either(w.copulas)}?[。.]?$)", re.M
    )
