"""The bundled sample: small question banks in the upstreams' own layouts, predictions for them, and their server.

Everything here was written for this project: it is no exam, and a score on it says nothing about a model. It lets
`make run` and the tests go the whole way without a network. Questions, sample predictions and the loopback server
that stands in for the live hosts belong here; reading, scoring and defects injected on purpose do not.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

FOLDER = Path(__file__).resolve().parent
"""Where the sample's files are."""

ORIGIN = "bundled sample"
"""What the sample's datasets give as their origin: the port of the server differs in each run."""

MODELS = ("sample-model-a", "sample-model-b")
"""The invented models of the sample predictions."""

_LOST_IMAGE = "/api/v1/image/dd975bf6-4391-5033-943e-815d347a772a"
"""The bank names this picture and passage sample-brano-2, the server has neither: it happens at the ministry, too."""

_SERVED = ("medical_school_questions.jsonl", "cognet.csv", "mur_bank.json")


@dataclass(frozen=True)
class SampleAddresses:
    """Addresses of a running sample, as settings take them. A folder can't be had by URL: kokushi_release is a path."""

    mur_api: str
    medschool_release: str
    cognet_release: str
    kokushi_release: str
    predictions: Path


@contextmanager
def serve() -> Iterator[SampleAddresses]:
    """Serve the sample on a free loopback port, as the live sources answer, until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="medexams-sample", daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield SampleAddresses(
            mur_api=f"{base}/api/v1",
            medschool_release=f"{base}/files/medical_school_questions.jsonl",
            cognet_release=f"{base}/files/cognet.csv",
            kokushi_release=str(FOLDER / "kokushi"),
            predictions=FOLDER / "predictions",
        )
    finally:
        server.shutdown()
        server.close_connections()
        server.server_close()
        thread.join()


@cache
def _bank() -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads((FOLDER / "mur_bank.json").read_text("utf-8"))["content"]
    return content


@cache
def _passages() -> dict[str, str]:
    passages: dict[str, str] = json.loads((FOLDER / "mur_passages.json").read_text("utf-8"))
    return passages


@cache
def _images() -> frozenset[str]:
    """The addresses (below the host) of the pictures that the bank names, but for the one that is lost."""
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
    """A small real PNG: a frame and a disc in a colour that depends on `seed`, so that no two pictures are the same."""
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


class _Server(ThreadingHTTPServer):
    """One thread a connection; open connections can be closed, as a kept-alive one would outlive the server."""

    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._connections: set[socket] = set()
        self._lock = Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        with self._lock, suppress(OSError):
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a reader that goes away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        path = unquote(url.path)
        if path == "/api/v1/domanda/list":
            query = parse_qs(url.query)
            try:
                number, size = int(query.get("page", ["0"])[0]), int(query.get("page-size", ["20"])[0])
            except ValueError:
                number, size = -1, 0
            if number < 0 or size < 1:
                self._json(400, {"status": 400, "error": "Bad Request"})
            else:
                self._json(200, _page(number, size))
        elif path.startswith("/api/v1/domanda/brano/"):
            key = path.rsplit("/", 1)[1]
            if key in _passages():
                self._json(200, {"id": key, "brano": _passages()[key]})
            else:
                self._json(404, {"status": 404, "error": "Not Found"})
        elif path in _images():
            self._send(200, _png(path), "image/png")
        elif path.removeprefix("/files/") in _SERVED:
            self._file(FOLDER / path.removeprefix("/files/"))
        else:
            self._send(404, b"not found", "text/plain")

    def _file(self, file: Path) -> None:
        body, changed = file.read_bytes(), int(file.stat().st_mtime)
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Last-Modified": formatdate(changed, usegmt=True)}
        if self._unchanged(tag, changed):
            self._send(304, b"", None, headers)
        else:
            self._send(200, body, "application/octet-stream", headers)

    def _unchanged(self, tag: str, changed: int) -> bool:
        """If-None-Match decides where it is given (RFC 9110, 13.2.2)."""
        if tags := self.headers.get("If-None-Match"):
            return tags.strip() == "*" or tag in [t.strip().removeprefix("W/") for t in tags.split(",")]
        if since := self.headers.get("If-Modified-Since"):
            with suppress(ValueError):
                seen = parsedate_to_datetime(since)
                return changed <= (seen if seen.tzinfo else seen.replace(tzinfo=UTC)).timestamp()
        return False

    def _json(self, status: int, answer: dict[str, Any]) -> None:
        self._send(status, json.dumps(answer, ensure_ascii=False).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str | None, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
