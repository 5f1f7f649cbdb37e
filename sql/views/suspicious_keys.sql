-- Which answer keys may be wrong: most of the strong runs agree on another answer, or the source itself is in doubt.
--
-- question_id: The question.
-- dataset_id: Dataset it stands in.
-- key: Accepted answers, by label or value.
-- strong_answer: The answer that strong runs agree on instead; null when only the source is in doubt.
-- strong_share: Share of the strong runs that gave it, 0 to 1.
-- strong_runs: Model runs at or above the dataset's median accuracy that answered it.
-- disputed: What the source itself says against its key, or where two releases differ.
-- human_accuracy: Share of examinees who got it right, in %, as published.
-- stem: The question.
with accepted as (
    select
        question_id,
        string_agg(coalesce(labels, value), ' or ' order by alternative) as answers
    from answer_key
    group by question_id
)

select
    question.question_id,
    question.dataset_id,
    accepted.answers as key,
    case when question_difficulty.suspicious_key then question_difficulty.strong_answer end as strong_answer,
    case when question_difficulty.suspicious_key then question_difficulty.strong_share end as strong_share,
    question_difficulty.strong_runs,
    disputed.detail as disputed,
    question.human_accuracy,
    question.stem
from question
left join question_difficulty on question.question_id = question_difficulty.question_id
left join question_flag as disputed
    on question.question_id = disputed.question_id and disputed.flag = 'key_disputed'
left join accepted on question.question_id = accepted.question_id
where question_difficulty.suspicious_key or disputed.question_id is not null
order by strong_share desc nulls last, question_difficulty.strong_runs desc nulls last, question.question_id asc
