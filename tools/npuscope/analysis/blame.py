"""Who stalls whom: the blame rules over a timeline.

The edges of all lanes are swept into states of the board; each distinct state is solved once, and its time counts for
the entry (see ``book``) of every hot buffer. Times are integer ns; an entry's total is split once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.chain import Chain
from npuscope.analysis.drain import Holds, Part, holds
from npuscope.analysis.graph import Graph
from npuscope.analysis.held import resolve
from npuscope.analysis.past import Past
from npuscope.analysis.refill import refills
from npuscope.analysis.solve import Solution, cycle_entry, distinct, fresh_entries, single_bit, solve
from npuscope.analysis.states import Board, Words, bit, sweep
from npuscope.analysis.walk import Walker
from npuscope.description import Description
from npuscope.episodes import Lane
from npuscope.intervals import EMPTY, Intervals, clip, cover, total
from npuscope.timeline import Timeline

__all__ = ["Tally", "tally"]

I8 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_FEW: Final = 2000
"""Edges between two doubtful parts that do not pay for a part of their own."""
_MANY: Final = 1 << 18
"""Edges of a part, which bound its memory."""
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

    def add_spans(self, later: list[tuple[I8, I8, I8]]) -> None:
        """Put pieces, of later time than all so far, behind the spans."""
        for u, pieces in enumerate(later):
            a, b, c = (np.concatenate(both) for both in zip(self.spans[u], pieces, strict=True))
            self.spans[u] = a, b, c


def tally(timeline: Timeline, description: Description, window: tuple[int, int], *, spans: bool = False) -> Tally:
    """Apply the rules to all of the timeline and count the time inside the window [from, to)."""
    graph = Graph(description)
    book, walker = Book(graph), Walker(graph)
    none = np.empty(0, np.int64)
    result = Tally(book, [{} for _ in range(graph.size)], [{} for _ in range(graph.size)])
    result.spans = [(none, none, none)] * graph.size if spans else []
    whole, past = Part.whole(timeline), Past.nothing(graph.size)
    if not graph.size:
        return result
    chain = Chain(graph, book) if graph.is_chain else None
    for begin, end, doubtful in _parts(whole) if chain else [(whole.begin, whole.end, True)]:
        part = whole.within(begin, end)
        if part.unseen:  # before anything is known
            for u, lane in enumerate(part.hot):
                result.unseen[u][ANYBODY] = total(clip(lane.unknown, *window))
        elif doubtful or chain is None:
            _solve(graph, part, timeline.dry, past, walker, window, result)
        else:
            sums, pieces = chain.count([lane.true for lane in part.hot], (begin, end), past, window, spans=spans)
            for mine, column in zip(result.hot, np.ascontiguousarray(sums.T), strict=True):
                entries = np.flatnonzero(column)
                found = dict(zip(entries.tolist(), column[entries].tolist(), strict=True))
                mine |= found | {entry: ns + found[entry] for entry, ns in mine.items() if entry in found}
            result.add_spans(pieces)
    return result


def _parts(whole: Part) -> Iterator[tuple[int, int, bool]]:
    """(begin, end, doubtful) of the parts that follow one another: doubtful ones, and the clear ones between them.

    Doubtful is the time in which a buffer is in a possibly hot run that is not certain from begin to end, and the
    edges at both. Clear time of few edges between two such parts is left to them, that of many is cut.
    """
    doubt = [whole.possible[u][:1] for u in whole.opened]
    for runs, lane in zip(whole.possible, whole.hot, strict=True):
        doubt.append(runs[np.unique(np.searchsorted(runs[:, 0], lane.unknown[:, 0], side="right") - 1)])
    borders = np.clip(cover((EMPTY, *doubt), 1) + np.asarray([0, 1]), whole.begin, whole.end)
    clear = np.concatenate([[whole.begin], borders.ravel(), [whole.end]]).reshape(-1, 2)
    edges = np.zeros(len(clear), np.int64)
    for runs in whole.possible:
        edges += np.diff(np.searchsorted(runs.ravel(), clear))[:, 0]
    reached = whole.begin
    for (begin, end), count in zip(clear.tolist(), edges.tolist(), strict=True):
        if begin == end or (count < _FEW and whole.begin < begin and end < whole.end):
            continue
        if reached < begin:
            yield reached, begin, True
        number = min(end - begin, count // _MANY + 1)
        for i in range(number):
            yield begin + (end - begin) * i // number, begin + (end - begin) * (i + 1) // number, False
        reached = end
    if reached < whole.end:
        yield reached, whole.end, True


def _solve(
    graph: Graph,
    part: Part,
    dry: tuple[Lane, ...],
    past: Past,
    walker: Walker,
    window: tuple[int, int],
    result: Tally,
) -> None:
    """Count a part of the recording by the states of all buffers."""
    book = result.book
    joins = any(graph.at_join)
    span = part.begin - 1, part.end  # what was just before it begins is asked for too
    lanes: dict[str, list[Intervals]] = {
        "hot": [clip(lane.true, *span) for lane in part.hot],
        "unknown": [clip(lane.unknown, *span) for lane in part.hot],
        "dry": [clip(lane.true, *span) if joins else EMPTY for lane in dry],
        "dry_unknown": [clip(lane.unknown, *span) if joins else EMPTY for lane in dry],
    }
    board = sweep(lanes, graph.size)
    held = refills(graph, board, holds(graph, part, board, past), book, walker, past, part)
    entries = resolve(graph, board, held, book, walker)
    last = np.flatnonzero((held.end == part.end) & (held.bound >= part.end))
    past.until[held.buffer[last]], past.entry[held.buffer[last]] = held.bound[last], entries[last]
    if len(held.start) or any(map(len, held.vague)):
        stretches = np.column_stack([held.start, held.end])
        lanes["vague"] = list(held.vague)
        lanes["holding"] = [stretches[held.first[u] : held.first[u + 1]] for u in range(graph.size)]
        board = sweep(lanes, graph.size, (stretches, _tags(held.buffer, entries)))
    _count(graph, part, board, held, entries, walker, window, result)


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
    part: Part,
    board: Board,
    held: Holds,
    entries: I8,
    walker: Walker,
    window: tuple[int, int],
    result: Tally,
) -> None:
    if len(board.times) < 2:
        return
    begins = np.maximum(board.times, part.begin)
    edges = np.clip(begins, *window)
    columns = np.flatnonzero(np.diff(edges))
    planes = {name: words[:, columns] for name, words in board.planes.items()}
    first, inverse = distinct(planes)
    time = np.zeros(len(first), np.int64)
    np.add.at(time, inverse, np.diff(edges)[columns])
    size = max(64, _CELLS // (graph.size * planes["hot"].shape[0]))
    locked: dict[int, int] = {}
    by_state = np.full((graph.size, len(first)), -1) if result.spans else None
    for start in range(0, len(first), size):
        some = slice(start, start + size)
        chosen = {name: words[:, first[some]] for name, words in planes.items()}
        found = _add(graph, chosen, begins[columns[first[some]]], time[some], held, entries, walker, result)
        for u, states, entry, hot in found:
            waiting = [e for e in np.unique(entry).tolist() if _is_cycle(result.book, e)] if graph.cyclic else []
            for i in np.flatnonzero(np.isin(entry, waiting)) if waiting else ():
                locked[start + int(states[i])] = int(entry[i])
            if by_state is not None:
                by_state[u, start + states[hot]] = entry[hot]
    if locked:
        _cycles(result, locked, inverse, begins[columns], begins[columns + 1])
    pieces = []
    for u in range(graph.size) if by_state is not None else ():
        entry = by_state[u, inverse]  # type: ignore[index]
        mine = np.flatnonzero(entry >= 0)
        pieces.append((edges[columns[mine]], edges[columns[mine] + 1], entry[mine]))
    result.add_spans(pieces)


def _is_cycle(book: Book, entry: int) -> bool:
    return any(root < 0 for root, _ in book.entries[entry].may)


def _add(
    graph: Graph,
    planes: dict[str, Words],
    begins: I8,
    time: I8,
    held: Holds,
    entries: I8,
    walker: Walker,
    result: Tally,
) -> list[tuple[int, I8, I8, Bools]]:
    """Count distinct states, ``begins`` = a time in each; per victim (u, states, entry, certainly hot) there."""
    book, solution = result.book, solve(graph, planes)
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
                roots = _places(may[:, i])
                sure = _places(must[:, i] & may[:, i])
                memo[key] = book.combine([int(codes[r, column]) for r in roots], [int(codes[r, column]) for r in sure])
            found[i] = memo[key]
        for target, chosen in ((result.hot[u], hot[columns]), (result.unseen[u], ~hot[columns])):
            sums = np.zeros(len(book.entries), np.int64)
            np.add.at(sums, found[chosen], time[columns[chosen]])
            for entry in np.flatnonzero(sums).tolist():
                target[entry] = target.get(entry, 0) + int(sums[entry])
        out.append((u, columns, found, hot[columns]))
    return out


def _places(words: Words) -> list[int]:
    """Numbers of the bits set in one column of words, rising."""
    found: list[int] = np.flatnonzero(np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")).tolist()
    return found


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
