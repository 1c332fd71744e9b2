"""The state of one NPT1 stream and the contents it dictates: start sequence, groups, LOSS bursts, END.

Shared by ``writer`` (writes dumps) and ``framer`` (checks dumps of the RTL). Rule numbers are those of
``traces/FORMAT.md``. Records come out with everything but their bytes; the caller packs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field

from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.record import Record, payload
from npuscope.layout import (
    FORMAT_MAJOR,
    FORMAT_MINOR,
    FRAME_RECORDS,
    GROUP_RECORDS,
    MAGIC,
    OWNED_CFG_BP,
    OWNED_CFG_FRAMER,
    OWNED_CFG_JITTER,
    OWNED_CFG_MONITOR,
    OWNED_CFG_RAS,
    OWNED_CFG_TOKEN,
    OWNED_CNT_BP,
    OWNED_CNT_FRAMER,
    OWNED_CNT_JITTER,
    OWNED_CNT_MARK,
    OWNED_CNT_MONITOR,
    OWNED_CNT_RAS,
    OWNED_CNT_TOKEN,
    SRC_FRAMER,
    SRC_JITTER,
    SRC_MARK,
    SRC_MONITOR,
    SRC_RAS,
    SRC_TOKEN,
    Cfg,
    ClkSub,
    Cnt,
    Kind,
    LossCause,
    LossSub,
    State,
    SyncSub,
    TimeQuality,
)

__all__ = ["MAX_BURST", "Dropped", "Entry", "StreamConfig", "StreamState"]

MAX_BURST = 16
"""Longest run of records that no group may cut: LOSS x2, CLK x3, STATE x4, CFG x4, then a CLK pair and a record."""

_CONTEXT = 16
"""CTX words of a TOKINT at most: their index is the sub."""
_OWNED = {
    SRC_MONITOR: (OWNED_CFG_MONITOR, OWNED_CNT_MONITOR),
    SRC_TOKEN: (OWNED_CFG_TOKEN, OWNED_CNT_TOKEN),
    SRC_RAS: (OWNED_CFG_RAS, OWNED_CNT_RAS),
    SRC_JITTER: (OWNED_CFG_JITTER, OWNED_CNT_JITTER),
}
"""Sources that a stream may have beside backpressure and MARK: their CFG and CNT words."""

_WORD = 0xFFFFFFFF
_STEP = 1 << 64


@dataclass(frozen=True, slots=True)
class Entry:
    """What a source offers in one clock, one FIFO entry: a clock step, a record, or a step and then a record.

    ts, tq: of all its records. kind None: no record. step_ns: signed size of the step, None: no step.
    context: the CTX words that follow a TOKINT and enter with it or not at all.
    bp_samples: CNT BP_SAMPLES of that clock, of TOKEN CNT TOKENS (rule 9); None keeps what was told before.
    clock: number of that clock, None if there are no clocks; no part of what the entry is. latch: class of a RAS record
    that counts, whose count is that of its latch when it is told (``ras_source``).
    """

    ts: int
    src: int
    kind: int | None
    sub: int = 0
    payload: int = 0
    tq: int = TimeQuality.LOCKED
    step_ns: int | None = None
    bp_samples: int | None = None
    clock: int | None = field(default=None, compare=False)
    context: tuple[int, ...] = ()
    latch: int | None = None

    def __post_init__(self) -> None:
        if self.context and (self.kind != Kind.TOKINT or len(self.context) > _CONTEXT):
            raise ValueError(f"a context is up to {_CONTEXT} words of a TOKINT")

    @property
    def size(self) -> int:
        """How many records it makes."""
        return 2 * (self.step_ns is not None) + (self.kind is not None) + len(self.context)

    def records(self) -> list[Record]:
        """CLK STEP_LO and STEP_HI if there is a step, then the record if there is one (rule 21), then its context."""
        out = []
        if self.step_ns is not None:
            step = self.step_ns % _STEP
            for sub, word in ((ClkSub.STEP_LO, step & _WORD), (ClkSub.STEP_HI, step >> 32)):
                out.append(Record(self.ts, self.src, Kind.CLK, sub, word, self.tq))
        if self.kind is not None:
            out.append(Record(self.ts, self.src, self.kind, self.sub, self.payload, self.tq))
        out += [Record(self.ts, self.src, Kind.CTX, i, word, self.tq) for i, word in enumerate(self.context)]
        return out


class Dropped:
    """The registers of one loss of one source: what its LOSS burst will tell (rules 3 and 12).

    mirror: the source's, as of the last record emitted; it is copied, since only the burst itself will change it.
    """

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = copy(mirror)
        self.mirror.cfg = dict(mirror.cfg)
        self.count = 0
        self.first: Entry | None = None
        self.last: Entry | None = None
        self.layers = 0
        self.whole = False
        self.cfg = False
        self.step_ns: int | None = None

    def add(self, entry: Entry) -> None:
        """Count the records of ``entry`` as dropped."""
        self.first = self.first or entry
        self.last = entry
        for record in entry.records():
            self.mirror.update(record)
            self.count = min(self.count + 1, _WORD)
            if record.kind == Kind.BP:
                self.layers |= 1 << (record.payload & 31)
            elif record.kind == Kind.STATE and record.sub == State.UNKNOWN:
                self.layers |= record.payload
            else:
                self.whole = True
            self.cfg |= record.kind == Kind.CFG
        if entry.step_ns is not None:
            self.step_ns = (self.step_ns or 0) + entry.step_ns

    def burst(self, src: int, cause: int = LossCause.FIFO_FULL) -> list[Record]:
        """The burst in stream order, with the source's state after the dropped entries (rule 3)."""
        if self.first is None or self.last is None:
            raise ValueError("nothing was dropped")
        first, last = self.first, self.last
        mask = 0 if self.whole else self.layers
        out = [
            Record(first.ts, src, Kind.LOSS, LossSub.FIRST | cause, self.count, first.tq),
            Record(last.ts, src, Kind.LOSS, LossSub.SECOND | cause, mask, last.tq),
        ]
        if self.step_ns is not None:
            out.append(Record(last.ts, src, Kind.CLK, ClkSub.STATE, clk_state(last.tq), last.tq))
            out += Entry(last.ts, src, None, tq=last.tq, step_ns=self.step_ns).records()
        if self.mirror.layers:
            out += [Record(last.ts, src, Kind.STATE, sub, mask, last.tq) for sub, mask in self.mirror.keyframe()]
            words = OWNED_CFG_BP if self.cfg else (Cfg.BP_LIMITS, Cfg.STALE)
            out += [Record(last.ts, src, Kind.CFG, word, self.mirror.cfg[word], last.tq) for word in words]
        elif self.cfg:
            out += [Record(last.ts, src, Kind.CFG, word, value, last.tq) for word, value in self.mirror.cfg.items()]
        return out


