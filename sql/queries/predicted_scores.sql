-- What would runs that were asked a part of the questions earn on all of them? Predicted, not measured.
select
    r.model,
    p.dataset_id,
    p.part,
    p.component,
    p.metric,
    p.value,
    p.low,
    p.high,
    p.n_asked,
    p.n_whole,
    p.method
from predicted_score as p
inner join run as r on p.run_id = r.run_id
order by r.model asc, p.run_id asc, p.part asc, p.component asc, p.metric asc
