"""The bank of the sample as the ministry's API answers: pages in their envelope, passages, images.

One image and one passage that the bank names are not there: it happens at the ministry, too.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent
_LOST_IMAGE = "/api/v1/image/dd975bf6-4391-5033-943e-815d347a772a"


def respond(path: str, query: dict[str, list[str]]) -> tuple[int, bytes, str]:
    """Status, body and content type of a GET of `path` (below the host, unquoted) with `query`."""
    if path == "/api/v1/domanda/list":
        try:
            number, size = int(query.get("page", ["0"])[0]), int(query.get("page-size", ["20"])[0])
        except ValueError:
            number, size = -1, 0
        if number < 0 or size < 1:
            return _json(400, {"status": 400, "error": "Bad Request"})
        return _json(200, _page(number, size))
    if path.startswith("/api/v1/domanda/brano/"):
        key = path.rsplit("/", 1)[1]
        if key in _passages():
            return _json(200, {"id": key, "brano": _passages()[key]})
        return _json(404, {"status": 404, "error": "Not Found"})
    if path in _images():
        return 200, _png(path), "image/png"
    return 404, b"not found", "text/plain"


def _json(status: int, answer: dict[str, Any]) -> tuple[int, bytes, str]:
    return status, json.dumps(answer, ensure_ascii=False).encode(), "application/json"


@cache
def _bank() -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads((_FOLDER / "mur_bank.json").read_text("utf-8"))["content"]
    return content


@cache
def _passages() -> dict[str, str]:
    passages: dict[str, str] = json.loads((_FOLDER / "mur_passages.json").read_text("utf-8"))
    return passages


@cache
def _images() -> frozenset[str]:
    """The addresses (below the host) of the images that the bank names, but for the one that is lost."""
    texts = (t for q in _bank() for t in (q["domanda"], *(a["text"] for a in q["risposte"])))
    named = frozenset(part.split('"', 1)[0] for text in texts for part in text.split('src="')[1:])
    return named - {_LOST_IMAGE}


def _page(number: int, size: int) -> dict[str, Any]:
    """One page of the bank in the Spring envelope of the ministry's API."""
    bank = _bank()
    part = bank[number * size : (number + 1) * size]
    pages = -(-len(bank) // size)
    order = [
        {"direction": "ASC", "property": name, "ignoreCase": False, "nullHandling": "NATIVE",
         "ascending": True, "descending": False}
        for name in ("argomento", "nro")
    ]  # fmt: skip
    return {
        "content": part,
        "pageable": {"pageNumber": number, "pageSize": size, "sort": order, "offset": number * size,
                     "paged": True, "unpaged": False},
        "totalPages": pages, "totalElements": len(bank), "last": number >= pages - 1, "size": size, "number": number,
        "sort": order, "numberOfElements": len(part), "first": number == 0, "empty": not part,
    }  # fmt: skip


def _png(seed: str, width: int = 48, height: int = 32) -> bytes:
    """A small real PNG: a frame and a disc in a colour that depends on `seed`, so that no two images are the same."""
    colour = bytes(64 + c // 2 for c in hashlib.sha256(seed.encode()).digest()[:3])
    rows = bytearray()
    for y in range(height):
        rows.append(0)  # filter: none
        for x in range(width):
            frame = x in (0, width - 1) or y in (0, height - 1)
            disc = (x - width / 2) ** 2 + (y - height / 2) ** 2 < (height / 3) ** 2
            rows += b"\x00\x00\x00" if frame else colour if disc else b"\xff\xff\xff"

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(bytes(rows), 9)),
            chunk(b"IEND", b""),
        )
    )
