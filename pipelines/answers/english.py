"""English: the phrases around an answer, and the words that look like option letters.

Only data, read by core (cues, verdicts, refusals) and labels (nouns, connectives, articles). A *forward* cue ends
where the answer begins; a *backward* cue begins where the option ends. All repeats are bounded. Matching ignores
case.
"""
# ruff: noqa: E501  (one phrase a line)

import re

NOUNS = r"options?|choices?|letters?|answers?|statements?|the|numbers?|both|either|only|definitely|clearly|likely|probably|therefore|thus"
AND = r"and|as\s+well\s+as|plus"
OR = r"or|and/or|either"

ARTICLES = frozenset("aAI")  # "a patient", "A patient" (at the start of a sentence), "I think"
AFTER_LABEL = frozenset(
    [
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "because",
        "since",
        "as",
        "for",
        "due",
        "but",
        "not",
        "which",
        "would",
        "should",
        "being",
        "with",
        "seems",
        "appears",
        "alone",
        "only",
    ]
)
NO_LABEL_BEFORE = re.compile(
    r"(?:vitamin|hepatitis|type|group|grade|stage|class|protein|factor|figure|fig\.|part|case)\s?$", re.I
)
QUANTITY = re.compile(
    r"\s?(?:%|mg|ml|kg|g\b|cm|mm|years?|days?|hours?|weeks?|months?|points?|options?|answers?|choices?|of\b)", re.I
)

_BE = r"(?:is|are|was|be|were)"
_KIND = r"(?:answers?|options?|choices?|responses?|statements?|combinations?|pairs?|selections?|alternatives?|letters?|ones?|items?)"
_GOOD = r"(?:correct|right|best|accurate|true|(?:most|more|least)\s+\w{3,16}|appropriate|suitable|final)"

