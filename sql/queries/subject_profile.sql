-- How does each run do by subject, under the official rules?
select
    run.dataset_id,
    run.model,
    topic_score.topic,
    topic_score.score,
    topic_score.low,
    topic_score.high,
    topic_score.accuracy,
    topic_score.n
from topic_score
inner join run on topic_score.run_id = run.run_id
where topic_score.ruleset = 'official'
order by run.dataset_id, run.model, topic_score.topic
