-- Which responses held no answer, and what did they say?
select
    run.model,
    prediction.question_id,
    prediction.status,
    prediction.response
from prediction
inner join run on prediction.run_id = run.run_id
where prediction.status in ('unparsed', 'ambiguous', 'error', 'empty')
order by run.model, prediction.question_id
