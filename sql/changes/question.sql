-- Questions that are new, gone or not as they were, in datasets that both generations have.
with dataset_change as (
    select
        subject,
        is_new or is_gone as is_whole,
        list_contains(names, 'sha256') as has_other_content
    from changed_row
    where table_name = 'dataset'
),

rule_change as (
    select count(*) > 0 as is_there
    from changed_row
    where table_name in ('rule_layout', 'rule_adjusted')
)

select
    'question' as kind,
    c.subject,
    c.old,
    c.new,
    case
        when d.has_other_content then 'other content at its source'
        when u.is_there and list_has_all(['component', 'key_status', 'points'], c.names) then 'rule'
        else 'read otherwise'
    end as cause,
    null as run_id,
    c.subject as question_id,
    null as exam_id
from changed_row as c
cross join rule_change as u
left join both_question as q on c.subject = q.question_id and q.side = case when c.is_gone then 'old' else 'new' end
left join dataset_change as d on q.dataset_id = d.subject
where c.table_name = 'question' and not coalesce(d.is_whole, false)
