"""The state of all buffers as bit words: swept from interval edges, and looked up at any time.

A ``Board`` holds, for a sorted list of times, one bit per buffer in ``ceil(buffers / 64)`` u64 words and per plane
(hot, unknown, dry, ...): column j is the state in [times[j], times[j + 1]).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from npuscope.intervals import Intervals

__all__ = ["Board", "Words", "bit", "sweep"]

I8 = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
"""u64[words, n]: bit b of word w is buffer 64 * w + b."""
Bools = npt.NDArray[np.bool_]


def bit(words: Words, buffer: int) -> Bools:
    """The bit of one buffer, bool[n]."""
    found: Bools = (words[buffer >> 6] >> np.uint64(buffer & 63)) & np.uint64(1) > 0
    return found


@dataclass(frozen=True)
class Board:
    """times i8[n], ascending and distinct; planes: name -> Words with n columns."""

    times: I8
    planes: dict[str, Words]

    def before(self, at: I8) -> I8:
        """Column of the state just before each time; -1: before the first."""
        return np.searchsorted(self.times, at, side="left") - 1

    def take(self, columns: I8) -> dict[str, Words]:
        """All planes at the columns; all zero for column -1."""
        return {name: np.where(columns < 0, np.uint64(0), words[:, columns]) for name, words in self.planes.items()}


def sweep(lanes: Mapping[str, Sequence[Intervals]], size: int, tags: tuple[Intervals, Words] | None = None) -> Board:
    """The board of ``lanes``: plane name -> interval set per buffer, ``size`` buffers.

    tags: intervals (any number, in any order) with a u64 each; plane ``tag`` is the XOR of those in force.
    """
    count = -(-size // 64) if size else 1
    times, owner = [np.empty(0, np.int64)], []
    for name, sets in lanes.items():
        for buffer, intervals in enumerate(sets):
            if len(intervals):
                times.append(intervals.ravel())
                owner.append((name, buffer, 2 * len(intervals)))
    if tags is not None:
        times.append(tags[0].ravel())
    merged = np.concatenate(times)
    order = np.argsort(merged, kind="stable")
    merged = merged[order]
    last = np.append(merged[1:] != merged[:-1], True) if len(merged) else np.empty(0, np.bool_)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    planes: dict[str, Words] = {}
    used = {(name, buffer >> 6) for name, buffer, _ in owner}
    toggles = {key: np.zeros(len(merged), np.uint64) for key in used}
    start = 0
    for name, buffer, length in owner:
        toggles[name, buffer >> 6][rank[start : start + length]] = np.uint64(1 << (buffer & 63))
        start += length
    for name in lanes:
        words = np.zeros((count, int(last.sum())), np.uint64)
        for word in range(count):
            if (name, word) in toggles:
                words[word] = np.bitwise_xor.accumulate(toggles[name, word])[last]
        planes[name] = words
    if tags is not None:
        toggle = np.zeros(len(merged), np.uint64)
        toggle[rank[start:]] = np.repeat(tags[1], 2)
        planes["tag"] = np.bitwise_xor.accumulate(toggle)[last][None]
    return Board(merged[last], planes)
