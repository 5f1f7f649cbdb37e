-- Verdicts on exams by their own rule, with the points, that moved, of runs that both generations have.
with side as (
    select
        n.run_id,
        n.exam_id,
        case o.passed when true then 'pass' when false then 'fail' else 'no verdict' end
        || coalesce(format(', {:g} of {:g} points', o.points::double, o.max_points::double), '') as old,
        case n.passed when true then 'pass' when false then 'fail' else 'no verdict' end
        || coalesce(format(', {:g} of {:g} points', n.points::double, n.max_points::double), '') as new
    from exam_result as n
    inner join before.exam_result as o
        on
            n.run_id = o.run_id
            and n.exam_id = o.exam_id
            and n.ruleset = o.ruleset
            and n.component = o.component
    where n.component = 'overall' and n.ruleset = 'official'
),

counted as (
    select
        run_id,
        exam_id,
        cause,
        count(*) as n
    from moved_item
    group by run_id, exam_id, cause
),

item_cause as (
    select
        run_id,
        exam_id,
        string_agg(cause || ' (' || n || ' answers)', ', ' order by n desc, cause asc) as causes
    from counted
    group by run_id, exam_id
),

line_cause as (
    select
        x.exam_id,
        string_agg(c.table_name || ' ' || c.subject, ', ' order by c.subject) as rules
    from exam as x
    inner join changed_row as c
        on
            (
                c.table_name in ('rule_component', 'rule_adjusted')
                and contains('/' || c.subject || '/', '/' || x.profession || '/' || x.year || '/')
            )
            or (c.table_name = 'rule_layout' and starts_with(c.subject, x.profession || '/'))
    group by x.exam_id
)

select
    'verdict' as kind,
    s.run_id || ' ' || s.exam_id as subject,
    s.old,
    s.new,
    coalesce(i.causes, case when l.rules is not null then 'rule ' || l.rules[1:200] else 'computation' end) as cause,
    s.run_id,
    null as question_id,
    s.exam_id
from side as s
left join item_cause as i on s.run_id = i.run_id and s.exam_id = i.exam_id
left join line_cause as l on s.exam_id = l.exam_id
where s.old <> s.new
