-- A dataset that leaves its published count says why: by a note, by its rejected rows, or because somebody accepted it.
with
rejected as (
    select
        source,
        count(*) as n
    from rejected_row
    group by source
)

select
    dataset.dataset_id,
    dataset.n_questions,
    rejected.n as rejected,
    dataset.published_count
from dataset
left join rejected on dataset.dataset_id = rejected.source
left join accepted_deviation
    on dataset.dataset_id = accepted_deviation.dataset_id and accepted_deviation."check" = 'published_count'
where
    dataset.n_questions + coalesce(rejected.n, 0) <> dataset.published_count
    and dataset.count_note is null
    and accepted_deviation.dataset_id is null
