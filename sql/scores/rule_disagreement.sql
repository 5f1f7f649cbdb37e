-- rule_disagreement: where the released scorer and the exam's own rule part, with the cause.
--
-- run_id, scope, scope_id, attempt: one answer (item: question_id) or one verdict (exam: exam_id, attempt 1).
-- official, published: points of the answer, or pass, fail, no verdict.
-- cause: why they differ, in words.
with
alternatives as (
    select
        question_id,
        count(*) as n
    from answer_key
    group by question_id
),

item as (
    select
        o.run_id,
        o.question_id,
        o.attempt,
        q.exam_id,
        o.points as official,
        p.points as published,
        case
            when q.key_status = 'removed' and p.points <> o.points
                then 'left out for all by the exam; the released scorer knows only its file'
            when q.key_status = 'all_credit' and o.points > p.points
                then 'credited to all by the exam; the released scorer compares with the key'
            when n.n > 1 and p.points <> o.points
                then 'several answers are accepted; the released scorer knows only the key of its file'
            when p.points <> o.points and not o.counts and p.max_points > 0
                then 'counted only when right by the exam; the released scorer knows only its file'
            else coalesce(r.cause, 'the released scorer has the key ' || coalesce(q.released_key, 'as it is here'))
        end as cause
    from item_score as o
    inner join item_score as p
        on o.run_id = p.run_id and o.question_id = p.question_id and o.attempt = p.attempt
    inner join question as q on o.question_id = q.question_id
    left join released_answer as r
        on o.run_id = r.run_id and o.question_id = r.question_id and o.attempt = r.attempt
    left join alternatives as n on o.question_id = n.question_id
    where
        o.ruleset = 'official'
        and p.ruleset = 'published'
        and (o.points <> p.points or o.hits_forbidden <> p.hits_forbidden)
),

item_count as (
    select
        run_id,
        exam_id,
        count(*) as n
    from item
    where attempt = 1 and exam_id is not null
    group by run_id, exam_id
),

-- lines of the released scorer that were not met, with their known faults
unmet as (
    select
        x.run_id,
        x.exam_id,
        string_agg(
            case x.component
                when 'overall'
                    then
                        'total ' || cast(cast(x.points as integer) as varchar) || ' of '
                        || cast(cast(x.threshold as integer) as varchar) || ' needed'
                else x.reason
            end || case when c.note is null then '' else ' (' || c.note || ')' end,
            '; ' order by x.component
        ) as words
    from exam_result as x
    inner join exam_rule as c
        on x.exam_id = c.exam_id and x.ruleset = c.ruleset and x.component = c.component
    where
        x.ruleset = 'published'
        and case x.component when 'overall' then x.points < x.threshold else not x.passed end
    group by x.run_id, x.exam_id
),

fault as (
    select
        exam_id,
        string_agg(note, ' ' order by component) as notes
    from exam_rule
    where ruleset = 'published'
    group by exam_id
),

verdict as (
    select
        o.run_id,
        o.exam_id,
        case when o.passed is null then 'no verdict' when o.passed then 'pass' else 'fail' end as official,
        case when p.passed is null then 'no verdict' when p.passed then 'pass' else 'fail' end as published,
        case
            when p.passed is null then p.reason
            when o.passed is null then 'by the exam''s own rule there is no verdict: ' || o.reason
            when not p.passed then 'the released scorer is not met: ' || u.words
            else 'the exam''s own rule is ' || o.reason || coalesce('. The released scorer: ' || f.notes, '')
        end
        || case
            when o.passed is null or p.passed is null or n.n is null then ''
            when n.n = 1 then '; 1 answer is scored differently'
            else '; ' || n.n || ' answers are scored differently'
        end as cause
    from exam_result as o
    inner join exam_result as p
        on o.run_id = p.run_id and o.exam_id = p.exam_id and o.component = p.component
    left join unmet as u on o.run_id = u.run_id and o.exam_id = u.exam_id
    left join fault as f on o.exam_id = f.exam_id
    left join item_count as n on o.run_id = n.run_id and o.exam_id = n.exam_id
    where
        o.component = 'overall'
        and o.ruleset = 'official'
        and p.ruleset = 'published'
        and o.passed is distinct from p.passed
)

select
    run_id,
    'item' as scope,
    question_id as scope_id,
    attempt,
    rtrim(rtrim(cast(official as varchar), '0'), '.') as official,
    rtrim(rtrim(cast(published as varchar), '0'), '.') as published,
    cause
from item
union all
select
    run_id,
    'exam' as scope,
    exam_id as scope_id,
    1 as attempt,
    official,
    published,
    cause
from verdict
