"""The total order of records: (clock epoch, ts, src, position), made by a stable sort inside ``max_disorder_ns``.

A stream that is in order passes untouched, and the records of one source always keep their stream order, which is
authoritative. LOSS, STATE, CNT, CFG, SYNC and CLK STATE keep their place: behind every record that stood before them,
unless a later record of their own source is sorted in front of those. Records older than ``max_disorder_ns`` keep
their place and are counted. Nothing is sorted across a hole. A clock step of a source begins a new epoch for its
records; a source that has not told its step ``max_disorder_ns`` after another one is taken to have stepped with it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import ClkSub, Kind
from npuscope.ledger import Ledger
from npuscope.records.batch import SRC_MASK, Batch
from npuscope.records.glance import member
from npuscope.records.salvage import POSITIONED

__all__ = ["Order"]

I8 = npt.NDArray[np.int64]

MAX_HELD: Final = 1 << 18
"""Records held back at most; more can only mean that time stands still."""
_PINNED: Final = POSITIONED.copy()
_PINNED[Kind.CLK | ClkSub.STATE << 4] = True  # in a LOSS burst it has the ts of the last drop
_STEP_LO: Final = np.uint8(Kind.CLK | ClkSub.STEP_LO << 4)
_LAST: Final = np.iinfo(np.int64).max
_NEVER: Final = np.iinfo(np.int64).min // 2


class Order:
    """Takes batches in stream order, gives them back in total order. disorder: max_disorder_ns.

    across: False where only the order of the records of each source matters: what is in order of time passes at once.
    """

    def __init__(self, disorder: int, ledger: Ledger, *, across: bool = True) -> None:
        self._disorder, self._ledger, self._across = disorder, ledger, across
        self._held: list[Batch] = []  # in order, and each begins where the one before it ends or later
        self._top = _NEVER  # largest ts of an event so far
        self._top_src = -1

    def push(self, batch: Batch) -> list[Batch]:
        """Batches that are final now that ``batch`` is known."""
        if not len(batch):
            return [*self.flush(), batch] if batch.holes else []
        out = self.flush() if batch.holes else []
        if not self._across and not self._held and self._rises(batch):
            return [*out, batch]
        if any(hole.index for hole in batch.holes):
            return [*out, self._by_holes(batch)]
        edges = _edges(batch)
        if edges is not None and not _steps(batch) and not self._stepping():
            first, last = edges
            if first >= (self._top, self._top_src):
                self._top, self._top_src = max(last, (self._top, self._top_src))
                self._held.append(batch)
                return out + self._release()
        return out + self._sort(Batch.join([*self._held, batch]), final=False)

    def flush(self) -> list[Batch]:
        """Everything held back: nothing that follows may be sorted before it."""
        out = self._sort(Batch.join(self._held), final=True) if self._stepping() else self._held
        self._held = []
        self._top, self._top_src = _NEVER, -1
        return out

    def _rises(self, batch: Batch) -> bool:
        """Whether no record of ``batch`` is older than one before it, and none tells a step."""
        if _steps(batch) or any(hole.index for hole in batch.holes):
            return False
        if not (batch.rises or (batch.raw["ts"][1:] >= batch.raw["ts"][:-1]).all()):
            return False
        first, last = _outermost(batch.others[member(batch.codes, _PINNED)], len(batch))
        if first <= last:
            if batch.stamp(first) < self._top:
                return False
            self._top, self._top_src = batch.stamp(last), int(batch.srctq[last] & SRC_MASK)
        return True

    def _stepping(self) -> bool:
        return any(_steps(batch) for batch in self._held)

    def _release(self) -> list[Batch]:
        """Held batches that end before anything that may still come."""
        count = 0
        floor = self._top - self._disorder
        while count < len(self._held) - 1 and int(self._held[count].ts.max()) < floor:
            count += 1
        out, self._held = self._held[:count], self._held[count:]
        return out

    def _by_holes(self, batch: Batch) -> Batch:
        """A batch with holes inside: each stretch on its own."""
        cuts = [0, *(hole.index for hole in batch.holes), len(batch)]
        index = np.arange(len(batch))
        for start, stop in pairwise(cuts):
            part = batch.take(slice(start, stop))
            if stop - start > 1 and (_edges(part) is None or _steps(part)):
                index[start:stop] = start + self._permutation(part)[0]
        return batch if (np.diff(index) == 1).all() else batch.take(index).with_holes(batch.holes)

    def _sort(self, batch: Batch, *, final: bool) -> list[Batch]:
        """Sort ``batch`` (the held ones and a new one); keep what may still change."""
        index, cut, top = self._permutation(batch)
        holes, batch = batch.holes, batch.take(index)
        if final or len(batch) - cut > MAX_HELD:
            self._held, cut = [], len(batch)
        else:
            self._held = [batch.take(slice(cut, len(batch)))]
        self._top, self._top_src = top
        done = batch.take(slice(0, cut)).with_holes(holes)
        if not cut:
            self._held = [self._held[0].with_holes(holes)] if self._held else []
        return [done] if cut else []

    def _permutation(self, batch: Batch) -> tuple[npt.NDArray[np.intp], int, tuple[int, int]]:
        """Order of the records, how many of them are final, and the largest (ts, src) of an event."""
        ts, src = batch.ts.astype(np.int64), batch.src
        moves = ~_PINNED[batch.kindsub]
        epoch = _epochs(batch, ts, moves, self._disorder)
        newest = int(epoch.max(initial=0))
        for number in range(newest + 1):
            own = moves & (epoch == number)
            start = self._top if newest == 0 else _NEVER
            high = np.maximum(np.maximum.accumulate(np.where(own, ts, _NEVER)), start)
            late = own & (ts < high - self._disorder)
            self._ledger.late += int(np.count_nonzero(late & ~self._seen_late(batch)))
            moves &= ~late
        chosen = np.flatnonzero(moves)
        rank = np.full(len(ts), -1, np.int64)
        sorted_ = chosen[_argsort(epoch[chosen], ts[chosen], src[chosen])]
        rank[sorted_] = 2 * np.arange(len(sorted_))
        key = np.where(moves, rank, np.maximum.accumulate(rank) + 1)
        for source in np.unique(src).tolist():
            own_places = np.flatnonzero(src == source)
            own = moves[own_places]
            ahead = np.where(own, rank[own_places], _LAST)
            limit = np.where(own, _LAST, np.minimum.accumulate(ahead[::-1])[::-1] - 1)
            key[own_places] = np.maximum.accumulate(np.minimum(key[own_places], limit))
        index = np.argsort(key, kind="stable")
        if not len(sorted_):
            return index, len(ts), (self._top, self._top_src)
        last = sorted_[-1]
        top = max((int(ts[last]), int(src[last])), (self._top, self._top_src) if newest == 0 else (_NEVER, -1))
        behind = moves[index] & (epoch[index] == newest) & (ts[index] >= top[0] - self._disorder)
        if newest and not ((epoch == newest) & (ts >= int(ts[epoch == newest].min()) + self._disorder) & moves).any():
            behind[:] = True  # a source may still be about to tell its step
        return index, int(np.argmax(behind)) if behind.any() else len(ts), top

    def _seen_late(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Records that were counted as late when they were first looked at: those held back."""
        held = sum(len(part) for part in self._held)
        return np.arange(len(batch)) < held


