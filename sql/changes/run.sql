-- Runs that are new, gone or not as they were, and those that another version of the readers read.
select
    'run' as kind,
    subject,
    old,
    new,
    case
        when is_new then 'new file'
        when is_gone then 'removed run'
        else 'read otherwise'
    end as cause,
    subject as run_id,
    null as question_id,
    null as exam_id
from changed_row
where table_name = 'run'
union all
select
    'run' as kind,
    count(*) || ' runs read by another reader' as subject,
    o.reader as old,
    n.reader as new,
    'reader ' || coalesce(o.reader, '–') || ' → ' || coalesce(n.reader, '–') as cause,
    null as run_id,
    null as question_id,
    null as exam_id
from before.run as o
inner join run as n on o.run_id = n.run_id
where o.reader is distinct from n.reader
group by o.reader, n.reader
