-- No two choices of a question have the same label.
select
    question_id,
    label
from choice
group by question_id, label
having count(*) > 1
