-- Is one model better than another on the questions that both answered? (Put in two of yours, run_id or model.)
select
    dataset_id,
    metric,
    value_a,
    value_b,
    difference,
    low,
    high,
    p_adjusted,
    n
from compare('always-first', 'seeded-random')
order by dataset_id, metric
