-- An accepted answer selects choices that exist, one alone where a single answer is asked for.
select
    answer_key.question_id,
    answer_key.alternative,
    answer_key.selection
from answer_key
inner join question on answer_key.question_id = question.question_id
where
    (answer_key.selection is null and answer_key.value is null)
    or answer_key.selection <= 0
    or answer_key.selection >= (1 << question.n_choices)
    or (question.answer_type = 'single' and bit_count(answer_key.selection) <> 1)
