-- How sound is each dataset: rows kept and rejected, flags, published count against found count?
select
    dataset_id,
    rows_in,
    kept,
    rejected,
    flag_counts,
    answerable_by_text,
    published_count,
    missing,
    explanation
from source_quality
order by dataset_id
