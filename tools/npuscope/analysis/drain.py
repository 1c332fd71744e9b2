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
from npuscope.analysis.past import VAGUE, Past
from npuscope.analysis.states import Board, Words, bit
from npuscope.episodes import EpisodeFlag, Lane
from npuscope.intervals import EMPTY, Intervals, clip, contains, cover, intersect, join, make
from npuscope.timeline import Timeline

__all__ = ["Holds", "Part", "holds", "touching"]

I8 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_FAR: Final = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Holds:
    """Held causes: buffer[i] in [start[i], end[i]) keeps the cause that the buffers ``refs[:, i]`` had just before.

    Sorted by buffer, then start; disjoint per buffer. bound: how long it could last by rule 4 alone. fixed: entry id
    of a hold that needs no refs, else -1. first[u] .. first[u + 1]: those of buffer u. vague: per buffer.
    """

    buffer: I8
    start: I8
    end: I8
    bound: I8
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


@dataclass(frozen=True)
class Part:
    """The lanes of [begin, end) of a recording, all runs that touch it with their true begins.

    possible: when each buffer may be hot. opened: buffers that may have been hot before the recording begins; since
    when is not known, so their first run begins so early that what hangs on its age has no end.
    """

    begin: int
    end: int
    hot: tuple[Lane, ...]
    possible: tuple[Intervals, ...]
    opened: frozenset[int]

    @classmethod
    def whole(cls, timeline: Timeline) -> Part:
        """All of a recording."""
        start, end = timeline.start_ns, timeline.end_ns
        episodes = timeline.episodes
        censored = (episodes["flags"] & EpisodeFlag.LEFT_CENSORED > 0) & (episodes["start"] <= start)
        cut = set(episodes["buffer"][censored].tolist())
        possible, opened = [], set()
        for u, lane in enumerate(timeline.hot):
            runs = join(lane.true, lane.unknown)
            if len(runs) and (u in cut or (len(lane.unknown) and lane.unknown[0, 0] <= start)):
                runs = runs.copy()
                runs[0, 0] = 2 * start - end - 1
                opened.add(u)
            possible.append(runs)
        return cls(start, end + 1, timeline.hot, tuple(possible), frozenset(opened))

    @property
    def unseen(self) -> bool:
        """Whether nothing is known of any buffer but that it becomes cool: it may be anybody's until then."""
        some = {u for u, runs in enumerate(self.possible) if len(runs)}
        once = all(len(runs) <= 1 for runs in self.possible) and not any(len(lane.true) for lane in self.hot)
        return once and len(some) > 0 and some <= self.opened

    def within(self, begin: int, end: int) -> Part:
        """A part of it, that nothing doubtful crosses the begin of."""
        hot = tuple(Lane(*(touching(runs, begin, end) for runs in (lane.true, lane.unknown))) for lane in self.hot)
        opened = self.opened if begin <= self.begin else frozenset[int]()
        return Part(begin, end, hot, tuple(touching(runs, begin, end) for runs in self.possible), opened)


def touching(runs: Intervals, begin: int, end: int) -> Intervals:
    """The runs that touch [begin, end), cut at its end."""
    runs = runs[np.searchsorted(runs[:, 1], begin) : np.searchsorted(runs[:, 0], end)]
    return np.minimum(runs, end) if len(runs) and runs[-1, 1] > end else runs


def holds(graph: Graph, part: Part, board: Board, past: Past) -> Holds:
    """All holds of a part of a recording; ``board`` has its planes hot and unknown.

    past: what is in force before the part; the holds in it are taken out, waits and vagueness at its end put in.
    """
    words = board.planes["hot"].shape[0]
    rows: list[tuple[I8, I8, I8, I8, Words, I8]] = []
    vague = []
    for u in range(graph.size):
        possible = part.possible[u]
        waits, sure, certain = _waits(graph, u, part, past)
        kept, unsure = _kept(u, part, past, certain, words)
        start, bound, refs, fixed = (
            np.concatenate(columns, axis=-1)
            for columns in zip(
                kept,
                _drain(u, waits, sure, certain, words, unsure),
                _surge(graph, u, part, certain, board, unsure),
                strict=True,
            )
        )
        latest = np.minimum(np.minimum(_run_end(possible, start), bound), _next(certain, start))
        end = np.minimum(latest, _next(waits, start))
        if waits is not certain:  # a wait that is only possible may end no hold
            unsure.append((end, np.minimum(bound, _next(certain, start))))
        keep = np.flatnonzero(end > start)
        keep = keep[np.argsort(start[keep])]
        rows.append((np.full(len(keep), u), start[keep], end[keep], bound[keep], refs[:, keep], fixed[keep]))
        if len(part.hot[u].unknown):
            unsure.append(_unsure(graph, u, part, certain))
        if u in part.opened:
            begin = np.asarray([part.begin])
            unsure.append((begin, _next(certain, begin)))
        begin, until = (np.concatenate(columns) for columns in zip((EMPTY[:, 0],) * 2, *unsure, strict=True))
        end = np.minimum(_run_end(possible, begin), until)
        vague.append(clip(make(begin, end), part.begin - 1, part.end))
        past.until[u] = until[(end == part.end)].max(initial=-1)
        past.entry[u] = VAGUE if past.until[u] >= 0 else -1
    buffer, start, end, bound, refs, fixed = (np.concatenate(columns, axis=-1) for columns in zip(*rows, strict=True))
    first = np.searchsorted(buffer, np.arange(graph.size + 1))
    return Holds(buffer, start, end, bound, refs, fixed, first, tuple(vague))


