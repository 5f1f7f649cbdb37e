"""One OpenAI-compatible server: a request, its response as plain data, and which faults are tried again.

408, 409, 429, 5xx and a broken connection are tried again, Retry-After is waited for; the rest is final. A fault that
every question would meet (key, address, model) is Hopeless. No text of an error holds the key or a header.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from pipelines.ask.journal import HIDDEN, SHORTEST_SECRET
from pipelines.errors import MedexamsError, SettingsError
from pipelines.runs.values import dict_of, int_of, message_text, short, text_of

AGAIN = (408, 409, 429)
HOPELESS = (401, 403, 404)
LONGEST_WAIT = 120.0
"""The longest Retry-After that is waited for, in seconds."""
MOST_BYTES = 16 * 2**20
"""The longest response that is read."""
MOST_BYTES_OF_ERROR = 64 * 2**10
"""As much is read of what an error says; the rest is not waited for."""
BACKOFF = 1.0
"""Seconds before the second try; each later one waits twice as long."""
BODY = "medexams.body"
log = logging.getLogger(__name__)


class Failed(MedexamsError):
    """A question got no answer."""


class Hopeless(Failed):
    """No question would get one."""


class NoLogprobs(Failed):
    """The server gives no log-probabilities of a prompt."""


@dataclass(frozen=True)
class Reply:
    """A response. `text` None: the server sent no content; `reasoning` is what it keeps apart from the answer."""

    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    is_refusal: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Endpoint:
    """A server and a model on it. `timeout`: seconds that one try may take in all; `tries` of one question."""

    def __init__(self, base_url: str, model: str, key: str | None, timeout: float = 120.0, tries: int = 4) -> None:
        parts = _split(base_url)
        if parts.username or parts.password or parts.query:
            raise SettingsError(
                "--base-url may hold no user, password or parameters; give the key in the environment "
                "(MEDEXAMS_ASK_KEY or OPENAI_API_KEY)"
            )
        try:
            import openai
        except ImportError:
            raise SettingsError("asking needs the package openai; install it: pip install 'medexams[ask]'") from None
        self.model, self._timeout, self._tries, self._key = model, timeout, tries, key or ""
        self._openai = openai
        self._client = openai.AsyncOpenAI(
            api_key=key or "none", base_url=base_url, max_retries=0, timeout=timeout,
            default_headers={"Accept-Encoding": "identity"},  # so that bytes that are counted are bytes that came
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False, timeout=timeout, event_hooks={"response": [_bounded]}
            ),
        )  # fmt: skip

    async def close(self) -> None:
        await self._client.close()

    async def chat(self, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]) -> Reply:
        """A generated answer. Raises Failed."""
        create = self._client.chat.completions.with_streaming_response.create
        body = await self._tried(create, messages=list(messages), extra_body=dict(parameters))
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise Failed(
                self._hide(f"the response holds no choice: {short(json.dumps(body, ensure_ascii=False), 120)}")
            )
        message = dict_of(choices[0].get("message"))
        said, refusal = message_text(message.get("content")), text_of(message.get("refusal"))
        reasoning = text_of(message.get("reasoning_content")) or text_of(message.get("reasoning"))
        text, thought = apart(said or refusal or "")
        return Reply(
            text, reasoning or thought, text_of(choices[0].get("finish_reason")), bool(refusal and not said),
            *_usage(body),
        )  # fmt: skip

    async def loglikelihoods(self, context: str, continuations: Sequence[str]) -> tuple[list[float], int]:
        """The log-likelihood of each continuation after a context, as lm-evaluation-harness has it from such a server,
        and the tokens that this took. Raises Failed; NoLogprobs where the server can't do it.

        Blanks at the end of the context belong to the continuation. The context's own tokens are counted by a prompt
        that ends with it: what a whole prompt has beyond them is the continuation.
        """
        kept = context.rstrip()
        prompts = [kept, *(context + text for text in continuations)]
        create = self._client.completions.with_streaming_response.create
        asked = {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0, "seed": 1234}
        try:
            body = await self._tried(create, prompt=prompts, extra_body=asked)
        except Hopeless:
            raise
        except Failed as fault:
            raise NoLogprobs(str(fault)) from None
        choices = body.get("choices")
        given = [c for c in (choices if isinstance(choices, list) else ()) if isinstance(c, dict)]
        found = sorted(given, key=lambda c: int_of(c.get("index")) or 0)
        named = [dict_of(c.get("logprobs")).get("token_logprobs") for c in found]
        listed = [probs for probs in named if isinstance(probs, list) and len(probs) > 1]
        if len(named) != len(prompts) or len(listed) != len(prompts):
            raise NoLogprobs("the server gives no log-probabilities of the prompt (echo with logprobs)")
        start = len(listed[0]) - 1  # the last token is one that the model wrote
        scores = [math.fsum(p if isinstance(p, int | float) else 0.0 for p in probs[start:-1]) for probs in listed[1:]]
        return scores, _usage(body)[0] or 0

    async def _tried(self, create: Any, **what: Any) -> dict[str, Any]:
        """The body of a response, after as many tries as it takes. Raises Failed."""
        for n in range(1, self._tries + 1):
            wait = BACKOFF * 2 ** (n - 1)
            try:
                async with asyncio.timeout(self._timeout):
                    return await self._once(create, what)
            except self._openai.APIStatusError as fault:
                why, code = self._said(fault), fault.status_code
                if code in HOPELESS or 300 <= code < 400:
                    raise Hopeless(why) from None
                if code not in AGAIN and code < 500:
                    raise Failed(why) from None
                asked = _retry_after(fault.response.headers)
                if asked is not None and asked > LONGEST_WAIT:
                    raise Hopeless(f"{why}; it asks to wait {asked:.0f} seconds: ask again then") from None
                wait = asked if asked is not None else wait
            except TimeoutError:
                why = f"no whole answer within {self._timeout:g} seconds"
            except (self._openai.APIError, OSError, ValueError) as fault:
                why = self._hide(f"the connection broke ({type(fault).__name__}: {short(str(fault), 120)})")
            except _Unfit as fault:
                why = self._hide(str(fault))
            except Exception as fault:  # of the HTTP library, whose name changes between releases of openai
                if not type(fault).__module__.startswith("http"):
                    raise
                why = self._hide(f"the connection broke ({type(fault).__name__})")
            log.info("try %d of %d: %s", n, self._tries, why)
            if n < self._tries:
                await asyncio.sleep(wait)
        raise Failed(why)

    async def _once(self, create: Any, what: dict[str, Any]) -> dict[str, Any]:
        data = bytearray()
        async with create(model=self.model, **what) as response:
            async for chunk in response.iter_bytes():
                data += chunk
                if len(data) > MOST_BYTES:
                    raise _Unfit(f"the response is longer than {MOST_BYTES} bytes")
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            text = data[:200].decode("utf-8", "replace").strip()
            what_came = "a web page" if text[:1] == "<" else "no JSON" if text else "nothing"
            raise _Unfit(f"{what_came} came instead of an answer: {short(text, 80)!r}") from None
        if not isinstance(body, dict):
            raise _Unfit("the response is no JSON object")
        if body.get("error") and not body.get("choices"):
            raise _Unfit(f"the server says: {short(str(dict_of(body['error']).get('message') or body['error']), 160)}")
        return body

    def _said(self, fault: Any) -> str:
        """An error of the server in its own words, with the code; a page of a proxy is named as one."""
        text = fault.response.extensions[BODY].decode("utf-8", "replace").strip()
        try:
            body = dict_of(json.loads(text))
        except (ValueError, RecursionError):
            body = {}
        named = body.get("error")
        said = dict_of(named).get("message") or text_of(named) or body.get("message") or text
        if fault.status_code == 404 and not said:
            said = "there is no such address"
        text = short(str(said).strip(), 200)
        if text[:1] == "<":
            text = "a web page came: is a proxy in between?"
        if 300 <= fault.status_code < 400:
            text = "the server redirects; give the address that it leads to as --base-url"
        return self._hide(f"the server says {fault.status_code}{f' ({text})' if text else ''}")

    def _hide(self, text: str) -> str:
        return text.replace(self._key, HIDDEN) if len(self._key) >= SHORTEST_SECRET else text


class _Unfit(Exception):
    """A response that is no answer."""


async def _bounded(response: Any) -> None:
    """Read the first bytes of an error, before the client reads them all; they become an extension of the response."""
    if response.status_code < 300:
        return
    data = bytearray()
    async for chunk in response.stream:
        data += chunk
        if len(data) >= MOST_BYTES_OF_ERROR:
            break
    response.extensions[BODY] = bytes(data[:MOST_BYTES_OF_ERROR])
    await response.aclose()


def apart(text: str) -> tuple[str, str | None]:
    """The answer and the thoughts of a text that begins with a closed <think> block; an open one stays in the text,
    since no answer came."""
    head, end, rest = text.partition("</think>")
    if end and head.lstrip().startswith("<think>"):
        return rest.lstrip(), head.lstrip().removeprefix("<think>").strip()
    return text, None


def _split(base_url: str) -> Any:
    try:
        parts = urlsplit(base_url)
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError("--base-url is not an http(s) address; give one such as http://127.0.0.1:8000/v1")
    return parts


def _usage(body: dict[str, Any]) -> tuple[int | None, int | None]:
    usage = dict_of(body.get("usage"))
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return tuple(c if isinstance(c, int) and c >= 0 else None for c in counts)  # type: ignore[return-value]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from a number or a date."""
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
