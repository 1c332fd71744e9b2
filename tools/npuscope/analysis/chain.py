"""Chains, where nothing is doubtful: causes as pieces of time handed upstream, with no state of the whole board.

In a chain of buffers without joins a hot buffer waits for exactly one root, the last hot one of its run. So the cause
of u is that of its successor while both are hot, and its own while the successor is cool: one pass over the buffers,
downstream first, costs the pieces it makes and not the product of states and buffers. It holds outside ``doubtful``;
inside, and for all other graphs, the distinct states are solved (see ``solve``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.drain import Holds, possible_runs
from npuscope.analysis.graph import Graph
from npuscope.intervals import EMPTY, Intervals, complement, cover, intersect, remove, subtract
from npuscope.timeline import Timeline

__all__ = ["Pieces", "doubtful", "pieces"]

I8 = npt.NDArray[np.int64]
_FAR: Final = np.iinfo(np.int64).max


def doubtful(graph: Graph, timeline: Timeline) -> Intervals:
    """Where a buffer is in a possibly hot run that is not certain from begin to end; all time if not a chain."""
    if not graph.is_chain:
        return np.asarray([(-_FAR, _FAR)])
    possible, opened = possible_runs(timeline)
    doubt = [possible[u][:1] for u in opened]
    for runs, lane in zip(possible, timeline.hot, strict=True):
        doubt.append(runs[np.unique(np.searchsorted(runs[:, 0], lane.unknown[:, 0], side="right") - 1)])
    return cover((EMPTY, *doubt), 1)


@dataclass(frozen=True)
class Pieces:
    """Causes of one buffer, sorted and disjoint: in [start[i], end[i]) that of ``code[i]``.

    code: 0 .. size-1 that buffer as a root at work; size: anybody; above: the cause of hold code - size - 1.
    """

    start: I8
    end: I8
    code: I8

    def before(self, at: I8) -> I8:
        """Code in force just before each time, -1 if none."""
        if not len(self.start):
            return np.full(len(at), -1)
        place = np.searchsorted(self.start, at) - 1
        return np.where((place >= 0) & (self.end[place] >= at), self.code[place], -1)

    def within(self, spans: Intervals) -> Pieces:
        """The parts inside ``spans``."""
        if not len(self.start) or not len(spans):
            return Pieces(*(np.empty(0, np.int64) for _ in range(3)))
        first = np.searchsorted(self.end, spans[:, 0], side="right")
        count = np.searchsorted(self.start, spans[:, 1]) - first
        past = np.cumsum(count)
        index = np.arange(past[-1]) + np.repeat(first - past + count, count)
        start, end = self.start[index], self.end[index]
        some = np.flatnonzero(count)
        start[past[some] - count[some]] = np.maximum(start[past[some] - count[some]], spans[some, 0])
        end[past[some] - 1] = np.minimum(end[past[some] - 1], spans[some, 1])
        return Pieces(start, end, self.code[index])


def pieces(graph: Graph, timeline: Timeline, held: Holds, doubt: Intervals) -> list[Pieces]:
    """Causes of every buffer of a chain outside ``doubt``; codes of holds are not resolved."""
    clear = complement(doubt, timeline.start_ns, timeline.end_ns)
    hot = [intersect(lane.true, clear) if len(doubt) else lane.true for lane in timeline.hot]
    found: dict[int, Pieces] = {}
    for u in graph.downstream_first:
        after = graph.successors[u]
        waits = intersect(hot[u], hot[after[0]]) if after else EMPTY
        roots = remove(hot[u], waits)
        unsure = intersect(held.vague[u], roots)
        mine = slice(held.first[u], held.first[u + 1])
        kept = Pieces(held.start[mine], held.end[mine], np.arange(mine.start, mine.stop) + graph.size + 1)
        kept = kept.within(subtract(clear, unsure))  # a hold lies where its buffer is a root
        fresh = remove(remove(roots, unsure), np.column_stack([kept.start, kept.end]))
        parts = [
            kept,
            Pieces(fresh[:, 0], fresh[:, 1], np.full(len(fresh), u)),
            Pieces(unsure[:, 0], unsure[:, 1], np.full(len(unsure), graph.size)),
        ]
        if after:
            parts.append(found[after[0]].within(waits))
        start = np.concatenate([part.start for part in parts])
        order = np.argsort(start, kind="stable")
        found[u] = Pieces(
            start[order],
            np.concatenate([part.end for part in parts])[order],
            np.concatenate([part.code for part in parts])[order],
        )
    return [found[u] for u in range(graph.size)]
