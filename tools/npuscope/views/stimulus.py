"""The samples that make a probe say again what a dump of it says: 16 bits a clock, for the replay of the RTL.

Valid, layer 5, occupancy 6, backpressure, from bit 0. A record is a sample in its clock, or in the next free one; in
the clocks between, the layers are shown in turn with what was last told of each, so that none becomes unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import NpuscopeError
from npuscope.layout import MAX_LAYERS, Kind
from npuscope.records.batch import Batch

__all__ = ["CLOCKS_MAX", "samples"]

CLOCKS_MAX: Final = 1 << 28
"""512 MiB of samples."""


def samples(batches: Iterable[Batch], src: int, period_ns: int) -> npt.NDArray[np.uint16]:
    """The samples of one source, from its first record on.

    Raises:
        NpuscopeError: no BP record of this source, more of them than clocks, or more than CLOCKS_MAX clocks.
    """
    ts, layer, occupancy, held = _records(batches, src)
    told = (ts - ts[0]) // period_ns
    order = np.arange(len(told))
    clock = np.maximum.accumulate(told - order) + order
    if (late := int((clock - told).max())) > MAX_LAYERS:
        at = int((clock - told).argmax())
        raise NpuscopeError(
            "more records than clocks", record=at, found=f"{late} clocks late", hint="is --period right?"
        )
    if clock[-1] >= CLOCKS_MAX:
        raise NpuscopeError("too long to replay", found=f"{clock[-1]:,} clocks", hint="npuscope cut a part of it")
    level = np.zeros(MAX_LAYERS, np.uint16)  # the sample word of each layer, 0 while nothing is known of it
    out = np.zeros(int(clock[-1]) + 1, np.uint16)
    words = 1 | layer << 1 | occupancy << 6 | held << 12
    for at, until, number, word in zip(clock, [*clock[1:], clock[-1] + 1], layer, words, strict=True):
        out[at] = level[number] = word
        out[at + 1 : until] = level[np.arange(at + 1, until) % MAX_LAYERS]
    return out


def _records(batches: Iterable[Batch], src: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Time, layer, occupancy and backpressure of the BP records of one source."""
    parts: list[tuple[npt.NDArray[np.int64], ...]] = []
    for batch in batches:
        mine = (batch.kind == Kind.BP) & (batch.src == src)
        columns = (batch.ts, batch.layer, batch.occ, batch.bp_en)
        parts.append(tuple(column[mine].astype(np.int64) for column in columns))
    whole = tuple(np.concatenate(column) for column in zip(*parts, strict=True)) if parts else ()
    if not whole or not len(whole[0]):
        raise NpuscopeError("no BP records of this source", found=f"source {src}", hint="--source names another")
    return whole
