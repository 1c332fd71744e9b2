"""The bytes ahead: a window on a source that slides and never moves back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.records.ahead import Ahead
from npuscope.records.glance import FRAME, PIECE, Glance, aligned
from npuscope.source import Again, Source

__all__ = ["Feed", "Unread"]

U1 = npt.NDArray[np.uint8]

_WORD: Final = 8
_UNKEPT_BLOCKS: Final = 2
"""Blocks that are read at a time where they are not kept: fewer calls, and no memory that grows (measured)."""
_KEPT_BYTES: Final = 31 << 20
"""glibc returns freed memory beyond twice the largest block ever freed; each block would be paged in anew."""


@dataclass(frozen=True)
class Unread:
    """Bytes that were looked at: ``lead``, ``size`` more that ``again`` reads, the last of them in ``rest``."""

    again: Again
    lead: U1
    size: int
    rest: U1

    def bytes(self) -> U1:
        """All of them."""
        buffer = aligned(len(self.lead) + self.size, len(self.lead))
        buffer[: len(self.lead)] = self.lead
        self.again(memoryview(buffer)[len(self.lead) :])  # type: ignore[arg-type]
        return buffer


class Feed:
    """data: u1 (n,), the bytes read and not yet dropped. position: dump byte of data[0]. final: nothing follows.

    Each read goes into memory of its own, so views of ``data`` stay valid. block: bytes read at a time.
    """

    def __init__(self, source: Source, block: int, *, keep: bool = True, ahead: Ahead | None = None) -> None:
        """keep: all bytes are wanted. ahead: looks at bytes where they are not."""
        self._source, self._block = source, max(_WORD, -(-block // _WORD) * _WORD)
        self._keep, self._ahead = keep, ahead
        self.data: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self.position = 0
        self.final = False
        self.unread: Unread | None = None
        np.empty(_KEPT_BYTES, np.uint8)  # never touched, freed at once

    @property
    def endless(self) -> bool:
        """Whether nobody can say how many bytes there will be, and there are more."""
        return self._source.size is None and not self.final

    def need(self, size: int) -> None:
        """Have at least ``size`` bytes, if there are that many left."""
        if len(self.data) < size and not self.final:
            self._read(max(self._block, -(-(size - len(self.data)) // _WORD) * _WORD))

    def more(self) -> None:
        """Read one more block."""
        self._read(self._block)

    def frames(self) -> Glance:
        """Read one more block, looking at it as full frames from the first byte of ``data`` on.

        What can be read again is not kept: ``data`` stays as it is until ``took`` or ``load`` is called.
        """
        size = self._block * (1 if self._keep else _UNKEPT_BLOCKS)
        again = None if self.final else self._source.reread(size)
        found = None if again is None else self._from_ahead(again)
        if found is not None:
            return found
        if again is None or self._keep:
            glance = Glance(len(self.data) + self._block)
            if not self.final:
                self._read(self._block, glance)
            return glance
        whole = len(self.data) + size
        glance = Glance(whole)
        have = rest = len(self.data)
        piece = aligned(PIECE + 2 * FRAME, rest % FRAME)
        piece[:have] = self.data
        view = memoryview(piece)  # type: ignore[arg-type]
        read = rest
        while read < whole:
            got = self._source.fill(view[have : have + min(whole - read, PIECE)])
            have, read = have + got, read + got
            stop = have // FRAME * FRAME
            glance.look(piece[:stop])
            piece[: have - stop] = piece[stop:have]
            have -= stop
        self.unread = Unread(again, self.data, size, piece[:have].copy())
        return glance

    def _from_ahead(self, again: Again) -> Glance | None:
        """A look by another process, and the bytes it was at, or what reads them."""
        ahead, lead = self._ahead, len(self.data)
        if ahead is None or again.size - again.place < ahead.worth:
            return None
        found = ahead.glance(again.name, again.place - lead, again.size)
        if found is None:
            return None
        if not self._keep:
            self.unread = Unread(again, self.data, ahead.block - lead, self.data[:0])
            self._source.skip(self.unread.size)
            return found
        self._read(ahead.block - lead)
        return found if len(self.data) == ahead.block else Glance(0)  # the file became shorter

    def load(self) -> None:
        """Have the bytes that were looked at and not kept."""
        unread, self.unread = self.unread, None
        if unread is not None:
            self.data = unread.bytes()

    def _read(self, size: int, glance: Glance | None = None) -> None:
        have, whole = len(self.data), len(self.data) + size
        buffer = aligned(whole, have)
        buffer[:have] = self.data
        view = memoryview(buffer)  # type: ignore[arg-type]
        seen = 0
        while have < whole and not self.final:
            wanted = min(whole - have, PIECE if glance else size)
            got = self._source.fill(view[have : have + wanted])
            have += got
            self.final = got < wanted
            if glance:
                glance.look(buffer[seen : have // FRAME * FRAME])
                seen = have // FRAME * FRAME
        self.data = buffer[:have]

    def took(self, size: int, tail: U1) -> None:
        """Move on by ``size`` bytes of those that were looked at and not kept; ``tail``: whole frames behind them."""
        assert self.unread is not None
        self.data, self.unread = np.concatenate([tail, self.unread.rest]), None
        self.position += size

    def drop(self, size: int) -> None:
        """Move on by ``size`` bytes."""
        self.data = self.data[size:]
        self.position += size

    def skip_hole(self, step: int) -> int:
        """Bytes of zeros of a sparse file that were passed over behind ``data``, a multiple of ``step``."""
        size = 0 if self.final else self._source.skip_hole(step)
        self.position += size
        return size
