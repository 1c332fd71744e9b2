"""Rule 4: when the cause of a wait has gone, its backlog keeps buffers hot; they keep that cause, marked draining.

Two ways, both at most as long as what they continue:

* *drain*: u waited on hot successors in [a, b) and stays hot: it keeps its cause until b + (b - a).
* *surge*: v becomes hot at p while buffers upstream of it are hot, the oldest since a: the backlog of a stop that has
  ended arrives at v. v keeps the cause that the nearest of them (through cool ones) had, until p + (p - a).

Either ends when the buffer cools or waits again. It is marked draining unless the cause is the buffer's own consumer.
Where loss hides whether a hold is in force, the buffer is *vague*: as a root it may be anybody's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.graph import Graph
from npuscope.analysis.states import Board, Words, bit
from npuscope.episodes import EpisodeFlag, Lane
from npuscope.intervals import EMPTY, Intervals, clip, contains, contains_before, cover, intersect, make, union
from npuscope.timeline import Timeline

__all__ = ["Holds", "holds", "possible_runs"]

I8 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_FAR: Final = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Holds:
    """Held causes: buffer[i] in [start[i], end[i]) keeps the cause that the buffers ``refs[:, i]`` had just before.

    Sorted by buffer, then start; disjoint per buffer. fixed: entry id of a hold that needs no refs, else -1.
    first[u] .. first[u + 1]: those of buffer u. vague: per buffer.
    """

    buffer: I8
    start: I8
    end: I8
    refs: Words
    fixed: I8
    first: I8
    vague: tuple[Intervals, ...]

    def active(self, buffer: int, times: I8, *, before: bool) -> I8:
        """Index of the hold of ``buffer`` in force at (or just before) each time, -1 if none."""
        low, high = self.first[buffer], self.first[buffer + 1]
        starts = self.start[low:high]
        index = low - 1 + (np.searchsorted(starts, times) if before else np.searchsorted(starts, times, side="right"))
        inside = index >= low
        end = self.end[np.where(inside, index, 0)] if len(self.end) else np.zeros(len(times), np.int64)
        return np.where(inside & ((end >= times) if before else (end > times)), index, -1)


def holds(graph: Graph, timeline: Timeline, board: Board, doubt: Intervals) -> Holds:
    """All holds of the timeline's hot lanes; ``board`` has the planes hot and unknown, at least inside ``doubt``."""
    lanes, origin = timeline.hot, timeline.start_ns
    possible, opened = possible_runs(timeline)
    rows: list[tuple[int, I8, I8, Words]] = []
    vague = []
    for u in range(graph.size):
        waits, sure, certain = _waits(graph, u, possible, lanes, opened)
        parts: list[Intervals] = []
        for start, end, refs in (
            _drain(u, waits, sure, certain, possible, parts),
            _surge(graph, u, lanes, possible, opened, waits, certain, board, doubt, parts),
        ):
            if len(start):
                rows.append((u, start, end, refs))
        parts.append(_unsure(graph, u, lanes, possible, certain))
        if u in opened:
            ends = np.minimum(possible[u][:1, 1], _next(certain, np.asarray([origin])))
            parts.append(make([origin], ends))
        vague.append(clip(union(*parts), origin, timeline.end_ns) if any(map(len, parts)) else EMPTY)
    if not rows:
        none = np.empty(0, np.int64)
        return Holds(
            none,
            none,
            none,
            np.empty((board.planes["hot"].shape[0], 0), np.uint64),
            none,
            np.zeros(graph.size + 1, np.int64),
            tuple(vague),
        )
    buffer = np.concatenate([np.full(len(start), u) for u, start, _, _ in rows])
    start = np.concatenate([row[1] for row in rows])
    order = np.lexsort((start, buffer))
    buffer = buffer[order]
    return Holds(
        buffer,
        start[order],
        np.concatenate([row[2] for row in rows])[order],
        np.concatenate([row[3] for row in rows], axis=1)[:, order],
        np.full(len(order), -1),
        np.searchsorted(buffer, np.arange(graph.size + 1)),
        tuple(vague),
    )


def possible_runs(timeline: Timeline) -> tuple[tuple[Intervals, ...], frozenset[int]]:
    """When each buffer may be hot, and the buffers that may have been hot before the recording begins.

    Since when these were is not known: their first run begins so early that what hangs on its age has no end.
    """
    start, end = timeline.start_ns, timeline.end_ns
    censored = (timeline.episodes["flags"] & EpisodeFlag.LEFT_CENSORED > 0) & (timeline.episodes["start"] <= start)
    cut = set(timeline.episodes["buffer"][censored].tolist())
    possible, opened = [], set()
    for u, lane in enumerate(timeline.hot):
        runs = union(lane.true, lane.unknown) if len(lane.unknown) else lane.true
        if u in cut or (len(lane.unknown) and lane.unknown[0, 0] <= start):
            runs = runs.copy()
            runs[0, 0] = 2 * start - end - 1
            opened.add(u)
        possible.append(runs)
    return tuple(possible), frozenset(opened)


