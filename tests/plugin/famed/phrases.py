"""German: the phrases around an answer. A benchmark whose language medexams does not read yet brings such a file."""

from __future__ import annotations

from pipelines.answers.phrases import Phrases

PHRASES = Phrases(
    code="de",
    spoken=(r"\b(?:Antwort|richtig|ist|und|nicht|Frage)\b",),
    nouns=(r"Antwort|Option|Buchstabe|Lösung",),
    articles=(r"(?:der|die|das|ein|eine)[ \t]+",),
    conjunctions=(r"und",),
    disjunctions=(r"oder",),
    stated=(r"\b(?:richtige|korrekte|meine)\s+(?:Antwort|Lösung)\s+(?:ist|lautet)[\s:]{1,3}", r"^Antwort:\s?"),
    negated=(r"nicht|kein",),
    refusal=(r"\bkann\s+ich\s+nicht\s+beantworten\b",),
)
