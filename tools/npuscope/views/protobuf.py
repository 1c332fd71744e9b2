"""Protobuf messages of one shape written as a matrix: a row per message, the varying fields filled in by column.

Integers take a fixed number of bytes, a varint padded as far as protobuf allows, so that all rows are equally long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["Template", "number", "text", "weave"]

Bytes = npt.NDArray[np.uint8]
_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_ROWS: Final = 1 << 15
"""Rows placed at a time: bounds the memory of the index."""


def _varint(value: int, width: int = 0) -> bytes:
    """``value`` in at least ``width`` bytes."""
    out = bytearray()
    while value >= 0x80 or len(out) + 1 < width:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(tag: int, value: int) -> bytes:
    """An integer field, not negative."""
    return _varint(tag << 3 | _VARINT) + _varint(value)


def text(tag: int, content: str | bytes) -> bytes:
    """A text or a nested message."""
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    return _varint(tag << 3 | _LENGTH) + _varint(len(data)) + data


@dataclass
class Template:
    """One message under construction: its bytes, and where its columns go."""

    data: bytes = b""
    slots: list[tuple[int, int, str, bool]] = field(default_factory=list)

    def add(self, data: bytes) -> Template:
        """Bytes that are the same in every row."""
        self.data += data
        return self

    def varint(self, tag: int, name: str, width: int) -> Template:
        """A field whose value is column ``name``, below 2^(7 * width)."""
        self.data += _varint(tag << 3 | _VARINT)
        self.slots.append((len(self.data), width, name, True))
        self.data += bytes(width)
        return self

    def fixed64(self, tag: int, name: str) -> Template:
        """A fixed64 or double field whose 8 bytes are column ``name``."""
        self.data += _varint(tag << 3 | _FIXED64)
        self.slots.append((len(self.data), 8, name, False))
        self.data += bytes(8)
        return self

    def nest(self, tag: int, inner: Template) -> Template:
        """``inner`` as a nested message."""
        head = _varint(tag << 3 | _LENGTH) + _varint(len(inner.data))
        start = len(self.data) + len(head)
        self.data += head + inner.data
        self.slots += [(start + at, width, name, is_varint) for at, width, name, is_varint in inner.slots]
        return self

    def rows(self, count: int, columns: dict[str, npt.NDArray[np.generic]]) -> Bytes:
        """u1[count, len(data)]; the columns hold ``count`` values each."""
        out = np.empty((count, len(self.data)), np.uint8)
        out[:] = np.frombuffer(self.data, np.uint8)
        for at, width, name, is_varint in self.slots:
            values = columns[name]
            if is_varint:
                rest = values.astype(np.uint64)
                for i in range(width):
                    more = np.uint8(0x80 if i + 1 < width else 0)
                    out[:, at + i] = (rest & np.uint64(0x7F)).astype(np.uint8) | more
                    rest = rest >> np.uint64(7)
            else:
                out[:, at : at + 8] = np.ascontiguousarray(values).view(np.uint8).reshape(count, 8)
        return out


def weave(pieces: list[tuple[npt.NDArray[np.intp], Bytes]]) -> Iterable[bytes]:
    """All rows in the order of their numbers; pieces: (numbers, rows), numbers together 0..n-1, each piece rising."""
    if len(pieces) == 1:
        yield pieces[0][1].tobytes()
        return
    total = sum(len(index) for index, _ in pieces)
    length = np.zeros(total, np.int64)
    for index, rows in pieces:
        length[index] = rows.shape[1]
    for low in range(0, total, _ROWS):
        high = min(low + _ROWS, total)
        start = np.cumsum(length[low:high]) - length[low:high]
        out = np.empty(int(length[low:high].sum()), np.uint8)
        for index, rows in pieces:
            a, b = np.searchsorted(index, [low, high])
            out[start[index[a:b] - low][:, None] + np.arange(rows.shape[1])] = rows[a:b]
        yield out.tobytes()
