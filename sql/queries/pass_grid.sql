-- Which model passes which exam by the exam's own rule, and why?
select
    model,
    profession,
    year,
    verdict,
    chance,
    reason,
    rule_status
from pass_grid
where kind = 'model'
order by profession, year, model
