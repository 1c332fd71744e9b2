"""VCD files: signals as arrays, in pieces, in memory that does not grow with what is not wanted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import NpuscopeError
from npuscope.importers.vcd.body import Body, Changes, Code
from npuscope.importers.vcd.header import Bytes, Header, read_header
from npuscope.importers.vcd.scan import NEWLINE, Scanner
from npuscope.importers.vcd.skim import Skimmer, can_skim
from npuscope.importers.waveform import WORD, Facts, Signal, Variable, no_such

__all__ = ["VcdReader"]

U8 = npt.NDArray[np.uint64]

_LAST_WORD: Final = re.compile(rb"\S+\Z")
PIECE_BYTES: Final = 1 << 19
SKIM_BYTES: Final = 1 << 20
LOOKED_AT: Final = 1 << 20
"""Bytes of the body that are read line by line whatever is wanted: ids without $var are counted there."""
LONGEST_ITEM: Final = 1 << 26
"""Bytes of one value; a longer one is no VCD."""


class VcdReader:
    """One VCD file, a ``Waveform``. ``header`` is read at once; ``signals`` reads the body, once.

    source: bytes from the start of the file. allow_backwards: a time that goes back begins another simulation.
    scan: False reads token by token, the slow reference. Raises NpuscopeError with the byte in the file.
    """

    def __init__(self, source: Bytes, *, allow_backwards: bool = False, scan: bool = True) -> None:
        self.source, self.allow_backwards, self._scan = source, allow_backwards, scan
        self.file = source.names[0]
        self.header: Header = read_header(source)
        self.unit_ps = self.header.unit_ps
        self.body = Body(source.names[0], {}, allow_backwards=allow_backwards)
        self.size = self.header.body
        self.cut: tuple[int, str] | None = None
        """(byte, what) where the file breaks off in the middle of something."""

    what = "VCD waveform"

    def facts(self) -> Facts:
        """What was met so far."""
        body, header = self.body, self.header
        unknown = dict(header.unknown)
        for what, counts in (("id without $var", body.undeclared), ("", body.unknown)):
            for name, count in counts.items():
                key = f"{what} {name}".strip()
                unknown[key] = unknown.get(key, 0) + count
        return Facts(
            first=body.first_time or 0,
            last=body.time or 0,
            gaps=list(body.gaps),
            changes=body.changes,
            size=self.size,
            cut=self.cut,
            whole=not self.is_cut,
            notes=list(dict.fromkeys([*header.notes, *body.notes, *self.source.notes])),
            unknown=unknown,
        )

    @property
    def is_cut(self) -> bool:
        """Whether the file breaks off, as far as it was read."""
        return self.cut is not None or self.source.cut is not None

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """By name."""
        return {variable.name: variable for variable in self.header.variables}

    def signals(self, names: Iterable[str] | None = None, *, glitches: bool = False) -> dict[str, Signal]:
        """The signals ``names`` (all of them); raises NpuscopeError for a name that is not declared."""
        wanted = list(self.variables) if names is None else list(dict.fromkeys(names))
        for name in wanted:
            if name not in self.variables:
                raise no_such(self.file, name)
        parts = list(self.changes(wanted))
        columns, bounds = _by_slot(parts, len(self._slot), self.body.words)
        found = {}
        for name in wanted:
            variable = self.variables[name]
            slot = self._slot[variable.code]
            found[name] = _signal(variable, columns, slice(bounds[slot], bounds[slot + 1]), glitches=glitches)
        return found

    def changes(self, names: Iterable[str]) -> Iterator[Changes]:
        """Changes of ``names`` as they come; ``slot`` counts their codes in order of first mention."""
        wanted = [self.variables[name] for name in names]
        self._slot = {code: slot for slot, code in enumerate(dict.fromkeys(v.code for v in wanted))}
        codes: dict[bytes, Code] = {}
        for variable in self.header.variables:
            before = codes.get(variable.code, Code(1, -1))
            width = max(before.width, 1 if variable.is_real else variable.width)
            codes[variable.code] = Code(width, self._slot.get(variable.code, -1), variable.is_real)
        words = max((-(-codes[code].width // WORD) for code in self._slot), default=1)
        self.body = Body(self.source.names[0], codes, words, self.allow_backwards)
        scanner = Scanner(self.body)
        skimmer = Skimmer(self.body) if can_skim(codes) else None
        for buffer, size, base in self._pieces(PIECE_BYTES if skimmer is None else SKIM_BYTES):
            if skimmer is not None and self._scan and base - self.header.body >= LOOKED_AT:
                yield from self._skim(skimmer, scanner, buffer, size, base)
                continue
            data = bytes(memoryview(buffer)[:size])
            if self._scan:
                yield from scanner.piece(data, base)
            else:
                yield self.body.tokens(data, base)[0]
        self.cut = self.body.open or self.cut

    def _skim(self, skimmer: Skimmer, scanner: Scanner, buffer: bytearray, size: int, base: int) -> Iterator[Changes]:
        """A piece in blocks of whole lines; those with something odd go by the scanner."""
        at = buffer.find(b"\n", skimmer.room, size) + 1 or size
        yield self.body.tokens(bytes(memoryview(buffer)[:at]), base)[0]
        buf = np.frombuffer(buffer, np.uint8)
        while at < size:
            stop = size if size - at <= skimmer.block_bytes else buffer.rfind(b"\n", at, at + skimmer.block_bytes) + 1
            if not stop:
                stop = buffer.find(b"\n", at, size) + 1 or size
            found = skimmer.skim(buffer, buf, at, stop) if self.body.idle and buf[stop - 1] == NEWLINE else None
            if found is None:
                yield from scanner.piece(bytes(memoryview(buffer)[at:stop]), base + at)
            else:
                yield found
            at = stop

    def _pieces(self, step: int) -> Iterator[tuple[bytearray, int, int]]:
        """The body in pieces that end between two tokens, at a line end if there is one: buffer, bytes in it, base.

        step: bytes read at a time. The buffer is used again.
        """
        filled, base = len(self.header.rest), self.header.body
        buffer = bytearray(self.header.rest).ljust(filled + step)
        while True:
            if len(buffer) < filled + step:
                buffer = buffer.ljust(2 * (filled + step))
            got = self.source.fill(memoryview(buffer)[filled : filled + step])
            if not got:
                break
            filled += got
            end = (
                buffer.rfind(b"\n", 0, filled) + 1 or max(buffer.rfind(b, 0, filled) for b in (b" ", b"\t", b"\r")) + 1
            )
            if end:
                yield buffer, end, base
                buffer[: filled - end] = buffer[end:filled]
                filled, base = filled - end, base + end
            elif filled > LONGEST_ITEM:
                raise NpuscopeError("a word that does not end", file=self.source.names[0], offset=base)
        rest = bytes(buffer[:filled])
        self.size = base + len(rest)
        word = _LAST_WORD.search(rest)
        if word and self._doubtful(word.group()):
            self.cut = (base + word.start(), f"{word.group()[:40].decode('latin-1')!r} at the end may be cut")
            rest = rest[: word.start()]
        if rest:
            yield bytearray(rest), len(rest), base

    def _doubtful(self, word: bytes) -> bool:
        """Whether ``word``, with nothing behind it, can be the front of a longer one."""
        last = word if self.body._value else word[1:]
        return word[:1] in b"#$bBrRsS" or any(code.startswith(last) and code != last for code in self.body.codes)


def _by_slot(parts: list[Changes], slots: int, words: int) -> tuple[tuple[U8, U8, U8], list[int]]:
    """Time, value and unknown of all ``parts``, which are used up, slot by slot; and where each slot begins."""
    counts = [np.bincount(part.slot, minlength=slots) for part in parts]
    bounds = np.concatenate(
        [[0], np.cumsum(np.sum(counts, axis=0, dtype=np.int64) if counts else np.zeros(slots, int))]
    )
    total, place = int(bounds[-1]), bounds[:-1].copy()
    time, value, unknown = np.empty(total, np.uint64), *(np.empty((total, words), np.uint64) for _ in range(2))
    parts.reverse()
    for count in counts:
        part = parts.pop()
        order = np.argsort(part.slot.astype(np.min_scalar_type(slots)), kind="stable")
        at = np.repeat(place - np.cumsum(count) + count, count) + np.arange(len(order))
        time[at], value[at], unknown[at] = part.time[order], part.value[order], part.unknown[order]
        place += count
    return (time, value, unknown), bounds.tolist()


def _signal(variable: Variable, columns: tuple[U8, U8, U8], rows: slice, *, glitches: bool) -> Signal:
    """The rows of a variable, cut to its own width (an id may have names of several widths)."""
    words = -(-variable.width // WORD)
    time, value, unknown = columns[0][rows], columns[1][rows, :words], columns[2][rows, :words]
    if not glitches and len(time):
        last = np.append(time[1:] != time[:-1], True)
        if not last.all():
            time, value, unknown = time[last], value[last], unknown[last]
    if variable.width % WORD and not variable.is_real:
        mask = np.uint64(2 ** (variable.width % WORD) - 1)
        if ((value[:, -1] | unknown[:, -1]) > mask).any():
            value, unknown = value.copy(), unknown.copy()
            value[:, -1] &= mask
            unknown[:, -1] &= mask
    return Signal(variable, time, value, unknown)
