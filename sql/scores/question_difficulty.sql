-- question_difficulty: how hard a question is for models, against people, and whether its key is suspicious.
--
-- Over families of model runs (no baselines, no people), first attempts, under the official rule: copies and near
-- copies (run_family) are one voice, the mean of its runs.
--
-- question_id: the question. runs: model runs that answered it. families: of how many families.
-- share_right: share right in full. human_accuracy: share of examinees who got it right, in %.
-- gap: share_right less that share.
-- discrimination: correlation of being right here with accuracy on the dataset's other questions; of five families or
-- more.
-- strong_runs: families at or above the dataset's median accuracy. strong_answer: their most frequent answer that the
-- key does not accept. strong_share: share of them that gave it.
-- suspicious_key: at least three strong families, and three quarters of all, agree on an answer against the key.
with
scored as (
    select
        s.run_id,
        f.family,
        s.question_id,
        q.dataset_id,
        s.counts,
        case when s.is_correct then 1 else 0 end as correct
    from item_score as s
    inner join run as r on s.run_id = r.run_id
    inner join run_family as f on s.run_id = f.run_id
    inner join question as q on s.question_id = q.question_id
    where s.ruleset = 'official' and s.attempt = 1 and r.kind = 'model'
),

run_total as (
    select
        run_id,
        family,
        dataset_id,
        sum(correct) as correct,
        count(*) as n
    from scored
    where counts
    group by run_id, family, dataset_id
),

family_total as (
    select
        family,
        dataset_id,
        round(avg(cast(correct as double) / n), 9) as accuracy
    from run_total
    group by family, dataset_id
),

median as (
    select
        dataset_id,
        median(accuracy) as accuracy
    from family_total
    group by dataset_id
),

answered as (
    select
        s.question_id,
        s.family,
        s.correct,
        -- accuracy on the other questions, so that a question does not correlate with itself
        case
            when t.n > case when s.counts then 1 else 0 end
                then
                    cast(t.correct - case when s.counts then s.correct else 0 end as double)
                    / (t.n - case when s.counts then 1 else 0 end)
        end as rest,
        f.accuracy >= m.accuracy as is_strong,
        coalesce(p.labels, p.value) as answer
    from scored as s
    inner join run_total as t on s.run_id = t.run_id and s.dataset_id = t.dataset_id
    inner join family_total as f on s.family = f.family and s.dataset_id = f.dataset_id
    inner join median as m on s.dataset_id = m.dataset_id
    inner join prediction as p on s.run_id = p.run_id and s.question_id = p.question_id
    where p.attempt = 1
),

voice as (
    select
        question_id,
        family,
        is_strong,
        count(*) as runs,
        avg(cast(correct as double)) as correct,
        avg(rest) as rest
    from answered
    group by question_id, family, is_strong
),

total as (
    select
        question_id,
        sum(runs) as runs,
        count(*) as families,
        avg(correct) as share_right,
        corr(correct, rest) as discrimination,
        sum(case when is_strong then 1 else 0 end) as strong_runs
    from voice
    group by question_id
),

-- a family whose runs differ divides its voice
voted as (
    select
        a.question_id,
        a.answer,
        sum(cast(1 as double) / v.runs) as n
    from answered as a
    inner join voice as v on a.question_id = v.question_id and a.family = v.family
    where a.is_strong and a.correct = 0 and a.answer is not null
    group by a.question_id, a.answer
),

against as (
    select
        question_id,
        answer,
        round(n, 9) as n,
        row_number() over (partition by question_id order by round(n, 9) desc, answer) as place
    from voted
)

select
    t.question_id,
    cast(t.runs as integer) as runs,
    cast(t.families as integer) as families,
    cast(t.share_right as decimal(18, 6)) as share_right,
    q.human_accuracy,
    cast(t.share_right - q.human_accuracy / 100 as decimal(18, 6)) as gap,
    case when t.families >= 5 and not isnan(t.discrimination) then cast(t.discrimination as decimal(18, 6)) end
        as discrimination,
    cast(t.strong_runs as integer) as strong_runs,
    a.answer as strong_answer,
    cast(a.n / t.strong_runs as decimal(18, 6)) as strong_share,
    coalesce(
        a.n >= 3 and a.n * 4 >= t.strong_runs * 3 and q.key_status in ('scored', 'correct_only'), false
    ) as suspicious_key
from total as t
inner join question as q on t.question_id = q.question_id
left join against as a on t.question_id = a.question_id and a.place = 1
