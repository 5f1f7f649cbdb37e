-- A dataset that leaves its published count says why.
-- waivable: --accept-shrink
select
    dataset_id,
    n_questions,
    published_count
from dataset
where n_questions <> published_count and count_note is null
