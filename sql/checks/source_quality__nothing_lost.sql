-- Rows in are rows kept and rows rejected, for every dataset.
select
    source_quality.dataset_id,
    source_quality.rows_in,
    source_quality.kept,
    source_quality.rejected
from source_quality
inner join dataset on source_quality.dataset_id = dataset.dataset_id
where
    source_quality.rows_in <> source_quality.kept + source_quality.rejected
    or source_quality.kept <> dataset.n_questions
