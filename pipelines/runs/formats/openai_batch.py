"""OpenAI batch output, with the batch's input file beside it for the questions.

Layout of the Batch API (2024 to 2026): output lines {"custom_id", "response": {"status_code", "body"}, "error"} in any
order; input lines {"custom_id", "method", "url", "body"}. The body is a chat completion, a completion or a Responses
object. The question is found by custom_id (a question_id or source key) or in the prompt of the input line with the
same custom_id. Several choices of one response (n > 1) are attempts. One run for each model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import ask_of_prompt, prompt_of
from pipelines.runs.values import dict_of, ended_at_limit, has_image, message_text, text_of, time_of

NAME = "openai_batch"


def sniff(look: Peek) -> Role | None:
    if look.shape not in ("lines", "object", "array") or not look.has("custom_id"):
        return None
    if look.has("response") or look.has("error"):
        return "predictions"
    return "helper" if look.has("body") and (look.has("url") or look.has("method")) else None


def group(look: Peek) -> str:
    """The folder: a batch's output, its errors and its input."""
    return str(PurePosixPath(look.name).parent)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    asked = _requests(helpers)
    rows = file.rows()
    fragments: dict[str | None, Fragment] = {}
    for i, row in enumerate(rows.records()):
        ident = text_of(row.get("custom_id"))
        if ident is None:
            raise Unreadable("a line has no custom_id", rows.locator(i))
        response = dict_of(row.get("response"))
        body = dict_of(response.get("body"))
        request = asked.get(ident, _Asked())
        model = text_of(body.get("model")) or request.model
        header = Header("OpenAI batch", model=model, vendor="OpenAI" if model else None)
        fragment = fragments.setdefault(model, Fragment(header, []))
        if request.image:
            fragment.header.modality = "multimodal"
        made = body.get("created") or body.get("created_at")
        fragment.header.created_at = fragment.header.created_at or time_of(made)
        ask = _ask(ident, request.prompt)
        said = _answers(body)
        if not said:
            error = row.get("error") or body.get("error") or {}
            why = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
            why = why or f"no text in the response (status {response.get('status_code')})"
            fragment.predictions.append(Prediction(rows.locator(i), ask, error=why))
        fragment.predictions.extend(
            Prediction(
                rows.locator(i), ask, text, attempt=k if len(said) > 1 else None, refused=refused, cut_off=cut_off
            )
            for k, (text, refused, cut_off) in enumerate(said, 1)
        )
    # Requests that failed before a model answered belong to the only model there is.
    if None in fragments and len(fragments) == 2:
        nameless = fragments.pop(None)
        next(iter(fragments.values())).predictions.extend(nameless.predictions)
    return list(fragments.values())


def _ask(ident: str, prompt: str | None) -> Ask:
    ask = ask_of_prompt(prompt) if prompt is not None else Ask()
    # An id is often wrapped: 'request-17', 'q_17', 'task-0|benchmark/release/17'.
    ask.question_id = ident.rpartition("|")[2]
    ask.source_key = re.sub(r"^(?:request|req|task|question|item|q|id|custom)[-_:#]", "", ident, flags=re.I)
    return ask


@dataclass(frozen=True)
class _Asked:
    """What an input line asked: the model, the user's last text, and whether there was an image."""

    model: str | None = None
    prompt: str | None = None
    image: bool = False


def _requests(helpers: Sequence[File]) -> dict[str, _Asked]:
    """custom_id to what was asked, from every readable input file."""
    found: dict[str, _Asked] = {}
    for helper in helpers:
        try:
            rows = helper.rows().values
        except Unreadable:
            continue
        for row in rows:
            body, ident = dict_of(dict_of(row).get("body")), text_of(dict_of(row).get("custom_id"))
            if body and ident:
                asked = body.get("messages") or body.get("input") or body.get("prompt")
                found[ident] = _Asked(text_of(body.get("model")), prompt_of(asked), has_image(asked))
    return found


def _answers(body: dict[str, Any]) -> list[tuple[str, bool, bool]]:
    """Text, whether it is a refusal and whether it was cut off, for each choice of a body; empty without a response.

    In both APIs a response that ends before its first word is an empty text: the request went well.
    """
    found: list[tuple[str, bool, bool]] = []
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            message = dict_of(choice.get("message"))
            said, refusal = message_text(message.get("content")), text_of(message.get("refusal"))
            shown = said or refusal or text_of(choice.get("text")) or ""
            found.append((shown, bool(refusal and not said), ended_at_limit(choice.get("finish_reason"))))
    output = body.get("output")
    if not isinstance(output, list) or body.get("status") in ("failed", "cancelled"):
        return found
    parts = [
        part
        for item in output
        if isinstance(item, dict) and item.get("type") == "message"
        for part in (item["content"] if isinstance(item.get("content"), list) else [])
        if isinstance(part, dict)
    ]
    said = message_text(parts) or ""
    refusal = "\n".join(text for part in parts if (text := text_of(part.get("refusal"))))
    cut_off = ended_at_limit(dict_of(body.get("incomplete_details")).get("reason"))
    return [(said or refusal, bool(refusal and not said), cut_off)]
