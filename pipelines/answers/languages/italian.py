"""Italian: the phrases around an answer, and the words that look like option letters ("E'", "è", "a", "e", "o")."""
# ruff: noqa: E501  (one phrase a line)

from pipelines.answers.phrases import Phrases

_BE = r"(?:è|é|e'|sono|sarebbe|sarà|sia|saranno|dovrebbe\s+essere|deve\s+essere|dev'essere|potrebbe(?:ro)?\s+essere|pare(?:\s+essere)?|sembra(?:no)?(?:\s+essere)?|risulta(?:\s+essere)?)"
_RIGHT = r"(?:corrett[aeio]|giust[aeio]|esatt[aeio]|ver[aeo]|valid[aeo])"
_WRONG = r"(?:errat[aeio]|sbagliat[aeio]|fals[aeio]|scorrett[aeio]|inesatt[aeio]|esclus[aeio]|da\s+(?:escludere|scartare)|scartat[aeio]|distrattor[ei]|improbabil[ei]|inadatt[aeio])"
_KIND = r"(?:rispost[ae]|opzion[ei]|alternativ[ae]|letter[ae]|affermazion[ei]|scelt[ae]|soluzion[ei]|element[oi])"
_THE = r"(?:quella\s+(?:indicata|contrassegnata|segnata|corrispondente)\s+(?:con|da|dalla|alla)\s+)?(?:(?:la|le|il|l'|quella|alla)\s?)?"
_SO = r"(?:quindi\s+|dunque\s+|pertanto\s+|perciò\s+|allora\s+|infatti\s+|sicuramente\s+|certamente\s+|anche\s+|solo\s+|soltanto\s+|tutt[ei]\s+|entrambe\s+){0,2}"

