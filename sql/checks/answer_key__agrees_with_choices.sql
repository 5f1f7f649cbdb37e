-- A choice is marked correct exactly when an accepted answer selects it.
with
keyed as (
    select
        question_id,
        bit_or(selection) as selection
    from answer_key
    group by question_id
)

select
    choice.question_id,
    choice.position,
    choice.is_correct
from choice
left join keyed on choice.question_id = keyed.question_id
where choice.is_correct <> ((coalesce(keyed.selection, 0) >> choice.position) & 1 = 1)
