"""Golden model of jitter capture without clocks: a sequence of sync pulses in, a sequence of samples out.

Written from the rules J1 to J13 (``rtl/ptp/README.md``, cited below as "Jn"), not from the RTL. Times and jitter are
integers in units of 1/256 ns; times are modulo 2^56, as on the time bus. ``jitter_source`` adds the clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from npuscope.encode.record import payload, payload_fields
from npuscope.layout import THRESHOLDS, Cfg, JitterSub, Kind

__all__ = [
    "JITTER_MAX",
    "TIME_MODULUS",
    "JitterConfig",
    "JitterMeter",
    "JitterSample",
    "JitterSnapshot",
    "JitterStatistics",
    "JitterUnit",
    "SyncPulse",
    "measure",
]

TIME_MODULUS = 1 << 56
"""48 bits of ns and 8 of 1/256 ns."""
JITTER_MAX = (1 << 31) - 1
"""Largest magnitude of a told jitter (J3)."""

_NEED_LOCK, _EXCLUDE, _STROBE, _SYNC_LOST_A = 1, 2, 4, 8
_WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class JitterConfig:
    """Configuration of the capture.

    t_nominal: nominal interval in 1/256 ns, u48. need_lock: J7. exclude: MISSED and EARLY do not reach the mapper.
    strobe: every clock of sync_valid is a pulse, not only rising edges (J1). sync_lost_a: stored and told for the
    mapper. watchdog: clocks, 0 = off (J11); not in the stream.
    """

    t_nominal: int = THRESHOLDS["T_NOMINAL"].value
    need_lock: bool = bool(THRESHOLDS["JITTER_OPTIONS"].value & _NEED_LOCK)
    exclude: bool = bool(THRESHOLDS["JITTER_OPTIONS"].value & _EXCLUDE)
    strobe: bool = bool(THRESHOLDS["JITTER_OPTIONS"].value & _STROBE)
    sync_lost_a: bool = bool(THRESHOLDS["JITTER_OPTIONS"].value & _SYNC_LOST_A)
    watchdog: int = THRESHOLDS["WATCHDOG"].value

    @property
    def legal(self) -> bool:
        """J8: a nominal interval of 0 is refused."""
        limits = THRESHOLDS["T_NOMINAL"]
        return limits.min <= self.t_nominal <= limits.max

    @property
    def options(self) -> int:
        """The 16 option bits of CFG T_NOMINAL_HI."""
        chosen = ((self.need_lock, _NEED_LOCK), (self.exclude, _EXCLUDE), (self.strobe, _STROBE))
        return sum(bit for on, bit in (*chosen, (self.sync_lost_a, _SYNC_LOST_A)) if on)

    @property
    def words(self) -> tuple[int, int]:
        """CFG T_NOMINAL_LO and T_NOMINAL_HI."""
        fields = {name: int(getattr(self, name)) for name in ("need_lock", "exclude", "strobe", "sync_lost_a")}
        high = payload(Kind.CFG, Cfg.T_NOMINAL_HI, t_nominal_hi=self.t_nominal >> 32, **fields)
        return self.t_nominal & _WORD, high

    @classmethod
    def from_words(cls, low: int, high: int, watchdog: int = 0) -> JitterConfig:
        """The configuration that CFG T_NOMINAL_LO and T_NOMINAL_HI tell; undefined option bits are ignored."""
        told = {field.name: field.get(high) for field in payload_fields(Kind.CFG, Cfg.T_NOMINAL_HI)}
        t_nominal = told.pop("t_nominal_hi") << 32 | low
        return cls(t_nominal=t_nominal, watchdog=watchdog, **{name: bool(value) for name, value in told.items()})

    @classmethod
    def from_options(cls, t_nominal: int, options: int, watchdog: int) -> JitterConfig:
        """As the configuration port has it."""
        return cls.from_words(t_nominal & _WORD, t_nominal >> 32 | options << 16, watchdog)


@dataclass(frozen=True, slots=True)
class SyncPulse:
    """One pulse and what happened since the one before: after that one's clock, up to and including its own.

    time: of its clock, 1/256 ns modulo 2^56. stepped: the time bus stepped. step_here: it did so in the pulse's own
    clock. unlocked: neither locked nor in holdover at least once.
    """

    time: int
    stepped: bool = False
    step_here: bool = False
    unlocked: bool = False


@dataclass(frozen=True, slots=True)
class JitterSample:
    """What a pulse makes of its interval. jitter: 1/256 ns, saturated, 0 unless ``ok``."""

    sub: JitterSub
    jitter: int = 0

    @property
    def ok(self) -> bool:
        """A valid sample (J9, J10: MISSED and EARLY are)."""
        return self.sub in (JitterSub.OK, JitterSub.MISSED, JitterSub.EARLY)

    @property
    def saturated(self) -> bool:
        """The magnitude is the largest there is: it may have been more, and exceeds every limit."""
        return abs(self.jitter) == JITTER_MAX

    def reaches_mapper(self, config: JitterConfig) -> bool:
        """Invalid samples do too; MISSED and EARLY do not with the option ``exclude``."""
        return not (config.exclude and self.sub in (JitterSub.MISSED, JitterSub.EARLY))


class JitterMeter:
    """Judges pulse after pulse. ``config`` may be replaced by ``configure`` at any time."""

    def __init__(self, config: JitterConfig | None = None) -> None:
        self.config = config or JitterConfig()
        self.forget()

    def forget(self) -> None:
        """Reset, enable: there is no pulse before the next one (J4)."""
        self._previous: int | None = None
        self._arming = True

    def arm(self) -> None:
        """phy_changed, watchdog: the next pulse only arms (J4)."""
        self._arming = True

    def configure(self, config: JitterConfig) -> None:
        """A new configuration; the next pulse only arms (J4, J8).

        Raises:
            ValueError: the configuration is refused.
        """
        if not config.legal:
            raise ValueError(f"t_nominal={config.t_nominal} is refused")
        self.config = config
        self.arm()

    def pulse(self, pulse: SyncPulse) -> JitterSample:
        """The sample of ``pulse``, which is the base of the next one whatever it is (J5)."""
        since = None if self._previous is None else (pulse.time - self._previous) % TIME_MODULUS
        arming, self._arming = self._arming, pulse.step_here
        self._previous = pulse.time
        if pulse.stepped or pulse.step_here:
            return JitterSample(JitterSub.STEPPED)
        if pulse.unlocked and self.config.need_lock:
            return JitterSample(JitterSub.UNLOCKED)
        if since is not None and since >= TIME_MODULUS // 2:
            return JitterSample(JitterSub.BACKWARD)
        if since is None or arming:
            return JitterSample(JitterSub.FIRST)
        return self._judge(since)

    def _judge(self, interval: int) -> JitterSample:
        """J2, J3, J9, J10."""
        nominal = self.config.t_nominal
        jitter = min(JITTER_MAX, max(-JITTER_MAX, interval - nominal))
        if 2 * interval > 3 * nominal:
            return JitterSample(JitterSub.MISSED, jitter)
        if 2 * interval < nominal:
            return JitterSample(JitterSub.EARLY, jitter)
        return JitterSample(JitterSub.OK, jitter)


def measure(pulses: Iterable[SyncPulse], config: JitterConfig | None = None) -> Iterator[JitterSample]:
    """The samples of ``pulses``, the first of which only arms."""
    meter = JitterMeter(config)
    return map(meter.pulse, pulses)


@dataclass(frozen=True, slots=True)
class JitterSnapshot:
    """Statistics of the valid samples up to one moment (J13), in 1/256 ns and its square.

    count (u32), total (i64), squares (u96): since reset, modulo their widths: differences of two snapshots are exact.
    tie (i64): running time interval error: sum since the last pulse that was not valid. lowest, highest: of the samples
    since the snapshot before; None if there was none.
    """

    count: int = 0
    total: int = 0
    squares: int = 0
    tie: int = 0
    lowest: int | None = None
    highest: int | None = None

    @property
    def words(self) -> tuple[int, ...]:
        """The eleven words of the register window."""
        low, high = (0 if value is None else value & _WORD for value in (self.lowest, self.highest))
        wide = ((self.total, 2), (self.squares, 3), (self.tie, 2))
        split = (value >> 32 * n & _WORD for value, count in wide for n in range(count))
        return (self.count, low, high, *split, int(self.lowest is not None))


class JitterStatistics:
    """Accumulates samples; ``snapshot`` takes one picture and starts the next window of lowest and highest."""

    def __init__(self) -> None:
        self._now = JitterSnapshot()

    def add(self, sample: JitterSample) -> None:
        """Count one sample, valid or not."""
        now = self._now
        if not sample.ok:
            self._now = replace(now, tie=0)
            return
        jitter = sample.jitter
        self._now = JitterSnapshot(
            (now.count + 1) % (1 << 32),
            _signed(now.total + jitter, 64),
            (now.squares + jitter * jitter) % (1 << 96),
            _signed(now.tie + jitter, 64),
            jitter if now.lowest is None else min(now.lowest, jitter),
            jitter if now.highest is None else max(now.highest, jitter),
        )

    def snapshot(self) -> JitterSnapshot:
        """What has been counted; samples added later are in the next snapshot, none is lost."""
        taken = self._now
        self._now = replace(taken, lowest=None, highest=None)
        return taken


class JitterUnit:
    """``JitterStatistics`` as nps_jitter_stat keeps them: samples queue up, and one that does not fit is missing.

    ready: from this clock on the last snapshot can be read.
    """

    PLACES = 15
    """Samples that may wait."""

    def __init__(self, free: int = 0) -> None:
        """free: the first clock in which a sample can be taken; 32 clocks after reset all words are cleared."""
        self.statistics = JitterStatistics()
        self.ready, self._free = 0, free
        self._taken: deque[int] = deque()
        self._missed = False

    def clock(self, clock: int, sample: JitterSample | None, snap: bool) -> tuple[int, ...] | None:
        """One clock. The words that ``snap`` takes, those of all samples before this clock; None while busy."""
        while self._taken and self._taken[0] < clock:
            self._taken.popleft()
        fits = sample is not None and len(self._taken) < self.PLACES
        words = None
        if snaps := snap and clock >= self.ready:
            *words_before, some = self.statistics.snapshot().words
            words = (*words_before, some | self._missed << 2)
            self._missed = False
        if snaps or fits:
            taken = max(clock + 1, self._free)
            self._taken.append(taken)
            self._free = taken + (81 if fits and sample is not None and sample.ok else 33)
            if snaps:
                self.ready = taken + 33
        if sample is not None and fits:
            self.statistics.add(sample)
        self._missed |= sample is not None and not fits
        return words


def _signed(value: int, bits: int) -> int:
    """``value`` modulo 2^bits, as a signed number."""
    half = 1 << bits - 1
    return (value + half) % (2 * half) - half
