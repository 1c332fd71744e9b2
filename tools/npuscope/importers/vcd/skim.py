"""A few signals out of many: only times and the lines of wanted ids are looked at, the others are stepped over.

A block of bytes is compared with the few characters that matter, a pass of numpy each, in buffers that stay in the
cache. Sound, not lenient: whatever could hide or forge a change of a wanted id (a command, a control character, two
items in a line, a value of odd form, a time that goes back) is found, and then ``skim`` leaves the block to the caller.
Only ids without $var are not counted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.importers.vcd.body import Body, Changes, Code
from npuscope.importers.vcd.planes import SCALAR
from npuscope.importers.vcd.scan import BLANK, LONGEST_TIME, NEWLINE, numbers, vector_planes, windows
from npuscope.importers.waveform import WORD

__all__ = ["BLOCK_BYTES", "FEW_CODES", "Skimmer", "can_skim"]

U1 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

BLOCK_BYTES: Final = 1 << 20
FEW_CODES: Final = 8
"""More ids than these are read line by line."""
HASH, DOLLAR = ord("#"), ord("$")
_WORD: Final = 8
_NEAR: Final = 40
"""Bytes before a word in which the start of its line is looked for at once."""
_SCALAR: Final = np.zeros(256, np.bool_)
_SCALAR[list(b"01xXzZ")] = True
_NINE: Final = np.zeros(256, np.bool_)
_NINE[list(SCALAR)] = True
_VECTOR: Final = np.zeros(256, np.bool_)
_VECTOR[list(b"bB")] = True
_WAITS: Final = np.zeros(256, np.bool_)
_WAITS[list(b"bBrRsS")] = True
"""How a value begins whose id is a word of its own, perhaps in the next line."""


def can_skim(codes: Mapping[bytes, Code]) -> bool:
    """Whether the wanted ones are few, none is real, and none looks like a change of another."""
    wanted = {identifier: code for identifier, code in codes.items() if code.slot >= 0}
    if not 0 < len(wanted) <= FEW_CODES < len(codes) or any(code.real for code in wanted.values()):
        return False
    return not any(_SCALAR[identifier[0]] and identifier[1:] in codes for identifier in wanted)


class Skimmer:
    """Changes of the wanted codes of ``body``; none of them is real."""

    def __init__(self, body: Body) -> None:
        self.body, self.block_bytes = body, BLOCK_BYTES
        wanted = sorted(
            (code.slot, identifier, code.width) for identifier, code in body.codes.items() if code.slot >= 0
        )
        self._ids = [identifier for _, identifier, _ in wanted]
        self._width = np.array([width for _, _, width in wanted], np.int64)
        self._lasts = sorted({identifier[-1] for identifier in self._ids})
        self.room = max(WORD * body.words, LONGEST_TIME, _NEAR) + 2 + max(map(len, self._ids), default=0)
        """Bytes that must lie before a block."""
        self._size = 0
        self._masks: list[Mask] = []

    def _buffers(self, size: int) -> list[Mask]:
        if size > self._size:
            self._size = -(-size // _WORD) * _WORD
            self._masks = [np.zeros(self._size + 2 * _WORD, np.bool_) for _ in range(3)]
        return self._masks

    def skim(self, data: bytearray, buf: U1, start: int, stop: int) -> Changes | None:
        """The changes of the lines data[start:stop], whole ones; None: it has something that wants a closer look."""
        part = buf[start:stop]
        size = len(part)
        white, marks, spare = self._buffers(size)
        np.less_equal(part, BLANK, out=white[1 : size + 1])  # [i + 1] tells of part[i]; a line end lies before it
        white[0] = True
        known = sum(np.count_nonzero(np.equal(part, byte, out=spare[:size])) for byte in (NEWLINE, BLANK))
        if np.count_nonzero(white[1 : size + 1]) != known:
            return None
        # words that begin with # or $, and those that end like a wanted id: the one list of places to look at
        np.equal(part, HASH, out=marks[:size])
        marks[:size] |= np.equal(part, DOLLAR, out=spare[:size])
        marks[:size] &= white[:size]
        for last in self._lasts:
            hits = np.equal(part, last, out=spare[:size])
            hits[:-1] &= white[2 : size + 1]
            marks[:size] |= hits
        return self._changes(data, buf, stop, _places(marks, size) + start)

    def _changes(self, data: bytearray, buf: U1, stop: int, places: I8) -> Changes | None:
        byte, before = buf[places], buf[places - 1]
        begins = (before <= BLANK) & ((byte == HASH) | (byte == DOLLAR))
        at_line = begins & (before == NEWLINE)
        if (at_line & (byte == DOLLAR)).any() or not _all_ids(data, buf, places[begins & ~at_line]):
            return None
        time_at = places[at_line]
        if not _all_finished(data, buf, np.append(time_at, stop)):
            return None
        times = self._times(data, buf, stop, time_at)
        if times is None:
            return None
        ends = buf[places + 1] <= BLANK
        parts = []
        for slot, identifier in enumerate(self._ids):
            rows = self._of(data, buf, places[ends & (byte == identifier[-1])], identifier, slot)
            if rows is None:
                return None
            parts.append(rows)
        place, slots, value, unknown = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        if len(self._ids) > 1:
            order = np.argsort(place)
            place, slots, value, unknown = place[order], slots[order], value[order], unknown[order]
        body = self.body
        if len(times) > 1:
            body.first_time = int(times[1]) if body.first_time is None else body.first_time
            body.time = int(times[-1])
        body.changes += len(place)
        return Changes(times[np.searchsorted(time_at, place)], slots, value, unknown)

    def _times(self, data: bytearray, buf: U1, stop: int, time_at: I8) -> npt.NDArray[np.uint64] | None:
        """The time before the block and those in it; None if one is odd or goes back."""
        times = np.zeros(len(time_at) + 1, np.uint64)
        times[0] = self.body.time or 0
        if len(time_at):
            length, rows = np.zeros(len(time_at), np.int64), np.arange(len(time_at))
            while len(rows):
                # times grow, so that few lengths are found one after the other
                digits = data.find(b"\n", int(time_at[rows[0]]), stop) - int(time_at[rows[0]]) - 1
                if not 1 <= digits <= LONGEST_TIME:
                    return None
                same = buf[np.minimum(time_at[rows] + 1 + digits, stop - 1)] == NEWLINE
                length[rows[same]], rows = digits, rows[~same]
            if not numbers(buf, time_at + 1, time_at + 1 + length, times[1:]) or (times[1:] < times[:-1]).any():
                return None
        return times

    def _of(
        self, data: bytearray, buf: U1, last: I8, identifier: bytes, slot: int
    ) -> tuple[I8, npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.uint64]] | None:
        """Place, slot, value and unknown of the changes of one id; last: where a word ends in its last character."""
        size = len(identifier)
        for back, byte in enumerate(identifier[-2::-1], 1):
            last = last[buf[last - back] == byte]
        before = buf[last - size]
        whole = before <= BLANK  # the word is the id
        if (before[whole] == NEWLINE).any():
            words = last[whole][before[whole] == NEWLINE]
            if any(buf[place + 1] == NEWLINE or identifier[:1] not in b"bBrRsS" for place in words.tolist()):
                return None
            whole &= before != NEWLINE
        first = last[~whole] - size  # its first character, if the id is all but that
        first = first[_NINE[buf[first]] & (buf[first - 1] <= BLANK)]
        odd = (buf[first - 1] == BLANK) | (buf[first + size + 1] == BLANK)
        if odd.any():
            # the id of a vector that only ends like this one
            if any(not _is_vector(data, place) for place in first[odd].tolist()):
                return None
            first = first[~odd]
        if not _SCALAR[buf[first]].all():
            return None
        blank = last[whole] - size
        values = self._vectors(buf, blank, slot)
        if values is None:
            return None
        words = self.body.words
        value, unknown = np.zeros((len(first), words), np.uint64), np.zeros((len(first), words), np.uint64)
        digit = buf[first]
        value[:, 0], unknown[:, 0] = (digit ^ digit >> 1) & 1, digit >> 6
        if self._width[slot] > 1 and len(first) and not ((digit == ord("0")) | (digit == ord("1"))).all():
            return None  # a scalar x or z fills the vector
        place = np.concatenate([first, blank])
        return (
            place,
            np.full(len(place), slot, np.int32),
            *(np.concatenate(pair) for pair in ((value, values[0]), (unknown, values[1]))),
        )  # type: ignore[return-value]

    def _vectors(self, buf: U1, blank: I8, slot: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]] | None:
        """Planes of the vectors whose values end before ``blank``; None if a line is of another form."""
        words, width = self.body.words, int(self._width[slot])
        if not len(blank):
            return np.zeros((0, words), np.uint64), np.zeros((0, words), np.uint64)
        text = windows(buf, blank, width + 2)
        ends = text == NEWLINE
        if not ends.any(axis=1).all():
            return None
        length = ends[:, ::-1].argmax(axis=1)  # of the value with its b
        begin = blank - length
        if not (length > 1).all() or not _VECTOR[buf[begin]].all() or (buf[begin - 1] != NEWLINE).any():
            return None
        return vector_planes(buf, begin + 1, blank, np.full(len(blank), width), words)


def _places(mask: Mask, size: int) -> I8:
    """Where the first ``size`` of ``mask`` are true; few of them are."""
    words = -(-size // _WORD)
    if len(mask) < words * _WORD:
        return np.flatnonzero(mask)
    mask[size : words * _WORD] = False
    rows = np.flatnonzero(mask[: words * _WORD].view(np.uint64))
    inside = np.flatnonzero(mask[: words * _WORD].reshape(-1, _WORD)[rows])
    return rows[inside // _WORD] * _WORD + inside % _WORD


def _all_ids(data: bytearray, buf: U1, place: I8) -> bool:
    """Whether the words that begin at ``place`` are ids of vectors."""
    text = windows(buf, place, _NEAR)
    length = (text == NEWLINE)[:, ::-1].argmax(axis=1)  # of what lies before the word in its line; 0: more than that
    near = length > 0
    rows = np.flatnonzero(near)
    good = _VECTOR[buf[place[rows] - length[rows]]]
    inside = np.arange(_NEAR) >= _NEAR - length[rows, None]
    good &= np.count_nonzero((text[rows] == BLANK) & inside, axis=1) == 1
    return bool(good.all()) and all(_is_vector(data, each) for each in place[~near].tolist())


def _all_finished(data: bytearray, buf: U1, place: I8) -> bool:
    """Whether no line before those at ``place`` leaves a value without its id."""
    text = windows(buf, place - 1, _NEAR)
    length = (text == NEWLINE)[:, ::-1].argmax(axis=1)  # of the line before; 0: empty, or more than that
    rows = np.flatnonzero(length > 0)
    begin = place[rows] - 1 - length[rows]
    inside = np.arange(_NEAR) >= _NEAR - length[rows, None]
    blanks = np.count_nonzero((text[rows] == BLANK) & inside, axis=1)
    good = np.where(_WAITS[buf[begin]], blanks == 1, (blanks == 0) & (length[rows] > 1))
    good &= text[rows, -1] != BLANK
    far = place[length == 0]
    return bool(good.all()) and all(_is_vector(data, each - 1) for each in far[buf[far - 2] != NEWLINE].tolist())


def _is_vector(data: bytearray, place: int) -> bool:
    """Whether the line of ``place`` begins like a vector, with one blank up to there."""
    begin = data.rfind(b"\n", 0, place) + 1
    return bytes(data[begin : begin + 1]) in (b"b", b"B", b"r", b"R") and data.count(b" ", begin, place) == 1
