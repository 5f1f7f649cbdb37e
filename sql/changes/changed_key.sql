-- Questions of both sides whose accepted answers, or whose part in the score, are not what they were.
--
-- A step. Accepted answers are compared by the choices' texts: where the choices stand in another order, labels change
-- and the key may not.
with accepted as (
    select
        k.side,
        k.question_id,
        k.alternative,
        any_value(coalesce(k.labels, k.value)) as label,
        coalesce(string_agg(c.text, ' + ' order by c.text), any_value(k.value)) as text
    from both_answer_key as k
    left join both_choice as c
        on k.side = c.side and k.question_id = c.question_id and k.selection & (1 << c.position) <> 0
    group by k.side, k.question_id, k.alternative
),

key as (
    select
        q.side,
        q.question_id,
        q.key_status,
        coalesce(string_agg(a.label, ' or ' order by a.alternative), 'none')
        || case when q.key_status = 'scored' then '' else ' (' || q.key_status || ')' end as labels,
        string_agg(a.text, ' or ' order by a.text) as texts
    from both_question as q
    left join accepted as a on q.side = a.side and q.question_id = a.question_id
    group by q.side, q.question_id, q.key_status
)

select
    n.question_id,
    o.labels as old,
    n.labels as new
from key as n
inner join key as o on n.question_id = o.question_id
where
    n.side = 'new'
    and o.side = 'old'
    and ((n.texts is distinct from o.texts) or n.key_status <> o.key_status)
