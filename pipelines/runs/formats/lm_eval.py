"""Logs of lm-evaluation-harness: the samples of a task, and the results file beside them.

Layouts 0.4.1 to 0.4.13, seen in real logs of 0.4.1, 0.4.3, 0.4.5, 0.4.8 and 0.4.12: one JSON array and numbers to
0.4.2, JSON lines and strings from 0.4.3; one row per filter, with a field `filter` from 0.4.7. Readings chosen here:
- a choice is the first one with the highest log-likelihood; where the choices' texts were ranked without being shown
  (cloze), a second run takes the text's length into account, as `acc_norm` does: the harness divides the log-likelihood
  by the number of characters, some released tasks the probability. The one that explains the log's own
  `acc_norm` is taken, the harness's where both do;
- generated text is read from `resps`, as the model wrote it: filters are the harness's own reading of the same text, so
  they make no further runs; several texts of one sample (repeats) are attempts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log
from pathlib import PurePosixPath
from typing import Any

from pipelines.errors import Unreadable
from pipelines.runs.parsed import Ask, File, Fragment, Header, Peek, Prediction, Role
from pipelines.runs.shown import ask_of, bare, choices_of, prompt_of, unranked
from pipelines.runs.values import dict_of, float_of, has_image, int_of, short, text_of, texts_of, time_of

NAME = "lm_eval"
_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.\-]+?)\.jsonl?$")
_NORMS: dict[str, Callable[[float, int], float]] = {
    "log-likelihood / characters": lambda score, size: score / size,
    "probability / characters": lambda score, size: score - log(size),
}
_MODEL_ARGS = ("peft", "delta", "pretrained", "model", "path", "engine")


def sniff(look: Peek) -> Role | None:
    if look.shape in ("array", "lines", "object") and look.has("doc_id", "doc"):
        return "predictions"
    return "helper" if look.shape == "object" and look.has("results", "configs") else None


def group(look: Peek) -> str:
    """The folder: evaluations of one model that ask different questions are one run."""
    return str(PurePosixPath(look.name).parent)


def _stamp(name: str) -> str:
    """The time stamp that the samples and results files of one evaluation share; empty where they have none."""
    found = _STAMP.search(name)
    return found[1] if found else ""


def read(file: File, helpers: Sequence[File]) -> list[Fragment]:
    rows = file.rows()
    header = _header(file, helpers)
    plain: dict[str, list[Prediction]] = {}
    normalised: dict[str, list[Prediction]] = {name: [] for name in _NORMS}
    explained = dict.fromkeys(_NORMS, 0)
    seen: dict[str, tuple[Any, Any]] = {}
    lengths_differ = False
    for i, row in enumerate(rows.records()):
        where = rows.locator(i)
        doc, resps = row.get("doc"), row.get("resps")
        if not isinstance(doc, dict) or not isinstance(resps, list) or not resps:
            lack = "question in 'doc'" if not isinstance(doc, dict) else "response in 'resps'"
            raise Unreadable(f"a sample has no {lack}; run the harness with --log_samples again", where)
        # The same sample again under another filter; without a name (to 0.4.6) it repeats the very same responses.
        ident, label = f"{row.get('doc_id')}|{row.get('doc_hash', '')}", row.get("filter")
        first = seen.setdefault(ident, (label, resps))
        if first[1] is not resps and (label != first[0] or (label is None and first[1] == resps)):
            continue
        arguments = _arguments(row.get("arguments"))
        prompt = prompt_of(arguments[0][0]) if arguments else None
        scores = _scores(row, resps, doc, arguments)
        if scores is None:
            texts = [t for r in resps for t in (r if isinstance(r, list) else [r])]
            ask = ask_of(doc, prompt)
            for attempt, text in enumerate(texts, 1):
                if not isinstance(text, str):
                    raise Unreadable("a response is not text", f"{where}: {short(text)}")
                plain.setdefault("generated", []).append(
                    Prediction(where, ask, text, attempt=attempt if len(texts) > 1 else None)
                )
            continue
        ask, ranked, form = _ranked(doc, prompt, [a[1] for a in arguments[: len(scores)]], len(scores))
        plain.setdefault(form, []).append(_choose(where, ask, ranked, scores))
        if form == "cloze":
            sizes = [max(len(t), 1) for t in ranked]
            lengths_differ |= len(set(sizes)) > 1
            for name, norm in _NORMS.items():
                prediction = _choose(where, ask, ranked, [norm(s, n) for s, n in zip(scores, sizes, strict=True)])
                normalised[name].append(prediction)
                explained[name] += _explains(prediction, row)
    if any(has_image(row.get("arguments")) for row in rows.values):
        header.modality = "multimodal"
    session = _stamp(file.name) or file.folder
    fragments = [Fragment(_with(header, form), predictions, session=session) for form, predictions in plain.items()]
    if lengths_differ:
        best = max(_NORMS, key=explained.__getitem__)
        fragments.append(
            Fragment(_with(header, "cloze", f"scored length-normalised ({best})"), normalised[best], session=session)
        )
    return fragments


def _explains(prediction: Prediction, row: dict[str, Any]) -> bool:
    """Whether the choice is right exactly where the row's acc_norm says so (above 0: right)."""
    gold = int_of(row["doc"].get("gold", row["doc"].get("label", row.get("target"))))
    points = float_of(row.get("acc_norm"))
    return gold is not None and points is not None and (prediction.chosen == gold) == (points > 0)


