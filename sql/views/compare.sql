-- Two runs, or two models, on the questions that both answered: difference a less b, with interval and p-value.
--
-- parameters: a, b (each a run_id or a model; a model stands for each of its runs)
--
-- run_a: Run of the first.
-- run_b: Run of the second.
-- dataset_id: Dataset of both.
-- metric: One of: accuracy, score_share (points over points possible).
-- value_a: Figure of the first on the shared questions.
-- value_b: Figure of the second on them.
-- difference: First less second.
-- low: Lower end of the 95 % interval of the difference.
-- high: Upper end of the 95 % interval of the difference.
-- p_adjusted: Two-sided p-value, Holm-adjusted over pairs of families of runs; null beside a baseline.
-- n: Shared questions that count.
-- method: Test and interval.
with wanted as (
    select
        a as first_name,
        b as second_name
),

-- comparison holds each pair once; here both ways round
both_ways as (
    select
        run_a,
        run_b,
        dataset_id,
        metric,
        value_a,
        value_b,
        difference,
        low,
        high,
        p_adjusted,
        n,
        method
    from comparison
    union all
    select
        run_b as run_a,
        run_a as run_b,
        dataset_id,
        metric,
        value_b as value_a,
        value_a as value_b,
        -difference as difference,
        -high as low,
        -low as high,
        p_adjusted,
        n,
        method
    from comparison
)

select
    both_ways.run_a,
    both_ways.run_b,
    both_ways.dataset_id,
    both_ways.metric,
    both_ways.value_a,
    both_ways.value_b,
    both_ways.difference,
    both_ways.low,
    both_ways.high,
    both_ways.p_adjusted,
    both_ways.n,
    both_ways.method
from both_ways
inner join run as first_run on both_ways.run_a = first_run.run_id
inner join run as second_run on both_ways.run_b = second_run.run_id
inner join wanted
    on
        wanted.first_name in (first_run.run_id, first_run.model)
        and wanted.second_name in (second_run.run_id, second_run.model)
order by both_ways.dataset_id, both_ways.metric, both_ways.run_a, both_ways.run_b
