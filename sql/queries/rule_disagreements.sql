-- Where do the released scorers and the exams' own rules part, and why?
select
    cause,
    scope,
    count(*) as times,
    min(scope_id) as first_example
from rule_disagreement
group by cause, scope
order by times desc, cause asc
