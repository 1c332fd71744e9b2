"""AIE event-time commands one by one: the slow twin of ``npuscope.importers.aie.commands``."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from npuscope.importers.aie import Mode
from npuscope.importers.aie.commands import SYNC_CYCLES
from npuscope.importers.aie.tile import SLOTS


class Span(NamedTuple):
    """As a row of dtype SPAN."""

    slot: int
    start: int
    end: int
    open: bool = False


@dataclass
class Told:
    """As ``Tile``."""

    starts: list[int] = field(default_factory=list)
    syncs: int = 0
    spans: list[Span] = field(default_factory=list)
    last: int | None = None
    cut: bool = False
    unknown: int = 0
    before_start: int = 0
    mode: Mode = Mode.EVENT_TIME


class Oracle:
    """Frames of one tile from its joined payload."""

    def __init__(self, data: bytes) -> None:
        self.tile, self.data = Told(), data
        self.on: dict[int, int] = {}  # slot -> first cycle of its live span
        self.idle, self.slots = 0, 0  # of the last frame command, for repeats
        self.began = False

    def run(self) -> Told:
        at, data = 0, self.data
        while at < len(data):
            size = _size(data[at])
            if at + size > len(data):
                self.tile.cut = True
                break
            self._command(data[at], int.from_bytes(data[at : at + size], "big"), size)
            at += size
        tile = self.tile
        if tile.last is not None:
            tile.spans += [Span(slot, start, tile.last + 1, True) for slot, start in sorted(self.on.items())]
        return tile

    def _command(self, first: int, word: int, size: int) -> None:
        tile = self.tile
        if first in (0xFE,) or first >> 2 == 0x37:  # filler, Pad
            return
        if first >> 3 == 0x1E:
            self._start(first, word & (1 << 56) - 1)
        elif not _size_known(first):
            tile.unknown += 1
        elif not self.began:
            tile.before_start += 1
        elif tile.mode != Mode.EVENT_TIME:
            return
        elif first == 0xFF:
            self._close()
            assert tile.last is not None
            tile.last += SYNC_CYCLES
            tile.syncs += 1
        elif first >> 4 == 0xE:
            self._repeat(first & 15)
        elif first >> 2 == 0x36:
            self._repeat(word & 0x3FF)
        else:
            self.idle, self.slots = _frame(first, word)
            self._frame(self.idle, self.slots)

    def _start(self, first: int, timer: int) -> None:
        tile = self.tile
        mode = Mode(first & 3)
        self._close(cut=True)
        tile.mode, self.began = mode, True
        tile.starts.append(timer)
        tile.last = timer
        self.idle = self.slots = 0

    def _frame(self, idle: int, slots: int) -> None:
        tile = self.tile
        assert tile.last is not None
        if idle:
            self._close()
        now = tile.last + 1 + idle
        for slot in [slot for slot in self.on if not slots >> slot & 1]:
            tile.spans.append(Span(slot, self.on.pop(slot), tile.last + 1))
        for slot in range(SLOTS):
            if slots >> slot & 1:
                self.on.setdefault(slot, now)
        tile.last = now

    def _repeat(self, count: int) -> None:
        assert self.tile.last is not None
        if not self.idle:
            self.tile.last += count
            return
        for _ in range(count):
            self._frame(self.idle, self.slots)

    def _close(self, *, cut: bool = False) -> None:
        tile = self.tile
        if tile.last is not None:
            tile.spans += [Span(slot, start, tile.last + 1, cut) for slot, start in sorted(self.on.items())]
        self.on.clear()


def _size_known(first: int) -> bool:
    return first < 0xF8 or first >= 0xFE


def _size(first: int) -> int:
    """Bytes of the command that begins with ``first``; 1 for what is none."""
    for bits, value, size in _SIZES:
        if first >> bits == value:
            return size
    return 1


_SIZES: Final = (
    (7, 0b0, 1),  # Single0
    (5, 0b100, 2),  # Single1
    (5, 0b101, 3),  # Single2
    (4, 0b1100, 2),  # Multiple0
    (2, 0b110100, 3),  # Multiple1
    (2, 0b110101, 4),  # Multiple2
    (2, 0b110110, 2),  # Repeat1
    (2, 0b110111, 4),  # Pad
    (3, 0b11110, 8),  # Start
)


def _frame(first: int, word: int) -> tuple[int, int]:
    """(idle cycles, mask of slots) of a Single or Multiple command; ``word``: all its bytes."""
    if first < 0x80:
        return first & 15, 1 << (first >> 4)
    if first < 0xA0:
        return word & 0x3FF, 1 << (first >> 2 & 7)
    if first < 0xC0:
        return word & 0x3FFFF, 1 << (first >> 2 & 7)
    if first < 0xD0:
        return word & 15, word >> 4 & 0xFF
    return (word & 0x3FF, word >> 10 & 0xFF) if first < 0xD4 else (word & 0x3FFFF, word >> 18 & 0xFF)
