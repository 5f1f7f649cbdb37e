-- exam_part_size: what a dataset holds of each part of an exam, to see whether a verdict can be given on it.
--
-- exam_id, dataset_id, ruleset, component: the part, as in exam_part.
-- questions: questions that a run must have answered. keyless: of them without a usable key.
-- points: what they are worth. layout_points: what the exam's layout gives them; null where it gives none.
-- unplaced: questions that the layout doesn't know. topicless: questions without a subject.
-- unverified: questions whose accepted answers rest on the source's key alone, against the question's own words.
-- has_forbidden_list: the dataset names forbidden choices in this exam.
with
forbidden_list as (
    select distinct
        q.exam_id,
        q.dataset_id
    from question as q
    inner join choice as c on q.question_id = c.question_id
    where c.is_forbidden and q.exam_id is not null
)

select
    p.exam_id,
    p.dataset_id,
    p.ruleset,
    p.component,
    cast(sum(case when p.is_needed then 1 else 0 end) as integer) as questions,
    cast(sum(case when p.is_needed and q.key_status = 'unknown' then 1 else 0 end) as integer) as keyless,
    cast(sum(case when p.is_needed then q.points else 0 end) as decimal(9, 3)) as points,
    cast(sum(case when p.is_needed then l.points else 0 end) as decimal(9, 3)) as layout_points,
    cast(sum(case when l.points is null then 1 else 0 end) as integer) as unplaced,
    cast(sum(case when q.topic is null then 1 else 0 end) as integer) as topicless,
    cast(sum(case when p.is_needed and k.question_id is not null then 1 else 0 end) as integer) as unverified,
    coalesce(max(case when f.exam_id is not null then 1 end), 0) = 1 as has_forbidden_list
from exam_part as p
inner join question as q on p.question_id = q.question_id
inner join exam as e on p.exam_id = e.exam_id
left join rule_layout as l
    on
        e.profession = l.profession
        and e.year between l.first_year and l.last_year
        and l.paper in (q.paper, 'all')
        and q.number between l.first_number and l.last_number
left join question_flag as k on p.question_id = k.question_id and k.flag = 'key_unverified'
left join forbidden_list as f on p.exam_id = f.exam_id and p.dataset_id = f.dataset_id
group by p.exam_id, p.dataset_id, p.ruleset, p.component
