"""The body of a VCD file, token by token: plain, strict about what it means, slow. ``scan`` hands it what is irregular.

Values are planes of bits, see ``npuscope.importers.waveform``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import NpuscopeError
from npuscope.importers.vcd.planes import SCALAR, bits_planes, real_planes
from npuscope.importers.waveform import WORD

__all__ = ["MAX_TIME", "Body", "Changes", "Code"]

U8 = npt.NDArray[np.uint64]

MAX_TIME: Final = 2**64 - 1
LISTED: Final = 16
_TOKEN: Final = re.compile(rb"\S+")
_BLOCKS: Final = (b"$dumpvars", b"$dumpall", b"$dumpon", b"$dumpoff")


@dataclass(frozen=True, slots=True)
class Code:
    """An identifier of the body. width: of its widest variable. slot: where it is wanted, -1: declared, not wanted."""

    width: int
    slot: int
    real: bool = False


@dataclass(frozen=True)
class Changes:
    """``n`` rows in order of the file. times: u8, counts; at: u4 (n,), which of them. slot: (n,), the number of slots
    or more in a row that is nobody's. digit: u1 (n,), the character of a scalar. wide: rows with a value instead;
    value, unknown: u8 (wide, words), theirs.
    """

    times: U8
    at: npt.NDArray[np.uint32]
    slot: npt.NDArray[Any]
    digit: npt.NDArray[np.uint8]
    wide: npt.NDArray[np.int64]
    value: U8
    unknown: U8

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, int]], words: int) -> Changes:
        """From (time, slot, value, unknown) with integers of any width."""
        mask = 2**WORD - 1
        planes = np.array(
            [[plane >> WORD * word & mask for word in range(words)] for row in rows for plane in row[2:]], np.uint64
        ).reshape(len(rows), 2, words)
        each = np.arange(len(rows))
        return cls(
            np.array([row[0] for row in rows], np.uint64),
            each.astype(np.uint32),
            np.array([row[1] for row in rows], np.int32),
            np.full(len(rows), ord("b"), np.uint8),
            each,
            planes[:, 0],
            planes[:, 1],
        )


@dataclass
class Body:
    """Where the reading is, and what was met. ``tokens`` may be called for one piece after the other.

    codes: by identifier. words: 64-bit words of the widest wanted code. time: last time read, None before the first.
    shift: what is added to a time, so that a simulation whose time goes back comes right behind the one before it;
    gaps: [from, to) not recorded ($dumpoff to $dumpon), to None while open. restarts: (time after
    the last one before, first time behind, what the file says for that) where time went back. Gaps, restarts and
    changes have it added.
    undeclared, unknown: changes of ids without $var, commands not known. open: what is not finished yet.
    """

    file: str
    codes: Mapping[bytes, Code]
    words: int = 1
    allow_backwards: bool = False
    time: int | None = None
    shift: int = 0
    first_time: int | None = None
    changes: int = 0
    gaps: list[tuple[int, int | None]] = field(default_factory=list)
    restarts: list[tuple[int, int, int]] = field(default_factory=list)
    undeclared: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    _skipping: bytes = b""
    _value: bytes = b""  # a vector, real or split scalar that waits for its id
    _open_at: int = 0

    @property
    def now(self) -> int:
        """The last time read, shifted."""
        return (self.time or 0) + self.shift

    @property
    def idle(self) -> bool:
        """Whether the next byte begins a new item."""
        return not self._skipping and not self._value

    @property
    def open(self) -> tuple[int, str] | None:
        """(byte, what) of an item that the file ended in, if any."""
        if self._value:
            return self._open_at, f"value {self._value[:40].decode('latin-1')} without id"
        if self._skipping:
            return self._open_at, f"{self._skipping.decode('latin-1')} without $end"
        return None

    def tokens(self, data: bytes, base: int, start: int = 0, stop: int | None = None) -> tuple[Changes, int]:
        """The changes of ``data[start:]``, which lies at byte ``base`` of the file; and where it stopped.

        ``data`` ends between two tokens. stop: end at the first line end from there on at which the reader is idle.
        """
        rows: list[tuple[int, int, int, int]] = []
        at = start
        for match in _TOKEN.finditer(data, start):
            if stop is not None and self.idle and b"\n" in data[max(at, stop - 1) : match.start()]:
                at = max(at, stop)
                break
            at = match.end()
            self._take(match.group(), base + match.start(), rows)
        else:
            at = len(data)
        self.changes += len(rows)
        return Changes.of(rows, self.words), at

    def _take(self, token: bytes, where: int, rows: list[tuple[int, int, int, int]]) -> None:
        if self._skipping:
            if token == b"$end":
                self._skipping, self._open_at = b"", 0
            return
        if self._value:
            value, self._value, self._open_at = self._value, b"", 0
            self._change(value, token, rows)
            return
        first = token[0]
        if first == ord("#"):
            self._advance(token, where)
        elif first in SCALAR and len(token) > 1:
            self._change(token[:1], token[1:], rows)
        elif first in b"bBrRsS" and len(token) > 1:
            self._value, self._open_at = token, where
        elif first in SCALAR:
            self._note("blank between a value and its id")
            self._value, self._open_at = token, where
        elif token == b"$end":
            pass
        elif token in _BLOCKS:
            self._block(token)
        elif first == ord("$"):
            if token != b"$comment":
                self.unknown[token.decode("latin-1")] += 1
            self._skipping, self._open_at = token, where
        else:
            self.unknown["word that is no change"] += 1
            self._note(f"byte {where}: {token[:40].decode('latin-1')!r} is no change")

    def _block(self, token: bytes) -> None:
        now = self.now
        is_open = bool(self.gaps) and self.gaps[-1][1] is None
        if token == b"$dumpoff" and not is_open:
            self.gaps.append((now, None))
        elif token == b"$dumpon" and is_open:
            self.gaps[-1] = (self.gaps[-1][0], now)

    def _advance(self, token: bytes, where: int) -> None:
        try:
            time = Fraction(token[1:].decode("ascii"))
        except (ValueError, ZeroDivisionError):
            time = Fraction(-1)
        if time < 0 or time.denominator != 1:
            raise NpuscopeError(
                "a time that cannot be read",
                file=self.file,
                offset=where,
                found=token[:40].decode("latin-1"),
                expected="# and a whole number",
            )
        if self.time is not None and time < self.time:
            if not self.allow_backwards:
                raise NpuscopeError(
                    "time goes back",
                    file=self.file,
                    offset=where,
                    found=f"{time} after {self.time}",
                    hint="--allow-backwards takes it as the start of another simulation",
                )
            after = self.now + 1
            self.shift = after + 1 - int(time)
            self.restarts.append((after, after + 1, int(time)))
            if self.gaps and self.gaps[-1][1] is None:
                self.gaps[-1] = (self.gaps[-1][0], after)
        if time + self.shift > MAX_TIME:
            raise NpuscopeError("time over 64 bits", file=self.file, offset=where, found=token[:40].decode("latin-1"))
        self.first_time = int(time) if self.first_time is None else self.first_time
        self.time = int(time)

    def _change(self, value: bytes, identifier: bytes, rows: list[tuple[int, int, int, int]]) -> None:
        code = self.codes.get(identifier)
        if code is None:
            self.undeclared[identifier[:40].decode("latin-1")] += 1
            return
        if code.slot < 0:
            return
        planes = real_planes(value) if code.real else bits_planes(value, code.width)
        if planes is None:
            self.unknown["value that cannot be read"] += 1
            self._note(f"{value[:40].decode('latin-1')!r} is no value of {identifier.decode('latin-1')}")
            return
        rows.append((self.now, code.slot, *planes))

    def _note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < LISTED:
            self.notes.append(text)
