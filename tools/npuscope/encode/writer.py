"""Writes NPT1 dumps from offered events: the plain reference writer for tests and small examples.

It does what ``nps_top`` does, without clocks: seq, CRC-8, frames, groups, keyframes, LOSS bursts, clock steps, END.
Rule numbers are those of ``traces/FORMAT.md``. For big dumps see ``bulk``.

    writer = Writer([SourceConfig(layers=0b111)], start_ts=1_000)
    writer.bp(2_000, 0, BpSub.ENTER, layer=1, occ=57)
    writer.flush(9_000)
    dump = writer.data()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from npuscope.crc import crc32
from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.record import Record, pack, payload
from npuscope.encode.stream import Dropped, Entry, StreamConfig, StreamState
from npuscope.layout import (
    FRAME_RECORDS,
    SRC_MARK,
    SRC_TOKEN,
    Kind,
    LossCause,
    MarkSub,
    State,
    TimeQuality,
)

__all__ = ["Writer"]


class Writer:
    """One dump, grown record by record.

    sources: the backpressure sources, src 0 and up; others: TOKEN, RAS, JITTER, see ``StreamConfig``.
    header: bytes to stand in front of the records (a header page).
    Times are ns (u63). A Writer starts at once: group of frame 0, all CFG words, keyframes.
    Events are written in the order given; the caller chooses it.
    """

    def __init__(
        self,
        sources: Sequence[SourceConfig],
        *,
        start_ts: int = 0,
        tq: int = TimeQuality.LOCKED,
        clk_period_ps: int = 5000,
        desc_hash: int = 0,
        frame_records: int = FRAME_RECORDS,
        header: bytes = b"",
        others: Mapping[int, Mapping[int, int]] | None = None,
    ) -> None:
        self._open(StreamConfig(tuple(sources), clk_period_ps, desc_hash, frame_records, others or {}), header)
        self.start(start_ts, tq)

    @classmethod
    def of(cls, config: StreamConfig, start_ts: int, *, header: bytes, mirrors: dict[int, Mirror]) -> Self:
        """A writer that starts with the state and the CFG words of ``mirrors``, which it goes on with."""
        writer = cls.__new__(cls)
        writer._open(config, header)
        writer.start(start_ts, mirrors=mirrors)
        return writer

    def _open(self, config: StreamConfig, header: bytes) -> None:
        self.config, self.header = config, header
        self._out = bytearray()

    # ---------------------------------------------------------------- stream
    def start(self, ts: int, tq: int = TimeQuality.LOCKED, mirrors: dict[int, Mirror] | None = None) -> None:
        """Start or restart (rules 7 and 25): seq, counters, frame number and, unless given, mirrors begin anew."""
        self.state = StreamState(self.config)
        if mirrors is not None:
            self.state.mirrors = mirrors
        self._frame = bytearray()
        self._last = (ts, tq)
        self._stepped: set[int] = set()
        self.group(ts, tq)
        for src, word in self.config.cfg_order:
            self._contents([Record(ts, src, Kind.CFG, word, self.state.cfg_word(src, word), tq)])
        for src, mirror in list(self.state.mirrors.items()):
            for sub, mask in mirror.keyframe() if mirror.layers else []:
                self._contents([Record(ts, src, Kind.STATE, sub, mask, tq)])

    def offer(self, entry: Entry) -> None:
        """Write one offered entry; a step and its record are never parted (rules 6 and 21)."""
        self._burst(entry.records(), entry)

    def event(
        self, ts: int, src: int, kind: int, sub: int, payload: int, *, tq: int = TimeQuality.LOCKED, bp_samples: int = 0
    ) -> None:
        """Write one record of ``src``; bp_samples as in ``Entry``, 0 keeps the value told before."""
        self.offer(Entry(ts, src, kind, sub, payload, tq, bp_samples=bp_samples or None))

    def bp(
        self,
        ts: int,
        src: int,
        sub: int,
        *,
        layer: int,
        occ: int,
        bp_en: int = 0,
        peak: int | None = None,
        dwell: int = 0,
        tq: int = TimeQuality.LOCKED,
    ) -> None:
        """Write one BP record; peak defaults to occ (rule 18), dwell is in units of 2^k ns."""
        top = occ if peak is None else peak
        word = payload(Kind.BP, sub, layer=layer, occ=occ, bp_en=bp_en, peak=top, dwell=dwell)
        self.event(ts, src, Kind.BP, sub, word, tq=tq)

    def mark(self, ts: int, value: int, sub: int = MarkSub.USER, *, tq: int = TimeQuality.LOCKED) -> None:
        """Write one MARK."""
        self.event(ts, SRC_MARK, Kind.MARK, sub, value, tq=tq)

    def tokint(
        self, ts: int, token: int, cause: int, context: Sequence[int] = (), *, tq: int = TimeQuality.LOCKED
    ) -> None:
        """Write TOKINT and its CTX words in one piece; cause: mask as in the sub of TOKINT."""
        self.offer(Entry(ts, SRC_TOKEN, Kind.TOKINT, cause, token, tq, context=tuple(context)))

    def unknown(self, ts: int, src: int, mask: int, *, tq: int = TimeQuality.LOCKED) -> None:
        """Write STATE unknown with the whole ``mask`` of unknown layers (rule 19)."""
        self.event(ts, src, Kind.STATE, State.UNKNOWN, mask, tq=tq)

    def step(self, ts: int, step_ns: int, sources: Iterable[int] | None = None, *, tq: int = TimeQuality.DOUBT) -> None:
        """A clock step of ``step_ns``: the CLK pair of each of ``sources`` (all), labelled with the new time ``ts``.

        The frame closes after the last source's pair (rule 21).
        """
        for src in self.state.mirrors if sources is None else sources:
            self.offer(Entry(ts, src, None, tq=tq, step_ns=step_ns))

    def drop(
        self, src: int, entries: Iterable[Entry], *, marked: Entry | None = None, cause: int = LossCause.FIFO_FULL
    ) -> None:
        """Lose ``entries`` of ``src``: a LOSS burst stands for them, then at once ``marked`` if given (rule 3)."""
        dropped = Dropped(self.state.mirrors[src])
        for entry in entries:
            if entry.src != src:
                raise ValueError(f"an entry of source {entry.src} cannot be lost by source {src}")
            dropped.add(entry)
            if entry.step_ns is not None:
                self._stepped.add(src)
        self._burst(dropped.burst(src, cause) + (marked.records() if marked else []), marked)

    def copy(self, records: list[Record]) -> None:
        """Write records as they are but for seq, not parted by a group."""
        self._contents(records)
        self._last = (max(self._last[0], records[-1].ts), records[-1].tq)

    def pad(self, count: int = 1) -> None:
        """Write ``count`` PAD records."""
        for _ in range(count):
            self._contents([Record(0, 0, Kind.PAD, 0, 0, 0)])

    def group(self, ts: int | None = None, tq: int | None = None) -> None:
        """Close the frame with a group; its time is that of the last event unless given (rule 10)."""
        ts = self._last[0] if ts is None else ts
        tq = self._last[1] if tq is None else tq
        closed, count = crc32(bytes(self._frame)), len(self._frame) // 16
        self._frame = bytearray()
        self._put(self.state.group(ts, tq, closed, count))

    def flush(self, ts: int | None = None, tq: int | None = None) -> None:
        """CNT of all sources and END (rule 25); time of the last event unless given. ``start`` may follow."""
        ts = self._last[0] if ts is None else ts
        tq = self._last[1] if tq is None else tq
        self._last = (ts, tq)  # a group among the counters carries their time: all queues are empty
        for src, counter in self.config.cnt_order:
            self._room(1)
            self._put([self.state.take(Record(ts, src, Kind.CNT, counter, self.state.counter(src, counter), tq))])
        self._room(1)
        self._put([self.state.end(ts, tq, crc32(bytes(self._frame)))])

    def resume(self, frame: bytes, ts: int, tq: int) -> None:
        """Continue behind frames made elsewhere: ``frame`` is the last one, (ts, tq) its last event; cf. ``bulk``."""
        self._frame = bytearray(frame)
        self._last = (ts, tq)

    def data(self) -> bytes:
        """The dump so far: header, then records."""
        return self.header + bytes(self._out)

    @property
    def records(self) -> int:
        """Records written so far."""
        return len(self._out) // 16

    # ---------------------------------------------------------------- inside
    def _burst(self, records: list[Record], entry: Entry | None) -> None:
        self._contents(records)
        if entry is not None:
            self._last = (entry.ts, entry.tq)
            if entry.bp_samples is not None:
                self.state.mirrors[entry.src].bp_samples = entry.bp_samples
            if entry.step_ns is not None:
                self._stepped.add(entry.src)
        if self._stepped == set(self.state.mirrors):
            self._stepped = set()
            self.group()

    def _contents(self, records: list[Record]) -> None:
        self._room(len(records))
        self._put(self.state.take(record) for record in records)

    def _room(self, count: int) -> None:
        """Close the frame first if ``count`` more records would exceed its maximum (rule 6)."""
        if len(self._frame) // 16 + count > self.config.frame_records:
            self.group()

    def _put(self, records: Iterable[Record]) -> None:
        for record in records:
            data = pack(record)
            self._frame += data
            self._out += data
