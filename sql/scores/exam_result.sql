-- exam_result: each line of an exam for one run, and the verdict (component overall). First attempts only.
--
-- There is no verdict where something was not measured: questions without an answer in the run, questions without a
-- usable key, points that don't add up to the official maximum, a line that was not found. The reason says which.
-- What can't be checked because the data lacks it (forbidden lists, subjects) leaves the verdict `unverified`.
--
-- run_id, exam_id, ruleset, component: the line; overall carries the verdict.
-- points, max_points: earned, and what counted for this run (wrong answers to counted-only-when-right questions don't).
-- threshold: points needed, or the highest number allowed.
-- passed: null when it can't be said. reason: in words. rule_status: sourced, or unverified.
with
part_question as (
    select
        p.exam_id,
        p.dataset_id,
        p.ruleset,
        p.component,
        q.question_id,
        q.key_status,
        q.points,
        q.topic,
        q.number,
        l.points as layout_points
    from exam_part as p
    inner join question as q on p.question_id = q.question_id
    inner join exam as e on p.exam_id = e.exam_id
    left join rule_layout as l
        on
            e.profession = l.profession
            and e.year between l.first_year and l.last_year
            and l.paper in (q.paper, 'all')
            and q.number between l.first_number and l.last_number
),

-- what the dataset holds of each part
part_size as (
    select
        exam_id,
        dataset_id,
        ruleset,
        component,
        sum(case when key_status <> 'removed' then 1 else 0 end) as questions,
        sum(case when key_status = 'unknown' then 1 else 0 end) as keyless,
        sum(case when key_status <> 'removed' then points else 0 end) as points,
        sum(case when key_status <> 'removed' then layout_points else 0 end) as layout_points,
        sum(case when layout_points is null then 1 else 0 end) as unplaced,
        sum(case when topic is null then 1 else 0 end) as topicless
    from part_question
    group by exam_id, dataset_id, ruleset, component
),

forbidden_list as (
    select distinct
        q.exam_id,
        q.dataset_id
    from question as q
    inner join choice as c on q.question_id = c.question_id
    where c.is_forbidden and q.exam_id is not null
),

-- what the run earned in each part
score as (
    select
        s.run_id,
        p.exam_id,
        p.dataset_id,
        p.ruleset,
        p.component,
        p.topic,
        p.number,
        s.points,
        s.max_points,
        s.counts,
        case when p.key_status <> 'removed' then 1 else 0 end as needed,
        case when s.hits_forbidden and p.key_status <> 'removed' then 1 else 0 end as forbidden
    from item_score as s
    inner join part_question as p on s.question_id = p.question_id and s.ruleset = p.ruleset
    where s.attempt = 1
),

part_score as (
    select
        run_id,
        exam_id,
        dataset_id,
        ruleset,
        component,
        sum(points) as points,
        sum(max_points) as max_points,
        sum(needed) as questions,
        sum(forbidden) as forbidden
    from score
    group by run_id, exam_id, dataset_id, ruleset, component
),

topic_points as (
    select
        s.run_id,
        s.exam_id,
        s.ruleset,
        r.component,
        s.topic,
        sum(s.points) as points,
        sum(case when s.number >= r.first_number then s.points else 0 end) as later_points,
        min(r.percent) as percent
    from score as s
    inner join exam as e on s.exam_id = e.exam_id
    inner join rule_component as r
        on
            e.profession = r.profession and e.year = r.year and s.ruleset = r.ruleset
            and coalesce(r.benchmark, e.benchmark) = e.benchmark
    where
        s.component = 'overall'
        and s.counts
        and r.kind in ('zero_subjects', 'earned_share')
        and (s.topic is not null or r.kind = 'earned_share')
    group by s.run_id, s.exam_id, s.ruleset, r.component, s.topic
),

subject as (
    select
        run_id,
        exam_id,
        ruleset,
        component,
        sum(case when points = 0 then 1 else 0 end) as without_points,
        sum(case when later_points * 100 < points * percent then 1 else 0 end) as below_share
    from topic_points
    group by run_id, exam_id, ruleset, component
),

-- each run that answered a part of an exam, against each line of it
line as (
    select
        o.run_id,
        o.exam_id,
        o.ruleset,
        r.component,
        r.kind,
        r.basis,
        r.line,
        r.max_points as official_max,
        r.status,
        o.questions,
        w.questions as all_questions,
        d.points as paper_points,
        d.layout_points,
        coalesce(d.unplaced, 0) as unplaced,
        coalesce(d.keyless, 0) as keyless,
        -- lines whose questions are not known share those without a component
        r.kind = 'points' and d.points is null and u.points is not null as pooled,
        u.points as pool_paper_points,
        u.keyless as pool_keyless,
        v.points as pool_points,
        v.max_points as pool_max_points,
        case r.kind
            when 'points' then coalesce(c.points, 0)
            when 'forbidden' then o.forbidden
            when 'zero_subjects' then coalesce(s.without_points, 0)
            else coalesce(s.below_share, 0)
        end as points,
        case when r.kind = 'points' then coalesce(c.max_points, 0) end as max_points,
        case
            when r.kind <> 'points' then r.line
            when r.basis = 'at_least' then ceil(coalesce(c.max_points, 0) * r.percent / 100)
            when r.basis = 'more_than' then floor(coalesce(c.max_points, 0) * r.percent / 100) + 1
            else r.line
        end as threshold,
        case
            when r.kind = 'forbidden' and r.ruleset = 'official' and f.exam_id is null
                then 'forbidden choices not checked: the source has no list'
            when r.kind = 'zero_subjects' and w.topicless > 0
                then 'subjects without a point not checked: the source gives no subjects'
        end as unchecked,
        case r.component when 'overall' then 'all questions' else r.component end as name
    from part_score as o
    inner join exam as e on o.exam_id = e.exam_id
    inner join rule_component as r
        on
            e.profession = r.profession and e.year = r.year and o.ruleset = r.ruleset
            and coalesce(r.benchmark, e.benchmark) = e.benchmark
    inner join part_size as w
        on
            o.exam_id = w.exam_id and o.dataset_id = w.dataset_id and o.ruleset = w.ruleset
            and w.component = 'overall'
    left join part_size as d
        on
            o.exam_id = d.exam_id and o.dataset_id = d.dataset_id and o.ruleset = d.ruleset
            and r.component = d.component
    left join part_size as u
        on
            o.exam_id = u.exam_id and o.dataset_id = u.dataset_id and o.ruleset = u.ruleset
            and u.component = 'unplaced'
    left join part_score as c
        on
            o.run_id = c.run_id and o.exam_id = c.exam_id and o.ruleset = c.ruleset
            and r.component = c.component
    left join part_score as v
        on
            o.run_id = v.run_id and o.exam_id = v.exam_id and o.ruleset = v.ruleset
            and v.component = 'unplaced'
    left join subject as s
        on
            o.run_id = s.run_id and o.exam_id = s.exam_id and o.ruleset = s.ruleset
            and r.component = s.component
    left join forbidden_list as f on o.exam_id = f.exam_id and o.dataset_id = f.dataset_id
    where o.component = 'overall'
),

pool as (
    select
        *,
        sum(case when pooled then official_max end) over (partition by run_id, exam_id, ruleset) as pool_max,
        sum(case when pooled then line end) over (partition by run_id, exam_id, ruleset) as pool_line
    from line
),

checked as (
    select
        *,
        case
            when questions < all_questions then 'incomplete: ' || questions || ' of ' || all_questions || ' questions'
            when kind <> 'points' or ruleset = 'published' then null
            when basis = 'absolute' and line is null then 'no line was found for ' || name
            when pooled and pool_paper_points <> coalesce(pool_max, 0)
                then
                    'points of the questions whose part is not published add up to '
                    || rtrim(rtrim(cast(pool_paper_points as varchar), '0'), '.') || ', the official maximum is '
                    || coalesce(rtrim(rtrim(cast(pool_max as varchar), '0'), '.'), 'not known')
            when pooled and pool_keyless > 0
                then 'questions whose part is not published, without a usable key: ' || pool_keyless
            when pooled then null
            when official_max is not null and coalesce(paper_points, 0) <> official_max
                then
                    'points of ' || name || ' add up to '
                    || rtrim(rtrim(cast(coalesce(paper_points, 0) as varchar), '0'), '.')
                    || ', the official maximum is ' || rtrim(rtrim(cast(official_max as varchar), '0'), '.')
            when official_max is null and (unplaced > 0 or paper_points is null or paper_points <> layout_points)
                then
                    'the official maximum of ' || name
                    || ' was not found, and the points are not those of the exam''s layout'
            when keyless > 0 then 'questions of ' || name || ' without a usable key: ' || keyless
        end as obstacle
    from pool
),

judged as (
    select
        run_id,
        exam_id,
        ruleset,
        component,
        kind,
        status,
        obstacle,
        unchecked,
        threshold,
        case when not pooled then points end as points,
        case when not pooled then max_points end as max_points,
        case
            when obstacle is not null then null
            -- however the questions are divided: so few points were lost, or so few earned
            when pooled and pool_max_points - pool_points <= official_max - line then true
            when pooled and (pool_points < line or pool_points < pool_line) then false
            when pooled then null
            when unchecked is not null and points <= threshold then null
            when kind = 'points' then points >= threshold
            else points <= threshold
        end as passed,
        case
            when pooled
                then
                    name || ' ' || cast(cast(line as integer) as varchar) || ' needed, '
                    || rtrim(rtrim(cast(pool_points as varchar), '0'), '.') || ' of '
                    || rtrim(rtrim(cast(pool_max_points as varchar), '0'), '.')
                    || ' points in the questions whose part is not published'
            when kind = 'points'
                then
                    case component when 'overall' then 'total' else component end || ' '
                    || rtrim(rtrim(cast(points as varchar), '0'), '.') || ' of '
                    || coalesce(cast(cast(threshold as integer) as varchar), '?') || ' needed'
            else
                cast(cast(points as integer) as varchar) || ' '
                || case kind when 'forbidden' then 'forbidden choice' else 'subject' end
                || case when points = 1 then '' else 's' end
                || case kind
                    when 'forbidden' then '' when 'zero_subjects' then ' without a point'
                    else ' below the share of points earned'
                end
                || ', at most ' || cast(cast(threshold as integer) as varchar)
        end as words,
        case when kind = 'points' then 0 else 1 end as place
    from checked
),

verdict as (
    select
        run_id,
        exam_id,
        ruleset,
        string_agg(distinct obstacle, '; ' order by obstacle) as obstacles,
        string_agg(case when passed = false then words end, '; ' order by place, max_points, component) as unmet,
        string_agg(case when passed then words end, '; ' order by place, max_points, component) as met,
        string_agg(
            case when passed is null and obstacle is null then coalesce(unchecked, words) end, '; ' order by component
        )
            as unchecked,
        -- nothing forbids a verdict, but how the questions are divided leaves a line open
        max(case when passed is null and obstacle is null and unchecked is null then 1 else 0 end) as is_open,
        max(case when status = 'unverified' then 1 else 0 end) as unverified,
        max(case when component = 'overall' then threshold end) as threshold
    from judged
    group by run_id, exam_id, ruleset
)

select
    run_id,
    exam_id,
    ruleset,
    component,
    cast(points as decimal(9, 3)) as points,
    cast(max_points as decimal(9, 3)) as max_points,
    cast(threshold as decimal(9, 3)) as threshold,
    passed,
    case when passed is null then coalesce(obstacle, unchecked, words) else words end as reason,
    status as rule_status
from judged
where component <> 'overall'
union all
select
    o.run_id,
    o.exam_id,
    o.ruleset,
    'overall' as component,
    cast(o.points as decimal(9, 3)) as points,
    cast(o.max_points as decimal(9, 3)) as max_points,
    cast(v.threshold as decimal(9, 3)) as threshold,
    case
        when v.run_id is null or v.obstacles is not null then null
        when v.unmet is not null then false
        when v.is_open = 0 then true
    end as passed,
    case
        when o.questions < w.questions
            then 'incomplete: ' || o.questions || ' of ' || w.questions || ' questions'
        when v.run_id is null and o.ruleset = 'official' then 'no rules are known for ' || e.profession || ' ' || e.year
        when v.run_id is null then 'the released scorer has no lines for ' || e.profession || ' ' || e.year
        when v.obstacles is not null then v.obstacles
        else
            case
                when
                    v.unmet is not null
                    then 'not met: ' || v.unmet || case when v.met is not null then '; ' else '' end
                else ''
            end
            || case when v.met is not null then 'met: ' || v.met else '' end
            || case when v.unchecked is not null and v.is_open = 1 then '; left open: ' else '' end
            || case when v.unchecked is not null and v.is_open = 0 then '; ' else '' end
            || coalesce(v.unchecked, '')
    end as reason,
    case when v.run_id is null or v.unverified = 1 or v.unchecked is not null then 'unverified' else 'sourced' end
        as rule_status
from part_score as o
inner join exam as e on o.exam_id = e.exam_id
inner join part_size as w
    on o.exam_id = w.exam_id and o.dataset_id = w.dataset_id and o.ruleset = w.ruleset and o.component = w.component
left join verdict as v on o.run_id = v.run_id and o.exam_id = v.exam_id and o.ruleset = v.ruleset
where o.component = 'overall'
