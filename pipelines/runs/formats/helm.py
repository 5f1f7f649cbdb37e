"""HELM run folders: scenario_state.json holds requests and completions, run_spec.json beside it the model's name.

Layout of crfm-helm 0.4 and 0.5, seen in a real MMLU folder. In the joint method the model saw the choices under the
letters of `output_mapping`, and answers in text. In the separate methods each choice is a request of its own: the one
with the highest log-probability per token is taken, or, where there are calibration requests, the highest one less that
of its calibration (as HELM's metrics do). Perturbed copies of an instance are not answers to the question: left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import in_prompt, prompt_of, unranked
from pipelines.runs.values import dict_of, ended_at_limit, float_of, has_image, int_of, text_of, time_of

NAME = "helm"
# run_spec.json, per_instance_stats.json, scenario.json, stats.json, instances.json, display_requests.json and
# display_predictions.json.
_HELPERS = (("scenario_spec", "adapter_spec"), ("instance_id", "stats"), ("definition_path", "tags"),
            ("name", "sum_squared"), ("input", "references", "id"), ("instance_id", "request"),
            ("instance_id", "predicted_text"))  # fmt: skip


def sniff(look: Peek) -> Role | None:
    if look.shape == "object" and look.has("adapter_spec", "request_states"):
        return "predictions"
    known = look.shape in ("object", "array") and any(look.has(*keys) for keys in _HELPERS)
    return "helper" if known else None


def group(look: Peek) -> str:
    """The suite: the folder that holds the run folders."""
    return str(PurePosixPath(look.name).parent.parent)


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    state = file.json()
    states = state.get("request_states") if isinstance(state, dict) else None
    if not isinstance(states, list) or not states:
        raise Unreadable("the HELM run holds no 'request_states'; run it again")
    adapter = dict_of(state.get("adapter_spec"))
    header = Header("HELM")
    name = text_of(adapter.get("model")) or text_of(adapter.get("model_deployment")) or ""
    vendor, _, model = name.rpartition("/")
    header.model, header.vendor, header.dataset = model or None, vendor or None, _scenario(file, helpers)
    separate = str(adapter.get("method")).startswith("multiple_choice_separate")
    header.format = "cloze" if separate else "generated"
    asked: dict[tuple[str, int], list[tuple[int, dict[str, Any]]]] = {}
    for i, request in enumerate(states):
        if not isinstance(request, dict) or not isinstance(request.get("instance"), dict):
            raise Unreadable("a request of the HELM run has no 'instance'", f"request_states[{i}]")
        if has_image(dict_of(request["instance"].get("input")).get("multimedia_content")):
            header.modality = "multimodal"
        if request["instance"].get("perturbation") is None:
            trial = int_of(request.get("train_trial_index")) or 0
            ident = text_of(request["instance"].get("id")) or f"#{i}"
            asked.setdefault((ident, trial), []).append((i, request))
    predictions = []
    for (_, trial), requests in asked.items():
        header.created_at = header.created_at or _time(requests[0][1])
        where = f"request_states[{requests[0][0]}]"
        if separate:
            predictions.append(_ranked(where, trial + 1, [r for _, r in requests]))
        else:
            predictions.extend(_said(f"request_states[{i}]", trial + 1, r) for i, r in requests)
    return [Fragment(header, predictions)]


def _scenario(file: File, helpers: Sequence[File]) -> str | None:
    for helper in helpers:
        if helper.name == f"{file.folder}/run_spec.json":
            try:
                return text_of(dict_of(helper.json()).get("name"))
            except Unreadable:
                return None
    return None


def _instance(request: dict[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """Text and references of the instance."""
    instance = request["instance"]
    references = instance.get("references")
    outputs = [dict_of(dict_of(r).get("output")) for r in (references if isinstance(references, list) else [])]
    texts = tuple(t for o in outputs if (t := text_of(o.get("text"))) is not None)
    return text_of(dict_of(instance.get("input")).get("text")), texts


def _completion(request: dict[str, Any]) -> dict[str, Any] | None:
    completions = dict_of(request.get("result")).get("completions")
    first = completions[0] if isinstance(completions, list) and completions else None
    return first if isinstance(first, dict) else None


def _time(request: dict[str, Any]) -> datetime | None:
    return time_of(dict_of(request.get("result")).get("request_datetime"))


def _said(where: str, attempt: int, request: dict[str, Any]) -> Prediction:
    stem, references = _instance(request)
    mapping = request.get("output_mapping")
    if isinstance(mapping, dict) and mapping:
        labels, shown = tuple(map(str, mapping)), tuple(str(v) for v in mapping.values())
    else:
        labels, shown = in_prompt(prompt_of(dict_of(request.get("request")).get("prompt")), references)
    completion = _completion(request)
    text = text_of(completion.get("text")) if completion else None
    ask = Ask(stem=stem or "", choices=shown, labels=labels)
    failed = _fault(request) if not (text or "").strip() else None
    error = failed or (None if text is not None else "the request has no completion")
    reason = (completion or {}).get("finish_reason")
    cut_off = ended_at_limit(dict_of(reason).get("reason") or reason)
    return Prediction(where, ask, text, attempt=attempt, error=error, cut_off=cut_off)


def _fault(request: dict[str, Any]) -> str | None:
    """HELM's word that a request failed; None where it went well."""
    result = dict_of(request.get("result"))
    said = text_of(result.get("error"))
    return said or ("the request failed (success is false)" if result.get("success") is False else None)


def _of_reference(completion: dict[str, Any], reference: str) -> tuple[float, int]:
    """Log-probability and number of the tokens of the reference, at the end of a completion that echoes the prompt."""
    total, count, text = 0.0, 0, ""
    tokens = completion.get("tokens")
    for token in reversed(tokens if isinstance(tokens, list) else []):
        if isinstance(token, dict) and len(text.strip()) < len(reference):
            text = f"{text_of(token.get('text')) or ''}{text}"
            total, count = total + (float_of(token.get("logprob")) or 0.0), count + 1
    return (total, count) if count else (float_of(completion.get("logprob")) or 0.0, 1)


def _ranked(where: str, attempt: int, requests: list[dict[str, Any]]) -> Prediction:
    stem, references = _instance(requests[0])
    scores: dict[int, float] = {}
    calibrated = any(r.get("request_mode") == "calibration" for r in requests)
    for request in requests:
        index, completion = int_of(request.get("reference_index")), _completion(request)
        if index is None or completion is None or not 0 <= index < len(references):
            continue
        logprob, tokens = _of_reference(completion, references[index])
        sign = -1 if request.get("request_mode") == "calibration" else 1
        scores[index] = scores.get(index, 0.0) + sign * (logprob if calibrated else logprob / tokens)
    ask = Ask(stem=stem, choices=references)
    if len(scores) != len(references) or not scores:
        fault = next((w for r in requests if (w := _fault(r))), "some choices have no log-probability")
        return Prediction(where, ask, attempt=attempt, error=fault)
    if why := unranked(list(scores.values())):
        return Prediction(where, ask, attempt=attempt, error=why)
    best = max(scores, key=lambda i: (scores[i], -i))
    evidence = f"highest log-probability of {len(scores)}: {scores[best]:.6g}"
    return Prediction(where, ask, references[best], chosen=best, evidence=evidence, attempt=attempt)
