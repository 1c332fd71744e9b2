"""From the event list of a source to the three-valued lanes and the episodes of each of its layers.

A small state machine per layer and signal, evaluated for all events at once: every event that says something about
the signal *assigns* a state, so the state after it depends on no earlier one, and the state before it is what the
event before assigned. An event that contradicts that state makes the time since the event before it unknown.

Rules (analysis, episodes): ENTER opens, EXIT closes. Hot at a keyframe after unknown, or ENTER after unknown, is
left-censored. KNOWN is cool from its time on; EXIT after unknown gives cool only. LOSS, a hole, a step, a restart and
END make unknown; a keyframe or the layer's own next record ends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.intervals import EMPTY, Intervals
from npuscope.layout import PAYLOAD, BpSub, Kind
from npuscope.replay import KEY, LOST, TICK, SourceStream

__all__ = ["EPISODE", "EpisodeFlag", "Lane", "LayerResult", "layer_lanes"]

I8 = npt.NDArray[np.int64]
U1 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

EPISODE: Final = np.dtype(
    [
        ("buffer", "<u2"),  # index into description.buffers
        ("flags", "u1"),  # EpisodeFlag
        ("peak", "u1"),  # highest occupancy code of its records, 1/64
        ("start", "<i8"),  # ns on the axis
        ("end", "<i8"),  # ns on the axis; where knowledge ends if RIGHT_CENSORED
        ("dwell", "<i8"),  # ns, as the EXIT record printed it (a multiple of 2^k, rounded down); -1: not told
    ]
)
"""One episode; its id (``ep:N``) is its row in ``Timeline.episodes``, which is sorted by (start, buffer)."""


class EpisodeFlag(IntFlag):
    """What is not known about an episode."""

    LEFT_CENSORED = 1  # hot before ``start``, since when is not known
    RIGHT_CENSORED = 2  # no EXIT seen: cut by loss, a stale report, a step or the end of the recording
    PEAK_LOWER = 4  # peak is a lower bound
    DWELL_LOWER = 8  # dwell is a lower bound (saturated)


@dataclass(frozen=True)
class Lane:
    """A three-valued signal: certainly true in ``true``, not known in ``unknown``, else certainly false."""

    true: Intervals
    unknown: Intervals


@dataclass(frozen=True)
class LayerResult:
    """Lanes and episodes of one layer (``buffer`` still 0), and its contradictions as (from, to, what)."""

    hot: Lane
    dry: Lane
    bp: Lane
    episodes: npt.NDArray[np.void]
    conflicts: list[tuple[int, int, str]]


FALSE, TRUE, LOST_STATE, STALE = 0, 1, 2, 3
"""States of a signal; the hardware itself has lost the layer in STALE, only the recording in LOST_STATE."""

_FIELDS: Final = {field.name: field for field in PAYLOAD[Kind.BP, None]}
_LIMITS: Final = {field.name: field for field in PAYLOAD[Kind.CFG, 2]}
_NO_LIMITS: Final = 2**32  # no CFG 2 seen yet


def _contradictions() -> Bools:
    """[what an event says (op, or KEY + its state), state before it] -> impossible in a stream without holes."""
    table = np.zeros((KEY + 8, 4), np.bool_)
    table[BpSub.ENTER, TRUE] = True
    table[BpSub.EXIT, [FALSE, STALE]] = True
    table[BpSub.KNOWN, [FALSE, TRUE]] = True
    table[BpSub.DRY, [TRUE, STALE]] = True
    return _with_keyframes(table)


def _with_keyframes(table: Bools) -> Bools:
    table[_KEY_STATE + FALSE, [TRUE, STALE]] = True
    table[_KEY_STATE + TRUE, [FALSE, STALE]] = True
    table[_KEY_STATE + STALE, [FALSE, TRUE]] = True
    return table


_KEY_STATE: Final = KEY + 4
_HOT_CONTRADICTIONS: Final = _contradictions()
_OTHER_CONTRADICTIONS: Final = _with_keyframes(np.zeros((KEY + 8, 4), np.bool_))
_DRY_READS: Final = np.zeros(KEY + 8, np.bool_)
_DRY_READS[[BpSub.ENTER, BpSub.EXIT, BpSub.KNOWN, BpSub.DRY, BpSub.WET]] = True
_HOT_SAYS: Final = {BpSub.ENTER: TRUE, BpSub.EXIT: FALSE, BpSub.KNOWN: FALSE, BpSub.DRY: FALSE}


@dataclass
class _Events:
    """All events of one layer in order: position, time, op, payload of BP records, and keyframe bits."""

    pos: I8
    time: I8
    op: U1
    payload: npt.NDArray[np.uint32]
    hot: Bools
    bp: Bools
    unknown: Bools
    dry: Bools

    def field(self, name: str) -> npt.NDArray[np.uint32]:
        return _bits(self.payload, name)


@dataclass
class _Scan:
    """State after each event of one signal, after contradictions; ``broken[i]``: event i contradicts its past."""

    index: I8
    state: U1
    broken: Bools


def layer_lanes(stream: SourceStream, layer: int, start_ns: int, end_ns: int, *, with_bp: bool) -> LayerResult:
    """Lanes and episodes of ``layer`` over [start_ns, end_ns); without ``with_bp`` the bp lane is unknown."""
    events = _merge(stream, layer)
    limits = _limits_at(stream, events.pos)
    span = (start_ns, end_ns)
    hot = _scan_hot(events)
    bp_seen = events.op < KEY
    present = bool(bp_seen.any()) if stream.layers is None else bool(stream.layers >> layer & 1)
    everything = Lane(EMPTY, np.asarray([span], np.int64)) if end_ns > start_ns else Lane(EMPTY, EMPTY)
    if not present:
        return LayerResult(everything, everything, everything, np.empty(0, EPISODE), [])
    has_dry = bool(((events.op == BpSub.DRY) | (events.op == BpSub.WET)).any())
    has_dry = has_dry if stream.dry_mask is None else bool(stream.dry_mask >> layer & 1)
    dry = _scan_dry(events, limits) if has_dry else None
    bp = _scan_bp(events) if with_bp else None
    conflicts = []
    scans = [(name, scan) for name, scan in (("hot", hot), ("dry", dry), ("bp", bp)) if scan is not None]
    for name, scan in scans:
        for i in np.flatnonzero(scan.broken):
            event, before = scan.index[i], scan.index[i - 1]
            what = f"{_name(int(events.op[event]))} contradicts the {name} state before it"
            conflicts.append((int(events.time[before]), int(events.time[event]), what))
    return LayerResult(
        _lane(events, hot, span),
        _lane(events, dry, span) if dry is not None else everything,
        _lane(events, bp, span) if bp is not None else everything,
        _episodes(events, hot, limits),
        conflicts,
    )


def _name(op: int) -> str:
    return {KEY: "keyframe", TICK: "STATE unknown", LOST: "loss"}.get(op) or BpSub(op).name


def _merge(stream: SourceStream, layer: int) -> _Events:
    """The layer's own records and the events for many layers that concern it, in the order of the stream."""
    own = np.flatnonzero(_bits(stream.bp_payload, "layer") == layer)
    bit = np.uint32(1 << layer)
    op = stream.common_op
    concerns = (op == KEY) | ((op == TICK) & (stream.unknown & bit > 0)) | ((op == LOST) & (stream.hot & bit > 0))
    common = np.flatnonzero(concerns)
    pos, common_pos = stream.bp_pos[own], stream.common_pos[common]
    to_own = np.arange(len(own)) + np.searchsorted(common_pos, pos)
    to_common = np.arange(len(common)) + np.searchsorted(pos, common_pos, side="right")

    def place(mine: npt.NDArray[Any] | None, shared: npt.NDArray[Any] | None, dtype: Any) -> npt.NDArray[Any]:
        out = np.zeros(len(own) + len(common), dtype)
        if mine is not None:
            out[to_own] = mine
        if shared is not None:
            out[to_common] = shared
        return out

    return _Events(
        pos=place(pos, common_pos, np.int64),
        time=place(stream.bp_ts[own], stream.common_ts[common], np.int64),
        op=place(stream.bp_sub[own], op[common], np.uint8),
        payload=place(stream.bp_payload[own], None, np.uint32),
        hot=place(None, stream.hot[common] & bit > 0, np.bool_),
        bp=place(None, stream.bp[common] & bit > 0, np.bool_),
        unknown=place(None, stream.unknown[common] & bit > 0, np.bool_),
        dry=place(None, stream.dry[common] & bit > 0, np.bool_),
    )


