-- Two runs, or two models, question by question: what both got right or wrong, what only one, and their answers.
--
-- parameters: a, b (each a run_id or a model; a model stands for each of its runs)
--
-- run_a: Run of the first.
-- run_b: Run of the second.
-- dataset_id: Dataset of both.
-- question_id: Question that counts for both (in compare, n counts them).
-- topic: Subject or specialty.
-- outcome: both right, both wrong, only the first (is right), only the second; with several attempts, only the first
--   means more often right, and as often that both are right in the same share of theirs.
-- key: Accepted answers, by label or value, joined by ' or '.
-- answer_a: What was read of the first (its first attempt): labels or a value, else how it was read.
-- answer_b: The same of the second.
-- right_a: Share of the first one's attempts that are right.
-- right_b: The same of the second.
-- points_a: Points of the first by the exam's own rule, the mean over attempts.
-- points_b: The same of the second.
-- stem: The question.
with wanted as (
    select
        a as first_name,
        b as second_name
),

pair as (
    select
        first_run.run_id as run_a,
        second_run.run_id as run_b,
        first_run.dataset_id
    from wanted
    inner join run as first_run on wanted.first_name in (first_run.run_id, first_run.model)
    inner join run as second_run
        on
            wanted.second_name in (second_run.run_id, second_run.model)
            and first_run.dataset_id = second_run.dataset_id
            and first_run.run_id <> second_run.run_id
),

either as (
    select run_a as run_id
    from pair
    union
    select run_b as run_id
    from pair
),

scored as (
    select
        item_score.run_id,
        item_score.question_id,
        avg(case when item_score.is_correct then 1.0 else 0.0 end) as share_right,
        cast(avg(item_score.points) as decimal(9, 3)) as points
    from item_score
    inner join either on item_score.run_id = either.run_id
    where item_score.ruleset = 'official' and item_score.counts
    group by item_score.run_id, item_score.question_id
),

answered as (
    select
        prediction.run_id,
        prediction.question_id,
        arg_min(coalesce(prediction.labels, prediction.value, prediction.status), prediction.attempt) as answer
    from prediction
    inner join either on prediction.run_id = either.run_id
    group by prediction.run_id, prediction.question_id
)

select
    pair.run_a,
    pair.run_b,
    pair.dataset_id,
    question.question_id,
    question.topic,
    case
        when first_score.share_right > second_score.share_right then 'only the first'
        when first_score.share_right < second_score.share_right then 'only the second'
        when first_score.share_right = 1 then 'both right'
        when first_score.share_right = 0 then 'both wrong'
        else 'as often'
    end as outcome,
    accepted_answer.key,
    first_answer.answer as answer_a,
    second_answer.answer as answer_b,
    first_score.share_right as right_a,
    second_score.share_right as right_b,
    first_score.points as points_a,
    second_score.points as points_b,
    question.stem
from pair
inner join scored as first_score on pair.run_a = first_score.run_id
inner join scored as second_score
    on pair.run_b = second_score.run_id and first_score.question_id = second_score.question_id
inner join question on first_score.question_id = question.question_id
inner join answered as first_answer
    on pair.run_a = first_answer.run_id and question.question_id = first_answer.question_id
inner join answered as second_answer
    on pair.run_b = second_answer.run_id and question.question_id = second_answer.question_id
left join accepted_answer on question.question_id = accepted_answer.question_id
order by pair.run_a, pair.run_b, question.question_id
