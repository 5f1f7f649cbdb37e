"""Scoring: the exams' rules as data (rules/), and the statistics that SQL can't do well.

The points of each answer and the verdicts are SQL (sql/scores); no reading of files but the rules belongs here.
"""
