"""The chance to pass: at its ends, calibrated in simulation, over single sittings."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from perf import statistics as simulated
from pipelines.scoring import passing as s
from tests.unit.scoring_world import World
from tests.unit.test_scoring_exams import answer, lose, sit


def chances(world: World, folder: Path) -> dict[str, dict[str, object]]:
    found = world.results(folder, "item_score", "exam_part", "exam_result", "exam_rule")
    table = s.pass_chance(
        found["item_score"], world.frame("question"), found["exam_part"], found["exam_result"], found["exam_rule"]
    )
    return {r["run_id"]: r for r in table.iter_rows(named=True)}


def test_chance_of_passing(tmp_path: Path) -> None:
    """保健: all right passes surely, far below never, on the line about half of the time."""
    world = World()
    rows = sit(world, "保健", 2021)
    for run_id, lost in (("perfect", 0), ("line", 56), ("far", 110)):
        world.run(run_id, "kokushi_md10/test")
        answer(world, run_id, rows, lose(rows, lost, []))
    found = {run_id: float(r["chance"]) for run_id, r in chances(world, tmp_path).items()}  # type: ignore[arg-type]
    assert found["perfect"] > 0.999 and found["far"] == 0
    assert 0.35 < found["line"] < 0.7


def test_drawn_exams_have_their_size_and_are_seeded() -> None:
    strata = np.array([0, 0, 0, 1, 1, 2])
    one, two = (np.vstack(list(s.drawn(strata, 300, np.random.default_rng(1)))) for _ in range(2))
    assert (one == two).all()
    assert (one[:, [0, 1, 2, 6, 7]].sum(axis=1) == 3).all() and (one[:, [5, 10, 11]].sum(axis=1) == 1).all()


def test_what_is_called_95_passes_95_times() -> None:
    found = {name: share for name, share, _ in simulated.calibration(exams=2000)}
    assert 0.91 <= found[".95"] <= 0.99
    assert 0.01 <= found[".05"] <= 0.09
