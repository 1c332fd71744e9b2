"""The map from one clock to another, from events that both sources saw."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import NpuscopeError

__all__ = ["ClockMap", "align"]

I8 = npt.NDArray[np.int64]
SCHEMA: Final = 1
LEAST_FOR_DRIFT: Final = 8


@dataclass(frozen=True)
class ClockMap:
    """second = first + offset_ns + drift_ppb * (first - at_ns) / 10^9, within ``error_ns`` at all of ``points`` events.

    drift_ppb is 0 when there are too few events to tell one.
    """

    offset_ns: int
    drift_ppb: float
    at_ns: int
    error_ns: int
    points: int

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"schema": SCHEMA, **asdict(self)}


def align(first: dict[int, int], second: dict[int, int]) -> ClockMap:
    """The map from times of events by id in ``first`` to those in ``second``; raises NpuscopeError without two shared.

    The drift is the median slope of the line through far apart pairs, so that a few wrong pairs change nothing.
    """
    shared = sorted(first.keys() & second.keys(), key=lambda key: first[key])
    if len(shared) < 2:
        found = f"{len(shared)} of {len(first)} and {len(second)}"
        raise NpuscopeError("too few events that both sources saw", found=found, expected="2 or more")
    x = np.array([first[key] for key in shared])
    apart = np.array([second[key] - first[key] for key in shared])
    half, drift = len(shared) // 2, 0.0
    if len(shared) >= LEAST_FOR_DRIFT:
        run = x[half:] - x[: len(x) - half]
        rise = apart[half:] - apart[: len(x) - half]
        drift = float(np.median(rise[run > 0] / run[run > 0])) if (run > 0).any() else 0.0
    at = int(x[half])
    rest = apart - np.rint(drift * (x - at)).astype(np.int64)
    offset = int(np.median(rest))
    return ClockMap(offset, drift * 1e9, at, int(np.abs(rest - offset).max()), len(shared))
