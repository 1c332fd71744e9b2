"""The grid under both pictures against a count of every nanosecond."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from npuscope.views.lanes import Track, column_edges, covered, grid

BORDERS = st.lists(st.integers(0, 60), min_size=0, max_size=12, unique=True).map(sorted)


def intervals(borders: list[int]) -> np.ndarray:
    return np.array(borders[: len(borders) // 2 * 2], np.int64).reshape(-1, 2)


@given(BORDERS, st.integers(0, 50), st.integers(1, 60), st.integers(1, 80))
def test_covered_counts_every_nanosecond(borders: list[int], start: int, span: int, columns: int) -> None:
    edges = column_edges(start, start + span, columns)
    inside = {t for low, high in intervals(borders) for t in range(low, high)}
    expected = [sum(t in inside for t in range(a, b)) for a, b in pairwise(edges)]
    assert covered(intervals(borders), edges).tolist() == expected


@given(st.integers(0, 2**62), st.integers(1, 2**60), st.integers(1, 1500))
def test_columns_are_equal_to_one_nanosecond(start: int, span: int, columns: int) -> None:
    edges = column_edges(start, start + span, columns)
    widths = {int(w) for w in np.diff(edges)}
    assert edges[0] == start
    assert edges[-1] == start + span
    assert len(edges) - 1 == min(columns, span)
    assert min(widths) > 0
    assert max(widths) - min(widths) <= 1


def test_grid_of_no_tracks_and_of_one() -> None:
    empty = np.empty((0, 2), np.int64)
    assert grid([], 0, 10, 5).hot.shape == (0, 5)
    track = Track(0, "a", hot=np.array([[2, 5]]), dry=empty, bp=empty, unknown=empty)
    assert grid([track], 0, 10, 5).hot.tolist() == [[0, 2, 1, 0, 0]]
