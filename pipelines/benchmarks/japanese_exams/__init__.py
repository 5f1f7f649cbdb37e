"""The Japanese national exams that several benchmarks ask: names, layouts, keys and rules."""
