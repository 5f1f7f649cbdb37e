"""The report over HTTP on this machine alone, with what its SQL page needs: the warehouse file and DuckDB-Wasm.

Only for loopback: the warehouse holds questions that a licence may keep from being shared. A request that names another
host is refused, so that no page of the web can read it under a name that it points here.
"""

from __future__ import annotations

import os
import re
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MODULES = Path(__file__).parents[2] / "web/node_modules"
"""Where `make wasm` puts DuckDB-Wasm, in a checkout."""
_DUCKDB = "@duckdb/duckdb-wasm/dist"
SERVED = {
    "/duckdb/arrow.js": "apache-arrow/Arrow.es2015.min.js",
    "/duckdb/duckdb.js": f"{_DUCKDB}/duckdb-browser.cjs",
    "/duckdb/worker.js": f"{_DUCKDB}/duckdb-browser-eh.worker.js",
    "/duckdb/duckdb.wasm": f"{_DUCKDB}/duckdb-eh.wasm",
}
"""Address of each file of DuckDB-Wasm, and its place below MODULES."""
WAREHOUSE = "/medexams.duckdb"
_CHUNK = 1 << 20


class Server(ThreadingHTTPServer):
    """The folder `report` and `warehouse` on 127.0.0.1; port 0 takes a free one.

    The warehouse is opened once: one that a refresh publishes meanwhile does not mix with what a page has read.
    """

    daemon_threads = True

    def __init__(self, report: Path, warehouse: Path, port: int = 0, modules: Path = MODULES) -> None:
        self.report = report
        self.modules = modules
        self.warehouse = warehouse.open("rb")
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def has_modules(self) -> bool:
        """Whether the SQL page can work."""
        return all((self.modules / path).is_file() for path in SERVED.values())

    def server_close(self) -> None:
        super().server_close()
        self.warehouse.close()


class _Handler(SimpleHTTPRequestHandler):
    """GET and HEAD of files; of the warehouse also a range of bytes."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 60
    extensions_map = {  # noqa: RUF012 (the class's own type)
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".cjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def __init__(self, *args: Any) -> None:
        super().__init__(*args, directory=str(args[2].report))

    def translate_path(self, path: str) -> str:
        module = SERVED.get(urlsplit(path).path)
        return str(self.server.modules / module) if module else super().translate_path(path)

    def do_GET(self) -> None:
        self._serve(super().do_GET, with_body=True)

    def do_HEAD(self) -> None:
        self._serve(super().do_HEAD, with_body=False)

    def _serve(self, file: Any, *, with_body: bool) -> None:
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if host not in ("127.0.0.1", "localhost"):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif urlsplit(self.path).path == WAREHOUSE:
            self._warehouse(with_body)
        else:
            file()

    def _warehouse(self, with_body: bool) -> None:
        size = self.server.warehouse.seek(0, 2)
        first, last = 0, size - 1
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "").strip())
        if asked and (asked[1] or asked[2]):
            first = int(asked[1]) if asked[1] else max(0, size - int(asked[2]))
            last = min(int(asked[2]) if asked[1] and asked[2] else size - 1, size - 1)
            if first > last:
                self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(HTTPStatus.PARTIAL_CONTENT)
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        else:
            self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        while with_body and first <= last:
            # a place of its own for each request: threads share the file
            piece = os.pread(self.server.warehouse.fileno(), min(_CHUNK, last - first + 1), first)
            if not piece:
                break
            self.wfile.write(piece)
            first += len(piece)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: Any) -> None:
        """A page of the report is many requests: none is told."""
