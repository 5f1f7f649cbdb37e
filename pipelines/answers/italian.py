"""Italian: the phrases around an answer, and the words that look like option letters.

Only data, in the shape that english.py describes. The one-letter words (a, e, i, o; "E'", "è") count as words when
they are lower-case or begin a sentence and a word follows.
"""

import re

NOUNS = r"opzion[ei]|letter[ae]|alternativ[ae]|rispost[ae]|la|le|il|numero|affermazion[ei]|soltanto|solo"
AND = r"ed?"
OR = r"od?|oppure|ovvero"

WORDS = frozenset("AEIO")
AFTER_LABEL = frozenset(["perché", "perche", "poiché", "poiche", "in", "ed", "è", "sono", "oppure"])

_BE = r"(?:è|é|e'|sono|sarebbe|sarà|sia)"
_RIGHT = r"(?:corrett[aeio]|giust[aeio]|esatt[aeio]|ver[aeo])"
_KIND = r"(?:rispost[ae]|opzion[ei]|alternativ[ae]|letter[ae]|affermazion[ei]|scelt[ae]|soluzion[ei])"
_THE = r"(?:(?:la|le|il|l')\s?)?"

FINAL = (
    rf"\brispost[ae]\b[^.\n:=→]{{0,50}}?(?:(?<!\w){_BE}(?!\w)|[:=→])[\s:]{{0,3}}{_THE}",
    rf"\b{_KIND}\s+(?:più\s+)?(?:{_RIGHT}|migliore|final[ei]|adatta|appropriata|probabile)[^.\n:=→]{{0,40}}?(?:(?<!\w){_BE}(?!\w)|[:=→])[\s:]{{0,3}}{_THE}",
    rf"(?<!\w){_BE}\s+(?:quindi\s+|dunque\s+)?{_RIGHT}\s+(?:solo\s+|soltanto\s+)?(?:la|le|l'|quella|il)\s?",
    rf"^(?:la\s|l')?(?:soluzione|conclusione|scelta)\b[^\n:]{{0,20}}?(?::|(?<!\w){_BE}(?!\w))[ \t]{{0,3}}{_THE}",
    rf"\b(?:scelgo|seleziono|sceglierei|opto\s+per|direi|rispondo)[\s:]{{1,3}}{_THE}",
    r"^risposta[ \t]{1,3}",
)
HEDGE = (
    r"(?:(?:forse|probabilmente|secondo\s+me|a\s+mio\s+(?:parere|avviso)|potrebbe\s+essere|non\s+sono\s+sicur[oa],?\s+ma)"
    r"[ \t,:]{1,3}(?:(?:è|e')\s)?(?:la\s|il\s|o\s)?|o\s(?=(?:la\s)?[A-F]\s+o\s))"
)
LIKELY = (
    r"\b(?:letter[ae]|opzion[ei]|rispost[ae]|alternativ[ae])\s+corrispondent[ei]\s+(?:è|sono)\s+(?:(?:la|le)\s)?",
    r"\bsecondo\s+me,?\s+(?:è\s+)?(?:la\s)?",
    rf"^(?:è|e')\s{{1,2}}{_THE}",
    rf"\b(?:credo|penso|ritengo|suppongo)\b[^.\n]{{0,20}}?(?:sia|è)\s{{1,2}}{_THE}",
    rf"\b(?:quindi|dunque|pertanto|perciò|in\s+conclusione)\b,?\s{{0,2}}(?:{_BE}\s{{1,2}})?{_THE}",
    rf"\b(?:quella\s+{_RIGHT}|più\s+(?:probabile|appropriat[ao]|adatt[ao]))[^.\n]{{0,40}}?(?<!\w){_BE}(?!\w)[\s:]{{1,3}}{_THE}",
)
LIKELY_NOT = (
    rf"\b(?:errat[ao]|sbagliat[ao]|fals[ao]|scorrett[ao]|non\s+{_RIGHT})\s?(?:{_KIND})?[^.\n:]{{0,30}}?(?:(?<!\w){_BE}(?!\w)|:)[\s:]{{0,3}}{_THE}",
)
DROPPED = (
    r"\b(?:esclud\w{1,6}|esclus\w{1,3}|scart\w{1,5}|eliminat\w{1,2}|non)\b[\s:]{0,3}(?:(?:la|le|l')\s?)?(?:opzion[ei]\s)?",
)

IS_FINAL = (rf"\s{{0,2}}{_BE}\s+(?:quindi\s+|dunque\s+)?(?:la|le|l'|quella)\s?(?:{_KIND}|{_RIGHT})",)
IS_LIKELY = (rf"\s{{0,2}}{_BE}\s+(?:la\s+|l'\s?)?(?:{_KIND}\s+)?più\s",)
IS_LIKELY_NOT = (rf"\s{{0,2}}{_BE}\s+(?:la|l'|quella)\s?(?:{_KIND}\s+)?(?:errata|sbagliata|falsa|scorretta)",)
IS_RIGHT = (rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}\s+)?{_RIGHT}\b",)
IS_WRONG = (
    rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}\s+)?(?:errat|sbagliat|fals|scorrett|esclus|non\s+(?:{_BE}\s+)?{_RIGHT})\w{{0,3}}",
)
IS_NOT = (rf"\s{{0,2}}non\s+{_BE}",)
ENDS_RIGHT = rf"(?:quindi|è)\s+{_RIGHT}\.?$"
ENDS_WRONG = r"(?:quindi|è)\s+(?:errata|sbagliata|falsa|scorretta)\.?$"

REFUSAL = (
    r"\b(?:non\s+(?:posso|sono\s+in\s+grado|è\s+possibile|mi\s+è\s+possibile)|impossibile)\b[^.\n]{0,60}"
    r"\b(?:risponder\w{0,3}|fornir\w{0,3}|rispost\w|vedere|visualizzare|determinare|aiutar\w{0,3}|stabilire|consigl\w{1,3}|diagnos\w{1,4}|indicar\w)\b",
    r"\bmi\s+(?:dispiace|spiace|scuso)\b|\b(?:consult|rivolg)\w{1,4}\s+(?:a\s+)?un\s+medico\b",
)
ALL = r"tutt[ei](?:\s+(?:le|i))?(?:\s+(?:risposte|opzioni|precedenti|affermazioni)){0,2}(?:\s+sono\s+corrette)?"
ALL_BUT = (r"tutt[ei](?:\s+le\s+(?:risposte|opzioni))?\s+(?:tranne|eccetto|meno|salvo)\s+(?:la\s)?", r"")
ABSTENTION = (
    r"nessuna(?:\s+(?:delle\s+)?(?:precedenti|altre|opzioni|risposte))?(?:\s+è\s+corretta)?",
    r"(?:preferisco\s+non\s+rispondere|non\s+(?:lo\s+)?so(?:\s+rispondere)?|non\s+saprei|non\s+rispondo|nessuna\s+risposta|mi\s+astengo|non\s+risposta|non\s+conosco\s+la\s+risposta)",
)
NEXT = (
    r"domanda\s?\d{0,3}\s?[:.)]|(?:utente|istruzioni)\s?:|sei\s+un\s+(?:assistente|medico|esperto)|(?:prossima|nuova)\s+domanda\b",
)

IS_SPOKEN = re.compile(r"\b(?:rispost[ae]|corrett[ao]|opzione|quindi|perché|preferisco)\b|(?<!\w)è(?!\w)", re.I)
