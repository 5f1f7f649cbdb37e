"""How medexams fetches, reads, scores and publishes. Plain Python, testable without Dagster (that is in assets/)."""
