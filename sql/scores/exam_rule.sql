-- exam_rule: the lines of each exam: those of its profession and year, and what its benchmark's released scorer has.
select
    e.exam_id,
    r.ruleset,
    r.component,
    r.kind,
    r.first_number,
    r.last_number,
    r.max_points,
    r.line,
    r.basis,
    r.percent,
    r.status,
    r.note
from exam as e
inner join rule_component as r
    on e.profession = r.profession and e.year = r.year and coalesce(r.benchmark, e.benchmark) = e.benchmark
