-- In which subject is each model weakest, and by how much?
select
    dataset_id,
    model,
    topic,
    accuracy,
    below_run,
    n
from worst_topics
where kind = 'model' and place = 1
order by dataset_id, model, topic
