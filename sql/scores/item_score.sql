-- item_score: points of one prediction under one ruleset.
--
-- One row per prediction and ruleset. The rules' numbers come from rule_item; nothing here is a constant of an exam.
-- An answer is reduced to a small number, its outcome (exact; nothing; how many wrong answers, and whether a right
-- one), by comparing bit masks. What each outcome earns is worked out once per kind of question (worth) and looked up.
-- Text is read only for numbers, sequences and free text, for questions with several accepted answers, and under
-- published for a response that isn't its labels as they stand (texts).
--
-- run_id, question_id, attempt: the prediction.
-- ruleset: official, or published (the released scorer, faults included).
-- points, max_points: earned, and what this answer could have earned (0 where the question doesn't count).
-- is_correct: an accepted answer in full. hits_forbidden: a forbidden choice was chosen.
-- counts: false for removed questions, for those without a usable key, and for wrong answers to questions that count
-- only when right.
with
shown as (
    select
        question_id,
        bit_or(case when is_forbidden then 1 << position else 0 end) as forbidden,
        -- the released scorer looks for single upper-cased characters in the list as it stands
        bit_or(case when is_forbidden and label = upper(label) then 1 << position else 0 end) as forbidden_published,
        string_agg(case when is_forbidden and regexp_matches(label, '^[A-Z0-9]$') then label end, '')
            as forbidden_characters,
        bool_and(regexp_matches(label, '^[A-Za-z0-9]$')) as plain_labels
    from choice
    group by question_id
),

repaired as (
    select distinct question_id
    from question_flag
    where flag = 'forbidden_repaired'
),

accepted as (
    select
        question_id,
        count(*) as alternatives,
        -- the released key of several accepted choices is a sentence; of a number, it is the first of its readings
        case when count(*) > 1 and max(selection) is not null then 'several' else 'one' end as accepts,
        min(selection) as selection,
        bit_or(selection) as key_mask
    from answer_key
    group by question_id
),

item_key as (
    select
        q.question_id,
        q.benchmark,
        q.answer_type,
        q.points,
        q.key_status,
        a.accepts,
        coalesce(a.selection, 0) as selection,
        coalesce(a.key_mask, 0) as key_mask,
        coalesce(s.forbidden, 0) as forbidden,
        case when x.question_id is null then coalesce(s.forbidden_published, 0) else 0 end as forbidden_published,
        case when x.question_id is null then coalesce(s.forbidden_characters, '') else '' end as forbidden_characters,
        q.answer_type in ('single', 'multiple') and coalesce(a.alternatives, 0) <= 1 as by_mask,
        coalesce(r.reads, 'selection') <> 'selection' as reads_text,
        -- of so many labels run together by '-' the released scorer makes the same as the reader here
        case r.reads when 'list' then 1 else 6 end as plain_size,
        coalesce(s.plain_labels, false) as plain_labels,
        -- questions of one kind have the same worth
        dense_rank() over (order by q.benchmark, q.points, q.key_status, a.accepts) as kind
    from question as q
    left join accepted as a on q.question_id = a.question_id
    left join shown as s on q.question_id = s.question_id
    left join repaired as x on q.question_id = x.question_id
    left join rule_item as r on q.benchmark = r.benchmark and r.ruleset = 'published'
),

kind_rule as (
    select distinct
        k.kind,
        r.ruleset,
        case when r.weighted then k.points else cast(1 as decimal(9, 3)) end as weight,
        r.any_right,
        r.exact,
        r.each_wrong,
        r.any_wrong,
        -- removed, without a usable key, and under published a key that the released scorer can't match
        k.key_status in ('removed', 'unknown')
        or (
            r.ruleset = 'published'
            and (k.accepts is null or (r.reads = 'characters' and k.accepts = 'several'))
        ) as is_void,
        r.credits_all and k.key_status = 'all_credit' as is_credited,
        r.ruleset = 'official' and k.key_status = 'correct_only' as only_when_right
    from item_key as k
    inner join rule_item as r on k.benchmark = r.benchmark
),

-- the outcome of an answer by its mask. 0: nothing chosen; 1: exact; else 2 + 2 x wrong answers + 1 if a right one is
-- among the chosen. scope 0: for both rulesets; 1: official only (the released scorer reads the text).
masks as (
    select
        run_id,
        question_id,
        attempt,
        kind,
        case
            when chosen = 0 then 0
            when chosen = selection then 1
            else
                2 + 2 * (bit_count(chosen) - bit_count(chosen & selection))
                + case when chosen & selection <> 0 then 1 else 0 end
        end as outcome,
        scope,
        chosen & forbidden <> 0 as forbidden_official,
        chosen & forbidden_published <> 0 as forbidden_published
    from (
        select
            p.run_id,
            p.question_id,
            p.attempt,
            k.kind,
            k.selection,
            k.forbidden,
            k.forbidden_published,
            case when p.status = 'answered' then coalesce(p.selection, 0) else 0 end as chosen,
            case
                when not k.reads_text then 0
                when
                    k.plain_labels and p.status = 'answered' and p.response = p.labels
                    and bit_count(p.selection) <= k.plain_size
                    then 0
                else 1
            end as scope
        from prediction as p
        inner join item_key as k on p.question_id = k.question_id
        where k.by_mask
    ) as chosen_masks
),

-- what the released notebook and scorer, and numbers and sequences, need of a question
text_key as (
    select
        q.question_id,
        r.ruleset,
        case r.ruleset when 'official' then 1 else 2 end as scope,
        q.kind,
        q.answer_type,
        r.reads,
        case r.ruleset when 'official' then q.forbidden else q.forbidden_published end as forbidden,
        q.forbidden_characters,
        q.key_mask,
        list(k.selection) as selections,
        list(regexp_replace(
            upper(translate(k.value, 'ａｂｃｄｅｆＡＢＣＤＥＦ０１２３４５６７８９', 'abcdefABCDEF0123456789')),
            '[\s,、，→>・-]', '', 'g'
        )) as texts,
        list(try_cast(
            replace(replace(translate(k.value, '０１２３４５６７８９．，－−', '0123456789.,--'), ',', ''), ' ', '')
            as decimal(38, 10)
        )) as numbers,
        -- "04" stands for two digit boxes: the number 0.4 as well as 4
        list(
            case
                when regexp_matches(k.value, '^0[0-9]+$') then try_cast('0.' || substr(k.value, 2) as decimal(38, 10))
            end
        ) as boxed_numbers,
        coalesce(string_split(min(k.labels), '-'), []) as key_tokens,
        list(case
            when k.labels is not null or k.alternative = 1
                then list_sort(string_split(coalesce(k.labels, k.value), '-'))
        end) as key_lists,
        coalesce(upper(substr(array_to_string(list_sort(string_split(
            regexp_replace(min_by(coalesce(k.labels, k.value), k.alternative), '[^A-Za-z0-9]', '', 'g'), ''
        )), ''), 1, 6)), '') as key_characters
    from item_key as q
    inner join rule_item as r on q.benchmark = r.benchmark
    left join answer_key as k on q.question_id = k.question_id
    where not q.by_mask or r.reads <> 'selection'
    group by
        q.question_id, r.ruleset, q.kind, q.answer_type, r.reads, q.forbidden,
        q.forbidden_published, q.forbidden_characters, q.key_mask
),

-- predictions whose text is read, under one ruleset or both
unmasked as (
    select
        p.run_id,
        p.question_id,
        p.attempt,
        p.response,
        p.status,
        p.selection,
        p.labels,
        p.value
    from prediction as p
    inner join item_key as k on p.question_id = k.question_id
    where
        not k.by_mask
        or (
            k.reads_text
            and not coalesce(
                k.plain_labels and p.status = 'answered' and p.response = p.labels
                and bit_count(p.selection) <= k.plain_size,
                false
            )
        )
),

-- the text as the released scorers take it; null where there was no text to read, so that the mask stands for it
taken as (
    select
        p.run_id,
        p.question_id,
        p.attempt,
        k.kind,
        k.scope,
        k.answer_type,
        k.selections,
        k.texts,
        k.numbers,
        k.boxed_numbers,
        k.reads,
        k.key_tokens,
        k.key_lists,
        k.key_characters,
        k.key_mask,
        k.forbidden,
        k.forbidden_characters,
        p.status = 'answered' as is_answer,
        case when p.status = 'answered' then coalesce(p.selection, 0) else 0 end as chosen,
        coalesce(p.value, p.labels) as value,
        -- the notebook: letters before a full stop where there is one, else the pieces between "-"; a list: between ","
        case
            when k.reads not in ('notebook', 'list') or r.format <> 'generated' then null
            when k.reads = 'list' then list_sort(string_split(coalesce(p.response, p.labels, p.value, ''), ','))
            when regexp_matches(p.response, '[A-Z]\.')
                then list_distinct(regexp_extract_all(p.response, '([A-Z])\.', 1))
            else list_distinct(string_split(coalesce(p.response, p.labels, ''), '-'))
        end as tokens,
        -- the scorer: letters and digits, sorted, upper-cased, cut at six
        case
            when k.reads = 'characters' and r.format = 'generated'
                then upper(substr(array_to_string(list_sort(string_split(
                    regexp_replace(coalesce(p.response, p.labels, p.value, ''), '[^A-Za-z0-9]', '', 'g'), ''
                )), ''), 1, 6))
        end as characters
    from unmasked as p
    inner join text_key as k on p.question_id = k.question_id
    inner join run as r on p.run_id = r.run_id
),

text_matches as (
    select
        *,
        case
            when tokens is not null then array_length(array_intersect(tokens, key_tokens))
            when characters is not null then 0
            else bit_count(chosen & key_mask)
        end as n_right,
        case
            when tokens is not null then array_length(tokens)
            when characters is not null then 1
            else bit_count(chosen)
        end as n_chosen,
        coalesce(case
            when tokens is not null and reads = 'list' then list_contains(key_lists, tokens)
            when tokens is not null
                then
                    array_length(tokens) = array_length(key_tokens)
                    and array_length(array_intersect(tokens, key_tokens)) = array_length(key_tokens)
            when characters is not null then characters = key_characters and characters <> ''
            when not is_answer then false
            when answer_type in ('single', 'multiple') then chosen <> 0 and list_contains(selections, chosen)
            when answer_type = 'numeric'
                then list_contains(list_concat(numbers, boxed_numbers), try_cast(replace(replace(translate(
                    value, '０１２３４５６７８９．，－−', '0123456789.,--'
                ), ',', ''), ' ', '') as decimal(38, 10)))
            else list_contains(texts, regexp_replace(
                upper(translate(value, 'ａｂｃｄｅｆＡＢＣＤＥＦ０１２３４５６７８９', 'abcdefABCDEF0123456789')),
                '[\s,、，→>・-]', '', 'g'
            ))
        end, false) as is_exact,
        case
            when tokens is not null then false
            when characters is not null then translate(forbidden_characters, characters, '') <> forbidden_characters
            else chosen & forbidden <> 0
        end as hits_forbidden
    from taken
),

texts as (
    select
        run_id,
        question_id,
        attempt,
        kind,
        case
            when is_exact then 1
            when tokens is null and characters is null and not is_answer then 0
            else 2 + 2 * (n_chosen - n_right) + case when n_right > 0 then 1 else 0 end
        end as outcome,
        scope,
        hits_forbidden as forbidden_official,
        hits_forbidden as forbidden_published
    from text_matches
),

outcome as (
    select
        outcome,
        outcome = 1 as is_exact,
        outcome > 0 as is_answer,
        outcome % 2 as has_right,
        case when outcome < 2 then 0 else (outcome - outcome % 2 - 2) / 2 end as n_wrong
    from (
        select unnest(generate_series(0, 63)) as outcome
        union
        select outcome
        from texts
    ) as numbers
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
                case when o.has_right = 1 then r.any_right else 0 end
                + case when o.is_exact then r.exact else 0 end
                + r.each_wrong * cast(o.n_wrong as integer)
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
),

answer as (
    select *
    from masks
    union all
    select *
    from texts
)

select
    a.run_id,
    a.question_id,
    a.attempt,
    w.ruleset,
    w.points,
    w.max_points,
    w.is_correct,
    case w.ruleset when 'official' then a.forbidden_official else a.forbidden_published end as hits_forbidden,
    w.counts
from answer as a
inner join worth as w on a.kind = w.kind and a.outcome = w.outcome and a.scope = w.scope
