"""One folder a benchmark: all that is peculiar to it. docs/adding-a-benchmark.md says how to add one."""
