"""The body of a VCD file in numpy: all lines of a piece at once.

A line is regular when it is ``#TIME``, a scalar and its id, or ``bBITS ID``, nothing before or behind; simulators write
almost nothing else. Irregular lines, and runs of lines with anything to report (a time that goes back, a strange
value), go through ``Body.tokens``, which reads or refuses them exactly; both give the same changes.

What a line costs is few passes over bytes: its first four are gathered as columns, and a table that fits the first
cache tells the slot of an id. Values stay characters until somebody asks for the signal (``columns``).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.importers.vcd.body import MAX_TIME, Body, Changes, Code
from npuscope.importers.vcd.planes import vector_planes, windows

__all__ = ["ROOM", "SPARE", "Scanner"]

U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]
I8 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[Any]

LONGEST_TIME: Final = 19
"""Digits of a time that always fits 64 bits."""
LONGEST_ID: Final = 3
"""Bytes of an id that the table holds: 839,514 of them are numbered by three; longer ones go by tokens."""
ROOM, SPARE = 32, 8
"""Bytes that a buffer has before and behind the piece: windows and columns may begin or end there, unused."""
FEW: Final = 8
"""One line in so many may be irregular before a piece goes by tokens as a whole."""
SPARSE: Final = 4
"""Up to one line in so many is picked out, before all are sorted by slot."""
POWERS: Final = 10 ** np.arange(LONGEST_TIME, dtype=np.uint64)[::-1]
NEWLINE, BLANK, LAST_PRINTABLE = 10, 32, 126
BITS: Final = 7
"""Of a character in the number of an id; a newline fills what a shorter id leaves."""
_SCALAR: Final = np.isin(np.arange(256), list(b"01xXzZ"))


class Scanner:
    """Changes of the wanted codes from pieces of a body; ``body`` has the state and takes what is irregular."""

    def __init__(self, body: Body) -> None:
        self.body = body
        wanted = [code for code in body.codes.values() if code.slot >= 0]
        self._count = len(wanted)
        self._longest = min(LONGEST_ID, max(map(len, body.codes), default=1))
        self._table = _table(body.codes, self._count, self._longest)
        self._width = np.zeros(self._count, np.int64)
        self._real = np.zeros(self._count + 3, np.bool_)
        for code in wanted:
            self._width[code.slot], self._real[code.slot] = code.width, code.real
        self._any_real = bool(self._real.any())

    def piece(self, buffer: bytearray, start: int, stop: int, base: int) -> Iterator[Changes]:
        """The changes of buffer[start:stop], which ends between two tokens; byte 0 of buffer is byte ``base``.

        ROOM bytes before start and SPARE behind stop are there, whatever is in them.
        """
        body = self.body
        if not body.idle:
            changes, start = body.tokens(bytes(memoryview(buffer)[:stop]), base, start, start)
            yield changes
        last = buffer.rfind(b"\n", start, stop) + 1
        if last > start:
            start = yield from self._whole_lines(buffer, start, last, stop, base)
        if start < stop:
            yield body.tokens(bytes(memoryview(buffer)[:stop]), base, start)[0]

    def _whole_lines(
        self, buffer: bytearray, start: int, last: int, stop: int, base: int
    ) -> Generator[Changes, None, int]:
        """As ``piece``, of lines; gives back where it stopped."""
        body, lines = self.body, self._lines(buffer, start, last)
        odd = np.empty(0, np.int64) if lines.good.all() else np.flatnonzero(~lines.good)
        if len(odd) * FEW > len(lines.good):
            return start
        data = bytes(memoryview(buffer)[:stop]) if len(odd) else b""
        line = 0
        for each in (*odd.tolist(), len(lines.good)):
            if each < line:
                continue
            if each > line:
                changes = self._fast(lines, line, each)
                if changes is None:
                    begin = lines.end_of(line - 1) + 1
                    part = bytes(memoryview(buffer)[begin : lines.end_of(each - 1) + 1])
                    changes = body.tokens(part, base + begin)[0]
                yield changes
            if each < len(lines.good):
                changes, at = body.tokens(data, base, lines.end_of(each - 1) + 1, lines.end_of(each) + 1)
                yield changes
                if at >= last:
                    return at
                line = int(np.searchsorted(lines.newline, at - lines.origin - 1))
        return last

    # ---------------------------------------------------------------- what the lines are
    def _lines(self, buffer: bytearray, start: int, last: int) -> _Lines:
        origin = start - 1  # columns are found from the newline before a line
        buf = np.frombuffer(buffer, np.uint8)
        is_newline = np.equal(buf[origin:last], NEWLINE)
        is_newline[0] = True
        newline = np.flatnonzero(is_newline)
        before = newline[:-1]
        first, one, two, three = (buf[origin + k :].take(before) for k in (1, 2, 3, 4))
        number: Slots
        if self._longest == 1:
            number, ends = one, two == NEWLINE
        elif self._longest == 2:
            number = one.astype(np.uint16)
            number |= two.astype(np.uint16) << np.uint16(BITS)
            ends = (two == NEWLINE) | (three == NEWLINE)
        else:
            number = one.astype(np.int32)
            number |= two.astype(np.int32) << BITS
            number |= (three * (two != NEWLINE)).astype(np.int32) << 2 * BITS
            ends = (two == NEWLINE) | (three == NEWLINE) | (buf[origin + 5 :].take(before) == NEWLINE)
        slot = self._table.take(number, mode="clip")
        good = (first & np.uint8(0xFE)) == ord("0")
        is_time, is_vector = first == ord("#"), (first | np.uint8(0x20)) == ord("b")
        time, vector = np.flatnonzero(is_time), np.flatnonzero(is_vector)
        if np.count_nonzero(good) + len(time) + len(vector) != len(first):
            good = _SCALAR[first]
        good &= slot != self._count + 2
        good &= ends
        if int(max(one.max(), two.max())) > LAST_PRINTABLE:
            good &= (one <= LAST_PRINTABLE) & (two <= LAST_PRINTABLE)
        lines = _Lines(buf, origin, newline, first, slot, number, good, time, vector)
        good[time] = lines.read_times()
        slot[time] = self._count
        good[vector] = self._vectors(lines)
        lines.look_for_whites()
        return lines

    def _vectors(self, lines: _Lines) -> Mask:
        """Find blank and id of the vectors; which of them have both."""
        buf, end = lines.buf[lines.origin - 4 :], lines.newline[lines.vector + 1]
        back = [buf[4 - k :].take(end) for k in (1, 2, 3, 4)]  # characters before the newline, the last one first
        size = np.ones(len(end), np.int64)
        number = back[0].astype(np.int32)
        filled = [NEWLINE << BITS * n for n in range(1, self._longest)]
        if self._longest > 1:
            number |= filled[0]
        found = back[1] == BLANK
        for length in range(2, self._longest + 1):
            rows = np.flatnonzero(~found & (back[length] == BLANK))
            here = sum(back[length - 1 - k][rows].astype(np.int32) << BITS * k for k in range(length))
            number[rows] = here | (filled[length - 1] if length < self._longest else 0)
            size[rows] = length
            found[rows] = True
        lines.blank = end - size - 1
        good: Mask = found & (lines.blank > lines.newline[lines.vector] + 2)
        lines.slot[lines.vector] = slot = self._table.take(number, mode="clip")
        lines.number[lines.vector] = number
        good &= slot != self._count + 2
        for length in range(self._longest):
            good &= (back[length] <= LAST_PRINTABLE) | (size <= length)
        return good

    # ---------------------------------------------------------------- what they say
    def _fast(self, lines: _Lines, first: int, last: int) -> Changes | None:
        """The changes of the lines [first, last), all good; None if the tokens have something to say about it."""
        body, count = self.body, self._count
        low, high = np.searchsorted(lines.time, (first, last)).tolist()
        times = np.empty(high - low + 1, np.uint64)
        times[0], times[1:] = body.time or 0, lines.times[low:high]
        if (times[1:] < times[:-1]).any() or int(times[-1]) + body.shift > MAX_TIME:
            return None
        slot = lines.slot[first:last]
        if self._any_real and self._real[slot].any():
            return None
        from_vector, to_vector = np.searchsorted(lines.vector, (first, last)).tolist()
        vector, blank = lines.vector[from_vector:to_vector], lines.blank[from_vector:to_vector]
        wanted = slot < count
        vector_slot = lines.slot[vector]
        chosen = np.flatnonzero(vector_slot < count)
        if len(chosen) < len(vector):
            vector, blank, vector_slot = vector[chosen], blank[chosen], vector_slot[chosen]
        planes = vector_planes(
            lines.buf, lines.newline[vector] + (lines.origin + 2), blank + lines.origin, self._width[vector_slot],
            body.words,
        )  # fmt: skip
        if planes is None:
            return None
        self._count_undeclared(lines, first, slot)
        if high > low:
            body.first_time = int(times[1]) if body.first_time is None else body.first_time
            body.time = int(times[-1])
        if body.restarts:
            times += np.uint64(body.shift)
        changes = int(np.count_nonzero(wanted))
        body.changes += changes
        time_at = lines.time[low:high]
        if changes * SPARSE < len(slot):
            rows = np.flatnonzero(wanted)
            at = np.searchsorted(time_at, rows + first).astype(np.uint32)
            slot, digit, wide = slot[rows], lines.first[first:last][rows], np.searchsorted(rows, vector - first)
        else:
            at = np.repeat(np.arange(len(times), dtype=np.uint32), np.diff(time_at, prepend=first, append=last))
            digit, wide = lines.first[first:last], vector - first
        return Changes(times, at, slot, digit, wide, *planes)

    def _count_undeclared(self, lines: _Lines, first: int, slot: Slots) -> None:
        """Count the ids without $var, and make them not wanted."""
        strange = np.flatnonzero(slot > self._count)
        if len(strange):
            numbers, counts = np.unique(lines.number[first + strange], return_counts=True)
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                self.body.undeclared[_identifier(number)] += count
            slot[strange] = self._count


@dataclass
class _Lines:
    """Lines of a piece. Places count from the newline before the first line, byte ``origin`` of ``buf``.

    newline: of that one and of each line, i8 (n + 1,). first: character. slot: the count of slots for times and what is
    not wanted, one more for ids without $var. number: of the id. good: regular. time, vector: lines that are one, with
    the ``times`` and the place of the ``blank``.
    """

    buf: U1
    origin: int
    newline: I8
    first: U1
    slot: Slots
    number: Slots
    good: Mask
    time: I8
    vector: I8

    def __post_init__(self) -> None:
        self.times = np.empty(len(self.time), np.uint64)
        self.blank = np.empty(0, np.int64)

    def end_of(self, line: int) -> int:
        """Byte of the newline at the end of a line (-1: before the first) in the buffer."""
        return self.origin + int(self.newline[line + 1])

    def read_times(self) -> Mask:
        """Fill ``times``; which of them are times."""
        end = self.newline[self.time + 1]
        size = end - self.newline[self.time] - 2
        end += self.origin
        good = (size > 0) & (size <= LONGEST_TIME)
        longest = min(int(size.max(initial=0)), LONGEST_TIME)
        for digits in range(int(size.min(initial=LONGEST_TIME)), longest + 1):
            rows = np.flatnonzero(size == digits)
            if digits and len(rows):
                text = windows(self.buf, end[rows], digits) - np.uint8(ord("0"))
                good[rows] &= text.max(axis=1) <= 9 if (text > 9).any() else True
                self.times[rows] = text @ POWERS[LONGEST_TIME - digits :]
        return good

    def look_for_whites(self) -> None:
        """A good vector has one blank and no other line has any; what is white elsewhere makes its line irregular."""
        part = self.buf[self.origin + 1 : self.origin + int(self.newline[-1]) + 1]
        blank = self.blank[self.good[self.vector]]
        if np.count_nonzero(part <= BLANK) == len(blank) + len(self.newline) - 1:
            return
        white = np.flatnonzero(part <= BLANK) + 1
        strange = np.setdiff1d(white, np.concatenate([blank, self.newline[1:]]), assume_unique=True)
        self.good[np.searchsorted(self.newline, strange) - 1] = False


# ---------------------------------------------------------------- ids
def _table(codes: Mapping[bytes, Code], count: int, longest: int) -> Slots:
    """Number of an id -> its slot; ``count``: not wanted, ``count`` + 1: no $var, ``count`` + 2: no id."""
    table = np.full(1 << BITS * longest, count + 2, np.min_scalar_type(count + 2))
    character = np.arange(BLANK + 1, LAST_PRINTABLE + 1)
    numbers = np.zeros(1, np.int64)
    for length in range(longest):
        numbers = (numbers[:, None] | character << BITS * length).ravel()
        table[numbers | (NEWLINE << BITS * (length + 1) if length + 1 < longest else 0)] = count + 1
    for identifier, code in codes.items():
        if len(identifier) <= longest and all(BLANK < byte <= LAST_PRINTABLE for byte in identifier):
            table[_number(identifier, longest)] = code.slot if code.slot >= 0 else count
    return table


def _number(identifier: bytes, longest: int) -> int:
    filled = (identifier + b"\n")[:longest]
    return sum(byte << BITS * place for place, byte in enumerate(filled))


def _identifier(number: int) -> str:
    """The id of a number."""
    text = bytes(number >> BITS * place & 127 for place in range(LONGEST_ID))
    return text.split(b"\n")[0].rstrip(b"\0").decode("ascii")
