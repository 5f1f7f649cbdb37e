-- A prediction belongs to a question of its run's dataset and selects choices that exist, or labels that it names.
select
    prediction.run_id,
    prediction.question_id,
    prediction.selection
from prediction
inner join run on prediction.run_id = run.run_id
inner join question on prediction.question_id = question.question_id
where
    question.dataset_id <> run.dataset_id
    or prediction.selection <= 0
    or (
        prediction.selection >= (1 << question.n_choices)
        -- a letter that the question does not offer is a wrong choice where the rule deducts for one
        and (
            question.answer_type <> 'multiple'
            or coalesce(len(string_split(prediction.labels, '-')), 0) <> bit_count(prediction.selection)
        )
    )