def _bits(payload: npt.NDArray[np.uint32], name: str) -> npt.NDArray[np.uint32]:
    part = _FIELDS[name]
    return (payload >> np.uint32(part.lsb)) & np.uint32((1 << part.width) - 1)


def _limits_at(stream: SourceStream, pos: I8) -> I8:
    """The CFG 2 word in force at each event; ``_NO_LIMITS`` before the first one."""
    words = np.concatenate([[_NO_LIMITS], stream.limits.astype(np.int64)])
    return words[np.searchsorted(stream.limits_pos, pos)]


def _limit(limits: I8, name: str) -> I8:
    part = _LIMITS[name]
    return (limits >> part.lsb) & ((1 << part.width) - 1)


def _scan(index: I8, says: npt.NDArray[np.int64], state: U1, contradictions: Bools) -> _Scan:
    """Check each event against the state before it and withdraw the state that it contradicts."""
    before = np.concatenate([np.asarray([LOST_STATE], np.uint8), state[:-1]])
    broken = contradictions[says, before]
    final = state.copy()
    final[np.flatnonzero(broken) - 1] = LOST_STATE
    return _Scan(index, final, broken)


def _shared_state(events: _Events, bits: Bools) -> U1:
    """What an event for many layers assigns; meaningless for BP records."""
    state = np.where(events.op == LOST, np.uint8(LOST_STATE), np.uint8(STALE))
    return np.where((events.op == KEY) & ~events.unknown, bits.astype(np.uint8), state)


