-- Answers that earn other points than before by the exam's own rule, each with its cause.
--
-- A step. The cause is the first of these that holds: another key, another question, another reading of the same
-- response (reader), another response (file), other points for such an answer (rule), or none of them (computation).
with item as (
    select
        o.run_id,
        o.question_id,
        o.attempt,
        o.points as old_points,
        o.max_points as old_max,
        n.points as new_points,
        n.max_points as new_max
    from before.item_score as o
    inner join item_score as n
        on
            o.run_id = n.run_id
            and o.question_id = n.question_id
            and o.attempt = n.attempt
            and o.ruleset = n.ruleset
    where
        o.ruleset = 'official'
        and (o.points, o.max_points, o.is_correct, o.counts) <> (n.points, n.max_points, n.is_correct, n.counts)
),

changed_rule as (
    select distinct split_part(subject, '/', 1) as benchmark
    from changed_row
    where table_name = 'rule_item'
),

changed_question as (
    select subject as question_id
    from changed_row
    where table_name = 'question' and not is_new and not is_gone
)

select
    i.run_id,
    i.question_id,
    i.attempt,
    q.exam_id,
    i.old_points,
    i.old_max,
    i.new_points,
    i.new_max,
    case
        when k.question_id is not null then 'key'
        when c.question_id is not null then 'question'
        when (p_old.response is distinct from p_new.response) then 'file'
        when
            (p_old.status <> p_new.status)
            or (p_old.selection is distinct from p_new.selection)
            or (p_old.labels is distinct from p_new.labels)
            or (p_old.value is distinct from p_new.value)
            then 'reader ' || coalesce(ro.reader, '–') || ' → ' || coalesce(rn.reader, '–')
        when u.benchmark is not null then 'rule'
        else 'computation'
    end as cause,
    k.old as old_key,
    k.new as new_key
from item as i
inner join question as q on i.question_id = q.question_id
inner join before.prediction as p_old
    on i.run_id = p_old.run_id and i.question_id = p_old.question_id and i.attempt = p_old.attempt
inner join prediction as p_new
    on i.run_id = p_new.run_id and i.question_id = p_new.question_id and i.attempt = p_new.attempt
inner join before.run as ro on i.run_id = ro.run_id
inner join run as rn on i.run_id = rn.run_id
left join changed_key as k on i.question_id = k.question_id
left join changed_question as c on i.question_id = c.question_id
left join changed_rule as u on q.benchmark = u.benchmark
