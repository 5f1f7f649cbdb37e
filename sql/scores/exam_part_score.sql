-- exam_part_score: what one attempt of a run earned in each part of an exam.
--
-- run_id, attempt, exam_id, dataset_id, ruleset, component: the attempt and the part, as in exam_part.
-- points, max_points: earned, and what counted for this attempt.
-- questions: answered, of those that are needed. forbidden: of them, those in which a forbidden choice was chosen.
select
    s.run_id,
    s.attempt,
    p.exam_id,
    p.dataset_id,
    p.ruleset,
    p.component,
    cast(sum(s.points) as decimal(9, 3)) as points,
    cast(sum(s.max_points) as decimal(9, 3)) as max_points,
    cast(sum(case when p.is_needed then 1 else 0 end) as integer) as questions,
    cast(sum(case when p.is_needed and s.hits_forbidden then 1 else 0 end) as integer) as forbidden
from item_score as s
inner join exam_part as p on s.question_id = p.question_id and s.ruleset = p.ruleset
group by s.run_id, s.attempt, p.exam_id, p.dataset_id, p.ruleset, p.component
