"""UTF-8 that somebody read as Windows-1252 ("Ã©" for "é"), turned back. Nothing else is mended here."""

from __future__ import annotations

import re

# UTF-8 read as Windows-1252: a lead byte C2–F4 and its continuation bytes, as the characters they turned into.
_CONTINUATION = "".join(c for c in (bytes([b]).decode("cp1252", "ignore") or chr(b) for b in range(0x80, 0xC0)) if c)
_MOJIBAKE = re.compile(f"[Â-ß][{_CONTINUATION}]|[à-ï][{_CONTINUATION}]{{2}}|[ð-ô][{_CONTINUATION}]{{3}}")


def repair(text: str) -> tuple[str, bool]:
    """Text with every piece of UTF-8 that was read as Windows-1252 turned back, and whether there was one."""

    def back(m: re.Match[str]) -> str:
        try:
            return b"".join(c.encode("cp1252", "ignore") or bytes([ord(c)]) for c in m[0]).decode()
        except (UnicodeDecodeError, ValueError):
            return m[0]

    fixed = _MOJIBAKE.sub(back, text)
    return fixed, fixed != text
