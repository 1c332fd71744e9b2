"""Golden model of the RAS mapper: what it decides, latches, asks for and tells.

Written from the rules of ``rtl/ras/README.md`` (M0 to M12), not from the RTL. Pure sequences of samples and notes; no
clocks but in ``RasRequest``. Times are relative ns as plain integers from any origin, never decreasing, with the steps
of relative time taken out: it is elapsed time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npuscope.encode.bins import met
from npuscope.encode.record import payload
from npuscope.layout import SUB_FIELDS, THRESHOLDS, Cfg, Kind, RasClass, Severity

__all__ = [
    "DECISIONS",
    "LATCHED",
    "REQUESTED_BY",
    "SATURATED",
    "RasConfig",
    "RasLatch",
    "RasMapper",
    "RasRequest",
    "exceeds",
    "ras_record",
    "severity",
    "syndrome",
]

SATURATED = (1 << 31) - 1
"""|jitter| of a saturated sample, 1/256 ns; above every legal limit."""
DECISIONS = (RasClass.R, RasClass.A, RasClass.REDUNDANCY_EXHAUSTED, RasClass.S)
"""What a sample can decide, in the order of their records."""
LATCHED = (RasClass.R, RasClass.A, RasClass.S, RasClass.SYNC_LOST, RasClass.REDUNDANCY_EXHAUSTED)
"""Classes with a latch; all others are informational."""
REQUESTED_BY = {RasClass.R: 0, RasClass.A: 1}
"""Class to the request that it makes: 0 crc_reneg, 1 phy_switch (bit 0 of the syndrome of ACK and REQ_TIMEOUT)."""
COUNT_MAX = 31


def _book(name: str) -> int:
    return THRESHOLDS[name].value


@dataclass(frozen=True, slots=True)
class RasConfig:
    """The limits of the mapper, CFG words 8 to 13.

    r_limit, a_limit, s_limit: 1/256 ns. r_run, r_rearm: samples. s_count: excesses. a_budget: switches in an s_window.
    s_window: ns. a_holdoff: us.
    """

    r_limit: int = _book("R_LIMIT")
    a_limit: int = _book("A_LIMIT")
    s_limit: int = _book("S_LIMIT")
    r_run: int = _book("R_RUN")
    r_rearm: int = _book("R_REARM")
    s_count: int = _book("S_COUNT")
    a_budget: int = _book("A_BUDGET")
    s_window: int = _book("S_WINDOW")
    a_holdoff: int = _book("A_HOLDOFF")

    @property
    def legal(self) -> bool:
        """Whether the mapper accepts it: every value in its range of the book, and R <= A <= S (M0)."""
        limits = ((THRESHOLDS[name.upper()], getattr(self, name)) for name in _FIELDS)
        inside = all(limit.min <= value <= limit.max for limit, value in limits)
        return inside and self.r_limit <= self.a_limit <= self.s_limit

    @property
    def holdoff_ns(self) -> int:
        """The hold-off in ns."""
        return 1000 * self.a_holdoff

    def words(self) -> dict[Cfg, int]:
        """The CFG words that tell it."""
        counts = {name: getattr(self, name) for name in ("r_run", "r_rearm", "s_count", "a_budget")}
        return {
            Cfg.R_LIMIT: self.r_limit,
            Cfg.A_LIMIT: self.a_limit,
            Cfg.S_LIMIT: self.s_limit,
            Cfg.RAS_COUNTS: payload(Kind.CFG, Cfg.RAS_COUNTS, **counts),
            Cfg.S_WINDOW: self.s_window,
            Cfg.A_HOLDOFF: self.a_holdoff,
        }

    @classmethod
    def from_words(cls, words: Mapping[int, int]) -> RasConfig:
        """The configuration that CFG words 8 to 13 tell; KeyError when one is missing."""
        counts = words[Cfg.RAS_COUNTS]
        return cls(
            words[Cfg.R_LIMIT],
            words[Cfg.A_LIMIT],
            words[Cfg.S_LIMIT],
            counts & 0xFF,
            counts >> 8 & 0xFF,
            counts >> 16 & 0xFF,
            counts >> 24,
            words[Cfg.S_WINDOW],
            words[Cfg.A_HOLDOFF],
        )


_LIMITS = ("R_LIMIT", "A_LIMIT", "S_LIMIT")
_FIELDS = ("r_limit", "a_limit", "s_limit", "r_run", "r_rearm", "s_count", "a_budget", "s_window", "a_holdoff")


def exceeds(jitter: int, limit: int, saturated: bool = False) -> bool:
    """M0: strictly above the limit, in 1/256 ns; a saturated sample exceeds every limit."""
    return saturated or abs(jitter) >= SATURATED or abs(jitter) > limit


class RasMapper:
    """The decisions (M0 to M6, M9, M10). Starts as after reset: disabled, armed, nothing counted.

    ``sample`` and ``sync_lost`` return what fires, in the order of the records. ``config`` may be replaced at any time:
    it judges what comes from then on, and flushes nothing.
    """

    def __init__(self, config: RasConfig | None = None) -> None:
        self.config = config or RasConfig()
        self.enabled = False
        # R: the run while armed, the row of good samples while not
        self.armed = True
        self.row = 0
        # S: until when each stamp counts
        self.stamps: list[int] = []
        # A: held while now < held_until; the budget window runs while now <= window_until
        self.held_until: int | None = None
        self.window_until: int | None = None
        self.left = 0
        self.exhausted_told = False

    def sample(self, rel_ns: int, jitter: int, ok: bool = True, saturated: bool = False) -> list[RasClass]:
        """One sample. rel_ns: time of its pulse. jitter: signed, 1/256 ns. ok: it is a valid one."""
        if not self.enabled:
            return []
        fired = []
        if ok:
            size = SATURATED if saturated else abs(jitter)
            for name, limit in zip(
                _LIMITS, (self.config.r_limit, self.config.a_limit, self.config.s_limit), strict=True
            ):
                met(name, size, limit, SATURATED)
        if self._r(ok and exceeds(jitter, self.config.r_limit, saturated), ok):
            fired.append(RasClass.R)
        if ok and exceeds(jitter, self.config.a_limit, saturated):
            fired += self._a(rel_ns)
        if ok and exceeds(jitter, self.config.s_limit, saturated) and self._s(rel_ns):
            fired.append(RasClass.S)
        return fired

    def sync_lost(self, rel_ns: int, drives_a: bool = False) -> list[RasClass]:
        """M9: the watchdog found no pulse. drives_a: the option that makes it an excess for A."""
        if not self.enabled:
            return []
        return [RasClass.SYNC_LOST, *(self._a(rel_ns) if drives_a else [])]

    def note(self, what: RasClass, rel_ns: int) -> None:
        """Something that is not a sample. rel_ns: its time."""
        if what == RasClass.RENEG_DONE:  # M1
            self.armed, self.row = True, 0
        elif what == RasClass.PHY_CHANGED:  # M2
            self.held_until = rel_ns + self.config.holdoff_ns
        elif what == RasClass.ENABLED:
            self.enabled = True
        elif what == RasClass.DISABLED:  # M10
            self.enabled, self.row, self.stamps = False, 0, []
        elif what == RasClass.FLUSHED:  # M5
            self.stamps = []
            self.held_until = rel_ns + self.config.holdoff_ns
            if self._window_runs(rel_ns):
                self.window_until = rel_ns + self.config.s_window

    def _r(self, excess: bool, ok: bool) -> bool:
        """M1: the run grows by an excess and ends by anything else; fires when it is long enough, then disarms."""
        counts = excess if self.armed else ok and not excess
        self.row = self.row + 1 if counts else 0
        if self.armed:
            met("R_RUN", self.row, self.config.r_run)
        else:
            met("R_REARM", self.row, self.config.r_rearm)
        if self.row < (self.config.r_run if self.armed else self.config.r_rearm):
            return False
        self.armed, self.row = not self.armed, 0
        return not self.armed

    def _a(self, rel_ns: int) -> list[RasClass]:
        """M2: an excess for A."""
        if self.held_until is not None:
            met("A_HOLDOFF", rel_ns, self.held_until)
        if self.held_until is not None and rel_ns < self.held_until:
            return []
        if not self._window_runs(rel_ns):
            self.window_until, self.left = rel_ns + self.config.s_window, self.config.a_budget
            self.exhausted_told = False
        met("A_BUDGET", self.config.a_budget - self.left, self.config.a_budget)
        if self.left:
            self.left -= 1
            self.held_until = rel_ns + self.config.holdoff_ns
            return [RasClass.A]
        told, self.exhausted_told = self.exhausted_told, True
        return [] if told else [RasClass.REDUNDANCY_EXHAUSTED]

    def _window_runs(self, rel_ns: int) -> bool:
        return self.window_until is not None and rel_ns <= self.window_until

    def _s(self, rel_ns: int) -> bool:
        """M3, M4: the newest s_count - 1 stamps that are young enough make this one fire, which consumes them."""
        for until in self.stamps:
            met("S_WINDOW", rel_ns, until)
        self.stamps = [until for until in self.stamps if rel_ns <= until]
        met("S_COUNT", len(self.stamps) + 1, self.config.s_count)
        if len(self.stamps) >= self.config.s_count - 1:
            self.stamps = []
            return True
        self.stamps.append(rel_ns + self.config.s_window)
        return False


# ---------------------------------------------------------------- latches and records
@dataclass(slots=True)
class RasLatch:
    """M7: what one class holds until software clears it.

    count: events, at most 31. overflow: count is a lower bound. first_ts, last_ts: ns. worst: the syndrome of greatest
    magnitude, 256 ns; of two equal ones the positive.
    """

    count: int = 0
    overflow: bool = False
    first_ts: int = 0
    last_ts: int = 0
    worst: int = 0

    @property
    def pending(self) -> bool:
        """Something was latched."""
        return bool(self.count) or self.overflow

    def set(self, ts: int, syndrome: int) -> None:
        """An event, at ts (ns), of this ``syndrome``."""
        if not self.count:
            self.first_ts, self.worst = ts, syndrome
        self.last_ts = ts
        self.worst = max(self.worst, syndrome, key=lambda value: (abs(value), value))
        self.overflow |= self.count == COUNT_MAX
        self.count = min(self.count + 1, COUNT_MAX)

    def lose(self) -> None:
        """An event whose record the collector had to drop."""
        self.overflow = True

    def clear(self) -> None:
        """Write-1-to-clear. A set in the same clock comes after it."""
        self.count, self.overflow = 0, False


_SEVERITY = {
    RasClass.R: Severity.CORRECTED,
    RasClass.A: Severity.RECOVERABLE,
    RasClass.S: Severity.RECOVERABLE,
    RasClass.SYNC_LOST: Severity.RECOVERABLE,
    RasClass.REDUNDANCY_EXHAUSTED: Severity.FATAL,
}


def severity(what: RasClass) -> Severity:
    """The severity that its record carries."""
    return _SEVERITY.get(what, Severity.INFORMATIONAL)


def syndrome(jitter: int) -> int:
    """jitter (1/256 ns) in units of 256 ns, rounded down: what a record of R, A, S or REDUNDANCY_EXHAUSTED carries."""
    return jitter >> 16


def ras_record(
    what: RasClass, latch: RasLatch | None = None, syndrome: int = 0, injected: bool = False, unit: int = 0
) -> tuple[int, int]:
    """(sub, payload) of a record. latch: that of its class with the event in it, None for an informational one."""
    values = {"severity": severity(what), "first": 0, "overflow": 0}
    if latch is not None:
        values |= {"first": latch.count == 1 and not latch.overflow, "overflow": latch.overflow}
    sub = sum(f.put(int(values[f.name])) for f in SUB_FIELDS[Kind.RAS])
    count = 0 if latch is None else latch.count
    fields = {"unit": unit, "class": what, "injected": injected, "count": count, "syndrome": syndrome}
    return sub, payload(Kind.RAS, sub, **fields)


# ---------------------------------------------------------------- request
@dataclass(slots=True)
class RasRequest:
    """M8: one four-phase request, clock by clock: req up, ack up, req down, ack down.

    A fire while the request waits for its ack is answered by that ack; any other fire is asked for once the line is
    free. timeout: clocks. ``clock`` returns ACK, REQ_TIMEOUT or None; ``stuck`` is then the reason of the timeout: ack
    that stays high (told once) or no ack (the request is withdrawn).
    """

    timeout: int = THRESHOLDS["REQ_TIMEOUT"].value
    req: bool = False
    stuck: bool = False
    _wanted: bool = field(default=False, repr=False)
    _since: int = field(default=0, repr=False)

    def clock(self, fire: bool, ack: bool) -> RasClass | None:
        """One clock: fire, ack as sampled in it; ``req`` is then what the next clock sees."""
        told = None
        if self.req and ack:
            told, self.req, self._since = RasClass.ACK, False, 0
            self._wanted = fire
        elif self.req:
            self._since += 1
            met("REQ_TIMEOUT", self._since, self.timeout)
            if self._since == self.timeout:
                told, self.req, self.stuck, self._since = RasClass.REQ_TIMEOUT, False, False, 0
                self._wanted = fire
        elif ack:
            self._wanted |= fire
            if not self.stuck:
                self._since += 1
                if self._since == self.timeout:
                    told, self.stuck = RasClass.REQ_TIMEOUT, True
        else:
            self.stuck, self._since = False, 0
            self.req, self._wanted = self._wanted or fire, False
        return told
