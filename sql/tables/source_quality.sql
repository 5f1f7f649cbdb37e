-- source_quality: how sound each dataset is, counted from the question tables.
with
flagged as (
    select
        question.dataset_id,
        question_flag.flag,
        count(*) as n
    from question_flag
    inner join question on question_flag.question_id = question.question_id
    group by question.dataset_id, question_flag.flag
),

flag_list as (
    select
        dataset_id,
        string_agg(flag || '=' || n, ', ' order by flag) as flag_counts
    from flagged
    group by dataset_id
),

flagged_questions as (
    select
        question_id,
        max(case when flag = 'passage_missing' then 1 else 0 end) as lacks_passage
    from question_flag
    group by question_id
),

rejected as (
    select
        source as dataset_id,
        count(*) as n
    from rejected_row
    group by source
),

counted as (
    select
        question.dataset_id,
        count(*) as kept,
        count(flagged_questions.question_id) as flagged,
        sum(case when question.needs_image then 1 else 0 end) as needs_image,
        sum(case when question.key_status in ('scored', 'correct_only', 'all_credit') then 1 else 0 end) as scorable,
        sum(
            case
                when
                    question.key_status in ('scored', 'correct_only', 'all_credit')
                    and not question.needs_image
                    and coalesce(flagged_questions.lacks_passage, 0) = 0
                    then 1
                else 0
            end
        ) as by_text
    from question
    left join flagged_questions on question.question_id = flagged_questions.question_id
    group by question.dataset_id
)

select
    dataset.dataset_id,
    coalesce(counted.kept, 0) + coalesce(rejected.n, 0) as rows_in,
    coalesce(counted.kept, 0) as kept,
    coalesce(rejected.n, 0) as rejected,
    coalesce(counted.flagged, 0) as flagged,
    flag_list.flag_counts,
    coalesce(counted.needs_image, 0) as needs_image,
    coalesce(counted.scorable, 0) as scorable,
    coalesce(cast(counted.by_text as decimal(18, 6)) / nullif(counted.kept, 0), 0) as answerable_by_text,
    dataset.published_count,
    dataset.published_count - coalesce(counted.kept, 0) as missing,
    dataset.count_note as explanation
from dataset
left join counted on dataset.dataset_id = counted.dataset_id
left join rejected on dataset.dataset_id = rejected.dataset_id
left join flag_list on dataset.dataset_id = flag_list.dataset_id
