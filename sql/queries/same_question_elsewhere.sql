-- Which questions stand in several releases, and how sure is the link?
select
    question_link.kind,
    old_question.dataset_id as from_dataset,
    new_question.dataset_id as to_dataset,
    count(*) as questions,
    min(question_link.similarity) as lowest_similarity
from question_link
inner join question as old_question on question_link.from_question = old_question.question_id
inner join question as new_question on question_link.to_question = new_question.question_id
group by question_link.kind, old_question.dataset_id, new_question.dataset_id
order by from_dataset, to_dataset, question_link.kind
