"""Golden model of the jitter source, clock by clock: what ``nps_jitter`` offers to the stream and to the RAS mapper.

Written from the rules of ``rtl/ptp/README.md``. Latency does not show: clock ``c`` is the clock whose inputs are
judged, and all that it makes comes back from the same call.
"""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.encode.bins import met
from npuscope.encode.jitter import JitterConfig, JitterMeter, JitterSample, SyncPulse
from npuscope.encode.probe import TimeBus
from npuscope.encode.stream import Entry
from npuscope.layout import SRC_JITTER, Cfg, JitterSub, Kind

__all__ = ["JitterClock", "JitterInputs", "JitterModel"]


@dataclass(frozen=True, slots=True)
class JitterInputs:
    """The inputs of one clock.

    frac: of relative time, 1/256 ns. apply: configuration given with cfg_apply. restart: a new stream begins.
    """

    bus: TimeBus
    frac: int = 0
    locked: bool = True
    holdover: bool = False
    enable: bool = True
    sync: bool = False
    phy_changed: bool = False
    apply: JitterConfig | None = None
    restart: bool = False


@dataclass(frozen=True, slots=True)
class JitterClock:
    """What one clock makes.

    entry: for the stream. sample: of a pulse, None without one. mapped: the mapper is told (js_valid). lost: SYNC_LOST.
    refused: the configuration given is.
    """

    entry: Entry | None = None
    sample: JitterSample | None = None
    mapped: bool = False
    lost: bool = False
    refused: bool = False


class JitterModel:
    """The jitter source. ``config`` is in force, ``sync_lost`` the level after the last clock."""

    def __init__(self, config: JitterConfig | None = None) -> None:
        self.meter = JitterMeter(config)
        self._was_high = False
        self.reset()

    @property
    def config(self) -> JitterConfig:
        return self.meter.config

    @property
    def words(self) -> dict[int, int]:
        """CFG words that a stream begins with: in force for the clock after a restart (rules 7 and 25)."""
        low, high = (self._coming or self.config).words
        return {Cfg.T_NOMINAL_LO: low, Cfg.T_NOMINAL_HI: high}

    def reset(self, config: JitterConfig | None = None, sync: bool = False) -> None:
        """A clock of reset; ``config``: what is in force after it, ``sync``: sync_valid in it."""
        if config is not None:
            self.meter.config = config
        self._given: JitterConfig | None = None  # in the clock before
        self._pending: JitterConfig | None = None
        self._coming: JitterConfig | None = None  # in force after the next clock
        self._words: list[Cfg] = []
        self._was_high = sync
        self._disabled()

    def _disabled(self) -> None:
        self.meter.forget()
        self._stepped = self._unlocked = self.sync_lost = False
        self._quiet = 0

    def clock(self, inputs: JitterInputs) -> JitterClock:
        """One clock."""
        bus, config = inputs.bus, self.config
        edge = inputs.sync and (config.strobe or not self._was_high)
        self._was_high = inputs.sync
        given, self._given = self._given, inputs.apply
        coming, self._coming = self._coming, None
        refused = inputs.apply is not None and not inputs.apply.legal
        if refused:
            self._given = None
        if given is not None or inputs.phy_changed:  # J4
            self.meter.arm()
        sample, lost = None, False
        if not inputs.enable:
            self._disabled()
        elif edge:
            sample = self._pulse(inputs, given is not None)
        else:
            lost = self._no_pulse(inputs)
        record: tuple[Kind, int, int] | None = None
        if sample is not None:
            record = Kind.JITTER, sample.sub, sample.jitter & 0xFFFFFFFF
        elif lost:
            record = Kind.JITTER, JitterSub.SYNC_LOST, 0
        if inputs.restart:
            self._commit()  # untold
        elif record is None and self._words:
            record = self._word()
        if coming is not None:
            self.meter.config, self._quiet = coming, 0
        if given is not None:
            self._pending, self._words = given, [Cfg.T_NOMINAL_LO, Cfg.T_NOMINAL_HI]
            self._coming = None  # replaced, though told
        step_ns = bus.step_ns if bus.ts_step or bus.rel_step else None
        entry = None
        if not inputs.restart and (record is not None or step_ns is not None):
            kind, sub, word = record or (None, 0, 0)
            entry = Entry(bus.ts_ns, SRC_JITTER, kind, sub, word, bus.tq, step_ns)
        mapped = sample is not None and sample.reaches_mapper(config)
        return JitterClock(entry, sample, mapped, lost, refused)

    def _since(self, inputs: JitterInputs) -> tuple[bool, bool]:
        """A step, a clock without lock since the last pulse, this clock included."""
        stepped = self._stepped or inputs.bus.ts_step or inputs.bus.rel_step
        return stepped, self._unlocked or not (inputs.locked or inputs.holdover)

    def _pulse(self, inputs: JitterInputs, given: bool) -> JitterSample:
        stepped, unlocked = self._since(inputs)
        here = inputs.bus.ts_step or inputs.bus.rel_step
        sample = self.meter.pulse(SyncPulse(inputs.bus.rel_ns << 8 | inputs.frac, stepped, here, unlocked))
        self._stepped = self._unlocked = self.sync_lost = False
        self._quiet = 0
        if given or self._words:  # until the new configuration is in force
            self.meter.arm()
        return sample

    def _no_pulse(self, inputs: JitterInputs) -> bool:
        """True if the watchdog says SYNC_LOST now (J11)."""
        self._stepped, self._unlocked = self._since(inputs)
        self._quiet += 1
        watchdog = self.config.watchdog
        met("WATCHDOG", self._quiet, watchdog)
        if self.sync_lost or not watchdog or self._quiet <= watchdog:
            return False
        self.sync_lost = True
        self.meter.arm()
        return True

    def _word(self) -> tuple[Kind, int, int]:
        """The next configuration word."""
        assert self._pending is not None
        sub = self._words.pop(0)
        word = self._pending.words[sub - Cfg.T_NOMINAL_LO]
        if not self._words:
            self._commit()
        return Kind.CFG, sub, word

    def _commit(self) -> None:
        """What waits is in force from the second clock after this one."""
        if self._pending is not None:
            self._coming, self._pending, self._words = self._pending, None, []
