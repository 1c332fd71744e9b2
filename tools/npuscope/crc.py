"""CRC-8 and CRC-32 of the trace stream, as defined in ``rtl/spec/trace.toml``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from zlib_ng.zlib_ng import crc32 as _crc32

from npuscope.layout import CRC8_BYTE_ORDER, CRC8_INIT, CRC8_POLY

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["crc8", "crc8_records", "crc32"]


@cache
def crc8_table() -> bytes:
    """The CRC-8 of each byte."""
    table = list(range(256))
    for _ in range(8):
        table = [(state << 1 ^ (CRC8_POLY if state & 0x80 else 0)) & 0xFF for state in table]
    return bytes(table)


def crc8(record: bytes) -> int:
    """CRC-8 of one 16-byte record; byte 11 (the CRC itself) and bit 63 of ``ts`` do not count."""
    table, state = crc8_table(), CRC8_INIT
    for index in CRC8_BYTE_ORDER:
        byte = record[index] & 0x7F if index == 7 else record[index]
        state = table[state ^ byte]
    return state


def crc8_records(records: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """CRC-8 of each row of ``records``, shape (n, 16), dtype u1; returns shape (n,), dtype u1."""
    import numpy as np  # not above: a bench packs single records, and starts in half the time without it

    table = crc8_table()
    columns = records.T.copy()
    columns[7] &= 0x7F
    state = np.full(len(records), CRC8_INIT, np.uint8)
    for index in CRC8_BYTE_ORDER:  # bytes.translate looks up twice as fast as indexing
        state = np.frombuffer((state ^ columns[index]).tobytes().translate(table), np.uint8)
    return state


crc32: Final[Callable[..., int]] = _crc32
"""CRC-32 (IEEE, as zlib) of bytes, continued from a second argument. Not wrapped: it is called for each frame."""
