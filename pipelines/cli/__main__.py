"""`python -m pipelines.cli`."""

from pipelines.cli import main

main(prog_name="medexams")
