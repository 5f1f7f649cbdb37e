-- Keys that changed: of a question that both generations have, by label, and between releases of a benchmark, by text.
with dataset_change as (
    select subject
    from changed_row
    where table_name = 'dataset' and list_contains(names, 'sha256')
),

rule_change as (
    select count(*) > 0 as is_there
    from changed_row
    where table_name = 'rule_adjusted'
)

select
    'key' as kind,
    k.question_id as subject,
    k.old,
    k.new,
    case
        when d.subject is not null then 'other content at its source'
        when u.is_there then 'rule'
        else 'read otherwise'
    end as cause,
    null as run_id,
    k.question_id,
    q.exam_id
from changed_key as k
cross join rule_change as u
inner join question as q on k.question_id = q.question_id
left join dataset_change as d on q.dataset_id = d.subject
union all
select
    'key' as kind,
    n.fingerprint || ' in ' || n.to_dataset || ' since ' || n.from_dataset as subject,
    n.old_key as old,
    n.new_key as new,
    'release ' || n.to_dataset as cause,
    null as run_id,
    min(q.question_id) as question_id,
    null as exam_id
from answer_key_change as n
anti join before.answer_key_change as o
    on
        n.benchmark = o.benchmark
        and n.fingerprint = o.fingerprint
        and n.from_dataset = o.from_dataset
        and n.to_dataset = o.to_dataset
        and n.new_key = o.new_key
left join question as q on n.fingerprint = q.fingerprint and n.to_dataset = q.dataset_id
group by n.fingerprint, n.to_dataset, n.from_dataset, n.old_key, n.new_key
