"""Values of a VCD file as two planes of bits (``npuscope.importers.waveform``)."""

from __future__ import annotations

import struct
from typing import Final

__all__ = ["SCALAR", "bits_planes", "real_planes"]

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
