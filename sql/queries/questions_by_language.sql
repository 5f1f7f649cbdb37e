-- How many questions are there by benchmark and language, how many need an image, how many can be scored?
select
    question.benchmark,
    question.language,
    count(*) as questions,
    sum(case when question.needs_image then 1 else 0 end) as need_image,
    sum(case when question.key_status in ('scored', 'correct_only', 'all_credit') then 1 else 0 end) as scorable
from question
inner join dataset on question.dataset_id = dataset.dataset_id
where dataset.is_latest
group by question.benchmark, question.language
order by question.benchmark, question.language
