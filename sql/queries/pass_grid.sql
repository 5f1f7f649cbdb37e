-- Which run passes which exam by the exam's own rule, and why?
select
    run.model,
    exam.profession,
    exam.year,
    exam_result.passed,
    exam_result.reason,
    exam_result.rule_status
from exam_result
inner join run on exam_result.run_id = run.run_id
inner join exam on exam_result.exam_id = exam.exam_id
where exam_result.ruleset = 'official' and exam_result.component = 'overall'
order by exam.profession, exam.year, run.model
