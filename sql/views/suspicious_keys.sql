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
select
    question.question_id,
    question.dataset_id,
    accepted_answer.key,
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
left join accepted_answer on question.question_id = accepted_answer.question_id
where question_difficulty.suspicious_key or disputed.question_id is not null
order by strong_share desc nulls last, question_difficulty.strong_runs desc nulls last, question.question_id asc
