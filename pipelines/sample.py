"""The bundled sample: its server on loopback, and where its predictions are.

Every benchmark's folder sample/ holds its own: a small question bank in the upstream's layout, and predictions. All of
it was written for this project: it is not an exam, and a score on it says nothing about a model. It lets `make run` and
the tests go the whole way without a network. The server that stands in for the live hosts belongs here; reading,
scoring and defects injected on purpose do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from pipelines.registry import Benchmark, benchmarks

FOLDER = "sample"
"""Name of the folder of a benchmark that holds its sample."""


def predictions() -> list[Path]:
    """The folders of the sample's predictions."""
    folders = (benchmark.folder / FOLDER / "predictions" for benchmark in benchmarks().values())
    return [folder for folder in folders if folder.is_dir()]


@contextmanager
def serve() -> Iterator[dict[str, str]]:
    """Serve the sample on free loopback ports, one a benchmark, as the live sources answer, until the block ends.

    Yields the address of each source that has a sample, by its setting. A folder can't be had by URL: it is a path.
    """
    addresses: dict[str, str] = {}
    with ExitStack() as servers:
        for benchmark in benchmarks().values():
            bases: list[str] = []
            for card in (card for card in benchmark.card.sources if card.sample):
                path = benchmark.folder / str(card.sample)
                if not path.is_dir() and not bases:
                    bases.append(servers.enter_context(_served(benchmark)))
                addresses[card.setting] = str(path) if path.is_dir() else f"{bases[0]}/{card.sample}"
        yield addresses


@contextmanager
def _served(benchmark: Benchmark) -> Iterator[str]:
    """The address of a server of one benchmark's sample."""
    server = _Server(benchmark)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="medexams-sample", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.close_connections()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    """One thread a connection; open connections can be closed, as a kept-alive one would outlive the server."""

    daemon_threads = True

    def __init__(self, benchmark: Benchmark) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.benchmark = benchmark
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
        """Say nothing: a reader that goes away is not news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        path, benchmark = unquote(url.path), self.server.benchmark
        if path.removeprefix("/") in {card.sample for card in benchmark.card.sources}:
            self._file(benchmark.folder / path.removeprefix("/"))
        elif answers := benchmark.module(f"{FOLDER}.server"):
            self._send(*answers.respond(path, parse_qs(url.query)))
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
