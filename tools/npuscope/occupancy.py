"""How full every buffer was, where a record told it: one more pass over the records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.layout import PAYLOAD, BpSub, Kind
from npuscope.records.batch import Batch
from npuscope.replay import Recorder

__all__ = ["Level", "occupancy"]


class Level(NamedTuple):
    """One buffer: times in ns on the axis, rising; occupancy code, and the highest since it became full, 1/64."""

    time: npt.NDArray[np.int64]
    occ: npt.NDArray[np.uint8]
    peak: npt.NDArray[np.uint8]


_FIELDS = {field.name: field for field in PAYLOAD[Kind.BP, None]}


def occupancy(batches: Iterable[Batch], description: Description) -> list[Level]:
    """Per buffer of ``description`` the occupancy that its BP records told, those of quality 2 left out."""
    recorder = Recorder()
    for batch in batches:
        recorder.feed(batch)
    streams = recorder.streams(description.max_disorder_ns)[0]
    none = np.empty(0, np.uint8)
    found = [Level(np.empty(0, np.int64), none, none) for _ in description.buffers]
    for src, stream in streams.items():
        bp = stream.bp_sub <= max(BpSub)
        layer = _field(stream.bp_payload[bp], "layer")
        order = np.argsort(layer, kind="stable")
        words = stream.bp_payload[bp][order]
        whole = Level(stream.bp_ts[bp][order], _field(words, "occ"), _field(words, "peak"))
        borders = np.searchsorted(layer[order], np.arange(257))
        for number in np.unique(layer).tolist():
            index = description.index.get((src, number))
            if index is not None:
                some = slice(borders[number], borders[number + 1])
                found[index] = Level(whole.time[some], whole.occ[some], whole.peak[some])
    return found


def _field(words: npt.NDArray[np.uint32], name: str) -> npt.NDArray[np.uint8]:
    field = _FIELDS[name]
    return (words >> np.uint32(field.lsb) & np.uint32((1 << field.width) - 1)).astype(np.uint8)
