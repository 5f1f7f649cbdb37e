"""A programmable server on loopback for tests: each path answers what the test says, and remembers what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Reply:
    """One answer. `cut` sends half of the body and closes; `reset` closes without an answer."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    reset: bool = False


Answerer = Callable[[str, dict[str, str]], Reply]
"""answer(path with query, request headers) -> Reply"""


@dataclass
class Web:
    """A running server: its address, and (path, request headers) of every request so far."""

    url: str
    asked: list[tuple[str, dict[str, str]]]

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def serve(answer: Answerer) -> Iterator[Web]:
    """Answer every GET by `answer` until the block ends."""
    asked: list[tuple[str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            headers = {k.lower(): v for k, v in self.headers.items()}
            asked.append((self.path, headers))
            reply = answer(self.path, headers)
            if reply.reset:
                self.close_connection = True
                self.connection.close()
                return
            self.send_response(reply.status)
            for name, value in ({"Content-Length": str(len(reply.body))} | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
            self.close_connection = self.close_connection or reply.cut

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Web(f"http://127.0.0.1:{server.server_address[1]}", asked)
    finally:
        server.shutdown()
        server.server_close()


def bank(n: int) -> list[dict[str, Any]]:
    """A bank of n questions in the ministry's July 2024 layout."""
    subjects = ("biologia", "chimica", "fisica-matematica", "logica", "competenze-conoscenze")
    return [
        {
            "id": 100 + i,
            "argomento": subjects[i % 5],
            "nro": i // 5 + 1,
            "domanda": f"<b><p>Quanto fa {i} + 1?</p></b>",
            "risposte": [
                {"id": letter, "text": f"<p>{i + 1 if letter == 'a' else 1000 * k + i}</p>"}
                for k, letter in enumerate("bacde")
            ],
        }
        for i in range(n)
    ]


def mur(
    questions: list[dict[str, Any]], change: Callable[[int, dict[str, Any]], Any] = lambda n, page: None
) -> Answerer:
    """An Answerer like the ministry's API over these questions; `change(number, page)` may alter or replace a page."""

    def answer(path: str, headers: dict[str, str]) -> Reply:
        url = urlsplit(path)
        if url.path.endswith("/domanda/list"):
            query = parse_qs(url.query)
            number, size = int(query["page"][0]), int(query["page-size"][0])
            rows = json.loads(json.dumps(questions[number * size : (number + 1) * size]))
            pages = -(-len(questions) // size)
            page = {
                "content": rows,
                "number": number,
                "size": size,
                "totalPages": pages,
                "totalElements": len(questions),
                "last": number == pages - 1,
            }
            changed = change(number, page)
            if isinstance(changed, Reply):
                return changed
            return Reply(body=json.dumps(changed or page, ensure_ascii=False).encode())
        if "/image/" in url.path:
            return Reply(body=b"\x89PNG" + url.path.encode())
        if "/domanda/brano/" in url.path:
            return Reply(body=json.dumps({"id": url.path[-4:], "brano": "<p>Un brano.</p>"}).encode())
        return Reply(404, b"not found")

    return answer
