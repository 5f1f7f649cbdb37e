-- The newest release of a source has every subject that the one before it had.
-- waivable: --accept-shrink
with
releases as (
    select
        dataset_id,
        source,
        language,
        is_latest,
        row_number() over (partition by source, language order by fetched_at desc) as age
    from dataset
),

topics as (
    select distinct
        releases.source,
        releases.language,
        releases.age,
        question.topic
    from releases
    inner join question on releases.dataset_id = question.dataset_id
    where question.topic is not null
)

select
    older.source,
    older.topic
from topics as older
left join topics as newer
    on
        older.source = newer.source
        and older.language = newer.language
        and older.topic = newer.topic
        and newer.age = 1
where older.age = 2 and newer.topic is null
