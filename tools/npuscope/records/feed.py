"""The bytes ahead: a window on a source that slides and never moves back."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import RECORD_BYTES
from npuscope.records.glance import PIECE, Glance
from npuscope.source import Source

__all__ = ["Feed"]

_WORD: Final = 8
_LINE: Final = 64
"""The kernel copies into memory at a multiple of this twice as fast (measured)."""
_KEPT_BYTES: Final = 31 << 20
"""glibc returns freed memory beyond twice the largest block ever freed; each block would be paged in anew."""


class Feed:
    """data: u1 (n,), the bytes read and not yet dropped. position: dump byte of data[0]. final: nothing follows.

    Each read goes into memory of its own, so views of ``data`` stay valid. block: bytes read at a time.
    """

    def __init__(self, source: Source, block: int) -> None:
        self._source, self._block = source, max(_WORD, -(-block // _WORD) * _WORD)
        self.data: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self.position = 0
        self.final = False
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
        """Read one more block, looking at it as full frames from the first byte of ``data`` on."""
        glance = Glance(len(self.data) + self._block)
        if not self.final:
            self._read(self._block, glance)
        return glance

    def _read(self, size: int, glance: Glance | None = None) -> None:
        have, whole = len(self.data), len(self.data) + size
        buffer = np.empty(whole + _LINE, np.uint8)
        start = -(buffer.ctypes.data + have // RECORD_BYTES * RECORD_BYTES) % _LINE
        buffer = buffer[start : start + whole]
        buffer[:have] = self.data
        view = memoryview(buffer)  # type: ignore[arg-type]
        while have < whole and not self.final:
            wanted = min(whole - have, PIECE if glance else size)
            got = self._source.fill(view[have : have + wanted])
            have += got
            self.final = got < wanted
            if glance:
                glance.look(buffer[:have])
        self.data = buffer[:have]

    def drop(self, size: int) -> None:
        """Move on by ``size`` bytes."""
        self.data = self.data[size:]
        self.position += size

    def skip_hole(self, step: int) -> int:
        """Bytes of zeros of a sparse file that were passed over behind ``data``, a multiple of ``step``."""
        size = 0 if self.final else self._source.skip_hole(step)
        self.position += size
        return size
