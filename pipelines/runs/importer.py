"""The door to this package: which files make one run, and the rows that a run becomes.

    plan(files, card)              the files of a folder or an inbox to groups, by a look at their content
    read(group, questions, at)     one group to rows: pure, never raises on any bytes
    cache_key(group, questions)    equal as long as `read` would give the same rows
    merge(parts)                   many results as one, each run once

A broken file becomes one row of rejected_file, and the rest goes on. Where two files of a group answer the same
question, the second one is another run.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pipelines import answers
from pipelines.runs import archives
from pipelines.runs.archives import LIMITS, Limits
from pipelines.runs.formats import card, formats
from pipelines.runs.formats.card import Card
from pipelines.runs.matching import ABSTAIN, Match, Matched, Question, QuestionIndex
from pipelines.runs.parsed import File, Fragment, Header, Prediction, Unreadable
from pipelines.runs.reading import Peek, clean, load_rows, peek, short, slug
from pipelines.runs.shown import letters
from pipelines.schema import TABLES

READER_VERSION = 3
"""Raised with each change that may read or match a file differently."""

TABLE_NAMES = ("run", "prediction", "rejected_file", "unmatched_prediction")
_MASK_BITS = 31  # prediction.selection is a signed 32-bit mask
_IGNORED = ("__MACOSX", "Thumbs.db", "desktop.ini")

Loader = Callable[[], bytes]


@dataclass(frozen=True)
class Entry:
    """A file that is known but not held: its name, its SHA-256, and how to load it."""

    name: str
    sha256: str
    load: Loader = field(compare=False)

    def file(self) -> File:
        return File(self.name, self.load())


@dataclass(frozen=True)
class Group:
    """Files that are read together, in the order of their names: `files` hold predictions, `helpers` what they need."""

    format: str
    files: tuple[Entry, ...]
    helpers: tuple[Entry, ...] = ()
    card: Card | None = None

    @property
    def sha256(self) -> str:
        """Of one file, its own; of several, over theirs."""
        hashes = sorted(f.sha256 for f in self.files)
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()

    @property
    def name(self) -> str:
        """For a person: the file, or the folder and how many files."""
        if len(self.files) == 1:
            return self.files[0].name
        return f"{_common_folder([f.name for f in self.files]) or '.'} ({len(self.files)} files)"


@dataclass
class Imported:
    """Rows as dicts, by table; `frames` gives them typed as schema.py states."""

    run: list[dict[str, Any]] = field(default_factory=list)
    prediction: list[dict[str, Any]] = field(default_factory=list)
    rejected_file: list[dict[str, Any]] = field(default_factory=list)
    unmatched_prediction: list[dict[str, Any]] = field(default_factory=list)

    def frames(self) -> dict[str, pl.DataFrame]:
        return {name: TABLES[name].frame(getattr(self, name)) for name in TABLE_NAMES}

    def counts(self) -> dict[str, Counter[str]]:
        """Predictions by status, and unmatched ones, for each run or file."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.prediction:
            found[row["run_id"]][row["status"]] += 1
        for row in self.unmatched_prediction:
            found[row["run_id"]]["unmatched"] += 1
        return found

    def reject(self, path: str, reason: str, detail: str | None = None, format: str | None = None) -> None:
        said = clean(detail) if detail else None
        self.rejected_file.append({"path": clean(path), "format": format, "reason": clean(reason), "detail": said})


@dataclass
class Plan:
    """Groups to read, and the files that nothing can read."""

    groups: list[Group]
    rejected: Imported


# ---- from files to groups ------------------------------------------------------------------------------------------


def walk(path: Path, limits: Limits = LIMITS) -> dict[str, Loader]:
    """The files at or below a path, by names with '/'. Names keep the folders above that say whose results they are."""
    path = path.resolve()
    root = path.parent
    for parent in (path, *path.parents):
        # KokushiMD: company/model/text/profession/file.
        if parent.name in ("text", "multimodal") and len(parent.parts) > 3:
            root = parent.parents[2]
            break
    found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and not p.is_symlink())
    return {p.relative_to(root).as_posix(): partial(_read_file, p, limits) for p in found}