# The answer follows: stated as such.
FINAL = (
    rf"\b(?:my\s+)?(?:answers?|ans)\b[^.\n:=→。]{{0,60}}?(?:\b{_BE}\b|[:=→])[\s:]{{0,3}}",
    rf"\b{_GOOD}\s+{_KIND}\b[^.\n:=→。]{{0,60}}?(?:\b{_BE}\b|[:=→])[\s:]{{0,3}}",
    r"\b(?:i|we)(?:'ll|'d|\s+(?:would|will|must|should|therefore|thus|have\s+to)){0,3}\s+(?:choose|select|pick|go\s+(?:with|for)|answer|chose)"
    r"(?:\s+with)?[\s:]{1,3}",
    r"(?:^|(?<=[.!?]\s))(?:conclusion|solution|choices?|selections?|selected|result|final|response|output|option)\b[^\n:]{0,20}:[ \t]{0,3}",
    rf"\bmy\s+(?:final\s+)?(?:choice|guess|selection|pick)\s+{_BE}\s{{1,2}}",
    r"^(?:answers?|ans)[ \t.)-]{1,3}",
    r"^\W{0,3}(?:final\s)?answer\s?[\])】]\s{0,3}",
    r"\bfinal\s+answer\s?-\s",
    r"\b(?:i'd|i\s+would)\s+(?:say|guess)(?:\s+(?:it's|it\s+is|that))?[ \t:]{1,3}",
    r"\bif\s+i\s+(?:had|have)\s+to\s+(?:guess|choose|pick)\b[^.\n]{0,20}?[,:]\s{0,3}",
    r"\b(?:actually|wait|correction|no)\b[^\n]{0,30}?\bit(?:'s|\s+(?:is|should\s+be|must\s+be))\s{1,2}",
    r"^A\s?(?::\s?(?=[A-Ja-j](?:\W{0,3}$))|\.\s?(?-i:(?=[a-j](?:\W{0,3}$))))",  # "Q: … A: c"
    r"^(?=(?:not|non)\s)",  # "not B but C"
    r"\bif\s+(?:only\s+)?one\s+must\s+be\s+(?:chosen|selected)[^.\n]{0,30}[,:]\s{0,3}",
)
# Said before an answer without naming it as one.
HEDGE = r"(?:(?:probably|maybe|perhaps|possibly|i(?:'m|\s+am)\s+not\s+(?:sure|certain),?\s+but|my\s+guess(?:\s+is)?:?)[ \t,]{1,3})"
# The answer follows: a conclusion, not called an answer.
LIKELY = (
    r"(?:^|(?<=[.!?]\s))(?:it(?:'s|\s+is)|that(?:'s|\s+is)|i\s+(?:think|believe|guess|suspect)(?:\s+(?:it|that)(?:'s|\s+is))?)\s{1,2}",
    r"(?:^|(?<=[.!?]\s))(?:correct|true|right|yes)\s?:\s{0,2}",
    r"\b(?:therefore|thus|hence|so|overall|in\s+conclusion|in\s+summary|consequently)\b,?[ \t]{0,2}(?:(?:it|this|that)(?:\s+(?:is|must\s+be|would\s+be)|'s)\s{1,2})?",
    rf"\b(?:most|best|only)\b[^.\n]{{0,80}}?\b{_BE}\b[\s:]{{1,3}}",
    rf"\b(?:diagnosis|treatment|step|finding|cause|test|drug|management|examination|condition)\b[^.\n]{{0,40}}?\b{_BE}\b[\s:]{{1,3}}",
    r"\bmost\s+(?:likely|probably)\s{1,2}(?=(?-i:\(?[A-J])\b|option\b|[a-j][.,;])",
    r"\b(?:points?\s+to|suggests?|consistent\s+with|indicates?)\s{1,2}(?=(?:option|choice)\b|\()",
)
# The option that the question's negation asks for: "the incorrect statement is".
LIKELY_NOT = (
    rf"\b(?:incorrect|wrong|false|inappropriate|least\s+\w{{3,16}}|unlikely|exception|untrue|not\s+(?:correct|true|appropriate))\b"
    rf"\s?{_KIND}?[^.\n:]{{0,40}}?(?:\b{_BE}\b|:)[\s:]{{0,3}}",
)
# Set aside: what follows is not chosen.
DROPPED = (
    r"\b(?:eliminat\w{0,4}|rul(?:ed|ing)\s+out|exclud\w{0,4}|discard\w{0,3}|reject\w{0,3}|distractors?|instead\s+of|rather\s+than|not|isn't|aren't)\b[\s:]{0,3}(?:options?\s)?",
)

