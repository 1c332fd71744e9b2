"""How long each buffer is full, from samples of a few frames: 95 % intervals that hold for rare layers too.

One uniform time in each of n equal strata of the span; the value of a sample is the share of the whole frame that
covers that time. As frames are hit in proportion to their length, the plain mean of the values is the share of the
span. The variance is that of successive differences, for neighbouring strata are alike.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["Estimate", "estimate", "preview", "times"]

Shares = npt.NDArray[np.float64]

PILOT: Final = 64
WANTED: Final = 0.01
"""Half width of an interval that is good enough: +-1 point."""
FEW: Final = 12
"""With fewer samples in which a buffer is full, or not full, the spread says nothing: it is rare."""
_Z: Final = 1.959964
_TAIL: Final = 0.025


@dataclass(frozen=True)
class Estimate:
    """Share of the time a buffer is full: 95 % interval [low, high] around mean, of ``samples`` frames.

    rare: hardly ever seen full (or not full): the interval comes from the number of frames in which it was.
    """

    mean: float
    low: float
    high: float
    samples: int
    rare: bool


def times(first_ns: int, last_ns: int, number: int, chance: random.Random) -> list[int]:
    """One time in each of ``number`` equal strata of [first_ns, last_ns)."""
    span = last_ns - first_ns
    edges = [first_ns + span * i // number for i in range(number + 1)]
    return [chance.randrange(a, max(b, a + 1)) for a, b in pairwise(edges)]


def preview(
    shares: Callable[[int], Shares], span: tuple[int, int], most: int, seed: int = 1
) -> tuple[list[Estimate], int]:
    """Estimates per buffer, and the samples taken: as many as +-1 point needs by a pilot of 64, at most ``most``.

    shares: of a time in ``span``, per buffer, nan where nothing is known. The pilot only says how many to take: it is
    not part of the answer, which would make the intervals too narrow.
    """
    chance = random.Random(seed)
    pilot = _take(shares, span, min(PILOT, most), chance)
    widths = [(e.high - e.low) / 2 for e in map(estimate, pilot.T) if e is not None and not e.rare]
    worst = max(widths, default=0.0)
    number = min(most, max(len(pilot), math.ceil(1.2 * len(pilot) * (worst / WANTED) ** 2)))
    values = _take(shares, span, number, chance)
    nothing = Estimate(math.nan, 0.0, 1.0, 0, True)
    return [estimate(column) or nothing for column in values.T], number


def _take(shares: Callable[[int], Shares], span: tuple[int, int], number: int, chance: random.Random) -> Shares:
    return np.array([shares(time) for time in times(*span, number, chance)])


def estimate(values: Shares) -> Estimate | None:
    """The estimate of one buffer from its samples in the order of time; None when all are nan."""
    known = values[~np.isnan(values)]
    n = len(known)
    if n < 2:
        return None
    mean = float(known.mean())
    half = _student(n - 1) * math.sqrt(float((np.diff(known) ** 2).sum()) / (2 * (n - 1)) / n)
    low, high = mean - half, mean + half
    full, free = int(np.count_nonzero(known > 0)), int(np.count_nonzero(known < 1))
    if full < FEW:  # the share is at most that of the frames in which it is full at all
        low, high = 0.0 if full < 2 else min(low, mean / 4), max(high, poisson_limit(full) / n)
    if free < FEW:
        low, high = min(low, 1 - poisson_limit(free) / n), 1.0 if free < 2 else max(high, 1 - (1 - mean) / 4)
    lost = 1 - n / len(values)  # samples without an answer: whatever they hold
    rare = full < FEW or free < FEW
    return Estimate(mean, max(0.0, low - lost), min(1.0, high + lost), n, rare)


def _student(freedom: int) -> float:
    """97.5 % quantile of Student's t, by its expansion in 1/freedom: within 0.1 % from 5 on."""
    z, v = _Z, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / v + second / v**2 + third / v**3


def poisson_limit(seen: int) -> float:
    """The expected number at which ``seen`` or fewer come with 2.5 % probability, at least 3.7 for none."""
    low, high = float(seen), 4.0 * seen + 8
    for _ in range(60):
        middle = (low + high) / 2
        below = sum(math.exp(-middle + k * math.log(middle) - math.lgamma(k + 1)) for k in range(seen + 1))
        low, high = (middle, high) if below > _TAIL else (low, middle)
    return high
