-- Which questions do models get wrong most often, and how do people do on them?
select
    question.question_id,
    question_difficulty.runs,
    question_difficulty.share_right,
    question_difficulty.human_accuracy,
    question_difficulty.suspicious_key,
    question.stem
from question_difficulty
inner join question on question_difficulty.question_id = question.question_id
where question_difficulty.runs > 0
order by question_difficulty.share_right asc, question_difficulty.runs desc, question.question_id asc
