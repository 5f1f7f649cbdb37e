"""Rate of reading plain predictions: a million of them through read_frame against a plain Python loop over a
compiled regex.

Run: python -m perf.answers. Exit code 1 where read_frame is less than five times as fast.
"""

import random
import re
import sys
import time
from collections.abc import Callable

import polars as pl

from perf.goals import missed, must_agree
from pipelines.answers import read_frame

ROWS = 1_000_000
REQUIRED = 5.0
ROUNDS = 7


def predictions(rows: int, seed: int = 1) -> list[str]:
    """Short responses as models give them when told to: mostly one letter, some pairs and triples."""
    rng = random.Random(seed)
    pool = [rng.choice("abcde") for _ in range(70)]
    pool += [",".join(sorted(rng.sample("abcde", 2))) for _ in range(20)]
    pool += ["-".join(sorted(rng.sample("ABCDE", 3))) for _ in range(10)]
    return rng.choices(pool, k=rows)


def python_loop(texts: list[str]) -> list[int | None]:
    """What one would write by hand: check the form, find the letters, set their bits."""
    form = re.compile(r"[A-Ea-e](?:, ?[A-Ea-e]|-[A-Ea-e])*")
    letter = re.compile(r"[A-Ea-e]")
    selections: list[int | None] = []
    for text in texts:
        selection = None
        if form.fullmatch(text):
            selection = 0
            for found in letter.findall(text):
                selection |= 1 << (ord(found) & 31) - 1
        selections.append(selection)
    return selections


def seconds(*works: Callable[[], object]) -> list[float]:
    """The shortest of several rounds for each, in seconds; taken in turn, so that a busy machine slows all alike."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for i, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def main() -> int:
    """Measure both side by side, print the ratio; 0 where it is at least REQUIRED, else 1."""
    texts = predictions(ROWS)
    frame = pl.DataFrame({"text": texts, "answer_type": pl.repeat("multiple", ROWS, eager=True)})
    same = read_frame(frame.head(20_000))["selection"].to_list() == python_loop(texts[:20_000])
    must_agree("answers", same)
    loop, fast = seconds(lambda: python_loop(texts), lambda: read_frame(frame))
    print(f"answers: {ROWS:,} predictions, loop {loop:.2f} s, read_frame {fast:.3f} s")
    return int(missed("answers: times as fast as the loop", loop / fast, at_least=REQUIRED))


if __name__ == "__main__":
    sys.exit(main())
