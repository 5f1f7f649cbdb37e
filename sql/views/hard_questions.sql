-- Which questions do models get wrong most often, and how do people do on them: hardest first.
--
-- question_id: The question.
-- dataset_id: Dataset it stands in.
-- topic: Subject, where the source has one.
-- runs: Model runs that answered it.
-- share_right: Share of them right in full, 0 to 1.
-- human_accuracy: Share of examinees who got it right, in %, as published.
-- key: Accepted answers, by label or value.
-- suspicious_key: True when strong runs agree against the key, so that the key may be wrong.
-- needs_image: True when the question or a choice shows an image.
-- stem: The question.
select
    question.question_id,
    question.dataset_id,
    question.topic,
    question_difficulty.runs,
    question_difficulty.share_right,
    question_difficulty.human_accuracy,
    accepted_answer.key,
    question_difficulty.suspicious_key,
    question.needs_image,
    question.stem
from question_difficulty
inner join question on question_difficulty.question_id = question.question_id
left join accepted_answer on question.question_id = accepted_answer.question_id
where question_difficulty.runs > 0
order by question_difficulty.share_right asc, question_difficulty.runs desc, question.question_id asc
