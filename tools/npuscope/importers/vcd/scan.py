"""The body of a VCD file in numpy: all lines of a piece at once.

A line is regular when it is ``#TIME``, a scalar and its id, or ``bBITS ID``, nothing before or behind; simulators write
almost nothing else. Irregular lines, and pieces with anything to report (a time that goes back, a strange value), go
through ``Body.tokens``, which reads or refuses them exactly; both give the same changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.importers.vcd.body import Body, Changes, Code
from npuscope.importers.waveform import WORD

__all__ = ["BLANK", "LONGEST_TIME", "NEWLINE", "Scanner", "numbers", "vector_planes", "windows"]

U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]
I8 = npt.NDArray[np.int64]

IRREGULAR, TIME, SCALAR, VECTOR = 0, 1, 2, 3
LONGEST_TIME: Final = 19
"""Digits of a time that always fits 64 bits."""
LONGEST_ID: Final = 3
"""Bytes of an id that the table holds: 839,514 of them are numbered by three; longer ones go by tokens."""
DIGITS: Final = 94
"""Printable characters, of which an id is made."""
FEW: Final = 8
"""One line in so many may be irregular before a piece goes by tokens as a whole."""
POWERS: Final = 10 ** np.arange(LONGEST_TIME, dtype=np.uint64)[::-1]
NEWLINE, BLANK, LETTER = 10, 32, 64
ONE, UNKNOWN_BIT = np.uint8(1), np.uint8(6)
"""Of the characters 0, 1, x, z: bit 6 tells x and z, bit 0 xor bit 1 the value."""


def _classes() -> U1:
    table = np.zeros(256, np.uint8)
    table[ord("#")] = TIME
    table[list(b"01xXzZ")] = SCALAR
    table[list(b"bB")] = VECTOR
    return table


_CLASS: Final = _classes()
_BIT: Final = np.isin(np.arange(256), list(b"01xXzZ"))


class Scanner:
    """Changes of the wanted codes from pieces of a body; ``body`` has the state and takes what is irregular."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._slots = _table(body.codes)
        wanted = sorted((code.slot, code) for code in body.codes.values() if code.slot >= 0)
        self._width = np.zeros(len(wanted), np.int64)
        self._real = np.zeros(len(wanted), np.bool_)
        for slot, code in wanted:
            self._width[slot], self._real[slot] = code.width, code.real
        self._any_real = bool(self._real.any())

    def piece(self, data: bytes, base: int) -> Iterator[Changes]:
        """The changes of ``data``, which ends between two tokens and lies at byte ``base`` of the file."""
        body = self.body
        start = max(WORD * body.words, LONGEST_TIME)  # room for windows that begin before the piece
        data, base = bytes(start) + data, base - start
        if not body.idle:
            changes, start = body.tokens(data, base, start, start)
            yield changes
        if start >= len(data):
            return
        lines = _Lines(data, start)
        odd = lines.odd()
        if len(odd) * FEW > len(lines.end):
            yield body.tokens(data, base, start)[0]
            return
        line = 0
        for each in (*odd.tolist(), len(lines.end)):
            if each < line:
                continue
            if each > line:
                yield self._regular(lines, line, each, base)
            if each < len(lines.end):
                changes, at = body.tokens(data, base, int(lines.start[each]), int(lines.end[each]) + 1)
                yield changes
                line = int(np.searchsorted(lines.start, at))

    def _regular(self, lines: _Lines, first: int, last: int, base: int) -> Changes:
        """Lines [first, last), all of them regular in form."""
        changes = self._fast(lines, first, last)
        if changes is None:
            stop = int(lines.end[last - 1]) + 1
            return self.body.tokens(lines.data[:stop], base, int(lines.start[first]))[0]
        return changes

    def _fast(self, lines: _Lines, first: int, last: int) -> Changes | None:
        """The same at once; None if the tokens have something to say about it."""
        body, buf = self.body, lines.buf
        low, high = np.searchsorted(lines.time, (first, last))
        time_at = lines.time[low:high]
        times = np.zeros(len(time_at) + 1, np.uint64)
        times[0] = 0 if body.time is None else body.time
        if not numbers(buf, lines.id_start[time_at], lines.end[time_at], times[1:]) or (times[1:] < times[:-1]).any():
            return None

        number = _codes(buf, lines.id_start[first:last], lines.end[first:last])
        number[time_at - first] = _TIME
        slot = self._slots[number]
        strange = number[slot == _UNDECLARED] if slot.min(initial=0) == _UNDECLARED else number[:0]
        change = np.flatnonzero(slot >= 0)
        slot = slot[change]
        change += first
        if self._any_real and self._real[slot].any():
            return None
        planes = self._values(lines, change, slot)
        if planes is None:
            return None

        for each in strange.tolist():
            body.undeclared[_identifier(each)] += 1
        if len(times) > 1:
            body.first_time = int(times[1]) if body.first_time is None else body.first_time
            body.time = int(times[-1])
        body.changes += len(change)
        return Changes(times[np.searchsorted(time_at, change)], slot, *planes)

    def _values(self, lines: _Lines, change: I8, slot: npt.NDArray[np.int32]) -> tuple[U8, U8] | None:
        buf, words = lines.buf, self.body.words
        value, unknown = (np.zeros((len(change), words), np.uint64) for _ in range(2))
        first = lines.start[change]
        digit = buf[first]
        value[:, 0] = (digit ^ digit >> ONE) & ONE
        unknown[:, 0] = digit >> UNKNOWN_BIT
        is_vector = lines.kind[change] == VECTOR
        if (~is_vector & (digit >= LETTER) & (self._width[slot] > 1)).any():
            return None  # a scalar x or z fills the vector
        vector = np.flatnonzero(is_vector)
        if not len(vector):
            return value, unknown
        planes = vector_planes(
            buf, first[vector] + 1, lines.id_start[change[vector]] - 1, self._width[slot[vector]], words
        )
        if planes is None:
            return None
        value[vector], unknown[vector] = planes
        return value, unknown


