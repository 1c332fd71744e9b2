"""Interval lists to a grid of buffers x time columns: what both pictures are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Grid", "Track", "column_edges", "covered", "grid"]

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Track:
    """One buffer and four lists of intervals, each shape (n, 2), dtype i8, ns, half-open, sorted, disjoint."""

    id: int
    name: str
    hot: Int64
    dry: Int64
    bp: Int64
    unknown: Int64


@dataclass(frozen=True)
class Grid:
    """ns of every state in every cell.

    tracks: the rows. edges: shape (columns + 1,), i8, ns. hot, dry, bp, unknown: shape (rows, columns), i8, ns.
    """

    tracks: tuple[Track, ...]
    edges: Int64
    hot: Int64
    dry: Int64
    bp: Int64
    unknown: Int64


def column_edges(start: int, end: int, columns: int) -> Int64:
    """Borders of at most ``columns`` equal columns over [start, end) ns, whole ns and never an empty column."""
    span = max(1, end - start)
    number = max(1, min(columns, span))
    return np.array([start + span * i // number for i in range(number + 1)], dtype=np.int64)


def covered(intervals: Int64, edges: Int64) -> Int64:
    """ns of each column [edges[i], edges[i+1]) that lie in ``intervals``; exact."""
    if not len(intervals):
        return np.zeros(len(edges) - 1, np.int64)
    starts, ends = intervals[:, 0], intervals[:, 1]
    total = np.concatenate([[0], np.cumsum(ends - starts)])
    before = np.searchsorted(starts, edges, side="right")
    last_end = ends[np.maximum(before - 1, 0)]
    reached = total[before] - np.where(before > 0, np.maximum(0, last_end - edges), 0)
    return np.diff(reached)


def grid(tracks: Sequence[Track], start: int, end: int, columns: int) -> Grid:
    """The grid of ``tracks`` over [start, end) ns with at most ``columns`` columns."""
    edges = column_edges(start, end, columns)

    def rows(state: str) -> Int64:
        cells = [covered(getattr(track, state), edges) for track in tracks]
        return np.array(cells, np.int64).reshape(len(tracks), len(edges) - 1)

    return Grid(tuple(tracks), edges, rows("hot"), rows("dry"), rows("bp"), rows("unknown"))
