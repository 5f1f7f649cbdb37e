-- item_score: points of one prediction under one ruleset.
--
-- One row per prediction and ruleset. The rules' numbers come from rule_item; nothing here is a constant of an exam.
-- An answer is reduced to a small number, its outcome (exact; nothing; how many wrong answers, and whether a right
-- one). What each outcome earns is worked out once per kind of question (worth) and looked up. Where a released scorer
-- reads the response in its own way (released_answer), the prediction has another outcome under published.
--
-- run_id, question_id, attempt: the prediction.
-- ruleset: official, or published (the released scorer, faults included).
-- points, max_points: earned, and what this answer could have earned (0 where the question doesn't count).
-- is_correct: an accepted answer in full. hits_forbidden: a forbidden choice was chosen.
-- counts: false for removed questions, for those without a usable key, and for wrong answers to questions that count
-- only when right. Under published only what the released file itself leaves out doesn't count.
with
accepted as (
    select
        question_id,
        min(selection) as selection,
        bit_or(selection) as key_mask,
        list(selection) as selections,
        list(try_cast(value as decimal(38, 10))) as numbers,
        list(regexp_replace(upper(value), '[\s,、，→>・-]', '', 'g')) as texts
    from answer_key
    group by question_id
),

forbidden as (
    select
        question_id,
        bit_or(1 << position) as mask
    from choice
    where is_forbidden
    group by question_id
),

item as (
    select
        q.question_id,
        q.benchmark,
        q.answer_type,
        q.answer_type in ('single', 'multiple') as has_choices,
        q.points,
        q.key_status,
        a.selection,
        coalesce(a.key_mask, 0) as key_mask,
        a.selections,
        a.numbers,
        a.texts,
        coalesce(f.mask, 0) as forbidden,
        coalesce(q.released_key = '', q.key_status in ('removed', 'unknown')) as is_void_published,
        -- questions of one kind have the same worth
        dense_rank() over (
            order by q.benchmark, q.points, q.key_status, coalesce(q.released_key = '', false), q.released_key is null
        ) as kind
    from question as q
    left join accepted as a on q.question_id = a.question_id
    left join forbidden as f on q.question_id = f.question_id
),

kind_rule as (
    select distinct
        i.kind,
        r.ruleset,
        case when r.weighted then i.points else cast(1 as decimal(9, 3)) end as weight,
        r.any_right,
        r.exact,
        r.each_wrong,
        r.any_wrong,
        case r.ruleset
            when 'official' then i.key_status in ('removed', 'unknown')
            else i.is_void_published
        end as is_void,
        r.credits_all and i.key_status = 'all_credit' as is_credited,
        r.ruleset = 'official' and i.key_status = 'correct_only' as only_when_right
    from item as i
    inner join rule_item as r on i.benchmark = r.benchmark
),

-- predictions with what was chosen. scope 0: for both rulesets; 1: official only, the released scorer reads otherwise.
answered as (
    select
        p.run_id,
        p.question_id,
        p.attempt,
        i.kind,
        i.answer_type,
        i.has_choices,
        i.selection,
        i.selections,
        i.key_mask,
        i.numbers,
        i.texts,
        i.forbidden,
        case when r.run_id is null then 0 else 1 end as scope,
        p.status = 'answered' as is_answer,
        case when p.status = 'answered' then coalesce(p.selection, 0) else 0 end as chosen,
        case when not i.has_choices then coalesce(p.value, p.labels) end as value
    from prediction as p
    inner join item as i on p.question_id = i.question_id
    left join released_answer as r
        on p.run_id = r.run_id and p.question_id = r.question_id and p.attempt = r.attempt
),

-- the outcome of an answer. 0: nothing chosen; 1: exact; else 2 + 2 x wrong answers + 1 if a right one is among them
answer as (
    select
        run_id,
        question_id,
        attempt,
        kind,
        scope,
        case
            when not is_answer or (has_choices and chosen = 0) then 0
            when has_choices and (chosen = selection or list_contains(selections, chosen)) then 1
            when has_choices
                then
                    2 + 2 * (bit_count(chosen) - bit_count(chosen & key_mask))
                    + case when chosen & key_mask <> 0 then 1 else 0 end
            when answer_type = 'numeric' and list_contains(numbers, try_cast(value as decimal(38, 10))) then 1
            when
                answer_type <> 'numeric'
                and list_contains(texts, regexp_replace(upper(value), '[\s,、，→>・-]', '', 'g'))
                then 1
            else 4
        end as outcome,
        chosen & forbidden <> 0 as hits_forbidden
    from answered
    union all
    select
        r.run_id,
        r.question_id,
        r.attempt,
        i.kind,
        2 as scope,
        case
            when r.is_exact then 1
            when r.n_right + r.n_wrong = 0 then 0
            else 2 + 2 * r.n_wrong + case when r.n_right > 0 then 1 else 0 end
        end as outcome,
        r.hits_forbidden
    from released_answer as r
    inner join item as i on r.question_id = i.question_id
),

outcome as (
    select distinct
        outcome,
        outcome = 1 as is_exact,
        outcome > 0 as is_answer,
        outcome % 2 = 1 as has_right,
        case when outcome < 2 then 0 else outcome // 2 - 1 end as n_wrong
    from answer
),

-- what an outcome earns, by kind of question and ruleset
worth as (
    select
        s.scope,
        r.kind,
        o.outcome,
        r.ruleset,
        cast(case
            when r.is_void then 0
            when r.is_credited then r.weight * (r.any_right + r.exact)
            else r.weight * (
                case when o.has_right then r.any_right else 0 end
                + case when o.is_exact then r.exact else 0 end
                + r.each_wrong * o.n_wrong
                + case when o.is_answer and not o.is_exact then r.any_wrong else 0 end
            )
        end as decimal(9, 3)) as points,
        cast(case
            when r.is_void or (r.only_when_right and not o.is_exact) then 0
            else r.weight * (r.any_right + r.exact)
        end as decimal(9, 3)) as max_points,
        o.is_exact or r.is_credited as is_correct,
        not(r.is_void or (r.only_when_right and not o.is_exact)) as counts
    from kind_rule as r
    cross join outcome as o
    inner join (values (0, 'official'), (0, 'published'), (1, 'official'), (2, 'published')) as s (scope, ruleset)
        on r.ruleset = s.ruleset
)

select
    a.run_id,
    a.question_id,
    a.attempt,
    w.ruleset,
    w.points,
    w.max_points,
    w.is_correct,
    a.hits_forbidden,
    w.counts
from answer as a
inner join worth as w on a.kind = w.kind and a.outcome = w.outcome and a.scope = w.scope