def _argsort(epoch: I8, ts: I8, src: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Stable order by (epoch, ts, src); almost sorted input costs little."""
    if len(ts) and not epoch.any() and int(ts.max()) - int(ts.min()) < 1 << 57:
        return np.argsort(ts - ts.min() << 6 | src, kind="stable")
    return np.lexsort((src, ts, epoch))


def _outermost(pinned: npt.NDArray[np.intp], count: int) -> tuple[int, int]:
    """First and last of ``count`` indices that are not among the rising ``pinned``; first > last: all are."""
    lead = np.flatnonzero(pinned != np.arange(len(pinned)))
    trail = np.flatnonzero(pinned[::-1] != count - 1 - np.arange(len(pinned)))
    first = int(lead[0]) if len(lead) else len(pinned)
    return first, count - 1 - (int(trail[0]) if len(trail) else len(pinned))


def _steps(batch: Batch) -> bool:
    return bool(batch.counts[_STEP_LO])


def _edges(batch: Batch) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """(ts, src) of the first and the last event if all events of ``batch`` are in order, else None.

    A batch without events gives (largest, smallest): it fits behind everything and changes nothing.
    """
    ts, src = batch.ts, batch.src
    pinned = batch.others[member(batch.codes, _PINNED)]
    if len(pinned) == len(batch):
        return (np.iinfo(np.int64).max, 0), (_NEVER, -1)
    new = np.append(True, np.diff(pinned) != 1)[: len(pinned)]
    before, behind = pinned[new] - 1, pinned[np.append(new[1:], True)[: len(pinned)]] + 1  # each stretch of pinned ones
    first = int(behind[0]) if len(before) and before[0] < 0 else 0
    last = int(before[-1]) if len(behind) and behind[-1] == len(ts) else len(ts) - 1
    inside = slice(int(first > 0), len(before) - int(last < len(ts) - 1))
    moves = np.ones(len(ts), np.bool_)
    moves[pinned] = False
    falls = ts[1:] <= ts[:-1]
    falls &= moves[1:]
    falls &= moves[:-1]
    down = np.flatnonzero(falls) if falls.any() else pinned[:0]
    for left, right in ((down, down + 1), (before[inside], behind[inside])):
        if ((ts[right] < ts[left]) | ((ts[right] == ts[left]) & (src[right] < src[left]))).any():
            return None
    return (int(ts[first]), int(src[first])), (int(ts[last]), int(src[last]))


def _epochs(batch: Batch, ts: I8, moves: npt.NDArray[np.bool_], disorder: int) -> I8:
    """Clock epoch of each record, counted from the first one of the batch."""
    epoch = np.zeros(len(batch), np.int64)
    step = batch.kindsub == _STEP_LO
    if not step.any():
        return epoch
    for source in np.unique(batch.src[step]).tolist():
        own = batch.src == source
        epoch[own] = np.cumsum(step[own])
    for number in range(1, int(epoch.max()) + 1):
        inside = moves & (epoch == number)
        begun = np.flatnonzero(inside)
        if not len(begun):
            continue
        over = np.flatnonzero(inside & (ts > ts[begun[0]] + disorder))
        if len(over):
            epoch[over[0] :] = np.maximum(epoch[over[0] :], number)
    return epoch
