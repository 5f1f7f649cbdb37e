"""Exam HTML to plain text, so that a formula still reads as one and nothing is lost. No identity and no rules here."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5

from bs4 import BeautifulSoup, Comment, NavigableString, Tag

IMAGE = "[image]"

_BLOCKS = frozenset(
    ("p", "div", "li", "ul", "ol", "table", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "hr")
)
# Tags of one letter are also names of variables: "a<b" and "p<q" are formulas unless the tag is closed somewhere.
_LETTER_TAGS = "b i u s a q"
_TAGS = (
    "p span em strong sup sub img br li ul ol big small div table tbody thead tr td th font center hr h1 h2 h3 h4 h5 "
    "h6 code pre strike del ins mark blockquote"
)
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+))*\s*/?"""
_TAG = re.compile(rf"<(/?)({'|'.join((_TAGS + ' ' + _LETTER_TAGS).split())})({_ATTRIBUTES})>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_AMPERSAND = re.compile(r"&(#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)?")
_INCLUDEGRAPHICS = re.compile(r"\\?includegraphics\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")
_TOKEN = re.compile(r"[+\-−–±]?(?:\d+(?:[.,]\d+)?|[^\W\d_]+|.)")
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")


@dataclass(frozen=True)
class Text:
    """Plain text and the images in it, in order: the src of an img, or `includegraphics:NAME`."""

    text: str
    images: tuple[str, ...] = ()


@lru_cache(maxsize=1 << 16)
def html_to_text(source: str) -> Text:
    """Plain text of a piece of exam HTML.

    Superscripts become x^2 and subscripts H_2O, in brackets when longer than one token; list items start with '- ' or
    their number; paragraphs and line breaks become line breaks; entities are decoded once; a '<' that opens no tag
    stays; each image becomes [image].
    """
    images: list[str] = []
    source = _INCLUDEGRAPHICS.sub(lambda m: f'<img src="includegraphics:{html.escape(m[1].strip())}">', source)
    soup = BeautifulSoup(f"<div>{_escape_what_is_no_markup(source)}</div>", "html.parser")
    return Text(tidy(_render(soup, images)), tuple(images))


def decoded_text(source: str) -> str:
    """Plain text of a text whose tags are gone already: entities decoded once, white space tidied."""
    return tidy(html.unescape(_escape_bare_ampersands(source)))


def tidy(text: str) -> str:
    """NFC, no invisible characters, single spaces, no blank lines, nothing at the ends."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    lines = (" ".join(line.split()) for line in re.split(r"[\r\n\u2028\u2029]+", text))
    return "\n".join(line for line in lines if line)


def _escape_what_is_no_markup(source: str) -> str:
    """The same HTML with every '<' that opens no known tag, and every '&' that opens no entity, escaped."""
    source = _COMMENT.sub("", source)
    closed = {m[2].lower() for m in _TAG.finditer(source) if m[1]}
    out, end = [], 0
    for m in _TAG.finditer(source):
        name = m[2].lower()
        if name in _LETTER_TAGS.split() and not m[1] and name not in closed:
            continue
        out += [source[end : m.start()].replace("<", "&lt;"), m[0]]
        end = m.end()
    out.append(source[end:].replace("<", "&lt;"))
    return _escape_bare_ampersands("".join(out))


def _escape_bare_ampersands(source: str) -> str:
    """The same text with every '&' that begins no known entity written as an entity."""

    def known(match: re.Match[str]) -> bool:
        return bool(match[1]) and (match[1].startswith("#") or match[1] in html5)

    return _AMPERSAND.sub(lambda m: m[0] if known(m) else "&amp;" + m[0][1:], source)


def _render(node: Tag, images: list[str]) -> str:
    out: list[str] = []
    script = ""  # the kind of the script under way, so that <sup>-</sup><sup>7</sup> reads as one
    inside = ""
    number = 0
    for child in [*node.children, None]:
        kind = child.name if isinstance(child, Tag) and child.name in ("sup", "sub") else ""
        if script and kind != script:
            out.append(_script(script, inside))
            script = inside = ""
        if child is None or isinstance(child, Comment):
            continue
        if isinstance(child, NavigableString):
            out.append(re.sub(r"[ \t\r\n]+", " ", child) if "\n" not in child else str(child))
        elif isinstance(child, Tag):
            if kind:
                script, inside = kind, inside + _render(child, images)
            elif child.name == "img":
                images.append(str(child.get("src", "")).strip())
                out.append(f" {IMAGE} ")
            elif child.name == "br":
                out.append("\n")
            elif child.name in ("td", "th"):
                out.append(_render(child, images) + " ")
            elif child.name == "li":
                number += 1
                out.append(f"\n{f'{number}.' if node.name == 'ol' else '-'} {_render(child, images).strip()}\n")
            elif child.name in _BLOCKS:
                out.append(f"\n{_render(child, images)}\n")
            else:
                out.append(_render(child, images))
    return "".join(out)


def _script(kind: str, inside: str) -> str:
    mark = "^" if kind == "sup" else "_"
    text = inside.strip()
    if not text or IMAGE in text:
        return inside
    before = " " if inside[0].isspace() and inside[0] != "\xa0" else ""
    after = " " if inside[-1].isspace() else ""
    return f"{before}{mark}{text if _TOKEN.fullmatch(text) else f'({text})'}{after}"
