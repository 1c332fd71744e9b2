"""Frames of a big dump at chosen times, found by bisection, read with as much around them as tells their state."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.errors import NpuscopeError
from npuscope.intervals import clip, total
from npuscope.layout import RECORD_BYTES, Cfg, Kind
from npuscope.records import Batch, decode
from npuscope.records.frames import FRAME_BYTES, GROUP_BYTES, groups_anywhere
from npuscope.source import open_source
from npuscope.survey import Files
from npuscope.timeline import BLAME_KINDSUBS, Timeline

__all__ = ["Sampler"]

Shares = npt.NDArray[np.float64]
LOOK: Final = 2 * FRAME_BYTES + GROUP_BYTES
"""So many bytes hold a group wherever they begin, in a dump that is not damaged."""
COARSE: Final = 4
"""Frames: the bisection ends when the place is known as well as that."""


class Sampler:
    """Samples of the regular files ``names`` (one capture, its words byte-reversed by ``swap`` bits).

    layers: src -> mask of its layers (CFG LAYERS). first_ns, last_ns: span of time. around: frames decoded before and
    behind the one asked for, enough for a keyframe of every source. read: bytes read so far.
    """

    def __init__(self, names: Sequence[str], swap: int, description: Description, layers: Mapping[int, int]) -> None:
        self._files, self._description = Files(names, swap), description
        self._layers = dict(layers)
        self.around = len(layers) + 1
        self.read = 0
        self._seen: dict[int, Shares] = {}
        head, tail = self._groups(0, 1 << 20), self._groups(max(0, self._files.size - (1 << 20)), 1 << 20)
        if not len(head) or not len(tail) or int(tail["ts"].max()) <= int(head["ts"][0]):
            hint = "leave --preview out"
            raise NpuscopeError("no span of time to take samples of", file=names[0], hint=hint)
        self.first_ns, self.last_ns = int(head["ts"][0]), int(tail["ts"].max())

    def _bytes(self, offset: int, size: int) -> npt.NDArray[np.uint8]:
        data = self._files.read(offset, size)
        self.read += len(data)
        return data

    def _groups(self, offset: int, size: int) -> npt.NDArray[np.void]:
        """The groups in ``size`` bytes from ``offset`` on, their positions in the capture."""
        data = self._bytes(offset, size)
        groups = groups_anywhere(data, 0, len(data))
        groups["at"] += offset
        return groups

    def shares(self, time_ns: int) -> Shares:
        """f8 per buffer: time full / time known in the whole frame that covers ``time_ns``; nan: nothing is known.

        A frame lasts from the time of its group to that of the next one.
        """
        low, high = 0, self._files.size
        while high - low > COARSE * FRAME_BYTES:
            middle = (low + high) // 2 // RECORD_BYTES * RECORD_BYTES
            groups = self._groups(middle, LOOK)
            if len(groups) and int(groups["ts"][0]) <= time_ns:
                low = middle
            elif len(groups):
                high = middle
            else:  # damage: look before it
                high = middle
        margin = (self.around + 1) * FRAME_BYTES
        start = max(0, low - margin) // RECORD_BYTES * RECORD_BYTES
        data = self._bytes(start, high + margin + LOOK - start)
        groups = groups_anywhere(data, 0, len(data))
        place = int(np.searchsorted(groups["ts"].astype(np.int64), time_ns, side="right")) - 1
        if place < 0 or place + 1 >= len(groups):
            return np.full(len(self._description.buffers), np.nan)
        key = start + int(groups["at"][place])
        if key not in self._seen:
            self._seen[key] = self._decode(data, groups, place)
        return self._seen[key]

    def _told(self, ts: int) -> Batch:
        """Which layers there are, which a piece of a dump does not tell."""
        number = len(self._layers)
        kind, sub = [int(Kind.CFG)] * number, [int(Cfg.LAYERS)] * number
        return Batch.of([ts] * number, list(self._layers), kind, sub, list(self._layers.values()))

    def _decode(self, data: npt.NDArray[np.uint8], groups: npt.NDArray[np.void], place: int) -> Shares:
        first = int(groups["at"][max(0, place - self.around)])
        behind = place + 1 + self.around
        last = int(groups["at"][behind]) + GROUP_BYTES if behind < len(groups) else len(data)
        with tempfile.NamedTemporaryFile(suffix=".npt") as file:
            file.write(data[first:last].tobytes())
            file.flush()
            with open_source(file.name) as source:
                reader = decode(
                    source,
                    keep=BLAME_KINDSUBS,
                    max_disorder_ns=self._description.max_disorder_ns,
                    desc_hash=0,
                    force_desc=True,
                )
                told = self._told(int(groups["ts"][max(0, place - self.around)]))
                timeline = Timeline.build(chain([told], reader), None, self._description, blame_only=True)
        span = int(groups["ts"][place]), int(groups["ts"][place + 1])
        found = np.full(len(timeline.hot), np.nan)
        for u, lane in enumerate(timeline.hot):
            known = span[1] - span[0] - total(clip(lane.unknown, *span))
            if known > 0:
                found[u] = total(clip(lane.true, *span)) / known
        return found
