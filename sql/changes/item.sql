-- Answers that earn other points than before.
select
    'item' as kind,
    run_id || ' ' || question_id || case when attempt > 1 then ' attempt ' || attempt else '' end as subject,
    format('{:g} of {:g} points', old_points::double, old_max::double) as old,
    format('{:g} of {:g} points', new_points::double, new_max::double) as new,
    cause || case when old_key is null then '' else ' ' || old_key || ' → ' || new_key end as cause,
    run_id,
    question_id,
    exam_id
from moved_item
