-- The answer key of each question in one text, its alternatives joined by "or".
--
-- question_id: The question; one without a key is not listed.
-- key: Accepted answers, by label or value.
select
    question_id,
    string_agg(coalesce(labels, value), ' or ' order by alternative) as key
from answer_key
group by question_id
