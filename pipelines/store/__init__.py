"""Tables on disk: validated writes, their checks, the SQL files they are made from, the published file, the lock.

What a table means stands in the schema; what it holds is computed elsewhere.
"""
