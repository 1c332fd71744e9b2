"""Reference model of the PTP clock: relative time, offset, steps and seconds, in exact integers.

Written from the rules P1 to P5 of ``rtl/ptp/README.md``, not from the RTL. ``PtpClock.clock`` is one clock of the PTP
domain and returns the time of that clock. It serves the tests as the true time, too.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from npuscope.layout import THRESHOLDS

__all__ = ["PtpClock", "PtpRate", "PtpTime"]

_SECOND = 10**9
_ONE_NS = 1 << 32
_REL = 1 << 64
RATE_LATENCY = 9
"""Clocks from a new rate to the first time that follows from it."""
LOAD_LATENCY = 36
"""Clocks from a new offset to the first time with it."""
_QUIET = 6
"""Clocks without a pulse per second from the first with a new offset on."""


@dataclass(frozen=True, slots=True)
class PtpRate:
    """period: what a clock adds, u40. drift: signed i32, added every ``clocks``-th clock (0: never). In 2^-32 ns."""

    period: int = THRESHOLDS["PTP_PERIOD"].value
    drift: int = 0
    clocks: int = 0

    @property
    def legal(self) -> bool:
        """At least 1 ns: time goes forward whatever the drift."""
        return THRESHOLDS["PTP_PERIOD"].min <= self.period <= THRESHOLDS["PTP_PERIOD"].max


@dataclass(frozen=True, slots=True)
class PtpTime:
    """The time of one clock.

    rel: relative time in 2^-32 ns. offset: ns to absolute time. step: the offset is a new one. pps: absolute time
    reached a whole second; not in the first clocks of a new offset, loaded or not.
    """

    rel: int = 0
    offset: int = 0
    step: bool = False
    pps: bool = False

    @property
    def rel_ns(self) -> int:
        """Whole ns, u64."""
        return self.rel // _ONE_NS % _REL

    @property
    def rel_frac(self) -> int:
        """1/256 ns, u8, rounded down."""
        return self.rel >> 24 & 255

    @property
    def ts_ns(self) -> int:
        """Absolute time."""
        return self.rel_ns + self.offset


class PtpClock:
    """The clock. ``rate_error``, ``load_error``: whether what was given in the last clock is refused."""

    def __init__(self, period: int = THRESHOLDS["PTP_PERIOD"].value) -> None:
        self._rate, self._counted = PtpRate(period), 0
        self._rates: deque[PtpRate | None] = deque([None] * RATE_LATENCY)
        self._started = 4  # clocks until the first increment shows
        self._rel = self._offset = self._busy = self._loading = self._quiet = 0
        self.rate_error = self.load_error = False

    def clock(self, rate: PtpRate | None = None, load: tuple[int, int] | None = None) -> PtpTime:
        """One clock. rate: to use from now on. load: the absolute time of relative time 0, in s and ns."""
        before = PtpTime(self._rel, self._offset)
        self._rel += self._increment()
        stepped, taken = self._take(load)
        self.rate_error = rate is not None and not rate.legal
        self._rates.append(rate if rate is not None and rate.legal else None)
        time = PtpTime(self._rel, self._offset, stepped)
        crossed = before.ts_ns // _SECOND != time.ts_ns // _SECOND
        self._quiet = _QUIET if taken else max(0, self._quiet - 1)
        return PtpTime(self._rel, self._offset, stepped, crossed and not self._quiet)

    def _increment(self) -> int:
        new = self._rates.popleft()
        if new is not None:
            self._rate, self._counted = new, 0
        if self._started:
            self._started -= 1
            return 0
        rate = self._rate
        self._counted += 1
        if rate.clocks and self._counted % rate.clocks == 0:
            return rate.period + rate.drift
        return rate.period

    def _take(self, load: tuple[int, int] | None) -> tuple[bool, bool]:
        """Whether the offset changed in this clock, whether one was taken."""
        taken = self._busy == 1
        stepped = taken and self._loading != self._offset
        if taken:
            self._offset = self._loading
        self.load_error = load is not None and (self._busy > 1 or load[1] >= _SECOND)
        self._busy = max(0, self._busy - 1)
        if load is not None and not self.load_error:
            self._loading, self._busy = load[0] * _SECOND + load[1], LOAD_LATENCY
        return stepped, taken
