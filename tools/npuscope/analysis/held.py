"""Which cause each hold keeps: a hold points to the cause of other buffers just before it, maybe itself a hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.drain import Holds
from npuscope.analysis.graph import Graph
from npuscope.analysis.solve import Solution, distinct, fresh_entries, single_bit, solve
from npuscope.analysis.states import Board, Words, bit
from npuscope.analysis.walk import Walker

__all__ = ["resolve"]

I8 = npt.NDArray[np.int64]


def resolve(graph: Graph, board: Board, holds: Holds, book: Book, walker: Walker) -> I8:
    """Entry id of each hold.

    A hold whose buffers had one certain root takes that root's cause: its entry, or that of the hold then in force
    there. Such chains are followed by pointer doubling; holds of several roots, in order of time, one by one.
    """
    count = len(holds.start)
    entry = np.where(holds.fixed >= 0, holds.fixed, ANYBODY)
    if not count:
        return entry
    may, must, state, solution = _roots(graph, board, holds)
    certain = (may == must).all(axis=0) & may.any(axis=0)
    one, root = single_bit(may)
    pointer = np.full(count, -1)
    plain = certain & one
    for r in _used(root[plain])[0].tolist():
        mine = np.flatnonzero(plain & (root == r))
        before = holds.active(r, holds.start[mine], before=True)
        pointer[mine] = before
        free = mine[before < 0]
        states, inverse = _used(state[free])
        entry[free] = fresh_entries(solution, book, walker, r, states)[inverse]
        hidden = mine[_inside(holds, r, holds.start[mine])]
        entry[hidden], pointer[hidden] = ANYBODY, -1
    source = _follow(pointer)  # the hold whose own value each one takes
    several = np.flatnonzero(certain & ~one)
    ids: dict[tuple[tuple[int, ...], int], int] = {}

    def keep(sources: tuple[int, ...], buffer: int) -> int:
        key = (sources, buffer)
        if key not in ids:
            ids[key] = book.held(list(sources), buffer)
        return ids[key]

    for i in several[np.argsort(holds.start[several], kind="stable")].tolist():
        at = holds.start[i : i + 1]
        parts = set()
        for r in [r for r in range(graph.size) if bit(may[:, i : i + 1], r)[0]]:
            older = int(holds.active(r, at, before=True)[0])
            if _inside(holds, r, at)[0]:
                parts.add(ANYBODY)
            elif older >= 0:
                parts.add(int(entry[source[older]]))
            else:
                parts.add(int(fresh_entries(solution, book, walker, r, state[i : i + 1])[0]))
        entry[i] = keep(tuple(sorted(parts)), int(holds.buffer[i]))
    pairs, inverse = _used(entry[source] * graph.size + holds.buffer)
    return np.asarray([keep((pair // graph.size,), pair % graph.size) for pair in pairs.tolist()], np.int64)[inverse]


def _used(numbers: I8) -> tuple[I8, I8]:
    """(distinct numbers, ascending, place of each number among them); numbers are >= 0 and not large."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    present[numbers] = True
    place = np.cumsum(present) - 1
    return np.flatnonzero(present), place[numbers]


def _roots(graph: Graph, board: Board, holds: Holds) -> tuple[Words, Words, I8, Solution]:
    """Possible and certain roots of each hold's buffers just before it, and the state it was in."""
    used, back = _used(board.before(holds.start) + 1)
    planes = board.take(used - 1)
    first, inverse = distinct(planes)
    planes = {name: words[:, first] for name, words in planes.items()}
    state = inverse[back]
    solution = solve(graph, planes)
    words, count = holds.refs.shape
    may, must = np.zeros((words, count), np.uint64), np.zeros((words, count), np.uint64)
    one, which = single_bit(holds.refs)
    alone = np.flatnonzero(one)
    may[:, alone] = solution.may[which[alone], :, state[alone]].T
    must[:, alone] = solution.must[which[alone], :, state[alone]].T
    many = np.flatnonzero(~one)
    for u in range(graph.size) if len(many) else ():
        mine = many[bit(holds.refs[:, many], u)]
        may[:, mine] |= solution.may[u][:, state[mine]]
        must[:, mine] |= solution.must[u][:, state[mine]]
    return may, must, state, solution


def _inside(holds: Holds, buffer: int, times: I8) -> npt.NDArray[np.bool_]:
    """Whether ``buffer`` is vague just before each time."""
    vague = holds.vague[buffer]
    if not len(vague):
        return np.zeros(len(times), np.bool_)
    index = np.searchsorted(vague[:, 0], times, side="left") - 1
    inside: npt.NDArray[np.bool_] = (index >= 0) & (vague[np.maximum(index, 0), 1] >= times)
    return inside


def _follow(pointer: I8) -> I8:
    """Where each chain of pointers (-1 ends it) ends."""
    end = np.where(pointer < 0, np.arange(len(pointer)), pointer)
    while True:
        further = end[end]
        if np.array_equal(further, end):
            return end
        end = further
