"""Prompts from a benchmark's templates: each question as its benchmark asks it of a model.

A benchmark's folder prompts/ holds prompts.toml and the templates that it names (Jinja; those of the exams that it
shares with others are found too); default/ beside this module serves a benchmark without one, and a folder of the
user's takes the place of both. An example (a question shown with its key) comes from prompts.toml or else from the
dataset; either way it is not among the questions that a run with this prompt is scored on (`examples` names them).
docs/adding-a-benchmark.md lists what a template may use. What comes back from a model is read by runs/ and answers/.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound

from pipelines.errors import SettingsError
from pipelines.questions.identity import fingerprint
from pipelines.registry import benchmarks

Question = dict[str, Any]
"""A question with the keys of export/content.FIELDS."""

FILE = "prompts.toml"
_DEFAULT = Path(__file__).resolve().parent / "default"


@dataclass(frozen=True)
class Prompt:
    """A way of asking in messages. `examples`: worked examples of the same topic that stand before the question."""

    variant: str
    system: str
    user: str
    source: str
    """Where the words come from."""
    examples: int = 0
    version: str = "1"

    def __post_init__(self) -> None:
        if self.examples < 0:
            raise ValueError(f"examples is {self.examples}, fewer than none")


@dataclass(frozen=True)
class Task:
    """A way of asking as one text, for evaluation harnesses; `form` is mc, cloze or generated.

    `delimiter` stands between the text and its continuation. `decline` (a template) is a further choice to rank, which
    declines to answer.
    """

    form: str
    text: str
    delimiter: str = ""
    decline: str | None = None


@dataclass(frozen=True)
class Example:
    """A question with its key that prompts.toml brings; `topic` None: for every topic."""

    question: str
    choices: tuple[str, ...]
    key: tuple[str, ...]
    topic: str | None = None

    def __post_init__(self) -> None:
        labels = ascii_uppercase[: len(self.choices)]
        if not self.key or not set(self.key) <= set(labels):
            raise ValueError(f"the key {list(self.key)} of an example is not among its choices {list(labels)}")

    def as_question(self) -> Question:
        """With the keys that templates use."""
        shown = [{"label": label, "text": text} for label, text in zip(ascii_uppercase, self.choices, strict=False)]
        return {
            "question": self.question, "passage": None, "choices": shown, "topic": self.topic, "exam": None,
            "answers": [{"labels": list(self.key), "value": None}], "source_key": "of the prompt's own",
            "fingerprint": fingerprint(self.question, self.choices),
        }  # fmt: skip


@dataclass(frozen=True)
class Message:
    """A prompt made for one question."""

    variant: str
    version: str
    system: str
    user: str
    source: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """As chat completions take them; an empty system message is none."""
        said = (("system", self.system.strip()), ("user", self.user.strip()))
        return [{"role": role, "content": text} for role, text in said if text]


class Prompts:
    """The prompts and tasks of one benchmark, from its folder or from `own`, a folder that takes its place.

    `digest` changes with any file that a prompt may be made from. Raises SettingsError, naming the file, for one that
    can't be used.
    """

    def __init__(self, benchmark: str, own: Path | None = None) -> None:
        folders = [*_own_folders(benchmark, own), *_folders(benchmark)]
        self.file = next(f / FILE for f in (*folders, _DEFAULT) if (f / FILE).is_file())
        self._templates = Environment(
            loader=FileSystemLoader([self.file.parent, *folders]), undefined=StrictUndefined, autoescape=False
        )
        self._templates.filters["trim_start"] = str.lstrip
        try:
            data = tomllib.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            raise SettingsError(f"{self.file} can't be read ({fault}); correct it") from None
        self.prompts: tuple[Prompt, ...] = tuple(self._typed(Prompt, data))
        self.tasks: dict[str, Task] = {task.form: task for task in self._typed(Task, data)}
        self._examples = [example.as_question() for example in self._typed(Example, data)]
        sources = sorted({f for folder in (self.file.parent, *folders) for f in folder.glob("*.t*") if f.is_file()})
        self.digest = hashlib.sha256(b"\0".join(f.name.encode() + f.read_bytes() for f in sources)).hexdigest()[:12]

    def _typed(self, kind: Any, data: dict[str, Any]) -> list[Any]:
        """The rows of a kind that the file holds."""
        name = kind.__name__.lower()
        rows = data.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise SettingsError(f"{self.file}: {name} is not a list of tables; write [[{name}]] over each")
        types = {f.name: str(f.type) for f in fields(kind)}
        for row in rows:
            if unknown := sorted(row.keys() - types.keys()):
                raise SettingsError(f"{self.file}: {unknown[0]!r} is not a key of {name}; remove it")
            if wrong := sorted(k for k, value in row.items() if not _fits(value, types[k])):
                raise SettingsError(
                    f"{self.file}: {wrong[0]} of {name} is {row[wrong[0]]!r}; give {_said(types[wrong[0]])}"
                )
        try:
            return [kind(**row) for row in rows]
        except TypeError as fault:
            raise SettingsError(f"{self.file}: {str(fault).partition('() ')[2]}; add what is missing") from None
        except ValueError as fault:
            raise SettingsError(f"{self.file}: {fault}; correct it") from None

    def task(self, form: str) -> Task:
        """The task of a form. Raises SettingsError where there is none."""
        if form not in self.tasks:
            raise SettingsError(f"{self.file} has no task {form}; add one, or rank without this folder of prompts")
        return self.tasks[form]

    def messages(self, found: Sequence[Question]) -> dict[str, list[Message]]:
        """The prompts of one dataset's questions, by question_id."""
        numbered = numbered_exams(found)
        shots = self._shots(found)
        return {q["question_id"]: [self._message(p, q, shots, numbered) for p in self.prompts] for q in found}

    def examples(self, prompt: Prompt, found: Sequence[Question]) -> set[str]:
        """Fingerprints of the questions that stand as examples in a prompt, which no run with it is scored on."""
        shots = self._shots(found)
        return {o["fingerprint"] for topic in {q["topic"] for q in found} for o in shots[topic][: prompt.examples]}

    def _shots(self, found: Sequence[Question]) -> dict[str | None, list[Question]]:
        """What may stand as an example, by topic: the prompts' own examples, else questions of the dataset."""
        shots: dict[str | None, list[Question]] = defaultdict(list)
        for topic in {q["topic"] for q in found}:
            own = [e for e in self._examples if e["topic"] in (topic, None)]
            keyed = (q for q in found if q["topic"] == topic and q["answers"] and q["answers"][0]["labels"])
            shots[topic] = own or list(keyed)
        return shots

    def _message(
        self, prompt: Prompt, q: Question, shots: dict[str | None, list[Question]], numbered: set[str | None]
    ) -> Message:
        others = [o for o in shots[q["topic"]] if o["fingerprint"] != q["fingerprint"]][: prompt.examples]
        values = _values(q, numbered) | {"examples": [_values(o, numbered) for o in others]}
        source = prompt.source
        if others:
            named = ", ".join(o["source_key"] for o in others)
            source += f"; {len(others)} examples of {prompt.examples}, of the same topic: {named}"
        elif prompt.examples:
            source += "; no example"
        system, user = self._render(prompt.system, values), self._render(prompt.user, values)
        return Message(prompt.variant, prompt.version, system, user, source)

    def text(self, task: Task, q: Question, numbered: set[str | None]) -> str:
        """The one text of a task for a question; `numbered` as numbered_exams gives it."""
        return self._render(task.text, _values(q, numbered))

    def decline(self, task: Task, q: Question) -> list[str]:
        """The further choice that declines, if the task has one."""
        if task.decline is None:
            return []
        return [self._templates.from_string(task.decline).render(_values(q, set()))]

    def _render(self, name: str, values: dict[str, Any]) -> str:
        try:
            return self._templates.get_template(name).render(values)
        except TemplateNotFound:
            raise SettingsError(f"{self.file} names {name}, which is not in its folder; add the template") from None
        except Exception as fault:  # a template is code of its writer's, and can raise anything
            raise SettingsError(f"{self.file}: {name} can't be used ({fault}); correct the template") from None