def _waits(
    graph: Graph, u: int, possible: tuple[Intervals, ...], lanes: tuple[Lane, ...], opened: frozenset[int]
) -> tuple[Intervals, Bools, Intervals]:
    """When u possibly waits on a successor, which of these runs are certain throughout, and when it surely waits."""
    after = graph.successors[u]
    if not after:
        return EMPTY, np.empty(0, np.bool_), EMPTY
    waits = _overlap(possible[u], [possible[v] for v in after])
    if not any(len(lanes[v].unknown) or v in opened for v in (u, *after)):
        return waits, np.ones(len(waits), np.bool_), waits
    certain = _overlap(lanes[u].true, [lanes[v].true for v in after])
    place = np.searchsorted(certain[:, 0], waits[:, 0])
    inside = place < len(certain)
    place = np.where(inside, place, 0)
    same = np.zeros(len(waits), np.bool_) if not len(certain) else (certain[place] == waits).all(axis=1) & inside
    return waits, same, certain


def _overlap(mine: Intervals, others: list[Intervals]) -> Intervals:
    return intersect(mine, others[0] if len(others) == 1 else cover(tuple(others), 1))


def _next(runs: Intervals, at: I8) -> I8:
    """Begin of the first run at or after each time, _FAR if there is none."""
    begin: I8 = np.append(runs[:, 0], _FAR)[np.searchsorted(runs[:, 0], at)]
    return begin


def _run_end(runs: Intervals, at: I8) -> I8:
    """End of the run that holds each time."""
    end: I8 = runs[np.searchsorted(runs[:, 0], at, side="right") - 1, 1]
    return end


def _one(u: int, words: int, count: int) -> Words:
    refs = np.zeros((words, count), np.uint64)
    refs[u >> 6] = np.uint64(1 << (u & 63))
    return refs


