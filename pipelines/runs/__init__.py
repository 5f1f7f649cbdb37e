"""Prediction files to the tables run, prediction, rejected_file and unmatched_prediction.

planning.py says which files belong together, ingesting.py makes rows of such a group, importing.py remembers them as
parts of the tables, inbox.py is how files get in and out. formats/ knows the layouts, one module each; matching.py the
questions. What a response means is for pipelines/answers, what it earns for scoring.
"""
