-- Scores and ranks of the leaderboards that moved.
with side as (
    select
        coalesce(o.run_id, n.run_id) as run_id,
        coalesce(o.benchmark, n.benchmark) as benchmark,
        coalesce(n.metric, o.metric) as metric,
        o.run_id is null as is_new,
        n.run_id is null as is_gone,
        o.score as old_score,
        n.score as new_score,
        o.n as old_n,
        n.n as new_n,
        coalesce(format('{:.4f}', o.score::double), 'no score') || coalesce(', rank ' || o.rank, '') as old,
        coalesce(format('{:.4f}', n.score::double), 'no score') || coalesce(', rank ' || n.rank, '') as new
    from before.leaderboard as o
    full outer join leaderboard as n on o.run_id = n.run_id and o.benchmark = n.benchmark
),

counted as (
    select
        run_id,
        cause,
        count(*) as n
    from moved_item
    group by run_id, cause
),

item_cause as (
    select
        run_id,
        string_agg(cause || ' (' || n || ' answers)', ', ' order by n desc, cause asc) as causes
    from counted
    group by run_id
),

changed_rule as (
    select distinct split_part(subject, '/', 1) as benchmark
    from changed_row
    where table_name in ('rule_item', 'rule_topic', 'rule_use_case')
)

select
    'score' as kind,
    s.run_id || ' ' || s.metric as subject,
    case when not s.is_new then s.old end as old,
    case when not s.is_gone then s.new end as new,
    case
        when s.is_new then 'new file'
        when s.is_gone then 'removed run'
        when (s.old_score is not distinct from s.new_score) then 'other runs'
        when s.old_n <> s.new_n then concat_ws(', ', i.causes, s.old_n || ' answers before, ' || s.new_n || ' now')
        else coalesce(i.causes, case when u.benchmark is not null then 'rule' else 'computation' end)
    end as cause,
    s.run_id,
    null as question_id,
    null as exam_id
from side as s
left join item_cause as i on s.run_id = i.run_id
left join changed_rule as u on s.benchmark = u.benchmark
where s.is_new or s.is_gone or s.old <> s.new
