"""Values of a VCD file as two planes of bits (``npuscope.importers.waveform``), one by one and many at once."""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.importers.waveform import WORD

__all__ = ["SCALAR", "bits_planes", "low_ones", "real_planes", "scalar_planes", "vector_planes", "windows"]

U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]
I8 = npt.NDArray[np.int64]

SCALAR: Final = {
    **{ord(c): planes for c, planes in zip("01", ((0, 0), (1, 0)), strict=True)},
    **{ord(c): (0, 1) for c in "xXuUwW-"},
    **{ord(c): (1, 1) for c in "zZ"},
    **{ord(c): (0, 0) for c in "lL"},
    **{ord(c): (1, 0) for c in "hH"},
}
"""First byte of a scalar change -> (value, unknown); u, w, l, h and - are what VHDL simulators write."""


def bits_planes(value: bytes, width: int) -> tuple[int, int] | None:
    """(value, unknown) of a scalar or ``b`` value, extended to the left as IEEE 1364 says; None if it is none."""
    digits = value[1:] if value[:1] in b"bB" else value
    planes = [SCALAR.get(digit) for digit in digits]
    if None in planes or not planes or value[:1] in b"rRsS":
        return None
    known = [plane for plane in planes if plane is not None]
    first = known[0]
    fill = first if first[1] else (0, 0)
    known = [fill] * (width - len(known)) + known[-width:]
    return (
        int("".join(str(plane[0]) for plane in known), 2),
        int("".join(str(plane[1]) for plane in known), 2),
    )


def real_planes(value: bytes) -> tuple[int, int] | None:
    """The bits of a double, from an ``r`` value or a scalar that is 0 or 1; None if it is neither."""
    if value[:1] in b"rR":
        try:
            return struct.unpack("<Q", struct.pack("<d", float(value[1:])))[0], 0
        except ValueError:
            return None
    planes = bits_planes(value, 1)
    return (struct.unpack("<Q", struct.pack("<d", planes[0]))[0], 0) if planes and not planes[1] else None


# ---------------------------------------------------------------- many at once
GROUP: Final = 8
"""Digits that are read at once, as a little-endian word: the first digit in the lowest byte."""
_LOWS: Final = np.uint64(0x0101010101010101)
_DIGITS: Final = np.uint64(0x3030303030303030)
_GATHER: Final = np.uint64(0x8040201008040201)
"""Times this, the lowest bits of the bytes meet in the highest byte, that of the first one on top."""
_KEEP: Final = np.array([(1 << 64) - (1 << 8 * (GROUP - n)) for n in range(GROUP + 1)], np.uint64)
"""Of a group of which only the last n characters are digits."""
_PLAIN: Final = np.isin(np.arange(256), list(b"\x0001xXzZ"))
_ONE, _SIX, _TOP = np.uint64(1), np.uint64(6), np.uint64(56)
LETTER: Final = 64


def windows(buf: U1, end: I8, size: int) -> U1:
    """The ``size`` bytes before each ``end``, u1 (n, size); some may lie before what is meant, unused."""
    every = np.ndarray((len(buf) - size + 1, size), np.uint8, buf, 0, (1, 1))
    return every[end - size]


def scalar_planes(digit: U1) -> tuple[U8, U8]:
    """Value and unknown of the characters 0, 1, x, z: bit 6 tells x and z, bit 0 xor bit 1 the value."""
    one = np.uint8(1)
    return ((digit ^ digit >> one) & one).astype(np.uint64), (digit >> np.uint8(6)).astype(np.uint64)


def vector_planes(buf: U1, first: I8, last: I8, width: I8, words: int) -> tuple[U8, U8] | None:
    """Value and unknown of the vectors buf[first:last], extended to ``width``; None if one is too long or no value."""
    value, unknown = (np.zeros((len(first), words), np.uint64) for _ in range(2))
    length = last - first
    if (length > width).any():
        return None
    for group in range(-(-int(length.max(initial=0)) // GROUP)):
        rows = np.flatnonzero(length > GROUP * group) if group else np.arange(len(first))
        keep = _KEEP[np.minimum(length[rows] - GROUP * group, GROUP)]
        text = windows(buf, last[rows] - GROUP * group, GROUP).view("<u8")[:, 0] & keep
        word, place = divmod(group * GROUP, WORD)
        if ((text & ~_LOWS) != (keep & _DIGITS)).any():
            if not _PLAIN[text.view(np.uint8)].all():
                return None
            unknown[rows, word] |= _gathered(text >> _SIX) << np.uint64(place)
            text ^= text >> _ONE
        value[rows, word] |= _gathered(text) << np.uint64(place)
    short = np.flatnonzero((length < width) & (buf[first] >= LETTER))
    if len(short):
        _extend(value, unknown, short, length[short], width[short], buf[first[short]])
    return value, unknown


def _gathered(text: U8) -> U8:
    """The lowest bits of the eight bytes of each word."""
    found: U8 = (text & _LOWS) * _GATHER >> _TOP
    return found


def _extend(value: U8, unknown: U8, rows: I8, length: I8, width: I8, first: U1) -> None:
    """Repeat a leading x or z up to the width."""
    is_z = (first & 2).astype(np.bool_)
    for word in range(value.shape[1]):
        low = np.clip(length - word * WORD, 0, WORD)
        high = np.clip(width - word * WORD, 0, WORD)
        mask = low_ones(high) & ~low_ones(low)
        unknown[rows, word] |= mask
        value[rows, word] |= np.where(is_z, mask, np.uint64(0))


def low_ones(count: I8) -> U8:
    """Words with the ``count`` lowest bits set, 0 to 64 of them."""
    shift = (WORD - np.maximum(count, 1)).astype(np.uint64)
    return np.where(count > 0, np.uint64(2**WORD - 1) >> shift, np.uint64(0))
