"""Charts are pictures for any table: empty, small, or more than fits."""

from __future__ import annotations

import polars as pl
import pytest

from pipelines.pictures import PICTURES, exam_grid, leaderboard, markdown_image, source_quality
from pipelines.schema import TABLES

PNG = b"\x89PNG"


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_to_draw(name: str) -> None:
    assert PICTURES[name].draw(*(TABLES[t].frame([]) for t in PICTURES[name].inputs)) is None


def test_two_hundred_runs_with_japanese_names() -> None:
    row = {"dataset_id": "d", "metric": "score_share", "low": 0.1, "high": 0.9, "chance": 0.2}
    kinds = ("model", "baseline", "human")
    rows = [row | {"model": f"モデル{i}", "kind": kinds[i % 3], "score": i / 200, "rank": 200 - i} for i in range(200)]
    png = leaderboard(pl.DataFrame(rows))
    assert png and png.startswith(PNG) and len(png) < 200_000
    assert markdown_image("scores", png).startswith("![scores](data:image/png;base64,")


def test_each_verdict_is_drawn() -> None:
    exams = pl.DataFrame([{"exam_id": "e", "profession": "医師", "profession_en": "Physician", "year": 2020}])
    runs = pl.DataFrame([{"run_id": str(i), "model": f"m{i}", "kind": "model"} for i in range(3)])
    line = {"exam_id": "e", "ruleset": "official", "component": "overall"}
    results = pl.DataFrame([line | {"run_id": str(i), "passed": p} for i, p in enumerate((True, False, None))])
    png = exam_grid(results, runs, exams)
    assert png and png.startswith(PNG)


def test_quality_of_an_empty_dataset() -> None:
    png = source_quality(pl.DataFrame([{"dataset_id": "d", "rows_in": 0, "kept": 0, "flagged": 0, "rejected": 0}]))
    assert png and png.startswith(PNG)
