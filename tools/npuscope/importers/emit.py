"""From the rows of each source to batches in order of time, with their counts in the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.importers.levels import Rows
from npuscope.layout import SRC_FRAMER, Kind, SyncSub
from npuscope.ledger import Ledger, SourceCount
from npuscope.records.batch import Batch

__all__ = ["MAX_TIME", "PS_PER_NS", "emit", "end_row"]

I8 = npt.NDArray[np.int64]

PS_PER_NS: Final = 1000
MAX_TIME: Final = 1 << 62
BATCH: Final = 1 << 18
SEQ: Final = 256


def end_row(time: int) -> dict[int, Rows]:
    """The END of a recording that is whole."""
    return {SRC_FRAMER: Rows(*(np.array([value]) for value in (time, int(Kind.SYNC), int(SyncSub.END), 0)))}


def emit(sources: dict[int, Rows], ledger: Ledger) -> Iterator[Batch]:
    """Batches of the rows of all sources; counts records, kinds, first and last time."""
    src, rows = _interleave(sources)
    seq = np.zeros(len(src), np.int64)
    for each in np.unique(src).tolist():
        own = np.flatnonzero(src == each)
        seq[own] = np.arange(len(own)) % SEQ
        if each != SRC_FRAMER:
            ledger.sources[each] = SourceCount(decoded=len(own), exact=True)
    for kind, count in zip(*np.unique(rows.kind, return_counts=True), strict=True):
        ledger.kinds[Kind(int(kind)).name] = int(count)
    if len(src):
        ledger.first_ts = int(rows.time[0])
        ledger.last_ts = int(rows.time[-1])
    for start in range(0, max(len(src), 1), BATCH):
        part = slice(start, start + BATCH)
        yield Batch.of(rows.time[part], src[part], rows.kind[part], rows.sub[part], rows.payload[part], seq=seq[part])


def _interleave(sources: dict[int, Rows]) -> tuple[I8, Rows]:
    """The rows of all sources in order of time, and the source of each."""
    src = np.concatenate([np.full(len(rows.time), each) for each, rows in sources.items()])
    joined = Rows(
        *(
            np.concatenate([getattr(rows, name) for rows in sources.values()])
            for name in ("time", "kind", "sub", "payload")
        )
    )
    order = np.argsort(joined.time, kind="stable")
    return src[order], Rows(joined.time[order], joined.kind[order], joined.sub[order], joined.payload[order])
