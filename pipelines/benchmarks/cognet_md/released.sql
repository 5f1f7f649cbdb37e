-- How the released notebook (COGNET-MD1.0.ipynb) reads a response: where a capital letter followed by a full stop
-- occurs, those letters; else the pieces between "-", nothing trimmed, so that an empty response is one wrong answer.
-- The key is split at "-" as the released file has it, also where it names a choice that the question does not show.
--
-- A response that is its labels, to a question whose key is those labels, is read here as there.
with
accepted as (
    select
        question_id,
        min(labels) as labels
    from answer_key
    group by question_id
),

item as (
    select
        q.question_id,
        string_split(q.released_key, '-') as released,
        coalesce(q.released_key = a.labels, false) as is_plain
    from question as q
    left join accepted as a on q.question_id = a.question_id
    where q.benchmark = 'cognet_md'
),

reading as (
    select
        p.run_id,
        p.question_id,
        p.attempt,
        p.response,
        i.released,
        case
            -- where a harness ranked the choices, what it logged is not a response
            when r.format <> 'generated' then list_distinct(string_split(p.labels, '-'))
            when regexp_matches(p.response, '[A-Z]\.')
                then list_distinct(regexp_extract_all(p.response, '([A-Z])\.', 1))
            else list_distinct(string_split(coalesce(p.response, p.labels, ''), '-'))
        end as pieces
    from prediction as p
    inner join item as i on p.question_id = i.question_id
    inner join run as r on p.run_id = r.run_id
    where not (i.is_plain and coalesce(p.status = 'answered' and p.response = p.labels, false))
),

counted as (
    select
        *,
        coalesce(array_length(array_intersect(pieces, released)), 0) as n_right,
        coalesce(array_length(pieces), 0) as n_chosen
    from reading
)

select
    run_id,
    question_id,
    attempt,
    array_to_string(list_sort(pieces), '-') as reading,
    n_right,
    n_chosen - n_right as n_wrong,
    n_chosen = n_right and n_right = array_length(list_distinct(released)) as is_exact,
    false as hits_forbidden,
    case
        when coalesce(response, '') = '' then 'the released notebook counts an empty response as one wrong answer'
        else
            'the released notebook takes capital letters before a full stop, else it splits the response at "-" and '
            || 'trims nothing; its key is as the file has it'
    end as cause
from counted
