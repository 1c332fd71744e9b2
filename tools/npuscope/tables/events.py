"""Batches to chunks of one source each, with every place marked behind which records may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import Cfg, ClkSub, Kind, LossSub, SyncSub
from npuscope.ledger import Cause
from npuscope.records import Batch, Hole

__all__ = ["TABLE_KINDSUBS", "Break", "Chunk", "Gap", "Picker", "Reader", "Setting"]

I8 = npt.NDArray[np.int64]
U1 = npt.NDArray[np.uint8]
U4 = npt.NDArray[np.uint32]

DATA: Final = (Kind.JITTER, Kind.RAS, Kind.TOKINT, Kind.CTX, Kind.TOKEN)
"""Kinds that become rows."""
_LOW: Final = np.uint8(0xF)
_STEP_LO: Final = Kind.CLK | ClkSub.STEP_LO << 4
_STEP_HI: Final = Kind.CLK | ClkSub.STEP_HI << 4
RESTARTS: Final = (Cause.RESTART, Cause.STOPPED)


def _kindsubs(kinds: tuple[Kind, ...]) -> npt.NDArray[np.bool_]:
    return np.isin(np.arange(256) & 0xF, kinds)


_DATA: Final = _kindsubs(DATA)
_SETTING: Final = np.isin(np.arange(256), [Kind.CFG | w << 4 for w in range(Cfg.T_NOMINAL_LO, Cfg.A_HOLDOFF + 1)])
_FOLLOWED: Final = _DATA | _SETTING
TABLE_KINDSUBS: Final = ~_kindsubs((Kind.PAD, Kind.BP, Kind.STATE, Kind.SYNC))
"""bool[256] over the kindsub byte: the records that a ``Reader`` needs: of its sources all, so that seq tells a gap."""
_END: Final = Kind.SYNC | SyncSub.END << 4
TABLE_KINDSUBS[_END] = True
TABLE_KINDSUBS.flags.writeable = False


class Break(IntEnum):
    """Why a row does not follow the one before it of its source, the weightiest cause if there are several."""

    NONE = 0  # nothing is missing
    STEP = 1  # a clock step lies between
    START = 2  # the first record of the source in this capture
    LOSS = 3  # records were dropped in hardware, told by LOSS
    DAMAGE = 4  # records may be missing in the dump
    RESTART = 5  # another run of the stream


@dataclass(frozen=True)
class Setting:
    """A CFG word of the jitter or RAS source, 6 to 13; ``at`` and ``time`` as in ``Chunk``."""

    at: int
    src: int
    word: int
    value: int
    time: int = 0


@dataclass(frozen=True)
class Gap:
    """A time on the axis, both ends inclusive, in which records of ``src`` may be missing; run: of the stream.

    told: by LOSS, which repeats CFG words that were dropped; else what was configured in it is not known.
    """

    run: int
    src: int
    from_ns: int
    to_ns: int
    told: bool = False


@dataclass(frozen=True)
class Chunk:
    """Records of one source in stream order, shape (n,) each.

    at: number of the record in the capture, i8, one scale for all sources. ts: ns TAI as stamped, i8.
    time: ns on the axis, which goes on through clock steps, i8. epoch: clock steps of the source so far, i4.
    kind, sub, tq, seq: u1. payload: u4. cause: ``Break`` before the record, u1.
    """

    src: int
    at: I8
    ts: I8
    time: I8
    epoch: npt.NDArray[np.int32]
    kind: U1
    sub: U1
    tq: U1
    seq: U1
    payload: U4
    cause: U1

    def __len__(self) -> int:
        return len(self.at)

    @property
    def has_jitter(self) -> bool:
        """Whether a sync pulse is among them."""
        return bool((self.kind == Kind.JITTER).any())

    def pick(self, index: npt.NDArray[np.intp] | slice) -> Chunk:
        """The records ``index``."""
        return Chunk(self.src, *(getattr(self, field.name)[index] for field in fields(self)[1:]))

    def part(self, start: int, stop: int) -> Chunk:
        """The records [start, stop)."""
        return self.pick(slice(start, stop))

    def join(self, later: Chunk) -> Chunk:
        """These records and later ones of the same source."""
        names = [field.name for field in fields(self)[1:]]
        return Chunk(self.src, *(np.concatenate([getattr(self, n), getattr(later, n)]) for n in names))


@dataclass
class _Source:
    """One source so far. cause: what is missing before its next row. seq: of its last record, None = not known.

    shift: ts - axis, the sum of its steps in this run. half: the low word of a step whose high word comes next.
    time: of its last record on the axis. gaps: from and to on the axis, and whether told by LOSS, found
    in the last batch; steps: the clock steps in it, ns, 0 where half of one was lost.
    """

    cause: int = Break.START
    seq: int | None = None
    epoch: int = 0
    shift: int = 0
    half: int | None = None
    time: int | None = None
    gaps: list[tuple[int, int, bool]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)


class Reader:
    """Fed with every batch in stream order; memory grows only with ``gaps``, and only when they are to be kept.

    A source is followed from its first row or CFG word on. run: restarts of the stream so far.
    ended: runs that END closes.
    """

    def __init__(self, *, keep_gaps: bool = False) -> None:
        self._sources: dict[int, _Source] = {}
        self._count = 0
        self._keep_gaps = keep_gaps
        self.run = 0
        self.gaps: list[Gap] = []
        self.ended: set[int] = set()
        self._steps: dict[tuple[int, int], list[int]] = {}

    def feed(self, batch: Batch) -> tuple[list[Chunk], list[Setting]]:
        """The rows of ``batch`` by source, and the CFG words in it in stream order."""
        parts = list(self.parts(batch))
        return [chunk for _, chunks, _ in parts for chunk in chunks], [word for _, _, words in parts for word in words]

    def parts(self, batch: Batch) -> Iterator[tuple[int, list[Chunk], list[Setting]]]:
        """The same for each run of the stream that ``batch`` has a part of, with its number."""
        restarts = [hole.index for hole in batch.holes if hole.cause in RESTARTS]
        bounds = [0, *restarts, len(batch)]
        for number, (begin, end) in enumerate(pairwise(bounds)):
            if number:
                self._restart()
            last = number == len(restarts)
            holes = [h for h in batch.holes if h.cause not in RESTARTS and begin <= h.index and (h.index < end or last)]
            yield self.run, *self._part(batch if not restarts else batch.take(slice(begin, end)), begin, holes)

    def aligned(self, run: int, *sources: int) -> bool:
        """Whether ``sources`` told the same clock steps in ``run``: else their times do not compare."""
        told = [self._steps.get((run, src), []) for src in sources if src in self._sources]
        return all(steps == told[0] for steps in told)

    def _restart(self) -> None:
        self.run += 1
        for source in self._sources.values():
            source.cause, source.seq, source.shift, source.half, source.time = Break.RESTART, None, 0, None, None

    def _part(self, batch: Batch, begin: int, holes: list[Hole]) -> tuple[list[Chunk], list[Setting]]:
        first, self._count = self._count, self._count + len(batch)
        wanted = batch.others[TABLE_KINDSUBS[batch.kindsub[batch.others]]]
        wanted = wanted[batch.quality[wanted] < 2]
        code, src = batch.kindsub[wanted], batch.src[wanted]
        if (code == _END).any():
            self.ended.add(self.run)
        for number in np.flatnonzero(np.bincount(src[_FOLLOWED[code]])).tolist():
            self._sources.setdefault(number, _Source())
        chunks: list[Chunk] = []
        settings: list[Setting] = []
        for number, source in self._sources.items():
            own = wanted[src == number]
            places = [
                (int(np.searchsorted(own, hole.index - begin)), hole) for hole in holes if hole.src in (None, number)
            ]
            if len(own) or places:
                chunk = _chunk(source, number, first + own, batch.rows(own), places, settings)
                chunks += [chunk] if len(chunk) else []
        for number, source in self._sources.items():
            if source.steps:
                self._steps.setdefault((self.run, number), []).extend(source.steps)
                source.steps.clear()
        if self._keep_gaps:
            for number, source in self._sources.items():
                self.gaps += [Gap(self.run, number, *span) for span in source.gaps]
                source.gaps.clear()
        return chunks, sorted(settings, key=lambda setting: setting.at)


def _chunk(
    source: _Source,
    number: int,
    at: I8,
    raw: npt.NDArray[np.void],
    holes: Sequence[tuple[int, Hole]],
    settings: list[Setting],
) -> Chunk:
    """The rows among the records ``raw`` of one source; ``source`` is brought to behind them.

    holes: index of the record behind it, and the hole. settings: gets the CFG words.
    """
    size = len(raw)
    ts, code, seq = raw["ts"].astype(np.int64), np.ascontiguousarray(raw["kindsub"]), np.ascontiguousarray(raw["seq"])
    kind = code & _LOW
    cause = np.zeros(size + 1, np.uint8)  # before record i; the last one: before the next record
    for index, _ in holes:
        cause[index] = Break.DAMAGE
    jump = np.zeros(size, np.bool_)
    jump[1:] = seq[1:] != seq[:-1] + np.uint8(1)
    jump[:1] = source.seq is not None and size > 0 and int(seq[0]) != (source.seq + 1) % 256
    jump &= cause[:size] == 0
    cause[:size][jump] = Break.DAMAGE
    lost = np.flatnonzero(kind == Kind.LOSS) + 1
    cause[lost] = np.maximum(cause[lost], Break.LOSS)
    epoch, shift = np.full(size, source.epoch, np.int32), np.full(size, source.shift, np.int64)
    before = source.shift, source.time
    if source.half is not None or (kind == Kind.CLK).any():
        moved, sizes = _steps(source, code, raw["payload"], cause)
        cause[:size][moved] = np.maximum(cause[:size][moved], Break.STEP)
        epoch += np.cumsum(moved, dtype=np.int32)
        shift += np.cumsum(sizes)
        source.steps += sizes[moved].tolist()
    time = ts - shift
    for index in np.flatnonzero(_SETTING[code]).tolist():
        settings.append(
            Setting(int(at[index]), number, int(code[index]) >> 4, int(raw["payload"][index]), int(time[index]))
        )
    if cause.any():
        source.gaps = _gaps(before, kind, code, ts, shift, np.flatnonzero(jump), holes)
    rows = np.flatnonzero(_DATA[code])
    worst = np.zeros(len(rows) + 1, np.uint8)  # before each row, and behind the last
    if cause.any():
        worst = np.maximum.reduceat(cause, np.append(0, rows + 1))
    worst[0] = max(int(worst[0]), source.cause)
    source.cause = int(worst[-1])
    if size:
        source.seq, source.epoch, source.shift, source.time = (
            int(seq[-1]),
            int(epoch[-1]),
            int(shift[-1]),
            int(time[-1]),
        )
    if cause[-1] == Break.DAMAGE:
        source.seq = None
    return Chunk(
        number,
        at[rows],
        ts[rows],
        time[rows],
        epoch[rows],
        kind[rows],
        code[rows] >> np.uint8(4),
        np.ascontiguousarray(raw["srctq"])[rows] >> np.uint8(6),
        seq[rows],
        np.ascontiguousarray(raw["payload"])[rows],
        worst[:-1],
    )


def _gaps(
    before: tuple[int, int | None],
    kind: U1,
    code: U1,
    ts: I8,
    shift: I8,
    jumps: npt.NDArray[np.intp],
    holes: Sequence[tuple[int, Hole]],
) -> list[tuple[int, int, bool]]:
    """From and to on the axis of everything that is missing among or around some records of a source; told by LOSS.

    before: shift and time behind the records that came before these. A time that may be of the old or of the new clock
    epoch counts as both.
    """
    size = len(ts)
    found: list[tuple[int, int, bool]] = []
    shifts = np.concatenate([[before[0]], shift])
    for index, hole in holes:
        near = (int(shifts[index]), int(shifts[min(index + 1, size)]))
        found.append((hole.from_ns - max(near), hole.to_ns - min(near), False))
    for index in jumps.tolist():
        last = before[1] if not index else int(ts[index - 1] - shift[index - 1])
        now = int(ts[index] - shift[index])
        last = now if last is None else last
        found.append((min(last, now), max(last, now), False))
    for index in np.flatnonzero(kind == Kind.LOSS).tolist():
        near = (int(shifts[index]), int(shift[min(index + 5, size - 1)]))  # LOSS, LOSS, CLK STATE, step: in between
        low, high = int(ts[index]) - max(near), int(ts[index]) - min(near)
        if not index and code[0] >> 4 >= LossSub.SECOND and before[1] is not None:
            low = min(low, before[1])  # its first half came last before these
        second = code[index] | LossSub.SECOND << 4
        if code[index] >> 4 < LossSub.SECOND and index + 1 < size and code[index + 1] == second:
            high = max(high, int(ts[index + 1]) - min(near))
        found.append((low, high, True))
    return found


def _steps(source: _Source, code: U1, payload: U4, cause: U1) -> tuple[npt.NDArray[np.bool_], I8]:
    """Per record whether a step is complete with it, and its signed ns; half a step is one of 0 ns, so not known."""
    size = len(code)
    moved, sizes = np.zeros(size, np.bool_), np.zeros(size, np.int64)
    half = source.half
    for index in np.flatnonzero((code == _STEP_LO) | (code == _STEP_HI)).tolist():
        follows = not cause[index] and (index == 0 or code[index - 1] == _STEP_LO)
        if code[index] == _STEP_LO:
            half = int(payload[index])
            continue
        moved[index] = True
        if half is not None and follows:
            whole = int(payload[index]) << 32 | half
            sizes[index] = whole - (whole >> 63 << 64)
        half = None
    source.half = half if size and code[-1] == _STEP_LO else None
    for index in np.flatnonzero(code[:-1] == _STEP_LO).tolist():
        moved[index] |= code[index + 1] != _STEP_HI or bool(cause[index + 1])
    return moved, sizes


class Picker:
    """The rows of some kinds out of chunks; what was missing before a row that is left out is missing before the next.

    feed: chunks of all sources in stream order.
    """

    def __init__(self, *kinds: Kind) -> None:
        self._kinds = np.isin(np.arange(16), kinds)
        self._cause: dict[int, int] = {}

    def feed(self, chunk: Chunk) -> Chunk:
        """The rows of ``chunk`` that are of these kinds."""
        waiting = self._cause.pop(chunk.src, 0)
        if not waiting and len(chunk) and self._kinds[chunk.kind].all():
            return chunk
        chosen = np.flatnonzero(self._kinds[chunk.kind])
        if not len(chosen):
            self._cause[chunk.src] = max(waiting, int(chunk.cause.max(initial=0)))
            return chunk.pick(chosen)
        bounds = np.append(0, chosen + 1)
        cause = np.maximum.reduceat(np.append(chunk.cause, np.uint8(0)), bounds)
        self._cause[chunk.src] = int(cause[-1])
        cause[0] = max(int(cause[0]), waiting)
        return replace(chunk.pick(chosen), cause=cause[:-1])
