"""Golden models of the threshold monitors, clock by clock.

Written from the rules of ``rtl/monitor/README.md`` (cited as V1, W1, ..), not from the RTL. ``clock`` lets one clock
pass and returns the MON record it makes as (sub, payload), or None. Times are integers in 1/256 ns modulo 2^56, as on
the time bus.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from npuscope.encode.record import payload
from npuscope.layout import THRESHOLDS, Kind, MonSub

__all__ = [
    "BINS",
    "INTERVAL_MAX",
    "HitrateModel",
    "IntervalModel",
    "IntervalSnapshot",
    "LinkModel",
    "MonRecord",
    "PrefetchModel",
    "SchedModel",
    "interval_bin",
    "under_rate",
]

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


# ---------------------------------------------------------------- hit rate

_COUNT_MAX = 0xFFFF
_OPEN = 14


def under_rate(hits: int, accesses: int, limit: int) -> bool:
    """H3: whether so many hits are too few. limit: 1/1000."""
    return hits * 1000 < limit * accesses


class HitrateModel:
    """H1 to H5. limit: 1/1000; window: ns; ``under``: the last verdict. Times are whole ns here."""

    def __init__(
        self, limit: int = THRESHOLDS["HITRATE_LIMIT"].value, window: int = THRESHOLDS["HITRATE_WINDOW"].value
    ) -> None:
        self.limit, self.window = limit, window
        self.first: int | None = None
        self.hits = self.accesses = self._open = 0
        self.under = False

    def clock(
        self, now: int, access: bool = False, hit: bool = False, *, enable: bool = True, rel_step: bool = False
    ) -> MonRecord | None:
        """The record of the window that this clock ends: it is the first of the next one."""
        record = None
        self._open -= self._open > 0
        if not enable:
            self.first = None
            return None
        if self.first is None or rel_step:
            self._begin(now)
            self._open = max(self._open, 2)
        elif now - self.first >= self.window and not self._open:
            record = MonSub.HITRATE, payload(Kind.MON, MonSub.HITRATE, hits=self.hits, accesses=self.accesses)
            if self.accesses:
                self.under = under_rate(self.hits, self.accesses, self.limit)
            self._begin(now)
            self._open = _OPEN
        if access and self.accesses < _COUNT_MAX:
            self.accesses += 1
            self.hits += hit
        return record

    def _begin(self, now: int) -> None:
        self.first, self.hits, self.accesses = now, 0, 0


# ---------------------------------------------------------------- prefetch


@dataclass
class PrefetchModel:
    """F1 to F5. norm: u16.16. ``asked``: the block of the last request of each layer."""

    norm: int = THRESHOLDS["PREFETCH_NORM"].value
    first: int = THRESHOLDS["PREFETCH_FIRST"].value
    last: int = THRESHOLDS["PREFETCH_LAST"].value
    window: int = THRESHOLDS["PREFETCH_WINDOW"].value
    block: int = THRESHOLDS["PREFETCH_BLOCK"].value
    asked: dict[int, int] = field(default_factory=dict)

    def span(self, position: int) -> tuple[int, int]:
        """F3: first position of the window of ``position`` and the first behind it."""
        base = position // self.block * self.block
        return base, (base + self.window * self.block) % (1 << 24)

    def clock(self, sample: tuple[int, int, int] | None, *, forget: bool = False) -> MonRecord | None:
        """sample: layer, seq_pos, norm_std."""
        if forget:
            self.asked.clear()
        if sample is None:
            return None
        layer, seq_pos, norm = sample
        position = (seq_pos + 1) % (1 << 24)
        if not self.first <= layer <= self.last or norm >= self.norm:
            return None
        block = position // self.block
        if self.asked.get(layer) == block:
            return None
        self.asked[layer] = block
        return MonSub.PREFETCH, payload(Kind.MON, MonSub.PREFETCH, seq_pos=position, layer=layer)


# ---------------------------------------------------------------- link budget

_STAGES = ("LINK_TLP", "LINK_PHY", "LINK_ARBITRATION", "LINK_SHARD", "LINK_TOTAL")
_LIMITS = tuple(THRESHOLDS[name].value for name in _STAGES)
_WHOLE = 4
_DURATION_MAX = (1 << 36) - 1


class LinkModel:
    """K1 to K5. limits: ns, of the four stages and of the whole."""

    def __init__(self, limits: tuple[int, ...] = _LIMITS) -> None:
        self.limits = list(limits)
        self.stage: int | None = None
        self._set_out = self._passed = 0
        self._fresh = False

    def clock(
        self, now: int, start: bool = False, mark: bool = False, *, enable: bool = True, rel_step: bool = False
    ) -> list[MonRecord]:
        """The records of this clock: of a stage, and of the whole behind the last one."""
        found = []
        if mark and self.stage is not None and not self._fresh and enable and not rel_step:
            found.append(self._record(self.stage, now - self._passed))
            self._passed = now
            self.stage += 1
            if self.stage == _WHOLE:
                found.append(self._record(_WHOLE, now - self._set_out))
                self.stage = None
        if not enable or rel_step:
            self.stage = None
        self._fresh = start and enable
        if self._fresh:
            self.stage, self._set_out, self._passed = 0, now, now
        return found

    def _record(self, stage: int, time: int) -> MonRecord:
        """K3, K4."""
        time = min(time % _MODULUS, _DURATION_MAX)
        over = int(time > self.limits[stage] << 8)
        return MonSub.LINK, payload(Kind.MON, MonSub.LINK, stage=stage, over=over, duration=time >> 8)
