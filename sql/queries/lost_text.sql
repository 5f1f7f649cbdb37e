-- Which released questions lost text, and what does the bank say instead?
select
    old_question.question_id,
    old_question.stem as released,
    new_question.stem as bank,
    question_flag.detail
from question_flag
inner join question as old_question on question_flag.question_id = old_question.question_id
inner join question_link on old_question.question_id = question_link.from_question
inner join question as new_question on question_link.to_question = new_question.question_id
where question_flag.flag = 'lost_markup'
order by old_question.question_id