def _read_file(path: Path, limits: Limits) -> bytes:
    _check_size(path.stat().st_size, limits)
    return path.read_bytes()


def _check_size(size: int, limits: Limits) -> None:
    if size > limits.file_bytes:
        what = f"the file has {size} bytes, over the limit of {limits.file_bytes}"
        raise Unreadable(f"{what}; split it, or raise MEDEXAMS_MAX_BYTES")


def plan(files: Mapping[str, Loader], given: Card | None = None, limits: Limits = LIMITS) -> Plan:
    """Which files make one run. `given` is what a person says of all of them and wins over card files."""
    rejected = Imported()
    members: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    helpers: dict[str, list[Entry]] = defaultdict(list)
    cards: dict[str, Card] = {}
    for name, load, data, look in _unpacked(files, rejected, limits):
        is_card = card.is_card(name)
        with _rejecting(rejected, name, "card" if is_card else None):
            if is_card:
                cards[_card_place(name)] = card.read(File(name, data))
                continue
            role, found = classify(look, data)
            entry = Entry(name, hashlib.sha256(data).hexdigest(), load)
            if role == "helper":
                helpers[found].append(entry)
            else:
                members[found, formats()[found].group(name)].append(entry)
    groups = []
    used: set[str] = set()
    for (fmt, _), entries in sorted(members.items(), key=lambda item: item[1][0].name):
        entries.sort(key=lambda e: e.name)
        near = _near(entries, helpers.get(fmt, []), formats()[fmt].group)
        used |= {e.name for e in near}
        for own, part in _by_card(entries, cards):
            said = given.over(own) if given else own
            groups.append(Group(fmt, tuple(part), tuple(near), said))
    for fmt, lonely in helpers.items():
        for entry in lonely:
            if entry.name not in used:
                rejected.reject(
                    entry.name, f"the file belongs to {fmt} predictions, but there are none beside it", None, fmt
                )
    return Plan(groups, rejected)


def classify(look: Peek, data: bytes) -> tuple[str, str]:
    """Role and format of a file. Raises Unreadable when no format knows it, and says where its JSON is broken."""
    for fmt in formats().values():
        if role := fmt.sniff(look):
            return role, fmt.NAME
    if look.shape == "empty":
        raise Unreadable("the file is empty; write it again")
    if look.shape == "zip":
        raise Unreadable("the zip archive is broken or cut off; write it again")
    if look.shape in ("array", "object", "lines"):
        load_rows(data)
    keys = ", ".join(map(str, look.first)) if look.first else ", ".join(look.columns)
    raise Unreadable(
        "no known format of predictions: a plain table needs a column prediction, response or answer, and one that "
        "names the question (question_id, source_key, index with exam columns, or question)",
        f"looks like {look.shape}" + (f" with {short(keys, 200)}" if keys else f": {short(look.head, 60)!r}"),
    )


def _unpacked(
    files: Mapping[str, Loader], rejected: Imported, limits: Limits, depth: int = 0
) -> Iterator[tuple[str, Loader, bytes, Peek]]:
    """Every file with its bytes and a look at them; in an archive's place the files in it."""
    for name, load in files.items():
        if any(part.startswith(".") or part in _IGNORED for part in name.split("/")):
            continue
        inner: dict[str, Loader] = {}
        with _rejecting(rejected, name):
            data = _limited(load, limits)
            look = peek(name, data)
            if look.shape not in ("zip", "gzip", "tar") or any(f.sniff(look) for f in formats().values()):
                yield name, load, data, look
                continue
            if depth >= limits.depth:
                raise Unreadable("the archive is packed in too many others; unpack it and add the folder")
            for member, loader in archives.members(look.shape, name, data, limits):
                # A gzip file stands for its content, in the same folder.
                beside = f"{name.rpartition('/')[0]}/{member}".lstrip("/")
                stands_in = look.shape == "gzip" and (beside == name or beside not in files)
                inner[beside if stands_in else f"{name}/{member}"] = loader
            if not inner:
                raise Unreadable("the archive is empty or broken; write it again")
            yield from _unpacked(inner, rejected, limits, depth + 1)


