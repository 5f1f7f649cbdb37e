-- Which run passes which exam, and why: one row per run and sitting, by the exam's own rule.
--
-- run_id: The run.
-- model: Model, baseline or group.
-- kind: What answered. One of: model, baseline, human.
-- exam_id: The sitting.
-- profession: Profession as its exam writes it.
-- profession_en: Profession in English.
-- year: Year of the sitting.
-- verdict: One of: passed, failed, no verdict.
-- points: Points earned over the whole exam.
-- max_points: Points that counted for this run.
-- chance: Chance that the run passes an exam of such questions, 0 to 1; null without a verdict.
-- reason: In words what was met or not, or why there is no verdict.
-- rule_status: One of: sourced, unverified (the verdict rests on a line or a layout without a source).
-- published_verdict: What the benchmark's released scorer says, its faults included.
select
    run.run_id,
    run.model,
    run.kind,
    exam.exam_id,
    exam.profession,
    exam.profession_en,
    exam.year,
    case official.passed when true then 'passed' when false then 'failed' else 'no verdict' end as verdict,
    official.points,
    official.max_points,
    pass_chance.chance,
    official.reason,
    official.rule_status,
    case published.passed when true then 'passed' when false then 'failed' else 'no verdict' end as published_verdict
from exam_result as official
inner join run on official.run_id = run.run_id
inner join exam on official.exam_id = exam.exam_id
left join pass_chance on official.run_id = pass_chance.run_id and official.exam_id = pass_chance.exam_id
left join exam_result as published
    on
        official.run_id = published.run_id
        and official.exam_id = published.exam_id
        and published.ruleset = 'published'
        and published.component = 'overall'
where official.ruleset = 'official' and official.component = 'overall'
order by exam.profession, exam.year, run.model, run.run_id
