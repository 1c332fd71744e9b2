"""Events of two sources near each other in time, beside what chance alone would give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from npuscope.intervals import clip, make, total

__all__ = ["Coincidence", "coincidence"]

I8 = npt.NDArray[np.int64]
Interval = tuple[int, int]


@dataclass(frozen=True)
class Coincidence:
    """pairs: (index of the first, index of the nearest second, ns between them, 0 if they overlap), of those within.

    looked: events of the first source inside ``span``. expected: matches of as many events thrown at random into span.
    chance: probability of as many or more by chance (Poisson).
    """

    pairs: tuple[tuple[int, int, int], ...]
    looked: int
    span: Interval
    expected: float
    chance: float


def coincidence(first: Sequence[Interval], second: I8, span: Interval, within: int) -> Coincidence:
    """Which intervals of ``first`` ([earliest, latest] ns) have a time of ``second`` (rising) within ``within`` ns.

    span: [from, to) ns in which both were watched; what lies outside is left out.
    """
    second = second[(second >= span[0]) & (second < span[1])]
    pairs, looked, expected = [], 0, 0.0
    share: dict[int, float] = {}
    for number, (low, high) in enumerate(first):
        if high < span[0] or low >= span[1]:
            continue
        looked += 1
        width = high - low
        if width not in share:  # where its beginning may lie so that a time is within
            windows = make(second - within - width, second + within + 1) if len(second) else make([], [])
            share[width] = total(clip(windows, *span)) / (span[1] - span[0])
        expected += share[width]
        if not len(second):
            continue
        place = int(np.searchsorted(second, low))
        around = [i for i in (place - 1, place) if 0 <= i < len(second)]
        apart = {i: max(low - int(second[i]), int(second[i]) - high, 0) for i in around}
        nearest = min(apart, key=lambda i: (apart[i], i))
        if apart[nearest] <= within:
            pairs.append((number, nearest, apart[nearest]))
    return Coincidence(tuple(pairs), looked, span, expected, _at_least(len(pairs), expected))


def _at_least(count: int, mean: float) -> float:
    """P(X >= count) of a Poisson variable."""
    if not count:
        return 1.0
    if mean <= 0:
        return 0.0
    below = sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(count))
    return min(1.0, max(0.0, 1 - below))
