"""OpenAI batch output, with the batch's input file beside it for the questions.

Layout of the Batch API (2024 to 2026): output lines {"custom_id", "response": {"status_code", "body"}, "error"} in any
order; input lines {"custom_id", "method", "url", "body"}. The body is a chat completion, a completion or a Responses
object. The question is found by custom_id (a question_id or source key) or in the prompt of the input line with the
same custom_id. Several choices of one response (n > 1) are attempts. One run for each model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from pipelines.runs.formats.opencompass import ask_of_prompt
from pipelines.runs.parsed import Ask, File, Fragment, Header, Prediction, Role, Unreadable
from pipelines.runs.reading import Peek, dict_of, load_rows, message_text, text_of, time_of

NAME = "openai_batch"


def sniff(look: Peek) -> Role | None:
    if look.shape not in ("lines", "object", "array") or not look.has("custom_id"):
        return None
    if look.has("response") or look.has("error"):
        return "predictions"
    return "helper" if look.has("body") and (look.has("url") or look.has("method")) else None


def group(name: str) -> str:
    """The folder: a batch's output, its errors and its input."""
    return str(PurePosixPath(name).parent)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    prompts = _prompts(helpers)
    rows = load_rows(file.data)
    fragments: dict[str | None, Fragment] = {}
    for i, row in enumerate(rows.records()):
        ident = text_of(row.get("custom_id"))
        if ident is None:
            raise Unreadable("a line has no custom_id", rows.locator(i))
        response = dict_of(row.get("response"))
        body = dict_of(response.get("body"))
        asked_model, prompt = prompts.get(ident, (None, None))
        model = text_of(body.get("model")) or asked_model
        header = Header("OpenAI batch", model=model, vendor="OpenAI" if model else None)
        fragment = fragments.setdefault(model, Fragment(header, []))
        made = body.get("created") or body.get("created_at")
        fragment.header.created_at = fragment.header.created_at or time_of(made)
        texts = _texts(body)
        ask = _ask(ident, prompt)
        if not texts:
            error = row.get("error") or body.get("error") or {}
            said = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
            why = said or f"no text in the response (status {response.get('status_code')})"
            fragment.predictions.append(Prediction(rows.locator(i), ask, error=why))
        fragment.predictions.extend(
            Prediction(rows.locator(i), ask, text, attempt=k if len(texts) > 1 else None)
            for k, text in enumerate(texts, 1)
        )
    # Requests that failed before a model answered belong to the only model there is.
    if None in fragments and len(fragments) == 2:
        nameless = fragments.pop(None)
        next(iter(fragments.values())).predictions.extend(nameless.predictions)
    return list(fragments.values())


def _ask(ident: str, prompt: str | None) -> Ask:
    ask = ask_of_prompt(prompt) if prompt else Ask()
    # An id is often wrapped: 'request-17', 'q_17', 'task-0|benchmark/release/17'.
    ask.question_id = ident.rpartition("|")[2]
    ask.source_key = re.sub(r"^(?:request|req|task|question|item|q|id|custom)[-_:#]", "", ident, flags=re.I)
    return ask


def _prompts(helpers: Sequence[File]) -> dict[str, tuple[str | None, str | None]]:
    """custom_id to model and last user text, from every readable input file."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for helper in helpers:
        try:
            rows = load_rows(helper.data).values
        except Unreadable:
            continue
        for row in rows:
            body, ident = dict_of(dict_of(row).get("body")), text_of(dict_of(row).get("custom_id"))
            if body and ident:
                found[ident] = (text_of(body.get("model")), _prompt(body))
    return found


def _prompt(body: dict[str, Any]) -> str | None:
    messages = body.get("messages") or body.get("input") or body.get("prompt")
    if isinstance(messages, list):
        turns = [m for m in messages if isinstance(m, dict) and m.get("role", "user") == "user"]
        return message_text(turns[-1].get("content")) if turns else None
    return messages if isinstance(messages, str) else None


def _texts(body: dict[str, Any]) -> list[str]:
    """The texts of a response body, one for each choice."""
    found: list[str] = []
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            message = dict_of(choice.get("message"))
            said = message_text(message.get("content")) or text_of(message.get("refusal"))
            found.append(said or text_of(choice.get("text")) or "")
    output = body.get("output")
    parts = [
        text
        for item in (output if isinstance(output, list) else ())
        if isinstance(item, dict) and item.get("type") == "message" and (text := message_text(item.get("content")))
    ]
    return found or (["\n".join(parts)] if parts else [])
