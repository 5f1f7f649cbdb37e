-- Which answer keys may be wrong?
select
    question_id,
    key,
    strong_answer,
    strong_share,
    disputed
from suspicious_keys
order by strong_share desc nulls last, question_id asc
