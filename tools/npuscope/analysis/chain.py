"""Chains, where nothing is doubtful: the causes follow from the edges in order of time, all buffers at once.

In a chain of buffers without joins a hot buffer waits for exactly one root, the last hot one of its run of adjacent
hot buffers. So every edge begins or ends the *period* of at most one root each, a period begins with at most one hold
(rule 4), and the time that all victims of a root spend is a range of buffers that changes at edges only: an edge adds
its time to the ends of a few ranges. That costs the edges, neither the states of the board nor the victims. It holds
outside ``doubtful``; inside, and for all other graphs, the distinct states are solved (see ``solve``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.graph import Graph
from npuscope.analysis.past import Past
from npuscope.analysis.solve import follow, used, zeros
from npuscope.analysis.states import Words
from npuscope.intervals import EMPTY, Intervals

__all__ = ["Chain"]

I8 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_CELLS: Final = 1 << 22
"""Cells of the table of sums at a time."""
_FAR: Final = np.iinfo(np.int64).max
_NEVER: Final = np.iinfo(np.int64).min // 2
_NONE: Final = np.empty(0, np.int64)


class Chain:
    """The buffers of a chain, or of several, as *places*: upstream first, behind each chain one that is never hot."""

    def __init__(self, graph: Graph, book: Book) -> None:
        self.size, self.book = graph.size, book
        order: list[int] = []
        head: list[int] = []
        for u in [u for u in range(graph.size) if not graph.predecessors[u]]:
            path = [u]
            while graph.successors[path[-1]]:
                path.append(graph.successors[path[-1]][0])
            head += [len(order)] * (len(path) + 1)
            order += [*path, -1]
        self.buffer, self.head = np.asarray(order, np.int64), np.asarray(head, np.int64)
        drains = [graph.description.buffers[u].drain if u >= 0 else "" for u in order]
        self.drains = drains
        self._number = {name: number for number, name in enumerate(dict.fromkeys(drains))}
        self.drain = np.asarray([self._number[name] for name in drains])
        self.fresh = np.asarray([book.fresh(frozenset({(u, drains[p])})) if u >= 0 else 0 for p, u in enumerate(order)])

    def keep(self, entry: I8, place: I8) -> I8:
        """What the buffers at each place keep of each entry (``Book.held``)."""
        only = np.full(len(self.book.entries), -1)  # the drain that alone is named, -1: several
        for number, known in enumerate(self.book.entries):
            names = {name for _, name in known.may}
            only[number] = self._number.get(names.pop(), -1) if len(names) == 1 else -1
        pairs, inverse = used(entry * 2 + (only[entry] == self.drain[place]))
        kept = [self.book.held_by((pair >> 1,), own=bool(pair & 1)) for pair in pairs.tolist()]
        found: I8 = np.asarray(kept, np.int64)[inverse]
        return found

    def count(
        self, hot: Sequence[Intervals], span: tuple[int, int], past: Past, window: tuple[int, int], *, spans: bool
    ) -> tuple[I8, list[tuple[I8, I8, I8]]]:
        """Time of each (entry, buffer) inside ``window``, in the part ``span`` = [from, to) of the recording.

        hot: per buffer the runs that touch the span, with their true begins. past: the holds in force just before it;
        becomes that of its end. Also returns, only if asked for, per buffer arrays of (from, to, entry).
        """
        edges = _edges([hot[u] if u >= 0 else EMPTY for u in self.buffer.tolist()], span)
        periods = _periods(self, edges, span, past)
        past.until[:], past.entry[:] = -1, -1
        open_ = np.flatnonzero((periods.ends == len(edges.time)) & periods.kept & (periods.bound >= span[1]))
        buffer = self.buffer[periods.place[open_]]
        past.until[buffer], past.entry[buffer] = periods.bound[open_], periods.held[open_]
        return _Ranges.of(self, edges, periods, span).sums(self, window, spans=spans)


def _first(words: Words, columns: I8, at: I8, *, ones: bool) -> I8:
    """First bit that is set (or not set) at or above bit ``at`` in the columns, 64 * words if there is none."""
    if len(words) == 1:
        rest = words[0][columns]
        rest = (rest if ones else ~rest) >> at.astype(np.uint64)
        place: I8 = np.minimum(at + zeros(rest), 64)
        return place
    found, open_ = at.copy(), np.flatnonzero(at < 64 * len(words))
    while len(open_):
        bit = found[open_]
        word = words[bit >> 6, columns[open_]]
        rest = (word if ones else ~word) >> (bit & 63).astype(np.uint64)
        found[open_] += np.minimum(zeros(rest), 64 - (bit & 63))
        open_ = open_[(rest == 0) & (found[open_] < 64 * len(words))]
    return found


@dataclass(frozen=True)
class _Edges:
    """Edges in order of time; of one time the falling ones first, upstream first, then the rising ones from downstream.

    before: u64[words, n + 1], the hot places before each edge, and at last behind all; mirrored: the same with the
    bits in reverse. first, last: the run of adjacent hot places that the edge's own place belongs or belonged to.
    rising: number * (n + 1) + 1 + edge of each begin of a run, sorted, with ``begin``; edge -1: before the span.
    began: of falling edges, the begin of the run that ends.
    """

    time: I8
    place: I8
    rises: Bools
    before: Words
    mirrored: Words
    first: I8
    last: I8
    rising: I8
    begin: I8
    began: I8

    def down(self, columns: I8, place: I8, *, ones: bool) -> I8:
        """First hot (or cool) place from ``place`` down in the columns, -1 if there is none."""
        top = 64 * len(self.before) - 1
        return top - _first(self.mirrored, columns, top - place, ones=ones)

    def since(self, place: I8, edge: I8) -> I8:
        """Begin of the run that each place is in just before an edge."""
        return self.begin[np.searchsorted(self.rising, place * (len(self.time) + 1) + edge, side="right") - 1]


def _edges(hot: Sequence[Intervals], span: tuple[int, int]) -> _Edges:
    """The edges inside ``span`` of the runs ``hot`` of all places."""
    size, (begin, end) = len(hot), span
    counts = [len(runs) for runs in hot]
    runs = np.concatenate(hot) if hot else EMPTY
    place = np.repeat(np.arange(size), counts)
    up, down = np.flatnonzero(runs[:, 0] >= begin), np.flatnonzero(runs[:, 1] < end)
    old = np.flatnonzero(runs[:, 0] < begin)
    time = np.concatenate([runs[down, 1], runs[up, 0]])
    code = np.concatenate([place[down], 2 * size - 1 - place[up]])
    width = (2 * size).bit_length()
    if end - begin < 1 << 62 - width:
        word = np.sort(time - begin << width | code, kind="stable")  # made for runs that are in order
        time, code = (word >> width) + begin, word & (1 << width) - 1
    else:
        order = np.lexsort((code, time))
        time, code = time[order], code[order]
    rises = code >= size
    edge = np.where(rises, 2 * size - 1 - code, code)
    words = size + 63 >> 6
    before, mirrored = (np.zeros((words, len(time) + 1), np.uint64) for _ in range(2))
    for table, bit, old_bit in (
        (before, edge, place[old]),
        (mirrored, 64 * words - 1 - edge, 64 * words - 1 - place[old]),
    ):
        flips = np.uint64(1) << (bit & 63).astype(np.uint64)
        for word_index, row in enumerate(table):
            row[0] = np.bitwise_or.reduce(np.uint64(1) << (old_bit[old_bit >> 6 == word_index] & 63).astype(np.uint64))
            row[1:] = np.where(bit >> 6 == word_index, flips, np.uint64(0)) if words > 1 else flips
            np.bitwise_xor.accumulate(row, out=row)
    columns, top = np.arange(len(time)), 64 * words - 1
    last = _first(before, columns, edge + 1, ones=False) - 1
    first = top - _first(mirrored, columns, top - edge + 1, ones=False) + 1
    risen = np.flatnonzero(rises)
    by_place = risen[np.argsort(edge[risen].astype(np.uint16), kind="stable")]
    rising = np.concatenate([place[old] * (len(time) + 1), edge[by_place] * (len(time) + 1) + by_place + 1])
    started = np.concatenate([runs[old, 0], time[by_place]])
    order = np.argsort(rising, kind="stable")
    fallen, began = np.flatnonzero(~rises), np.empty(len(time), np.int64)
    began[fallen[np.argsort(edge[fallen].astype(np.uint16), kind="stable")]] = runs[down, 0]
    return _Edges(time, edge, rises, before, mirrored, first, last, rising[order], started[order], began)


@dataclass(frozen=True)
class _Periods:
    """When each place is a root, sorted by place: [begin, end), from edge ``starts`` (-1: before) to edge ``ends`` (n).

    kept: it begins with a hold, in force until ``bound`` at most; held: its entry. until: end of the hold in the
    period, ``begin`` without one. root: per edge that a hot place lies behind, the period of the root of its run.
    """

    place: I8
    starts: I8
    ends: I8
    begin: I8
    end: I8
    kept: Bools
    bound: I8
    until: I8
    held: I8
    root: I8


def _periods(chain: Chain, edges: _Edges, span: tuple[int, int], past: Past) -> _Periods:
    """The periods of all roots and what they hold."""
    count, place, rises = len(edges.time), edges.place, edges.rises
    low, high = edges.first < place, edges.last > place
    start, end = np.flatnonzero(np.where(rises, ~high, low)), np.flatnonzero(np.where(rises, low, ~high))
    old, left = _roots(edges.before[:, 0]), _roots(edges.before[:, -1])
    at = np.concatenate([old, place[start] - ~rises[start]])
    order = np.argsort(at.astype(np.uint16), kind="stable")
    at, starts = at[order], np.concatenate([np.full(len(old), -1), start])[order]
    ends_at = np.concatenate([place[end] - rises[end], left])
    ends = np.concatenate([end, np.full(len(left), count)])[np.argsort(ends_at.astype(np.uint16), kind="stable")]
    times = np.append(edges.time, [span[1], span[0]])
    begin, end_time = times[starts], times[ends]
    bound, kept, held = begin.copy(), starts < 0, np.full(len(at), -1)
    pointer, seen = np.full(len(at), -1), np.full(len(at), -1)  # seen: the root whose cause a hold keeps
    carried = np.flatnonzero(kept)
    buffer = chain.buffer[at[carried]]
    held[carried], bound[carried] = np.maximum(past.entry[buffer], ANYBODY), np.maximum(past.until[buffer], span[0])
    kept[carried] = past.entry[buffer] != -1
    new = np.flatnonzero(starts >= 0)
    drains, surges = new[~rises[starts[new]]], new[rises[starts[new]]]
    edge = starts[drains]
    waited = np.maximum(edges.since(at[drains], edge), edges.began[edge])  # what it waited for is what fell
    bound[drains], seen[drains] = 2 * begin[drains] - waited, edges.last[edge]
    limit = np.where(ends[surges] < count, end_time[surges], _FAR)
    bound[surges], seen[surges] = _backlog(chain, edges, at[surges], starts[surges], limit)
    kept[new] = (bound[new] > begin[new]) & (end_time[new] > begin[new])
    until = np.where(kept, np.minimum(bound, end_time), begin)
    key, number = at * (count + 1) + starts + 1, np.arange(len(at))
    root = np.empty(count + 1, np.int64)
    root[ends] = number
    inner = np.flatnonzero(high)
    inner = inner[np.argsort(edges.last[inner].astype(np.uint16), kind="stable")]  # sorted, it is found much faster
    root[inner] = np.searchsorted(key, edges.last[inner] * (count + 1) + inner, side="right") - 1
    asking = new[kept[new]]
    older, other = root[starts[asking]], np.flatnonzero(rises[starts[asking]])
    wanted = seen[asking[other]] * (count + 1) + starts[asking[other]]
    other, wanted = other[order := np.argsort(wanted, kind="stable")], wanted[order]
    older[other] = np.searchsorted(key, wanted, side="right") - 1
    still = kept[older] & (bound[older] >= begin[asking])
    pointer[asking[still]] = older[still]
    held[asking[~still]] = chain.fresh[seen[asking[~still]]]
    held = held[follow(pointer)]
    held[asking] = chain.keep(held[asking], at[asking])
    return _Periods(at, starts, ends, begin, end_time, kept, bound, until, held, root)


def _roots(words: Words) -> I8:
    """The places with a set bit and none above it, of one column."""
    bits = np.unpackbits(words.copy().view(np.uint8), bitorder="little")
    return np.flatnonzero(bits & ~np.append(bits[1:], np.uint8(0)) & np.uint8(1))


def _backlog(chain: Chain, edges: _Edges, place: I8, edge: I8, limit: I8) -> tuple[I8, I8]:
    """Until when a run that begins at the edge holds, and the nearest hot place upstream just before; -1: none.

    The walk upstream ends where an older run cannot make the hold any longer: it ends by ``limit`` at the latest.
    """
    at = edges.time[edge]
    new = np.diff(edges.time, prepend=_NEVER) > 0
    group = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))[edge]  # the first edge of that time
    bound, near = at.copy(), np.full(len(at), -1)
    walking, below = np.arange(len(at)), place - 1
    while len(walking):
        below = edges.down(group[walking], below, ones=True)
        inside = below >= chain.head[place[walking]]
        walking, below = walking[inside], below[inside]
        bound[walking] = np.maximum(bound[walking], 2 * at[walking] - edges.since(below, group[walking]))
        near[walking] = np.where(near[walking] < 0, below, near[walking])
        on = (bound[walking] < limit[walking]) & (below > chain.head[place[walking]])
        walking, below = walking[on], below[on] - 1
    return bound, near


@dataclass(frozen=True)
class _Ranges:
    """Changes of cause, in no order: from ``time`` on the places low .. high have the entry, or no longer (not on).

    order: of changes of one time, as far as that matters.
    """

    time: I8
    order: I8
    entry: I8
    low: I8
    high: I8
    on: Bools

    @classmethod
    def of(cls, chain: Chain, edges: _Edges, periods: _Periods, span: tuple[int, int]) -> _Ranges:
        """All changes: by edges, by the end of holds within a period, and by begin and end of the span."""
        place, rises, low, high = edges.place, edges.rises, edges.first < edges.place, edges.last > edges.place
        count, columns = len(edges.time), np.arange(len(edges.time))
        fresh = chain.fresh[periods.place]
        first = np.where(periods.until > periods.begin, periods.held, fresh)
        last = np.where((periods.until >= periods.end) & (periods.until > periods.begin), periods.held, fresh)
        # the entry of the run that an edge joins, leaves, or is the root of
        entered, ended = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
        entered[periods.starts], ended[periods.ends] = first, last  # -1 is the place behind all
        inner = np.flatnonzero(high)
        root = periods.root[inner]
        holding = (periods.until[root] > periods.begin[root]) & (edges.time[inner] <= periods.until[root])
        force = np.zeros(count, np.int64)
        force[inner] = np.where(holding, periods.held[root], fresh[root])
        leaves, enters = ~rises | low, rises | low
        leave = np.where(~rises & high, force, ended[:-1])[leaves], edges.first[leaves], (place - rises)[leaves]
        enter = np.where(rises & high, force, entered[:-1])[enters], edges.first[enters], (place - ~rises)[enters]
        # begin and end of the span; holds that end before their period
        old, left = np.flatnonzero(periods.starts < 0), np.flatnonzero(periods.ends == count)
        over = np.flatnonzero((periods.until > periods.begin) & (periods.until < periods.end))
        over = over[np.argsort(periods.until[over], kind="stable")]
        expiry = np.searchsorted(edges.time, periods.until[over], side="right")

        def lowest(which: I8, column: I8) -> I8:
            return edges.down(column, periods.place[which], ones=False) + 1

        low_old, low_left = lowest(old, np.zeros(len(old), np.int64)), lowest(left, np.full(len(left), count))
        low_over = lowest(over, expiry)
        parts = [
            (edges.time[leaves], columns[leaves], *leave),
            (np.full(len(left), span[1]), np.full(len(left), count), last[left], low_left, periods.place[left]),
            (periods.until[over], expiry, periods.held[over], low_over, periods.place[over]),
            (edges.time[enters], columns[enters], *enter),
            (np.full(len(old), span[0]), np.full(len(old), -1), first[old], low_old, periods.place[old]),
            (periods.until[over], expiry, fresh[over], low_over, periods.place[over]),
        ]
        time, order_, entry, below, above = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        on = np.arange(len(time)) >= sum(len(part[0]) for part in parts[:3])
        return cls(time, order_, entry, below, above, on)

    def sums(self, chain: Chain, window: tuple[int, int], *, spans: bool) -> tuple[I8, list[tuple[I8, I8, I8]]]:
        """Time of each (entry, buffer) inside ``window``; and the pieces themselves per buffer, if asked for."""
        size, entries = len(chain.buffer) + 1, len(chain.book.entries)
        time = np.clip(self.time, *window)
        time = np.where(self.on, -time, time)
        out = np.zeros((entries, chain.size), np.int64)
        some, step = np.flatnonzero(chain.buffer >= 0), max(1, _CELLS // size)
        for base in range(0, entries, step):
            table = np.zeros((min(step, entries - base), size), np.int64)
            mine = slice(None) if entries <= step else np.flatnonzero((self.entry >= base) & (self.entry < base + step))
            cell = (self.entry[mine] - base) * size
            np.add.at(table.ravel(), cell + self.low[mine], time[mine])
            np.subtract.at(table.ravel(), cell + self.high[mine] + 1, time[mine])
            out[base : base + step, chain.buffer[some]] = np.cumsum(table, axis=1)[:, some]
        return out, self._pieces(chain, window) if spans else []

    def _pieces(self, chain: Chain, window: tuple[int, int]) -> list[tuple[I8, I8, I8]]:
        """Per buffer (from, to, entry) inside ``window``."""
        length = self.high - self.low + 1
        which = np.repeat(np.arange(len(length)), length)
        place = np.arange(len(which)) - np.repeat(np.cumsum(length) - length, length) + self.low[which]
        order = np.lexsort((self.on[which], self.order[which], self.time[which], place))
        which, place = which[order], place[order]
        time = np.clip(self.time[which], *window)
        begins = np.flatnonzero(self.on[which])  # what follows is that it is left, at the same place
        begins = begins[time[begins + 1] > time[begins]]
        found: list[tuple[I8, I8, I8]] = [(_NONE, _NONE, _NONE)] * chain.size
        for p in np.flatnonzero(chain.buffer >= 0).tolist():
            mine = begins[np.searchsorted(place[begins], p) : np.searchsorted(place[begins], p + 1)]
            found[int(chain.buffer[p])] = (time[mine], time[mine + 1], self.entry[which[mine]])
        return found
