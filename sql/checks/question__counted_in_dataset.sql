-- Every dataset holds as many questions as were read from it.
select
    dataset.dataset_id,
    dataset.n_questions,
    count(question.question_id) as found
from dataset
left join question on dataset.dataset_id = question.dataset_id
group by dataset.dataset_id, dataset.n_questions
having count(question.question_id) <> dataset.n_questions
