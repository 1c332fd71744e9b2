"""The 32-bit words of an AIE trace buffer, from text (a word a line) or raw little endian."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import Exit, NpuscopeError

__all__ = ["LISTED", "note", "parse_words"]

U4 = npt.NDArray[np.uint32]

LISTED: Final = 64
"""Notes kept of one buffer."""
DIGITS: Final = 8
PIECE_LINES: Final = 1 << 15
_BOM: Final = b"\xef\xbb\xbf"
_WORD: Final = re.compile(rb"\s*(?:0[xX])?([0-9a-fA-F]{8})\s*")
_FRAME: Final = re.compile(rb"(0[xX])?[0-9a-fA-F]{8}(\r?\n)")
_NO_DIGIT: Final = 255
_DIGIT: Final = np.full(256, _NO_DIGIT, np.uint8)
for _base in (b"0123456789abcdef", b"0123456789ABCDEF"):
    _DIGIT[list(_base)] = range(16)
_SHIFTS: Final = np.arange(DIGITS, dtype=np.uint32)[::-1] * np.uint32(4)


def note(notes: list[str], text: str) -> None:
    """Add ``text``, up to the limit."""
    if len(notes) < LISTED:
        notes.append(text)


def parse_words(data: bytes, file: str) -> tuple[U4, list[str]]:
    """Words of a text or raw dump, u4 (n,), and what was odd about it; raises NpuscopeError when there is no word."""
    text = data.removeprefix(_BOM)
    words = _even(text)
    if words is not None:
        return words, []
    notes: list[str] = []
    lines = text.splitlines()
    matches = [_WORD.fullmatch(line) for line in lines]
    if not any(matches):
        words = np.frombuffer(data[: len(data) // 4 * 4], "<u4").astype(np.uint32)
        if len(data) % 4:
            notes.append(f"byte {len(data) // 4 * 4}: the last {len(data) % 4} bytes are no word")
        if not words.any():
            raise NpuscopeError("no trace word in it", file=file, exit_code=Exit.NOT_RECOGNISED)
        return words, notes
    found = []
    for number, (line, match) in enumerate(zip(lines, matches, strict=True), 1):
        if match:
            found.append(int(match.group(1), 16))
        elif line.strip():
            note(notes, f"line {number} is no word: {line[:40].decode('latin-1')!r}")
            if number < len(lines):
                found.append(0)  # keeps the packets behind it in place
    return np.array(found, np.uint32), notes


def _even(text: bytes) -> U4 | None:
    """The words of a text whose lines all look like the first one; None for any other."""
    first = _FRAME.match(text)
    if first is None:
        return None
    size, before, after = first.end(), first.end(1) if first.group(1) else 0, first.group(2)
    if not text.endswith(b"\n"):
        text += after
    if len(text) % size:
        return None
    rows = np.frombuffer(text, np.uint8).reshape(-1, size)
    words = np.zeros(len(rows), np.uint32)
    for start in range(0, len(rows), PIECE_LINES):
        part = rows[start : start + PIECE_LINES]
        frame = np.delete(part[0], np.s_[before : before + DIGITS])
        digits = _DIGIT[part[:, before : before + DIGITS]]
        if digits.max() == _NO_DIGIT or (part[:, before + DIGITS :] != frame[before:]).any():
            return None
        if before and (part[:, :before] != frame[:before]).any():
            return None
        out = words[start : start + PIECE_LINES]
        for place, shift in enumerate(_SHIFTS):
            out |= digits[:, place].astype(np.uint32) << shift
    return words
