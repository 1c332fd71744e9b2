"""Which cause each hold keeps: a hold points to the cause of other buffers just before it, maybe itself a hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.chain import Pieces
from npuscope.analysis.drain import Holds
from npuscope.analysis.graph import Graph
from npuscope.analysis.solve import Solution, distinct, fresh_entries, single_bit, solve
from npuscope.analysis.states import Board, Words, bit
from npuscope.analysis.walk import Walker
from npuscope.intervals import Intervals, contains_before

__all__ = ["resolve"]

I8 = npt.NDArray[np.int64]


def resolve(
    graph: Graph, board: Board, holds: Holds, book: Book, walker: Walker, pieces: list[Pieces], doubt: Intervals
) -> I8:
    """Entry id of each hold; outside ``doubt`` read from the ``pieces`` of a chain, inside from the board.

    A hold whose buffers had one certain root takes that root's cause: its entry, or that of the hold then in force
    there. Such chains are followed by pointer doubling; holds of several roots, in order of time, one by one.
    """
    count = len(holds.start)
    entry = np.where(holds.fixed >= 0, holds.fixed, ANYBODY)
    if not count:
        return entry
    pointer = np.full(count, -1)
    by_state = contains_before(doubt, holds.start)
    _from_pieces(graph, holds, book, pieces, np.flatnonzero(~by_state), entry, pointer)
    asked = np.flatnonzero(by_state)
    may, must, state, solution = _roots(graph, board, holds, asked)
    certain = (may == must).all(axis=0) & may.any(axis=0)
    one, root = single_bit(may)
    plain = certain & one
    for r in _used(root[plain])[0].tolist():
        place = np.flatnonzero(plain & (root == r))
        mine = asked[place]
        before = holds.active(r, holds.start[mine], before=True)
        pointer[mine] = before
        free = before < 0
        states, inverse = _used(state[place[free]])
        entry[mine[free]] = fresh_entries(solution, book, walker, r, states)[inverse]
        hidden = mine[contains_before(holds.vague[r], holds.start[mine])]
        entry[hidden], pointer[hidden] = ANYBODY, -1
    source = _follow(pointer)  # the hold whose own value each one takes
    several = np.flatnonzero(certain & ~one)
    ids: dict[tuple[tuple[int, ...], int], int] = {}

    def keep(sources: tuple[int, ...], buffer: int) -> int:
        key = (sources, buffer)
        if key not in ids:
            ids[key] = book.held(list(sources), buffer)
        return ids[key]

    for place in several[np.argsort(holds.start[asked[several]], kind="stable")].tolist():
        i = int(asked[place])
        at = holds.start[i : i + 1]
        parts = set()
        for r in [r for r in range(graph.size) if bit(may[:, place : place + 1], r)[0]]:
            older = int(holds.active(r, at, before=True)[0])
            if contains_before(holds.vague[r], at)[0]:
                parts.add(ANYBODY)
            elif older >= 0:
                parts.add(int(entry[source[older]]))
            else:
                parts.add(int(fresh_entries(solution, book, walker, r, state[place : place + 1])[0]))
        entry[i] = keep(tuple(sorted(parts)), int(holds.buffer[i]))
    pairs, inverse = _used(entry[source] * graph.size + holds.buffer)
    return np.asarray([keep((pair // graph.size,), pair % graph.size) for pair in pairs.tolist()], np.int64)[inverse]


def _used(numbers: I8) -> tuple[I8, I8]:
    """(distinct numbers, ascending, place of each number among them); numbers are >= 0 and not large."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    present[numbers] = True
    place = np.cumsum(present) - 1
    return np.flatnonzero(present), place[numbers]


def _roots(graph: Graph, board: Board, holds: Holds, asked: I8) -> tuple[Words, Words, I8, Solution]:
    """Possible and certain roots of the buffers of each hold asked for just before it, and the state it was in."""
    used, back = _used(board.before(holds.start[asked]) + 1)
    planes = board.take(used - 1)
    first, inverse = distinct(planes)
    planes = {name: words[:, first] for name, words in planes.items()}
    state = inverse[back]
    solution = solve(graph, planes)
    refs = holds.refs[:, asked]
    words, count = refs.shape
    may, must = np.zeros((words, count), np.uint64), np.zeros((words, count), np.uint64)
    one, which = single_bit(refs)
    alone = np.flatnonzero(one)
    may[:, alone] = solution.may[which[alone], :, state[alone]].T
    must[:, alone] = solution.must[which[alone], :, state[alone]].T
    many = np.flatnonzero(~one)
    for u in range(graph.size) if len(many) else ():
        mine = many[bit(refs[:, many], u)]
        may[:, mine] |= solution.may[u][:, state[mine]]
        must[:, mine] |= solution.must[u][:, state[mine]]
    return may, must, state, solution


def _from_pieces(
    graph: Graph, holds: Holds, book: Book, pieces: list[Pieces], mine: I8, entry: I8, pointer: I8
) -> None:
    """Fill in entry or pointer of the holds ``mine``, each of one buffer of a chain."""
    _, buffer = single_bit(holds.refs[:, mine])
    code = np.full(len(mine), -1)
    for u in _used(buffer)[0].tolist():
        place = np.flatnonzero(buffer == u)
        code[place] = pieces[u].before(holds.start[mine[place]])
    fresh = np.flatnonzero((code >= 0) & (code < graph.size))
    roots, inverse = _used(code[fresh])
    names = graph.description.buffers
    ids = [book.fresh(frozenset({(r, names[r].drain)})) for r in roots.tolist()]
    entry[mine[fresh]] = np.asarray(ids, np.int64)[inverse]
    older = np.flatnonzero(code > graph.size)
    pointer[mine[older]] = code[older] - graph.size - 1


def _follow(pointer: I8) -> I8:
    """Where each chain of pointers (-1 ends it) ends."""
    end = np.where(pointer < 0, np.arange(len(pointer)), pointer)
    while True:
        further = end[end]
        if np.array_equal(further, end):
            return end
        end = further
