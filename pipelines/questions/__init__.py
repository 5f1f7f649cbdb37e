"""Items to the unified question tables: ids, fingerprints, flags, links between releases."""
