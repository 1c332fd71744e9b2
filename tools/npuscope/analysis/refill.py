"""Rule 4 behind a join: while a starved branch refills, its root keeps the cause that starved it.

A root in front of a join has, by the join walk, a cause f that changes as tokens come through the late branch: the dry
stretch moves downstream, then the join is busy with the backlog. Once f is not the root's own consumer any more but
somebody upstream, it is *kept*: when f changes, the kept cause stays, marked draining, at most as long as it had been
in force; if f comes back before, it was never gone. A hold of another kind, or not being a root, forgets it.

Only runs of equal f are stepped through, and only for buffers in front of a join.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.book import ANYBODY, Book
from npuscope.analysis.drain import Holds, Part
from npuscope.analysis.graph import Graph
from npuscope.analysis.past import Past
from npuscope.analysis.solve import Solution, distinct, fresh_entries
from npuscope.analysis.states import Board, bit
from npuscope.analysis.walk import Walker
from npuscope.intervals import contains, union

__all__ = ["Memory", "refills"]

I8 = npt.NDArray[np.int64]
_NO_ROOT: Final = -3
_HELD: Final = -2
_UNSURE: Final = -1
"""Codes beside entry ids: cannot be a root; holds another cause; not known whether it is one, or what its cause is."""


def refills(graph: Graph, board: Board, holds: Holds, book: Book, walker: Walker, past: Past, part: Part) -> Holds:
    """``holds`` with those of this module added; ``board`` has the planes hot, unknown, dry, dry_unknown.

    past: gives and takes what the roots remember at the begin and the end of the part.
    """
    roots = [r for r in range(graph.size) if graph.at_join[r]]
    if not roots or len(board.times) < 2:
        return holds
    first, inverse = distinct(board.planes)
    solution = Solution(graph, {name: words[:, first] for name, words in board.planes.items()})
    vague = list(holds.vague)
    rows: list[tuple[int, int, int, int]] = []
    for r in roots:
        codes = _codes(solution, r, book, walker)[inverse]
        times, codes = _with_holds(r, part.begin, board.times, codes, holds)
        own = book.fresh(frozenset({(r, graph.description.buffers[r].drain)}))
        memory = past.refills.setdefault(r, Memory(own))
        change = np.flatnonzero(np.diff(codes, prepend=_NO_ROOT - 1))
        ends = np.append(times[change[1:]], times[-1])
        for begin, end, code in zip(times[change].tolist(), ends.tolist(), codes[change].tolist(), strict=True):
            if begin < part.end:
                memory.run(begin, end, code)
        found, unsure = memory.pause(part.end)
        rows += [(r, start, end, code) for start, end, code in found]
        if unsure:
            vague[r] = union(vague[r], np.asarray(unsure, np.int64))
    return _merged(holds, rows, tuple(vague), graph.size)


def _codes(solution: Solution, root: int, book: Book, walker: Walker) -> I8:
    """Per distinct state the entry of ``root`` at work, or one of the codes."""
    planes = solution.planes
    hot, hidden = bit(planes["hot"], root), bit(planes["unknown"], root)
    blocked, unsure = np.zeros(len(hot), np.bool_), hidden.copy()
    for v in solution.graph.successors[root]:
        blocked |= bit(planes["hot"], v)
        unsure |= bit(planes["unknown"], v)
    codes = np.full(len(hot), _NO_ROOT)
    possible = (hot | hidden) & ~blocked
    codes[possible & unsure] = _UNSURE
    sure = np.flatnonzero(possible & ~unsure)
    entry = fresh_entries(solution, book, walker, root, sure)
    codes[sure] = np.where(entry == ANYBODY, _UNSURE, entry)
    return codes


def _with_holds(root: int, begin: int, times: I8, codes: I8, holds: Holds) -> tuple[I8, I8]:
    """The same at finer times, with the holds of other kinds and the vague stretches put in."""
    mine = slice(holds.first[root], holds.first[root + 1])
    spans = np.column_stack([holds.start[mine], holds.end[mine]])
    finer = np.unique(np.concatenate([[begin], times, spans.ravel(), holds.vague[root].ravel()]))
    finer = finer[finer >= begin]
    place = np.searchsorted(times, finer, side="right") - 1
    out = np.where(place < 0, _NO_ROOT, codes[np.maximum(place, 0)])
    root_here = out != _NO_ROOT
    out[root_here & contains(spans, finer)] = _HELD
    out[root_here & contains(holds.vague[root], finer)] = _UNSURE
    return finer, out


@dataclass
class Memory:
    """The kept cause of one root; ``own`` is the entry of its consumer, which is not kept."""

    own: int
    kept: int | None = None
    since: int = 0
    exact: bool = True  # whether ``since`` is the true one, or only the earliest possible
    holding: tuple[int, int] | None = None  # (from, until) of the hold in force
    period: int | None = None  # since when it is possibly a root without a break
    unsure_until: int = 0
    holds: list[tuple[int, int, int]] = field(default_factory=list)
    vague: list[tuple[int, int]] = field(default_factory=list)

    def run(self, begin: int, end: int, code: int) -> None:
        """One run of equal code."""
        if code in (_NO_ROOT, _HELD):
            self._release(begin)
            self.kept, self.exact, self.unsure_until = None, True, 0
            self.period = None if code == _NO_ROOT else begin if self.period is None else self.period
            return
        self.period = begin if self.period is None else self.period
        if code == _UNSURE:
            self._release(begin)
            self.vague.append((begin, end))
            self.kept, self.exact, self.since = None, False, self.period
            self.unsure_until = 2 * end - self.period
            return
        if not self.exact:
            self._unsure_run(begin, end, code)
            return
        while begin < end:
            begin = self._step(begin, end, code)

    def _step(self, begin: int, end: int, code: int) -> int:
        """Follow the run from ``begin``; returns how far it is done."""
        if self.kept is None or code == self.kept or self.kept == self.own:
            self._release(begin)
            self.since = self.since if code == self.kept else begin
            self.kept = code
            return end
        if self.holding is None:
            self.holding = (begin, 2 * begin - self.since)
        if self.holding[1] > end:
            return end
        expiry = self.holding[1]
        self._release(expiry)
        self.kept, self.since = code, expiry
        return end

    def _unsure_run(self, begin: int, end: int, code: int) -> None:
        """After an unsure run the age of the kept cause is not known: each change may start a hold as old."""
        assert self.period is not None
        if self.kept is not None and code != self.kept and self.kept != self.own:
            self.unsure_until = max(self.unsure_until, 2 * begin - self.period)
        if begin < self.unsure_until:
            self.vague.append((begin, min(end, self.unsure_until)))
        self.kept = code

    def pause(self, now: int) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
        """The holds and the vague stretches up to ``now``; what was in force just before it is told again."""
        holding = self.holding
        self._release(now)
        self.holding = None if holding is None else (now, holding[1])
        holds, vague = self.holds, self.vague
        self.holds = [(now - 1, now, code) for _, end, code in holds[-1:] if end == now]
        self.vague = [(now - 1, now) for _, end in vague[-1:] if end == now]
        return holds, vague

    def _release(self, now: int) -> None:
        if self.holding is not None:
            start, until = self.holding
            if min(until, now) > start:
                assert self.kept is not None
                self.holds.append((start, min(until, now), self.kept))
            self.holding = None


def _merged(
    holds: Holds, rows: list[tuple[int, int, int, int]], vague: tuple[npt.NDArray[np.int64], ...], size: int
) -> Holds:
    table = np.asarray(rows, np.int64).reshape(-1, 4)
    buffer = np.concatenate([holds.buffer, table[:, 0]])
    start = np.concatenate([holds.start, table[:, 1]])
    order = np.lexsort((start, buffer))
    none = np.zeros((holds.refs.shape[0], len(table)), np.uint64)
    return replace(
        holds,
        buffer=buffer[order],
        start=start[order],
        end=np.concatenate([holds.end, table[:, 2]])[order],
        bound=np.concatenate([holds.bound, np.full(len(table), -1)])[order],
        refs=np.concatenate([holds.refs, none], axis=1)[:, order],
        fixed=np.concatenate([holds.fixed, table[:, 3]])[order],
        first=np.searchsorted(buffer[order], np.arange(size + 1)),
        vague=vague,
    )
