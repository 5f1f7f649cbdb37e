-- exam_line: one attempt of a run against each line of an exam, in numbers; exam_result says it in words.
--
-- run_id, attempt, exam_id, ruleset, component: the attempt and the line. kind: what it limits, as in exam_rule.
-- points, max_points: earned, and what counted; for kinds other than points the number of questions or subjects.
-- threshold: points needed of what counted (the one place where a cut score is rounded), or the highest number allowed.
-- passed: null when it can't be said. obstacle: why it can't. found, expected: the numbers that the obstacle speaks of.
-- is_unchecked: the data lacks what the line looks at.
-- pool_points, pool_max_points: of all questions whose part is not known, where the line's own questions are not known.
-- rule_status: whether the line and the keys of its questions have a source.
with
topic_points as (
    select
        s.run_id,
        s.attempt,
        p.exam_id,
        p.ruleset,
        r.component,
        sum(s.points) as points,
        sum(case when q.number >= r.first_number then s.points else 0 end) as later_points,
        min(r.percent) as percent
    from item_score as s
    inner join exam_part as p
        on s.question_id = p.question_id and s.ruleset = p.ruleset and p.component = 'overall'
    inner join question as q on s.question_id = q.question_id
    inner join exam_rule as r on p.exam_id = r.exam_id and s.ruleset = r.ruleset
    where s.counts and (r.kind = 'earned_share' or (r.kind = 'zero_subjects' and q.topic is not null))
    group by s.run_id, s.attempt, p.exam_id, p.ruleset, r.component, q.topic
),

subject as (
    select
        run_id,
        attempt,
        exam_id,
        ruleset,
        component,
        sum(case when points = 0 then 1 else 0 end) as without_points,
        sum(case when later_points * 100 < points * percent then 1 else 0 end) as below_share
    from topic_points
    group by run_id, attempt, exam_id, ruleset, component
),

-- each attempt at an exam, beside each of its lines and what the dataset holds
line as (
    select
        o.run_id,
        o.attempt,
        o.exam_id,
        o.dataset_id,
        r.ruleset,
        r.component,
        r.kind,
        r.basis,
        r.percent,
        r.line,
        r.max_points as official_max,
        case
            when r.ruleset = 'official' and r.kind = 'points' and coalesce(d.unverified, u.unverified, 0) > 0
                then 'unverified'
            else r.status
        end as rule_status,
        o.questions,
        w.questions as all_questions,
        o.forbidden,
        d.points as paper_points,
        d.layout_points,
        coalesce(d.unplaced, 0) as unplaced,
        coalesce(d.keyless, 0) as keyless,
        u.points as pool_paper_points,
        u.keyless as pool_keyless,
        -- lines whose questions are not known share those without a component
        r.kind = 'points' and d.points is null and u.points is not null as is_pooled,
        case r.kind
            when 'forbidden' then r.ruleset = 'official' and not w.has_forbidden_list
            when 'zero_subjects' then w.topicless > 0
            else false
        end as is_unchecked
    from exam_part_score as o
    inner join exam_rule as r on o.exam_id = r.exam_id and o.ruleset = r.ruleset
    inner join exam_part_size as w
        on
            o.exam_id = w.exam_id and o.dataset_id = w.dataset_id and o.ruleset = w.ruleset
            and o.component = w.component
    left join exam_part_size as d
        on
            o.exam_id = d.exam_id and o.dataset_id = d.dataset_id and o.ruleset = d.ruleset
            and r.component = d.component
    left join exam_part_size as u
        on
            o.exam_id = u.exam_id and o.dataset_id = u.dataset_id and o.ruleset = u.ruleset
            and u.component = 'unplaced'
    where o.component = 'overall'
),

earned as (
    select
        l.*,
        case l.kind
            when 'points' then coalesce(c.points, 0)
            when 'forbidden' then l.forbidden
            when 'zero_subjects' then coalesce(s.without_points, 0)
            else coalesce(s.below_share, 0)
        end as points,
        case when l.kind = 'points' then coalesce(c.max_points, 0) end as max_points,
        case
            when l.kind = 'points' and l.basis = 'at_least' then ceil(coalesce(c.max_points, 0) * l.percent / 100)
            when l.kind = 'points' and l.basis = 'more_than' then floor(coalesce(c.max_points, 0) * l.percent / 100) + 1
            else l.line
        end as threshold,
        case when l.is_pooled then v.points end as pool_points,
        case when l.is_pooled then v.max_points end as pool_max_points,
        sum(case when l.is_pooled then l.official_max end)
            over (partition by l.run_id, l.attempt, l.exam_id, l.ruleset)
            as pool_max,
        sum(case when l.is_pooled then l.line end)
            over (partition by l.run_id, l.attempt, l.exam_id, l.ruleset)
            as pool_line
    from line as l
    left join exam_part_score as c
        on
            l.run_id = c.run_id and l.attempt = c.attempt and l.exam_id = c.exam_id and l.ruleset = c.ruleset
            and l.component = c.component
    left join exam_part_score as v
        on
            l.run_id = v.run_id and l.attempt = v.attempt and l.exam_id = v.exam_id and l.ruleset = v.ruleset
            and v.component = 'unplaced'
    left join subject as s
        on
            l.run_id = s.run_id and l.attempt = s.attempt and l.exam_id = s.exam_id and l.ruleset = s.ruleset
            and l.component = s.component
),

checked as (
    select
        *,
        case
            when questions < all_questions then 'incomplete'
            when kind <> 'points' or ruleset = 'published' then null
            when basis = 'absolute' and line is null then 'no_line'
            when is_pooled and pool_paper_points <> coalesce(pool_max, 0) then 'points'
            when is_pooled and pool_keyless > 0 then 'keys'
            when is_pooled then null
            when coalesce(paper_points, 0) <> official_max then 'points'
            when official_max is null and (unplaced > 0 or paper_points is null or paper_points <> layout_points)
                then 'layout'
            when keyless > 0 then 'keys'
        end as obstacle
    from earned
)

select
    run_id,
    attempt,
    exam_id,
    ruleset,
    component,
    kind,
    cast(case when not is_pooled then points end as decimal(9, 3)) as points,
    cast(case when not is_pooled then max_points end as decimal(9, 3)) as max_points,
    cast(threshold as decimal(9, 3)) as threshold,
    case
        when obstacle is not null then null
        -- however the questions are divided: so few points were lost, or so few earned
        when is_pooled and pool_max_points - pool_points <= official_max - line then true
        when is_pooled and (pool_points < line or pool_points < pool_line) then false
        when is_pooled then null
        when is_unchecked and points <= threshold then null
        when kind = 'points' then points >= threshold
        else points <= threshold
    end as passed,
    obstacle,
    cast(case obstacle
        when 'incomplete' then questions
        when 'points' then case when is_pooled then pool_paper_points else coalesce(paper_points, 0) end
        when 'keys' then case when is_pooled then pool_keyless else keyless end
    end as decimal(9, 3)) as found,
    cast(case obstacle
        when 'incomplete' then all_questions
        when 'points' then case when is_pooled then pool_max else official_max end
    end as decimal(9, 3)) as expected,
    is_unchecked,
    is_pooled,
    pool_points,
    pool_max_points,
    rule_status
from checked
