"""Golden model of one backpressure source: what it offers, clock by clock.

Written from ``traces/FORMAT.md`` rules 14 to 21 (cited below as "rule n"), not from the RTL. Latency does not show:
clock ``c`` is the clock whose inputs are judged, and the entry of that clock comes back from the same call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from npuscope.encode.bins import met
from npuscope.encode.mirror import BpLimits, SourceConfig
from npuscope.encode.record import payload, payload_fields
from npuscope.encode.stream import Entry
from npuscope.layout import MAX_LAYERS, THRESHOLDS, BpSub, Cfg, Kind, State, TimeQuality

__all__ = ["BpProbeModel", "Sample", "TimeBus"]

_REL = 1 << 48
_SAMPLES = 1 << 40
_BLIND = 4
"""Clocks after a start, a due tick or a new stale period that are not tested; matters to periods this short only."""
_HOT_FOREVER = 1 << 46
"""Relative ns after which dwell is saturated for every k: the 48-bit time may wrap after it."""
_CLOCK_NS = 5  # the step in which times differ, for boundary bins
_OCC_MAX = (1 << next(f.width for f in payload_fields(Kind.BP, BpSub.ENTER) if f.name == "occ")) - 1
_DWELL_MAX = (1 << next(f.width for f in payload_fields(Kind.BP, BpSub.ENTER) if f.name == "dwell")) - 1


@dataclass(frozen=True, slots=True)
class TimeBus:
    """The time bus in one clock.

    rel_ns: relative time (u48). ts_ns: absolute time (u63). tq: time quality. ts_step, rel_step: the offset, the
    relative time changed in this clock, whose times are already new. step_ns: signed size of that change.
    """

    rel_ns: int
    ts_ns: int
    tq: int = TimeQuality.LOCKED
    ts_step: bool = False
    rel_step: bool = False
    step_ns: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """One transfer on the trace port: layer 5 bit, occ 6 bit, bp_en 1 bit (raw)."""

    layer: int
    occ: int
    bp_en: int


@dataclass(slots=True)
class _Layer:
    reports_dry: bool
    hot: bool = False
    dry: bool = False
    steady: int = 0
    unknown: bool = True
    seen: bool = False
    credit: bool = True
    peak: int = 0
    enter_rel: int = 0
    dwell_saturated: bool = False
    reported_occ: int = 0
    reported_peak: int = 0
    raw: int = 0
    run_clock: int = 0


@dataclass(slots=True)
class _Pending:
    """A configuration on its way: its words are pushed one by one (rule 5)."""

    limits: BpLimits
    words: list[Cfg] = field(default_factory=lambda: [Cfg.BP_LIMITS, Cfg.STALE])


class BpProbeModel:
    """One backpressure source.

    src: its number. config: layers, dry mask and reset limits. steady: STEADY in clocks.
    """

    def __init__(self, config: SourceConfig, src: int = 0, steady: int = THRESHOLDS["STEADY"].value) -> None:
        self.config, self.src, self.steady = config, src, steady
        self.limits = config.limits
        self.stale_ns = config.limits.stale_ns
        self.cfg_error = False
        self._clock = 0
        self._pending: _Pending | None = None
        self._restart(0)

    def _restart(self, rel_ns: int) -> None:
        """All present layers unknown, counters 0; limits stay, those on their way are in force untold (rule 25)."""
        if self._pending is not None:
            self.limits, self.stale_ns = self._pending.limits, self._pending.limits.stale_ns
            self._pending = None
        present, dry = self.config.layers, self.config.dry_mask
        self.layers = {n: _Layer(bool(dry >> n & 1)) for n in range(MAX_LAYERS) if present >> n & 1}
        self._samples = 0
        self._tick_due = False
        self._rebase(rel_ns)

    def _rebase(self, rel_ns: int) -> None:
        """The stale period begins now."""
        self._last_tick, self._blind_until = rel_ns, self._clock + _BLIND

    @property
    def bp_samples(self) -> int:
        """CNT BP_SAMPLES: samples with the raw bit set since start, over 256 (rule 9)."""
        return (self._samples >> 8) & 0xFFFFFFFF

    def clock(
        self, time: TimeBus, sample: Sample | None = None, apply: BpLimits | None = None, restart: bool = False
    ) -> Entry | None:
        """One clock; the entry offered in it, or None.

        apply: limits given with cfg_apply. Afterwards ``cfg_error`` says whether they were refused (rule 20).
        """
        self._clock += 1
        self.cfg_error = apply is not None and not apply.legal
        if apply is not None and apply.legal:
            self._pending = _Pending(apply)
        if restart:
            self._restart(time.rel_ns)
            return None
        for layer in self.layers.values():  # rule 18
            long_ago = (time.rel_ns - layer.enter_rel) % _REL >= _HOT_FOREVER
            layer.dwell_saturated |= layer.hot and (time.rel_step or long_ago)
        if self.stale_ns and self._clock > self._blind_until:
            met("STALE_NS", self._since_tick(time), self.stale_ns, lsb=_CLOCK_NS)
        if self.stale_ns and self._clock > self._blind_until and self._since_tick(time) >= self.stale_ns:  # rule 19
            self._tick_due = True
            self._rebase(time.rel_ns)
        record = self._sample(time, sample) if sample is not None else None
        if record is None:
            record = self._postponed(time)
        step_ns = time.step_ns if time.ts_step or time.rel_step else None
        if record is None and step_ns is None:
            return None
        kind, sub, word = record or (None, 0, 0)
        return Entry(time.ts_ns, self.src, kind, sub, word, time.tq, step_ns, self.bp_samples)

    def _since_tick(self, time: TimeBus) -> int:
        return (time.rel_ns - self._last_tick) % _REL

    # ---------------------------------------------------------------- sample
    def _sample(self, time: TimeBus, sample: Sample) -> tuple[int, int, int] | None:
        self._samples = (self._samples + sample.bp_en) % _SAMPLES
        layer = self.layers.get(sample.layer)
        if layer is None:  # rule 14
            return None
        layer.seen = True
        was_hot, was_steady = layer.hot, layer.steady
        self._settle(layer, sample.bp_en)
        sub = self._judge(layer, sample.occ, was_steady)
        if sub == BpSub.ENTER:
            layer.hot, layer.enter_rel, layer.dwell_saturated = True, time.rel_ns, False
        elif sub == BpSub.EXIT:
            layer.hot = False
        if not was_hot:  # rule 18
            layer.peak = sample.occ
        elif sub != BpSub.EXIT:
            layer.peak = max(layer.peak, sample.occ)
        if sample.occ == 0:
            layer.dry = layer.reports_dry
        elif sample.occ >= self.limits.th_wet:
            layer.dry = False
        layer.unknown = False
        if sub is None:
            return None
        if sub == BpSub.LEVEL:  # rule 17
            layer.credit = False
        layer.reported_occ, layer.reported_peak = sample.occ, layer.peak
        word = payload(
            Kind.BP,
            sub,
            layer=sample.layer,
            occ=sample.occ,
            bp_en=layer.steady,
            peak=layer.peak,
            dwell=self._dwell(layer, time) if was_hot else 0,
        )
        return Kind.BP, sub, word

    def _settle(self, layer: _Layer, raw: int) -> None:
        """The steady value of backpressure_en after this sample (rule 15)."""
        if layer.unknown or raw != layer.raw:
            layer.run_clock = self._clock
        layer.raw = raw
        met("STEADY", self._clock - layer.run_clock, self.steady)
        if self.limits.raw or self._clock - layer.run_clock >= self.steady:
            layer.steady = raw

    def _judge(self, layer: _Layer, occ: int, was_steady: int) -> BpSub | None:
        """The record of this sample, by priority, on the state before it (rules 15 to 17); dry is still the old one."""
        limits = self.limits
        if layer.hot:
            met("TH_OFF", occ, limits.th_off, _OCC_MAX)
        else:
            met("TH_ON", occ, limits.th_on, _OCC_MAX)
        if layer.dry:
            met("TH_WET", occ, limits.th_wet, _OCC_MAX)
        if limits.level_step:
            met("LEVEL_STEP", abs(occ - layer.reported_occ), limits.level_step, _OCC_MAX)
        if occ >= limits.th_on and not layer.hot:
            return BpSub.ENTER
        if layer.hot and occ < limits.th_off:
            return BpSub.EXIT
        if layer.unknown:
            return BpSub.KNOWN
        if occ == 0 and layer.reports_dry and not layer.dry:
            return BpSub.DRY
        if layer.dry and occ >= limits.th_wet:
            return BpSub.WET
        if layer.steady != was_steady:
            return BpSub.BP_ON if layer.steady else BpSub.BP_OFF
        new_peak = layer.hot and max(layer.peak, occ) > layer.reported_peak
        moved = limits.level_step != 0 and abs(occ - layer.reported_occ) >= limits.level_step
        if (layer.credit or not self.stale_ns) and (new_peak or moved):
            return BpSub.LEVEL
        return BpSub.RAW if limits.raw and occ >= limits.th_on else None

    def _dwell(self, layer: _Layer, time: TimeBus) -> int:
        """floor((now - enter) >> k), saturating; saturated by a step of relative time (rule 18)."""
        units = ((time.rel_ns - layer.enter_rel) % _REL) >> self.limits.k
        return _DWELL_MAX if layer.dwell_saturated else min(units, _DWELL_MAX)

    # ---------------------------------------------------------------- postponed
    def _postponed(self, time: TimeBus) -> tuple[int, int, int] | None:
        """The stale tick or the next configuration word, in a clock whose sample makes no record (rule 5).

        One of them a clock; a word is in force from the next clock on, and a new stale period begins with its word.
        """
        if self._tick_due:
            self._tick_due = False
            return self._tick()
        if self._pending is None:
            return None
        word = self._pending.words.pop(0)
        if word == Cfg.BP_LIMITS:
            self.limits = self._pending.limits
            return Kind.CFG, word, self.limits.word
        self.stale_ns = self._pending.limits.stale_ns
        self._pending = None
        self._rebase(time.rel_ns)
        return Kind.CFG, word, self.stale_ns

    def _tick(self) -> tuple[int, int, int] | None:
        """Layers not seen since the last executed tick become unknown; every credit is restored (rules 17, 19)."""
        newly = [layer for layer in self.layers.values() if not layer.seen and not layer.unknown]
        for layer in newly:
            layer.unknown, layer.hot, layer.dry, layer.steady = True, False, False, 0
        for layer in self.layers.values():
            layer.seen, layer.credit = False, True
        if not newly:
            return None
        return Kind.STATE, State.UNKNOWN, sum(1 << n for n, layer in self.layers.items() if layer.unknown)
