"""CRC-8 and CRC-32 of the trace stream, as defined in ``rtl/spec/trace.toml``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from zlib_ng.zlib_ng import crc32 as _crc32

from npuscope.layout import CRC8_BYTE_ORDER, CRC8_INIT, CRC8_POLY

__all__ = ["crc8", "crc8_records", "crc32"]


@cache
def crc8_table() -> npt.NDArray[np.uint8]:
    """Shape (256,): the CRC-8 of one byte."""
    table = np.arange(256, dtype=np.uint8)
    for _ in range(8):
        table = (table << np.uint8(1)) ^ np.where(table & 0x80, CRC8_POLY, 0).astype(np.uint8)
    table.flags.writeable = False
    return table


def crc8(record: bytes) -> int:
    """CRC-8 of one 16-byte record; byte 11 (the CRC itself) and bit 63 of ``ts`` do not count."""
    table, state = crc8_table(), CRC8_INIT
    for index in CRC8_BYTE_ORDER:
        byte = record[index] & 0x7F if index == 7 else record[index]
        state = int(table[state ^ byte])
    return state


def crc8_records(records: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """CRC-8 of each row of ``records``, shape (n, 16), dtype u1; returns shape (n,), dtype u1."""
    table = crc8_table().tobytes()
    columns = records.T.copy()
    columns[7] &= 0x7F
    state = np.full(len(records), CRC8_INIT, np.uint8)
    for index in CRC8_BYTE_ORDER:  # bytes.translate looks up twice as fast as indexing
        state = np.frombuffer((state ^ columns[index]).tobytes().translate(table), np.uint8)
    return state


crc32: Final[Callable[..., int]] = _crc32
"""CRC-32 (IEEE, as zlib) of bytes, continued from a second argument. Not wrapped: it is called for each frame."""
