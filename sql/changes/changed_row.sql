-- Rows of datasets, questions, runs and rules that are not as they were: the columns that differ, old and new.
--
-- A step. `fact` (changes.py) gives each row of both sides as JSON; one that is new or gone differs in all its columns.
with paired as (
    select
        table_name,
        subject,
        any_value(facts) filter (where side = 'old') as old,
        any_value(facts) filter (where side = 'new') as new
    from fact
    group by table_name, subject
),

by_column as (
    select
        table_name,
        subject,
        old,
        new,
        unnest(json_keys(coalesce(new, old))) as name
    from paired
    where old is distinct from new
),

differing as (
    select
        table_name,
        subject,
        old is null as is_new,
        new is null as is_gone,
        name,
        json_extract_string(old, '$."' || name || '"') as old,
        json_extract_string(new, '$."' || name || '"') as new
    from by_column
)

select
    table_name,
    subject,
    is_new,
    is_gone,
    case when not is_new then string_agg(name || ': ' || coalesce(old, '–'), '; ' order by name) end as old,
    case when not is_gone then string_agg(name || ': ' || coalesce(new, '–'), '; ' order by name) end as new,
    list(name order by name) as names
from differing
where old is distinct from new
group by table_name, subject, is_new, is_gone
