"""How full every buffer was, where a record told it: one more pass over the records."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.layout import PAYLOAD, BpSub, Kind
from npuscope.records.batch import Batch
from npuscope.replay import Recorder

__all__ = ["Level", "occupancy"]

Level = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]
"""Times in ns on the axis, rising, and occupancy codes (1/64) of one buffer."""

_FIELDS = {field.name: field for field in PAYLOAD[Kind.BP, None]}


def occupancy(batches: Iterable[Batch], description: Description) -> list[Level]:
    """Per buffer of ``description`` the occupancy that its BP records told, those of quality 2 left out."""
    recorder = Recorder()
    for batch in batches:
        recorder.feed(batch)
    streams = recorder.streams(description.max_disorder_ns)[0]
    found: list[Level] = [(np.empty(0, np.int64), np.empty(0, np.uint8)) for _ in description.buffers]
    for src, stream in streams.items():
        bp = stream.bp_sub <= max(BpSub)
        layer = _field(stream.bp_payload[bp], "layer")
        order = np.argsort(layer, kind="stable")
        time, code = stream.bp_ts[bp][order], _field(stream.bp_payload[bp], "occ")[order]
        borders = np.searchsorted(layer[order], np.arange(257))
        for number in np.unique(layer).tolist():
            index = description.index.get((src, number))
            if index is not None:
                mine = slice(borders[number], borders[number + 1])
                found[index] = time[mine], code[mine]
    return found


def _field(words: npt.NDArray[np.uint32], name: str) -> npt.NDArray[np.uint8]:
    field = _FIELDS[name]
    return (words >> np.uint32(field.lsb) & np.uint32((1 << field.width) - 1)).astype(np.uint8)
