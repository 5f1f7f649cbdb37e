"""Bytes to rows: one module per upstream, each with NAME, BENCHMARK, `fetch` and `read` (see base.py)."""
