"""A look at the bytes of full frames while they are read, piece by piece, so that they are still in the cache.

Nothing is judged here: what is found holds for the frames that turn out to be good, full and next to each other.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.crc import crc32
from npuscope.layout import FRAME_RECORDS, RECORD, RECORD_BYTES, BpSub, Kind

__all__ = ["COMMON", "COMMON_FIRST", "COMMON_MASK", "FRAME", "HEAD", "PIECE", "Glance", "aligned", "member"]

U1 = npt.NDArray[np.uint8]
Index = npt.NDArray[np.intp]
FRAME: Final = FRAME_RECORDS * RECORD_BYTES
PIECE: Final = 256 * FRAME
"""What is read and looked at in one go: it must stay in the cache in between, and be many records to a call."""
LINE: Final = 64
"""The kernel copies into memory at a multiple of this twice as fast (measured)."""
GROUP: Final = 3 * RECORD_BYTES
HEAD: Final = np.dtype({"names": ["head"], "formats": ["<u2"], "offsets": [8], "itemsize": RECORD_BYTES})
"""kindsub | srctq << 8 of a record: one pass over the records instead of two."""
COMMON: Final = np.array([Kind.BP | sub << 4 for sub in (BpSub.LEVEL, BpSub.BP_ON, BpSub.BP_OFF, BpSub.RAW)], np.uint8)
COMMON_FIRST: Final = COMMON[0]
COMMON_MASK: Final = ~np.bitwise_or.reduce(COMMON - COMMON[0])
"""The codes of ``COMMON`` are all those that differ from the first one in these bits only."""


def aligned(size: int, lead: int) -> U1:
    """Fresh memory; what is read into it behind ``lead`` bytes, and records in it, are in line."""
    buffer = np.empty(size + LINE, np.uint8)
    start = -(buffer.ctypes.data + lead // RECORD_BYTES * RECORD_BYTES) % LINE
    return buffer[start : start + size]


def member(codes: U1, table: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """``table[codes]`` of a table of 256: bytes.translate looks up much faster than indexing."""
    return np.frombuffer(codes.tobytes().translate(table.tobytes()), np.bool_)


class Glance:
    """What ``size`` bytes are if full frames begin at the first one.

    crcs: CRC-32 of each whole frame. rises: no record but SYNC A, which has the magic for a time, is older than the
    one before it. The arrays are those of ``Batch``, and ``groups`` the first three records of each frame.
    """

    def __init__(self, size: int) -> None:
        self.crcs: list[int] = []
        self.rises = True
        frames = size // FRAME
        self.groups = np.empty((frames, GROUP), np.uint8)
        self.srctq = np.empty(frames * FRAME_RECORDS, np.uint8)
        self.ends = [np.empty(0, np.uint8)] * 3
        """The bytes of the first frame, the last but one, and the last."""
        self._rare: list[Index] = []
        self._rows: list[npt.NDArray[np.complex128]] = []
        self._codes: list[U1] = []

    def look(self, frames: U1) -> None:
        """Look at the next whole frames."""
        if not len(frames):
            return
        first, count = len(self.crcs), len(frames) // FRAME
        view = memoryview(frames)  # type: ignore[arg-type]
        self.crcs += [crc32(view[at : at + FRAME]) for at in range(0, len(frames), FRAME)]
        self.groups[first : first + count] = frames.reshape(-1, FRAME)[:, :GROUP]
        low = first * FRAME_RECORDS
        head = np.ascontiguousarray(frames.view(HEAD)["head"])
        np.right_shift(head, 8, out=self.srctq[low : low + len(head)], casting="unsafe")
        codes = head.astype(np.uint8)
        rare = np.flatnonzero(codes - COMMON_FIRST & COMMON_MASK != 0)
        self._rows.append(frames.view(np.complex128)[rare])
        self._codes.append(codes[rare])
        self._rare.append(rare + low if low else rare)
        if self.rises:
            stamps = frames.view("<i8")[::2]  # SYNC A is below 0
            ahead, behind = stamps[FRAME_RECORDS - 1 : -1 : FRAME_RECORDS], stamps[FRAME_RECORDS + 1 :: FRAME_RECORDS]
            falls = np.count_nonzero(stamps[1:] < stamps[:-1])
            before = self.ends[2].view("<i8")[-2:-1]
            self.rises = falls == count - 1 and bool((behind >= ahead).all() and (before <= stamps[1]).all())
        self.ends[1] = frames[-2 * FRAME : -FRAME].copy() if count > 1 else self.ends[2]
        self.ends[2] = frames[-FRAME:].copy()
        self.ends[0] = self.ends[0] if first else frames[:FRAME].copy()

    def packed(self) -> Glance:
        """Itself, in as few arrays as can be."""
        self._rare, self._rows = [np.concatenate(self._rare)], [np.concatenate(self._rows)]
        self._codes = [np.concatenate(self._codes)]
        return self

    def rare(self, count: int) -> tuple[Index, npt.NDArray[np.void], U1]:
        """Index, raw (RECORD) and kindsub of the first ``count`` records but those of ``COMMON``."""
        index, rows, codes = np.concatenate(self._rare), np.concatenate(self._rows), np.concatenate(self._codes)
        stop = int(np.searchsorted(index, count))
        return index[:stop], rows[:stop].view(RECORD), codes[:stop]
