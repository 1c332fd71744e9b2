"""From record batches to one ordered event list per source, on the time axis of the first clock epoch.

``Recorder.feed`` keeps of each batch what the state of a buffer depends on; ``Recorder.streams`` turns it into one
``SourceStream`` per source. Only the order of records *within* a source counts here, never the global one. Records of
quality 2 are not read. Positions are odd for records and even for the holes before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import RECORD, RECORD_FIELDS, SRC_FRAMER, BpSub, Cfg, ClkSub, Kind, LossSub, State, SyncSub
from npuscope.ledger import Cause
from npuscope.records.batch import SRC_MASK

if TYPE_CHECKING:
    from npuscope.records.batch import Batch

__all__ = [
    "ALL_KINDSUBS",
    "BLAME_KINDSUBS",
    "KEY",
    "LOST",
    "TICK",
    "Columns",
    "Recorder",
    "SourceStream",
    "source_stream",
]

KEY, TICK, LOST = 16, 17, 18
"""Ops beside the BpSub values: keyframe, stale tick, knowledge lost (LOSS, hole, step, restart, END)."""

_KEYFRAME: Final = (State.HOT, State.BP_EN, State.UNKNOWN, State.DRY)
_HIGH: Final = np.uint8(RECORD_FIELDS["kind"].width)
_LOW: Final = np.uint8((1 << RECORD_FIELDS["kind"].width) - 1)
_ALL_LAYERS: Final = 2**32 - 1
_FAR: Final = np.iinfo(np.int64).max

I8 = npt.NDArray[np.int64]
U4 = npt.NDArray[np.uint32]
U1 = npt.NDArray[np.uint8]


def _code(kind: int, sub: int) -> int:
    return int(kind | sub << RECORD_FIELDS["kind"].width)


def _table(bp_subs: tuple[BpSub, ...]) -> npt.NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    wanted: list[tuple[int, int]] = [(Kind.BP, sub) for sub in bp_subs]
    wanted += [(Kind.STATE, sub) for sub in _KEYFRAME]
    wanted += [(Kind.LOSS, half | cause) for half in LossSub for cause in range(8)]
    wanted += [(Kind.CLK, sub) for sub in (ClkSub.STATE, ClkSub.STEP_LO, ClkSub.STEP_HI)]
    wanted += [(Kind.SYNC, SyncSub.END)]
    wanted += [(Kind.CFG, word) for word in (Cfg.BP_LIMITS, Cfg.LAYERS, Cfg.DRY_MASK)]
    table[[_code(kind, sub) for kind, sub in wanted]] = True
    table.flags.writeable = False
    return table


BLAME_KINDSUBS: Final = _table((BpSub.ENTER, BpSub.EXIT, BpSub.KNOWN, BpSub.DRY, BpSub.WET))
"""bool[256] by the kindsub byte: the records that hot and dry lanes and their times depend on."""
ALL_KINDSUBS: Final = _table(tuple(BpSub))
"""bool[256]: those and the records that only the bp lane, peaks and RAW samples need."""


@dataclass
class SourceStream:
    """The events of one source in stream order.

    bp_*: its BP records: position, time (ns on the axis), sub, payload. common_*: events for many layers: position,
    time, op (KEY, TICK, LOST) and masks; LOST uses ``hot`` as the mask of layers hit. limits_*: CFG 2 words with their
    positions. layers, dry_mask: CFG 14 and 15, None if not seen. steps: (axis ns, signed ns, told by the source?).
    """

    bp_pos: I8
    bp_ts: I8
    bp_sub: U1
    bp_payload: U4
    common_pos: I8
    common_ts: I8
    common_op: U1
    hot: U4
    bp: U4
    unknown: U4
    dry: U4
    limits_pos: I8
    limits: U4
    layers: int | None = None
    dry_mask: int | None = None
    steps: list[tuple[int, int, bool]] = field(default_factory=list)

    def append(self, later: SourceStream, shift_ns: int) -> SourceStream:
        """This stream and a later capture of the same source, its times moved by ``shift_ns``."""
        last = max(self.bp_pos.max(initial=0), self.common_pos.max(initial=0), self.limits_pos.max(initial=0))
        merged = {}
        for name in (f.name for f in fields(self)[:13]):
            moved = getattr(later, name)
            if name.endswith("_pos"):
                moved = moved + last + 1 + last % 2
            elif name.endswith("_ts"):
                moved = moved + shift_ns
            merged[name] = np.concatenate([getattr(self, name), moved])
        return SourceStream(
            **merged,
            layers=self.layers if later.layers is None else later.layers,
            dry_mask=self.dry_mask if later.dry_mask is None else later.dry_mask,
            steps=self.steps + [(at + shift_ns, size, told) for at, size, told in later.steps],
        )


class Recorder:
    """Collects what the timeline needs; memory grows with the kept records, 16 bytes each."""

    def __init__(self, table: npt.NDArray[np.bool_] = ALL_KINDSUBS) -> None:
        self.table = table
        self._rows: list[npt.NDArray[np.void]] = []
        self._holes: list[tuple[int, int | None, bool]] = []  # kept records before it, source or all, restart
        self._count = 0

    def feed(self, batch: Batch) -> None:
        """Keep the relevant records and the holes of one batch; batches come in stream order."""
        batch = batch.only(self.table)
        certain = batch.certain
        for hole in batch.holes:
            before = self._count + hole.index - int(np.count_nonzero(~certain[: hole.index]))
            self._holes.append((before, hole.src, hole.cause in (Cause.RESTART, Cause.STOPPED)))
        rows = batch.raw if certain.all() else batch.rows(certain)
        self._rows.append(rows)
        self._count += len(rows)

    def rows(self) -> npt.NDArray[np.void]:
        """The kept records, RECORD (n,)."""
        rows, filled = np.empty(self._count, RECORD), 0
        out = rows.view(np.complex128)
        for index, part in enumerate(self._rows):
            out[filled : filled + len(part)] = np.ascontiguousarray(part).view(np.complex128)
            filled += len(part)
            self._rows[index] = part[:0].copy()  # so that the parts are not held until the last one is copied
        self._rows = [rows]
        return rows

    @property
    def restarts(self) -> bool:
        """Whether it is more than one run of the stream."""
        return any(restart for _, _, restart in self._holes)

    def holes(self, begin: int, end: int) -> list[tuple[int, int | None]]:
        """(Record behind it, source or all) of the holes from record ``begin`` to ``end``, counted from the first."""
        return [(at - begin, src) for at, src, restart in self._holes if begin <= at <= end and not restart]

    def streams(self, max_disorder_ns: int) -> tuple[dict[int, SourceStream], int, int]:
        """The streams of all sources with records; first and last time of the recording (ns on the axis).

        A source whose time goes back by more than ``max_disorder_ns`` without telling a step is continued where it
        was; the jump is in ``steps`` as not told. A capture that begins before the last one ended is moved behind it.
        """
        if not self._count:
            return {}, 0, 0
        columns = Columns.of(self.rows())
        bounds = sorted({0, *(at for at, _, restart in self._holes if restart), self._count})
        streams: dict[int, SourceStream] = {}
        first, last = _FAR, -_FAR
        for begin, end in pairwise(bounds):
            pieces, start, stop = _capture(columns[begin:end], self.holes(begin, end), max_disorder_ns)
            if not pieces:
                continue
            shift = max(0, last - start)
            for src, piece in pieces.items():
                streams[src] = streams[src].append(piece, shift) if src in streams else piece
            first, last = min(first, start + shift), stop + shift
        return streams, (first if streams else 0), (last if streams else 0)


def joined(parts: Sequence[npt.NDArray[np.void]], dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    """Structured arrays one behind the other, taken as bytes: many times faster than field by field."""
    plain = [np.ascontiguousarray(part).view(f"V{dtype.itemsize}") for part in parts]
    return np.concatenate([np.empty(0, f"V{dtype.itemsize}"), *plain]).view(dtype)


@dataclass
class Columns:
    """Kept records as columns."""

    ts: I8
    src: U1
    code: U1
    seq: U1
    payload: U4

    @classmethod
    def of(cls, rows: npt.NDArray[np.void]) -> Columns:
        """Of raw records (RECORD)."""
        ts, src = rows["ts"].astype(np.int64), rows["srctq"] & SRC_MASK
        return cls(ts, src, *(np.ascontiguousarray(rows[name]) for name in ("kindsub", "seq", "payload")))

    def join(self, later: Columns) -> Columns:
        """These and ``later`` ones."""
        return Columns(*(np.concatenate([getattr(self, f.name), getattr(later, f.name)]) for f in fields(self)))

    def __getitem__(self, index: slice | I8) -> Columns:
        return Columns(self.ts[index], self.src[index], self.code[index], self.seq[index], self.payload[index])


def _capture(
    columns: Columns, holes: list[tuple[int, int | None]], max_disorder_ns: int
) -> tuple[dict[int, SourceStream], int, int]:
    """Streams of the records between two restarts, first and last time."""
    pieces = {}
    first, last = _FAR, -_FAR
    for src in np.flatnonzero(np.bincount(columns.src)).tolist():
        found = source_stream(columns, src, holes, max_disorder_ns)
        if found is not None:
            pieces[src], start, stop = found
            first, last = min(first, start), max(last, stop)
    return pieces, first, last


def source_stream(
    columns: Columns,
    src: int,
    holes: list[tuple[int, int | None]],
    max_disorder_ns: int,
    *,
    before: Columns | None = None,
    final: bool = True,
) -> tuple[SourceStream, int, int] | None:
    """The stream of ``src`` in the records of one run, first and last time; None if it tells nothing of any layer.

    before: records of it that stand in front, of a part of the run that was looked at already. final: the run ends.
    """
    end_records = np.flatnonzero((columns.code == _code(Kind.SYNC, SyncSub.END)) & (columns.src == SRC_FRAMER))
    index = np.flatnonzero(columns.src == src)
    records = columns[index] if before is None else before.join(columns[index])
    kinds = np.bincount(records.code & _LOW, minlength=len(Kind))
    if src == SRC_FRAMER or not kinds[[Kind.BP, Kind.STATE, Kind.LOSS, Kind.CFG]].any():
        return None
    lead = len(records.ts) - len(index)
    at = np.unique([np.searchsorted(index, before) + lead for before, s in holes if s is None or s == src])
    ends = np.searchsorted(index, end_records) + lead
    return _piece(records, at.astype(np.int64), ends, columns.ts[end_records], max_disorder_ns, final)


def _piece(
    records: Columns, holes: I8, ends: I8, end_ts: I8, max_disorder_ns: int, final: bool
) -> tuple[SourceStream, int, int]:
    """The stream of one source; ``holes`` and ``ends`` (END of the stream) = index of the record after them."""
    ended = len(ends) and ends[-1] == len(records.ts)
    time, offset, steps = _axis(records, max_disorder_ns, int(end_ts[-1]) if ended else None)
    kind, sub, payload = records.code & _LOW, records.code >> _HIGH, records.payload
    pos = 2 * np.arange(len(time), dtype=np.int64) + 1
    is_state = kind == Kind.STATE
    quad = _keyframes(sub, is_state, records, holes)
    in_quad = np.zeros(len(time), np.bool_)
    for word in range(len(_KEYFRAME)):
        in_quad[quad + word] = True
    ticks = np.flatnonzero(is_state & (sub == State.UNKNOWN) & ~in_quad)
    losses, loss_mask = _losses(kind, sub, payload)
    stepped = np.flatnonzero(_is_step(records.code))
    # A hole, or an end without END, may hide a LOSS whose first drop is as old as the source's record before it.
    cut = [] if ended or not final else [len(time)]
    until = np.concatenate([holes, np.asarray(cut, np.int64)])
    evidence = np.where(BLAME_KINDSUBS[records.code], time, -_FAR)  # the same whichever table was used
    evidence = np.maximum.accumulate(evidence) if (evidence > -_FAR).any() else time
    end_time = np.maximum(end_ts + offset[np.maximum(ends - 1, 0)], evidence[np.maximum(ends - 1, 0)])
    lost_pos = np.concatenate([pos[losses], pos[stepped], 2 * until, 2 * ends])
    lost_ts = np.concatenate(
        [time[losses], time[stepped], np.maximum(evidence[np.maximum(until - 1, 0)], time[0]), end_time]
    )
    lost_mask = np.concatenate([loss_mask, np.full(len(lost_pos) - len(losses), _ALL_LAYERS, np.uint32)])
    none_tick, none_lost = np.zeros(len(ticks), np.uint32), np.zeros(len(lost_pos), np.uint32)
    common_pos = np.concatenate([pos[quad], pos[ticks], lost_pos])
    order = np.argsort(common_pos, kind="stable")
    words = [payload[quad + word] for word in range(len(_KEYFRAME))]
    backpressure = kind == Kind.BP
    limits = records.code == _code(Kind.CFG, Cfg.BP_LIMITS)
    stream = SourceStream(
        bp_pos=pos[backpressure],
        bp_ts=time[backpressure],
        bp_sub=sub[backpressure],
        bp_payload=payload[backpressure],
        common_pos=common_pos[order],
        common_ts=np.concatenate([time[quad], time[ticks], lost_ts])[order],
        common_op=np.repeat(np.asarray([KEY, TICK, LOST], np.uint8), [len(quad), len(ticks), len(lost_pos)])[order],
        hot=np.concatenate([words[0], none_tick, lost_mask])[order],
        bp=np.concatenate([words[1], none_tick, none_lost])[order],
        unknown=np.concatenate([words[2], payload[ticks], none_lost])[order],
        dry=np.concatenate([words[3], none_tick, none_lost])[order],
        limits_pos=pos[limits],
        limits=payload[limits],
        layers=_last(payload[records.code == _code(Kind.CFG, Cfg.LAYERS)]),
        dry_mask=_last(payload[records.code == _code(Kind.CFG, Cfg.DRY_MASK)]),
        steps=steps,
    )
    first = int(evidence[np.argmax(evidence > -_FAR)])
    return stream, first, int(end_time.max(initial=evidence[-1]))


def _axis(records: Columns, max_disorder_ns: int, end_ts: int | None) -> tuple[I8, I8, list[tuple[int, int, bool]]]:
    """Axis time and offset (axis - ts) of each record of one source, and its steps.

    Own events are in order; group and burst contents are placed between their neighbours (FORMAT.md rules 10, 13), the
    last ones before END (``end_ts``, None if there is none): their ts may be older than a step the source has told.
    Records that BLAME_KINDSUBS leaves out never move the others.
    """
    kind, sub = records.code & _LOW, records.code >> _HIGH
    step = _is_step(records.code)
    if (end_ts is None or records.ts[-1] <= end_ts) and not step.any() and (records.ts[1:] >= records.ts[:-1]).all():
        return records.ts, np.zeros(len(step), np.int64), []  # nothing to place
    low = np.flatnonzero(step[:-1] & step[1:] & (sub[:-1] == ClkSub.STEP_LO) & (sub[1:] == ClkSub.STEP_HI))
    size = records.payload[low].astype(np.uint64) | records.payload[low + 1].astype(np.uint64) << np.uint64(32)
    told = np.zeros(len(records.ts), np.int64)
    told[low] = size.astype(np.int64)
    offset = -np.cumsum(told)
    half = step.copy()
    half[low] = half[low + 1] = False
    leading = BLAME_KINDSUBS[records.code]
    first_drop = (kind == Kind.LOSS) & (sub < LossSub.SECOND)
    # LOSS, LOSS, CLK state, step: a burst that lost a step; whether its first drop is in old or new time is not known
    stepped = low[low >= 3] - 3
    told_state = records.code[stepped + 2] == _code(Kind.CLK, ClkSub.STATE)
    burst = records.seq[stepped + 3] - records.seq[stepped] == 3
    stepped = stepped[first_drop[stepped] & told_state & burst]
    first_drop[stepped] = False
    own = np.flatnonzero(((kind == Kind.BP) & leading) | step | first_drop)
    jump = np.diff((records.ts + offset)[own], prepend=(records.ts + offset)[own[:1]])
    jump[(jump >= -max_disorder_ns) & ~half[own]] = 0
    untold = np.zeros(len(records.ts), np.int64)
    untold[own] = jump
    offset = offset - np.cumsum(untold)
    time = records.ts + offset
    time[stepped] = time[own[np.maximum(np.searchsorted(own, stepped) - 1, 0)]]  # the earliest it can be
    placed = np.zeros(len(time), np.bool_)  # a keyframe before such a burst is no later than its first drop
    placed[own] = placed[stepped] = True
    latest = _FAR if end_ts is None else int(end_ts + offset[-1])
    time = _between(time, np.flatnonzero(placed), np.flatnonzero(leading), latest)
    time = _between(time, np.flatnonzero(leading), None)
    steps = [(int(time[i]), int(told[i]), True) for i in low]
    steps += [(int(time[i]), int(untold[i]), False) for i in np.flatnonzero(untold)]
    return time, offset, sorted(steps)


def _between(time: I8, fixed: I8, among: I8 | None, latest: int = _FAR) -> I8:
    """Times made to rise: ``fixed`` ones are only moved up to those before, the others of ``among`` go between them.

    latest: bound of those behind the last fixed one, unless that is later.
    """
    if among is not None:
        out = time.copy()
        out[among] = _between(time[among], np.searchsorted(among, fixed), None, latest)
        return out
    lower = np.full(len(time), -_FAR)
    lower[fixed] = time[fixed]
    lower = np.maximum.accumulate(lower)
    upper = np.full(len(time), max(latest, int(lower.max(initial=-_FAR))))
    upper[fixed] = lower[fixed]
    upper = np.minimum.accumulate(upper[::-1])[::-1]
    rising: I8 = np.maximum.accumulate(np.clip(time, lower, upper))
    return rising


def _is_step(code: U1) -> npt.NDArray[np.bool_]:
    step: npt.NDArray[np.bool_] = (code == _code(Kind.CLK, ClkSub.STEP_LO)) | (code == _code(Kind.CLK, ClkSub.STEP_HI))
    return step


def _keyframes(sub: U1, is_state: npt.NDArray[np.bool_], records: Columns, holes: I8) -> I8:
    """Index of the first STATE of each whole keyframe: its words adjacent, in order, seq contiguous, one ts."""
    size = len(_KEYFRAME)
    if len(sub) < size:
        return np.empty(0, np.int64)
    start = np.flatnonzero(is_state[: len(sub) - size + 1] & (sub[: len(sub) - size + 1] == _KEYFRAME[0]))
    good = np.ones(len(start), np.bool_)
    after_hole = np.zeros(len(sub) + 1, np.bool_)
    after_hole[holes] = True
    for word in range(1, size):
        good &= is_state[start + word] & (sub[start + word] == _KEYFRAME[word])
        good &= records.seq[start + word] == records.seq[start] + np.uint8(word)
        good &= records.ts[start + word] == records.ts[start]
        good &= ~after_hole[start + word]
    return start[good]


def _losses(kind: U1, sub: U1, payload: U4) -> tuple[I8, U4]:
    """Index and mask of layers of each LOSS; a half without the other hits the whole source."""
    loss = kind == Kind.LOSS
    if not loss.any():
        return np.empty(0, np.int64), payload[:0]
    first = loss & (sub < LossSub.SECOND)
    paired = np.flatnonzero(first[:-1] & loss[1:] & (sub[1:] == (sub[:-1] | LossSub.SECOND)))
    mask = np.full(len(kind), _ALL_LAYERS, np.uint32)
    mask[paired] = payload[paired + 1]
    mask[mask == 0] = _ALL_LAYERS
    loss[paired + 1] = False
    index = np.flatnonzero(loss)
    return index, mask[index]


def _last(words: U4) -> int | None:
    return int(words[-1]) if len(words) else None
