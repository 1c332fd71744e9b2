"""Golden models of the threshold monitors, clock by clock.

Written from the rules of ``rtl/monitor/README.md`` (cited as V1, W1, ..), not from the RTL. ``clock`` lets one clock
pass and returns the MON record it makes as (sub, payload), or None. Times are integers in 1/256 ns modulo 2^56, as on
the time bus.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from npuscope.encode.record import payload
from npuscope.layout import THRESHOLDS, Kind, MonSub

__all__ = ["BINS", "INTERVAL_MAX", "IntervalModel", "IntervalSnapshot", "MonRecord", "SchedModel", "interval_bin"]

MonRecord = tuple[int, int]
"""Sub and payload of a MON record."""

INTERVAL_MAX = (1 << 31) - 1
"""Where an interval saturates, 1/256 ns (V2)."""
BINS = 46
"""Bins of the interval histogram (V5)."""

_MODULUS = 1 << 56
_WORD = 0xFFFFFFFF


def interval_bin(ns: int) -> int:
    """V5: the bin of an interval in whole ns, below 2^23: two to an octave."""
    place = max(1, ns.bit_length() - 1)
    return 2 * place + (ns >> place - 1) - 2


@dataclass
class IntervalSnapshot:
    """V6: what was counted between two snaps. late: id of the last token that came late, since reset."""

    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    violations: int = 0
    late: int = 0

    def words(self) -> list[int]:
        """As read: the bins, two zeros, intervals, violations, the late token."""
        return [*self.bins, 0, 0, sum(self.bins) & _WORD, self.violations, self.late]


class IntervalModel:
    """V1 to V6. limit: ns, in force after reset."""

    def __init__(self, limit: int = THRESHOLDS["TOKEN_INTERVAL"].value) -> None:
        self.start_limit = limit
        self.reset()

    def reset(self) -> None:
        """As after ``rst``."""
        self.limit = self.start_limit
        self.base: int | None = None
        self.counting = IntervalSnapshot()

    def snap(self) -> IntervalSnapshot:
        """What was counted; counting begins anew."""
        shown, self.counting = self.counting, IntervalSnapshot(late=self.counting.late)
        return shown

    def clock(
        self, now: int, token: int | None = None, *, idle: bool = False, enable: bool = True, rel_step: bool = False
    ) -> MonRecord | None:
        """token: the id of a token that is done in this clock."""
        if idle or rel_step or not enable:
            self.base = None
        if token is None or not enable:
            return None
        base, self.base = self.base, now
        if base is None:
            return None
        interval = min((now - base) % _MODULUS, INTERVAL_MAX)
        over = interval > self.limit << 8
        counting = self.counting
        counting.bins[interval_bin(interval >> 8)] += 1
        if over:
            counting.violations += 1
            counting.late = token
        return MonSub.INTERVAL, payload(Kind.MON, MonSub.INTERVAL, interval=interval, violation=int(over))


_LOW, _SELECT, _LEGAL = 0x8000, 0x3000, (0, 0x3000, 0x8000, 0xB000)


@dataclass
class SchedModel:
    """W1 to W5. ``tick`` and ``slot`` belong to the clock that was let pass last."""

    period: int = THRESHOLDS["SCHED_PERIOD"].value
    period_low: int = THRESHOLDS["SCHED_PERIOD_LOW"].value
    slots: int = THRESHOLDS["SCHED_SLOTS"].value
    slots_low: int = THRESHOLDS["SCHED_SLOTS_LOW"].value

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As after ``rst``."""
        self.register = self.waiting = 0
        self.enabled = self.changed = self.tick = False
        self.slot: int | None = None
        self.due = self._clocks = 0

    def write(self, register: int) -> bool:
        """W1: whether a value is legal; if so it comes in force with the next tick, this clock's too."""
        if register in _LEGAL:
            self.waiting, self.changed = register, True
        return register in _LEGAL

    def period_of(self, register: int) -> int:
        """The period, ns."""
        return self.period_low if register & _SELECT else self.period

    def clock(self, now: int, *, enable: bool = True, rel_step: bool = False) -> MonRecord | None:
        """W2 to W5."""
        starts = enable and (not self.enabled or rel_step)
        self.enabled = enable
        self._clocks += 1
        self.tick = enable and not starts and self._clocks > 2 and (now - self.due) % _MODULUS < _MODULUS // 2
        if not (self.tick or starts):
            return None
        tells, self._clocks = starts or self.changed, 0
        self.register, self.changed = self.waiting, False
        period = self.period_of(self.register) << 8
        late = starts or now - self.due >= period
        self.due = (now if late else self.due) + period
        if starts:
            self.slot = None
        else:
            slots = self.slots_low if self.register & _LOW else self.slots
            self.slot = 0 if self.slot is None or self.slot >= slots - 1 else self.slot + 1
        if not tells:
            return None
        word = payload(Kind.MON, MonSub.SCHED, register=self.register, period=period >> 8)
        return MonSub.SCHED, word
