-- How the released scorer (calculate_scores.py) reads a response: letters and digits of answer and key, sorted,
-- upper-cased, six at most. The key is the released file's, whatever was announced later.
--
-- A response that is its labels, to a question with a plain key and no forbidden choice, is read here as there.
with
listed as (
    select
        c.question_id,
        bool_and(regexp_matches(c.label, '^[A-Za-z0-9]$')) as are_plain,
        bool_or(c.is_forbidden) as has_forbidden,
        -- the scorer looks for upper-cased characters in the list as it stands, so a list that had to be mended is lost
        string_agg(
            case
                when c.is_forbidden and f.question_id is null and regexp_matches(c.label, '^[A-Z0-9]$') then c.label
            end, ''
        ) as characters
    from choice as c
    left join question_flag as f on c.question_id = f.question_id and f.flag = 'forbidden_repaired'
    group by c.question_id
),

accepted as (
    select
        question_id,
        count(*) as n,
        min(labels) as labels
    from answer_key
    group by question_id
),

item as (
    select
        q.question_id,
        q.answer_type,
        coalesce(l.characters, '') as forbidden,
        upper(substr(array_to_string(list_sort(string_split(
            regexp_replace(q.released_key, '[^A-Za-z0-9]', '', 'g'), ''
        )), ''), 1, 6)) as released,
        coalesce(a.n = 1 and l.are_plain and not l.has_forbidden, false) as may_be_plain,
        upper(replace(a.labels, '-', '')) as labels
    from question as q
    left join listed as l on q.question_id = l.question_id
    left join accepted as a on q.question_id = a.question_id
    where q.benchmark = 'kokushi_md10'
),

reading as (
    select
        p.run_id,
        p.question_id,
        p.attempt,
        p.status,
        i.answer_type,
        i.released,
        i.forbidden,
        upper(substr(array_to_string(list_sort(string_split(regexp_replace(
            case r.format
                when 'generated' then coalesce(p.response, p.labels, p.value, '')
                else coalesce(p.labels, '')
            end,
            '[^A-Za-z0-9]', '', 'g'
        ), '')), ''), 1, 6)) as characters
    from prediction as p
    inner join item as i on p.question_id = i.question_id
    inner join run as r on p.run_id = r.run_id
    where
        not (
            i.may_be_plain
            and coalesce(i.released = i.labels, false)
            and coalesce(p.status = 'answered' and p.response = p.labels and bit_count(p.selection) <= 6, false)
        )
)

select
    run_id,
    question_id,
    attempt,
    characters as reading,
    0 as n_right,
    case when characters = '' then 0 else 1 end as n_wrong,
    coalesce(characters = released and characters <> '', false) as is_exact,
    translate(forbidden, characters, '') <> forbidden as hits_forbidden,
    case answer_type
        when 'numeric' then 'the released scorer drops the point of a number and sorts its digits'
        when 'sequence' then 'the released scorer sorts the characters, so that the order is lost'
        else
            'the released scorer takes every letter and digit of a response, six at most, and compares them with the '
            || 'key and the forbidden list as they stand in its file (read here as ' || status || ')'
    end as cause
from reading