def clk_state(tq: int) -> int:
    """The payload of CLK STATE: locked and holdover as the time quality tells them."""
    locked, holdover = int(tq == TimeQuality.LOCKED), int(tq == TimeQuality.HOLDOVER)
    return payload(Kind.CLK, ClkSub.STATE, tq=tq, locked=locked, holdover=holdover)


@dataclass(frozen=True, slots=True)
class StreamConfig:
    """What a stream is made of.

    sources: backpressure sources, src 0 and up (1 to 62). clk_period_ps: u32. desc_hash: u64, 0 = no description.
    frame_records: maximum of records in a frame, its group included. others: of TOKEN, RAS and JITTER those that
    there are, src -> its CFG words (index -> payload), all that it owns.
    """

    sources: tuple[SourceConfig, ...]
    clk_period_ps: int = 5000
    desc_hash: int = 0
    frame_records: int = FRAME_RECORDS
    others: Mapping[int, Mapping[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 1 <= len(self.sources) <= SRC_MARK:
            raise ValueError(f"a stream has 1 to {SRC_MARK} backpressure sources, not {len(self.sources)}")
        for src, words in self.others.items():
            if src not in _OWNED or len(self.sources) > src:
                raise ValueError(f"source {src} is none of {', '.join(map(str, _OWNED))}, or a backpressure source")
            if words.keys() != set(_OWNED[src][0]):
                raise ValueError(f"source {src} owns the CFG words {sorted(map(int, _OWNED[src][0]))}")
        least = GROUP_RECORDS + MAX_BURST + (_CONTEXT if SRC_TOKEN in self.others else 0)
        if not least <= self.frame_records <= 0xFFFF:
            raise ValueError(f"frame_records={self.frame_records} is not in {least}..65535")

    @property
    def framer_cfg(self) -> dict[int, int]:
        """CFG word index -> payload of the words of source 63."""
        return {
            Cfg.VERSION: payload(Kind.CFG, Cfg.VERSION, minor=FORMAT_MINOR, major=FORMAT_MAJOR),
            Cfg.CLK_PERIOD: self.clk_period_ps,
            Cfg.DESC_HASH_LO: self.desc_hash & _WORD,
            Cfg.DESC_HASH_HI: self.desc_hash >> 32,
        }

    @property
    def cfg_order(self) -> list[tuple[int, int]]:
        """(src, word) in start and round robin order (rule 7): source 63, then the sources ascending."""
        owned = [(SRC_FRAMER, int(word)) for word in OWNED_CFG_FRAMER]
        owned += [(src, int(word)) for src in range(len(self.sources)) for word in OWNED_CFG_BP]
        return owned + [(src, int(word)) for src in sorted(self.others) for word in _OWNED[src][0]]

    @property
    def cnt_order(self) -> list[tuple[int, int]]:
        """(src, counter) in round robin and END order (rule 9): src ascending, source 63 last."""
        owned = [(src, int(counter)) for src in range(len(self.sources)) for counter in OWNED_CNT_BP]
        owned += [(src, int(counter)) for src in sorted(self.others) for counter in _OWNED[src][1]]
        owned += [(SRC_MARK, int(counter)) for counter in OWNED_CNT_MARK]
        return owned + [(SRC_FRAMER, int(counter)) for counter in OWNED_CNT_FRAMER]


class StreamState:
    """Counters, mirrors and frame number of one stream, from its start to its END.

    ``take`` each record that enters the stream, in order; it assigns seq and keeps the books. The methods that
    dictate contents are generators: each record is taken before the next one is made, so that counters are right.
    """

    def __init__(self, config: StreamConfig) -> None:
        self.config = config
        self.mirrors = {src: Mirror(source) for src, source in enumerate(config.sources)}
        self.mirrors |= {src: Mirror(None, config.others[src]) for src in sorted(config.others)}
        self.mirrors[SRC_MARK] = Mirror(None)
        self.accepted = dict.fromkeys([*self.mirrors, SRC_FRAMER], 0)
        self.dropped = dict.fromkeys(self.mirrors, 0)
        self.stalled = 0
        self.frame = 0

    def take(self, record: Record) -> Record:
        """``record`` with its seq; PAD takes none (rule 8)."""
        if record.kind == Kind.PAD:
            return record
        record = record.with_seq(self.accepted[record.src] & 0xFF)
        self.accepted[record.src] += 1
        if record.src in self.mirrors:
            self.mirrors[record.src].update(record)
            if record.kind == Kind.LOSS and not record.sub & LossSub.SECOND:
                self.dropped[record.src] += record.payload
        return record

    def counter(self, src: int, counter: int) -> int:
        """The CNT payload of (src, counter) at this stream position."""
        if counter == Cnt.ACCEPTED:
            return self.accepted[src] & _WORD
        if counter == Cnt.DROPPED:
            return self.dropped[src] & _WORD
        return (self.stalled if counter == Cnt.STALLED else self.mirrors[src].bp_samples) & _WORD

    def cfg_word(self, src: int, word: int) -> int:
        """The CFG payload of (src, word) at this stream position."""
        return self.config.framer_cfg[word] if src == SRC_FRAMER else self.mirrors[src].cfg[word]

    def group(self, ts: int, tq: int, crc32: int, records: int) -> Iterator[Record]:
        """The nine records of a group; crc32 and records are those of the frame it closes, 0 at start (rule 10).

        Group n tells the n-th word of each round robin.
        """
        hash16 = self.config.desc_hash & 0xFFFF
        yield self.take(Record(MAGIC, SRC_FRAMER, Kind.SYNC, SyncSub.A, self.frame, tq))
        yield self.take(Record(ts, SRC_FRAMER, Kind.SYNC, SyncSub.B, crc32, tq))
        closed = payload(Kind.SYNC, SyncSub.C, records=records, hash=hash16)
        yield self.take(Record(ts, SRC_FRAMER, Kind.SYNC, SyncSub.C, closed, tq))
        src, counter = self.config.cnt_order[self.frame % len(self.config.cnt_order)]
        yield self.take(Record(ts, src, Kind.CNT, counter, self.counter(src, counter), tq))
        src, word = self.config.cfg_order[self.frame % len(self.config.cfg_order)]
        yield self.take(Record(ts, src, Kind.CFG, word, self.cfg_word(src, word), tq))
        yield from self.keyframe(self.frame % len(self.config.sources), ts, tq)
        self.frame = (self.frame + 1) & _WORD

    def keyframe(self, src: int, ts: int, tq: int) -> Iterator[Record]:
        """STATE hot, bp_en, unknown, dry of ``src``."""
        for sub, mask in self.mirrors[src].keyframe():
            yield self.take(Record(ts, src, Kind.STATE, sub, mask, tq))

    def end(self, ts: int, tq: int, crc32: int) -> Record:
        """SYNC END; crc32: of the last SYNC A inclusive to END exclusive."""
        return self.take(Record(ts, SRC_FRAMER, Kind.SYNC, SyncSub.END, crc32, tq))