def _kept(
    u: int, part: Part, past: Past, certain: Intervals, words: int
) -> tuple[tuple[I8, I8, Words, I8], list[tuple[I8, I8]]]:
    """The hold in force before the part; or that something may be."""
    which = np.flatnonzero(past.entry[u : u + 1] >= 0) + u
    begin, until = np.full(1, part.begin - 1), past.until[u : u + 1].copy()
    unsure = [(begin, np.minimum(until, _next(certain, begin)))] if past.entry[u] == VAGUE else []
    return (begin[which - u], until[which - u], np.zeros((words, len(which)), np.uint64), past.entry[which]), unsure


def _waits(graph: Graph, u: int, part: Part, past: Past) -> tuple[Intervals, Bools, Intervals]:
    """When u possibly waits on a successor, which of these runs are certain throughout, and when it surely waits."""
    after = graph.successors[u]
    if not after:
        return EMPTY, np.empty(0, np.bool_), EMPTY
    since = past.waits.pop(u, None)
    waits = _overlap(part.possible[u], [part.possible[v] for v in after], since)
    if len(after) > 1 and len(waits) and waits[-1, 1] == part.end:
        past.waits[u] = int(waits[-1, 0])
    if not any(len(part.hot[v].unknown) or v in part.opened for v in (u, *after)):
        return waits, np.ones(len(waits), np.bool_), waits
    certain = _overlap(part.hot[u].true, [part.hot[v].true for v in after], since)
    place = np.searchsorted(certain[:, 0], waits[:, 0])
    inside = place < len(certain)
    place = np.where(inside, place, 0)
    same = np.zeros(len(waits), np.bool_) if not len(certain) else (certain[place] == waits).all(axis=1) & inside
    return waits, same, certain


def _overlap(mine: Intervals, others: list[Intervals], since: int | None) -> Intervals:
    """since: the true begin of the first stretch, None if the intervals tell it."""
    found = intersect(mine, others[0] if len(others) == 1 else cover(tuple(others), 1))
    if since is not None:
        found[:1, 0] = since
    return found


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
    u: int, waits: Intervals, sure: Bools, certain: Intervals, words: int, unsure: list[tuple[I8, I8]]
) -> tuple[I8, I8, Words, I8]:
    begin, gone = waits[:, 0], waits[:, 1]
    bound = gone + (gone - begin)
    unsure.append((begin[~sure], np.minimum(bound, _next(certain, gone))[~sure]))
    return gone[sure], bound[sure], _one(u, words, int(sure.sum())), np.full(int(sure.sum()), -1)


def _surge(
    graph: Graph, v: int, part: Part, certain: Intervals, board: Board, unsure: list[tuple[I8, I8]]
) -> tuple[I8, I8, Words, I8]:
    runs = part.possible[v]
    onset = runs[:, 0]
    limit = np.minimum(runs[:, 1], _next(certain, onset))  # the hold ends where v begins to wait
    chosen = np.flatnonzero((limit > onset) & (onset >= part.begin)) if graph.ancestors[v] else np.empty(0, np.int64)
    if len(part.hot[v].unknown) or v in part.opened:  # an onset inside an unknown stretch is handled by _unsure
        chosen = chosen[contains(part.hot[v].true, onset[chosen])]
    onset = onset[chosen]
    if not len(onset):
        return onset, onset, np.zeros((len(board.planes["hot"]), 0), np.uint64), onset
    since, near, hidden = _backlog(graph, v, part, board, onset)
    if hidden.any():
        at = onset[hidden]
        unsure.append((at, np.minimum(2 * at - _oldest(graph, v, part.possible, at, at), _next(certain, at))))
    some = np.flatnonzero(near.any(axis=0) & ~hidden)
    return onset[some], 2 * onset[some] - since[some], near[:, some], np.full(len(some), -1)


def _backlog(graph: Graph, v: int, part: Part, board: Board, onset: I8) -> tuple[I8, Words, Bools]:
    """Since when it is hot upstream of v just before each onset, the nearest, and where loss hides it."""
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
        start = part.possible[w][np.searchsorted(part.possible[w][:, 0], onset[mine]) - 1, 0]
        since[mine] = np.minimum(since[mine], start)
        if len(part.hot[w].unknown) or w in part.opened:
            known = part.hot[w].true
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


def _unsure(graph: Graph, u: int, part: Part, certain: Intervals) -> tuple[I8, I8]:
    """Where u's own unknown stretches hide a hold: while it is hot and has not waited, at most as long as it is old."""
    possible = part.possible[u]
    begin, end = part.hot[u].unknown.T
    run = possible[np.searchsorted(possible[:, 0], begin, side="right") - 1]
    oldest, until = run[:, 0].copy(), np.minimum(run[:, 1], _next(certain, end))
    short = np.flatnonzero(2 * end - oldest < until)  # an older one upstream can make it longer
    older = _oldest(graph, u, part.possible, begin[short], end[short]) if len(short) else end[short]
    oldest[short] = np.minimum(oldest[short], older)
    return begin, np.maximum(end, np.minimum(until, 2 * end - oldest))
