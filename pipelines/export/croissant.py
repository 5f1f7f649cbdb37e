"""Format croissant: for each dataset its questions as JSON lines with croissant.json, Croissant 1.0 metadata (JSON-LD).

The vocabulary is that of http://mlcommons.org/croissant/1.0. One record set describes the questions, one their choices
and one the accepted answers, flat, joined by question_id, since nested lists have no plain form in version 1.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb

from pipelines.export.card import card
from pipelines.export.content import FIELDS, questions, write_jsonl
from pipelines.export.gate import Chosen, Dataset, ReportProgress
from pipelines.folders import sha256

_CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "equivalentProperty": "cr:equivalentProperty",
    "dct": "http://purl.org/dc/terms/", "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract",
    "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet",
    "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath",
    "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
    "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace",
    "samplingRate": "cr:samplingRate", "sc": "https://schema.org/", "separator": "cr:separator", "source": "cr:source",
    "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip
_TYPES = {"number": "sc:Integer", "points": "sc:Float", "human_accuracy": "sc:Float", "needs_image": "sc:Boolean",
          "position": "sc:Integer", "is_correct": "sc:Boolean", "is_forbidden": "sc:Boolean", "has_image": "sc:Boolean",
          "alternative": "sc:Integer"}  # fmt: skip
_NESTED = ("exam", "choices", "answers", "images", "flags")

_CHOICE = {"question_id": "Question.", "position": "0-based place in the order shown.", "label": "Letter or number.",
           "text": "The choice as plain text.", "is_correct": "True when it belongs to an accepted answer.",
           "is_forbidden": "True when choosing it counts as a forbidden choice.",
           "has_image": "True when it is or holds an image."}  # fmt: skip
_ANSWER = {"question_id": "Question.", "alternative": "1-based number of the accepted answer.",
           "labels": "Labels of the choices that make it up, joined by '-'.",
           "value": "Accepted value where there are no choices to tick."}  # fmt: skip


def write(con: duckdb.DuckDBPyConnection, folder: Path, chosen: Chosen, report: ReportProgress) -> None:
    """FOLDER/DATASET/ with questions.jsonl, choices.jsonl, answers.jsonl, croissant.json and README.md."""
    for i, dataset in enumerate(chosen.open):
        report("datasets", i, len(chosen.open))
        place = folder / dataset.slug
        found = questions(con, dataset.dataset_id)
        flat = {k: v for k, v in FIELDS.items() if k not in _NESTED} | {"exam_id": "The exam sitting."}
        sets: list[tuple[str, dict[str, str], Iterable[dict[str, Any]]]] = [
            ("questions", flat, (_flat(q) for q in found)),
            ("choices", _CHOICE, _choices(found)),
            ("answers", _ANSWER, _answers(found)),
        ]
        files = []
        for name, fields, rows in sets:
            if write_jsonl(place / f"{name}.jsonl", rows):
                files.append((name, fields, place / f"{name}.jsonl"))
            else:
                (place / f"{name}.jsonl").unlink()
        text = json.dumps(metadata(dataset, files), ensure_ascii=False, indent=1)
        (place / "croissant.json").write_text(text + "\n", encoding="utf-8")
        (place / "README.md").write_text(
            card(dataset, "questions.jsonl", for_own_use=chosen.for_own_use), encoding="utf-8"
        )
    report("datasets", len(chosen.open), len(chosen.open))


def metadata(dataset: Dataset, files: list[tuple[str, dict[str, str], Path]]) -> dict[str, Any]:
    """The Croissant document of a dataset, of files given as (record set, fields with descriptions, path)."""
    creator, address = dataset.publisher
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": dataset.slug,
        "description": f"{dataset.title}: {dataset.n_questions} questions, unified by medexams.",
        "license": dataset.terms.url or dataset.licence,
        "url": address,
        "creator": {"@type": "Person" if " and others" in creator else "Organization", "name": creator},
        "datePublished": dataset.fetched_at.date().isoformat(),
        "version": "1.0.0",
        "citeAs": f"{creator}: {dataset.title}. {address}",
        "inLanguage": dataset.language,
        "keywords": ["medical", "exam", dataset.benchmark],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": path.name,
                "name": path.name,
                "contentUrl": path.name,
                "contentSize": f"{path.stat().st_size} B",
                "encodingFormat": "application/jsonlines",
                "sha256": sha256(path),
            }
            for _, _, path in files
        ],
        "recordSet": [_record_set(name, fields, path) for name, fields, path in files],
    }


def _record_set(name: str, fields: dict[str, str], path: Path) -> dict[str, Any]:
    key = ["question_id", *{"choices": ["position"], "answers": ["alternative"]}.get(name, [])]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": [{"@id": f"{name}/{k}"} for k in key],
        "field": [_field(name, field, says, path) for field, says in fields.items()],
    }


def _field(name: str, field: str, says: str, path: Path) -> dict[str, Any]:
    made: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{name}/{field}",
        "name": field,
        "description": says,
        "dataType": _TYPES.get(field, "sc:Text"),
        "source": {"fileObject": {"@id": path.name}, "extract": {"column": field}},
    }
    if name != "questions" and field == "question_id":
        made["references"] = {"field": {"@id": "questions/question_id"}}
    return made


def _flat(q: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in q.items() if k not in _NESTED} | {"exam_id": (q["exam"] or {}).get("exam_id")}


def _choices(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for q in found:
        for position, choice in enumerate(q["choices"]):
            yield {"question_id": q["question_id"], "position": position} | choice


def _answers(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for q in found:
        for alternative, answer in enumerate(q["answers"], 1):
            labels = "-".join(answer["labels"]) or None
            yield {
                "question_id": q["question_id"], "alternative": alternative, "labels": labels, "value": answer["value"]
            }  # fmt: skip
