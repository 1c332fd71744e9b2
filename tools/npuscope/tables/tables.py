"""All rows of a capture, kept."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import Kind
from npuscope.ledger import Ledger
from npuscope.records import Batch
from npuscope.tables.events import Chunk, Gap, Reader, Setting
from npuscope.tables.rows import INTERRUPT, JITTER, RAS, TOKEN, InterruptRows, RowMaker
from npuscope.tables.summary import Summary
from npuscope.tables.tokens import ArrivalRows, joined

__all__ = ["CLOCK_EPOCH", "Tables", "clock_epochs"]

Rows = npt.NDArray[np.void]

CLOCK_EPOCH: Final = np.dtype(
    [("epoch", "<i4"), ("from_ns", "<i8"), ("to_ns", "<i8"), ("step_ns", "<i8"), ("src", "i1")]
)
"""A stretch of time without a clock step: [from, to] ns TAI as stamped in it; step_ns: the signed step it begins with,
as source ``src`` was the first to tell it; 0 and -1 for the first epoch."""


class Tables:
    """Fed with every batch in stream order; grows by the rows that there are.

    settings: the CFG words of the jitter and RAS sources in stream order, a word only when its value changes.
    summary: the statistics too, when asked for.
    """

    def __init__(self, *, summarise: bool = False) -> None:
        self._reader = Reader(keep_gaps=True)
        self._makers = {kind: RowMaker(kind) for kind in (Kind.JITTER, Kind.RAS, Kind.TOKEN)}
        self._kept: dict[Kind, list[Rows]] = {kind: [] for kind in (*self._makers, Kind.TOKINT)}
        self._interrupts, self._arrivals = InterruptRows(), ArrivalRows()
        self._arrived: list[Rows] = []
        self._last: dict[tuple[int, int], int] = {}
        self.settings: list[Setting] = []
        self.summary = Summary() if summarise else None

    def feed(self, batch: Batch) -> None:
        """Keep the rows of ``batch``."""
        for run, chunks, settings in self._reader.parts(batch):
            self._take(chunks, settings)
            if self.summary is not None:
                self.summary.feed(run, chunks, settings)

    def _take(self, chunks: list[Chunk], settings: list[Setting]) -> None:
        for setting in settings:
            if self._last.get((setting.src, setting.word)) != setting.value:
                self._last[setting.src, setting.word] = setting.value
                self.settings.append(setting)
        if not chunks:
            return
        for kind, maker in self._makers.items():
            self._kept[kind] += maker.feed(chunks)
        self._kept[Kind.TOKINT] += self._interrupts.feed(chunks)
        self._arrived += [rows for _, rows in self._arrivals.feed(chunks)]

    def finish(self) -> None:
        """The capture is over."""
        self._kept[Kind.TOKINT] += self._interrupts.finish()
        self._arrived += [rows for _, rows in self._arrivals.finish()]
        if self.summary is not None:
            self.summary.finish(self.gaps)

    @property
    def any(self) -> bool:
        """Whether there is any row."""
        return any(map(len, self._kept.values()))

    @property
    def gaps(self) -> list[Gap]:
        """Times in which records of these sources may be missing."""
        return self._reader.gaps

    @property
    def arrivals(self) -> Rows:
        """Every token with the gap before it, dtype ARRIVAL, in stream order."""
        return joined(self._arrived)

    @property
    def orphans(self) -> int:
        """Context words whose interrupt was lost."""
        return self._interrupts.orphans

    def _table(self, kind: Kind, dtype: np.dtype[np.void]) -> Rows:
        parts = self._kept[kind]
        if len(parts) != 1 or parts[0].dtype != dtype:
            parts = [np.concatenate([np.empty(0, dtype), *parts])]
            if (np.diff(parts[0]["at"]) < 0).any():  # several sources of the same kind
                parts = [parts[0][np.argsort(parts[0]["at"], kind="stable")]]
            self._kept[kind] = parts
        return parts[0]

    @property
    def jitter(self) -> Rows:
        """Every sync pulse, dtype JITTER, in stream order."""
        return self._table(Kind.JITTER, JITTER)

    @property
    def ras(self) -> Rows:
        """Every RAS record, dtype RAS, in stream order."""
        return self._table(Kind.RAS, RAS)

    @property
    def tokens(self) -> Rows:
        """Every TOKEN record, dtype TOKEN, in stream order."""
        return self._table(Kind.TOKEN, TOKEN)

    @property
    def interrupts(self) -> Rows:
        """Every token interrupt with its context, dtype INTERRUPT, in stream order."""
        return self._table(Kind.TOKINT, INTERRUPT)


def clock_epochs(ledger: Ledger) -> Rows:
    """The clock epochs of a capture, dtype CLOCK_EPOCH; empty when it has no record."""
    if ledger.first_ts is None or ledger.last_ts is None:
        return np.empty(0, CLOCK_EPOCH)
    begins = [ledger.first_ts, *(step.ts for step in ledger.steps)]
    ends = [*(step.ts - step.step_ns for step in ledger.steps), ledger.last_ts]
    sizes, sources = [0, *(s.step_ns for s in ledger.steps)], [-1, *(s.src for s in ledger.steps)]
    rows = zip(range(len(begins)), begins, ends, sizes, sources, strict=True)
    return np.array(list(rows), CLOCK_EPOCH)