@contextmanager
def _rejecting(out: Imported, name: str, fmt: str | None = None) -> Iterator[None]:
    """Whatever goes wrong with a file inside becomes its row of rejected_file."""
    try:
        yield
    except Unreadable as e:
        out.reject(name, e.reason, e.detail, fmt)
    except OSError as e:
        out.reject(name, "the file can't be opened; check its permissions and add it again", str(e), fmt)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as e:  # Polars' panics are no Exceptions
        reason = f"the file is not what a file of the format {fmt} should be" if fmt else "the file can't be read"
        out.reject(name, reason, f"{type(e).__name__}: {short(str(e), 200)}", fmt)


def _limited(load: Loader, limits: Limits) -> bytes:
    data = load()
    _check_size(len(data), limits)
    return data


def _card_place(name: str) -> str:
    """What a card is about: its folder (with '/' at the end), or the file or archive that it is named after."""
    folder, _, base = name.rpartition("/")
    own = base.casefold().removesuffix("card.toml").removesuffix(".")
    return f"{folder}/{own}" if own else f"{folder}/"


def _by_card(entries: Sequence[Entry], cards: Mapping[str, Card]) -> list[tuple[Card | None, list[Entry]]]:
    """The entries by what the nearest card says: the file's own, its folder's or archive's, or a folder's above."""
    found: dict[Card | None, list[Entry]] = {}
    for entry in entries:
        folder, _, base = entry.name.rpartition("/")
        places = [f"{folder}/{b}" for b in (base.casefold(), base.casefold().rpartition(".")[0])]
        while folder:
            above, _, own = folder.rpartition("/")
            places += [f"{folder}/", f"{above}/{own.casefold()}"]
            folder = above
        found.setdefault(next((cards[p] for p in (*places, "/") if p in cards), None), []).append(entry)
    return list(found.items())


def _near(entries: Sequence[Entry], helpers: Sequence[Entry], group: Callable[[str], str]) -> list[Entry]:
    """The helper files of a group: those of its own key, else those in its folder."""
    keys = {group(e.name) for e in entries}
    folders = {e.name.rpartition("/")[0] for e in entries}
    same = [h for h in helpers if group(h.name) in keys]
    return sorted(same or [h for h in helpers if h.name.rpartition("/")[0] in folders], key=lambda e: e.name)


