"""Asking a model: from the questions of the warehouse, over an OpenAI-compatible server, to a journal in the inbox.

    plan.py      which questions, with which prompts and settings; what that may cost
    endpoint.py  one request, tried again where that helps
    journal.py   what was answered, kept line by line
    asking.py    the loop: many requests at a time, limits, what is missing
    adaptive.py  which question next, when no more than a budget is to be asked

The journal is read like any prediction file (runs/formats/medexams_ask.py). No Dagster; what answers earn is scoring/.
"""
