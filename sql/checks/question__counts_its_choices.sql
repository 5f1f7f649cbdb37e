-- A question has as many choices as it says, at positions 0, 1, 2 …
select
    question.question_id,
    question.n_choices,
    count(choice.position) as found,
    max(choice.position) as last_position
from question
left join choice on question.question_id = choice.question_id
group by question.question_id, question.n_choices
having
    count(choice.position) <> question.n_choices
    or coalesce(max(choice.position), -1) <> question.n_choices - 1
