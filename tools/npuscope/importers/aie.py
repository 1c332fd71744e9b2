"""AMD AIE2 (Ryzen AI NPU, Versal) event trace, event-time mode: which slot of which tile was on from when to when.

A dump is a buffer of 32-bit words, as text (a word a line) or raw little endian. Eight words are a packet: a header
(packet id, unit type, row, column, odd parity) and 28 payload bytes, highest first. Packets of several tiles interleave
and commands cross packet borders, so the payloads are joined per tile before they are decoded.

A *frame* is one cycle with its slots on; ``idle`` cycles with nothing on lie before it. A command says idle and slots;
repeats say it again. A span that is on at the last frame of a tile is open: the dump does not say when it ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np

from npuscope.errors import Exit, NpuscopeError

__all__ = ["SLOTS", "AieTrace", "Mode", "Span", "Tile", "Unit", "parse_words", "read_aie"]

PACKET_WORDS: Final = 8
SLOTS: Final = 8
SYNC_CYCLES: Final = 1 << 18
"""Cycles after which a silent unit writes Event_Sync."""
_HEADER_ZERO: Final = 0x7000_8FE0
_WORD: Final = re.compile(rb"\s*(?:0[xX])?([0-9a-fA-F]{8})\s*")
LISTED: Final = 64


class Unit(IntEnum):
    """Packet type: the trace unit of a tile."""

    CORE = 0
    CORE_MEMORY = 1
    SHIM = 2
    MEMTILE = 3


class Mode(IntEnum):
    """Low two bits of Start."""

    EVENT_TIME = 0
    EVENT_PC = 1
    EXECUTION = 2
    RESERVED = 3


@dataclass(frozen=True, slots=True)
class Span:
    """A slot was on in cycles [start, end) of its unit's time. open: still on at the last cycle the dump tells."""

    slot: int
    start: int
    end: int
    open: bool = False


@dataclass
class Tile:
    """One trace unit. Times are timer values of the array, cycles; ``starts[0]`` is its first Start's.

    spans: in order of their end. last: last cycle told, None before the first Start. cut: its payload ends inside a
    command, or its last packet is not whole. unknown: bytes that are no command. mode: of the last Start.
    """

    unit: Unit
    row: int
    column: int
    starts: list[int] = field(default_factory=list)
    syncs: int = 0
    spans: list[Span] = field(default_factory=list)
    last: int | None = None
    cut: bool = False
    unknown: int = 0
    before_start: int = 0
    mode: Mode = Mode.EVENT_TIME
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Such as ``core(2,1)``: unit, row and column, all physical."""
        return f"{self.unit.name.lower()}({self.row},{self.column})"

    def relative(self) -> list[Span]:
        """The spans with times relative to the first Start."""
        first = self.starts[0] if self.starts else 0
        return [Span(span.slot, span.start - first, span.end - first, span.open) for span in self.spans]


@dataclass
class AieTrace:
    """tiles: in order of appearance. words: in the dump; full: no free word behind the data, so it may have ended here.

    bad_headers, empty: words at which a header is wrong, or an empty packet lies inside the data.
    """

    tiles: list[Tile]
    words: int
    full: bool
    bad_headers: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


# ---------------------------------------------------------------- words
def parse_words(data: bytes, file: str) -> tuple[list[int], list[str]]:
    """Words of a text or raw dump, and what was odd about it; raises NpuscopeError when there is no word."""
    notes: list[str] = []
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    matches = [_WORD.fullmatch(line) for line in lines]
    if not any(matches):
        words = np.frombuffer(data[: len(data) // 4 * 4], "<u4").tolist()
        if len(data) % 4:
            notes.append(f"byte {len(data) // 4 * 4}: the last {len(data) % 4} bytes are no word")
        if not any(words):
            raise NpuscopeError("no trace word in it", file=file, exit_code=Exit.NOT_RECOGNISED)
        return words, notes
    words = []
    for number, (line, match) in enumerate(zip(lines, matches, strict=True), 1):
        if match:
            words.append(int(match.group(1), 16))
        elif line.strip():
            if len(notes) < LISTED:
                notes.append(f"line {number} is no word: {line[:40].decode('latin-1')!r}")
            if number < len(lines):
                words.append(0)  # keeps the packets behind it in place
    return words, notes


def read_aie(data: bytes, file: str) -> AieTrace:
    """Decode a whole buffer; raises NpuscopeError if nothing in it is a trace packet, or for execution mode."""
    words, notes = parse_words(data, file)
    end = len(words)
    while end and not words[end - 1]:
        end -= 1
    trace = AieTrace([], len(words), full=end == len(words) and len(words) % PACKET_WORDS == 0, notes=notes)
    streams: dict[tuple[int, int, int], tuple[Tile, bytearray]] = {}
    for at in range(0, end, PACKET_WORDS):
        packet = words[at : at + PACKET_WORDS]
        header = packet[0]
        if not any(packet):
            trace.empty.append(at)
            _note(notes, f"words {at}-{at + PACKET_WORDS - 1}: empty packet inside the data")
            continue
        if wrong := _wrong(header):
            trace.bad_headers.append(at)
            _note(notes, f"word {at}: header {header:08x} {wrong}, {len(packet) - 1} payload words left out")
            continue
        key = header >> 12 & 7, header >> 16 & 31, header >> 21 & 127
        tile, stream = streams.setdefault(key, (Tile(Unit(key[0]), key[1], key[2]), bytearray()))
        if len(packet) < PACKET_WORDS:
            tile.cut = True
            _note(notes, f"last packet ({tile.name}) has {len(packet)} of {PACKET_WORDS} words")
        stream += b"".join(word.to_bytes(4, "big") for word in packet[1:])
    if not streams:
        raise NpuscopeError(
            "no AIE trace packet in it", file=file, found=notes[0] if notes else None, exit_code=Exit.NOT_RECOGNISED
        )
    for tile, stream in streams.values():
        _Decoder(tile, bytes(stream), file).run()
        trace.tiles.append(tile)
    return trace


def _wrong(header: int) -> str | None:
    if header.bit_count() % 2 == 0:
        return "has even parity"
    if header & _HEADER_ZERO:
        return "has bits set that are always 0"
    return None if header >> 12 & 7 <= max(Unit) else "has an unknown unit type"


def _note(notes: list[str], text: str) -> None:
    if len(notes) < LISTED:
        notes.append(text)


# ---------------------------------------------------------------- commands
class _Decoder:
    """Frames of one tile from its joined payload."""

    def __init__(self, tile: Tile, data: bytes, file: str) -> None:
        self.tile, self.data, self.file = tile, data, file
        self.on: dict[int, int] = {}  # slot -> first cycle of its live span
        self.idle, self.slots = 0, 0  # of the last frame command, for repeats
        self.began = False

    def run(self) -> None:
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
        if not self.began and tile.before_start:
            _note(tile.notes, f"{tile.name}: no Start, its {tile.before_start} commands have no time")
        if tile.unknown:
            _note(tile.notes, f"{tile.name}: {tile.unknown} bytes are no command")

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
        if mode == Mode.EXECUTION:
            raise NpuscopeError(
                "execution trace is not supported",
                file=self.file,
                found=f"Start with mode 2 in {tile.name}",
                expected="event-time mode",
                hint="its frames carry branches, not times; record with trace mode event-time",
            )
        if mode != Mode.EVENT_TIME:
            _note(tile.notes, f"{tile.name}: {mode.name.lower()} mode has no times")
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
