"""Intervals: against scipy, against simulations of known coverage, and a better paper has no lower low end."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from perf import statistics as simulated
from pipelines.scoring import intervals as s


def paper(
    y: list[float], units: list[int] | None = None, worth: list[float] | None = None, least: float = 0.0
) -> pl.DataFrame:
    """One run's answers: what each earned, of what it could."""
    worth = worth or [1.0] * len(y)
    return pl.DataFrame({
        "run": ["r"] * len(y), "unit": [str(u) for u in units or range(len(y))], "w": [1.0] * len(y), "y": y,
        "worth": worth, "floor": [least] * len(y), "ceiling": worth,
    })  # fmt: skip


def interval(answers: pl.DataFrame) -> tuple[float, float, float]:
    row = s.combined(answers, ["run"], pl.col("n") / pl.col("n").sum(), ["worth"]).row(0, named=True)
    return row["value"], row["low"], row["high"]


@pytest.mark.parametrize(("right", "n"), [(0, 5), (7, 10), (40, 60), (60, 60), (999, 1000)])
def test_limits_lie_within_clopper_pearson_and_meet_it_toward_the_nearer_end(right: int, n: int) -> None:
    exact = stats.binomtest(right, n).proportion_ci(0.95, "exact")
    low, high = s.limits(right, n)
    assert exact.low - 1e-9 <= float(low) <= right / n <= float(high) <= exact.high + 1e-9
    near = (float(high), exact.high) if 2 * right > n else (float(low), exact.low)
    assert near[0] == pytest.approx(near[1], abs=1e-9)


def test_mid_p_is_what_its_definition_says() -> None:
    low = float(s.limits(45, 60)[0])
    tail = stats.binom.sf(45, 60, low) + stats.binom.pmf(45, 60, low) / 2
    assert tail == pytest.approx(0.025, abs=1e-9)


def test_right_or_wrong_is_the_interval_of_a_share() -> None:
    value, low, high = interval(paper([1.0] * 45 + [0.0] * 15))
    assert (value, low, high) == pytest.approx((0.75, *map(float, s.limits(45, 60))), abs=1e-12)


def test_linked_answers_count_as_fewer() -> None:
    whole = interval(paper([1.0] * 40 + [0.0] * 40, [i // 2 for i in range(80)]))
    split = interval(paper([1.0, 0.0] * 40, [i // 2 for i in range(80)]))
    alone = interval(paper([1.0] * 40 + [0.0] * 40))
    assert whole[2] - whole[1] > 1.3 * (alone[2] - alone[1])
    assert split[2] - split[1] <= whole[2] - whole[1]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_better_answer_never_lowers_a_limit(data: st.DataObject) -> None:
    """With negative points, cases of up to five and two point values."""
    case = data.draw(st.sampled_from([1, 2, 3, 5]))
    n = case * data.draw(st.integers(2, 12))
    worth = [3.0 if data.draw(st.booleans()) and i % (2 * case) < case else 1.0 for i in range(n)]
    worth = [worth[i - i % case] for i in range(n)]
    y = [w * data.draw(st.sampled_from([-0.5, 0.0, 1.0])) for w in worth]
    better = data.draw(st.integers(0, n - 1))
    units = [i // case for i in range(n)]
    before = interval(paper(y, units, worth, -0.5))
    after = interval(paper([worth[i] if i == better else v for i, v in enumerate(y)], units, worth, -0.5))
    assert all(b >= a - 1e-9 for a, b in zip(before, after, strict=True))


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(24)))
def test_the_order_of_rows_changes_nothing(order: list[int]) -> None:
    rows = paper([1.0, 0.0, 1.0, 1.0] * 6, [i // 3 for i in range(24)])
    assert interval(rows[order]) == pytest.approx(interval(rows), abs=1e-12)


@pytest.mark.parametrize("cell", simulated.SMALL, ids=lambda c: c.name)
def test_intervals_cover_what_they_promise(cell: simulated.Cell) -> None:
    """A few cells of `make bench ARGS=statistics`: at least 93 of 100, and not much above 97 where that can be."""
    covered = cell.covered(1000)
    assert covered >= 0.925
    assert covered <= cell.most + 0.01


def test_attempts_narrow_the_interval_less_than_questions_would() -> None:
    """Three equal attempts say no more than about one; three independent ones more."""
    rng = np.random.default_rng(4)
    right = (rng.random(100) < 0.7).astype(float)

    def width(tries: list[np.ndarray]) -> float:
        rows = [(str(q), 1 / 3, t[q]) for t in tries for q in range(100)]
        frame = pl.DataFrame(rows, schema=["unit", "w", "y"], orient="row").with_columns(
            run=pl.lit("r"), worth=pl.lit(1.0), floor=pl.lit(0.0), ceiling=pl.lit(1.0)
        )
        _, low, high = interval(frame)
        return high - low

    once = interval(paper(right.tolist()))
    same, other = width([right] * 3), width([(rng.random(100) < 0.7).astype(float) for _ in range(3)])
    assert same == pytest.approx(once[2] - once[1], rel=0.05)
    assert other < 0.8 * same
