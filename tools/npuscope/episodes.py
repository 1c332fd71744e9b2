"""From the event list of a source to the three-valued lanes and the episodes of each of its layers.

A small state machine per layer and signal, evaluated for all events of all layers of a source at once, layer by layer:
every event that says something about the signal *assigns* a state, so the state after it depends on no earlier one, and
the state before it is what the event before assigned. An event that contradicts that state makes the time since the
event before it unknown. Each layer begins and ends with an event that knows nothing, so that none reaches the next.

Rules (analysis, episodes): ENTER opens, EXIT closes. Hot at a keyframe after unknown, or ENTER after unknown, is
left-censored. KNOWN is cool from its time on; EXIT after unknown gives cool only. LOSS, a hole, a step, a restart and
END make unknown; a keyframe or the layer's own next record ends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.intervals import EMPTY, Intervals
from npuscope.layout import MAX_LAYERS, PAYLOAD, BpSub, Kind
from npuscope.replay import KEY, LOST, TICK, SourceStream

__all__ = ["EPISODE", "CutFlag", "Disagreement", "EpisodeFlag", "Lane", "LayerResult", "States", "source_lanes"]

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


class CutFlag(IntFlag):
    """What becomes of an episode where a stream is evaluated stretch by stretch; not in a timeline."""

    OPEN = 64  # goes on in the next stretch
    CONTINUED = 128  # began in an earlier one


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


@dataclass
class States:
    """State of hot and dry of some layers between two stretches of a stream."""

    hot: U1
    dry: U1


class Disagreement(Exception):
    """The first event of a layer in a stretch contradicts what is known from the stretch before."""


_FIELDS: Final = {field.name: field for field in PAYLOAD[Kind.BP, None]}
_LIMITS: Final = {field.name: field for field in PAYLOAD[Kind.CFG, 2]}
_NO_LIMITS: Final = 2**32  # no CFG 2 seen yet
_FIRST, _CUT = KEY + 8, KEY + 9
"""Ops beside those of ``replay``: the state from an earlier stretch; the end of a stretch that is not the last."""
_OPS: Final = KEY + 10


def _contradictions() -> Bools:
    """[what an event says (op, or KEY + its state), state before it] -> impossible in a stream without holes."""
    table = np.zeros((_OPS, 4), np.bool_)
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
_OTHER_CONTRADICTIONS: Final = _with_keyframes(np.zeros((_OPS, 4), np.bool_))
_DRY_READS: Final = np.zeros(_OPS, np.bool_)
_DRY_READS[[BpSub.ENTER, BpSub.EXIT, BpSub.KNOWN, BpSub.DRY, BpSub.WET]] = True
_HOT_SAYS: Final = {BpSub.ENTER: TRUE, BpSub.EXIT: FALSE, BpSub.KNOWN: FALSE, BpSub.DRY: FALSE}


@dataclass
class _Events:
    """All events of some layers, in order of layer and stream: position, time, op, payload of BP records, lane.

    lane: index into the layers asked for. hot, bp, unknown, dry: bits of keyframes.
    """

    pos: I8
    time: I8
    op: U1
    payload: npt.NDArray[np.uint32]
    lane: U1
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


def source_lanes(
    stream: SourceStream,
    layers: Sequence[int],
    start_ns: int,
    end_ns: int,
    *,
    with_bp: bool,
    states: States | None = None,
    final: bool = True,
) -> list[LayerResult]:
    """Lanes and episodes of each layer over [start_ns, end_ns); without ``with_bp`` the bp lanes are unknown.

    states: of the layers at start_ns, None: nothing is known; it becomes that at end_ns. final: the stream ends there,
    else it goes on; episodes at such borders have a ``CutFlag``. Raises Disagreement.
    """
    events = _merge(stream, layers, start_ns, end_ns, states is not None, final)
    told = np.bincount(events.lane[events.op < KEY], minlength=len(layers)) > 0
    mask = told if stream.layers is None else np.asarray([stream.layers >> layer & 1 > 0 for layer in layers])
    present = mask.tolist()
    tells = (events.op == BpSub.DRY) | (events.op == BpSub.WET)
    told_dry = (np.bincount(events.lane[tells], minlength=len(layers)) > 0).tolist()
    with_dry = told_dry if stream.dry_mask is None else [stream.dry_mask >> layer & 1 > 0 for layer in layers]
    hot = _scan_hot(events, states)
    dry = _scan_dry(events, stream, states)
    bp = _scan_bp(events) if with_bp else None
    everything = Lane(EMPTY, np.asarray([(start_ns, end_ns)], np.int64)) if end_ns > start_ns else Lane(EMPTY, EMPTY)
    unseen = [everything] * len(layers)
    hots, drys, bps = (unseen if scan is None else _lanes(events, scan, len(layers), end_ns) for scan in (hot, dry, bp))
    conflicts: list[list[tuple[int, int, str]]] = [[] for _ in layers]
    scans = [(name, scan) for name, scan in (("hot", hot), ("dry", dry), ("bp", bp)) if scan is not None]
    for name, scan in scans:
        if (events.op[scan.index[np.flatnonzero(scan.broken) - 1]] == _FIRST).any():
            raise Disagreement
        for i in np.flatnonzero(scan.broken):
            event, before = scan.index[i], scan.index[i - 1]
            which = int(events.lane[event])
            if name != "dry" or with_dry[which]:
                what = f"{_name(int(events.op[event]))} contradicts the {name} state before it"
                conflicts[which].append((int(events.time[before]), int(events.time[event]), what))
    if states is not None and not final:
        states.hot, states.dry = (scan.state[np.flatnonzero(events.op[scan.index] == _CUT) - 1] for scan in (hot, dry))
    lane, episodes = _episodes(events, hot, stream)
    bounds = np.searchsorted(lane, np.arange(len(layers) + 1))
    return [
        LayerResult(
            hots[i], drys[i] if with_dry[i] else everything, bps[i], episodes[bounds[i] : bounds[i + 1]], conflicts[i]
        )
        if present[i]
        else LayerResult(everything, everything, everything, episodes[:0], [])
        for i in range(len(layers))
    ]


def _name(op: int) -> str:
    return {KEY: "keyframe", TICK: "STATE unknown", LOST: "loss"}.get(op) or BpSub(op).name


def _merge(
    stream: SourceStream, layers: Sequence[int], start_ns: int, end_ns: int, known: bool, final: bool
) -> _Events:
    """The layers' own records and the events for many layers that concern them.

    Before them one that knows nothing, or what is ``known`` from an earlier stretch; behind them one unless ``final``.
    """
    lane_of = np.full(MAX_LAYERS, len(layers), np.uint8)
    lane_of[list(layers)] = np.arange(len(layers))
    lane = lane_of[_bits(stream.bp_payload, "layer")]
    own = np.argsort(lane, kind="stable")
    lane = lane[own]
    own = own[: np.searchsorted(lane, len(layers))]
    op, common, common_lane = stream.common_op, [], []
    count = len(op)
    op, behind = np.append(op, np.asarray([_FIRST if known else LOST, _CUT], np.uint8)), [] if final else [count + 1]
    for index, layer in enumerate(layers):
        bit = np.uint32(1 << layer)
        concerns = (op[:count] == KEY) | ((op[:count] == TICK) & (stream.unknown & bit > 0))
        concerns |= (op[:count] == LOST) & (stream.hot & bit > 0)
        common.append(np.concatenate([[count], np.flatnonzero(concerns), np.asarray(behind, np.int64)]))
        common_lane.append(np.full(len(common[-1]), index, np.uint8))
    shared, shared_lane = np.concatenate([EMPTY[:, 0], *common]), np.concatenate([lane[:0], *common_lane])
    far = 2 * (len(stream.bp_pos) + len(stream.common_pos) + len(stream.limits_pos)) + 2
    far += int(max(stream.bp_pos.max(initial=0), stream.common_pos.max(initial=0)))
    pos = np.append(stream.common_pos, [-1, far - 2])[shared]
    key = shared_lane * np.int64(far) + pos
    to_shared = np.arange(len(shared)) + np.searchsorted(
        lane[: len(own)] * np.int64(far) + stream.bp_pos[own], key, side="right"
    )
    is_own = np.ones(len(own) + len(shared), np.bool_)
    is_own[to_shared] = False
    to_own = np.flatnonzero(is_own)
    bit = np.uint32(1) << np.asarray(layers, np.uint32)[shared_lane]

    def place(mine: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[Any]:
        out = np.empty(len(is_own), others.dtype)
        out[to_own], out[to_shared] = mine, others
        return out

    def bits(masks: npt.NDArray[np.uint32]) -> Bools:
        out = np.zeros(len(is_own), np.bool_)
        out[to_shared] = np.append(masks, np.zeros(2, np.uint32))[shared] & bit > 0
        return out

    none = np.zeros(len(shared), np.uint32)
    return _Events(
        pos=place(stream.bp_pos[own], pos),
        time=place(stream.bp_ts[own], np.append(stream.common_ts, [start_ns, end_ns])[shared]),
        op=place(stream.bp_sub[own], op[shared]),
        payload=place(stream.bp_payload[own], none),
        lane=place(lane[: len(own)], shared_lane),
        hot=bits(stream.hot),
        bp=bits(stream.bp),
        unknown=bits(stream.unknown),
        dry=bits(stream.dry),
    )


def _bits(payload: npt.NDArray[np.uint32], name: str) -> npt.NDArray[np.uint32]:
    part = _FIELDS[name]
    return (payload >> np.uint32(part.lsb)) & np.uint32((1 << part.width) - 1)


def _limits_at(stream: SourceStream, pos: I8) -> I8:
    """The CFG 2 word in force at each event; ``_NO_LIMITS`` before the first one."""
    words = np.concatenate([[_NO_LIMITS], stream.limits.astype(np.int64)])
    new = np.flatnonzero(np.diff(words))
    found: I8 = words[np.append(0, new + 1)][np.searchsorted(stream.limits_pos[new], pos)]
    return found


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
    state = np.where((events.op == LOST) | (events.op == _CUT), np.uint8(LOST_STATE), np.uint8(STALE))
    return np.where((events.op == KEY) & ~events.unknown, bits.astype(np.uint8), state)


def _scan_hot(events: _Events, states: States | None) -> _Scan:
    state = _shared_state(events, events.hot)
    if states is not None:
        state[events.op == _FIRST] = states.hot
    table = np.full(KEY, STALE + 1, np.uint8)
    for sub, value in _HOT_SAYS.items():
        table[sub] = value
    own = events.op < KEY
    state[own] = table[events.op[own]]
    index = np.flatnonzero(state <= STALE)
    state, op = state[index], events.op[index].astype(np.int64)
    return _scan(index, np.where(op == KEY, _KEY_STATE + state, op), state, _HOT_CONTRADICTIONS)


def _scan_dry(events: _Events, stream: SourceStream, states: States | None) -> _Scan:
    """Dry by occupancy: at 0, wet from TH_WET on, in between as before, not dry on the first record after STALE."""
    state = _shared_state(events, events.dry)
    if states is not None:
        state[events.op == _FIRST] = states.dry
    occ, op = events.field("occ"), events.op
    own = _DRY_READS[op]
    index = np.flatnonzero(own | (op >= KEY))
    state, occ, op, own = state[index], occ[index], op[index], own[index]
    limits = _limits_at(stream, events.pos[index])
    stale_before = np.concatenate([[False], (state[:-1] == STALE) & ~own[:-1]])
    told = limits != _NO_LIMITS
    wet = (op == BpSub.WET) | (told & (occ >= _limit(limits, "th_wet"))) | stale_before
    dry = (occ == 0) | (op == BpSub.DRY)
    holds = own & ~dry & ~wet & told
    state[own] = np.where(dry, TRUE, np.where(wet, FALSE, LOST_STATE))[own]
    if holds.any():  # the first event of a layer never does
        state = state[np.maximum.accumulate(np.where(holds, 0, np.arange(len(index))))]
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


def _lanes(events: _Events, scan: _Scan, count: int, end_ns: int) -> list[Lane]:
    """The lane of each layer."""
    lane, time = events.lane[scan.index], events.time[scan.index]
    bounds = np.searchsorted(lane, np.arange(count + 1))
    if (time[1:][lane[1:] == lane[:-1]] < time[:-1][lane[1:] == lane[:-1]]).any():
        # only in the bp lane: a record that hot and dry do not read can be later than the hole behind it
        for first, last in pairwise(bounds.tolist()):
            np.maximum.accumulate(time[first:last], out=time[first:last])
    until = np.append(time[1:], end_ns)
    until[bounds[1:] - 1] = end_ns
    true, unknown = (
        _runs(lane, time, until, inside, count) for inside in (scan.state == TRUE, scan.state >= LOST_STATE)
    )
    return [Lane(*pair) for pair in zip(true, unknown, strict=True)]


def _runs(lane: U1, time: I8, until: I8, inside: Bools, count: int) -> list[Intervals]:
    """Per layer the intervals of the pieces [time[i], until[i]) with ``inside[i]``; joined where they touch."""
    index = np.flatnonzero(inside & (until > time))
    lane, time, until = lane[index], time[index], until[index]
    apart = (time[1:] > until[:-1]) | (lane[1:] != lane[:-1])
    first = np.append(True, apart)[: len(index)]
    pairs = np.column_stack([time[first], until[np.append(apart, True)[: len(index)]]])
    bounds = np.searchsorted(lane[first], np.arange(count + 1))
    return [pairs[a:b] for a, b in pairwise(bounds.tolist())]


def _episodes(events: _Events, scan: _Scan, stream: SourceStream) -> tuple[U1, npt.NDArray[np.void]]:
    """Lane and episode of each run of hot states, in order of lane and start."""
    hot = scan.state == TRUE
    edge = np.diff(np.concatenate([[False], hot, [False]]).astype(np.int8))
    first, after = np.flatnonzero(edge[:-1] > 0), np.flatnonzero(edge < 0)
    # A contradiction withdraws the state before it, so an ENTER that contradicts also starts a run of its own.
    op = events.op[scan.index]
    before = np.concatenate([np.asarray([LOST_STATE], np.uint8), scan.state])[first]
    closed = op[after] == BpSub.EXIT  # every layer ends with LOST or a cut: a run never reaches the end of the list
    out = np.zeros(len(first), EPISODE)
    start, end = scan.index[first], scan.index[after]
    out["start"], out["end"] = events.time[start], events.time[end]
    left = (op[first] != BpSub.ENTER) | (before != FALSE)
    peak = np.where(events.op < KEY, events.field("peak"), 0)
    if len(first):
        out["peak"] = _range_max(peak, start, end + closed)
    limits = _limits_at(stream, events.pos[end])
    dwell, k = events.field("dwell").astype(np.int64)[end], _limit(limits, "k")
    told = closed & (limits != _NO_LIMITS)
    out["dwell"] = np.where(told, dwell << np.where(told, k, 0), -1)
    saturated = told & (dwell == (1 << _FIELDS["dwell"].width) - 1)
    cut, continued = op[after] == _CUT, op[first] == _FIRST
    left &= ~continued
    out["flags"] = (
        cut * CutFlag.OPEN
        + continued * CutFlag.CONTINUED
        + left * EpisodeFlag.LEFT_CENSORED
        + (~closed & ~cut) * EpisodeFlag.RIGHT_CENSORED
        + (left | (~closed & ~cut)) * EpisodeFlag.PEAK_LOWER
        + saturated * EpisodeFlag.DWELL_LOWER
    )
    return events.lane[start], out


def _range_max(values: npt.NDArray[Any], start: I8, end: I8) -> npt.NDArray[Any]:
    """Largest of values[start[i]:end[i]]; the ranges are disjoint, ascending and not empty."""
    padded = np.append(values, np.zeros(1, values.dtype))
    return np.maximum.reduceat(padded, np.column_stack([start, end]).ravel())[::2]
