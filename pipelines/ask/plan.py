"""What is asked: questions of a dataset, the messages or choices to rank for each, and the settings that name the run.

Reads the published warehouse. Nothing is sent from here.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from pipelines.address import is_url, public
from pipelines.errors import SettingsError
from pipelines.export import lm_eval
from pipelines.export.content import questions
from pipelines.prompts import Prompt, Prompts, Question, prompts_of
from pipelines.runs.shown import ask_of_prompt
from pipelines.text.slugs import slug

RANKED = ("mc", "cloze")
"""Exported tasks whose choices can be ranked by log-likelihood."""
KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"))
"""How files of pictures begin; what begins otherwise is taken for WebP."""
LONGEST_NAME = 80
"""Characters of a model's name in a path; a file system takes 255 bytes."""
CJK_FROM = 0x2E80
"""Characters from here on are about a token each; before it, four make one."""


@dataclass(frozen=True)
class Wish:
    """What a person asked for. `variant`: a prompt of the benchmark (None: its first); `rank`: one of RANKED, to
    choose by log-likelihood. `parameters` go into each request as they are; a null takes one of ours out."""

    model: str
    base_url: str
    benchmark: str | None = None
    datasets: tuple[str, ...] = ()
    exam: str | None = None
    variant: str | None = None
    rank: str | None = None
    limit: int | None = None
    attempts: int = 1
    images: bool = False
    prompts: Path | None = None
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 1024
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rank not in (None, *RANKED):
            raise SettingsError(f"rank is {self.rank!r}; choices are ranked as {' or '.join(RANKED)}")
        for name in ("limit", "attempts", "max_tokens"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise SettingsError(f"{name} is {value}; give 1 or more")
        if not self.model.strip():
            raise SettingsError("model is empty; give its name on that server")
        try:
            json.dumps(self.request(), allow_nan=False)
        except ValueError:
            raise SettingsError("a parameter of requests is not a finite number; JSON has no word for it") from None

    def request(self) -> dict[str, Any]:
        """The parameters of a request, the same for each question."""
        ours = {"temperature": self.temperature, "seed": self.seed, "max_tokens": self.max_tokens}
        return {name: value for name, value in (ours | dict(self.parameters)).items() if value is not None}


@dataclass(frozen=True)
class Item:
    """A question as it is sent: messages, or (ranking) a context and the continuations to rank.

    `shown`: labels and texts of the choices that the prompt shows beyond the question's own, empty where it shows those
    alone. `answers` are the accepted ones, for whoever needs to know at once whether a response is right.
    """

    question: Question
    messages: tuple[dict[str, Any], ...] = ()
    context: str = ""
    continuations: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def question_id(self) -> str:
        return str(self.question["question_id"])

    @property
    def prompt(self) -> str:
        """The words sent, for the journal; a picture is not among them."""
        return self.context or "\n\n".join(_words(m["content"]) for m in self.messages)

    @property
    def tokens(self) -> int:
        """About how many tokens the prompt has; no tokenizer is at hand."""
        times = len(self.continuations) + 1 if self.continuations else 1
        return times * about_tokens(self.prompt) + sum(map(about_tokens, self.continuations))


@dataclass(frozen=True)
class Plan:
    """One dataset's questions for one run, in the order in which they are asked, and what was left out, in words.

    `header` is the run's identity: all that makes its answers another run's than those of the same model asked
    otherwise. How many questions are asked is not part of it, so that more can be asked later.
    """

    dataset_id: str
    items: tuple[Item, ...]
    header: dict[str, Any]
    left_out: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The journal's path below the inbox."""
        said = json.dumps(self.header, sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(said.encode()).hexdigest()[:8]
        folder = slug(self.header["model"])[:LONGEST_NAME].strip(".-") or "model"
        return f"ask/{folder}/{slug(self.dataset_id)}-{self.header['variant']}-{digest}.jsonl"


def prompt_rows(found: Sequence[Question]) -> list[dict[str, Any]]:
    """The rows of table `prompt` for one dataset's questions."""
    if not found:
        return []
    prompts = prompts_of(found[0]["benchmark"])
    messages = prompts.messages(found)
    return [
        {
            "question_id": q["question_id"], "variant": m.variant, "version": m.version, "digest": prompts.digest,
            "expected_form": q["answer_type"], "messages": json.dumps(m.messages, ensure_ascii=False),
            "source": m.source,
        }
        for q in found
        for m in messages[q["question_id"]]
    ]  # fmt: skip


def about_tokens(text: str) -> int:
    """About how many tokens a text has."""
    wide = sum(ord(c) >= CJK_FROM for c in text)
    return wide + (len(text) - wide + 3) // 4


def plans(con: duckdb.DuckDBPyConnection, wish: Wish, data: Path) -> list[Plan]:
    """A plan for each dataset that the wish names: the newest of each source, or of its benchmark, or those named.

    Raises SettingsError for a dataset, an exam or a variant that isn't there.
    """
    found = [_plan(con, wish, benchmark, dataset_id, data) for dataset_id, benchmark in _datasets(con, wish)]
    found = [plan for plan in found if plan.items or plan.left_out]
    if not any(plan.items for plan in found):
        why = "; ".join(line for plan in found for line in plan.left_out) or f"no question of {wish.exam or 'them'}"
        raise SettingsError(f"there is nothing to ask ({why}); name another dataset, exam or form")
    return found


def _datasets(con: duckdb.DuckDBPyConnection, wish: Wish) -> list[tuple[str, str]]:
    known = con.execute("select dataset_id, benchmark, is_latest from dataset order by dataset_id").fetchall()
    ids = [row[0] for row in known]
    if unknown := [d for d in wish.datasets if d not in ids]:
        raise SettingsError(f"the warehouse has no dataset {unknown[0]!r}; it holds {', '.join(ids)}")
    found = [
        (dataset_id, benchmark)
        for dataset_id, benchmark, is_latest in known
        if (dataset_id in wish.datasets if wish.datasets else is_latest) and wish.benchmark in (None, benchmark)
    ]
    if not found:
        raise SettingsError(f"the warehouse has no dataset of {wish.benchmark}; it holds {', '.join(ids)}")
    return found


def _plan(con: duckdb.DuckDBPyConnection, wish: Wish, benchmark: str, dataset_id: str, data: Path) -> Plan:
    found = questions(con, dataset_id)
    pictures = _pictures(con, dataset_id, data) if wish.images else {}
    prompts = Prompts(benchmark, wish.prompts)
    left_out: list[str] = []

    def keep(chosen: list[Question], is_kept: Any, why: str) -> list[Question]:
        kept = [q for q in chosen if is_kept(q)]
        if len(kept) < len(chosen):
            left_out.append(f"{dataset_id}: {len(chosen) - len(kept)} questions are not asked: {why}")
        return kept

    chosen = [q for q in found if wish.exam is None or _is_of(q, wish.exam)]
    if wish.images:
        chosen = keep(chosen, lambda q: not q["needs_image"] or q["question_id"] in pictures,
                      "they show a picture that is not at hand")  # fmt: skip
    else:
        chosen = keep(chosen, lambda q: not q["needs_image"], "they show a picture (--images: the model takes them)")
    if wish.rank:
        delimiter = prompts.task(wish.rank).delimiter
        docs = {d["question_id"]: d for d in lm_eval.documents_of(con, found, wish.rank, prompts)}
        chosen = keep(chosen, lambda q: q["question_id"] in docs, "no single choice is an answer to them, or can be "
                      f"ranked as {wish.rank}")  # fmt: skip
        items = [_to_rank(q, docs[q["question_id"]], delimiter) for q in _sampled(chosen, wish.limit)]
        name, form, words = f"{wish.rank}-ranked", wish.rank, f"the benchmark's {wish.rank} task, choices ranked"
        version = "1"
    else:
        prompt = _variant(prompts, wish, benchmark)
        examples = prompts.examples(prompt, found)
        chosen = keep(chosen, lambda q: q["fingerprint"] not in examples, "they are the prompt's examples")
        messages = {
            question_id: next(m for m in made if m.variant == prompt.variant)
            for question_id, made in prompts.messages(found).items()
        }
        chosen = keep(chosen, lambda q: messages[q["question_id"]].user.strip(), f"{prompt.user} has no words for them")
        items = []
        for q in _sampled(chosen, wish.limit):
            message = messages[q["question_id"]]
            shown = _with(message.messages, pictures.get(q["question_id"], ()), _labels(q, message.user))
            items.append(Item(q, tuple(shown), shown=_shown(q, message.user)))
        name, form, words, version = prompt.variant, "generated", prompt.source, prompt.version
    header = {
        "medexams_ask": 1, "model": wish.model, "base_url": public(wish.base_url), "dataset": dataset_id,
        "variant": name, "form": form, "modality": "multimodal" if wish.images else "text",
        "prompt": {"source": words, "version": version, "digest": prompts.digest,
                   "folder": wish.prompts.name if wish.prompts else None},
        "request": wish.request() if not wish.rank else {"seed": wish.seed},
    }  # fmt: skip
    return Plan(dataset_id, tuple(items), header, tuple(left_out))


def _variant(prompts: Prompts, wish: Wish, benchmark: str) -> Prompt:
    for prompt in prompts.prompts:
        if wish.variant in (None, prompt.variant):
            return prompt
    if not prompts.prompts:
        raise SettingsError(f"{prompts.file} has no [[prompt]]; add one")
    named = ", ".join(p.variant for p in prompts.prompts)
    raise SettingsError(f"{benchmark} has no prompt {wish.variant!r}; it has {named}")


def _is_of(q: Question, exam: str) -> bool:
    """Whether a question is of an exam, named by its id, its profession and year, or one of these."""
    if q["exam"] is None:
        return False
    named = (q["exam"]["exam_id"], q["exam"]["profession"], q["exam"]["profession_en"], str(q["exam"]["year"]))
    return exam in (*named, named[0].partition("/")[2])


def _sampled(found: Sequence[Question], limit: int | None) -> list[Question]:
    """A part drawn at random, always the same, so that a smaller one is within a larger one; all in exam order."""
    if limit is None or limit >= len(found):
        return list(found)
    return sorted(found, key=lambda q: hashlib.sha256(q["question_id"].encode()).digest())[:limit]


def _to_rank(q: Question, doc: dict[str, Any], delimiter: str) -> Item:
    ranked = tuple(doc["choices"])
    shown = _shown(q, doc["query"])
    if not shown and len(ranked) > len(q["choices"]):
        shown = {"labels": (), "choices": ranked}
    continuations = tuple(delimiter + text for text in ranked)
    return Item(q, context=doc["query"], continuations=continuations, ranked=ranked, shown=shown)


def _shown(q: Question, prompt: str) -> dict[str, tuple[str, ...]]:
    """The choices of a prompt that offers more than the question's own (one to decline, say)."""
    ask = ask_of_prompt(prompt)
    if len(ask.choices) <= len(q["choices"]):
        return {}
    return {"labels": tuple(ask.labels), "choices": tuple(ask.choices)}


# ---- pictures ----------------------------------------------------------------------------------------------------

Picture = tuple[int | None, str]
"""Of which choice it is (None: of the stem or its passage), and its address; a file's is a data address."""


def _pictures(con: duckdb.DuckDBPyConnection, dataset_id: str, data: Path) -> dict[str, list[Picture]]:
    """Each question's pictures, those of its choices last; a question of which one is missing is absent."""
    rows = con.execute(
        """select i.question_id, try_cast(split_part(i.place, ':', 2) as integer) as position, i.url, i.path
           from question_image as i join question as q using (question_id) where q.dataset_id = ?
           order by i.question_id, position nulls first, i.place""",
        [dataset_id],
    ).fetchall()
    found: dict[str, list[tuple[int | None, str | None]]] = {}
    for question_id, position, url, path in rows:
        found.setdefault(question_id, []).append((position, _picture(url, data / path if path else None)))
    whole = {question_id: [(p, url) for p, url in all_ if url] for question_id, all_ in found.items()}
    return {question_id: kept for question_id, kept in whole.items() if len(kept) == len(found[question_id])}


def _picture(url: str | None, path: Path | None) -> str | None:
    if path and path.is_file():
        data = path.read_bytes()
        kind = next((kind for begins, kind in KINDS if data.startswith(begins)), "image/webp")
        return f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return url if url and is_url(url) else None


def _labels(q: Question, prompt: str) -> list[str]:
    """What the prompt calls the question's choices; their own labels where it shows none."""
    shown, own = ask_of_prompt(prompt).labels, [c["label"] for c in q["choices"]]
    return list(shown) if len(shown) >= len(own) else own


def _with(messages: list[dict[str, str]], pictures: Sequence[Picture], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Messages with pictures in the last of them, a choice's after its label."""
    if not pictures:
        return [dict(m) for m in messages]
    *before, last = messages
    parts: list[dict[str, Any]] = [{"type": "text", "text": last["content"]}]
    for position, url in pictures:
        if position is not None:
            parts.append({"type": "text", "text": f"{labels[position]}:"})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return [*map(dict, before), {"role": last["role"], "content": parts}]


def _words(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if "text" in part)
