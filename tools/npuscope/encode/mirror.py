"""What the stream has told about one source so far: the state that keyframes, groups and LOSS bursts print.

``traces/FORMAT.md`` rule 2: a mirror is updated by each record emitted; it is not a live snapshot, which would run
ahead of queued events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npuscope.encode.record import Record, unpack_payload
from npuscope.encode.record import payload as make_payload
from npuscope.layout import (
    MAX_LAYERS,
    OWNED_CFG_BP,
    THRESHOLDS,
    BpSub,
    Cfg,
    Kind,
    State,
)

__all__ = ["KEYFRAME", "BpLimits", "Mirror", "SourceConfig"]

KEYFRAME = (State.HOT, State.BP_EN, State.UNKNOWN, State.DRY)
"""The words of a keyframe, in stream order."""

_ALL_LAYERS = (1 << MAX_LAYERS) - 1


@dataclass(frozen=True, slots=True)
class BpLimits:
    """Run-time limits of a backpressure source; defaults and ranges are the threshold book's.

    th_on, th_off, th_wet, level_step: occupancy codes (1/64). k: dwell unit, log2 ns. raw: RAW mode.
    stale_ns: stale period in relative ns, 0 = off.
    """

    th_on: int = THRESHOLDS["TH_ON"].value
    th_off: int = THRESHOLDS["TH_OFF"].value
    th_wet: int = THRESHOLDS["TH_WET"].value
    level_step: int = THRESHOLDS["LEVEL_STEP"].value
    k: int = THRESHOLDS["DWELL_SHIFT"].value
    raw: int = 0
    stale_ns: int = THRESHOLDS["STALE_NS"].value

    @property
    def legal(self) -> bool:
        """Whether every value is in its range and TH_OFF is below TH_ON (FORMAT.md rule 20)."""
        pairs = (
            ("TH_ON", self.th_on),
            ("TH_OFF", self.th_off),
            ("TH_WET", self.th_wet),
            ("LEVEL_STEP", self.level_step),
            ("DWELL_SHIFT", self.k),
            ("STALE_NS", self.stale_ns),
        )
        in_range = all(THRESHOLDS[name].min <= value <= THRESHOLDS[name].max for name, value in pairs)
        return in_range and self.th_off < self.th_on and self.raw in (0, 1)

    @property
    def word(self) -> int:
        """The payload of CFG BP_LIMITS."""
        return make_payload(
            Kind.CFG,
            Cfg.BP_LIMITS,
            th_on=self.th_on,
            th_off=self.th_off,
            level_step=self.level_step,
            k=self.k,
            raw=self.raw,
            th_wet=self.th_wet,
        )


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """A backpressure source: masks of its layers present and of those that report DRY and WET, and its limits."""

    layers: int
    dry_mask: int = 0
    limits: BpLimits = field(default_factory=BpLimits)

    def __post_init__(self) -> None:
        if not 0 < self.layers <= _ALL_LAYERS:
            raise ValueError(f"layers={self.layers:#x} is no mask of 1 to {MAX_LAYERS} layers")
        if self.dry_mask & ~self.layers:
            raise ValueError(f"dry_mask={self.dry_mask:#x} names layers outside layers={self.layers:#x}")

    def cfg_words(self) -> dict[int, int]:
        """CFG word index -> payload, of all words the source owns."""
        words = {
            Cfg.BP_LIMITS: self.limits.word,
            Cfg.STALE: self.limits.stale_ns,
            Cfg.LAYERS: self.layers,
            Cfg.DRY_MASK: self.dry_mask,
        }
        return {int(word): words[word] for word in OWNED_CFG_BP}


class Mirror:
    """hot, bp_en, unknown, dry masks (32 bit, one bit a layer), CFG words and CNT BP_SAMPLES of one source."""

    def __init__(self, config: SourceConfig | None, cfg: Mapping[int, int] | None = None) -> None:
        """``config`` None: a source without layers (MARK, JITTER, RAS, TOKEN), whose CFG words are ``cfg``."""
        self.layers = config.layers if config else 0
        self.cfg = config.cfg_words() if config else dict(sorted((cfg or {}).items()))
        self.hot = self.bp_en = self.dry = 0
        self.unknown = self.layers
        self.bp_samples = 0

    def keyframe(self) -> list[tuple[int, int]]:
        """(sub, mask) of the four STATE words, in stream order."""
        masks = {State.HOT: self.hot, State.BP_EN: self.bp_en, State.UNKNOWN: self.unknown, State.DRY: self.dry}
        return [(int(word), masks[word]) for word in KEYFRAME]

    def update(self, record: Record) -> None:
        """Take a record of this source: BP events, STATE words and CFG words change the mirror, others do not."""
        if record.kind == Kind.BP:
            self._backpressure(record)
        elif record.kind == Kind.CFG:
            self.cfg[record.sub] = record.payload
        elif record.kind == Kind.STATE:
            self._state(record.sub, record.payload)

    def _backpressure(self, record: Record) -> None:
        """FORMAT.md rule 15: every BP record carries occ and bp_en, and both are taken whatever its sub."""
        fields = unpack_payload(record)
        bit = (1 << fields["layer"]) & self.layers
        self.unknown &= ~bit
        if record.sub == BpSub.ENTER:
            self.hot |= bit
        elif record.sub == BpSub.EXIT:
            self.hot &= ~bit
        self.bp_en = self.bp_en | bit if fields["bp_en"] else self.bp_en & ~bit
        th_wet = _field(Cfg.BP_LIMITS, "th_wet", self.cfg[Cfg.BP_LIMITS])
        if fields["occ"] == 0:
            self.dry |= bit & self.cfg[Cfg.DRY_MASK]
        elif fields["occ"] >= th_wet:
            self.dry &= ~bit

    def _state(self, sub: int, mask: int) -> None:
        if sub == State.HOT:
            self.hot = mask
        elif sub == State.BP_EN:
            self.bp_en = mask
        elif sub == State.DRY:
            self.dry = mask
        elif sub == State.UNKNOWN:  # rule 19: what becomes unknown loses its other bits without a record of its own
            self.unknown = mask
            self.hot, self.bp_en, self.dry = self.hot & ~mask, self.bp_en & ~mask, self.dry & ~mask


def _field(word: Cfg, name: str, value: int) -> int:
    return unpack_payload(Record(ts=0, src=0, kind=Kind.CFG, sub=word, payload=value))[name]
