-- In which subjects is each run weakest: one row per run and subject, place 1 the weakest of the run.
--
-- run_id: The run.
-- model: Model, baseline or group.
-- kind: What answered. One of: model, baseline, human.
-- dataset_id: Dataset that was answered.
-- place: 1 for the run's weakest subject by accuracy; ties share the place.
-- topic: Subject.
-- accuracy: Share of the subject's questions right in full, 0 to 1.
-- below_run: How far that is below the run's accuracy over all subjects (negative: above).
-- score: Mean points per question.
-- low: Lower end of the 95 % interval of the score.
-- high: Upper end of the 95 % interval of the score.
-- n: Questions that count.
select
    run.run_id,
    run.model,
    run.kind,
    run.dataset_id,
    rank() over (partition by run.run_id order by topic_score.accuracy) as place,
    topic_score.topic,
    topic_score.accuracy,
    cast(
        sum(topic_score.accuracy * topic_score.n) over (partition by run.run_id)
        / sum(topic_score.n) over (partition by run.run_id)
        - topic_score.accuracy as decimal(18, 6)
    ) as below_run,
    topic_score.score,
    topic_score.low,
    topic_score.high,
    topic_score.n
from topic_score
inner join run on topic_score.run_id = run.run_id
where topic_score.ruleset = 'official' and topic_score.n > 0
order by run.dataset_id, run.model, run.run_id, place, topic_score.topic
