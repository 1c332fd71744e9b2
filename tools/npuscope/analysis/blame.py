"""Who stalls whom: the blame rules over a timeline.

The edges of all lanes are swept into states of the board; each distinct state is solved once, and its time counts for
the entry (see ``book``) of every hot buffer. Times are integer ns; an entry's total is split once, at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.chain import Pieces, doubtful, pieces
from npuscope.analysis.drain import Holds, holds
from npuscope.analysis.graph import Graph
from npuscope.analysis.held import resolve
from npuscope.analysis.refill import refills
from npuscope.analysis.solve import Solution, cycle_entry, distinct, fresh_entries, single_bit, solve
from npuscope.analysis.states import Board, Words, bit, sweep
from npuscope.analysis.walk import Walker
from npuscope.description import Description
from npuscope.intervals import EMPTY, Intervals, intersect
from npuscope.timeline import Timeline

__all__ = ["Tally", "tally"]

I8 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_CELLS: Final = 1 << 22
"""Root words solved at a time: bounds the memory of a solution to some 100 MB."""


@dataclass
class Tally:
    """Time per (victim, entry id): hot[u] while u is certainly hot, unseen[u] while it may be hot.

    cycles: (entry id, from, to) of each stretch in which a wait cycle has no way out. spans, only if asked for:
    per victim (from, to, entry id) arrays of all time in which it is certainly hot.
    """

    book: Book
    hot: list[dict[int, int]]
    unseen: list[dict[int, int]]
    cycles: list[tuple[int, int, int]] = field(default_factory=list)
    spans: list[tuple[I8, I8, I8]] = field(default_factory=list)


def tally(timeline: Timeline, description: Description, window: tuple[int, int], *, spans: bool = False) -> Tally:
    """Apply the rules to all of the timeline and count the time inside the window [from, to)."""
    graph = Graph(description)
    book, walker = Book(graph), Walker(graph)
    doubt = doubtful(graph, timeline)

    def part(intervals: Intervals) -> Intervals:
        return intersect(intervals, doubt) if graph.is_chain else intervals

    lanes: dict[str, list[Intervals]] = {
        "hot": [part(lane.true) for lane in timeline.hot],
        "unknown": [part(lane.unknown) for lane in timeline.hot],
    }
    joins = any(graph.at_join)
    lanes["dry"] = [lane.true if joins else EMPTY for lane in timeline.dry]
    lanes["dry_unknown"] = [lane.unknown if joins else EMPTY for lane in timeline.dry]
    board = sweep(lanes, graph.size)
    held = refills(graph, board, holds(graph, timeline, board, doubt), book, walker)
    handed = pieces(graph, timeline, held, doubt) if graph.is_chain else []
    entries = resolve(graph, board, held, book, walker, handed, doubt)
    if len(doubt) and (len(held.start) or any(map(len, held.vague))):
        stretches = np.column_stack([held.start, held.end])
        lanes["vague"] = [part(stretch) for stretch in held.vague]
        lanes["holding"] = [part(stretches[held.first[u] : held.first[u + 1]]) for u in range(graph.size)]
        touching = np.searchsorted(doubt[:, 0], held.end) > np.searchsorted(doubt[:, 1], held.start, side="right")
        tags = _tags(held.buffer, entries)
        board = sweep(lanes, graph.size, (stretches[touching], tags[touching]))
    result = _count(graph, board, held, entries, book, walker, window, spans)
    _count_pieces(graph, handed, entries, window, result, spans=spans)
    return result


def _tags(buffer: I8, entry: I8) -> npt.NDArray[np.uint64]:
    """A word per (buffer, entry) whose XORs do not cancel (SplitMix64 of the pair)."""
    word = (buffer.astype(np.uint64) + np.uint64(1) << np.uint64(40)) + entry.astype(np.uint64)
    word = word * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = word ^ (word >> np.uint64(31))
    return mixed


def _count(
    graph: Graph,
    board: Board,
    held: Holds,
    entries: I8,
    book: Book,
    walker: Walker,
    window: tuple[int, int],
    spans: bool,
) -> Tally:
    result = Tally(book, [{} for _ in range(graph.size)], [{} for _ in range(graph.size)])
    if len(board.times) < 2:
        none = np.empty(0, np.int64)
        result.spans = [(none, none, none)] * graph.size if spans else []
        return result
    edges = np.clip(board.times, *window)
    columns = np.flatnonzero(np.diff(edges))
    planes = {name: words[:, columns] for name, words in board.planes.items()}
    first, inverse = distinct(planes)
    time = np.zeros(len(first), np.int64)
    np.add.at(time, inverse, np.diff(edges)[columns])
    begins = board.times[columns[first]]
    size = max(64, _CELLS // (graph.size * planes["hot"].shape[0]))
    locked: dict[int, int] = {}
    by_state = np.full((graph.size, len(first)), -1) if spans else None
    for start in range(0, len(first), size):
        part = slice(start, start + size)
        chosen = {name: words[:, first[part]] for name, words in planes.items()}
        found = _add(graph, chosen, begins[part], time[part], held, entries, book, walker, result)
        for u, states, entry, hot in found:
            waiting = [e for e in np.unique(entry).tolist() if _is_cycle(book, e)] if graph.cyclic else []
            for i in np.flatnonzero(np.isin(entry, waiting)) if waiting else ():
                locked[start + int(states[i])] = int(entry[i])
            if by_state is not None:
                by_state[u, start + states[hot]] = entry[hot]
    if locked:
        _cycles(result, locked, inverse, board.times[columns], board.times[columns + 1])
    for u in range(graph.size) if by_state is not None else ():
        entry = by_state[u, inverse]  # type: ignore[index]
        mine = np.flatnonzero(entry >= 0)
        result.spans.append((edges[columns[mine]], edges[columns[mine] + 1], entry[mine]))
    return result


def _count_pieces(
    graph: Graph, handed: list[Pieces], entries: I8, window: tuple[int, int], result: Tally, *, spans: bool
) -> None:
    """Add the time of the pieces of a chain, which lie where the board is empty."""
    names = graph.description.buffers
    fresh = [result.book.fresh(frozenset({(r, names[r].drain)})) for r in range(graph.size if handed else 0)]
    of_code = np.concatenate([np.asarray([*fresh, ANYBODY], np.int64), entries])
    for u, mine in enumerate(handed):
        begin, end = np.maximum(mine.start, window[0]), np.minimum(mine.end, window[1])
        entry = of_code[mine.code]
        sums = np.zeros(len(result.book.entries), np.int64)
        np.add.at(sums, entry, np.maximum(end - begin, 0))
        for number in np.flatnonzero(sums).tolist():
            result.hot[u][number] = result.hot[u].get(number, 0) + int(sums[number])
        if spans:
            some = np.flatnonzero(end > begin)
            one = (begin[some], end[some], entry[some])
            columns = [np.concatenate(both) for both in zip(result.spans[u], one, strict=True)]
            order = np.argsort(columns[0], kind="stable")
            result.spans[u] = (columns[0][order], columns[1][order], columns[2][order])


def _is_cycle(book: Book, entry: int) -> bool:
    return any(root < 0 for root, _ in book.entries[entry].may)


def _add(
    graph: Graph,
    planes: dict[str, Words],
    begins: I8,
    time: I8,
    held: Holds,
    entries: I8,
    book: Book,
    walker: Walker,
    result: Tally,
) -> list[tuple[int, I8, I8, Bools]]:
    """Count distinct states, ``begins`` = a time in each; per victim (u, states, entry, certainly hot) there."""
    solution = solve(graph, planes)
    codes = np.stack([_root_codes(solution, r, begins, held, entries, book, walker) for r in range(graph.size)])
    out = []
    memo: dict[tuple[bytes, bytes, bytes], int] = {}
    for u in range(graph.size):
        hot, unknown = bit(planes["hot"], u), bit(planes["unknown"], u)
        columns = np.flatnonzero(hot | unknown)
        may, must = solution.may[u][:, columns], solution.must[u][:, columns]
        one, root = single_bit(may)
        one &= (may == must).all(axis=0)
        found = np.where(one, codes[root, columns], ANYBODY)
        for i in np.flatnonzero(~one).tolist():
            column = int(columns[i])
            if not may[:, i].any():
                found[i] = cycle_entry(solution, book, u, column)
                continue
            key = (may[:, i].tobytes(), must[:, i].tobytes(), codes[:, column].tobytes())
            if key not in memo:
                roots = [r for r in range(graph.size) if may[r >> 6, i] >> np.uint64(r & 63) & np.uint64(1)]
                sure = [r for r in roots if must[r >> 6, i] >> np.uint64(r & 63) & np.uint64(1)]
                memo[key] = book.combine([int(codes[r, column]) for r in roots], [int(codes[r, column]) for r in sure])
            found[i] = memo[key]
        for target, chosen in ((result.hot[u], hot[columns]), (result.unseen[u], ~hot[columns])):
            sums = np.zeros(len(book.entries), np.int64)
            np.add.at(sums, found[chosen], time[columns[chosen]])
            for entry in np.flatnonzero(sums).tolist():
                target[entry] = target.get(entry, 0) + int(sums[entry])
        out.append((u, columns, found, hot[columns]))
    return out


def _root_codes(solution: Solution, root: int, begins: I8, held: Holds, entries: I8, book: Book, walker: Walker) -> I8:
    """Entry of ``root`` in each state in which it can be a root; elsewhere meaningless."""
    planes = solution.planes
    codes = np.full(len(begins), ANYBODY)
    active = np.flatnonzero(bit(planes["hot"], root) | bit(planes["unknown"], root))
    for v in solution.graph.successors[root]:
        active = active[~bit(planes["hot"], v)[active]]
    codes[active] = fresh_entries(solution, book, walker, root, active)
    if "holding" in planes:
        holding = active[bit(planes["holding"], root)[active]]
        codes[holding] = entries[held.active(root, begins[holding], before=False)]
        codes[active[bit(planes["vague"], root)[active]]] = ANYBODY
    return codes


def _cycles(result: Tally, locked: dict[int, int], inverse: I8, begin: I8, end: I8) -> None:
    """Join the stretches of time in which the same cycle has no way out."""
    for column in np.flatnonzero(np.isin(inverse, list(locked))).tolist():
        entry = locked[int(inverse[column])]
        start, stop = int(begin[column]), int(end[column])
        for i in range(len(result.cycles) - 1, max(-1, len(result.cycles) - 9), -1):
            if result.cycles[i][0] == entry and result.cycles[i][2] == start:
                result.cycles[i] = (entry, result.cycles[i][1], stop)
                break
        else:
            result.cycles.append((entry, start, stop))
