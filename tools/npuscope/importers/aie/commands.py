"""The commands in the joined payload of one trace unit, event-time mode, a block at a time in numpy.

Where a command begins follows from all before it. In a block every byte gets the place behind the command that would
begin at it; that table applied to itself gives the place 2, 4, ... 128 commands further, so that few steps of Python
find the beginnings of a block, exactly.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import NpuscopeError
from npuscope.importers.aie.tile import SLOTS, SPAN, Mode, Tile
from npuscope.importers.aie.words import note

__all__ = ["SYNC_CYCLES", "Commands"]

U1 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int64]

SYNC_CYCLES: Final = 1 << 18
"""Cycles after which a silent unit writes Event_Sync."""
MAX_FRAMES: Final = 1 << 26
"""Frames of one tile: repeats can say a thousand of them in two bytes."""
BLOCK_BYTES: Final = 1 << 14
DOUBLINGS: Final = 7
LONGEST: Final = 8
SKIP, UNKNOWN, SYNC, START, REPEAT, SINGLE, MULTIPLE = range(7)


def _tables() -> tuple[U1, I8, npt.NDArray[np.uint32]]:
    """By first byte: kind, bytes, bits of the idle count or of the repeat."""
    kind, size, bits = np.zeros(256, np.uint8), np.zeros(256, np.int64), np.zeros(256, np.uint32)
    for low, high, *what in (
        (0x00, 0x7F, SINGLE, 1, 4),
        (0x80, 0x9F, SINGLE, 2, 10),
        (0xA0, 0xBF, SINGLE, 3, 18),
        (0xC0, 0xCF, MULTIPLE, 2, 4),
        (0xD0, 0xD3, MULTIPLE, 3, 10),
        (0xD4, 0xD7, MULTIPLE, 4, 18),
        (0xD8, 0xDB, REPEAT, 2, 10),
        (0xDC, 0xDF, SKIP, 4, 0),  # Pad
        (0xE0, 0xEF, REPEAT, 1, 4),
        (0xF0, 0xF7, START, 8, 0),
        (0xF8, 0xFD, UNKNOWN, 1, 0),
        (0xFE, 0xFE, SKIP, 1, 0),  # filler
        (0xFF, 0xFF, SYNC, 1, 0),
    ):
        kind[low : high + 1], size[low : high + 1], bits[low : high + 1] = what
    return kind, size, bits


_KIND, _SIZE, _BITS = _tables()


class Commands:
    """Fills in ``tile`` from its payload. doubts: bytes of it before which a packet may be missing, rising."""

    def __init__(self, tile: Tile, doubts: list[int], file: str) -> None:
        self.tile, self.file = tile, file
        self._doubts = doubts
        self._doubtful_since: int | None = None
        self._mode: Mode | None = None  # of the Start in force
        self._time = 0  # of the last frame
        self._segment = 0  # its Start
        self._idle, self._said = 0, 0  # of the last frame command, for repeats
        self._live, self._since = 0, np.zeros(SLOTS, np.int64)  # slots on in the last frame, and since when
        self._frames = 0
        self._parts: list[tuple[int, I8, I8, bool]] = []  # slot, starts, ends, open

    def run(self, stream: U1) -> None:
        """Read all of it."""
        tile = self.tile
        padded = np.concatenate([stream, np.zeros(LONGEST, np.uint8)])
        at = 0
        while at < len(stream):
            block = min(BLOCK_BYTES, len(stream) - at)
            places = _begins(stream[at : at + block]) + at
            last = int(places[-1])
            at = last + int(_SIZE[stream[last]])
            if at > len(stream):
                tile.cut, places = True, places[:-1]
            self._commands(padded, places[_KIND[stream[places]] != SKIP])
        self._finish(len(stream))

    def _finish(self, size: int) -> None:
        tile = self.tile
        if tile.unknown:
            note(tile.notes, f"{tile.name}: {tile.unknown} bytes are no command")
        if self._mode is None:
            if tile.before_start:
                note(tile.notes, f"{tile.name}: no Start, its {tile.before_start} commands have no time")
            return
        self._emit_live()
        tile.segments.append((self._segment, self._time))
        tile.last = self._time
        if self._doubts and self._doubts[0] < size:
            self._doubtful_since = self._time + 1
        if self._doubtful_since is not None:
            tile.doubtful.append((self._doubtful_since, None))
        tile.spans = self._joined()

    def _joined(self) -> npt.NDArray[np.void]:
        """All spans in order of slot, then time."""
        parts = sorted(self._parts, key=lambda part: part[0])
        out = np.empty(sum(len(start) for _, start, _, _ in parts), SPAN)
        place = 0
        for slot, start, end, is_open in parts:
            rows = out[place : place + len(start)]
            rows["slot"], rows["start"], rows["end"], rows["open"] = slot, start, end, is_open
            place += len(start)
        return out

    def _commands(self, padded: U1, at: I8) -> None:
        """Commands that begin at ``at``, no fillers among them: runs of frames between the Starts."""
        first = padded[at]
        kind = _KIND[first]
        self.tile.unknown += int(np.count_nonzero(kind == UNKNOWN))
        bounds = sorted({0, len(at), *np.flatnonzero(kind == START).tolist()})
        for low, high in pairwise(bounds):
            begin = low
            if kind[low] == START:
                self._start(padded[at[low] : at[low] + LONGEST].tobytes(), int(at[low]))
                begin += 1
            run = slice(begin, high)
            known = np.flatnonzero(kind[run] != UNKNOWN) + begin
            if self._mode is None:
                self.tile.before_start += len(known)
            elif self._mode == Mode.EVENT_TIME and len(known):
                self._run(padded, at[known], first[known], kind[known])

    def _start(self, command: bytes, at: int) -> None:
        tile = self.tile
        mode, timer = Mode(command[0] & 3), int.from_bytes(command[1:], "big")
        if mode == Mode.EXECUTION:
            raise NpuscopeError(
                "execution trace is not supported",
                file=self.file,
                found=f"Start with mode 2 in {tile.name}",
                expected="event-time mode",
                hint="its frames carry branches, not times; record with trace mode event-time",
            )
        if mode != Mode.EVENT_TIME:
            what = "event-PC" if mode == Mode.EVENT_PC else "reserved"
            text = f"{tile.name}: {what} mode has no times, its events are left out"
            if text not in tile.notes:
                note(tile.notes, text)
        if self._mode is not None:
            self._emit_live()
            tile.segments.append((self._segment, self._time))
        while self._doubts and self._doubts[0] <= at:
            if self._doubts.pop(0) < at and self._doubtful_since is None:
                self._doubtful_since = self._time + 1 if self._mode is not None else timer
        if self._doubtful_since is not None:
            tile.doubtful.append((self._doubtful_since, timer))
        self._doubtful_since = None
        self._mode = tile.mode = mode
        tile.starts.append(timer)
        self._time = self._segment = timer
        self._idle = self._said = self._live = 0

    def _emit_live(self) -> None:
        """The spans that are on in the last frame: the dump does not tell their end."""
        for slot in range(SLOTS):
            if self._live >> slot & 1:
                self._parts.append((slot, self._since[slot : slot + 1].copy(), np.array([self._time + 1]), True))

    def _run(self, padded: U1, at: I8, first: U1, kind: U1) -> None:
        """Frames, repeats and syncs in a row. Row 0 of all columns is the last frame before them."""
        size, bits = _SIZE[first], _BITS[first]
        until = at + size
        value = np.zeros(len(at), np.uint32)
        for place in range(4):
            value = value << np.uint32(8) | padded[at + place]
        value >>= (np.uint32(8) * (np.uint32(4) - size)).astype(np.uint32)
        number = (value & ((np.uint32(1) << bits) - np.uint32(1))).astype(np.int64)
        value >>= bits
        kind = np.append(np.uint8(SINGLE), kind)
        is_frame = kind >= SINGLE
        said = np.where(kind[1:] == SINGLE, np.uint32(1) << (value & np.uint32(7)), value & np.uint32(0xFF))
        said = np.append(np.uint8(self._said), np.where(is_frame[1:], said, 0).astype(np.uint8))
        mask = said.copy()
        mask[0] = self._live
        idle = np.append(self._idle, np.where(is_frame[1:], number, 0))
        step = np.where(is_frame, 1 + idle, SYNC_CYCLES)
        step[0] = 0
        cover = is_frame.astype(np.int64)
        index = np.arange(len(kind))
        frame = np.maximum.accumulate(np.where(is_frame, index, 0))  # said last
        gap = is_frame & (idle > 0)
        repeat = np.flatnonzero(kind == REPEAT)
        if len(repeat):
            again, count = frame[repeat], number[repeat - 1]
            silent = np.maximum.accumulate(np.where(kind == SYNC, index, -1))[repeat] > again
            still = idle[again] == 0
            mask[repeat] = np.where(still, np.where(silent, 0, mask[again]), said[again])
            step[repeat] = np.where(still, count, 1 + idle[again])
            cover[repeat] = np.where(still, count, 1)
            gap[repeat] = ~still
        self._idle, self._said = int(idle[frame[-1]]), int(said[frame[-1]])
        self.tile.syncs += int(np.count_nonzero(kind == SYNC))
        time = np.cumsum(step)
        if len(repeat):
            times = np.ones(len(kind), np.int64)
            times[repeat] = np.where(still, count > 0, count)
            if not (times == 1).all():
                until = until[np.repeat(index, times)[1:] - 1]
                kind, mask, cover, gap, step = (np.repeat(each, times) for each in (kind, mask, cover, gap, step))
                time = np.cumsum(step)
        self._frames += len(time)
        if self._frames > MAX_FRAMES:
            raise NpuscopeError(
                "too many frames", file=self.file, found=f"more than {MAX_FRAMES}", hint=f"in {self.tile.name}"
            )
        time += self._time
        if self._doubts:
            self._doubt(time, until)
        joined = ~gap
        joined[1:] &= kind[:-1] != SYNC
        self._spans(time, time - cover + 1, mask, joined)
        self._time = int(time[-1])

    def _doubt(self, time: I8, until: I8) -> None:
        while self._doubts and len(until) and self._doubts[0] < until[-1]:
            before = int(np.searchsorted(until, self._doubts.pop(0), side="right"))
            if self._doubtful_since is None:
                self._doubtful_since = int(time[before]) + 1

    def _spans(self, time: I8, begin: I8, mask: U1, joined: npt.NDArray[np.bool_]) -> None:
        """The spans that end among these frames; those on in the last one live on."""
        last, breaks = len(time) - 1, ~joined[1:]
        for slot in range(SLOTS):
            is_on = mask & np.uint8(1 << slot) != 0
            begins = is_on.copy()
            begins[1:] &= breaks | ~is_on[:-1]
            start = begin[begins.nonzero()[0]]
            if not len(start):
                continue
            is_on[:-1] &= breaks | ~is_on[1:]
            final = is_on.nonzero()[0]
            if begins[0]:
                start[0] = self._since[slot]
            if final[-1] == last:
                self._since[slot], start, final = start[-1], start[:-1], final[:-1]
            self._parts.append((slot, start, time[final] + 1, False))
        self._live = int(mask[-1])


def _begins(block: U1) -> I8:
    """Where the commands of ``block`` begin, the first one at 0."""
    size = len(block)
    step = np.arange(size + LONGEST)
    step[:size] += _SIZE[block]
    jumps = [step]
    for _ in range(DOUBLINGS):
        jumps.append(jumps[-1][jumps[-1]])
    here, far = 0, jumps.pop()
    found = []
    while here < size:
        found.append(here)
        here = int(far[here])
    places = np.array(found)
    while jumps:
        both = np.empty(2 * len(places), np.int64)
        both[0::2], both[1::2] = places, jumps.pop()[places]
        places = both
    return places[: int(np.searchsorted(places, size))]
