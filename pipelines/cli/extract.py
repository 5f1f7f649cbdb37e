"""`medexams extract`: responses in, answers out, line by line."""

from __future__ import annotations

import json
from typing import Any

import click

from pipelines.cli.command import command
from pipelines.cli.output import echo, takes_all
from pipelines.errors import MedexamsError
from pipelines.text.printable import json_safe


@command()
@click.argument("file", type=click.File("r", encoding="utf-8"), default="-")
def extract(file: Any) -> None:
    """Read answers out of responses: JSON lines in (text, answer_type, labels, choices, benchmark), JSON lines out.

    Each line gives status, labels, value and evidence. A line that is not a JSON object gives status error.

    \b
    Examples:
      echo '{"text": "The answer is B.", "labels": ["A", "B"], "answer_type": "single"}' | medexams extract
      medexams extract responses.jsonl > answers.jsonl
    """
    from pipelines.answers.record import read_record

    broken = 0
    for line in file:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError("the line is not an object")
            answer = read_record(record)
        except (ValueError, TypeError, RecursionError) as fault:
            broken += 1
            answer = {"status": "error", "labels": [], "value": None, "evidence": f"not read: {str(fault)[:200]}"}
        echo(json_safe(json.dumps(answer, ensure_ascii=not takes_all())))
    if broken:
        raise MedexamsError(f"{broken} lines could not be read; each must be a JSON object with text and answer_type")
