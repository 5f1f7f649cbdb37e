"""What came from outside, as it was received: one polite session, the archive, and which releases it holds.

No module here knows a benchmark or what a row means.
"""
