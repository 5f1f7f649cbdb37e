-- The newest release of a source has at least nine tenths of the questions of the one before it.
-- waivable: --accept-shrink
with
releases as (
    select
        dataset_id,
        source,
        language,
        n_questions,
        row_number() over (partition by source, language order by fetched_at desc) as age
    from dataset
)

select
    newer.dataset_id,
    newer.n_questions,
    older.n_questions as before
from releases as newer
inner join releases as older on newer.source = older.source and newer.language = older.language
where newer.age = 1 and older.age = 2 and newer.n_questions < 0.9 * older.n_questions
