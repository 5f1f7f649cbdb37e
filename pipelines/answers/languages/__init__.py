"""The phrases of one language a module: data alone, in the shape that phrases.Phrases states.

A new language is a new file here that defines PHRASES; nothing else names it.
"""
