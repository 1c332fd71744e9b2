"""The bookkeeping of a decode: who sent how many records, which are missing, and what the stream says of itself.

A source numbers its records with seq (modulo 256) and now and then tells the true number, CNT ACCEPTED. seq finds a
loss at once; CNT makes the number exact. Records of quality 2 prove nothing and are not counted as decoded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import FORMAT_MAJOR, SRC_FRAMER, Cfg, ClkSub, Cnt, Kind, LossSub
from npuscope.ledger import MAX_LISTED, Cause, ClockStep, Ledger, SourceCount, Window
from npuscope.records.batch import SRC_MASK, TQ_LSB, Batch, Hole
from npuscope.records.glance import member
from npuscope.records.salvage import KNOWN

__all__ = ["Account"]

U1 = npt.NDArray[np.uint8]

SEQ: Final = 256
WORD: Final = 1 << 32
MANY_HEADS: Final = 24
"""From so many values of the srctq byte on one histogram is faster than counting them one by one."""
_CNT_ACCEPTED: Final = Kind.CNT | Cnt.ACCEPTED << 4
_CNT_DROPPED: Final = Kind.CNT | Cnt.DROPPED << 4
_STEP_LO: Final = Kind.CLK | ClkSub.STEP_LO << 4
_STEP_HI: Final = Kind.CLK | ClkSub.STEP_HI << 4
_LOSSES: Final = np.arange(256) & 0xF == Kind.LOSS
"""bool[256] over the kindsub byte: what tells a loss or a step of the clock."""
_LOSSES[[_STEP_LO, _STEP_HI]] = True


@dataclass(slots=True)
class _Stream:
    """One source in one run. next: number of its next record; only its low byte is sure until ``anchored``."""

    next: int
    anchored: bool
    broken: bool = False  # a hole since its last record: the next seq tells what is missing
    pending: list[Window] = field(default_factory=list)  # holes not yet settled by a CNT
    told: int = 0  # sum of LOSS counts since the start, or since the first CNT DROPPED
    dropped_anchored: bool = False
    loss: tuple[int, int, int] | None = None  # first half of a LOSS: ts, count, cause
    step_lo: int | None = None


@dataclass(slots=True)
class _Waiting:
    """A window whose count becomes known when all ``sources`` have told theirs."""

    sources: set[int]
    lost: int = 0
    vague: bool = False


class Account:
    """Fed with every batch in stream order; writes ``ledger``.

    desc_hash: hash the user's description has, 0 = none given. force: take the dump although its hash differs.
    hint: what to try when it does.
    """

    def __init__(self, ledger: Ledger, *, name: str, desc_hash: int, force: bool, hint: str) -> None:
        self.ledger, self._name, self._hash, self._force, self._hint = ledger, name, desc_hash, force, hint
        self._streams: dict[int, _Stream] = {}
        self._from_start = False
        self._waiting: dict[int, _Waiting] = {}
        self._heads = np.empty(0, np.uint8)  # srctq bytes of the last batch
        self._words = np.full(SRC_FRAMER + 1 << 4, -1, np.int64)  # CFG words last told, by src << 4 | index
        self._vague: set[int] = set()  # sources with a loss that no CNT settled

    # ---------------------------------------------------------------- events from the framing
    def start(self) -> None:
        """A stream starts: frame 0. All counters are 0, every source's first record has seq 0."""
        self._settle_run()
        self.ledger.runs += 1
        self._from_start = True

    def restart_unseen(self) -> None:
        """A stream started, but its beginning was not seen: nothing is known of any counter."""
        self._settle_run()
        self._from_start = False

    def hole(self, hole: Hole) -> None:
        """Records may be missing here."""
        window = Window(hole.src, 0, hole.from_ns, hole.to_ns, hole.cause, hole.count)
        kept = self.ledger.windows.note(window)
        if hole.cause in (Cause.RESTART, Cause.STOPPED):
            return
        hit = {src for src in self._streams if hole.src in (None, src)}
        if kept.count is None and kept is window:
            self._waiting[id(kept)] = _Waiting(set(hit))
        for src in hit:
            stream = self._streams[src]
            stream.broken = True
            stream.pending.append(kept)

    def expected(self, src: int) -> int | None:
        """The seq that the next record of ``src`` should have; None = not known."""
        stream = self._streams.get(src)
        if stream is None:
            return 0 if self._from_start else None
        return stream.next % SEQ

    # ---------------------------------------------------------------- records
    def records(self, batch: Batch) -> None:
        """Count the records of a batch, hole by hole."""
        if isinstance(batch._quality, int) and batch._quality < 2 and not any(hole.index for hole in batch.holes):
            for hole in batch.holes:
                self.hole(hole)
            self._count(batch)
            return
        self._possible(batch)
        start = 0
        for hole in batch.holes:
            self._count_certain(batch.take(slice(start, hole.index)))
            self.hole(hole)
            start = hole.index
        self._count_certain(batch.take(slice(start, len(batch))))

    def _count_certain(self, part: Batch) -> None:
        self._count(part.take(part.quality < 2))

    def _possible(self, batch: Batch) -> None:
        counts = np.bincount(batch.src[batch.quality == 2], minlength=1)
        self.ledger.possible += int(counts.sum())
        for src in np.flatnonzero(counts).tolist():
            self.ledger.sources.setdefault(src, SourceCount()).possible += int(counts[src])

    def _count(self, batch: Batch) -> None:
        """Records without a hole between them, all of quality 0 or 1, no PAD."""
        if not len(batch):
            return
        by_source, by_quality = self._by_head(batch.srctq)
        for source, count in by_source.items():
            stream = self._streams.get(source)
            if stream is None or stream.broken:
                seq = int(batch.raw["seq"][int(np.argmax(batch.src == source))])
                stream = self._resume(source, stream, seq)
            stream.next += count
            self.ledger.sources[source].decoded += count
        self._histogram(batch)
        for quality, count in by_quality.items():
            self.ledger.clock[quality] = self.ledger.clock.get(quality, 0) + count
        self._read_others(batch, batch.others)
        ledger = self.ledger
        ledger.first_ts = batch.stamp(0) if ledger.first_ts is None else ledger.first_ts
        ledger.last_ts = batch.stamp(len(batch) - 1)

    def _by_head(self, srctq: U1) -> tuple[dict[int, int], dict[int, int]]:
        """Records by source and by time quality; the few values of the byte seen last are counted one by one."""
        few = self._heads if len(self._heads) <= MANY_HEADS else self._heads[:0]
        counts = [int(np.count_nonzero(srctq == value)) for value in few]
        if sum(counts) < len(srctq):
            every = np.bincount(srctq, minlength=256)
            self._heads = np.flatnonzero(every).astype(np.uint8)
            counts = every[self._heads].tolist()
        by_source: dict[int, int] = {}
        by_quality: dict[int, int] = {}
        for value, count in zip(self._heads.tolist(), counts, strict=True):
            if count:
                by_source[value & int(SRC_MASK)] = by_source.get(value & int(SRC_MASK), 0) + count
                by_quality[value >> int(TQ_LSB)] = by_quality.get(value >> int(TQ_LSB), 0) + count
        return by_source, by_quality

    def _resume(self, source: int, stream: _Stream | None, seq: int) -> _Stream:
        """The first record of a source, or its first one behind a hole."""
        entry = self.ledger.sources.setdefault(source, SourceCount())
        if stream is None:
            first = 0 if self._from_start else seq
            stream = self._streams[source] = _Stream(first, self._from_start, dropped_anchored=self._from_start)
        residue = (seq - stream.next) % SEQ
        stream.next += residue
        entry.missing += residue
        stream.broken = False
        if residue:
            self._blame(source, stream, residue)
        return stream

    def _blame(self, source: int, stream: _Stream, count: int) -> None:
        """``count`` records of ``source`` are missing somewhere in its pending holes."""
        for window in stream.pending:
            waiting = self._waiting.get(id(window))
            if waiting is not None:
                waiting.lost += count
                waiting.vague |= len(stream.pending) > 1

    def _histogram(self, batch: Batch) -> None:
        counts = batch.counts
        for code in np.flatnonzero(counts.astype(bool) & ~KNOWN).tolist():
            name = f"{Kind(code & 0xF).name}.{code >> 4}"
            self.ledger.unknown[name] = self.ledger.unknown.get(name, 0) + int(counts[code])
        kinds = counts.reshape(16, 16).sum(axis=0).tolist()
        kinds[Kind.BP] += len(batch) - len(batch.rare)
        for kind in Kind:
            if kinds[kind]:
                self.ledger.kinds[kind.name] = self.ledger.kinds.get(kind.name, 0) + int(kinds[kind])

    def _read_others(self, batch: Batch, others: npt.NDArray[np.intp]) -> None:
        """CNT, LOSS, CLK steps and CFG: rare beside BP."""
        kindsub, source, payload = batch.codes, batch.other_rows["srctq"] & SRC_MASK, batch.other_rows["payload"]
        kind = kindsub & np.uint8(0xF)
        chosen = np.flatnonzero(kind == Kind.CFG)
        keys, words = source[chosen].astype(np.int64) << 4 | kindsub[chosen] >> np.uint8(4), payload[chosen]
        if (self._words[keys] != words).any():
            self._config(dict(zip(keys.tolist(), words.tolist(), strict=True)))
            self._words[keys] = words  # of several for a key the last one stays
        losses: dict[int, list[tuple[int, int]]] = {}
        if batch.counts[_LOSSES].any():
            chosen = np.flatnonzero(member(kindsub, _LOSSES))
            losses = self._losses(batch.other_rows[chosen], others[chosen].tolist())
        chosen = np.flatnonzero(kindsub == _CNT_ACCEPTED)
        last = dict(zip(source[chosen].tolist(), chosen.tolist(), strict=True))
        for src, index in last.items():
            place = int(others[index])
            number = self._streams[src].next - int(np.count_nonzero(batch.srctq[place:] & SRC_MASK == src))
            self._accepted(src, number, int(payload[index]), int(batch.other_rows["ts"][index]))
        chosen = np.flatnonzero(kindsub == _CNT_DROPPED)
        last = dict(zip(source[chosen].tolist(), chosen.tolist(), strict=True))
        for src, index in last.items():
            behind = sum(count for place, count in losses.get(src, []) if place > int(others[index]))
            self._dropped(src, int(payload[index]), behind, int(batch.other_rows["ts"][index]))

    # ---------------------------------------------------------------- what the stream says of itself
    def _config(self, words: dict[int, int]) -> None:
        for key, value in words.items():
            self.ledger.config.setdefault(key >> 4, {})[key & 0xF] = value
        framer = self.ledger.config.get(SRC_FRAMER, {})
        if SRC_FRAMER << 4 | Cfg.VERSION in words:
            major, minor = framer[Cfg.VERSION] >> 16, framer[Cfg.VERSION] & 0xFFFF
            self.ledger.version = (major, minor)
            if major != FORMAT_MAJOR:
                raise NpuscopeError(
                    "the trace is of another version of the format",
                    file=self._name,
                    found=f"{major}.{minor}",
                    expected=f"{FORMAT_MAJOR}.x",
                    hint="use the npuscope of its time",
                    exit_code=Exit.NOT_RECOGNISED,
                )
        told = {SRC_FRAMER << 4 | Cfg.DESC_HASH_LO, SRC_FRAMER << 4 | Cfg.DESC_HASH_HI} & words.keys()
        if told and Cfg.DESC_HASH_LO in framer and Cfg.DESC_HASH_HI in framer:
            self.ledger.hash = framer[Cfg.DESC_HASH_HI] << 32 | framer[Cfg.DESC_HASH_LO]
            self.check_hash(self.ledger.hash, self._hash)

    def group_hash(self, told: int) -> None:
        """Check the low 16 bits of the hash, which every group tells."""
        if told and self.ledger.hash is None and self._hash:
            self.check_hash(told, self._hash, low=True)

    def check_hash(self, told: int, given: int, *, low: bool = False) -> None:
        """Refuse a description that is not the dump's; 0 on either side = none. low: only 16 bits were told."""
        if told and given and told != (given & 0xFFFF if low else given):
            if not self._force:
                raise NpuscopeError(
                    "the description is not the one this trace was made with",
                    file=self._name,
                    found=f"hash {given:016x}",
                    expected=f"hash ..{told:04x}, all that was told so far" if low else f"hash {told:016x}",
                    hint=self._hint,
                )
            self.ledger.note("the description was forced: its hash differs from the trace's")

    def _losses(self, raw: npt.NDArray[np.void], places: list[int]) -> dict[int, list[tuple[int, int]]]:
        """LOSS pairs and CLK step pairs in order; returns (place, count) of the LOSS records by source."""
        told: dict[int, list[tuple[int, int]]] = {}
        for place, (ts, kindsub, srctq, _, _, payload) in zip(places, raw.tolist(), strict=True):
            src, sub = srctq & 0x3F, kindsub >> 4
            stream = self._streams[src]
            if kindsub == _STEP_LO:
                stream.step_lo = payload
            elif kindsub == _STEP_HI:
                self._step(src, stream, ts, payload)
            elif sub < LossSub.SECOND:
                stream.loss = (ts, payload, sub)
                stream.told += payload
                self.ledger.sources[src].dropped += payload
                told.setdefault(src, []).append((place, payload))
            else:
                self._loss_window(src, stream, ts, payload, sub - LossSub.SECOND)
        return told

    def _loss_window(self, src: int, stream: _Stream, ts: int, layers: int, cause: int) -> None:
        first, count, _ = stream.loss if stream.loss is not None else (ts, None, cause)
        self.ledger.windows.note(Window(src, layers, first, ts, Cause.of_loss(cause), count))
        stream.loss = None

    def _step(self, src: int, stream: _Stream, ts: int, high: int) -> None:
        if stream.step_lo is None:
            return
        size = high << 32 | stream.step_lo
        size -= (size >> 63) << 64
        stream.step_lo = None
        steps = self.ledger.steps
        if any(step.src == src for step in steps[-1:]) or not any(step.step_ns == size for step in steps[-63:]):
            self.ledger.step_count += 1
            if len(steps) < MAX_LISTED:
                steps.append(ClockStep(src, ts, size))

    # ---------------------------------------------------------------- reconciliation
    def _accepted(self, src: int, number: int, told: int, ts: int) -> None:
        """CNT ACCEPTED says that ``told`` records went before it; by our own count they are ``number``."""
        stream, entry = self._streams[src], self.ledger.sources[src]
        delta = (told - number) % WORD
        if not stream.anchored:
            stream.next += delta
            stream.anchored = True
            if stream.pending:  # what went before the capture and what is missing in it cannot be told apart
                self._vague.add(src)
                self._forget(stream)
            return
        if delta >= WORD // 2 or delta % SEQ:
            self.ledger.conflict(f"source {src}: CNT ACCEPTED {told} at {ts} ns, but {number} records came before it")
            stream.next += delta - WORD if delta >= WORD // 2 else delta
            return
        if delta:
            stream.next += delta
            entry.missing += delta
            if not stream.pending:
                self.ledger.conflict(f"source {src}: {delta} records vanished before {ts} ns between good frames")
                self.ledger.windows.note(Window(src, 0, self.ledger.first_ts or 0, ts, Cause.GAP, delta))
            self._blame(src, stream, delta)
        for window in stream.pending:
            self._told(src, window)
        stream.pending.clear()

    def _told(self, src: int, window: Window) -> None:
        """``src`` has told exactly what it lost in ``window``."""
        waiting = self._waiting.get(id(window))
        if waiting is None:
            return
        waiting.sources.discard(src)
        if not waiting.sources:
            del self._waiting[id(window)]
            if not waiting.vague and window.merged == 1:
                window.count = waiting.lost

    def _forget(self, stream: _Stream) -> None:
        """The pending windows of ``stream`` will never know their count."""
        for window in stream.pending:
            self._waiting.pop(id(window), None)
        stream.pending.clear()

    def _dropped(self, src: int, told: int, behind: int, ts: int) -> None:
        """CNT DROPPED says ``told``; LOSS records with ``behind`` drops came after it in the same batch."""
        stream, entry = self._streams[src], self.ledger.sources[src]
        ours = stream.told - behind
        if not stream.dropped_anchored:
            stream.told += told - ours
            stream.dropped_anchored = True
            return
        delta = (told - ours) % WORD
        if delta and (delta >= WORD // 2 or not (stream.pending or entry.missing)):
            self.ledger.conflict(f"source {src}: CNT DROPPED {told} at {ts} ns, but LOSS records tell {ours}")
        elif delta:
            entry.dropped += delta
        stream.told += delta - WORD if delta >= WORD // 2 else delta

    def _settle_run(self) -> None:
        """The run is over: what no CNT has proven stays a lower bound."""
        for src, stream in self._streams.items():
            if stream.pending:
                self._vague.add(src)
        self._streams.clear()
        self._waiting.clear()

    def finish(self) -> None:
        """The capture is over."""
        self._settle_run()
        for src, count in self.ledger.sources.items():
            count.exact = src not in self._vague and (count.decoded > 0 or not count.possible)
