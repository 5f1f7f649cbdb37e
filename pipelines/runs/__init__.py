"""Prediction files to the tables run, prediction, rejected_file and unmatched_prediction.

importer.py is the door: plan (which files make one run), read (one such group), merge. formats/ knows the layouts, one
module each; matching.py the questions. What a response means is for pipelines/answers, what it earns for scoring.
"""
