-- Which questions do models get wrong most often, and how do people do on them?
select
    question_id,
    runs,
    share_right,
    human_accuracy,
    suspicious_key,
    stem
from hard_questions
order by share_right asc, runs desc, question_id asc
