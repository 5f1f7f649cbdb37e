-- Which questions changed their answer key between two releases?
select
    benchmark,
    from_dataset,
    to_dataset,
    old_key,
    new_key
from answer_key_change
order by benchmark, fingerprint
