-- What papers report, beside what the same model gets here by the released scorer and by the exam's own rule.
--
-- source: The paper or repository.
-- model: Model as the source writes it; empty for figures of the dataset.
-- benchmark: The benchmark.
-- scope: What the figure speaks of.
-- metric: What was counted or measured.
-- reported: The figure.
-- run_id: The run here of the same model and modality, by its name; null without one.
-- published: The same figure here by the released scorer; null without a run.
-- official: The same figure here by the exam's own rule.
-- why: Why they differ, in words.
-- locator: Where in the source it stands.
with
figure as (
    select
        run.run_id,
        lower(run.model) as model,
        run.modality,
        exam.benchmark,
        exam.profession,
        exam.year,
        cast(null as varchar) as component,
        'passes' as metric,
        exam_result.ruleset,
        case when exam_result.passed then 1 else 0 end as value
    from exam_result
    inner join run on exam_result.run_id = run.run_id
    inner join exam on exam_result.exam_id = exam.exam_id
    where exam_result.component = 'overall'
    union all
    select
        run.run_id,
        lower(run.model) as model,
        run.modality,
        exam.benchmark,
        exam.profession,
        exam.year,
        question.component,
        'points' as metric,
        item_score.ruleset,
        sum(item_score.points) / count(distinct item_score.attempt) as value
    from item_score
    inner join run on item_score.run_id = run.run_id
    inner join question on item_score.question_id = question.question_id
    inner join exam on question.exam_id = exam.exam_id
    group by
        run.run_id, run.model, run.modality, exam.benchmark, exam.profession, exam.year, question.component,
        item_score.ruleset
    union all
    select
        cast(null as varchar) as run_id,
        '' as model,
        cast(null as varchar) as modality,
        exam.benchmark,
        exam.profession,
        exam.year,
        question.component,
        metrics.metric,
        rulesets.ruleset,
        sum(case when metrics.metric = 'questions' or question.needs_image then 1 else 0 end) as value
    from question
    inner join dataset on question.dataset_id = dataset.dataset_id
    inner join exam on question.exam_id = exam.exam_id
    cross join (values ('questions'), ('questions_with_images')) as metrics (metric)
    cross join (values ('official'), ('published')) as rulesets (ruleset)
    where dataset.is_latest
    group by exam.benchmark, exam.profession, exam.year, question.component, metrics.metric, rulesets.ruleset
),

beside as (
    select
        reported.source,
        reported.model,
        reported.benchmark,
        reported.scope,
        reported.metric,
        reported.value as reported,
        reported.locator,
        reported.profession,
        figure.run_id,
        count(distinct concat(figure.profession, figure.year)) as exams,
        sum(case when figure.ruleset = 'published' then figure.value end) as published,
        sum(case when figure.ruleset = 'official' then figure.value end) as official
    from reported_result as reported
    left join figure
        on
            reported.benchmark = figure.benchmark
            and reported.metric = figure.metric
            and lower(reported.model) = figure.model
            and coalesce(reported.modality, figure.modality, '') = coalesce(figure.modality, '')
            and coalesce(reported.profession, figure.profession, '') = coalesce(figure.profession, '')
            and coalesce(reported.year, figure.year, 0) = coalesce(figure.year, 0)
            and coalesce(reported.component, figure.component, '') = coalesce(figure.component, '')
    group by
        reported.source, reported.model, reported.benchmark, reported.scope, reported.metric, reported.value,
        reported.locator, reported.profession, figure.run_id
),

verdict as (
    select
        rule_disagreement.run_id,
        exam.profession,
        string_agg(exam.year || ': ' || rule_disagreement.cause, '; ' order by exam.year) as causes
    from rule_disagreement
    inner join exam on rule_disagreement.scope_id = exam.exam_id
    where rule_disagreement.scope = 'exam'
    group by rule_disagreement.run_id, exam.profession
)

select
    beside.source,
    beside.model,
    beside.benchmark,
    beside.scope,
    beside.metric,
    beside.reported,
    beside.run_id,
    cast(beside.published as decimal(18, 6)) as published,
    cast(beside.official as decimal(18, 6)) as official,
    case
        when beside.published is null and beside.official is null and beside.model = '' then 'the dataset is not here'
        when beside.published is null and beside.official is null
            then 'no run of this model and modality is here, by its name'
        when beside.published = beside.reported and beside.official = beside.reported then 'all three agree'
        else concat_ws(
            '; ',
            case
                when beside.published <> beside.reported
                    then 'here are ' || beside.exams || ' exams; the source may have asked more, or other files'
            end,
            case
                when beside.metric = 'passes' and beside.published <> beside.official then verdict.causes
                when beside.published <> beside.official
                    then 'answers are scored differently, see rule_disagreement'
            end
        )
    end as why,
    beside.locator
from beside
left join verdict on beside.run_id = verdict.run_id and beside.profession = verdict.profession
order by beside.benchmark, beside.source, beside.model, beside.scope, beside.metric, beside.run_id
