-- How the released evaluator (scripts/evaluate_main.py) reads a response: it splits at commas, trims nothing, and
-- compares the sorted pieces with the sorted key of its file; 116A71 is right for all. It knows no forbidden choices.
--
-- A response of one label, to a question with a plain key and no forbidden choice, is read here as there.
with
accepted as (
    select
        question_id,
        count(*) as n,
        min(labels) as labels
    from answer_key
    group by question_id
),

forbidden as (
    select distinct question_id
    from choice
    where is_forbidden
),

item as (
    select
        q.question_id,
        list_sort(string_split(q.released_key, ',')) as released,
        q.source_key = '116A71' as is_credited,
        coalesce(a.n = 1 and f.question_id is null and q.released_key = replace(a.labels, '-', ','), false) as is_plain
    from question as q
    left join accepted as a on q.question_id = a.question_id
    left join forbidden as f on q.question_id = f.question_id
    where q.benchmark = 'igakuqa'
),

reading as (
    select
        p.run_id,
        p.question_id,
        p.attempt,
        i.released,
        i.is_credited,
        case r.format
            when 'generated' then list_sort(string_split(coalesce(p.response, p.labels, p.value, ''), ','))
            else list_sort(string_split(coalesce(p.labels, ''), '-'))
        end as pieces
    from prediction as p
    inner join item as i on p.question_id = i.question_id
    inner join run as r on p.run_id = r.run_id
    where
        i.is_credited
        or not (
            i.is_plain
            and coalesce(p.status = 'answered' and p.response = p.labels and bit_count(p.selection) = 1, false)
        )
)

select
    run_id,
    question_id,
    attempt,
    array_to_string(pieces, ',') as reading,
    0 as n_right,
    case when pieces = [''] then 0 else 1 end as n_wrong,
    is_credited or pieces = released as is_exact,
    false as hits_forbidden,
    'the released evaluator splits the response at commas, trims nothing, compares the sorted pieces with the key of '
    || 'its file, and knows no forbidden choices' as cause
from reading
