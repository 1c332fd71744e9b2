"""A part of a dump as a dump of its own, written anew: start, the events of the window, told losses, END.

The state of a source at the start of the window is that of its last keyframe before it and the events since. A place
where records are missing becomes a LOSS that lasts until the source's next keyframe: less is known there, never more.
Plain Python, one record at a time, some 50,000 a second; memory does not grow with the dump.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from npuscope.encode.mirror import KEYFRAME, BpLimits, SourceConfig
from npuscope.encode.record import Record, payload_fields
from npuscope.encode.stream import StreamConfig, StreamState
from npuscope.encode.writer import Writer
from npuscope.errors import NpuscopeError
from npuscope.layout import (
    OWNED_CFG_JITTER,
    OWNED_CFG_RAS,
    OWNED_CFG_TOKEN,
    SRC_FRAMER,
    SRC_JITTER,
    SRC_RAS,
    SRC_TOKEN,
    Cfg,
    ClkSub,
    Cnt,
    Kind,
    LossSub,
    State,
    SyncSub,
    TimeQuality,
    TokenSub,
)
from npuscope.ledger import Cause
from npuscope.records import Batch

__all__ = ["Cutter", "Settings", "settings"]

OTHERS: Final = {SRC_TOKEN: OWNED_CFG_TOKEN, SRC_RAS: OWNED_CFG_RAS, SRC_JITTER: OWNED_CFG_JITTER}
NOT_TOLD: Final = 7
"""Cause code of a LOSS that stands for damage: read as a loss of another cause."""
_AHEAD: Final = 40
"""Records kept back so that a burst or a context is seen whole."""
_LATE_NS: Final = 1_000_000
"""So long behind the window records are still looked at: sources and crossings are out of step by less."""
_FOLLOWERS: Final[dict[int, tuple[Kind, ...]]] = {
    Kind.LOSS: (Kind.LOSS, Kind.CLK, Kind.STATE, Kind.CFG),
    Kind.TOKINT: (Kind.CTX,),
}

Row = tuple[int, int, int, int, int, int]
"""ts, src, kind, sub, payload, tq."""


@dataclass(frozen=True)
class Settings:
    """The CFG words in force at the start of a window, (src, word) -> payload; the sources that told anything."""

    words: dict[tuple[int, int], int]
    seen: frozenset[int]

    @property
    def sources(self) -> list[int]:
        """Backpressure sources, rising."""
        return sorted({src for src, _ in self.words if src < SRC_TOKEN})

    def source(self, src: int, layers: int) -> SourceConfig:
        """The configuration of a backpressure source; layers: mask to use when it told none."""
        word = self.words.get((src, Cfg.BP_LIMITS))
        limits = BpLimits()
        if word is not None:
            of = {f.name: f.get(word) for f in payload_fields(Kind.CFG, Cfg.BP_LIMITS)}
            names = ("th_on", "th_off", "th_wet", "level_step", "k", "raw")
            stale = self.words.get((src, Cfg.STALE), limits.stale_ns)
            limits = BpLimits(**{name: of[name] for name in names}, stale_ns=stale)
        layers = self.words.get((src, Cfg.LAYERS), layers)
        return SourceConfig(layers, self.words.get((src, Cfg.DRY_MASK), 0) & layers, limits)


def settings(batches: Iterable[Batch], start_ns: int) -> Settings:
    """The last CFG words before ``start_ns``, of those not told before it the first ones after."""
    before: dict[tuple[int, int], int] = {}
    after: dict[tuple[int, int], int] = {}
    seen: set[int] = set()
    for batch in batches:
        seen |= set(np.flatnonzero(np.bincount(batch.src)).tolist())
        for i in np.flatnonzero((batch.kind == Kind.CFG) & (batch.quality < 2)).tolist():
            key = int(batch.src[i]), int(batch.sub[i])
            if batch.ts[i] < start_ns:
                before[key] = int(batch.payload[i])
            else:
                after.setdefault(key, int(batch.payload[i]))
    return Settings(after | before, frozenset(seen))


class Cutter:
    """Fed with all batches of a capture, in order; ``finish`` returns the dump of [start_ns, end_ns) ns TAI.

    layers: src -> mask of the layers of the description, for sources that told none. header: page in front. repair:
    turn missing records into LOSS instead of refusing them. ``done`` is set once the window is behind.
    """

    def __init__(
        self,
        found: Settings,
        window: tuple[int, int],
        *,
        layers: Mapping[int, int],
        header: bytes = b"",
        repair: bool = False,
    ) -> None:
        self.start_ns, self.end_ns = window
        self.repair, self.done = repair, False
        self._header = header
        self._config = _config(found, layers)
        self._mirrors = StreamState(self._config).mirrors
        self._writer: Writer | None = None
        self._synced = {src: not mirror.layers for src, mirror in self._mirrors.items()}
        self._since = dict.fromkeys(self._mirrors, self.start_ns)  # last time at which all of a source was seen
        self._swallowed = dict.fromkeys(self._mirrors, 0)
        self._rows: list[Row] = []
        self._holes: list[tuple[int, int | None, Cause]] = []  # index in rows, source, cause

    def feed(self, batch: Batch) -> None:
        """Take one batch."""
        if self.done:
            return
        good = np.flatnonzero(batch.quality < 2)
        base = len(self._rows)
        self._holes += [(base + int(np.searchsorted(good, hole.index)), hole.src, hole.cause) for hole in batch.holes]
        columns = (batch.ts, batch.src, batch.kind, batch.sub, batch.payload, batch.tq)
        self._rows += list(zip(*(column[good].tolist() for column in columns), strict=True))
        self._work(max(0, len(self._rows) - _AHEAD))

    def finish(self) -> bytes:
        """The dump."""
        self._work(len(self._rows))
        for _, src, cause in [] if self.done else self._holes:
            self._hole(src, cause, self.end_ns)
        writer = self._begin()
        for src, synced in self._synced.items():
            if not synced and self._since[src] < self.end_ns:
                self._lose(src, self.end_ns, None)
        writer.flush(max(self.end_ns, *self._since.values()))
        return writer.data()

    # ---------------------------------------------------------------- inside
    def _work(self, until: int) -> None:
        """Take the rows before ``until`` and forget them."""
        at = 0
        while at < until and not self.done:
            while self._holes and self._holes[0][0] <= at:
                _, src, cause = self._holes.pop(0)
                self._hole(src, cause, self._rows[at][0])
            at += self._take(at)
        self._holes = [(place - at, src, cause) for place, src, cause in self._holes]
        del self._rows[:at]

    def _begin(self) -> Writer:
        """The writer, its start written with the state known now."""
        if self._writer is None:
            self._writer = Writer.of(self._config, self.start_ns, header=self._header, mirrors=self._mirrors)
        return self._writer

    def _hole(self, src: int | None, cause: Cause, ts: int) -> None:
        """Records are missing before a record of ``ts``."""
        inside, ts = self._writer is not None and ts >= self.start_ns, min(ts, self.end_ns)
        if inside and cause in (Cause.RESTART, Cause.STOPPED):
            raise NpuscopeError("the stream starts anew inside the window", hint="cut the parts one by one")
        if inside and not self.repair:
            hint = "--repair puts a loss there"
            raise NpuscopeError("records are missing inside the window", found=str(cause), hint=hint)
        for one in list(self._mirrors) if src is None else [src] if src in self._mirrors else []:
            if inside:
                self._lose(one, ts, None)
            self._synced[one] = not self._mirrors[one].layers

    def _lose(self, src: int, ts: int, keyframe: list[int] | None) -> None:
        """Write a LOSS of ``src`` up to ``ts``, and what is known then; None: nothing."""
        mirror, first = self._mirrors[src], min(self._since[src], ts)
        count = max(1, self._swallowed[src])  # at least that many
        found = [
            Record(first, src, Kind.LOSS, LossSub.FIRST | NOT_TOLD, count, TimeQuality.DOUBT),
            Record(ts, src, Kind.LOSS, LossSub.SECOND | NOT_TOLD, 0, TimeQuality.DOUBT),
        ]
        if mirror.layers:
            masks = [0, 0, mirror.layers, 0] if keyframe is None else keyframe
            for word, mask in zip(KEYFRAME, masks, strict=True):
                found.append(Record(ts, src, Kind.STATE, word, mask, TimeQuality.DOUBT))
            for cfg in (Cfg.BP_LIMITS, Cfg.STALE):
                found.append(Record(ts, src, Kind.CFG, cfg, mirror.cfg[cfg], TimeQuality.DOUBT))
        self._begin().copy(found)
        self._since[src], self._swallowed[src] = ts, 0

    def _take(self, at: int) -> int:
        """Take the record ``at`` and what belongs to it; return how many those are."""
        ts, src, kind, sub, payload, _ = self._rows[at]
        if kind == Kind.SYNC or src not in self._mirrors:
            self.done = self._writer is not None and kind == Kind.SYNC and sub == SyncSub.END
            return 1
        size = self._size(at)
        rows = self._rows[at : at + size]
        told = max(row[0] for row in rows)
        event = kind not in (Kind.CNT, Kind.CFG, Kind.STATE, Kind.LOSS)
        if event and told >= self.start_ns:
            self._begin()
        if kind == Kind.LOSS and ts < self.end_ns <= told:
            self._swallowed[src] += payload
            self._lose(src, self.end_ns, None)
            self._synced[src] = False
        elif told >= self.end_ns:
            self.done = event and told >= self.end_ns + _LATE_NS
        elif kind == Kind.CNT:
            if sub in (Cnt.BP_SAMPLES, Cnt.TOKENS):
                self._mirrors[src].bp_samples = payload
        elif kind == Kind.LOSS:
            self._loss(src, rows)
        elif kind == Kind.STATE and size == len(KEYFRAME):
            self._keyframe(src, ts, rows)
        elif not self._synced[src]:
            self._swallowed[src] += size
        else:
            self._event(src, rows)
        return size

    def _size(self, at: int) -> int:
        """Records that belong together: a keyframe, a LOSS burst, a token interrupt with its context."""
        ts, src, kind, sub, _, _ = self._rows[at]
        if kind == Kind.STATE and sub == State.HOT:
            whole = [row[:4] for row in self._rows[at : at + 4]] == [(ts, src, Kind.STATE, word) for word in KEYFRAME]
            return len(KEYFRAME) if whole else 1
        inside = _FOLLOWERS.get(kind, ())
        end = at + 1
        while end < len(self._rows) and end - at < _AHEAD // 2:
            row = self._rows[end]
            if row[1] != src or row[2] not in inside or (row[2] == Kind.LOSS and row[3] < LossSub.SECOND):
                break
            end += 1
        return end - at

    def _loss(self, src: int, rows: list[Row]) -> None:
        """A LOSS burst that the hardware told."""
        if len(rows) < 2 or rows[1][2] != Kind.LOSS:
            self._hole(src, Cause.DAMAGE, rows[0][0])
            return
        keyframe = [row for row in rows if row[2] == Kind.STATE]
        if self._writer is None and rows[1][0] < self.start_ns:
            for row in rows:
                self._mirrors[src].update(_record(row))
        else:
            first = _record(rows[0], max(self.start_ns, min(rows[0][0], self._since[src])))
            first = replace(first, payload=min(first.payload + self._swallowed[src], 0xFFFFFFFF))
            _refuse_step(rows)
            self._begin().copy([first, *(_record(row, max(row[0], self.start_ns)) for row in rows[1:])])
            self._since[src], self._swallowed[src] = rows[1][0], 0
        if self._mirrors[src].layers:
            self._synced[src] = len(keyframe) == len(KEYFRAME)

    def _keyframe(self, src: int, ts: int, rows: list[Row]) -> None:
        """A keyframe of a group or of the start: what it says is known, or is what a source begins with."""
        mirror, masks = self._mirrors[src], [row[4] for row in rows]
        if self._synced[src] and masks == [mask for _, mask in mirror.keyframe()]:
            return
        if self._writer is not None:
            self._lose(src, max(ts, self._since[src]), masks)
        for row in rows:
            mirror.update(_record(row))
        self._synced[src] = True

    def _event(self, src: int, rows: list[Row]) -> None:
        ts, _, kind, sub, payload, _ = rows[0]
        mirror = self._mirrors[src]
        if kind == Kind.TOKINT or (kind == Kind.TOKEN and sub in (TokenSub.FIRST, TokenSub.NEXT)):
            mirror.bp_samples += 1  # CNT TOKENS
        if self._writer is None or max(row[0] for row in rows) < self.start_ns:
            for row in rows:
                mirror.update(_record(row))
            return
        self._since[src] = max(ts, self._since[src])
        repeated = kind == Kind.CFG and mirror.cfg.get(sub) == payload
        repeated |= kind == Kind.STATE and (sub != State.UNKNOWN or mirror.unknown == payload)
        if not repeated:
            _refuse_step(rows)
            self._writer.copy([_record(row) for row in rows])


def _config(found: Settings, layers: Mapping[int, int]) -> StreamConfig:
    sources = found.sources
    if not sources or sources != list(range(len(sources))):
        hint = "too little of it is there to write it anew"
        raise NpuscopeError("the settings of its sources are missing", found=f"sources {sources}", hint=hint)
    others = {
        src: {int(word): found.words.get((src, int(word)), 0) for word in owned}
        for src, owned in OTHERS.items()
        if src in found.seen
    }
    low, high = (found.words.get((SRC_FRAMER, int(word)), 0) for word in (Cfg.DESC_HASH_LO, Cfg.DESC_HASH_HI))
    period = found.words.get((SRC_FRAMER, int(Cfg.CLK_PERIOD)), 0)
    configs = tuple(found.source(src, layers.get(src, 1)) for src in sources)
    return StreamConfig(configs, period, high << 32 | low, others=others)


def _record(row: Row, ts: int | None = None) -> Record:
    return Record(row[0] if ts is None else ts, *row[1:])


def _refuse_step(rows: list[Row]) -> None:
    if any(row[2] == Kind.CLK and row[3] in (ClkSub.STEP_LO, ClkSub.STEP_HI) for row in rows):
        raise NpuscopeError("the clock steps inside the window", hint="cut before or behind the step")