def _common_folder(names: Sequence[str]) -> str:
    split = [n.split("/")[:-1] for n in names]
    shared = []
    for parts in zip(*split, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


# ---- from a group to rows ------------------------------------------------------------------------------------------


def cache_key(group: Group, questions: QuestionIndex) -> str:
    """Hex digest that is equal as long as `read` gives the same rows: files, names, card, readers, questions."""
    said = (
        READER_VERSION, answers.READER_VERSION, questions.digest, group.format, repr(group.card),
        *((e.name, e.sha256) for e in (*group.files, *group.helpers)),
    )  # fmt: skip
    return hashlib.sha256(repr(said).encode()).hexdigest()


def read(group: Group, questions: QuestionIndex, read_at: datetime) -> Imported:
    """The rows of one group. `read_at` (naive UTC) stands in where the files do not say when the run was made."""
    out = Imported()
    helpers: list[File] = []
    for entry in group.helpers:
        with _rejecting(out, entry.name, group.format):
            helpers.append(entry.file())
    runs: dict[str, list[Fragment]] = defaultdict(list)
    for entry in group.files:
        for fragment in _fragments(entry, group, helpers, out):
            fragment.file, fragment.session = entry.name, fragment.session or entry.name
            fragment.header = group.card.onto(fragment.header) if group.card else fragment.header
            if not fragment.header.model:
                out.reject(
                    entry.name,
                    "the file does not say which model answered; add a column model, a card.toml or --model",
                    format=group.format,
                )
            elif fragment.predictions:
                h = fragment.header
                runs[repr((h.model, h.format, h.variant, h.modality, h.dataset if h.model_in_rows else ""))].append(
                    fragment
                )
    firm = bool(group.card and group.card.dataset)
    for fragments in runs.values():
        rows = Imported(run=list(out.run))
        try:
            _add_runs(fragments, group, questions, read_at, firm, rows)
        except Exception as e:  # a defect here must not cost the other runs
            for name in dict.fromkeys(f.file for f in fragments):
                what = f"{type(e).__name__}: {short(str(e), 200)}"
                out.reject(name, "the predictions could not be matched to questions", what, group.format)
        else:
            out.run = rows.run
            out.prediction += rows.prediction
            out.unmatched_prediction += rows.unmatched_prediction
    return out


def _fragments(entry: Entry, group: Group, helpers: Sequence[File], out: Imported) -> list[Fragment]:
    """A file's fragments; none, and a row of rejected_file, when it can't be read."""
    with _rejecting(out, entry.name, group.format):
        fragments = formats()[group.format].read(entry.file(), helpers)
        if any(f.predictions for f in fragments):
            return fragments
        raise Unreadable("the file holds no predictions; write it again")
    return []


def _add_runs(
    fragments: Sequence[Fragment], group: Group, questions: QuestionIndex, read_at: datetime, firm: bool, out: Imported
) -> None:
    """The runs that fragments of one identity make: one for each dataset, more where files answer the same again."""
    header = fragments[0].header
    predictions = [p for f in fragments for p in f.predictions]
    files = [f.file for f in fragments for _ in f.predictions]
    sessions = [f.session for f in fragments for _ in f.predictions]
    for matched in questions.match(predictions, header.dataset, firm=firm):
        for places in _apart(sessions, matched):
            _add_run(header, predictions, files, matched, places, group, questions, read_at, out)


def _apart(sessions: Sequence[str], matched: Matched) -> list[list[int]]:
    """Indices of predictions by run: a session that answers a question of an earlier one starts another run."""
    by_session: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(sessions):
        by_session[name].append(i)
    runs: list[tuple[set[str], list[int]]] = []
    for places in by_session.values():
        asked = {r.question.question_id for i in places if isinstance(r := matched.results[i], Match)}
        home = next((run for run in runs if not run[0] & asked), None)
        if home is None:
            runs.append((asked, list(places)))
        else:
            home[0].update(asked)
            home[1].extend(places)
    return [places for _, places in runs]


def _add_run(
    header: Header, predictions: Sequence[Prediction], files: Sequence[str], matched: Matched, places: Sequence[int],
    group: Group, questions: QuestionIndex, read_at: datetime, out: Imported,
) -> None:  # fmt: skip
    names = list(dict.fromkeys(files[i] for i in places))
    sha = Group(group.format, tuple(e for e in group.files if e.name in names)).sha256
    run_id = matched.dataset_id and _run_id(header, matched.dataset_id, sha, {r["run_id"] for r in out.run})
    rows = []
    taken: set[tuple[str, int]] = set()
    found = [
        (i, r)
        for i in places
        if isinstance(r := matched.results[i], Match) and r.question.dataset_id == matched.dataset_id
    ]
    answered = dict(zip((i for i, _ in found), _answered([(predictions[i], m) for i, m in found]), strict=True))
    for i in places:
        p, row = predictions[i], answered.get(i, matched.results[i])
        if isinstance(row, str):
            # A prediction that another dataset's run holds has an empty reason here.
            if row:
                where = f"{files[i]}: {p.locator}" if len(names) > 1 else p.locator
                out.unmatched_prediction.append(
                    {"run_id": run_id or clean(files[i]), "locator": clean(where), "reason": clean(row)}
                )
        elif isinstance(row, dict):
            attempt = p.attempt or 1
            while (row["question_id"], attempt) in taken:
                attempt += 1
            taken.add((row["question_id"], attempt))
            rows.append({"run_id": run_id, "attempt": attempt, **row})
    if not rows or run_id is None or matched.dataset_id is None:
        return
    dataset = questions.datasets[matched.dataset_id]
    said = [header.description, f"scored {header.variant}" if header.variant else None, matched.note]
    out.run.append(
        {
            "run_id": run_id, "model": clean(header.model or ""), "vendor": header.vendor and clean(header.vendor),
            "description": clean("; ".join(s for s in said if s)) or None, "dataset_id": matched.dataset_id,
            "use_case": header.use_case and clean(header.use_case),
            "modality": _one_of(header.modality, card.MODALITIES),
            "format": header.format if header.format in card.FORMS else "generated", "harness": header.harness,
            "harness_version": header.version and clean(header.version), "language": dataset["language"],
            "created_at": header.created_at or read_at, "files": clean("\n".join(names)), "sha256": sha,
            "kind": _one_of(header.kind, card.KINDS), "is_sample": bool(dataset["is_sample"]),
        }
    )  # fmt: skip
    out.prediction.extend(rows)


def _run_id(header: Header, dataset_id: str, sha: str, taken: set[str]) -> str:
    """model/dataset/short hash of the files; a second run of the same files (another variant) hashes that in too."""
    while True:
        run_id = f"{slug(header.model or '')}/{dataset_id.replace('/', '-')}/{sha[:8]}"
        if run_id not in taken:
            return run_id
        sha = hashlib.sha256(f"{sha} {header.format} {header.variant} {header.modality}".encode()).hexdigest()


def _one_of(value: str, allowed: Sequence[str]) -> str:
    return value.casefold() if value.casefold() in allowed else allowed[0]


def _answered(asked: Sequence[tuple[Prediction, Match]]) -> list[dict[str, Any] | str]:
    """For each prediction the columns of its row that the response decides, or the reason why it can't be told."""
    rows: list[dict[str, Any] | str] = []
    texts: list[tuple[int, dict[str, Any], Question, _Shown]] = []
    for i, (p, match) in enumerate(asked):
        base: dict[str, Any] = dict.fromkeys(("selection", "labels", "value", "evidence"))
        base |= {
            "question_id": match.question.question_id,
            "response": clean(p.response) if p.response is not None else None,
        }
        if p.error is not None:
            rows.append({**base, "status": "error", "evidence": clean(short(p.error, 200))})
        elif p.chosen is not None:
            rows.append(_chosen(p, match, base))
        else:
            rows.append(base)
            texts.append((i, base, match.question, _as_shown(p, match)))
    if texts:
        readings = answers.read_frame(_asked(texts))
        for (i, base, q, s), said in zip(texts, readings.iter_rows(named=True), strict=True):
            rows[i] = _as_own(base, said, q, s)
    return rows


def _asked(texts: Sequence[tuple[int, dict[str, Any], Question, _Shown]]) -> pl.DataFrame:
    """What answers.read_frame takes, for each text; what many share (labels and choices) is built once."""
    kinds: dict[tuple[Any, ...], int] = {}
    at = [
        kinds.setdefault((q.answer_type, tuple(s.labels), tuple(s.choices), q.language), len(kinds))
        for _, _, q, s in texts
    ]
    schema: dict[str, Any] = {
        "answer_type": pl.String,
        "labels": pl.List(pl.String),
        "choices": pl.List(pl.String),
        "language": pl.String,
    }
    shared = pl.DataFrame(list(kinds), schema=schema, orient="row").select(pl.all().gather(at))
    return shared.with_columns(text=pl.Series([base["response"] for _, base, _, _ in texts], dtype=pl.String))


def _as_own(base: dict[str, Any], said: dict[str, Any], q: Question, shown: _Shown) -> dict[str, Any] | str:
    """A reading in the question's own order of choices."""
    row = {**base, "status": said["status"], "value": said["value"], "evidence": said["evidence"]}
    mask = said["selection"]
    if q.answer_type == "sequence" and said["labels"]:
        return _sequence(row, said["labels"].split("-"), q, shown)
    if mask is None:
        return row
    if shown.order is None:
        return {**row, **_selection(q, [i for i in range(mask.bit_length()) if mask >> i & 1])}
    picked = [shown.order[i] for i in range(mask.bit_length()) if mask >> i & 1]
    if None in picked:
        return "the answer names a choice that is not one of the question's"
    real = [i for i in picked if i is not None and i != ABSTAIN]
    if not real:
        return {**row, "status": "abstained", "value": None}
    if len(real) < len(picked):
        return {**row, "status": "ambiguous", "value": None}
    return {**row, **_selection(q, real)}


def _sequence(row: dict[str, Any], given: Sequence[str], q: Question, shown: _Shown) -> dict[str, Any] | str:
    """A reading whose order counts, by the question's own labels."""
    if shown.order is None:
        return {**row, "labels": "-".join(given)}
    places = zip(shown.labels, shown.order, strict=True)
    own = {label: q.labels[at] for label, at in places if at is not None and at != ABSTAIN}
    if not own.keys() >= set(given):
        return "the answer names a choice that is not one of the question's"
    again = answers.read("-".join(own[label] for label in given), "sequence", q.labels, q.choices, q.language)
    return {**row, "value": again.value, "labels": "-".join(again.labels) or None}


def _chosen(p: Prediction, match: Match, base: dict[str, Any]) -> dict[str, Any] | str:
    """A choice that a tool ranked first: no text to read."""
    assert p.chosen is not None
    q = match.question
    order = match.order if match.order is not None else tuple(range(len(q.choices)))
    position = order[p.chosen] if p.chosen < len(order) else None
    if position is None:
        return f"choice {p.chosen + 1}, which the tool ranked first, is not one of the question's"
    evidence = clean(p.evidence or "")
    if position == ABSTAIN:
        return {**base, "status": "abstained", "evidence": evidence}
    return {**base, "status": "answered", "evidence": evidence, **_selection(q, [position])}


def _selection(q: Question, positions: Iterable[int]) -> dict[str, Any]:
    chosen = sorted(set(positions))
    mask = sum(1 << p for p in chosen) if all(p < _MASK_BITS for p in chosen) else None
    return {"selection": mask, "labels": "-".join(q.labels[p] for p in chosen)}


@dataclass(frozen=True, slots=True)
class _Shown:
    """Choices as the model saw them, and the place of each in the question (order None: they are its own)."""

    labels: Sequence[str]
    choices: Sequence[str]
    order: Sequence[int | None] | None = None


def _as_shown(p: Prediction, match: Match) -> _Shown:
    q = match.question
    if match.order is None or match.order == tuple(range(len(q.choices))):
        return _Shown(q.labels, q.choices)
    choices = p.ask.choices
    own = q.labels if len(q.labels) == len(choices) else (*q.labels, *letters(len(choices))[len(q.labels) :])
    return _Shown(p.ask.labels if len(p.ask.labels) == len(choices) else own, choices, match.order)


# ---- all of it -----------------------------------------------------------------------------------------------------


def merge(parts: Iterable[Imported]) -> Imported:
    """Several results as one; a run that came twice (the same files in two places) is kept once."""
    whole = Imported()
    seen: set[str] = set()
    for part in parts:
        fresh = {r["run_id"] for r in part.run} - seen
        again = {r["run_id"] for r in part.run} & seen
        whole.run += [r for r in part.run if r["run_id"] in fresh]
        whole.prediction += [r for r in part.prediction if r["run_id"] in fresh]
        whole.unmatched_prediction += [r for r in part.unmatched_prediction if r["run_id"] not in again]
        whole.rejected_file += part.rejected_file
        seen |= fresh
    return whole


def read_all(
    files: Mapping[str, Loader], questions: QuestionIndex, read_at: datetime, given: Card | None = None
) -> Imported:
    """Plan and read in one go, without a cache; for tests and small folders."""
    planned = plan(files, given)
    return merge([planned.rejected, *(read(group, questions, read_at) for group in planned.groups)])


def in_memory(files: Mapping[str, bytes]) -> dict[str, Loader]:
    """Loaders for bytes that are already there."""
    return {name: partial(bytes, data) for name, data in files.items()}
