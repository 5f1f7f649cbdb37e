"""One polite session for all sources: deadlines, retries, Retry-After, a size limit, a delay, conditional requests.

Every answer goes to the landing archive as received, but for its cookies and what else lets somebody in. What an answer
means is the source module's business.
"""

from __future__ import annotations

import logging
import queue
import random
import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fnmatch import fnmatch
from http.cookiejar import DefaultCookiePolicy
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import requests
import tenacity

from pipelines.address import public, same_host, without_secrets
from pipelines.archive.landing import Answer, Landing
from pipelines.errors import SourceError
from pipelines.settings import Settings

log = logging.getLogger(__name__)

USER_AGENT = "medexams/0.1 (research warehouse of exam questions; reads politely, one request at a time)"
TRANSIENT = frozenset({408, 425, 429, 500, 501, 502, 503, 504})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS = 5
CHUNK = 1 << 16
SECRET_HEADERS = re.compile(r"cookie|auth|token|secret|session|signature|location", re.IGNORECASE)
"""Names of headers that are not archived; a Location may be signed."""


class _Transient(Exception):
    """A fault that may pass. `after` is the server's Retry-After in seconds."""

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


class _Received(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Session:
    """Gets URLs into the archive, one at a time. Use as a context manager.

    `redirects`: patterns of the other hosts that an address may lead on to.
    """

    def __init__(self, settings: Settings, landing: Landing, redirects: tuple[str, ...] = ()) -> None:
        self.settings = settings
        self.landing = landing
        self.redirects = redirects
        self._ends = time.monotonic() + settings.scrape_deadline
        self._requests = requests.Session()
        self._requests.headers["User-Agent"] = USER_AGENT
        self._requests.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._last: dict[str, float] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()

    def get(self, url: str, most: int | None = None) -> Answer:
        """The newest answer to `url`; an unchanged one (304) costs no body and is taken from the archive.

        `most`: the largest body that makes sense, in bytes, where that is less than MEDEXAMS_MAX_BYTES.

        408, 425, 429, 5xx and connection faults are tried again with backoff and jitter, or after the server's own
        Retry-After; everything else is final. Raises SourceError with the URL, the fault and what to do.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Transient),
            stop=tenacity.stop_after_attempt(max(1, self.settings.attempts)),
            wait=self._wait,
            before_sleep=_say,
            reraise=True,
        )
        began = time.monotonic()
        try:
            answer = retrying(self._once, url, min(most or self.settings.max_bytes, self.settings.max_bytes))
        except _Transient as fault:
            raise SourceError(
                f"{public(url)}: {fault} (tried {self.settings.attempts} times); try again later"
            ) from None
        took = time.monotonic() - began
        log.info("fetched %s: status %d, %d bytes, %.2f s", public(url), answer.status, answer.size, took)
        return answer

    def _wait(self, state: tenacity.RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        if isinstance(fault, _Transient) and fault.after is not None:
            if fault.after > self.settings.longest_wait:
                raise SourceError(
                    f"{public(state.args[0])}: {fault} and asks to wait {fault.after:.0f} s; "
                    "try again then, or raise MEDEXAMS_LONGEST_WAIT"
                )
            return fault.after
        # Jitter keeps many clients from coming back at the same moment; a delay of 0 (tests) keeps waits short.
        base = min(self.settings.request_delay or 0.05, 1.0)
        return min(base * 2 ** (state.attempt_number - 1), 30.0) * random.uniform(0.5, 1.5)

    def _pause(self, host: str) -> None:
        rest = self._last.get(host, 0.0) + self.settings.request_delay - time.monotonic()
        if rest > 0:
            time.sleep(rest)
        self._last[host] = time.monotonic()

    def _once(self, url: str, most: int) -> Answer:
        name = public(url)
        known = self.landing.latest(name)
        headers = {}
        if known and (tag := known.headers.get("etag")):
            headers["If-None-Match"] = tag
        if known and (since := known.headers.get("last-modified")):
            headers["If-Modified-Since"] = since
        try:
            self._pause(urlsplit(url).netloc.rpartition("@")[2])
            left = self._ends - time.monotonic()
            received = _within(min(self.settings.request_deadline, left), lambda: self._receive(url, headers, most))
        except TimeoutError:
            what = "request" if self.settings.request_deadline <= left else "scrape"
            raise SourceError(
                f"{name}: the {what} took longer than {getattr(self.settings, f'{what}_deadline'):g} s; refresh again "
                f"later, or raise MEDEXAMS_{what.upper()}_DEADLINE"
            ) from None
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as fault:
            raise _Transient(f"the connection failed ({without_secrets(_short(fault), url)})") from None
        except (requests.RequestException, ValueError) as fault:
            raise SourceError(f"{name}: {without_secrets(_short(fault), url)}; check the address") from None
        answer = self.landing.record(name, *received)
        if received.status == 304 and known:
            return known
        if received.status in TRANSIENT or received.status >= 500:
            raise _Transient(f"status {received.status}", _retry_after(received.headers.get("retry-after")))
        if received.status != 200:
            raise SourceError(f"{name}: status {received.status}; check the address or whether the source has moved")
        return answer

    def _receive(self, url: str, headers: dict[str, str], most: int) -> _Received:
        """One answer, after the redirects that are allowed. A login goes to the address's own host and nowhere else."""
        start = urlsplit(url)
        login = (unquote(start.username), unquote(start.password or "")) if start.username else None
        here = url
        for _ in range(MOST_REDIRECTS + 1):
            there = urlsplit(here)
            if not same_host(there, start) and not any(fnmatch(there.hostname or "", p) for p in self.redirects):
                raise SourceError(
                    f"{public(url)}: it leads on to another host ({there.hostname}), which its card does not allow; "
                    "check the address"
                )
            with self._requests.get(
                there._replace(netloc=there.netloc.rpartition("@")[2]).geturl(),
                headers=headers,
                auth=login if same_host(there, start) else None,
                stream=True,
                allow_redirects=False,
                timeout=(self.settings.connect_timeout, self.settings.read_timeout),
            ) as response:
                place = response.headers.get("Location")
                if response.status_code not in REDIRECTS or not place:
                    kept = {k.lower(): v for k, v in response.headers.items() if not SECRET_HEADERS.search(k)}
                    return _Received(response.status_code, kept, self._body(response, url, most))
                here = urljoin(here, place)
        raise SourceError(f"{public(url)}: more than {MOST_REDIRECTS} redirects; check the address")

    def _body(self, response: requests.Response, url: str, most: int) -> bytes:
        body = bytearray()
        for chunk in response.iter_content(CHUNK):
            body += chunk
            if len(body) > most:
                todo = (
                    "try again later" if most < self.settings.max_bytes else "raise MEDEXAMS_MAX_BYTES if it is meant"
                )
                raise SourceError(f"{public(url)}: the answer is larger than {most:,} bytes; {todo}")
        return bytes(body)


def _within(seconds: float, work: Callable[[], _Received]) -> _Received:
    """The result of `work`, in at most so many seconds of all. Raises TimeoutError, and what `work` raises.

    A socket's own timeout begins anew with each byte, so that a slow drip never meets it; nor does it cover names that
    are looked up. What comes too late ends in a thread of its own, and is not used.
    """
    result: queue.Queue[_Received | BaseException] = queue.Queue(1)

    def run() -> None:
        try:
            result.put(work())
        except BaseException as fault:
            result.put(fault)

    if seconds <= 0:
        raise TimeoutError
    threading.Thread(target=run, daemon=True).start()
    try:
        got = result.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(got, BaseException):
        raise got
    return got


def _say(state: tenacity.RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome else None
    wait = state.next_action.sleep if state.next_action else 0.0
    log.info("%s: %s; attempt %d, again in %.1f s", public(state.args[0]), fault, state.attempt_number, wait)


def _retry_after(text: str | None) -> float | None:
    """Seconds to wait from a Retry-After header (seconds or an HTTP date), or None."""
    if not text:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text.strip()):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _short(fault: Exception) -> str:
    """The last, most telling part of a nested connection fault."""
    return str(fault).rsplit(": ", 1)[-1].strip("')\" ")[:160] or type(fault).__name__