def vector_planes(buf: U1, first: I8, last: I8, width: I8, words: int) -> tuple[U8, U8] | None:
    """Value and unknown of the vectors buf[first:last], extended to ``width``; None if one is too long or no value."""
    value, unknown = (np.zeros((len(first), words), np.uint64) for _ in range(2))
    length = last - first
    if (length > width).any():
        return None
    bits, shortest = WORD * words, 0
    for size in sorted({8, 16, 32, bits}):
        rows = (
            np.flatnonzero((length > shortest) & (length <= size)) if shortest or size < bits else np.arange(len(first))
        )
        shortest = size
        text = windows(buf, last[rows], size)
        text = np.where(np.arange(size) >= size - length[rows, None], text, np.uint8(ord("0")))
        if not _BIT[text].all():
            return None
        value[rows] = _packed((text ^ text >> ONE) & ONE, words)
        unknown[rows] = _packed(text >> UNKNOWN_BIT, words)
    short = np.flatnonzero((length < width) & (buf[first] >= LETTER))
    if len(short):
        _extend(value, unknown, short, length[short], width[short], buf[first[short]])
    return value, unknown


class _Lines:
    """The lines of a piece: kind, start, end (of the newline), id_start (of the number in a TIME line), i8 (n,)."""

    def __init__(self, data: bytes, start: int) -> None:
        if not data.endswith(b"\n"):
            data += b"\n"
        self.data, self.buf = data, np.frombuffer(data, np.uint8)
        buf = self.buf if not start else self.buf[start:]
        self.end = np.flatnonzero(buf == NEWLINE) + start
        self.start = np.empty_like(self.end)
        self.start[0], self.start[1:] = start, self.end[:-1]
        self.start[1:] += 1
        self.kind = _CLASS[self.buf[self.start]]
        self.time = np.flatnonzero(self.kind == TIME)
        self.id_start = self.start + 1
        blank = np.flatnonzero(buf == BLANK) + start
        vector = np.flatnonzero(self.kind == VECTOR)
        plain = np.count_nonzero(buf < BLANK) == len(self.end) and int(buf.max()) <= BLANK + DIGITS
        if plain and len(blank) == len(vector):
            # one blank for each vector: each in its own line, behind a digit?
            self.id_start[vector] = blank + 1
            inside = bool((blank > self.start[vector] + 1).all())
            size = self.end - self.id_start
            times = size[self.time]
            size[self.time] = 1
            inside &= bool(((times >= 1) & (times <= LONGEST_TIME)).all())
            if inside and self.kind.all() and size.min() >= 1 and size.max() <= LONGEST_ID:
                return
        self._look_closely(start)

    def _look_closely(self, start: int) -> None:
        """Find the irregular lines and the ids of the others."""
        buf, end, kind = self.buf, self.end, self.kind
        white = np.flatnonzero(buf[start:] <= BLANK) + start
        at_end = np.flatnonzero(buf[white] == NEWLINE)
        whites = np.diff(at_end, prepend=-1)
        before = white[np.maximum(at_end - 1, 0)]
        vector = kind == VECTOR
        self.id_start = np.where(vector, before + 1, self.start + 1)
        size = end - self.id_start
        good = np.where(vector, (whites == 2) & (buf[before] == BLANK) & (before > self.start + 1), whites == 1)
        good &= (size >= 1) & (size <= np.where(kind == TIME, LONGEST_TIME, LONGEST_ID))
        good[np.searchsorted(end, np.flatnonzero(buf[start:] > BLANK + DIGITS) + start)] = False
        self.kind = np.where(good, kind, IRREGULAR)
        self.time = np.flatnonzero(self.kind == TIME)

    def odd(self) -> I8:
        """Lines that are not regular."""
        return np.flatnonzero(self.kind == IRREGULAR)


