"""MTIE and TDEV at 1, 2, 4, .. sync intervals, streaming, over stretches of the time error that have no hole."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["LEVELS", "Wander", "WanderPoint"]

I8 = npt.NDArray[np.int64]

LEVELS: Final = 17
"""Observation intervals of 2^0 .. 2^16 sync intervals."""
_BLOCK: Final = 1 << 16
"""Points worked on at a time, counted from the start of a stretch, so that sums do not depend on the input's pieces."""


@dataclass(frozen=True)
class WanderPoint:
    """intervals: n. mtie: largest range of n + 1 points in a row, in the unit of the points; windows: how many.

    tdev: time deviation at n, rounded to the unit, None where no stretch is long enough; terms: how many were averaged.
    """

    intervals: int
    mtie: int
    windows: int
    tdev: int | None
    terms: int


class Wander:
    """Fed with stretches of x (time error, i8): MTIE is the worst of all stretches, TDEV averages over all terms."""

    def __init__(self) -> None:
        self._mtie = [0] * LEVELS
        self._windows = [0] * LEVELS
        self._squares = [0.0] * LEVELS
        self._terms = [0] * LEVELS
        self._fresh()

    def _fresh(self) -> None:
        self._waiting: list[I8] = []
        self._size = 0
        self._sums = np.zeros(1, np.int64)  # S[j]: sum of the first j points modulo 2^64, the last 3 n + 1 of them
        self._tails = [(np.empty(0, np.int64), np.empty(0, np.int64)) for _ in range(LEVELS)]

    def feed(self, points: I8) -> None:
        """More points of the present stretch."""
        self._waiting.append(points)
        self._size += len(points)
        if self._size < _BLOCK:
            return
        points = np.concatenate(self._waiting)
        whole = len(points) // _BLOCK * _BLOCK
        for start in range(0, whole, _BLOCK):
            self._block(points[start : start + _BLOCK])
        self._waiting, self._size = [points[whole:]], len(points) - whole

    def cut(self) -> None:
        """The stretch ends here."""
        if self._size:
            self._block(np.concatenate(self._waiting))
        if len(self._sums) > 1 or self._size:
            self._fresh()

    def _block(self, points: I8) -> None:
        high = low = points
        for level in range(LEVELS):
            size = 1 << level
            before = self._tails[level]
            old = len(before[0])
            high, low = np.concatenate([before[0], high]), np.concatenate([before[1], low])
            if len(high) > max(old, 1):
                new = slice(max(old - 1, 0), None)
                top, bottom = high[new], low[new]
                spread = np.maximum(top[1:], top[:-1]) - np.minimum(bottom[1:], bottom[:-1])
                self._mtie[level] = max(self._mtie[level], int(spread.max()))
                self._windows[level] += len(spread)
            self._tails[level] = high[-size:], low[-size:]
            if len(high) <= size:
                break
            high, low = np.maximum(high[:-size], high[size:]), np.minimum(low[:-size], low[size:])
        sums = np.concatenate([self._sums, self._sums[-1] + np.cumsum(points)])
        for level in range(LEVELS):
            size = 1 << level
            fresh = min(len(points), len(sums) - 3 * size)
            if fresh <= 0:
                break
            part = sums[-fresh - 3 * size :]
            third = part[3 * size :] - 3 * part[2 * size : -size] + 3 * part[size : -2 * size] - part[: -3 * size]
            real = third.astype(np.float64)
            self._squares[level] += float(np.dot(real, real))
            self._terms[level] += fresh
        self._sums = sums[-(3 << LEVELS - 1) :]

    def points(self) -> list[WanderPoint]:
        """The result so far, for every n that some stretch is long enough for; ends the present stretch."""
        self.cut()
        found = []
        for level in range(LEVELS):
            if self._windows[level]:
                size, terms = 1 << level, self._terms[level]
                tdev = round(sqrt(self._squares[level] / (6 * terms)) / size) if terms else None
                found.append(WanderPoint(size, self._mtie[level], self._windows[level], tdev, terms))
        return found
