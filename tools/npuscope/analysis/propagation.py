"""How backpressure travels upstream: each episode and the one downstream that it follows.

An episode follows the episode of a successor buffer that is hot at its onset, else the one that overlaps it for
longest, then the one released later, of the higher peak, the smaller layer id and the smaller episode id. The links
make a forest: its roots are the episodes that follow nothing. Everything is swept as arrays, linear in the episodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.graph import Graph
from npuscope.episodes import EpisodeFlag
from npuscope.intervals import contains
from npuscope.timeline import Timeline

__all__ = ["LINK", "Chain", "LinkFlag", "Propagation", "Tree", "propagation"]

I8 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LINK: Final = np.dtype(
    [
        ("parent", "<i8"),  # episode that it follows, downstream; -1: it is a root
        ("root", "<i8"),  # episode at the end of that path; itself for a root; -1 where the path is a circle
        ("hops", "<i4"),  # links from here to the root
        ("flags", "u1"),  # LinkFlag
        ("delay", "<i8"),  # ns from the parent's start to its own; negative: the parent filled up later
        ("lag", "<i8"),  # ns from the parent's release to its own
    ]
)
"""One row per row of ``Timeline.episodes``; delay and lag are 0 for a root."""


class LinkFlag(IntFlag):
    """What is not certain about a link."""

    TIE = 1  # another episode fits as well within the clock bound, and peak or number decided
    OPEN = 2  # a successor was not known when it mattered: the parent may be another, or a root may have one
    CIRCLE = 4  # its path leads into a circle of episodes that follow one another
    DELAY_OPEN = 8  # one of the two starts was not seen
    LAG_OPEN = 16  # one of the two releases was not seen


@dataclass(frozen=True)
class Tree:
    """One root episode with all that follow it; times in ns, clipped to the window.

    own_ns: of the root itself. episodes, buffers, stall_ns: of its victims, without it. path: the buffers of the
    longest path, root first. sure: no link of it is OPEN or a TIE.
    """

    root: int
    own_ns: int
    episodes: int
    buffers: tuple[int, ...]
    stall_ns: int
    path: tuple[int, ...]
    sure: bool


@dataclass(frozen=True)
class Chain:
    """All episodes whose path leads through the same buffers, root first; ns.

    stall_ns: of those at its end, clipped to the window. delay_ns, worst_ns: median and most from the root's start to
    theirs; lag_ns: median from the root's release to theirs; each None when no start or release was seen.
    """

    path: tuple[int, ...]
    episodes: int
    stall_ns: int
    delay_ns: int | None
    worst_ns: int | None
    lag_ns: int | None


@dataclass(frozen=True)
class Propagation:
    """The forest of a timeline. links: one row of ``LINK`` per episode."""

    timeline: Timeline
    links: npt.NDArray[np.void]

    def path(self, number: int) -> tuple[int, ...]:
        """Episodes from ``number`` to its root, both included; a circle is left at its second visit."""
        found = dict.fromkeys([number])
        while (parent := int(self.links["parent"][number])) >= 0 and parent not in found:
            found[parent] = None
            number = parent
        return tuple(found)

    def followers(self, number: int) -> I8:
        """Episodes that follow ``number`` directly."""
        low, high = np.searchsorted(self.links["parent"][self._by_parent], [number, number + 1])
        found: I8 = self._by_parent[low:high]
        return found

    @cached_property
    def _by_parent(self) -> I8:
        return np.argsort(self.links["parent"], kind="stable")

    def _inside(self, window: tuple[int, int]) -> I8:
        """ns of each episode inside the window."""
        episodes = self.timeline.episodes
        found: I8 = np.minimum(episodes["end"], window[1]) - np.maximum(episodes["start"], window[0])
        return np.maximum(found, 0)

    def trees(self, window: tuple[int, int], most: int) -> tuple[Tree, ...]:
        """The ``most`` roots whose victims stall for longest inside the window, then those that last longest."""
        inside, root = self._inside(window), self.links["root"]
        if not len(root):
            return ()
        mine = np.flatnonzero((inside > 0) & (root >= 0))
        follows = mine[root[mine] != mine]
        stalled = np.zeros(len(root), np.int64)
        np.add.at(stalled, root[follows], inside[follows])
        roots = np.unique(root[mine])
        chosen = roots[np.lexsort((roots, -inside[roots], -stalled[roots]))][:most]
        return tuple(self._tree(int(r), mine[root[mine] == r], inside) for r in chosen)

    def _tree(self, root: int, members: I8, inside: I8) -> Tree:
        buffer = self.timeline.episodes["buffer"]
        victims = members[members != root]
        far = int(victims[np.argmax(self.links["hops"][victims])]) if len(victims) else root
        unsure = self.links["flags"][np.append(members, root)] & (LinkFlag.TIE | LinkFlag.OPEN)
        return Tree(
            root,
            int(inside[root]),
            len(victims),
            tuple(np.unique(buffer[victims]).tolist()),
            int(inside[victims].sum()),
            tuple(int(buffer[i]) for i in reversed(self.path(far))),
            not unsure.any(),
        )

    def chains(self, window: tuple[int, int], most: int) -> tuple[Chain, ...]:
        """The ``most`` paths of two buffers or more at whose end most stall time lies inside the window."""
        episodes, links, inside = self.timeline.episodes, self.links, self._inside(window)
        kind, paths = self._kinds()
        mine = np.flatnonzero((inside > 0) & (links["hops"] > 0) & (links["root"] >= 0))
        order = mine[np.argsort(kind[mine], kind="stable")]
        firsts = np.flatnonzero(np.diff(kind[order], prepend=-1))
        found = []
        for group in np.split(order, firsts[1:]) if len(order) else ():
            root = links["root"][group]
            flags = episodes["flags"][group] | episodes["flags"][root]
            delays = (episodes["start"][group] - episodes["start"][root])[flags & EpisodeFlag.LEFT_CENSORED == 0]
            lags = (episodes["end"][group] - episodes["end"][root])[flags & EpisodeFlag.RIGHT_CENSORED == 0]
            found.append(
                Chain(
                    paths[int(kind[group[0]])],
                    len(group),
                    int(inside[group].sum()),
                    _median(delays),
                    int(delays.max()) if len(delays) else None,
                    _median(lags),
                )
            )
        return tuple(sorted(found, key=lambda chain: (-chain.stall_ns, chain.path))[:most])

    def _kinds(self) -> tuple[I8, list[tuple[int, ...]]]:
        """Per episode the number of its path of buffers, and those paths, root first."""
        buffer, links = self.timeline.episodes["buffer"].astype(np.int64), self.links
        size = len(self.timeline.description.buffers)
        kind = np.full(len(links), -1)
        paths: list[tuple[int, ...]] = []
        order = np.argsort(links["hops"], kind="stable")
        order = order[links["root"][order] >= 0]
        for group in np.split(order, np.flatnonzero(np.diff(links["hops"][order])) + 1) if len(order) else ():
            parent = links["parent"][group]
            before = np.where(parent >= 0, kind[parent], -1)
            keys, number = np.unique((before + 1) * size + buffer[group], return_inverse=True)
            kind[group] = len(paths) + number
            for key in keys.tolist():
                above, last = divmod(key, size)
                paths.append((*(paths[above - 1] if above else ()), last))
        return kind, paths


def _median(values: I8) -> int | None:
    """The lower median, which is one of the values."""
    return int(np.partition(values, (len(values) - 1) // 2)[(len(values) - 1) // 2]) if len(values) else None


def propagation(timeline: Timeline) -> Propagation:
    """Find the parent of every episode and the forest that they make."""
    episodes = timeline.episodes
    links = np.zeros(len(episodes), LINK)
    links["parent"] = -1
    order = np.argsort(episodes["buffer"], kind="stable")  # starts rise within each buffer
    borders = np.searchsorted(episodes["buffer"][order], np.arange(len(timeline.description.buffers) + 1))
    of = [order[low:high] for low, high in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)]
    for u, after in enumerate(Graph(timeline.description).successors):
        if len(of[u]) and after:
            _link(timeline, of[u], [of[v] for v in after], links)
            _mark_open(timeline, of[u], after, links)
    _mark_censored(timeline, links)
    _root(links)
    return Propagation(timeline, links)


def _link(timeline: Timeline, mine: I8, others: list[I8], links: npt.NDArray[np.void]) -> None:
    """Choose the parents of the episodes ``mine`` of one buffer among those of its successors."""
    episodes, eps = timeline.episodes, timeline.description.clock_bound_ns
    start, end = episodes["start"], episodes["end"]
    child, parent = [], []
    for theirs in others:
        low = np.searchsorted(end[theirs], start[mine], side="right")
        number = np.maximum(np.searchsorted(start[theirs], end[mine], side="left") - low, 0)  # 0 of one of no length
        past = np.cumsum(number)
        child.append(np.repeat(np.arange(len(mine)), number))
        parent.append(theirs[np.arange(past[-1]) + np.repeat(low - past + number, number)])
    who, candidate = np.concatenate(child), np.concatenate(parent)
    if not len(who):
        return
    own = mine[who]
    onset = start[candidate] <= start[own]
    overlap = np.minimum(end[candidate], end[own]) - np.maximum(start[candidate], start[own])
    ids = np.asarray([buffer.id for buffer in timeline.description.buffers])[episodes["buffer"][candidate]]
    peak = episodes["peak"][candidate].astype(np.int64)
    order = np.lexsort((candidate, ids, -peak, -end[candidate], -overlap, ~onset, who))
    first = order[np.flatnonzero(np.diff(who[order], prepend=-1))]
    links["parent"][own[first]] = candidate[first]
    links["delay"][own[first]] = start[own[first]] - start[candidate[first]]
    links["lag"][own[first]] = end[own[first]] - end[candidate[first]]
    best = np.zeros(len(mine), np.int64)
    best[who[first]] = first
    chosen = best[who]
    near = np.abs(overlap - overlap[chosen]) <= 2 * eps  # each of its two edges may be off
    near &= (onset == onset[chosen]) | (np.abs(start[candidate] - start[own]) <= eps)
    near[first] = False
    cut = episodes["flags"] & EpisodeFlag.RIGHT_CENSORED > 0
    links["flags"][own[near & (cut[candidate] | cut[candidate[chosen]])]] |= np.uint8(LinkFlag.OPEN)
    near &= np.abs(end[candidate] - end[candidate[chosen]]) <= eps
    links["flags"][own[near]] |= np.uint8(LinkFlag.TIE)


def _mark_open(timeline: Timeline, mine: I8, after: tuple[int, ...], links: npt.NDArray[np.void]) -> None:
    """Mark where an unknown successor, or the unseen rest of the episode, could change the choice.

    Settled is the choice of one that was hot at the onset if there is no other successor.
    """
    episodes = timeline.episodes
    start, end = episodes["start"][mine], episodes["end"][mine]
    parent = links["parent"][mine]
    settled = (parent >= 0) & (episodes["start"][np.maximum(parent, 0)] <= start) & (len(after) == 1)
    for v in after:
        unknown = timeline.hot[v].unknown
        during = np.searchsorted(unknown[:, 0], end) > np.searchsorted(unknown[:, 1], start, side="right")
        links["flags"][mine[contains(unknown, start) | (during & ~settled)]] |= np.uint8(LinkFlag.OPEN)
    cut = episodes["flags"][mine] & EpisodeFlag.RIGHT_CENSORED > 0
    links["flags"][mine[cut & ~settled]] |= np.uint8(LinkFlag.OPEN)


def _mark_censored(timeline: Timeline, links: npt.NDArray[np.void]) -> None:
    """Mark delays and lags with an end that was not seen; without the own onset the parent is open too."""
    flags = timeline.episodes["flags"]
    parent = np.maximum(links["parent"], 0)
    left, right = EpisodeFlag.LEFT_CENSORED, EpisodeFlag.RIGHT_CENSORED
    for cut, mark in ((left, LinkFlag.DELAY_OPEN), (right, LinkFlag.LAG_OPEN)):
        unseen = ((flags | flags[parent]) & cut > 0) & (links["parent"] >= 0)
        links["flags"][unseen] |= np.uint8(mark)
    links["flags"][flags & left > 0] |= np.uint8(LinkFlag.OPEN)


def _root(links: npt.NDArray[np.void]) -> None:
    """Follow all paths at once, each round twice as far."""
    parent = links["parent"]
    reached = np.where(parent >= 0, parent, np.arange(len(parent)))
    hops = (parent >= 0).astype(np.int64)
    for _ in range(max(1, len(parent)).bit_length()):
        hops += hops[reached]
        reached = reached[reached]
    circle = parent[reached] >= 0
    links["root"], links["hops"] = np.where(circle, -1, reached), np.where(circle, 0, hops)
    links["flags"][circle] |= np.uint8(LinkFlag.CIRCLE)
