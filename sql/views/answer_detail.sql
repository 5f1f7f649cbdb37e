-- Why an answer scored as it did: what was read from which words, the key, the points with their rule, and the file.
--
-- run_id: Run.
-- model: Model, baseline or group.
-- dataset_id: Dataset that was answered.
-- question_id: Question.
-- attempt: 1 for the first answer to a question in this run, then 2, 3 …
-- exam_id: The exam sitting, where the source has one.
-- topic: Subject or specialty.
-- stem: The question.
-- response: The response as the tool stored it.
-- status: How the response was read.
-- answer: What was read: labels of the chosen choices, or a value; null where nothing was.
-- evidence: The piece of the response that decided.
-- key: Accepted answers, by label or value, joined by ' or '.
-- key_status: Whether and how the question counts, as in question.
-- result: right, right in part, wrong, or no answer; for a question that doesn't count: left out.
-- points: Points earned by the exam's own rule.
-- max_points: Points that could be earned.
-- hits_forbidden: True when a forbidden choice was chosen.
-- rule: The rule that gave the points, in words.
-- rule_source: Where the rule stands.
-- rule_status: Whether it has a source.
-- published_points: Points by the benchmark's released scorer.
-- disagreement: Why the two differ, where they do.
-- file: File of the run that the answer was read from; null for baselines.
-- locator: Where in that file.
-- reader: Version of what read the file and, behind the dot, the response.
with rule_in_words as (
    select
        benchmark,
        concat_ws(
            ', ',
            case when any_right <> 0 then format('{:+g} when a right answer is chosen', any_right::double) end,
            case
                when exact <> 0
                    then
                        format('{:+g}', exact::double)
                        || case when any_right <> 0 then ' more' else '' end
                        || ' for exactly an accepted answer'
            end,
            case when each_wrong <> 0 then format('{:+g} for each wrong answer chosen', each_wrong::double) end,
            case when any_wrong <> 0 then format('{:+g} for a wrong answer', any_wrong::double) end,
            case when each_wrong = 0 and any_wrong = 0 then '0 for a wrong one' end,
            '0 for none'
        )
        || case when weighted then ', times the points of the question' else '' end as words,
        credits_all,
        source,
        status
    from rule_item
    where ruleset = 'official'
)

select
    prediction.run_id,
    run.model,
    run.dataset_id,
    prediction.question_id,
    prediction.attempt,
    question.exam_id,
    question.topic,
    question.stem,
    prediction.response,
    prediction.status,
    coalesce(prediction.labels, prediction.value) as answer,
    prediction.evidence,
    accepted_answer.key,
    question.key_status,
    case
        when question.key_status in ('removed', 'unknown') then 'left out'
        when official.is_correct then 'right'
        when prediction.status <> 'answered' then 'no answer'
        when not official.counts then 'left out'
        when official.points > 0 then 'right in part'
        else 'wrong'
    end as result,
    official.points,
    official.max_points,
    official.hits_forbidden,
    case question.key_status
        when 'removed' then 'left out for all by the exam'
        when 'unknown' then 'left out: no usable key'
        when 'correct_only' then rule_in_words.words || '; counts only when right'
        when 'all_credit'
            then case when rule_in_words.credits_all then 'right for all by the exam' else rule_in_words.words end
        else rule_in_words.words
    end as rule,
    rule_in_words.source as rule_source,
    rule_in_words.status as rule_status,
    published.points as published_points,
    rule_disagreement.cause as disagreement,
    prediction.file,
    prediction.locator,
    run.reader
from prediction
inner join run on prediction.run_id = run.run_id
inner join question on prediction.question_id = question.question_id
left join accepted_answer on prediction.question_id = accepted_answer.question_id
left join rule_in_words on question.benchmark = rule_in_words.benchmark
left join item_score as official
    on
        prediction.run_id = official.run_id
        and prediction.question_id = official.question_id
        and prediction.attempt = official.attempt
        and official.ruleset = 'official'
left join item_score as published
    on
        prediction.run_id = published.run_id
        and prediction.question_id = published.question_id
        and prediction.attempt = published.attempt
        and published.ruleset = 'published'
left join rule_disagreement
    on
        prediction.run_id = rule_disagreement.run_id
        and prediction.question_id = rule_disagreement.scope_id
        and prediction.attempt = rule_disagreement.attempt
        and rule_disagreement.scope = 'item'