def _drain(
    u: int,
    waits: Intervals,
    sure: Bools,
    certain: Intervals,
    possible: tuple[Intervals, ...],
    vague: list[Intervals],
) -> tuple[I8, I8, Words]:
    words = -(-len(possible) // 64)
    if not len(waits):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((words, 0), np.uint64)
    begin, gone = waits[:, 0], waits[:, 1]
    again = np.append(begin[1:], _FAR)
    latest = np.minimum(_run_end(possible[u], begin), gone + (gone - begin))
    end = np.minimum(latest, again)
    if not sure.all():
        latest = np.minimum(latest, _next(certain, gone))
        vague.append(make(np.where(sure, end, begin), latest))  # a wait that is only possible may end no hold
    keep = sure & (end > gone)
    return gone[keep], end[keep], _one(u, words, int(keep.sum()))


def _surge(
    graph: Graph,
    v: int,
    lanes: tuple[Lane, ...],
    possible: tuple[Intervals, ...],
    opened: frozenset[int],
    waits: Intervals,
    certain: Intervals,
    board: Board,
    doubt: Intervals,
    vague: list[Intervals],
) -> tuple[I8, I8, Words]:
    words = board.planes["hot"].shape[0]
    runs = possible[v]
    if not len(runs) or not graph.ancestors[v]:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((words, 0), np.uint64)
    onset = runs[:, 0]
    limit = np.minimum(runs[:, 1], _next(certain, onset))  # the hold ends where v begins to wait
    chosen = np.flatnonzero(limit > onset)
    if len(lanes[v].unknown) or v in opened:  # an onset inside an unknown stretch is handled by _unsure
        chosen = chosen[contains(lanes[v].true, onset[chosen])]
    onset, limit = onset[chosen], limit[chosen]
    again = _next(waits, onset)
    bound = np.minimum(limit, again) if waits is certain else limit
    doubted = contains_before(doubt, onset)
    clear, hidden = np.flatnonzero(~doubted), np.flatnonzero(doubted)
    since, near = onset.copy(), np.zeros((words, len(onset)), np.uint64)
    unsure = np.zeros(len(onset), np.bool_)
    since[clear], near[:, clear] = _backlog(graph, v, possible, onset[clear], bound[clear], words)
    if len(hidden):
        seen = _backlog_seen(graph, v, lanes, possible, opened, board, onset[hidden])
        since[hidden], near[:, hidden], unsure[hidden] = seen
    if unsure.any():
        oldest = _oldest(graph, v, possible, onset[unsure], onset[unsure])
        vague.append(
            make(
                onset[unsure],
                np.minimum(runs[np.searchsorted(runs[:, 0], onset[unsure]), 1], 2 * onset[unsure] - oldest),
            )
        )
    some = near.any(axis=0) | unsure
    latest = np.minimum(limit, 2 * onset - since)
    end = np.minimum(latest, again)
    if waits is not certain:
        vague.append(make(end[some], latest[some]))  # a wait that is only possible may end no hold
    keep = some & ~unsure & (end > onset)
    return onset[keep], end[keep], near[:, keep]


def _backlog(
    graph: Graph, v: int, possible: tuple[Intervals, ...], onset: I8, bound: I8, words: int
) -> tuple[I8, Words]:
    """In a chain with nothing in doubt: since when it is hot upstream of v just before each onset, and the nearest.

    The walk upstream ends where an older run cannot make the hold any longer: it ends by ``bound`` at the latest.
    """
    since, near = onset.copy(), np.zeros((words, len(onset)), np.uint64)
    walking, found = np.arange(len(onset)), np.zeros(len(onset), np.bool_)
    above = graph.predecessors[v]
    while above and len(walking):
        runs, at = possible[above[0]], onset[walking]
        if len(runs):
            place = np.searchsorted(runs[:, 0], at) - 1
            hot = (place >= 0) & (runs[place, 1] >= at)
            mine, place = walking[hot], place[hot]
            since[mine] = np.minimum(since[mine], runs[place, 0])
            near[above[0] >> 6, mine[~found[mine]]] = np.uint64(1 << (above[0] & 63))
            found[mine] = True
            walking = walking[~found[walking] | (2 * at - since[walking] < bound[walking])]
        above = graph.predecessors[above[0]]
    return since, near


def _backlog_seen(
    graph: Graph,
    v: int,
    lanes: tuple[Lane, ...],
    possible: tuple[Intervals, ...],
    opened: frozenset[int],
    board: Board,
    onset: I8,
) -> tuple[I8, Words, Bools]:
    """In any graph: since when it is hot upstream of v just before each onset, the nearest, and where loss hides it."""
    columns = board.before(onset)
    state = {name: board.planes[name][:, columns] * (columns >= 0) for name in ("hot", "unknown")}
    near, unsure = _nearest(graph, v, state)
    some = np.flatnonzero(near.any(axis=0) | unsure)
    state = {name: words[:, some] for name, words in state.items()}
    since = onset.copy()
    for w in graph.ancestors[v]:
        hot = bit(state["hot"], w)
        unsure[some] |= bit(state["unknown"], w)
        if not hot.any():
            continue
        mine = some[hot]
        start = possible[w][np.searchsorted(possible[w][:, 0], onset[mine]) - 1, 0]
        since[mine] = np.minimum(since[mine], start)
        if len(lanes[w].unknown) or w in opened:
            known = lanes[w].true
            unsure[mine] |= known[np.searchsorted(known[:, 0], onset[mine]) - 1, 0] != start
    return since, near, unsure


def _nearest(graph: Graph, v: int, state: dict[str, Words]) -> tuple[Words, Bools]:
    """Hot buffers upstream of v that only cool ones part from it; and where an unknown one may be among them."""
    shape = state["hot"].shape
    found: dict[int, Words] = {}
    unsure: dict[int, Bools] = {}
    lossy = bool(state["unknown"].any())
    order = [w for w in reversed(graph.downstream_first) if w in graph.ancestors[v] or w == v]
    nothing, never = np.zeros(shape, np.uint64), np.zeros(shape[1], np.bool_)
    for _ in range(len(order) if graph.cyclic else 1):
        for u in order:
            total, doubt = np.zeros(shape, np.uint64), np.zeros(shape[1], np.bool_)
            for w in graph.predecessors[u]:
                hot = bit(state["hot"], w)
                total |= found.get(w, nothing) * ~hot
                total[w >> 6] |= hot * np.uint64(1 << (w & 63))
                if lossy:
                    hidden = bit(state["unknown"], w)
                    doubt |= hidden | (unsure.get(w, never) & ~hot)
            found[u], unsure[u] = total, doubt
    return found[v], unsure[v]


def _oldest(graph: Graph, v: int, possible: tuple[Intervals, ...], first: I8, last: I8) -> I8:
    """Earliest start of a possibly hot run of a buffer upstream of v that touches [first[i], last[i]]."""
    oldest = last.copy()
    for w in graph.ancestors[v]:
        runs = possible[w]
        place = np.searchsorted(runs[:, 1], first)
        start = np.append(runs[:, 0], _FAR)[place]
        oldest = np.where(start <= last, np.minimum(oldest, start), oldest)
    return oldest


def _unsure(
    graph: Graph, u: int, lanes: tuple[Lane, ...], possible: tuple[Intervals, ...], certain: Intervals
) -> Intervals:
    """Where u's own unknown stretches hide a hold: while it is hot and has not waited, at most as long as it is old."""
    gaps = lanes[u].unknown
    if not len(gaps):
        return EMPTY
    begin, end = gaps[:, 0], gaps[:, 1]
    run = possible[u][np.searchsorted(possible[u][:, 0], begin, side="right") - 1]
    oldest = np.minimum(_oldest(graph, u, possible, begin, end), run[:, 0])
    latest = np.minimum(np.minimum(run[:, 1], _next(certain, end)), 2 * end - oldest)
    return make(begin, np.maximum(end, latest))
