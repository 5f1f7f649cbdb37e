"""An OpenAI-compatible server on loopback that fails as its script says, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RIGHT = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "B"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 5},
}
Answer = tuple[int, dict[str, str], bytes | Iterator[bytes]] | float
"""Status, headers and body, whole or as it comes; or seconds after which nothing comes."""


def said(body: Any, status: int = 200, **headers: str) -> Answer:
    """A response in JSON; a header's name is written with underscores."""
    return status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps(body).encode()


def text(content: str, **message: Any) -> Answer:
    """A response of a model that says so."""
    return said(RIGHT | {"choices": [{"message": {"content": content} | message, "finish_reason": "stop"}]})


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `script`, then by `answer`; keeps the bodies and keys that it was sent,
    and counts the bytes that it sent."""

    daemon_threads = True
    script: list[Answer]
    asked: list[dict[str, Any]]
    sent: int = 0
    keys: list[str]
    answer: Callable[[dict[str, Any]], Answer]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers["authorization"] or "")
        answer = self.server.script.pop(0) if self.server.script else self.server.answer(body)
        if isinstance(answer, float):
            time.sleep(answer)
            return
        status, headers, data = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if isinstance(data, bytes) and "content-length" not in headers:
            self.send_header("content-length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):  # who asked has heard enough
            for piece in [data] if isinstance(data, bytes) else data:
                self.wfile.write(piece)
                self.server.sent += len(piece)


@contextmanager
def served(*script: Answer, answer: Callable[[dict[str, Any]], Answer] = lambda body: said(RIGHT)) -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.script, server.answer, server.asked, server.keys = list(script), answer, [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
