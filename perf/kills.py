"""A real refresh killed again and again at random moments: the published file stays whole, and nothing is left over.

python -m perf.kills [N [SEED]]      100 kills
"""

from __future__ import annotations

import random
import signal
import sys
import tempfile
from pathlib import Path

from perf.soak import World, reader, whole


def kills(folder: Path, count: int, seed: int) -> str:
    """Kill so many refreshes; a sentence of figures. Fails where one does harm."""
    draw = random.Random(seed)
    world = World(folder / "kills")
    world.must("refresh")
    before, died = world.tables(), 0
    with reader(world.warehouse) as reads:
        for n in range(count):
            world.give(draw.choice(["the source is well", "a question has a new text"]))
            died += world.run("refresh", kill_at=draw.random() * world.seconds) == -signal.SIGKILL
            whole(world.warehouse)
            if (n + 1) % 10 == 0:
                print(f"kills: {n + 1}, all whole", file=sys.stderr, flush=True)
        world.give("the source is well")
        world.must("refresh")
    assert world.tables() == before, "the tables are not those of a refresh that nobody killed"
    assert not (left := world.left_over()), left
    assert died >= count // 2, f"only {died} of {count} refreshes were still running when they were to be killed"
    return f"{died} of {count} refreshes killed, each whole, nothing left over, {reads[0]} reads"


def main() -> int:
    """`python -m perf.kills [N [SEED]]`."""
    count, seed, *_ = *map(int, sys.argv[1:]), *(100, 1)[len(sys.argv) - 1 :]
    with tempfile.TemporaryDirectory() as folder:
        print(f"kills: {kills(Path(folder), count, seed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
