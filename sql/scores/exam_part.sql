-- exam_part: which questions a line of an exam looks at, under each ruleset.
--
-- Official lines look at the questions of their component (some, like the subjects of 薬剤, at question numbers); the
-- released scorer's lines mostly at question numbers. `overall` is every question of the exam; `unplaced` are those
-- whose component is not known (歯科: it is not published item by item).
--
-- exam_id, dataset_id: the exam, in one dataset. ruleset, component: the line. question_id: a question it looks at.
with
everything as (
    select distinct
        q.exam_id,
        q.dataset_id,
        i.ruleset,
        'overall' as component,
        q.question_id
    from question as q
    inner join exam as e on q.exam_id = e.exam_id
    inner join rule_item as i on e.benchmark = i.benchmark
),

lines as (
    select
        q.exam_id,
        q.dataset_id,
        r.ruleset,
        r.component,
        q.question_id
    from question as q
    inner join exam as e on q.exam_id = e.exam_id
    inner join rule_component as r
        on e.profession = r.profession and e.year = r.year and coalesce(r.benchmark, e.benchmark) = e.benchmark
    where
        r.kind = 'points'
        and r.component <> 'overall'
        and case
            when r.first_number is null then q.component = r.component
            else q.number between r.first_number and coalesce(r.last_number, q.number)
        end
)

select
    exam_id,
    dataset_id,
    ruleset,
    component,
    question_id
from everything
union all
select
    exam_id,
    dataset_id,
    ruleset,
    component,
    question_id
from lines
union all
select
    exam_id,
    dataset_id,
    'official' as ruleset,
    'unplaced' as component,
    question_id
from question
where component is null and exam_id is not null
