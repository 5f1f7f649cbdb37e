"""English: the phrases around an answer, and the words that look like option letters."""
# ruff: noqa: E501  (one phrase a line)

from pipelines.answers.phrases import Phrases

_BE = r"(?:is|are|was|be|were|'s)"
_KIND = r"(?:answers?|options?|choices?|responses?|statements?|combinations?|pairs?|selections?|alternatives?|letters?|ones?|items?|picks?)"
_GOOD = r"(?:correct|right|best|better|likeliest|obvious|logical|accurate|true|(?:most|more|least)\s+\w{3,16}|appropriate|suitable|final|proper|only)"
_SURELY = r"(?:(?:therefore|thus|clearly|likely|probably|indeed|also|both|all|surely|certainly|definitely|still|hence)\s+){0,2}"
_WRONG = r"(?:incorrect|wrong|false|untrue|inappropriate|inaccurate|not\s+(?:the\s+)?(?:correct|true|right|appropriate|best|indicated|answer)|eliminated|excluded|ruled\s+out|discarded|dismissed|rejected|distractors?|unlikely|less\s+likely|implausible|irrelevant|unrelated)"

PHRASES = Phrases(
    code="en",
    nouns=(
        r"options?|choices?|letters?|answers?|statements?|the|numbers?|both|either|only|just|definitely|clearly|likely|probably|therefore|thus|simply|all\s+of|all|items?|alternatives?",
    ),
    articles=(r"(?:the|an?)[ \t]+",),
    conjunctions=(r"and|as\s+well\s+as|plus|nor|along\s+with|then",),
    disjunctions=(r"or|and/or|either",),
    ranges=(r"to|through|thru|until",),
    letter_words="aAI",
    not_runs=(
        r"be|ad|add|bad|bed|bee|dead|dad|cab|ace|bade|face|fade|cafe|deaf|beef|fed|feed|decade|faced|cage|age|bead|head|dab|ed",
    ),
    after_label=(
        r"and|or|nor|is|are|was|were|because|since|as|for|due|but|not|which|would|should|being|with|seems?|appears?|alone|only|to|through|can|cannot|could|must|has|fits?|remains?|it|looks|makes|comes|over|instead|rather|here|at",
    ),
    no_label_before=(
        r"(?:vitamin|hepatitis|types?|group|grade|stage|class|protein|factor|figure|fig\.|part|case|influenza|type-)\s?$",
    ),
    quantity=(
        r"[ \t]?(?:%|mg|ml|kg|g\b|cm|mm|years?|days?|hours?|weeks?|months?|points?|options?|answers?|choices?|correct|of\b|steps?\b|minutes?|times)",
    ),
    stated=(
        rf"\b(?:my\s+)?(?:answers?|ans)\b[^.\n:=→。?]{{0,60}}?(?:\b{_BE}\b|[:=→])[\s:]{{0,3}}",
        rf"\b{_GOOD}\s+{_KIND}\b[^.\n:=→。?]{{0,60}}?(?:\b{_BE}\b|[:=→]|\s-\s)[\s:]{{0,3}}",
        r"\b(?:i|we)(?:'ll|'d|'m|\s+(?:would|will|must|should|am|therefore|thus|have\s+to|can)){0,3}\s+(?:choos(?:e|ing)|select(?:ing)?|pick(?:ing)?|go(?:ing)?\s+(?:with|for)|answer(?:ing)?|chose|picked|selected|opt(?:ing)?\s+for|opted\s+for|settl(?:e|ing)\s+(?:on|for)|vot(?:e|ing)\s+for|went\s+(?:with|for)|mark|prefer|favou?r|conclude(?:\s+that)?(?:\s+it\s+is)?)"
        r"(?:\s+with)?[\s:]{1,3}",
        r"(?:^|(?<=[.!?]\s))(?:conclusion|solution|choices?|selections?|selected|result|final|response|output|option|verdict|decision|pick|final\s+(?:choice|decision|selection|verdict))[ \t]{0,2}:[ \t]{0,3}",
        r"\b(?:one|option|choice|answer)\s(?:that\s)?(?:i|we)(?:'d|\s+would|\s+will)?\s+(?:pick|choose|select|go\s+(?:with|for)|prefer)\s+is\s{1,2}",
        rf"\bmy\s+(?:final\s+)?(?:choice|guess|selection|pick|vote|decision)\s+(?:would\s+)?{_BE}\s{{1,2}}",
        r"\bmy\s+(?:final\s+)?(?:selection|choice|pick)s?\s?:\s{0,3}|\b(?:these|those|the\s+following)\s+(?:ones\s+|options\s+)?are\s+(?:correct|right|true)\s?:\s{0,3}",
        r"^(?:answers?|ans)[ \t.)-]{1,3}",
        r"^\W{0,3}(?:final\s)?answer\s?[\])】]\s{0,3}",
        r"\bfinal\s+answer\s?-\s",
        r"\b(?:i'd|i\s+would)\s+(?:say|guess|take|bet\s+on)(?:\s+(?:it's|it\s+is|that))?[ \t:]{1,3}",
        r"\bif\s+i\s+(?:(?:had|have|need|were)\s+to|must)\s+(?:guess|choose|pick)\b[^.\n]{0,20}?[,:]\s{0,3}",
        r"\b(?:actually|wait|correction|no|rather|instead)\b[^\n]{0,30}?\bit(?:'s|\s+(?:is|should\s+be|must\s+be))\s{1,2}",
        r"^A\s?(?::\s?(?=[A-Ja-j](?:\W{0,3}$))|\.\s?(?-i:(?=[a-j](?:\W{0,3}$))))",  # "Q: … A: c"
        r"^(?=(?:not|non)\s)",  # "not B but C"
        r"\bif\s+(?:only\s+)?one\s+must\s+be\s+(?:chosen|selected)[^.\n]{0,30}[,:]\s{0,3}",
        rf"\b(?:order|sequence)\b[^.\n:?]{{0,30}}?(?:\b{_BE}\b|:)[\s:]{{0,3}}",
        r"^(?:correction|corrected)[ \t:]{1,2}",
        r"\b(?:my|the)\s+(?:answers?|choice|pick)\s+(?:goes\s+to|falls\s+on|remains|stays|changes\s+to|lies\s+(?:in|with))\s{1,2}",
        r"\bgo(?:es)?\s+to\s(?=options?\b)",
    ),
    concluded=(
        r"^(?:choose|select|pick|go\s+with|mark|tick)[ \t:]{1,2}",
        r"(?:^|(?<=[.!?;,]\s)|(?<=[.!?;])|\b(?:so|hence|thus|therefore|clearly|think|believe|but|and|then)\s)(?:it(?:'s|\s+(?:is|must\s+be|has\s+to\s+be|should\s+be|can\s+only\s+be|seems(?:\s+to\s+be)?|appears\s+to\s+be|looks\s+like|would\s+be))|this(?:'s|\s+is)|that(?:'s|\s+(?:is|would\s+be|must\s+be))|i\s+(?:think|believe|guess|suspect|suppose|lean(?:\s+towards)?)(?:\s+(?:it|that)(?:'s|\s+is))?)\s{1,2}",
        r"\bmust\s+be\s{1,2}",
        r"\ball\s(?:of\s(?:the\s|them\s)?)?(?:other\s)?(?:options\s|answers\s|choices\s)?(?:are\s)?(?:wrong|false|incorrect)\s(?:except|but)\s(?:for\s)?",
        r"(?:^|(?<=[.!?]\s))(?:correct|true|right|yes|best)\s?:\s{0,2}",
        r"\b(?:therefore|thus|hence|so|overall|in\s+conclusion|in\s+summary|consequently|in\s+short|to\s+conclude|accordingly|ultimately)\b[,:]?[ \t]{0,2}(?:(?:it|this|that)(?:\s+(?:is|must\s+be|would\s+be)|'s)\s{1,2})?",
        rf"\b(?:most|best|only)\b[^.\n]{{0,80}}?\b{_BE}\b[\s:]{{1,3}}",
        rf"\b(?:diagnosis|treatment|step|finding|cause|test|drug|management|examination|condition|agent|organism|structure|nerve|mechanism|choice|one)\b[^.\n]{{0,40}}?\b{_BE}\b[\s:]{{1,3}}",
        r"\bmost\s+(?:likely|probably)\s{1,2}(?=(?-i:\(?[A-J])\b|option\b|[a-j][.,;])",
        r"\b(?:points?\s+(?:strongly\s+|clearly\s+|squarely\s+)?(?:to|at|towards)|suggests?|consistent\s+with|indicates?|favou?rs?)\s{1,2}(?=(?:option|choice)\b|\(|(?-i:[A-J]\b(?!\s\w)))",
        r"\b(?:leaves?|leaving|makes?|left\s+with|comes?\s+down\s+to|boils?\s+down\s+to|keeps?)\s(?:us\s|me\s)?(?:with\s)?(?:only\s)?(?:option\s)?(?=(?-i:\(?[A-J])\b)",
        r"\bby\s(?:(?:a\s)?process\sof\s)?elimination[,:]?\s(?:it\sis\s)?",
        r"\bit\s(?:could|might|may)\sbe\s(?=either\b)",
    ),
    corrects=(r"\b(?:no|wait|actually|rather|correction|instead|edit)[,:.]?[ \t]{1,2}(?=(?-i:[A-J])[.!]?(?:\s|$))",),
    against=(
        rf"\b(?:incorrect|wrong|false|inappropriate|least\s+\w{{3,16}}|unlikely|exception|untrue|not\s+(?:(?:a|an|the)\s+)?(?:correct|true|appropriate|feature|characteristic|indicated|associated|part))\b"
        rf"\s?{_KIND}?(?:(?!neither)[^.\n:?]){{0,40}}?(?:\b{_BE}\b|:)[\s:]{{0,3}}",
    ),
    rejected=(
        r"\b(?:eliminat\w{0,4}|rul(?:ed?|ing)\s+out|exclud\w{0,4}|discard\w{0,3}|reject\w{0,3}|dismiss\w{0,3}|distractors?|instead\s+of|rather\s+than|cross(?:ing)?\s+out|except(?:\s+for)?|unlike|not|isn't|aren't|never|cannot\s+be|can't\s+be|neither(?:\s+(?:is|are|was))?)\b[\s:]{0,3}(?:(?:the\s)?(?:options?|choices?|answers?)\s)?",
        r"\b(?:false|wrong|incorrect|excluded|eliminated|ruled\s+out)\s?:[ \t]{0,2}",
    ),
    superlative=(r"\b(?:most|best)\b",),
    hedges=(
        r"(?:probably|maybe|perhaps|possibly|likely|most\s+likely|definitely|certainly|clearly|obviously|surely|sure,|yes,|ok(?:ay)?,|i(?:'m|\s+am)\s+not\s+(?:sure|certain),?\s+but|my\s+guess(?:\s+is)?:?|well,|hmm,)[ \t,]{1,3}",
    ),
    lists=(r"[^:\n。]{0,20}(?:two|three|four|following)[^:\n。]{0,20}:[ \t]{0,3}",),
    points_below=(r"(?:following|below)[^\n]{0,30}$",),
    negated=(r"\b(?:not|isn't|aren't|never|cannot|can't|couldn't|neither)\b",),
    turns=(r"(?:incorrect|wrong|false|inappropriate|not\s+the)\s{0,2}$",),
    contrast=(
        r"[ \t]?[,;:.]?[ \t]?(?:(?:but|rather|instead)[ \t:]{1,3}(?:(?:it|this)\s(?:is|'s)[ \t])?|(?:it|this)\s?(?:is|'s)[ \t])(?:the[ \t])?",
    ),
    is_stated=(
        rf"\s{{0,2}}(?:{_BE}|(?:must|would|has\s+to)\s+be|remains)\s+{_SURELY}(?:the|my)\s+(?:(?:final|only|single)\s+)?(?:{_GOOD}\s+)?{_KIND}\b",
        rf",?\s{{1,2}}as\s+(?:the|my)\s+(?:final\s+)?(?:{_GOOD}\s+)?{_KIND}\b",
        r",?\s(?:it\s+is|for\s+sure|final(?:\s+answer)?)[.!]?\s*$",
        r"\s(?:gets\s+my\s+vote|is\s+my\s+(?:pick|choice|guess|bet|answer))\b",
        rf",?\s{{1,2}}the\s{_GOOD}\s{_KIND}\b",
    ),
    is_concluded=(
        r"\s{0,2}are\s+(?:both\s+|all\s+|the\s+)?(?:correct|right|true|indicated|appropriate)\b",
        r",?\s{1,2}(?:but|and)\s+not\s",
        rf"\s{{0,2}}(?:{_BE}|seems?(?:\s+to\s+be)?|appears?(?:\s+to\s+be)?|would\s+be|looks)\s+{_SURELY}(?:the\s+)?(?:most|best)\b",
        r"\s{0,2}(?:alone\s+)?(?:remains?|survives?|is\s+left|stands|holds\s+up|is\s+the\s+one\s+that\s+(?:fits|remains))\b",
        r"\s{0,2}(?:is|must\s+be|has\s+to\s+be|seems|appears|looks)\s+(?:to\s+be\s+)?(?:clearly\s+|probably\s+)?(?:correct|right)(?:\s(?:to\sme|here))?[.!]?$",
        r"\s{0,2}(?:best\s+)?(?:fits|matches|explains)\s+(?:best|the\s+(?:picture|findings|case)\s+best)",
    ),
    is_against=(rf"\s{{0,2}}{_BE}\s+the\s+(?:incorrect|false|wrong|least\s+\w{{3,16}}|exception|odd\s+one)",),
    is_right=(
        r"[ \t:,\-–(→>]{1,5}(?:yes|t)\b(?=[\s.,;)]|$)",
        rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}\s+)?{_SURELY}(?:correct|true|right|appropriate|indicated|accurate|valid)\b",
    ),
    is_wrong=(
        r"[ \t:,\-–(→>]{1,5}(?:no|f)\b(?=[.,;)]|\s*$)",
        rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}|can\s+(?:also\s+|both\s+|all\s+)?be|could\s+be|must\s+be)?[ \t]{{0,2}}{_SURELY}(?:{_WRONG}|out\b)",
        r"\s{0,2}(?:(?:do|does|did|would|can|could)(?:\s+not|n't)|cannot|can't|fails?|falls?\s+(?:away|out)|makes?\s+no\s+sense)\b",
        r"\s{0,2}(?:seems?|sounds?|looks?|is)\s+(?:tempting|plausible|attractive)[^.\n]{0,20}\b(?:but|yet)\b",
    ),
    is_not=(rf"\s{{0,2}}(?:{_BE}\s+not\b|isn't|aren't|cannot\b|can't)",),
    ends_right=(r"(?:this\s+is|so|thus)\s+(?:correct|true|right|the\s+(?:correct\s+)?answer)\.?$",),
    ends_wrong=(r"(?:this\s+is|so|thus)\s+(?:incorrect|wrong|false|not\s+(?:correct|true))\.?$",),
    after_conclusion=(r"[ \t]{0,2}(?:because|since|as|which|is|are|due|with|for|remains?|the\s)(?!\w)",),
    text_ends=(r"(?:was|is)\b",),
    adversatives=(r"\bbut\b",),
    links=(r"\bis|\bof",),
    endings=(r"(?:\s?(?:for\s+sure|i\s+think|i\s+guess|i\s+believe|of\s+course|only|it\s+is|obviously|definitely))?",),
    tells=(
        r",?[ \t]?not\b|[ \t](?:rather\sthan|instead\sof|over\s(?-i:[A-J])\b)|,?[ \t](?:though|although|but\s)|[,、][ \t]?(?:because|since|as\s)|[ \t](?:because|since|due\sto|as\sit|as\sthe)\b",
    ),
    after_text=(r"\s(?:is|are|should|would)(?!\w)",),
    others=(
        r"\b(?:some|many|most|other)\s+(?:people|students|textbooks?|books?|authors?|sources?|candidates|colleagues|doctors|readers|would|might|may|think|choose|pick|will)\b",
        r"\b(?:one|you|students|people|they)\s+(?:might|may|could|would)\b",
        r"\bat\s+first\b|\b(?:initially|originally|previously)\b",
    ),
    hypothetical=(
        r"^\W{0,3}(?:if|had|unless|were)\s(?!(?:i|we|one|only|forced|anything|asked\sto)\b)[^.]{0,120}(?:would|were|had)\b",
    ),
    introduces=(
        r"(?:explanations?|reason\w{0,3}|analy\w{2,4}|options?|choices?|consider\w{0,3}|discussion|why\??|comments?|evaluation|breakdown|overview|notes?)[^\n。:]{0,24}[.:?!]?$|[^:\n]{1,30} : ",
    ),
    sentence_ends=(r"(?<=\w\w)\.",),
    everything=(
        r"all(?:\s+of)?(?:\s+the)?(?:\s+(?:above|options|answers|choices|them|these|statements|five|four)){0,2}(?:\s+are\s+(?:correct|right|true))?",
    ),
    all_but=(
        r"(?:all|everything|every\s+option)(?:\s+of\s+(?:the\s+(?:above|following)(?:\s+are\s+(?:correct|true))?|them|these)|\s+(?:options|answers|the\s+others))?(?:\s+(?:is|are)\s+(?:correct|true|right))?,?\s+(?:except(?:\s+for)?|but|besides)\s+",
    ),
    refusal=(
        r"\b(?:i|we)(?:'m|\s+am|\s+are)?\s+(?:really\s+|very\s+|truly\s+)?sorry\b|\bi\s+apologi[sz]e\b",
        r"\b(?:i|we)\s+(?:can(?:no|')?t|can\s+not|could\s?n[o']t|am\s+(?:not\s+able|unable)|won't|will\s+not|do\s+not\s+have|don't\s+have|am\s+not\s+(?:allowed|qualified|in\s+a\s+position)|must\s+decline)\b"
        r"[^.\n]{0,60}\b(?:answers?|provide|assist|help|see|view|access|diagnos\w{1,6}|images?|figures?|give|offer|determine|advice|ability|comply|interpret|select|choose)\b",
        r"\b(?:i'm|i\s+am)\s+(?:unable|not\s+able)\s+to\b|\bas\s+an\s+ai\b|\bi\s+(?:must|have\s+to)\s+decline\b",
        r"\b(?:consult|seek|see)\s+(?:with\s+)?(?:a|your)\s+(?:doctor|physician|healthcare|medical|qualified)",
        r"\b(?:cannot|can't|not\s+possible\s+to)\b[^.\n]{0,30}\b(?:be\s+)?(?:answer(?:ed)?|determined?)\b[^.\n]{0,40}\b(?:without|because|since|as|due)\b",
        r"\bit(?:'s|\s+is)\s+(?:not\s+possible|impossible)\s+to\s+(?:answer|determine|identify|choose)",
        r"\b(?:please|could\s+you)\s+(?:provide|share|upload|send|describe)\b[^.\n]{0,60}\b(?:image|figure|picture|photo|question|options?|information|details|context)",
        r"\b(?:no|without\s+the|missing)\s+(?:image|figure|picture|photograph)s?\b[^.\n]{0,40}\b(?:provided|attached|available|shown|visible)",
    ),
    abstention=(
        r"none(?:\s+of\s+(?:the\s+(?:above|options|choices|answers)|these|them))?(?:\s+(?:is|are)\s+correct)?",
        r"(?:i\s+(?:really\s+)?(?:do\s+not|don't)\s+know(?:\s+the\s+(?:correct\s+)?answer)?|don't\s+know|i(?:'m|\s+am)\s+not\s+(?:sure|certain)|unknown|unsure|no\s+answer|not\s+(?:sure|known)|skip(?:ped)?|pass|n/?a|idk|no\s+idea|i\s+have\s+no\s+idea|"
        r"i(?:'d)?\s+(?:would\s+)?(?:prefer|rather|choose)\s+not\s+(?:to\s+)?answer|undetermined|cannot\s+be\s+determined|not\s+answered|abstain(?:ed)?|i\s+abstain)",
        r"(?:there\s+is\s+)?(?:not\s+enough|insufficient)\s+information(?:\s+to\s+(?:answer|determine)[^.\n]{0,30})?",
    ),
    abstention_option=(r"i (?:do not|don't) know|(?:i )?prefer not to answer|no answer",),
    errors=(
        r"[\[<{(\"'\s]{0,4}(?:api[ _]?)?(?:error|exception)[\])\"'>]{0,2}\s?(?:code\b|occurred\b|\d{3}|[:\-]|$)|traceback \(most recent",
        r"(?:request|connection)\s(?:failed|timed\sout|error)|(?:read\s)?time[d\s]{0,2}\s?out\b|rate\slimit|internal\sserver\serror|\w{2,30}(?:Error|Exception):",
    ),
    next_turn=(
        r"(?:next\s+)?question\s?\d{0,3}\s?[:.)]|q\s?\d{1,3}\s?[:.)]|q\s?:|(?:user|human|instructions?|input|system|prompt|problem)\s?:|you\s+are\s+(?:a|an|the)\s|"
        r"(?:next|new)\s+question\b|the\s+following\s+(?:is|are)\s+(?:a\s+)?(?:multiple|medical)",
    ),
    asks=(r"which of the following",),
    no_value_before=(r"\bno\.?\s?|\bnot\s|\bper\s|\bsteps?\s|/\s?|\bin\s(?=\d+\ssteps)",),
    no_value_after=(r"\s?decimals?\b",),
    number_ranges=(
        r"\d[^\d\n]{0,9}\s(?:or|to|and)\s[^\d\n]{0,3}\d|\b(?:between|from)\s[^\d\n]{0,9}\d[^\d\n]{0,9}\s(?:and|to)\s",
    ),
    approximately=(r"about|approximately|approx\.?|roughly|around|nearly|some",),
    minus=(r"\bminus\s",),
    concludes=(
        r"\btherefore\b|\bthus\b|\bhence\b|\bso\b|\bcomes?\s+(?:out\s+)?to\b|\b(?:gives|yields|equals|obtain)\b|\bresult\b",
    ),
    compounds=(r"h|hours?|min",),
    reasons=(
        r"reason|think|thought|explan|rational|analy|justif|comment|note|step|evidence|confiden|score|probab|certain|question|difficult|why|context|detail|distract|discuss|critique",
    ),
    answers=(
        r"answer|choice|option|select|chosen|letter|predict|response|output|conclusion|correct|label|result|pick|verdict|final|ans",
    ),
    yes=(r"true|yes|correct|right|1(?:\.0)?|t|y|✓|✅|chosen|selected",),
)
