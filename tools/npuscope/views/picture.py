"""The heat map's data: a grid for the drawing and the numbers that hover and zoom use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from npuscope.analysis import Propagation
from npuscope.intervals import clip, total
from npuscope.timeline import Timeline
from npuscope.views.lanes import Grid, Int64, Track, grid
from npuscope.views.svg import Arrow

__all__ = ["MAX_COLUMNS", "Picture", "arrows", "fullest", "picture", "tracks"]

MAX_COLUMNS: Final = 1500
MAX_CELLS: Final = 200_000
"""With many buffers the columns get fewer, so that the file stays at a few MB."""
MAX_INTERVALS: Final = 20_000
"""Up to so many intervals the page holds them all and zooms to the nanosecond."""
MAX_ARROWS: Final = 3000
STATES: Final = ("hot", "dry", "bp", "unknown")


@dataclass(frozen=True)
class Picture:
    """cells: what is drawn. losses: [from, to) ns. origin: ns of the first record, zero of every axis shown. arrows:
    propagation, the longest ``MAX_ARROWS`` stalls.
    """

    cells: Grid
    losses: tuple[tuple[int, int], ...]
    origin: int
    arrows: tuple[Arrow, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Names, column edges, losses and either all ``intervals`` or the ``columns``, in ns after the first record.

        intervals: state -> per buffer a flat list start, end, start, end. columns: state -> per buffer runs of
        ns, count, ns, count. The other of the two is null.
        """
        cells, start, end = self.cells, int(self.cells.edges[0]), int(self.cells.edges[-1])
        clipped = {s: [_clip(getattr(t, s), start, end) - self.origin for t in cells.tracks] for s in STATES}
        few = sum(len(rows) for state in clipped.values() for rows in state) <= MAX_INTERVALS
        columns = {s: [_runs(row) for row in getattr(cells, s)] for s in STATES}
        return {
            "names": [t.name for t in cells.tracks],
            "edges": (cells.edges - self.origin).tolist(),
            "losses": [[low - self.origin, high - self.origin] for low, high in self.losses],
            "intervals": {s: [rows.ravel().tolist() for rows in state] for s, state in clipped.items()}
            if few
            else None,
            "columns": None if few else columns,
            "arrows": [n for a, u, b, v in self.arrows for n in (a - self.origin, u, b - self.origin, v)],
        }


def fullest(timeline: Timeline, start: int, end: int, most: int) -> list[int]:
    """Indices, rising, of the ``most`` buffers that are full for longest in [start, end) ns, then least known."""
    times = [
        (-total(clip(lane.true, start, end)), -total(clip(lane.unknown, start, end)), i)
        for i, lane in enumerate(timeline.hot)
    ]
    return sorted(i for *_, i in sorted(times)[:most])


def tracks(timeline: Timeline, chosen: Sequence[int] | None = None) -> list[Track]:
    """One track per buffer of the description, or of the ``chosen`` indices."""
    buffers = timeline.description.buffers
    return [
        Track(
            buffers[i].id,
            buffers[i].name,
            timeline.hot[i].true,
            timeline.dry[i].true,
            timeline.bp[i].true,
            timeline.hot[i].unknown,
        )
        for i in (range(len(buffers)) if chosen is None else chosen)
    ]


def picture(
    timeline: Timeline,
    losses: Sequence[tuple[int, int]],
    start: int,
    end: int,
    columns: int = MAX_COLUMNS,
    found: Propagation | None = None,
) -> Picture:
    """The picture of [start, end) ns with at most ``columns`` columns."""
    rows = tracks(timeline)
    number = min(columns, max(100, MAX_CELLS // max(1, len(rows))))
    inside = tuple(sorted((low, high) for low, high in losses if high >= start and low < max(end, start + 1)))
    shown = tuple(arrows(found, start, end)) if found is not None else ()
    return Picture(grid(rows, start, end, number), inside, timeline.start_ns, shown)


def arrows(found: Propagation, start: int, end: int) -> list[Arrow]:
    """From each episode to those that follow it, inside [start, end) ns; of the longest followers, by time."""
    episodes, links = found.timeline.episodes, found.links
    mine = np.flatnonzero((links["parent"] >= 0) & (episodes["start"] >= start) & (episodes["start"] < end))
    length = (episodes["end"] - episodes["start"])[mine]
    mine = np.sort(mine[np.argsort(-length, kind="stable")[:MAX_ARROWS]])
    above = links["parent"][mine]
    begun = np.maximum(episodes["start"][above], start)
    columns = (begun, episodes["buffer"][above], episodes["start"][mine], episodes["buffer"][mine])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _clip(intervals: Int64, start: int, end: int) -> Int64:
    inside = intervals[(intervals[:, 1] > start) & (intervals[:, 0] < end)]
    return np.clip(inside, start, end)


def _runs(row: Int64) -> list[int]:
    """``[5, 5, 0]`` as ``[5, 2, 0, 1]``."""
    starts = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
    lengths = np.diff(np.concatenate([starts, [len(row)]]))
    return [int(x) for pair in zip(row[starts], lengths, strict=True) for x in pair]