# ---------------------------------------------------------------- ids
_UNDECLARED: Final = -2
_TIME: Final = 0
"""The number that no id has."""


def _table(codes: Mapping[bytes, Code]) -> npt.NDArray[np.int32]:
    """Number of an id of up to LONGEST_ID bytes -> its slot."""
    table = np.full(1 + DIGITS + DIGITS**2 + DIGITS**3, _UNDECLARED, np.int32)
    table[_TIME] = -1
    for identifier, code in codes.items():
        if len(identifier) <= LONGEST_ID:
            number = 0
            for byte in identifier:
                number = number * DIGITS + byte - BLANK
            table[number] = code.slot
    return table


def _codes(buf: U1, start: I8, end: I8) -> npt.NDArray[np.int32]:
    """Numbers of the ids in buf[start:end], all of printable characters."""
    size = end - start
    number = buf[end - 1].astype(np.int32) - BLANK
    scale = DIGITS
    for back in range(2, LONGEST_ID + 1):
        if not (size >= back).any():
            break
        digit = buf[end - back].astype(np.int32) - BLANK
        digit *= size >= back
        number += digit * np.int32(scale)
        scale *= DIGITS
    return number


def _identifier(number: int) -> str:
    """The id of a number of ``_codes``."""
    text = ""
    while number > 0:
        number, digit = divmod(number - 1, DIGITS)
        text = chr(digit + 1 + BLANK) + text
    return text


# ---------------------------------------------------------------- numbers and bits
def windows(buf: U1, end: I8, size: int) -> U1:
    """The ``size`` bytes before each ``end``, u1 (n, size); some may lie before the piece, unused."""
    every = np.ndarray((len(buf) - size + 1, size), np.uint8, buf, 0, (1, 1))
    return every[end - size]


def numbers(buf: U1, start: I8, end: I8, out: U8) -> bool:
    """Write the decimal numbers in buf[start:end] to ``out``; False if one is none."""
    size = end - start
    longest = int(size.max(initial=0))
    for digits in range(int(size.min(initial=longest)), longest + 1):
        rows = np.flatnonzero(size == digits)
        text = windows(buf, end[rows], digits) - np.uint8(ord("0"))
        if (text > 9).any():
            return False
        out[rows] = text @ POWERS[LONGEST_TIME - digits :]
    return True


def _packed(bits: U1, words: int) -> U8:
    """Rows of bits, highest first, as words, lowest first."""
    wide = np.zeros((len(bits), words * WORD), np.uint8)
    wide[:, words * WORD - bits.shape[1] :] = bits
    return np.packbits(wide, axis=1).view(">u8").astype(np.uint64)[:, ::-1]


def _extend(value: U8, unknown: U8, rows: I8, length: I8, width: I8, first: U1) -> None:
    """Repeat a leading x or z up to the width."""
    is_z = (first & 2).astype(np.bool_)
    for word in range(value.shape[1]):
        low = np.clip(length - word * WORD, 0, WORD)
        high = np.clip(width - word * WORD, 0, WORD)
        mask = _ones(high) & ~_ones(low)
        unknown[rows, word] |= mask
        value[rows, word] |= np.where(is_z, mask, np.uint64(0))


def _ones(count: I8) -> U8:
    shift = (WORD - np.maximum(count, 1)).astype(np.uint64)
    return np.where(count > 0, np.uint64(2**WORD - 1) >> shift, np.uint64(0))
