"""Count, extremes, sums and percentiles of integers, exact or with a stated error, in constant memory."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["EXACT", "PERCENTILES", "Spread", "bucket", "bucket_bounds", "sum_of_squares"]

I8 = npt.NDArray[np.int64]

_BITS: Final = 16
EXACT: Final = 1 << _BITS
"""Magnitudes below this have a bucket each; above it a bucket spans at most 1/32768 of its value."""
_HALF: Final = EXACT // 2
_LIMB: Final = 21
_ONE_LIMB: Final = np.int64(1 << _LIMB)
_BLOCK: Final = 1 << 20
"""Squares of so many limbs have a sum below 2^63."""


def bucket(magnitude: I8) -> I8:
    """The number of the bucket of each magnitude >= 0; buckets rise with magnitudes."""
    length = np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    shift = np.maximum(length - _BITS, 0)
    found: I8 = shift * _HALF + (magnitude >> shift)
    return found


def bucket_bounds(number: int) -> tuple[int, int]:
    """The smallest and the largest magnitude of a bucket."""
    shift = max(0, number // _HALF - 1)
    mantissa = number - shift * _HALF
    return mantissa << shift, ((mantissa + 1) << shift) - 1


def sum_of_squares(values: I8) -> int:
    """Exact sum of the squares of ``values``, each of a magnitude below 2^62."""
    total = 0
    for start in range(0, len(values), _BLOCK):
        part = values[start : start + _BLOCK]
        if int(part.max()) < _ONE_LIMB and int(part.min()) > -_ONE_LIMB:
            total += int(np.dot(part, part))
            continue
        magnitude = np.abs(part)
        limbs = [magnitude >> _LIMB * i & (_ONE_LIMB - 1) for i in range(3)]
        for i, first in enumerate(limbs):
            for j, second in enumerate(limbs):
                total += int(np.dot(first, second)) << _LIMB * (i + j)
    return total


class Spread:
    """Fed with integers (i8, magnitude below 2^62); the same whatever pieces they come in.

    count, total, squares: exact sums. low, high: extremes, None without any value.
    """

    def __init__(self) -> None:
        self.count = self.total = self.squares = 0
        self.low: int | None = None
        self.high: int | None = None
        self._buckets: I8 = np.zeros(0, np.int64)

    def feed(self, values: I8) -> None:
        """Take ``values``."""
        if not len(values):
            return
        low, high = int(values.min()), int(values.max())
        self.low = low if self.low is None else min(low, self.low)
        self.high = high if self.high is None else max(high, self.high)
        self.count += len(values)
        if max(-low, high) < 1 << 40:
            self.total += sum(int(values[i : i + _BLOCK].sum()) for i in range(0, len(values), _BLOCK))
        else:
            self.total += sum(values.tolist())
        self.squares += sum_of_squares(values)
        counts = np.bincount(bucket(np.abs(values)))
        if len(counts) > len(self._buckets):
            self._buckets = np.concatenate([self._buckets, np.zeros(len(counts) - len(self._buckets), np.int64)])
        self._buckets[: len(counts)] += counts

    @property
    def peak_to_peak(self) -> int | None:
        """high - low."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def rms(self) -> int | None:
        """Root of the mean square, rounded to the nearest unit."""
        if not self.count:
            return None
        return (isqrt(4 * self.squares // self.count) + 1) // 2

    @property
    def mean(self) -> int | None:
        """The mean, rounded to the nearest unit, halves up."""
        return (2 * self.total + self.count) // (2 * self.count) if self.count else None

    def percentile(self, per_100k: int) -> int | None:
        """Smallest magnitude that ``per_100k`` of 100,000 values do not exceed; from ``EXACT`` on rounded up."""
        if not self.count:
            return None
        rank = max(1, -(-per_100k * self.count // 100_000))
        number = int(np.searchsorted(np.cumsum(self._buckets), rank))
        top = bucket_bounds(number)[1]
        return min(top, max(abs(self.low or 0), abs(self.high or 0)))

    def histogram(self) -> list[tuple[int, int]]:
        """(largest magnitude, count) of 0, 1, 2..3, 4..7, .. up to the largest value; exact."""
        if not self.count:
            return []
        largest = max(abs(self.low or 0), abs(self.high or 0))
        edges = [0, *(1 << power for power in range(largest.bit_length() + 1))]
        places = bucket(np.array(edges, np.int64)).tolist()
        return [
            (above - 1, int(self._buckets[place:end].sum()))
            for above, (place, end) in zip(edges[1:], pairwise(places), strict=True)
        ]

    def to_json(self, unit: str) -> dict[str, Any]:
        """Stable keys that end in ``unit``."""
        found = {"count": self.count}
        named = {"min": self.low, "max": self.high, "peak_to_peak": self.peak_to_peak, "mean": self.mean}
        named |= {"rms": self.rms, "sum": self.total if self.count else None}
        named |= {f"p{name}": self.percentile(value) for name, value in PERCENTILES.items()}
        found |= {f"{name}_{unit}": value for name, value in named.items()}  # type: ignore[misc]
        return found | {f"sum_squares_{unit}2": self.squares if self.count else None}


PERCENTILES: Final = {"50": 50_000, "90": 90_000, "99": 99_000, "99_9": 99_900, "99_99": 99_990}
"""Of the magnitude: name to parts of 100,000."""
