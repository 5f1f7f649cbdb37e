-- A prediction has a selection or a value exactly when it was answered.
select
    run_id,
    question_id,
    status,
    selection,
    value
from prediction
where (status = 'answered') <> (selection is not null or value is not null)