def _scan_hot(events: _Events) -> _Scan:
    state = _shared_state(events, events.hot)
    table = np.full(KEY, STALE + 1, np.uint8)
    for sub, value in _HOT_SAYS.items():
        table[sub] = value
    own = events.op < KEY
    state[own] = table[events.op[own]]
    index = np.flatnonzero(state <= STALE)
    state, op = state[index], events.op[index].astype(np.int64)
    return _scan(index, np.where(op == KEY, _KEY_STATE + state, op), state, _HOT_CONTRADICTIONS)


def _scan_dry(events: _Events, limits: I8) -> _Scan:
    """Dry by occupancy: at 0, wet from TH_WET on, in between as before, not dry on the first record after STALE."""
    state = _shared_state(events, events.dry)
    occ, op = events.field("occ"), events.op
    own = _DRY_READS[op]
    index = np.flatnonzero(own | (op >= KEY))
    state, occ, op, own, limits = state[index], occ[index], op[index], own[index], limits[index]
    stale_before = np.concatenate([[False], (state[:-1] == STALE) & ~own[:-1]])
    told = limits != _NO_LIMITS
    wet = (op == BpSub.WET) | (told & (occ >= _limit(limits, "th_wet"))) | stale_before
    dry = (occ == 0) | (op == BpSub.DRY)
    holds = own & ~dry & ~wet & told
    state[own] = np.where(dry, TRUE, np.where(wet, FALSE, LOST_STATE))[own]
    source = np.maximum.accumulate(np.where(holds, 0, np.arange(len(index))))
    first = np.flatnonzero(~holds)[:1]
    state = np.where(np.arange(len(index)) < (first[0] if len(first) else len(index)), LOST_STATE, state[source])
    state = state.astype(np.uint8)
    says = np.where(op == KEY, _KEY_STATE + state, op).astype(np.int64)
    table = _OTHER_CONTRADICTIONS.copy()
    table[BpSub.DRY, [TRUE, STALE]] = True
    table[BpSub.WET, [FALSE, STALE]] = True
    return _scan(index, says, state, table)


