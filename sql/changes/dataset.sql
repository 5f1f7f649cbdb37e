-- Datasets that are new, gone or not as they were.
select
    'dataset' as kind,
    subject,
    old,
    new,
    case
        when is_new then 'a new release'
        when is_gone then 'removed'
        when list_contains(names, 'sha256') then 'other content at its source'
        when list_contains(names, 'is_latest') then 'another release is the newest'
        else 'read otherwise'
    end as cause,
    null as run_id,
    null as question_id,
    null as exam_id
from changed_row
where table_name = 'dataset'
