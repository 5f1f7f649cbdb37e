"""The layouts that KokushiMD-10 comes in, turned into one neutral row: which file, which column, which exam.

Folder: exams/JA/<profession>/<profession>_<year>_<section>.json, a JSON array each, as the released scorer reads it.
Hub: JSON lines whose columns are not documented; COLUMNS maps likely names, and what doesn't fit is said with what was
found.
What a row means (keys, points, cases) belongs to items.py.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pipelines.address import is_url
from pipelines.archive.files import read_file
from pipelines.benchmarks.japanese_exams.exams import (
    FIRST_YEAR,
    LAST_YEAR,
    Profession,
    paper_of,
    profession_of,
    year_of,
)
from pipelines.benchmarks.japanese_exams.keys import narrow
from pipelines.errors import SourceError
from pipelines.text.limits import CHECKED
from pipelines.text.options import split_options
from pipelines.text.readers import json_rows

COLUMNS: dict[str, tuple[str, ...]] = {
    "question": ("question", "questiontext", "problem", "problemtext", "stem", "prompt", "text", "問題",
                 "問題文", "設問"),
    "answer": ("answer", "answers", "correctanswer", "correctanswers", "correct", "gold", "groundtruth", "target",
               "answerkey", "label", "正解", "正答", "解答"),
    "index": ("index", "number", "questionindex", "questionnumber", "questionno", "problemnumber", "num", "no",
              "番号", "問題番号"),
    "profession": ("profession", "exam", "examtype", "examname", "testtype", "test", "occupation", "license", "licence",
                   "licensetype", "subset", "職種", "試験", "試験名"),
    "year": ("year", "examyear", "testyear", "年", "年度", "実施年", "round", "回"),
    "paper": ("section", "paper", "part", "block", "session", "examsection", "セクション", "区分"),
    "id": ("id", "questionid", "problemid", "uid", "qid", "key", "source", "sourcefile", "file", "filename",
           "filepath", "path"),
    "choices": ("choices", "options", "option", "choice", "candidates", "answerchoices", "選択肢"),
    "points": ("points", "point", "score", "配点", "点数"),
    "kinki": ("kinki", "forbidden", "forbiddenchoices", "forbiddenoptions", "contraindicated", "禁忌", "禁忌肢"),
    "text_only": ("textonly", "istextonly"),
    "has_image": ("hasimage", "hasimages", "needsimage", "requiresimage", "withimage", "multimodal"),
    "human_accuracy": ("humanaccuracy", "humanacc", "correctrate", "正答率"),
    "topic": ("category", "answersub2", "subject", "topic", "subcategory", "field", "科目", "分野"),
    "note": ("note", "notes", "remark", "remarks", "comment", "備考"),
    "corrected": ("correctedquestionindex",),
    "images": ("image", "images", "imagepath", "imagepaths", "imageurl", "imageurls", "img", "figure",
               "figures", "画像"),
    "language": ("language", "lang", "locale"),
    "case": ("caseid", "casegroup", "case", "groupid", "group", "passageid", "linked"),
}  # fmt: skip
"""Field of a row and the columns it may stand in: letters and digits only, lower case, the likeliest first."""

# One option a column: a, B, 1, choice_a, option3, opa.
_OPTION_COLUMN = re.compile(r"(?:choice|option|opt|op|選択肢)?(?P<label>[a-j]|10|[1-9])")
_LABELLED = re.compile(r"\(?([A-Ja-j]|10|[1-9])(?:[.):]\s*|\s+)(?=\S)")
# 医師_2020_a_12, physician-2020-A-12, exams/JA/医師/医師_2020_a.json
_PLACE = re.compile(
    r"""(?P<profession>[^\d_/\\-]{2,}(?:[_-][^\d_/\\-]{2,})*) [_/\\-] (?P<year>20\d\d) [_/\\-]
    (?P<paper>[A-Fa-f][1-3]?) (?![A-Za-z0-9]) (?:\.json)? (?:[_/\\:\#-]*(?P<index>\d+(?:-\d+)?))?""",
    re.X,
)
_EXAM_FILE = re.compile(r"(?P<profession>[^/_]+)[_-](?P<year>20\d\d)[_-](?P<paper>[A-Za-z]\d?)\.json$")


@dataclass
class Row:
    """One row of the source, its fields found but not yet understood. `language` is ja or en."""

    locator: str
    raw: str
    profession: Profession
    year: int
    paper: str
    index: str
    number: int
    language: str
    question: str
    answer: object = None
    labels: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    """Fields of COLUMNS that the row has, as they stand in it."""
    split_from: str | None = None
    """Where options were run together in one string and had to be split: what was split."""


@dataclass(frozen=True)
class Refused:
    """A row that names no question."""

    locator: str
    reason: str
    raw: str


def squeeze(name: str) -> str:
    """A column's name as COLUMNS has it."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", name)).casefold()


IMAGE = "[image]"
"""The stem of a question that is an image and nothing else, as the table question writes images."""
_FIELD_OF = {alias: name for name, aliases in COLUMNS.items() for alias in aliases}


def patterns_of(address: str) -> tuple[str, ...]:
    """Globs of the files below a local folder: one that holds exams/, exams/ itself, a language's, or JSON lines."""
    root = Path(address)
    if is_url(address) or not root.is_dir():
        return ("*",)
    for pattern in ("exams/*/*/*.json", "JA/*/*.json", "EN/*/*.json", "[!.]*/*_*.json"):
        if any(root.glob(pattern)):
            return ("JA/*/*.json", "EN/*/*.json") if pattern[:3] in ("JA/", "EN/") else (pattern,)
    return ("exams/*/*/*.json", "*.jsonl", "data/*.jsonl")


def parse(body: bytes, name: str) -> list[tuple[str, Any]]:
    """Rows of one file with their locators: a JSON array, or JSON lines. Raises SourceError naming the file."""
    rows = read_file(partial(json_rows, limits=CHECKED), body, name)
    if name.endswith(".json") and rows.unit == "line":
        raise SourceError(f"{name}: a JSON array of questions is wanted; this is something else")
    return [(f"{name} {rows.locator(i)}", row) for i, row in enumerate(rows.values)]


def is_exam_file(name: str) -> bool:
    """True for a file of the folder layout, whose path tells the exam; every JSON file below a local folder is one."""
    return name.endswith(".json") and (bool(_EXAM_FILE.search(unquote(name))) or ("/" in name and not is_url(name)))


def rows_of(name: str, parsed: list[tuple[str, Any]], language: str | None) -> Iterator[Row | Refused]:
    """Each parsed row of one file, as a Row or refused. `language` is the release's, when it has one.

    Raises SourceError for JSON lines whose columns don't tell question, answer and exam.
    """
    if is_exam_file(name):
        place = _place_of_file(unquote(name))
        language = place.pop("language", None) or language
        for locator, row in parsed:
            yield row_of(locator, row, place, language)
        return
    columns = _check_columns(name, [row for _, row in parsed])
    rows = [row_of(locator, row, {}, language) for locator, row in parsed]
    if not any(isinstance(row, Row) for row in rows):
        reason = rows[0].reason if rows and isinstance(rows[0], Refused) else "the file holds no rows"
        raise SourceError(f"{name}: no row can be placed in an exam ({reason}); found the columns {columns}")
    yield from rows


def _place_of_file(name: str) -> dict[str, Any]:
    """What the path exams/JA/医師/医師_2020_a.json tells."""
    *folders, file = name.split("/")
    place: dict[str, Any] = {"profession": folders[-1] if folders else ""}
    if len(folders) >= 2 and folders[-2].upper() in ("JA", "EN"):
        place["language"] = folders[-2].lower()
    if m := _EXAM_FILE.search(file):
        place |= {"year": m["year"], "paper": m["paper"]}
        if profession_of(place["profession"]) is None and profession_of(m["profession"]):
            place["profession"] = m["profession"]
    return place


def _check_columns(name: str, rows: list[Any]) -> str:
    """The columns found, in words. Raises SourceError when some that are needed are not among them."""
    columns = {key for row in rows if isinstance(row, dict) for key in row}
    fields = {_FIELD_OF.get(squeeze(c)) for c in columns}
    lacking = [f for f in ("question", "answer") if f not in fields]
    if not ({"profession", "year", "index"} <= fields or "id" in fields):
        lacking.append("the exam (profession, year, section and index, or an id such as 医師_2020_a_12)")
    found = ", ".join(sorted(columns)[:60]) or "no JSON objects"
    if lacking:
        raise SourceError(
            f"{name}: no column is known for {', '.join(lacking)}; found {found}. "
            "Give the folder with exams/JA instead, or add the names to COLUMNS in japanese_exams/layouts.py"
        )
    return found


def row_of(locator: str, row: Any, place: dict[str, Any], language: str | None) -> Row | Refused:
    """One parsed row. `place` is what is known of its exam without it: profession, year or round, paper, index."""
    raw = json.dumps(row, ensure_ascii=False)
    if not isinstance(row, dict):
        return Refused(locator, f"a JSON object is wanted, this is {type(row).__name__}", raw)
    fields, options = _fields(row)
    where = _placed(fields, place)
    if isinstance(where, str):
        return Refused(locator, where, raw)
    profession, year, paper, index, number = where
    question = fields.get("question")
    if question is None or (isinstance(question, str) and not question.strip()):
        if not (states_picture(fields) or fields.get("images")):
            return Refused(locator, "the row has neither a question's text nor an image", raw)
        question = IMAGE
    if not isinstance(question, str):
        return Refused(locator, f"the question is {type(question).__name__}, not a text", raw)
    found = Row(locator, raw, profession, year, paper, index, number, "", question, fields.get("answer"), fields=fields)
    found.labels, found.texts = _choices(fields.get("choices"), options, found)
    if len({label.casefold() for label in found.labels}) < len(found.labels):
        return Refused(locator, f"two choices have the same label among {', '.join(found.labels)}", raw)
    stated = narrow(fields.get("language")).casefold()
    if stated[:2] in ("ja", "en"):
        found.language = stated[:2]
    elif stated == "jp" or "japan" in stated or "日本" in stated:
        found.language = "ja"
    else:
        found.language = language if language in ("ja", "en") else language_of(raw if question is IMAGE else question)
    return found


def states_picture(fields: dict[str, Any]) -> bool | None:
    """Whether a row says that an image belongs to it; None when it says neither."""
    for name, sense in (("text_only", False), ("has_image", True)):
        match narrow(fields.get(name)).casefold():
            case "true" | "1" | "yes":
                return sense
            case "false" | "0" | "no":
                return not sense
    return None


def language_of(text: str) -> str:
    """ja when the text holds kana, else en."""
    return "ja" if re.search("[\u3041-\u30ff]", text) else "en"


def _fields(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of COLUMNS (the likeliest column that is filled; all for `id`), and options that stand one a column."""
    fields: dict[str, Any] = {}
    ranks: dict[str, int] = {}
    options: dict[str, Any] = {}
    for column, value in row.items():
        name = squeeze(column)
        if known := _FIELD_OF.get(name):
            if known == "id":
                fields.setdefault("id", []).append(narrow(value))
                continue
            rank = COLUMNS[known].index(name) + (100 if value is None or value == "" else 0)
            if rank < ranks.get(known, 1000):
                fields[known], ranks[known] = value, rank
        elif (m := _OPTION_COLUMN.fullmatch(name)) and value is not None:
            options.setdefault(m["label"], value)
    return fields, options


def _placed(fields: dict[str, Any], place: dict[str, Any]) -> tuple[Profession, int, str, str, int] | str:
    """Profession, year, paper, index and number of a row, or why they can't be told."""
    told = {k: narrow(fields.get(k)) for k in ("profession", "year", "paper", "index")} | place
    for text in (told["profession"], *fields.get("id", ())):
        if m := _PLACE.search(text):
            if profession_of(told["profession"]) is None:  # kokushi_医師_2020_a: what stands before may be a prefix
                parts = [m["profession"], re.split(r"[_-]", m["profession"])[-1]]
                told["profession"] = next((p for p in parts if profession_of(p)), m["profession"])
            told |= {k: v for k, v in m.groupdict().items() if v and not told.get(k)}
    profession = profession_of(told.get("profession", ""))
    if profession is None:
        return f"the profession {told.get('profession', '')!r} is none of the ten"
    index = re.sub(r"^(?:問題?|q(?:uestion)?|no)[\s.]*", "", told.get("index", ""), flags=re.I)
    if not (m := re.match(r"0*(\d{1,4})(?!\d)", index)) or int(m[1]) == 0:
        return f"the number {told.get('index', '')!r} is not a question number"
    number = int(m[1])
    index = m[1] + re.sub(r"\s", "", index[m.end() :])
    years = re.findall(r"\d+", told.get("year", ""))
    year = int(years[0]) if years else 0
    if 30 <= year < 200:  # the number of the sitting
        year = year_of(profession, year)
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return f"the year {told.get('year', '')!r} is not an exam year"
    paper = paper_of(told.get("paper", ""), profession.name, number)
    if paper is None:
        return f"the section {told.get('paper', '')!r} is not a paper of {profession.name}"
    return profession, year, paper, index, number


def _choices(listed: Any, options: dict[str, Any], row: Row) -> tuple[list[str], list[str]]:
    """Labels and texts of the choices, in the order shown; trailing columns that are empty are not choices."""
    if isinstance(listed, str) and listed.strip():
        try:
            decoded = json.loads(listed)
        except (ValueError, RecursionError):
            decoded = None
        if isinstance(decoded, (list, dict)) and decoded:
            listed = decoded
        elif split := split_options(listed, loose=True):
            row.split_from = "options that the source runs together"
            labels, texts = [label for label, _ in split.options], [text for _, text in split.options]
            return labels, texts
        else:
            listed = [line for line in listed.splitlines() if line.strip()]
    if isinstance(listed, dict):
        if {"label", "text"} <= listed.keys() and isinstance(listed["text"], list):  # {"label": [...], "text": [...]}
            pairs = list(zip(map(narrow, listed["label"]), map(_text, listed["text"]), strict=False))
        else:
            pairs = [(narrow(k), _text(v)) for k, v in listed.items() if v is not None]
        return [label for label, _ in pairs], [text for _, text in pairs]
    if isinstance(listed, list) and listed:
        return _listed(listed, row.answer)
    letters = {k: v for k, v in options.items() if k.isalpha()}
    digits = {k: v for k, v in options.items() if k.isdigit()}
    chosen = letters if any(_text(v).strip() for v in letters.values()) or not digits else digits
    pairs = sorted(((k, _text(v)) for k, v in chosen.items()), key=lambda p: (len(p[0]), p[0]))
    if any(text.strip() for _, text in pairs):
        while len(pairs) > 2 and not pairs[-1][1].strip() and pairs[-1][0] not in narrow(row.answer).casefold():
            pairs.pop()
    return [label for label, _ in pairs], [text for _, text in pairs]


def _listed(listed: list[Any], answer: object) -> tuple[list[str], list[str]]:
    """Choices given as a list: of objects with a label, of strings that begin with one, or bare; bare ones are numbered
    as the key counts them."""
    if all(isinstance(x, dict) for x in listed):
        by_name = [{squeeze(k): v for k, v in x.items()} for x in listed]
        labels = [narrow(_first(x, "label", "key", "id", "letter", "index")) for x in by_name]
        texts = [_text(_first(x, "text", "value", "content", "option")) for x in by_name]
        if all(labels):
            return labels, texts
    texts = [_text(x) for x in listed]
    marked = [_LABELLED.match(unicodedata.normalize("NFKC", t)) for t in texts]
    labels = [m[1] for m in marked if m]
    in_order = [chr(ord("a") + i) for i in range(len(texts))], [str(i + 1) for i in range(len(texts))]
    if [x.casefold() for x in labels] in in_order:
        cut = [unicodedata.normalize("NFC", t)[m.end() :] for t, m in zip(texts, marked, strict=True) if m]
        return labels, cut
    return in_order[1 if re.search(r"\d", narrow(answer)) else 0], texts


def _first(row: dict[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if name in row), "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else narrow(value)
