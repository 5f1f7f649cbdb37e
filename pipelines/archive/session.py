"""One polite session for all sources: timeouts, retries, Retry-After, a size limit, a delay, conditional requests.

Every answer goes to the landing archive as received. What an answer means is the source module's business.
"""

from __future__ import annotations

import logging
import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import requests
import tenacity

from pipelines.archive.landing import Answer, Landing
from pipelines.errors import SourceError
from pipelines.settings import Settings

log = logging.getLogger(__name__)

USER_AGENT = "medexams/0.1 (research warehouse of exam questions; reads politely, one request at a time)"
TRANSIENT = frozenset({408, 425, 429, 500, 501, 502, 503, 504})
CHUNK = 1 << 16


class _Transient(Exception):
    """A fault that may pass. `after` is the server's Retry-After in seconds."""

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


class Session:
    """Gets URLs into the archive, one at a time. Use as a context manager."""

    def __init__(self, settings: Settings, landing: Landing) -> None:
        self.settings = settings
        self.landing = landing
        self._requests = requests.Session()
        self._requests.headers["User-Agent"] = USER_AGENT
        self._last: dict[str, float] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()

    def get(self, url: str) -> Answer:
        """The newest answer to `url`; an unchanged one (304) costs no body and is taken from the archive.

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
            answer = retrying(self._once, url)
        except _Transient as fault:
            raise SourceError(f"{url}: {fault} (tried {self.settings.attempts} times); try again later") from None
        took = time.monotonic() - began
        log.info("fetched %s: status %d, %d bytes, %.2f s", url, answer.status, answer.size, took)
        return answer

    def _wait(self, state: tenacity.RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        if isinstance(fault, _Transient) and fault.after is not None:
            if fault.after > self.settings.longest_wait:
                raise SourceError(
                    f"{state.args[0]}: {fault} and asks to wait {fault.after:.0f} s; "
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

    def _once(self, url: str) -> Answer:
        known = self.landing.latest(url)
        headers = {}
        if known and (tag := known.headers.get("etag")):
            headers["If-None-Match"] = tag
        if known and (since := known.headers.get("last-modified")):
            headers["If-Modified-Since"] = since
        try:
            self._pause(urlsplit(url).netloc)
            with self._requests.get(
                url,
                headers=headers,
                stream=True,
                timeout=(self.settings.connect_timeout, self.settings.read_timeout),
            ) as response:
                body = self._body(response, url)
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as fault:
            raise _Transient(f"the connection failed ({_short(fault)})") from fault
        except (requests.RequestException, ValueError) as fault:
            raise SourceError(f"{url}: {_short(fault)}; check the address") from fault
        received = {k.lower(): v for k, v in response.headers.items()}
        answer = self.landing.record(url, response.status_code, received, body)
        if response.status_code == 304 and known:
            return known
        if response.status_code in TRANSIENT or response.status_code >= 500:
            raise _Transient(f"status {response.status_code}", _retry_after(response.headers.get("Retry-After")))
        if response.status_code != 200:
            raise SourceError(
                f"{url}: status {response.status_code}; check the address or whether the source has moved"
            )
        return answer

    def _body(self, response: requests.Response, url: str) -> bytes:
        limit, parts, size = self.settings.max_bytes, [], 0
        for chunk in response.iter_content(CHUNK):
            size += len(chunk)
            if size > limit:
                raise SourceError(
                    f"{url}: the answer is larger than {limit:,} bytes; raise MEDEXAMS_MAX_BYTES if it is meant"
                )
            parts.append(chunk)
        return b"".join(parts)


def _say(state: tenacity.RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome else None
    wait = state.next_action.sleep if state.next_action else 0.0
    log.warning("%s: %s; attempt %d, again in %.1f s", state.args[0], fault, state.attempt_number, wait)


def _retry_after(text: str | None) -> float | None:
    """Seconds to wait from a Retry-After header (seconds or an HTTP date), or None."""
    if not text:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _short(fault: Exception) -> str:
    """The last, most telling part of a nested connection fault."""
    return str(fault).rsplit(": ", 1)[-1].strip("')\" ")[:160] or type(fault).__name__