# The options stand before these.
IS_FINAL = (
    rf"\s{{0,2}}{_BE}\s+(?:(?:therefore|thus|clearly|likely|probably|indeed)\s+){{0,2}}(?:the|my)\s+(?:(?:final|only|single)\s+)?(?:{_GOOD}\s+)?{_KIND}\b",
)
IS_LIKELY = (
    r"\s{0,2}are\s+(?:both\s+|all\s+|the\s+)?(?:correct|right|true|indicated|appropriate)\b",
    r",?\s{1,2}(?:but|and)\s+not\s",
    rf"\s{{0,2}}(?:{_BE}|seems?(?:\s+to\s+be)?|appears?(?:\s+to\s+be)?|would\s+be)\s+(?:the\s+)?(?:most|best)\b",
)
IS_LIKELY_NOT = (rf"\s{{0,2}}{_BE}\s+the\s+(?:incorrect|false|wrong|least\s+\w{{3,16}}|exception|odd\s+one)",)
IS_RIGHT = (
    r"[ \t:,\-–(→>]{1,5}yes\b(?=[\s.,;]|$)",
    rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}\s+)?(?:also\s+|clearly\s+|likely\s+)?(?:correct|true|right|appropriate)\b",
)
IS_WRONG = (
    r"[ \t:,\-–(→>]{1,5}no(?=[.,;]|\s*$)",
    rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}|can\s+be)?[ \t]{{0,2}}(?:also\s+|clearly\s+|likely\s+|therefore\s+)?(?:incorrect|wrong|false|inappropriate|not\s+(?:the\s+)?(?:correct|true|"
    r"right|appropriate|best|answer)|eliminated|excluded|ruled\s+out|distractors?|unlikely|out\b)",
)
IS_NOT = (rf"\s{{0,2}}(?:{_BE}\s+not\b|isn't|aren't|cannot\b|can't)",)
ENDS_RIGHT = r"(?:this\s+is|so|thus)\s+(?:correct|true|right|the\s+(?:correct\s+)?answer)\.?$"
ENDS_WRONG = r"(?:this\s+is|so|thus)\s+(?:incorrect|wrong|false|not\s+(?:correct|true))\.?$"

REFUSAL = (
    r"\b(?:i|we)(?:'m|\s+am|\s+are)?\s+(?:really\s+|very\s+|truly\s+)?sorry\b|\bi\s+apologi[sz]e\b",
    r"\b(?:i|we)\s+(?:can(?:no|')?t|can\s+not|could\s?n[o']t|am\s+(?:not\s+able|unable)|won't|will\s+not|do\s+not\s+have|don't\s+have|am\s+not\s+(?:allowed|qualified|in\s+a\s+position))\b"
    r"[^.\n]{0,60}\b(?:answers?|provide|assist|help|see|view|access|diagnos\w{1,6}|images?|figures?|give|offer|determine|advice|ability|comply|interpret|select|choose)\b",
    r"\b(?:i'm|i\s+am)\s+(?:unable|not\s+able)\s+to\b|\bas\s+an\s+ai\b",
    r"\b(?:consult|seek|see)\s+(?:with\s+)?(?:a|your)\s+(?:doctor|physician|healthcare|medical|qualified)",
    r"\b(?:cannot|can't|not\s+possible\s+to)\b[^.\n]{0,30}\b(?:be\s+)?(?:answer(?:ed)?|determined?)\b[^.\n]{0,40}\b(?:without|because|since|as|due)\b",
    r"\bit(?:'s|\s+is)\s+(?:not\s+possible|impossible)\s+to\s+(?:answer|determine|identify|choose)",
    r"\b(?:please|could\s+you)\s+(?:provide|share|upload|send|describe)\b[^.\n]{0,60}\b(?:image|figure|picture|photo|question|options?|information|details|context)",
    r"\b(?:no|without\s+the|missing)\s+(?:image|figure|picture|photograph)s?\b[^.\n]{0,40}\b(?:provided|attached|available|shown|visible)",
)
ALL = r"all(?:\s+of)?(?:\s+the)?(?:\s+(?:above|options|answers|choices|them|these|statements)){0,2}(?:\s+are\s+(?:correct|right|true))?"
ALL_BUT = (
    r"(?:all|everything|every\s+option)(?:\s+of\s+(?:the\s+(?:above|following)(?:\s+are\s+(?:correct|true))?|them|these)|\s+(?:options|answers|the\s+others))?,?\s+(?:except(?:\s+for)?|but|besides)\s+",
    r"(?:\s+(?:is|are)\s+(?:correct|right|true))?",
)
ABSTENTION = (
    r"none(?:\s+of\s+(?:the\s+(?:above|options|choices|answers)|these|them))?(?:\s+(?:is|are)\s+correct)?",
    r"(?:i\s+(?:do\s+not|don't)\s+know|i(?:'m|\s+am)\s+not\s+(?:sure|certain)|unknown|unsure|no\s+answer|not\s+(?:sure|known)|skip(?:ped)?|pass|n/?a|idk|"
    r"i\s+(?:would\s+)?(?:prefer|rather|choose)\s+not\s+(?:to\s+)?answer|undetermined|cannot\s+be\s+determined|not\s+answered|abstain(?:ed)?)",
)

# A line that starts another question, a turn of the other side, or the prompt again.
NEXT = (
    r"(?:next\s+)?question\s?\d{0,3}\s?[:.)]|q\s?\d{1,3}\s?[:.)]|q\s?:|(?:user|human|instructions?|input|system|prompt|problem)\s?:|you\s+are\s+(?:a|an|the)\s|"
    r"(?:next|new)\s+question\b|the\s+following\s+(?:is|are)\s+(?:a\s+)?(?:multiple|medical)",
)
