"""Which cause each hold keeps: a hold points to the cause of other buffers just before it, maybe itself a hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.drain import Holds
from npuscope.analysis.graph import Graph
from npuscope.analysis.solve import Solution, distinct, follow, fresh_entries, single_bit, solve, used
from npuscope.analysis.states import Board, Words, bit
from npuscope.analysis.walk import Walker
from npuscope.intervals import contains_before

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
    pointer = np.full(count, -1)
    asked = np.flatnonzero(holds.fixed < 0)
    may, must, state, solution = _roots(graph, board, holds, asked)
    certain = (may == must).all(axis=0) & may.any(axis=0)
    one, root = single_bit(may)
    plain = certain & one
    for r in used(root[plain])[0].tolist():
        place = np.flatnonzero(plain & (root == r))
        mine = asked[place]
        before = holds.active(r, holds.start[mine], before=True)
        pointer[mine] = before
        free = before < 0
        states, inverse = used(state[place[free]])
        entry[mine[free]] = fresh_entries(solution, book, walker, r, states)[inverse]
        hidden = mine[contains_before(holds.vague[r], holds.start[mine])]
        entry[hidden], pointer[hidden] = ANYBODY, -1
    source = follow(pointer)  # the hold whose own value each one takes
    several = np.flatnonzero(certain & ~one)
    drains = [buffer.drain for buffer in graph.description.buffers]
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
        entry[i] = book.held(tuple(sorted(parts)), drains[int(holds.buffer[i])])
    pairs, inverse = used(entry[source] * graph.size + holds.buffer)
    kept = [book.held((pair // graph.size,), drains[pair % graph.size]) for pair in pairs.tolist()]
    return np.asarray(kept, np.int64)[inverse]


def _roots(graph: Graph, board: Board, holds: Holds, asked: I8) -> tuple[Words, Words, I8, Solution]:
    """Possible and certain roots of the buffers of each hold asked for just before it, and the state it was in."""
    columns, back = used(board.before(holds.start[asked]) + 1)
    planes = board.take(columns - 1)
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
