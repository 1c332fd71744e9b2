"""Sets of half-open time intervals as i8[n, 2] arrays: sorted, disjoint, none empty."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "EMPTY",
    "Intervals",
    "clip",
    "complement",
    "contains",
    "contains_before",
    "cover",
    "intersect",
    "join",
    "make",
    "remove",
    "subtract",
    "total",
    "union",
]

Intervals = npt.NDArray[np.int64]

EMPTY: Final[Intervals] = np.empty((0, 2), np.int64)
EMPTY.flags.writeable = False


def make(start: npt.ArrayLike, end: npt.ArrayLike) -> Intervals:
    """The set covered by any of the intervals [start[i], end[i]); empty ones are dropped."""
    pairs = np.column_stack([np.asarray(start, np.int64).ravel(), np.asarray(end, np.int64).ravel()])
    return union(pairs[pairs[:, 0] < pairs[:, 1]])


def cover(sets: tuple[Intervals, ...], depth: int) -> Intervals:
    """Where at least ``depth`` intervals of the given ones overlap (each may itself be unsorted, none empty)."""
    pairs = np.concatenate([EMPTY, *sets])
    if not len(pairs):
        return EMPTY
    times = pairs.T.ravel()
    order = np.argsort(times, kind="stable")
    times = times[order]
    level = np.cumsum(np.where(order < len(pairs), 1, -1))
    last = np.append(times[1:] != times[:-1], True)  # the level that holds after all edges of one time
    times, inside = times[last], level[last] >= depth
    change = np.flatnonzero(np.diff(inside, prepend=False))
    result: Intervals = times[change].reshape(-1, 2)
    return result


def join(first: Intervals, second: Intervals) -> Intervals:
    """The union of two sets that have no time in common."""
    if not len(first) or not len(second):
        return first if len(first) else second
    pairs = np.concatenate([first, second])
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    apart = pairs[1:, 0] > pairs[:-1, 1]
    if apart.all():
        return pairs
    return np.column_stack([pairs[np.append(True, apart), 0], pairs[np.append(apart, True), 1]])


def union(*sets: Intervals) -> Intervals:
    """Where any of the sets is."""
    return cover(sets, 1)


def intersect(first: Intervals, second: Intervals) -> Intervals:
    """Where both sets are."""
    few, many = (first, second) if len(first) <= len(second) else (second, first)
    if not len(few):
        return EMPTY
    low = np.searchsorted(many[:, 1], few[:, 0], side="right")
    count = np.searchsorted(many[:, 0], few[:, 1]) - low
    past = np.cumsum(count)
    index = np.arange(past[-1]) + np.repeat(low - past + count, count)
    result = np.empty((len(index), 2), np.int64)
    np.maximum(np.repeat(few[:, 0], count), many[index, 0], out=result[:, 0])
    np.minimum(np.repeat(few[:, 1], count), many[index, 1], out=result[:, 1])
    return result


def complement(intervals: Intervals, start: int, end: int) -> Intervals:
    """[start, end) without the set."""
    inside = clip(intervals, start, end).ravel()
    pairs = np.concatenate([[start], inside, [end]]).astype(np.int64).reshape(-1, 2)
    return pairs[pairs[:, 0] < pairs[:, 1]]


def subtract(first: Intervals, second: Intervals) -> Intervals:
    """``first`` without ``second``."""
    if not len(first) or not len(second):
        return first
    return intersect(first, complement(second, int(first[0, 0]), int(first[-1, 1])))


def remove(outer: Intervals, inner: Intervals) -> Intervals:
    """``outer`` without ``inner``, all of which lies inside it."""
    if not len(inner):
        return outer
    pairs = np.sort(np.concatenate([outer, inner]).ravel()).reshape(-1, 2)
    return pairs[pairs[:, 0] < pairs[:, 1]]


def clip(intervals: Intervals, start: int, end: int) -> Intervals:
    """The part of the set inside [start, end)."""
    low = np.searchsorted(intervals[:, 1], start, side="right")
    high = np.searchsorted(intervals[:, 0], end, side="left")
    return np.clip(intervals[low:high], start, end) if low < high else EMPTY


def contains(intervals: Intervals, times: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether the nanosecond that begins at each time is in the (sorted, disjoint) set."""
    if not len(intervals):
        return np.zeros(len(times), np.bool_)
    index = np.searchsorted(intervals[:, 0], times, side="right") - 1
    inside: npt.NDArray[np.bool_] = (index >= 0) & (intervals[np.maximum(index, 0), 1] > times)
    return inside


def contains_before(intervals: Intervals, times: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether the nanosecond that ends at each time is in the (sorted, disjoint) set."""
    return contains(intervals, times - 1)


def total(intervals: Intervals) -> int:
    """Length of the set in ns."""
    return int(np.sum(intervals[:, 1] - intervals[:, 0]))
