"""A dataset's questions as one nested record each: what parquet, jsonl, croissant, lm-eval, prompts and records share.

The SELECT of the layout and the description of its fields belong here; what a format makes of them does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.gate import know_addresses
from pipelines.store.checks import quoted

FIELDS: dict[str, str] = {
    "question_id": "Question: dataset_id/source key.",
    "dataset_id": "The release it stands in.",
    "benchmark": "The benchmark it belongs to.",
    "source_key": "The key its source gives it.",
    "language": "Language of the question (ISO 639-1).",
    "topic": "Subject or specialty; null where the source has none.",
    "exam": "The exam sitting (exam_id, profession, profession_en, year, round); null where there is none.",
    "paper": "Paper or section of the exam.",
    "number": "Number within the paper.",
    "component": "Part of the exam that has a pass line of its own.",
    "question": "The question as plain text; [image] stands for an image.",
    "passage": "Text that the question refers to.",
    "answer_type": "single, multiple, numeric, sequence or text.",
    "choices": "The choices in the order shown: label, text, is_correct, is_forbidden, has_image.",
    "answers": "Accepted answers, one of which must be given in full: labels of choices, or a value.",
    "points": "Points for a full answer by the exam's own rule.",
    "key_status": "scored; removed (left out for all); correct_only (counts only when right); all_credit; unknown.",
    "needs_image": "True when the question or a choice shows an image.",
    "images": "Images: place (stem, passage or choice:POSITION) and url.",
    "human_accuracy": "Share of examinees who got it right, as published, in %.",
    "case_group": "Questions that share one case have the same value.",
    "flags": "Known defects: flag and detail.",
    "fingerprint": "Hash over the normalised text: the same question in any release.",
    "source_url": "Where it was read.",
}

_SELECT = """
select
    q.question_id,
    q.dataset_id,
    q.benchmark,
    q.source_key,
    q.language,
    q.topic,
    case when e.exam_id is not null then struct_pack(
        exam_id := e.exam_id, profession := e.profession, profession_en := e.profession_en, year := e.year,
        round := e.round
    ) end as exam,
    q.paper,
    q.number,
    q.component,
    q.stem as question,
    p.text as passage,
    q.answer_type,
    coalesce(c.choices, []) as choices,
    coalesce(k.answers, []) as answers,
    cast(q.points as double) as points,
    q.key_status,
    q.needs_image,
    coalesce(i.images, []) as images,
    cast(q.human_accuracy as double) as human_accuracy,
    q.case_group,
    coalesce(f.flags, []) as flags,
    q.fingerprint,
    public_address(q.source_url) as source_url
from question as q
left join exam as e on q.exam_id = e.exam_id
left join passage as p on q.passage_id = p.passage_id
left join (
    select question_id, list(struct_pack(
        label := label, text := text, is_correct := is_correct, is_forbidden := is_forbidden, has_image := has_image
    ) order by position) as choices
    from choice group by question_id
) as c on q.question_id = c.question_id
left join (
    select question_id, list(struct_pack(
        labels := case when labels is null then [] else string_split(labels, '-') end, value := value
    ) order by alternative) as answers
    from answer_key group by question_id
) as k on q.question_id = k.question_id
left join (
    select question_id, list(struct_pack(place := place, url := url) order by place) as images
    from question_image group by question_id
) as i on q.question_id = i.question_id
left join (
    select question_id, list(struct_pack(flag := flag, detail := detail) order by flag) as flags
    from question_flag group by question_id
) as f on q.question_id = f.question_id
where q.dataset_id = {dataset}
order by q.exam_id, q.paper, q.number, length(q.source_key), q.source_key
"""


def select(con: duckdb.DuckDBPyConnection, dataset_id: str) -> str:
    """The SELECT of a dataset's questions with the columns of FIELDS, in exam order."""
    know_addresses(con)
    return _SELECT.format(dataset=quoted(dataset_id))


def questions(con: duckdb.DuckDBPyConnection, dataset_id: str) -> list[dict[str, Any]]:
    """A dataset's questions as dicts with the keys of FIELDS; choices, answers, images and flags are lists of dicts."""
    found = con.execute(select(con, dataset_id))
    names = [d[0] for d in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Rows as JSON lines in UTF-8; returns how many. What JSON lines readers take for a line end is escaped."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            text = json.dumps(row, ensure_ascii=False)
            file.write(text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085") + "\n")
            count += 1
    return count
