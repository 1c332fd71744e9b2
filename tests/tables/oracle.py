"""The slow obvious twins: rows and jitter statistics one sample at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import ceil, sqrt

from npuscope.layout import JitterSub

VALID = (JitterSub.OK, JitterSub.MISSED, JitterSub.EARLY)
FULL = (1 << 31) - 1


@dataclass
class Spread:
    """All values, kept."""

    values: list[int] = field(default_factory=list)

    def percentile(self, share: float) -> int:
        ordered = sorted(map(abs, self.values))
        return ordered[max(1, ceil(share * len(ordered) - 1e-9)) - 1]

    def rms(self) -> float:
        return sqrt(sum(v * v for v in self.values) / len(self.values))


@dataclass
class Jitter:
    """Period, cycle to cycle and time error, stretch by stretch."""

    period: list[int] = field(default_factory=list)
    cycle: list[int] = field(default_factory=list)
    stretches: list[list[int]] = field(default_factory=list)  # time error, the 0 in front included
    times: list[list[int]] = field(default_factory=list)
    over: Counter[str] = field(default_factory=Counter)
    marginal: Counter[str] = field(default_factory=Counter)


def jitter(samples: list[tuple[int, int, int, bool]], limits: dict[str, int], missed: bool = True) -> Jitter:
    """samples: (time, sub, jitter, something may be missing before it)."""
    found = Jitter()
    before: int | None = None
    for time, sub, value, broken in samples:
        if broken:
            before = None
        if sub not in (VALID if missed else (JitterSub.OK,)):
            before = None
            continue
        found.period.append(value)
        for name, limit in limits.items():
            found.over[name] += abs(value) > limit
            found.marginal[name] += abs(abs(value) - limit) <= 1
        if abs(value) == FULL:
            before = None
            continue
        if before is None:
            found.stretches.append([0])
            found.times.append([])
        else:
            found.cycle.append(value - before)
        found.stretches[-1].append(found.stretches[-1][-1] + value)
        found.times[-1].append(time)
        before = value
    return found


def mtie(stretches: list[list[int]], intervals: int) -> tuple[int, int] | None:
    """Largest range of ``intervals`` + 1 points, and the number of windows."""
    windows = [x[i : i + intervals + 1] for x in stretches for i in range(len(x) - intervals)]
    return (max(max(w) - min(w) for w in windows), len(windows)) if windows else None


def tdev(stretches: list[list[int]], n: int) -> tuple[float, int] | None:
    """Time deviation by its definition, and the number of terms."""
    terms = []
    for x in stretches:
        for j in range(len(x) - 3 * n + 1):
            terms.append(sum(x[i + 2 * n] - 2 * x[i + n] + x[i] for i in range(j, j + n)))
    return (sqrt(sum(t * t for t in terms) / (6 * n * n * len(terms))), len(terms)) if terms else None
