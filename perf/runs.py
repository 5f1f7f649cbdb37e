"""How fast prediction files are read: JSON lines against `json.loads` line by line over the same bytes, side by side.

The lines are made here, like those of a log-likelihood harness (long) and of a plain table of answers (short). A ratio
over 1 means that the reader is faster. Run it: python -m perf.runs
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from perf.goals import missed, must_agree
from pipelines.text.readers import json_rows

ROUNDS = 5


def long_lines(n: int) -> bytes:
    """n samples of a harness log: a question, six requests that repeat it, and log-likelihoods as text."""
    rng = random.Random(1)
    text = "Quale delle seguenti affermazioni sul ciclo cellulare è corretta? " * 4
    rows = []
    for i in range(n):
        scores = [[[str(-rng.random()), "False"]] for _ in range(6)]
        rows.append(
            {
                "doc_id": i,
                "doc": {"id": i, "text": text, "answers": ["mitosi", "meiosi", "interfase", "G0", "citodieresi"]},
                "arguments": {f"gen_args_{k}": {"arg_0": text, "arg_1": "ABCDEF"[k]} for k in range(6)},
                "resps": scores,
                "filtered_resps": [s[0] for s in scores],
                "acc": 1.5,
            }
        )
    return "\n".join(json.dumps(r, ensure_ascii=False) for r in rows).encode()


def short_lines(n: int) -> bytes:
    """n rows of a plain table: which question, and a letter."""
    rng = random.Random(2)
    return "\n".join(
        json.dumps({"question_id": f"medschool/room-b007/{i}", "attempt": 1, "prediction": rng.choice("ABCDE")})
        for i in range(n)
    ).encode()


def line_by_line(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines() if line]


def seconds(read: Callable[[bytes], Any], data: bytes) -> float:
    start = time.perf_counter()
    read(data)
    return time.perf_counter() - start


def ratio(data: bytes) -> tuple[float, float, float]:
    """Best seconds of json.loads and of the reader, taken in turns, and the first over the second."""
    plain, ours = [], []
    for _ in range(ROUNDS):
        plain.append(seconds(line_by_line, data))
        ours.append(seconds(json_rows, data))
    return min(plain), min(ours), min(plain) / min(ours)


def main() -> int:
    """Print one line a case; 1 when the reader is less than twice as fast as json.loads in any, else 0."""
    slow = False
    for name, data in (("long JSON lines", long_lines(8_000)), ("short JSON lines", short_lines(200_000))):
        must_agree(name, json_rows(data).values == line_by_line(data))
        plain, ours, times = ratio(data)
        print(f"runs: {name}, {len(data) / 1e6:.1f} MB: json.loads {plain:.3f} s, reader {ours:.3f} s")
        slow |= missed(f"runs: {name}, times as fast as json.loads", times, at_least=2.0)
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
