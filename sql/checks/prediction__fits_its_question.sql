-- A prediction belongs to a question of its run's dataset and selects choices that exist.
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
    or prediction.selection >= (1 << question.n_choices)
