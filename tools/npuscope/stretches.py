"""The same lanes and episodes as ``episodes.source_lanes``, faster where a recording is in order.

A recording is cut, in front of keyframes, into *stretches*. In a regular one every layer is known when it begins, there
is no loss, no hole, no step and no start, ENTER and EXIT, DRY and WET alternate, and each keyframe says what is known
anyhow. Then the states follow from the events alone, for all layers of all sources at once. The others are left to
``source_lanes``, which takes over the states from the stretch before and hands on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.cutting import STATES, WORDS, masks, stretches
from npuscope.episodes import (
    EPISODE,
    LOST_STATE,
    STALE,
    TRUE,
    CutFlag,
    Disagreement,
    EpisodeFlag,
    Lane,
    LayerResult,
    States,
    source_lanes,
)
from npuscope.intervals import EMPTY, Intervals
from npuscope.layout import MAX_LAYERS, PAYLOAD, SRC_FRAMER, BpSub, Cfg, ClkSub, Kind, SyncSub
from npuscope.replay import Columns, Recorder, joined, source_stream

__all__ = ["Found", "by_stretches"]

I8 = npt.NDArray[np.int64]
U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]
U4 = npt.NDArray[np.uint32]
Bools = npt.NDArray[np.bool_]
Piece = tuple[npt.NDArray[Any], I8, I8]
"""Lanes, begins and ends of intervals."""
Pieces = list[Piece | Callable[[], Piece]]

LANES: Final = (SRC_FRAMER + 1) * MAX_LAYERS
_HIGH, _LOW = np.uint8(4), np.uint8(0xF)
_SRC_SHIFT, _LAYER = np.uint16((MAX_LAYERS - 1).bit_length()), np.uint16(MAX_LAYERS - 1)


_END: Final = np.uint8(Kind.SYNC | SyncSub.END << 4)
_STEPS: Final = tuple(np.uint8(Kind.CLK | sub << 4) for sub in (ClkSub.STEP_LO, ClkSub.STEP_HI))
_UPPER: Final = np.uint64(MAX_LAYERS)
_FIELD: Final = {field.name: field for field in PAYLOAD[Kind.BP, None]}
_LIMIT: Final = {field.name: field for field in PAYLOAD[Kind.CFG, 2]}


@dataclass(frozen=True)
class Found:
    """layers: by (src, layer), those that there are. seen: those that told something. start, end: ns on the axis."""

    layers: dict[tuple[int, int], LayerResult]
    seen: list[tuple[int, int]]
    start: int
    end: int


class _Irregular(Exception):
    """Not a regular stretch after all."""


def by_stretches(recorder: Recorder, max_disorder_ns: int) -> Found | None:
    """What ``recorder`` was fed, without bp lanes; None if it must be looked at as a whole (steps, restarts)."""
    rows = recorder.rows()
    code = np.ascontiguousarray(rows["kindsub"])
    if recorder.restarts or not len(rows) or any((code == step).any() for step in _STEPS):
        return None
    layers = masks(rows, code)
    if not layers:
        return None
    holes = recorder.holes(0, len(rows))
    walk = _Walk(rows, layers, max_disorder_ns)
    try:
        for begin, end, regular in stretches(rows, code, [at for at, _ in holes]):
            if not ((regular and walk.regular(begin, end)) or walk.end(begin, end)):
                inside = [(at - begin, src) for at, src in holes if begin <= at < end or at == end == len(rows)]
                walk.any(begin, end, inside)
    except Disagreement:
        return None
    return walk.found()


class _Walk:
    """What is known between two stretches, by lane = src * MAX_LAYERS + layer, and what was found so far."""

    def __init__(self, rows: npt.NDArray[np.void], masks: dict[int, tuple[int, int]], disorder: int) -> None:
        self._rows, self._masks, self._disorder = rows, masks, disorder
        self._seen = np.zeros(LANES, np.bool_)
        self._present, self._tells_dry = np.zeros(LANES, np.bool_), np.zeros(LANES, np.bool_)
        for src, words in masks.items():
            for flags, word in zip((self._present, self._tells_dry), words, strict=True):
                bits = np.flatnonzero(word >> np.arange(MAX_LAYERS) & 1)
                flags[src * MAX_LAYERS + bits] = True
        self._tells_dry &= self._present
        self._hot, self._dry = np.full(LANES, LOST_STATE, np.uint8), np.full(LANES, LOST_STATE, np.uint8)
        self._open = np.zeros(LANES, EPISODE)  # of the hot lanes
        self._time = np.zeros(SRC_FRAMER + 1, np.int64)  # up to where each source was looked at
        self._words = np.full((SRC_FRAMER + 1, 16), -1, np.int64)  # CFG words in force
        self._begun = False
        self._start = self._end = 0
        self._episodes: list[npt.NDArray[np.void]] = []  # ``buffer`` is the lane
        self._pieces: dict[str, Pieces] = {"unknown": [], "dry": [], "dry_unknown": []}
        self._conflicts: dict[int, list[tuple[int, int, str]]] = {}

    # ---------------------------------------------------------------- any stretch
    def any(self, begin: int, end: int, holes: list[tuple[int, int | None]]) -> None:
        """One that may be irregular."""
        final = end == len(self._rows)
        columns = Columns.of(self._rows[begin:end])
        events = np.flatnonzero(columns.code & _LOW == Kind.BP)
        self._seen[columns.src[events] * np.int64(MAX_LAYERS) + _bits(columns.payload[events], "layer")] = True
        streams = {}
        first, stops = [], {}
        for src in self._masks:
            before = self._context(src)
            found = source_stream(columns, src, holes, self._disorder, before=before, final=final)
            if found is not None:
                streams[src], start, stops[src] = found
                first.append(start)
                if streams[src].steps:
                    raise Disagreement
        if not self._begun:
            if not first:
                raise Disagreement
            self._start = min(first)
            self._time[:] = self._start
            self._begun = True
        self._end = max([self._end, *stops.values()])
        for src, stream in streams.items():
            layers, tells = self._masks[src]
            stream.layers, stream.dry_mask = layers, tells
            lanes = np.flatnonzero(self._present[src * MAX_LAYERS : (src + 1) * MAX_LAYERS]) + src * MAX_LAYERS
            states = States(self._hot[lanes], self._dry[lanes])
            until = self._end if final else max(int(self._time[src]), stops[src])
            told = source_lanes(
                stream,
                (lanes % MAX_LAYERS).tolist(),
                int(self._time[src]),
                until,
                with_bp=False,
                states=states,
                final=final,
            )
            self._hot[lanes], self._dry[lanes], self._time[src] = states.hot, states.dry, until
            for lane, result in zip(lanes.tolist(), told, strict=True):
                self._take(lane, result)
            if len(stream.limits):
                self._words[src, Cfg.BP_LIMITS] = stream.limits[-1]
            self._words[src, [Cfg.LAYERS, Cfg.DRY_MASK]] = layers, tells

    def _context(self, src: int) -> Columns | None:
        """Records that tell what is in force for ``src``, to stand in front of its next ones."""
        if not self._begun:
            return None
        words = [(int(word), int(self._words[src, word])) for word in WORDS if self._words[src, word] >= 0]
        words = words or [(int(Cfg.LAYERS), self._masks[src][0])]
        count = len(words)
        return Columns(
            np.full(count, self._time[src]),
            np.full(count, src, np.uint8),
            np.asarray([Kind.CFG | word << 4 for word, _ in words], np.uint8),
            np.zeros(count, np.uint8),
            np.asarray([value for _, value in words], np.uint32),
        )

    def _take(self, lane: int, result: LayerResult) -> None:
        """The result of one layer in one stretch."""
        for name, runs in (
            ("unknown", result.hot.unknown),
            ("dry", result.dry.true),
            ("dry_unknown", result.dry.unknown),
        ):
            if len(runs):
                self._pieces[name].append((np.full(len(runs), lane), runs[:, 0], runs[:, 1]))
        if result.conflicts:
            self._conflicts.setdefault(lane, []).extend(result.conflicts)
        episodes = result.episodes
        if not len(episodes):
            return
        episodes["buffer"] = lane
        if episodes["flags"][0] & CutFlag.CONTINUED:
            episodes[:1] = self._continued(np.asarray([lane]), episodes[:1])
        if episodes["flags"][-1] & CutFlag.OPEN:
            self._open[lane] = episodes[-1]
            self._open["flags"][lane] &= ~np.uint8(CutFlag.OPEN)
            episodes = episodes[:-1]
        self._episodes.append(episodes)

    def _continued(self, lanes: I8, later: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
        """The episodes that were open on ``lanes`` and what is known of them later, as one each."""
        out, before = later.copy(), self._open[lanes]
        out["start"] = before["start"]
        np.maximum(before["peak"], later["peak"], out=out["peak"])
        out["flags"] = (before["flags"] | later["flags"]) & ~np.uint8(CutFlag.CONTINUED)
        return out

    # ---------------------------------------------------------------- regular ones
    def regular(self, begin: int, end: int) -> bool:
        """One that looks regular; False, and nothing changes, if it is not."""
        try:
            self._regular(Columns.of(self._rows[begin:end]))
        except _Irregular:
            return False
        return True

    def end(self, begin: int, end: int) -> bool:
        """The END of the stream behind regular stretches; False, and nothing changes, if it is something else."""
        whole, last = len(self._rows), self._rows[begin]
        if (begin, end) != (whole - 1, whole) or last["kindsub"] != _END or not self._begun:
            return False
        until = np.maximum(self._time, np.int64(last["ts"]))
        self._end = max(self._end, int(last["ts"]))
        lanes = np.flatnonzero(self._present)
        for name, state in (("unknown", self._hot), ("dry_unknown", self._dry)):
            since = np.where(state[lanes] == STALE, self._time[lanes // MAX_LAYERS], until[lanes // MAX_LAYERS])
            self._pieces[name].append((lanes.astype(np.uint16), since, np.full(len(lanes), self._end)))
        dry = lanes[(self._dry[lanes] == TRUE) & self._tells_dry[lanes]]
        self._pieces["dry"].append((dry.astype(np.uint16), self._time[dry // MAX_LAYERS], until[dry // MAX_LAYERS]))
        hot = lanes[self._hot[lanes] == TRUE]
        left = self._open[hot]
        left["buffer"], left["end"], left["dwell"] = hot, until[hot // MAX_LAYERS], -1
        left["flags"] |= np.uint8(EpisodeFlag.RIGHT_CENSORED | EpisodeFlag.PEAK_LOWER)
        self._episodes.append(left)
        return True

    def _regular(self, columns: Columns) -> None:
        ts, code, src = columns.ts, columns.code, columns.src
        events = code & _LOW == np.uint8(Kind.BP)  # ENTER, EXIT, DRY and WET, in a stretch that looks regular
        own, rest = np.flatnonzero(events), np.flatnonzero(~events)
        payload = columns.payload[own]
        lane = src[own].astype(np.uint16) << _SRC_SHIFT | payload.astype(np.uint16) & _LAYER
        order = np.argsort(lane, kind="stable")
        own, lane, payload = own[order], lane[order], payload[order]
        sub = code[own] >> _HIGH
        first = np.flatnonzero(np.append(True, lane[1:] != lane[:-1])[: len(lane)])
        lanes = lane[first]
        tells = self._tells_dry[lanes]
        _demand(bool(self._present[lanes].all() and (self._hot[lanes] <= TRUE).all()))
        _demand(all(self._words[number, Cfg.BP_LIMITS] >= 0 for number in self._masks))
        hot, hot_end = _follow(sub, self._hot[lanes], first)
        _demand(not hot[sub == BpSub.DRY].any())
        counts = np.diff(first, append=len(lane))
        dry, flips = self._by_occupancy(sub, _bits(payload, "occ"), lanes, counts, first)
        changes = (sub <= BpSub.EXIT).astype(np.uint64)
        changes[flips] |= np.uint64(1) << _UPPER
        self._check_rest(columns, rest, own, lane, changes)
        # nothing fails from here on
        until = self._time.copy()
        until[src] = ts  # of several the last one stays
        time = ts[own]
        self._emit_dry(lane[flips], time[flips], dry[flips], lanes[tells], dry[first + counts - 1][tells], until)
        stale = np.flatnonzero(self._present & (self._hot == STALE))
        if len(stale):
            piece = stale, self._time[stale // MAX_LAYERS], until[stale // MAX_LAYERS]
            self._pieces["unknown"].append(piece)
            self._pieces["dry_unknown"].append(piece)
        self._emit_episodes(sub, lane, time, payload)
        self._hot[lanes] = hot_end
        self._time = until
        self._end = max(self._end, int(ts[-1]))

    def _by_occupancy(
        self, sub: U1, occ: U4, lanes: npt.NDArray[np.uint16], counts: I8, first: I8
    ) -> tuple[Bools, npt.NDArray[np.intp]]:
        """Whether each event leaves its layer dry, and which events change that; DRY and WET must tell a change."""
        th_wet, tells = self._limit("th_wet", lanes), self._tells_dry[lanes]
        limit = np.repeat(th_wet, counts) if (th_wet != th_wet[:1]).any() else th_wet[:1]
        dry, wets, dries = occ == 0, sub == BpSub.WET, sub == BpSub.DRY
        start = self._dry[lanes]
        _demand(bool((start[tells] <= TRUE).all()))
        holds = (occ < limit) & ~dry & ~wets
        before = np.empty_like(dry)
        if holds.any():
            place = np.where(holds, 0, np.arange(len(dry)))
            carried = first[holds[first]]
            place[carried] = carried
            dry[carried] = start[holds[first]] == TRUE
            dry = dry[np.maximum.accumulate(place)]
        before[1:] = dry[:-1]
        before[first] = start == TRUE
        wrong = (dries & (before | (occ != 0))) | (wets & (dry | ~before))
        flips = dry != before
        if not tells.all():
            told = np.repeat(tells, counts)
            wrong &= told
            flips &= told
        _demand(not wrong.any())
        return dry, np.flatnonzero(flips)

    def _check_rest(self, columns: Columns, rest: I8, own: I8, lane: npt.NDArray[np.uint16], flips: U8) -> None:
        """CFG words repeat what is in force, keyframes what follows from the events; those are sorted by lane."""
        code, src, payload = columns.code, columns.src, columns.payload
        kind = code[rest] & _LOW
        cfg = rest[kind == Kind.CFG]
        _demand(bool((self._words[src[cfg], code[cfg] >> _HIGH] == payload[cfg]).all()))
        words = rest[kind == Kind.STATE]
        _demand(len(words) % len(STATES) == 0)
        quads = words.reshape(-1, len(STATES))
        _demand(bool((np.diff(quads, axis=1) == 1).all() and (code[quads] == np.asarray(STATES, np.uint8)).all()))
        step = np.arange(len(STATES), dtype=np.uint8)
        by, told = src[quads[:, 0]], payload[quads]
        _demand(bool((src[quads] == by[:, None]).all() and (columns.ts[quads] == columns.ts[quads[:, :1]]).all()))
        _demand(bool((columns.seq[quads] == columns.seq[quads[:, :1]] + step).all()))
        # each source has one, so that what a later contradiction takes back begins here
        _demand(bool(np.bincount(by, minlength=SRC_FRAMER + 1)[list(self._masks)].all()))
        # all records by source; the lower half of a word is what is hot, the upper what is dry
        order = np.argsort(src, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        layer = (lane & _LAYER).astype(np.uint64)
        states = np.zeros(len(order) + 1, np.uint64)
        states[rank[own] + 1] = flips << layer
        np.bitwise_xor.accumulate(states, out=states)
        begin = states[np.searchsorted(src[order], by)]
        stale, lost = _words(self._present & (self._hot == STALE)), self._present & (self._hot == LOST_STATE)
        dry = self._dry * self._tells_dry
        _demand(not lost.any() and not (dry == LOST_STATE).any())
        _demand(bool(((self._dry == STALE) & self._tells_dry == (self._hot == STALE) & self._tells_dry).all()))
        state = _words(self._hot == TRUE) | _words(dry == TRUE) << _UPPER
        mask = _words(self._present) | _words(self._tells_dry) << _UPPER
        says = told[:, 0].astype(np.uint64) | told[:, 3].astype(np.uint64) << _UPPER
        wrong = (says ^ states[rank[quads[:, 0]] + 1] ^ begin ^ state[by]) & mask[by]
        _demand(not wrong.any() and bool((told[:, 2] & _words(self._present)[by] == stale[by]).all()))

    def _limit(self, name: str, lanes: npt.NDArray[np.integer]) -> I8:
        """A field of CFG 2 by lane."""
        field = _LIMIT[name]
        found: I8 = self._words[lanes // MAX_LAYERS, Cfg.BP_LIMITS] >> field.lsb & (1 << field.width) - 1
        return found

    def _emit_dry(
        self, mine: npt.NDArray[np.uint16], at: I8, begins: Bools, lanes: npt.NDArray[np.uint16], left: Bools, until: I8
    ) -> None:
        """Dry pieces: from each change, or the begin, to the change behind it, or the end. left: ``lanes`` dry then."""
        begun = np.flatnonzero((self._dry == TRUE) & self._tells_dry).astype(np.uint16)
        self._dry[lanes] = left
        left_dry = np.flatnonzero((self._dry == TRUE) & self._tells_dry).astype(np.uint16)
        old, new = (begun, self._time[begun // MAX_LAYERS]), (left_dry, until[left_dry // MAX_LAYERS])
        self._pieces["dry"].append(partial(_dry_runs, mine, at, begins, old, new))

    def _emit_episodes(self, sub: U1, lane: npt.NDArray[np.uint16], time: I8, payload: U4) -> None:
        """Episodes that end here; those that go on are kept in ``_open``."""
        edge = np.flatnonzero(sub <= BpSub.EXIT)
        lane, time, payload, enter = lane[edge], time[edge], payload[edge], sub[edge] == BpSub.ENTER
        same = lane[1:] == lane[:-1]
        leaves = np.flatnonzero(~enter)
        out = np.zeros(len(leaves), EPISODE)
        out["buffer"], out["end"], out["peak"] = lane[leaves], time[leaves], _bits(payload[leaves], "peak")
        field, lanes = _FIELD["dwell"], lane[leaves].astype(np.int64)
        dwell = _bits(payload[leaves], "dwell").astype(np.int64)
        out["dwell"] = dwell << self._limit("k", lanes)
        out["flags"] = (dwell == (1 << field.width) - 1) * np.uint8(EpisodeFlag.DWELL_LOWER)
        inside = np.append(False, same)[leaves]
        began = leaves[inside] - 1
        start, peak = out["start"], out["peak"]
        start[inside] = time[began]
        peak[inside] = np.maximum(peak[inside], _bits(payload[began], "peak"))
        if not inside.all():
            out[~inside] = self._continued(lanes[~inside], out[~inside])
        self._episodes.append(out)
        opened = np.flatnonzero(enter & ~np.append(same, False))
        where = lane[opened]
        self._open["start"][where], self._open["peak"][where] = time[opened], _bits(payload[opened], "peak")
        self._open["flags"][where] = 0

    # ---------------------------------------------------------------- the whole
    def found(self) -> Found:
        """Everything, layer by layer."""
        lanes = np.flatnonzero(self._present)
        episodes = joined(self._episodes, EPISODE)
        buffer = np.ascontiguousarray(episodes["buffer"])
        order = np.argsort(buffer, kind="stable")
        buffer, episodes = buffer[order], episodes.view(f"V{EPISODE.itemsize}")[order].view(EPISODE)
        start, end = np.ascontiguousarray(episodes["start"]), np.ascontiguousarray(episodes["end"])
        hot = _runs(buffer, start, end, lanes)
        bounds = np.searchsorted(buffer, lanes), np.searchsorted(buffer, lanes, side="right")
        unknown = _sorted_runs(self._pieces["unknown"], lanes)
        made = {name: cache(partial(_sorted_runs, self._pieces[name], lanes)) for name in ("dry", "dry_unknown")}
        all_ = np.asarray([(self._start, self._end)], np.int64) if self._end > self._start else EMPTY
        unseen = Lane(EMPTY, all_)
        layers = {}
        for lane, low, high in zip(lanes.tolist(), *(bound.tolist() for bound in bounds), strict=True):
            dry = _Later(made["dry"], made["dry_unknown"], lane=lane) if self._tells_dry[lane] else unseen
            conflicts = self._conflicts.get(lane, [])
            lanes_of = Lane(hot[lane], unknown[lane]), dry, unseen
            layers[divmod(lane, MAX_LAYERS)] = LayerResult(*lanes_of, episodes[low:high], conflicts)
        self._seen |= self._present
        return Found(
            layers,
            [divmod(lane, MAX_LAYERS) for lane in np.flatnonzero(self._seen).tolist()],
            self._start,
            self._end,
        )


class _Later(Lane):
    """A lane that is made when first asked for: chains are blamed without their dry ones."""

    _made: tuple[Callable[[], Intervals], Callable[[], Intervals]]

    def __init__(self, *made: Callable[[], dict[int, Intervals]], lane: int) -> None:
        self.__dict__["_made"] = tuple((lambda make=make: make()[lane]) for make in made)

    @cached_property
    def true(self) -> Intervals:
        return self._made[0]()

    @cached_property
    def unknown(self) -> Intervals:
        return self._made[1]()


def _dry_runs(
    mine: npt.NDArray[np.uint16],
    at: I8,
    begins: Bools,
    old: tuple[npt.NDArray[np.uint16], I8],
    new: tuple[npt.NDArray[np.uint16], I8],
) -> Piece:
    """Of each change, sorted by lane, and the lanes that were dry before (since when) and are behind (until when)."""
    # the n-th start of a lane belongs to its n-th end: those from before go in front, those that go on behind
    lane, last = np.concatenate([old[0], mine[begins]]), np.concatenate([mine[~begins], new[0]])
    start, end = np.concatenate([old[1], at[begins]]), np.concatenate([at[~begins], new[1]])
    order = np.argsort(lane, kind="stable")
    return lane[order], start[order], end[np.argsort(last, kind="stable")]


def _demand(fits: bool) -> None:
    if not fits:
        raise _Irregular


def _bits(payload: U4, name: str) -> U4:
    field = _FIELD[name]
    return (payload >> np.uint32(field.lsb)) & np.uint32((1 << field.width) - 1)


def _words(flags: Bools) -> U8:
    """One word by source, one bit a layer, of flags by lane."""
    return np.packbits(flags, bitorder="little").view("<u4").astype(np.uint64)


def _follow(sub: U1, start: U1, first: I8) -> tuple[U1, U1]:
    """Hot (0, 1) after each event, sorted by lane, and at the end of each lane, whose first event is ``first``."""
    change = (sub == BpSub.ENTER).view(np.int8) - (sub == BpSub.EXIT).view(np.int8)
    last = start + np.add.reduceat(change, first, dtype=np.int64) if len(first) else start.astype(np.int64)
    change[first] += (start - np.append(0, last[:-1])[: len(first)]).astype(np.int8)
    state = np.cumsum(change, dtype=np.int8).view(np.uint8)
    _demand(not len(state) or int(state.max()) <= 1)
    return state, last.astype(np.uint8)


def _sorted_runs(pieces: Pieces, lanes: I8) -> dict[int, Intervals]:
    made = [piece() if callable(piece) else piece for piece in pieces]
    lane, start, end = (
        np.concatenate([EMPTY[:, 0], *(piece[column] for piece in made)]).astype(kind)
        for column, kind in enumerate((np.uint16, np.int64, np.int64))
    )
    order = np.argsort(lane, kind="stable")
    return _runs(lane[order], start[order], end[order], lanes)


def _runs(lane: npt.NDArray[np.uint16], start: I8, end: I8, lanes: I8) -> dict[int, Intervals]:
    """By each of ``lanes`` the intervals [start, end), which are sorted by lane and time; joined where they touch."""
    some = end > start
    if not some.all():
        lane, start, end = lane[some], start[some], end[some]
    apart = np.append(True, (start[1:] > end[:-1]) | (lane[1:] != lane[:-1]))[: len(lane)]
    last = np.append(apart[1:], True)[: len(lane)]
    pairs = np.column_stack([start[apart], end[last]])
    lane = lane[apart]
    bounds = (np.searchsorted(lane, lanes, side=side).tolist() for side in ("left", "right"))
    return {which: pairs[low:high] for which, low, high in zip(lanes.tolist(), *bounds, strict=True)}
