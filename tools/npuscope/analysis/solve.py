"""Rules 1 to 3 and 5 on distinct states of the board: who waits where, and who is to blame for that root."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.graph import Graph
from npuscope.analysis.states import Words, bit
from npuscope.analysis.walk import State, Walker

__all__ = ["Solution", "cycle_entry", "distinct", "follow", "fresh_entries", "single_bit", "solve", "used", "zeros"]

I8 = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_MIX: Final = 0x9E3779B97F4A7C15
_SHIFT: Final = np.uint64(29)
_FEW: Final = 32


def distinct(planes: dict[str, Words]) -> tuple[I8, I8]:
    """(index of one column of each distinct state, index of the state of each column)."""
    stack = np.concatenate(list(planes.values()))
    key = np.zeros(stack.shape[1], np.uint64)
    for word in stack:
        if word.any():
            key = (key ^ word) * np.uint64(_MIX)
            key ^= key >> _SHIFT
    first, inverse = _number(key)
    if not all(np.array_equal(word[first][inverse], word) for word in stack if word.any()):  # a collision of the hash
        _, first, inverse = np.unique(stack, axis=1, return_index=True, return_inverse=True)
    return first, inverse.ravel()


def _number(key: npt.NDArray[np.uint64]) -> tuple[I8, I8]:
    """(index of one element of each distinct value, number of the value of each element)."""
    values = np.sort(key)
    values = values[np.append(True, values[1:] != values[:-1])[: len(values)]]
    if len(values) > len(key) // _FEW:
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        return first, inverse
    inverse = np.searchsorted(values, key)  # a short table stays in the cache: faster than sorting all
    first = np.zeros(len(values), np.int64)
    first[inverse] = np.arange(len(key))
    return first, inverse


class Solution:
    """may[u], must[u]: roots that u waits for, possibly and certainly, taking u as hot; Words of n columns."""

    def __init__(self, graph: Graph, planes: dict[str, Words]) -> None:
        self.graph, self.planes = graph, planes
        shape = planes["hot"].shape
        self.may = np.zeros((graph.size, *shape), np.uint64)
        self.must = np.zeros((graph.size, *shape), np.uint64)


def solve(graph: Graph, planes: dict[str, Words]) -> Solution:
    """Roots of all buffers for all columns; in a cyclic graph repeated until nothing is added."""
    solution = Solution(graph, planes)
    hot = [bit(planes["hot"], u) for u in range(graph.size)]
    unknown = bool(planes["unknown"].any())
    possible = [hot[u] | bit(planes["unknown"], u) for u in range(graph.size)] if unknown else hot
    while True:
        before = (solution.may.copy(), solution.must.copy()) if graph.cyclic else None
        for u in graph.downstream_first:
            _roots(solution, u, hot, possible, unknown)
        if before is None or all(map(np.array_equal, before, (solution.may, solution.must))):
            return solution


def _roots(solution: Solution, u: int, hot: list[Bools], possible: list[Bools], unknown: bool) -> None:
    after = solution.graph.successors[u]
    word, one = u >> 6, np.uint64(1 << (u & 63))
    for out, blocked_by, through in (
        (solution.may, hot, possible),
        (solution.must, possible, hot),
    )[: 2 if unknown else 1]:
        free = np.ones(out.shape[2], np.bool_)
        total = np.zeros(out.shape[1:], np.uint64)
        for v in after:
            free &= ~blocked_by[v]
            total |= out[v] * through[v]
        total[word] |= free * one
        out[u] = total
    if not unknown:
        solution.must[u] = solution.may[u]


def single_bit(words: Words) -> tuple[Bools, I8]:
    """(exactly one bit set, which one, else some place) per column."""
    count = np.bitwise_count(words).sum(axis=0, dtype=np.int64) if len(words) > 1 else np.bitwise_count(words[0])
    which = np.zeros(words.shape[1], np.int64)
    for index, word in enumerate(words):
        which = np.where(word > 0, 64 * index + zeros(word).astype(np.int64), which)
    return count == 1, which


def zeros(words: Words) -> npt.NDArray[np.uint8]:
    """Number of zero bits below the lowest one of each word, 64 without one."""
    return np.bitwise_count(~words & (words - np.uint64(1)))


def fresh_entries(solution: Solution, book: Book, walker: Walker, root: int, columns: I8) -> Ids:
    """Entry of ``root`` as a root at work in the columns (rule 3 included)."""
    graph = solution.graph
    out = np.full(len(columns), book.fresh(frozenset({(root, graph.description.buffers[root].drain)})))
    if not graph.at_join[root]:
        return out
    planes = solution.planes
    starving = np.zeros(len(columns), np.bool_)
    for other in walker.other_inputs(root):
        starving |= bit(planes["dry"], other)[columns] | bit(planes["dry_unknown"], other)[columns]
    for i in np.flatnonzero(starving):
        state = State.of(planes, int(columns[i]))
        tokens = walker.culprits(root, state)
        out[i] = ANYBODY if tokens is None else book.fresh(frozenset((root, name) for name in tokens))
    return out


def cycle_entry(solution: Solution, book: Book, u: int, column: int) -> int:
    """Entry of a buffer that waits in or before a wait cycle with no way out (rule 5)."""
    graph = solution.graph
    state = State.of(solution.planes, column)
    reach = _reach(graph, u, state.hot | state.unknown)
    if any(state.unknown >> v & 1 for v in reach):
        return ANYBODY
    members = sorted(v for v in reach | {u} if v in _reach(graph, v, state.hot))
    name = "cycle{" + ", ".join(graph.description.buffers[v].name for v in members) + "}"
    return book.fresh(frozenset({(-1, name)}))


def _reach(graph: Graph, start: int, allowed: int) -> set[int]:
    """Buffers with their bit in ``allowed`` after ``start``, itself only through a cycle."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        for v in graph.successors[todo.pop()]:
            if allowed >> v & 1 and v not in seen:
                seen.add(v)
                todo.append(v)
    return seen


def used(numbers: I8) -> tuple[I8, I8]:
    """(distinct numbers, ascending, place of each number among them); numbers are >= 0 and not large."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    present[numbers] = True
    place = np.cumsum(present) - 1
    return np.flatnonzero(present), place[numbers]


def follow(pointer: I8) -> I8:
    """Where each chain of pointers (-1 ends it) ends."""
    end = np.where(pointer < 0, np.arange(len(pointer)), pointer)
    while True:
        further = end[end]
        if np.array_equal(further, end):
            return end
        end = further
