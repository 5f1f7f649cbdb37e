-- Who leads on each dataset, with the interval of the score and of the rank?
select
    dataset_id,
    rank,
    rank_low,
    rank_high,
    model,
    kind,
    metric,
    score,
    low,
    high,
    coverage,
    note,
    method
from leaderboard
order by dataset_id, rank, model
