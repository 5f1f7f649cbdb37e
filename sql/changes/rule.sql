-- Rules that are new, gone or not as they were; the subject is the table and the key of its row.
select
    'rule' as kind,
    table_name || ' ' || subject as subject,
    old,
    new,
    'rule file' as cause,
    null as run_id,
    null as question_id,
    null as exam_id
from changed_row
where starts_with(table_name, 'rule_')
