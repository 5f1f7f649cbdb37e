-- exam_part: which questions a line of an exam looks at, under each ruleset.
--
-- Official lines look at the questions of their component (some, like the subjects of 薬剤, at question numbers); the
-- released scorer's lines mostly at question numbers. `overall` is every question of the exam; `unplaced` are those
-- whose component is not known (歯科: it is not published item by item).
--
-- exam_id, dataset_id: the exam, in one dataset. ruleset, component: the line. question_id: a question it looks at.
-- is_needed: false for a question left out for all; under published only the released file's own word counts.
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
    inner join exam_rule as r on q.exam_id = r.exam_id
    where
        r.kind = 'points'
        and r.component <> 'overall'
        and case
            when r.first_number is null then q.component = r.component
            else q.number between r.first_number and coalesce(r.last_number, q.number)
        end
),

part as (
    select *
    from everything
    union all
    select *
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
)

select
    p.exam_id,
    p.dataset_id,
    p.ruleset,
    p.component,
    p.question_id,
    case p.ruleset
        when 'official' then q.key_status <> 'removed'
        else coalesce(q.released_key <> '', q.key_status <> 'removed')
    end as is_needed
from part as p
inner join question as q on p.question_id = q.question_id
