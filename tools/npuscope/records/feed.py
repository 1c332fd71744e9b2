"""The bytes ahead: a window on a source that slides and never moves back."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.source import Source

__all__ = ["Feed"]

_WORD: Final = 8
_KEPT_BYTES: Final = 16 << 20
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

    def _read(self, size: int) -> None:
        rest = len(self.data)
        buffer = np.empty(rest + size, np.uint8)
        buffer[:rest] = self.data
        got = self._source.fill(memoryview(buffer)[rest:])  # type: ignore[arg-type]
        self.final = got < size
        self.data = buffer[: rest + got]

    def drop(self, size: int) -> None:
        """Move on by ``size`` bytes."""
        self.data = self.data[size:]
        self.position += size

    def skip_hole(self, step: int) -> int:
        """Bytes of zeros of a sparse file that were passed over behind ``data``, a multiple of ``step``."""
        size = 0 if self.final else self._source.skip_hole(step)
        self.position += size
        return size
