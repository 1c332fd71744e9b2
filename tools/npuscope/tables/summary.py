"""Jitter, tokens and RAS of a whole capture in one pass, for the views that show everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from npuscope.tables.events import Chunk, Gap, Setting
from npuscope.tables.jitter import JitterMeter
from npuscope.tables.ras import RasMeter
from npuscope.tables.tokens import TokenMeter

__all__ = ["Summary"]


class Summary:
    """Fed with the chunks and CFG words of each run; jitter: source -> meter; tokens, ras: one meter each."""

    def __init__(self) -> None:
        self.jitter: dict[int, JitterMeter] = {}
        self.tokens, self.ras = TokenMeter(), RasMeter()
        self._told: dict[tuple[int, int], Setting] = {}

    def feed(self, run: int, chunks: Sequence[Chunk], settings: Sequence[Setting]) -> None:
        """Take what one batch has of one run of the stream."""
        for src in dict.fromkeys(chunk.src for chunk in chunks if chunk.has_jitter):
            if src not in self.jitter:
                self.jitter[src] = JitterMeter(src)
                self.jitter[src].feed([], list(self._told.values()))
        for meter in self.jitter.values():
            meter.feed(chunks, settings)
        self._told |= {(setting.src, setting.word): setting for setting in settings}
        self.tokens.feed(chunks)
        self.ras.feed(run, chunks, settings)

    def finish(self, gaps: Iterable[Gap] = ()) -> None:
        """The capture is over; gaps: as for ``TokenMeter.finish``."""
        for meter in self.jitter.values():
            meter.finish()
        self.tokens.finish(gaps)
