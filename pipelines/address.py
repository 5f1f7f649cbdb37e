"""Addresses of sources: what of one may be shown and stored, and what belongs to a source's own place."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urljoin, urlsplit

_SECRET = re.compile(
    r"token|key|secret|sig|pass|pwd|auth|cred|session|^sid$|^(x-amz-|x-goog-|policy$|access)", re.IGNORECASE
)
"""Names of query parameters whose values let somebody in."""


def is_url(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def public(address: str) -> str:
    """An address without user, password and parameters such as tokens; a path, or what is not an address, as it is."""
    if not is_url(address):
        return address
    try:
        parts = urlsplit(address)
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return re.sub(r"//[^/@]*@", "//", address.split("?")[0])
    kept = [(name, value) for name, value in query if not _SECRET.search(name)]
    shown = parts.query if kept == query else urlencode(kept)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query=shown, fragment="").geturl()


def without_secrets(text: str, address: str) -> str:
    """A text (of an error, say) in which no secret of an address stands."""
    try:
        parts = urlsplit(address)
        found = [value for name, value in parse_qsl(parts.query) if _SECRET.search(name)]
    except ValueError:
        return "the address is malformed"
    found += filter(None, (parts.username, parts.password))
    for secret in sorted({s for v in found for s in (v, unquote(v))}, key=len, reverse=True):
        text = text.replace(secret, "…")
    return text


def same_host(a: SplitResult, b: SplitResult) -> bool:
    """True when both lead to one server: scheme, host and port."""
    return (a.scheme, a.hostname, a.port) == (b.scheme, b.hostname, b.port)


def own(base: str, address: str, places: tuple[str, ...]) -> str | None:
    """The full address of what `address` names, seen from `base`; None unless it is on that server, below a place.

    `places` are paths that end in a slash. An address with a `..`, a back slash or a user of its own is nobody's.
    """
    try:
        if not re.match(r"https?://", joined := urljoin(base, address)):
            return None
        there, here = urlsplit(joined), urlsplit(base)
        path = unquote(there.path)
        if not same_host(there, here) or ("@" in there.netloc and there.netloc != here.netloc):
            return None
    except ValueError:  # brackets or a port that make no sense
        return None
    if ".." in path or ".." in unquote(address) or "\\" in path or "//" in path or not path.startswith(places):
        return None
    return joined