@cache
def prompts_of(benchmark: str) -> Prompts:
    """The prompts of a benchmark, read once."""
    return Prompts(benchmark)


def _fits(value: Any, kind: str) -> bool:
    """Whether a value of TOML is of a field's type."""
    if kind.startswith("tuple"):
        return isinstance(value, list) and all(isinstance(v, str) for v in value)
    return isinstance(value, int if kind == "int" else str) and not isinstance(value, bool)


def _said(kind: str) -> str:
    return "a list of texts" if kind.startswith("tuple") else "a whole number" if kind == "int" else "a text"


def _own_folders(benchmark: str, own: Path | None) -> list[Path]:
    """The user's folder for a benchmark: its folder of that name, else the folder itself. Raises SettingsError."""
    if own is None:
        return []
    found = [folder for folder in (own / benchmark, own) if (folder / FILE).is_file()]
    if not found:
        raise SettingsError(f"{own} holds neither {FILE} nor {benchmark}/{FILE}; put the prompts there")
    return found[:1]


def _folders(benchmark: str) -> list[Path]:
    known = benchmarks().get(benchmark)
    if known is None:
        return []
    shared = [known.folder.parent / known.card.exams / "prompts"] if known.card.exams else []
    return [known.folder / "prompts", *shared]


def _values(q: Question, numbered: set[str | None]) -> dict[str, Any]:
    """What a template may use of a question."""
    exam = q["exam"] or {}
    values = {
        "question": asked(q),
        "choices": [{"label": c["label"], "text": c["text"].strip()} for c in q["choices"]],
        "next_label": next_label(q),
        "topic": q["topic"],
        "profession": exam.get("profession"),
        "year": exam.get("year"),
        "numbered": exam.get("exam_id") in numbered,
        "record": json.dumps(
            {"question": asked(q)} | {c["label"]: c["text"] for c in q["choices"]}, ensure_ascii=False, indent=4
        ),
        "key": q["answers"][0]["labels"] if q["answers"] else [],
    }
    return values | {"q": values}


def numbered_exams(found: Sequence[Question]) -> set[str | None]:
    """The exams whose choices have numbers; those of an exam without choices count as letters."""
    return {(q["exam"] or {}).get("exam_id") for q in found if q["choices"] and q["choices"][0]["label"].isdecimal()}


def asked(q: Question) -> str:
    """The question with the passage it refers to."""
    return f"{q['passage'].strip()}\n\n{q['question'].strip()}" if q["passage"] else q["question"].strip()


def next_label(q: Question) -> str:
    """The label after a question's last one (F after A to E)."""
    last = q["choices"][-1]["label"] if q["choices"] else "@"
    return chr(ord(last) + 1) if len(last) == 1 else str(len(q["choices"]) + 1)
