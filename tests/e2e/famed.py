"""Files of the invented exam FaMed (tests/plugin/famed): what it released, and the results of two models."""

from __future__ import annotations

import json
from pathlib import Path

KEY = "ABCDABCDABCD"


def write(folder: Path) -> None:
    """famed.json, and results/ with one model that answers ten right and one with eight right and four wrong."""
    texts = ("Herz", "Lunge", "Leber", "Niere")
    questions = [
        {"nr": n, "fach": "innere" if n <= 6 else "chirurgie", "frage": f"Welches Organ gehört zur Frage Nummer {n}?",
         "antworten": {label: f"{text} {n}" for label, text in zip("ABCD", texts, strict=True)}, "loesung": key}
        for n, key in enumerate(KEY, 1)
    ]  # fmt: skip
    (folder / "famed.json").write_text(json.dumps({"jahr": 2024, "fragen": questions}), encoding="utf-8")
    wrong = {key: "ABCD"["ABCD".index(key) - 1] for key in "ABCD"}
    says = {
        "gut": {str(n): f"Die richtige Antwort ist {key}." for n, key in enumerate(KEY[:10], 1)} | {"11": "", "12": ""},
        "schlecht": {str(n): key if n <= 8 else wrong[key] for n, key in enumerate(KEY, 1)},
    }
    (folder / "results").mkdir()
    for model, answers in says.items():
        run = {"famed": 2024, "modell": model, "antworten": answers}
        (folder / "results" / f"{model}.json").write_text(json.dumps(run), encoding="utf-8")
