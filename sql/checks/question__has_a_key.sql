-- A question that is scored has an accepted answer.
select
    question.question_id,
    question.key_status
from question
left join answer_key on question.question_id = answer_key.question_id
where question.key_status in ('scored', 'correct_only') and answer_key.question_id is null
