-- Which questions are hardest, which tell strong runs from weak ones, and which do neither (misfit)?
select
    p.question_id,
    q.topic,
    p.difficulty,
    p.difficulty_se,
    p.information,
    p.fit,
    p.n_families,
    row_number() over (order by p.difficulty desc, p.question_id asc) as hardest,
    row_number() over (order by p.information desc, p.question_id asc) as most_informative,
    case when p.fit is not null then row_number() over (order by p.fit desc nulls last, p.question_id asc) end
        as worst_fit
from item_parameter as p
inner join question as q on p.question_id = q.question_id
order by p.difficulty desc, p.question_id asc
