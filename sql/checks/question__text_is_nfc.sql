-- The text of questions is in Unicode normal form C, without white space at its ends.
select
    question_id,
    stem
from question
where stem <> nfc_normalize(stem) or stem <> trim(stem)