PHRASES = Phrases(
    code="it",
    spoken=(
        r"\b(?:rispost[ae]|corrett[aei]|opzion[ei]|quindi|perché|preferisco|della|delle|sono|non|scelgo|direi|dalla)\b|(?<!\w)è(?!\w)",
    ),
    nouns=(
        r"opzion[ei]|letter[ae]|alternativ[ae]|rispost[ae]|la|le|il|alla|alle|l'|numero|n\.|affermazion[ei]|soltanto|solo|quell[ae]|tutt[ei]|entrambe|sia",
    ),
    articles=(r"(?:il|lo|la|le|i|gli|uno?|una)[ \t]+|(?:l|un)'",),
    conjunctions=(r"(?<=[ \t])(?-i:ed?)(?=[ \t])|né|nonché|poi|che|e\s(?:nemmeno|neppure|né)",),
    disjunctions=(r"(?<=[ \t])(?-i:od?)(?=[ \t])|oppure|ovvero",),
    ranges=(r"(?:fino\s+)?all[ae]|(?<=[ \t])a(?=[ \t](?-i:[A-Z])\b)",),
    letter_words="AEIOaeio",
    not_runs=(r"da|ed|ad|cade|dea|fede|abc",),
    after_label=(
        r"perché|perche|poiché|poiche|in|ed|è|sono|oppure|né|ma|si|infatti|fino|alla|dato|corrisponde|risulta|va|resta",
    ),
    no_label_before=(
        r"(?:vitamina|epatite|tipo|gruppo|grado|classe|stadio|fattore|figura|proteina|differenza\s+di)\s?$",
    ),
    quantity=(r"[ \t]?(?:anni|giorni|ore|mesi|punti|opzioni|risposte|minuti|volte)",),
    stated=(
        rf"\brispost[ae]\b[^.\n:=→?]{{0,50}}?(?:(?<!\w){_BE}(?!\w)|[:=→])[\s:]{{0,3}}{_THE}",
        rf"\b{_KIND}\s+(?:più\s+)?(?:{_RIGHT}|migliore|final[ei]|adatta|appropriata|probabile|da\s+(?:scegliere|indicare|segnare))[^.\n:=→?]{{0,40}}?(?:(?<!\w){_BE}(?!\w)|[:=→])[\s:]{{0,3}}{_THE}",
        rf"(?<!\w)(?:{_BE}\s+|tutt[ei]\s+)?{_SO}(?:{_RIGHT})\s+(?:solo\s+|soltanto\s+|tutt[ei]\s+|dunque\s+|quindi\s+)?(?:la|le|l'|quella|il|dalla|sono|è)\s?",
        rf"(?:^|(?<=[.!?]\s))(?:la\s|l'|le\s)?(?:soluzione|conclusione|scelta|opzione|corrett[ae]|esatta|verdetto|decisione)\b[^\n:.?]{{0,20}}?(?::|(?<!\w){_BE}(?!\w))[ \t]{{0,3}}{_THE}",
        rf"(?<!\w)(?:sono|è)\s+{_RIGHT}\s?:?\s{{1,2}}{_THE}",
        rf"\b(?:scelgo|seleziono|sceglierei|opto\s+per|opterei\s+per|direi|rispondo|risponderei|punto\s+su(?:lla)?|voto|terrei|tengo|segno|segnerei|indico|indicherei|confermo|propendo\s+per|mi\s+oriento\s+(?:su|verso)|prendo)(?:\s+quindi|\s+dunque)?[\s:]{{1,3}}{_THE}",
        rf"\b(?:va|bisogna|occorre|si\s+deve|conviene)\s+(?:segnat[ao]|scelt[ao]|indicat[ao]|segnare|scegliere|indicare)\s{_THE}",
        r"\b(?:ordine|sequenza)\b[^.\n:?]{0,30}?(?:(?<!\w)è(?!\w)|:)[\s:]{0,3}",
        rf"\bmi[ao]\s+(?:scelta|risposta|opzione|preferenza|ipotesi|voto|decisione)\b[^.\n:?]{{0,20}}?(?:(?<!\w){_BE}(?!\w)|:)\s{{0,3}}{_THE}",
        r"\bse\s+(?:devo|dovessi|proprio\s+devo)\s+(?:scegliere|indovinare|rispondere|dire)[^.\n]{0,20}?[,:]\s{0,3}(?:la\s)?",
        r"^risposta\s(?:n\.?\s?)?\d{1,2}\s?:\s{0,2}",
        r"^risposta[ \t]{1,3}(?:n\.?[ \t]?)?|(?:^|(?<=[.!?;,:]\s))rispost[ae]\s(?=(?-i:[A-J])\b(?!\s\w))",
        r"(?:^|(?<=[.;!]\s))(?:r(?:isp)?\s?\.\s?:?|r(?:isp)?\s?:|ris\.\s?:?)\s{0,2}",
        rf"\b(?:alla\s+fine|in\s+definitiva|in\s+sintesi|decisione\s+finale|correzione|anzi|correggo|errata\s+corrige)\b\s?[:,]\s{{0,2}}(?:è\s+)?{_THE}",
        rf"\bquella\s+(?:{_RIGHT}|indicata|contrassegnata|che\s+corrisponde)(?:\s+(?:con|da|dalla))?[^.\n:?]{{0,20}}?(?:(?<!\w){_BE}(?!\w)|:|con|dalla|alla)\s{{1,2}}{_THE}",
        rf"\b(?:l'unica|l'unico|la\s+sola)\s+(?:\w{{1,12}}\s+)?(?:{_RIGHT}|possibile|plausibile|accettabile|che\s+(?:resta|rimane))\b[^.\n:?]{{0,20}}?(?:(?<!\w){_BE}(?!\w)|:)[\s:]{{0,3}}{_THE}",
        rf"\b(?:corrisponde|corrispondono)\s+all[ae]\s{_THE}",
    ),
    concluded=(
        r"\b(?:letter[ae]|opzion[ei]|rispost[ae]|alternativ[ae])\s+corrispondent[ei]\s+(?:è|sono)\s+(?:(?:la|le)\s)?",
        r"\b(?:secondo\s+me|a\s+mio\s+(?:avviso|parere)),?\s+(?:è\s+)?(?:la\s)?",
        rf"(?:^|(?<=[.!?;,:]\s)|\b(?:invece|ma|allora|bensì)\s)(?:no[,:]?\s)?{_BE}\s{{1,2}}{_THE}",
        rf"\b(?:credo|penso|direi|dico|suppongo)\s{{1,2}}(?:che\s)?{_THE}(?=(?-i:[A-J])\b(?!\s\w))",
        r"\btutte\s(?:le\s)?(?:altre\s)?(?:sono\s)?(?:false|errate|sbagliate|scorrette)\s(?:tranne|eccetto|meno|salvo)\s(?:la\s)?",
        rf"\b(?:credo|penso|ritengo|suppongo|immagino|credo\s+proprio)\b[^.\n]{{0,20}}?(?:sia(?:no)?|è)\s{{1,2}}{_THE}",
        rf"\b(?:quindi|dunque|pertanto|perciò|in\s+conclusione|di\s+conseguenza|allora|ne\s+segue|ecco\s+perché)\b,?\s{{0,2}}(?:{_BE}\s{{1,2}})?(?:per\s)?{_THE}",
        rf"\b(?:quella\s+{_RIGHT}|più\s+(?:probabile|appropriat[ao]|adatt[ao]|corrett[ao]))[^.\n?]{{0,40}}?(?<!\w){_BE}(?!\w)[\s:]{{1,3}}{_THE}",
        rf"(?<!\w)(?:resta(?:no)?|rimane|rimangono|restava|avanza)\s(?:quindi\s|dunque\s|solo\s|soltanto\s|solamente\s|in\s+gioco\s){{0,2}}{_THE}(?=(?-i:\(?[A-J])\b|opzione|risposta|lettera)",
        r"\btra\s(?:la\s)?(?-i:[A-J])\se\s(?:la\s)?(?-i:[A-J]),\s(?:(?:scelgo|direi|è|meglio)\s)?(?:la\s)?",
        r"\bma\s(?:è\s)?(?:la|l'opzione|la\srisposta)\s(?=(?-i:[A-J])\b(?:[.!]?$|\sè\s(?:la\s)?(?:migliore|giusta|corretta|esatta)))",
    ),
    corrects=(
        r"\b(?:no|anzi|correggo|no,\s(?:aspetta|scusate?)|invece)[,:.]?[ \t]{1,2}(?:è\s)?(?:la\s)?(?=(?-i:[A-J])[.!]?(?:\s|$))",
    ),
    against=(
        rf"\b(?:{_WRONG}|non\s+(?:è\s+)?{_RIGHT})\s?(?:{_KIND})?[^.\n:?]{{0,30}}?(?:(?<!\w){_BE}(?!\w)|:)[\s:]{{0,3}}{_THE}",
    ),
    rejected=(
        r"\b(?:esclud\w{1,7}|esclus\w{1,3}|scart\w{1,6}|eliminat\w{1,2}|elimin(?:o|iamo|erei|ando|are)|non|né|neppure|nemmeno|tranne|eccetto|invece\s+di(?:\s?lla)?|piuttosto\s+che|a\s+differenza\s+d(?:i|ella|ell'))\b[\s:]{0,3}(?:(?:è|sono|può\s+essere|né)\s){0,2}(?:(?:la|le|l')\s?)?(?:opzion[ei]\s|rispost[ae]\s)?",
        r"\b(?:false|errate|sbagliate|scorrette)\s?:[ \t]{0,2}",
    ),
    superlative=(r"\bpiù\s",),
    hedges=(
        r"(?:forse|probabilmente|sicuramente|certamente|ovviamente|secondo\s+me|a\s+mio\s+(?:parere|avviso)|potrebbe\s+essere|non\s+sono\s+sicur[oa],?\s+ma|sì,|certo,|allora,|credo|mah,|beh,|ecco\s+la\s+risposta)"
        r"[ \t,:]{1,3}(?:(?:è|e')\s)?(?:la\s|il\s|o\s)?|o\s(?=(?:la\s)?[A-F]\s+o\s)|e\s+(?=quindi\b)",
    ),
    lists=(r"[^:\n]{0,20}(?:due|tre|quattro|seguenti)[^:\n]{0,20}:[ \t]{0,3}",),
    points_below=(r"(?:seguent[ei]|qui\s+sotto)[^\n]{0,30}$",),
    negated=(r"(?<!\w)(?:non|né|neppure|nemmeno)(?!\w)",),
    turns=(r"(?:errat[ae]|sbagliat[ae]|non\s+la)\s{0,2}$",),
    contrast=(
        r"[ \t]?[,;:.]?[ \t]?(?:(?:ma|bensì)[ \t:]{1,3}(?:è[ \t])?|è[ \t])(?:la[ \t]|l'|il[ \t])?(?:opzione\s|risposta\s)?",
    ),
    is_stated=(
        rf"\s{{0,2}}{_BE}\s+{_SO}(?:la|le|l'|quella|quelle|l'unica)\s?(?:{_KIND}|{_RIGHT}|migliore)",
        rf"\s{{0,2}}(?:{_BE})\s+{_SO}(?:la\s+)?migliore\b",
    ),
    is_concluded=(
        rf"\s{{0,2}}{_BE}\s+{_SO}(?:la\s+|l'\s?)?(?:{_KIND}\s+)?più\s",
        rf"\s{{0,2}}sono\s+{_SO}{_RIGHT}\b",
        r"\s{0,2}(?:resta|rimane)\s+(?:l'unica|la\s+sola|in\s+piedi|valida)\b",
        rf"\s{{0,2}}(?:mi\s+)?{_BE}\s+{_SO}{_RIGHT}[.!]?$",
    ),
    is_against=(rf"\s{{0,2}}{_BE}\s+(?:la|l'|quella)\s?(?:{_KIND}\s+)?(?:errata|sbagliata|falsa|scorretta)",),
    is_right=(
        rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}\s+)?{_SO}{_RIGHT}\b",
        r"[ \t:,\-–(→>]{1,5}(?:(?:sì|v)(?=[\s.,;)]|$)|si(?=[.,;)]|\s*$))",
    ),
    is_wrong=(
        rf"[ \t:,\-–(→>]{{0,5}}(?:{_BE}\s+)?{_SO}{_WRONG}\b",
        rf"[ \t:,\-–(→>]{{0,5}}non\s+(?:{_BE}\s+)?{_SO}{_RIGHT}\b",
        r"[ \t:,\-–(→>]{1,5}(?:no|f)(?=[.,;)]|\s*$)",
        r"\s{0,2}(?:si\s+(?:può|possono)\s+(?:escludere|scartare|eliminare)|va(?:nno)?\s+(?:esclus|scartat|eliminat)[aeio]|pure(?=[,.;])|non\s+(?:c'entra(?:no)?|va(?:nno)?\s+bene|corrispond\w{1,4}|regge|reggono|può|possono))",
    ),
    is_not=(rf"\s{{0,2}}(?:non\s+{_BE}|no[,.])",),
    ends_right=(rf"(?:quindi|è)\s+{_RIGHT}\.?$",),
    ends_wrong=(r"(?:quindi|è)\s+(?:errata|sbagliata|falsa|scorretta)\.?$",),
    after_conclusion=(r"[ \t]{0,2}(?:perch|poich|in\s+quanto|è|dato\s|visto\s|infatti|a\s+essere|ad\s+essere|la\s)",),
    adversatives=(r"\bma\b",),
    links=(r"\bè",),
    endings=(r"(?:\s?(?:secondo\s+me|credo|direi|sicuramente|senza\s+dubbio|e\s+basta|ovviamente))?",),
    tells=(
        r",?[ \t]?(?:e\s)?non\b|[ \t](?:invece\sdi|piuttosto\sche|anziché)|[,、]?[ \t]?(?:perch|poich|dato\s+che|infatti|in\s+quanto)|[:,]\s?ver[ao],\sle\saltre\sfalse",
    ),
    after_text=(r"\s(?:è|sono)(?!\w)",),
    others=(
        r"\b(?:alcun[ie]|molt[ie]|qualcuno|altri|c'è\s+chi|gli\s+studenti|i\s+candidati)\b[^.]{0,40}\b(?:scelgon\w|pensan\w|dicon\w|direbber\w|indican\w|sceglierebber\w|sostengon\w|potrebber\w)",
        r"\b(?:inizialmente|all'inizio|a\s+prima\s+vista|in\s+un\s+primo\s+momento|sulle\s+prime)\b",
    ),
    hypothetical=(r"^\W{0,3}se\s(?!(?:devo|dovessi|proprio)\b)[^.]{0,120}\b(?:sarebbe|andrebbe|fosse)\b",),
    introduces=(
        r"(?:spiegazion\w|opzioni|opzione|comment[oi]|analisi|alternative|motivazion\w|perché\??|dettagli|risposte|ragionamento|analizziamo[^.\n]{0,30}|vediamo[^.\n]{0,30})[^\n:]{0,24}[.:?]?$",
    ),
    everything=(
        r"tutt[ei](?:\s+(?:le|i))?(?:\s+(?:risposte|opzioni|precedenti|affermazioni|cinque)){0,2}(?:\s+sono\s+corrette)?",
    ),
    all_but=(
        r"tutt[ei](?:\s+le\s+(?:risposte|opzioni|altre))?(?:\s+(?:sono\s+)?(?:corrette|vere|giuste))?\s+(?:tranne|eccetto|meno|salvo)\s+(?:la\s)?",
    ),
    refusal=(
        r"\b(?:non\s+(?:posso|sono\s+in\s+grado|è\s+possibile|mi\s+è\s+possibile|riesco)|impossibile)\b[^.\n]{0,60}"
        r"\b(?:risponder\w{0,3}|fornir\w{0,3}|rispost\w|vedere|visualizzare|determinare|aiutar\w{0,3}|stabilire|consigl\w{1,3}|diagnos\w{1,4}|indicar\w)\b",
        r"\bmi\s+(?:dispiace|spiace|scuso)\b|\b(?:consult|rivolg)\w{1,4}\s+(?:a\s+)?un\s+medico\b",
    ),
    abstention=(
        r"(?:la\s+risposta\s+(?:corretta\s+)?è\s+)?nessuna(?:\s+(?:delle\s+)?(?:precedenti|altre|opzioni|risposte|alternative))?(?:\s+è\s+(?:corretta|giusta))?",
        r"(?:preferisco\s+non\s+rispondere|non\s+(?:lo\s+)?so(?:\s+rispondere)?|non\s+saprei(?:\s+(?:dire|rispondere))?|non\s+rispondo|nessuna\s+risposta|mi\s+astengo|non\s+risposta|non\s+conosco\s+la\s+risposta|non\s+ne\s+ho\s+idea|passo|boh)",
    ),
    abstention_option=(r"preferisco non rispondere|non (?:lo )?so",),
    errors=(r"[\[<{(\"'\s]{0,4}errore[\])\"'>]{0,2}\s?(?:\d{3}|[:\-]|$)",),
    next_turn=(
        r"domanda\s?\d{0,3}\s?[:.)]|(?:utente|istruzioni)\s?:|sei\s+un\s+(?:assistente|medico|esperto)|(?:prossima|nuova)\s+domanda\b",
    ),
    asks=(r"quale (?:delle|dei|tra)",),
    no_value_before=(r"\bnon\s|passo\s|n\.\s?",),
    number_ranges=(
        r"\d[^\d\n]{0,9}\s(?:o|oppure|a|e)\s[^\d\n]{0,3}\d|\b(?:tra|fra|da)\s[^\d\n]{0,9}\d[^\d\n]{0,9}\s(?:e|a)\s",
    ),
    approximately=(r"circa|all'incirca|quasi|pressappoco",),
    minus=(r"\bmeno\s",),
    concludes=(r"\bquindi\b|\bpertanto\b|\bsi\s+(?:ottiene|ottengono|ha)\b|\brisulta\w{0,4}\b|\bdunque\b|\bfa\b",),
    compounds=(r"ore|minuti",),
    reasons=(
        r"spieg|ragion|motiv|pensier|analis|giustif|confid|sicurezz|punteg|probabil|domanda|passagg|perch|distratt",
    ),
    answers=(r"rispost|scelt|opzion|letter|alternativ|corrett|soluzion|esatt",),
    yes=(r"vero|vera|sì|si|corrett[ao]|giust[ao]|v",),
)