def _scan_bp(events: _Events) -> _Scan:
    state = _shared_state(events, events.bp)
    own = events.op < KEY
    state[own] = events.field("bp_en")[own]
    op = events.op.astype(np.int64)
    return _scan(np.arange(len(op)), np.where(op == KEY, _KEY_STATE + state, op), state, _OTHER_CONTRADICTIONS)


def _lane(events: _Events, scan: _Scan, span: tuple[int, int]) -> Lane:
    # only in the bp lane can a record that hot and dry do not read be later than the hole behind it
    time = np.maximum.accumulate(np.concatenate([[span[0]], events.time[scan.index], [span[1]]]))
    state = np.concatenate([np.asarray([LOST_STATE], np.uint8), scan.state])
    return Lane(_runs(time, state == TRUE), _runs(time, state >= LOST_STATE))


def _runs(time: I8, inside: Bools) -> Intervals:
    """Intervals of the pieces [time[i], time[i+1]) with ``inside[i]``; joined where they touch."""
    inside = inside & (time[1:] > time[:-1])
    edge = np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8))
    start, end = time[:-1][edge[:-1] > 0], time[np.flatnonzero(edge < 0)]
    if not len(start):
        return EMPTY
    apart = start[1:] > end[:-1]  # pieces of no length between them do not part them
    return np.column_stack([start[np.concatenate([[True], apart])], end[np.concatenate([apart, [True]])]])


def _episodes(events: _Events, scan: _Scan, limits: I8) -> npt.NDArray[np.void]:
    hot = scan.state == TRUE
    edge = np.diff(np.concatenate([[False], hot, [False]]).astype(np.int8))
    first, after = np.flatnonzero(edge[:-1] > 0), np.flatnonzero(edge < 0)
    # A contradiction withdraws the state before it, so an ENTER that contradicts also starts a run of its own.
    op = events.op[scan.index]
    before = np.concatenate([np.asarray([LOST_STATE], np.uint8), scan.state])[first]
    closed = op[after] == BpSub.EXIT  # every stream ends with LOST, so a run never reaches the end of the list
    out = np.zeros(len(first), EPISODE)
    start, end = scan.index[first], scan.index[after]
    out["start"], out["end"] = events.time[start], events.time[end]
    left = (op[first] != BpSub.ENTER) | (before != FALSE)
    peak = np.where(events.op < KEY, events.field("peak"), 0)
    if len(first):
        out["peak"] = _range_max(peak, start, end + closed)
    dwell, k = events.field("dwell").astype(np.int64)[end], _limit(limits, "k")[end]
    told = closed & (limits[end] != _NO_LIMITS)
    out["dwell"] = np.where(told, dwell << np.where(told, k, 0), -1)
    saturated = told & (dwell == (1 << _FIELDS["dwell"].width) - 1)
    out["flags"] = (
        left * EpisodeFlag.LEFT_CENSORED
        + ~closed * EpisodeFlag.RIGHT_CENSORED
        + (left | ~closed) * EpisodeFlag.PEAK_LOWER
        + saturated * EpisodeFlag.DWELL_LOWER
    )
    return out


def _range_max(values: npt.NDArray[Any], start: I8, end: I8) -> npt.NDArray[Any]:
    """Largest of values[start[i]:end[i]]; the ranges are disjoint, ascending and not empty."""
    padded = np.append(values, np.zeros(1, values.dtype))
    return np.maximum.reduceat(padded, np.column_stack([start, end]).ravel())[::2]
