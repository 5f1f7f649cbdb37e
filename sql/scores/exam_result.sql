-- exam_result: each line of an exam for one run, and the verdict (component overall), in words.
--
-- There is no verdict where something was not measured: questions without an answer in the run, questions without a
-- usable key, points that don't add up to the official maximum, a line that was not found. The reason says which.
-- What can't be checked because the data lacks it (forbidden lists, subjects) leaves the verdict `unverified`.
--
-- run_id, exam_id, ruleset, component: the line; overall carries the verdict.
-- points, max_points: earned, and what counted for this run (wrong answers to counted-only-when-right questions don't);
-- the mean where there are several attempts. threshold: points needed, or the highest number allowed; so too.
-- passed: null when it can't be said, also where attempts disagree. reason: in words.
-- rule_status: sourced, derived or unverified. attempts, attempts_passed: attempts at the exam, and those that passed.
with
-- numbers as a person writes them
written as (
    select
        *,
        rtrim(rtrim(cast(coalesce(pool_points, points) as varchar), '0'), '.') as n_points,
        rtrim(rtrim(cast(pool_max_points as varchar), '0'), '.') as n_pool,
        rtrim(rtrim(cast(found as varchar), '0'), '.') as n_found,
        rtrim(rtrim(cast(expected as varchar), '0'), '.') as n_expected,
        rtrim(rtrim(cast(threshold as varchar), '0'), '.') as n_threshold,
        case
            when is_pooled and obstacle <> 'no_line' then 'the questions whose part is not published'
            when component = 'overall' then 'all questions'
            else component
        end as name
    from exam_line
),

worded as (
    select
        *,
        case obstacle
            when 'incomplete' then 'incomplete: ' || n_found || ' of ' || n_expected || ' questions'
            when 'no_line' then 'no line was found for ' || name
            when 'points'
                then
                    'points of ' || name || ' add up to ' || n_found || ', the official maximum is '
                    || coalesce(n_expected, 'not known')
            when 'layout'
                then
                    'the official maximum of ' || name
                    || ' was not found, and the points are not those of the exam''s layout'
            when 'keys' then 'without a usable key: ' || n_found || ' of ' || name
        end as hindrance,
        case
            when is_unchecked and kind = 'forbidden' then 'forbidden choices not checked: the source has no list'
            when is_unchecked then 'subjects without a point not checked: the source gives no subjects'
        end as unchecked,
        case
            when is_pooled
                then
                    component || ' ' || coalesce(n_threshold, '?') || ' needed, ' || n_points || ' of ' || n_pool
                    || ' points in the questions whose part is not published'
            when kind = 'points'
                then
                    case component when 'overall' then 'total' else component end || ' ' || n_points || ' of '
                    || coalesce(n_threshold, '?') || ' needed'
            else
                n_points || case kind when 'forbidden' then ' forbidden choice' else ' subject' end
                || case when points = 1 then '' else 's' end
                || case kind
                    when 'forbidden' then '' when 'zero_subjects' then ' without a point'
                    else ' below the share of points earned'
                end
                || ', at most ' || n_threshold
        end as sentence,
        case when kind = 'points' then 0 else 1 end as place
    from written
),

verdict as (
    select
        run_id,
        attempt,
        exam_id,
        ruleset,
        string_agg(distinct hindrance, '; ' order by hindrance) as hindrances,
        string_agg(case when passed = false then sentence end, '; ' order by place, max_points, component)
            as unmet,
        string_agg(case when passed then sentence end, '; ' order by place, max_points, component) as met,
        string_agg(
            case when passed is null and obstacle is null then coalesce(unchecked, sentence) end, '; '
            order by component
        ) as undecided,
        -- nothing forbids a verdict, but how the questions are divided leaves a line open
        max(case when passed is null and obstacle is null and not is_unchecked then 1 else 0 end) as is_open,
        max(case when passed is null and obstacle is null or rule_status = 'unverified' then 1 else 0 end)
            as is_unverified,
        max(case when rule_status = 'derived' then 1 else 0 end) as is_derived,
        max(case when component = 'overall' then threshold end) as threshold
    from worded
    group by run_id, attempt, exam_id, ruleset
),

attempted as (
    select
        run_id,
        attempt,
        exam_id,
        ruleset,
        component,
        points,
        max_points,
        threshold,
        passed,
        case when passed is null then coalesce(hindrance, unchecked, sentence) else sentence end as reason,
        rule_status
    from worded
    where component <> 'overall'
    union all
    select
        o.run_id,
        o.attempt,
        o.exam_id,
        o.ruleset,
        'overall' as component,
        o.points,
        o.max_points,
        v.threshold,
        case
            when v.run_id is null or v.hindrances is not null then null
            when v.unmet is not null then false
            when v.is_open = 0 then true
        end as passed,
        case
            when o.questions < w.questions
                then 'incomplete: ' || o.questions || ' of ' || w.questions || ' questions'
            when v.run_id is null and o.ruleset = 'official'
                then 'no rules are known for ' || e.profession || ' ' || e.year
            when v.run_id is null then 'the released scorer has no lines for ' || e.profession || ' ' || e.year
            when v.hindrances is not null then v.hindrances
            else
                concat_ws(
                    '; ', 'not met: ' || v.unmet, 'met: ' || v.met,
                    case when v.is_open = 1 then 'left open: ' else '' end || v.undecided
                )
        end as reason,
        case
            when v.run_id is null or v.is_unverified = 1 then 'unverified'
            when v.is_derived = 1 then 'derived'
            else 'sourced'
        end as rule_status
    from exam_part_score as o
    inner join exam as e on o.exam_id = e.exam_id
    inner join exam_part_size as w
        on
            o.exam_id = w.exam_id and o.dataset_id = w.dataset_id and o.ruleset = w.ruleset
            and o.component = w.component
    left join verdict as v
        on o.run_id = v.run_id and o.attempt = v.attempt and o.exam_id = v.exam_id and o.ruleset = v.ruleset
    where o.component = 'overall'
),

counted as (
    select
        run_id,
        exam_id,
        ruleset,
        component,
        cast(sum(points) / count(*) as decimal(9, 3)) as points,
        cast(sum(max_points) / count(*) as decimal(9, 3)) as max_points,
        cast(sum(threshold) / count(*) as decimal(9, 3)) as threshold,
        cast(count(*) as integer) as attempts,
        cast(sum(case when passed then 1 else 0 end) as integer) as attempts_passed,
        sum(case when passed is null then 1 else 0 end) as undecided,
        min_by(reason, attempt) as reason,
        min_by(rule_status, case rule_status when 'unverified' then 0 when 'derived' then 1 else 2 end) as rule_status
    from attempted
    group by run_id, exam_id, ruleset, component
)

select
    run_id,
    exam_id,
    ruleset,
    component,
    points,
    max_points,
    threshold,
    case
        when undecided > 0 then null
        when attempts_passed = attempts then true
        when attempts_passed = 0 then false
    end as passed,
    case
        when attempts = 1 then reason
        else
            attempts_passed || ' of ' || attempts || ' attempts passed'
            || case when undecided > 0 then ', ' || undecided || ' without a verdict' else '' end
            || '; the first: ' || reason
    end as reason,
    rule_status,
    attempts,
    attempts_passed
from counted