def _with(header: Header, form: str, variant: str = "") -> Header:
    return replace(header, format=form, variant=variant)


def _scores(
    row: dict[str, Any], resps: list[Any], doc: dict[str, Any], arguments: Sequence[tuple[Any, str]]
) -> list[float] | None:
    """The log-likelihood of each choice, from [score, is_greedy] pairs; None when the responses are texts."""
    pairs = row.get("filtered_resps")
    if not (isinstance(pairs, list) and pairs and all(_is_pair(p) for p in pairs)):
        pairs = [r[0] if isinstance(r, list) and r and isinstance(r[0], list) else r for r in resps]
    if len(pairs) < 2 or not all(_is_pair(p) for p in pairs):
        return None
    if _has_unconditional(len(pairs), doc, [a[1].strip() for a in arguments]):
        pairs = pairs[: len(pairs) // 2]
    scores = [float_of(p[0]) for p in pairs]
    return [s for s in scores if s is not None] if None not in scores else [float("nan")] * len(pairs)


def _has_unconditional(n: int, doc: dict[str, Any], endings: Sequence[str]) -> bool:
    """True for acc_mutual_info, which asks for each choice again, without the question, in the second half."""
    if n % 2:
        return False
    if len(endings) == n:
        return n > 2 and list(endings[: n // 2]) == list(endings[n // 2 :])
    return len(texts_of(doc.get("choices")) or choices_of(doc)) == n // 2


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and str(value[1]).lower() in ("true", "false", "0", "1")


def _arguments(value: Any) -> list[tuple[Any, str]]:
    """Context (text, or messages) and continuation of each request, from a list (to 0.4.2) or a dict of dicts."""
    requests = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    found = []
    for request in requests:
        parts = list(request.values()) if isinstance(request, dict) else request
        if isinstance(parts, (list, tuple)) and parts and isinstance(parts[0], (str, list)):
            found.append((parts[0], parts[1] if len(parts) > 1 and isinstance(parts[1], str) else ""))
    return found


def _ranked(doc: dict[str, Any], prompt: str | None, endings: list[str], n: int) -> tuple[Ask, list[str], str]:
    """The question, the texts that were ranked, and whether the choices were shown (mc) or not (cloze)."""
    own = texts_of(doc.get("choices"))
    ask = ask_of(doc, prompt)
    ranked = [e.removeprefix(" ") for e in endings] if len(endings) == n and any(endings) else list(own)
    if len(ranked) != n:
        ranked = list(ask.choices) if len(ask.choices) == n else [str(i + 1) for i in range(n)]
    if bare(ranked) or ranked == list(texts_of(doc.get("labels"))):  # labels with a gap are not a list in order
        return ask, ranked, "mc"
    ask.choices, ask.labels = tuple(ranked), ()
    last = (prompt or "").rpartition("\n\n")[2]
    return ask, ranked, "mc" if prompt and all(t.strip() in last for t in ranked) else "cloze"


def _choose(where: str, ask: Ask, ranked: Sequence[str], scores: Sequence[float]) -> Prediction:
    if why := unranked(scores):
        return Prediction(where, ask, error=why)
    best = max(range(len(scores)), key=scores.__getitem__)
    evidence = f"highest log-likelihood of {len(scores)}: {scores[best]:.6g}"
    return Prediction(where, ask, response=ranked[best], chosen=best, evidence=evidence)


def _header(file: File, helpers: Sequence[File]) -> Header:
    """Model, version and time: from the results file of the same evaluation, as far as there is a readable one."""
    stamp = _stamp(file.name)
    header = Header("lm-evaluation-harness", created_at=time_of(_iso(stamp)))
    for helper in helpers:
        if _stamp(helper.name) != stamp:
            continue
        try:
            results = dict_of(helper.json())
        except Unreadable:
            continue
        config = dict_of(results.get("config"))
        # model_name is empty or a random word when model_args names no model (seen in 0.4.8 and 0.4.12).
        named = _model(config.get("model_args")) or text_of(config.get("model"))
        header.model = named or text_of(results.get("model_name")) or None
        header.version = text_of(results.get("lm_eval_version"))
        header.created_at = header.created_at or time_of(results.get("date"))
    return header


def _iso(stamp: str) -> str:
    day, _, time = stamp.partition("T")
    return f"{day}T{time.replace('-', ':')}"


def _model(arguments: Any) -> str | None:
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(",") if "=" in part)
    if not isinstance(arguments, dict):
        return None
    return next((str(arguments[k]).strip() for k in _MODEL_ARGS if arguments.get(k)), None)
