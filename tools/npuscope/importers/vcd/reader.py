"""VCD files: signals as arrays, in pieces, in memory that does not grow with what is not wanted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.importers.vcd.body import Body, Changes, Code
from npuscope.importers.vcd.columns import Columns
from npuscope.importers.vcd.header import Bytes, Header, read_header
from npuscope.importers.vcd.scan import ROOM, SPARE, Scanner
from npuscope.importers.waveform import WORD, Facts, Signal, Variable, no_such

__all__ = ["VcdReader"]

_LAST_WORD: Final = re.compile(rb"\S+\Z")
PIECE_BYTES: Final = 1 << 19
LONGEST_ITEM: Final = 1 << 26
"""Bytes of one value; a longer one is no VCD."""


class VcdReader:
    """One VCD file, a ``Waveform``. ``header`` is read at once; ``signals`` reads the body, once.

    source: bytes from the start of the file. allow_backwards: a time that goes back begins another simulation,
    which is put behind the one before.
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
            last=body.now,
            gaps=list(body.gaps),
            restarts=list(body.restarts),
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
        chosen = [self.variables[name] for name in wanted]
        slots = {code: slot for slot, code in enumerate(dict.fromkeys(variable.code for variable in chosen))}
        self._begin(slots)
        columns = Columns(len(slots))
        for changes in self._changes():
            columns.add(changes)
        columns.ends = [end for end, _, _ in self.body.restarts]
        return {
            variable.name: Signal(variable, partial(columns.of, slots[variable.code], variable, glitches=glitches))
            for variable in chosen
        }

    def _begin(self, slots: Mapping[bytes, int]) -> None:
        """Make ready for the body; slots: of the codes that are wanted."""
        codes: dict[bytes, Code] = {}
        for variable in self.header.variables:
            before = codes.get(variable.code, Code(1, -1))
            width = max(before.width, 1 if variable.is_real else variable.width)
            codes[variable.code] = Code(width, slots.get(variable.code, -1), variable.is_real)
        words = max((-(-codes[code].width // WORD) for code in slots), default=1)
        self.body = Body(self.source.names[0], codes, words, self.allow_backwards)

    def _changes(self) -> Iterator[Changes]:
        """Changes of the wanted codes as they come."""
        scanner = Scanner(self.body)
        for buffer, stop, base in self._pieces():
            if self._scan:
                yield from scanner.piece(buffer, ROOM, stop, base)
            else:
                yield self.body.tokens(bytes(memoryview(buffer)[:stop]), base, ROOM)[0]
        self.cut = self.body.open or self.cut

    def _pieces(self) -> Iterator[tuple[bytearray, int, int]]:
        """The body in pieces that end between two tokens, at a line end if there is one: buffer, end of the piece, and
        the byte of the file that the buffer begins at. A piece begins at byte ROOM; the buffer is used again.
        """
        stop, base = ROOM + len(self.header.rest), self.header.body - ROOM
        buffer = bytearray(ROOM) + bytearray(self.header.rest).ljust(len(self.header.rest) + PIECE_BYTES + SPARE)
        while True:
            if len(buffer) < stop + PIECE_BYTES + SPARE:
                buffer = buffer.ljust(2 * (stop + PIECE_BYTES) + SPARE)
            got = self.source.fill(memoryview(buffer)[stop : stop + PIECE_BYTES])
            if not got:
                break
            stop += got
            end = buffer.rfind(b"\n", ROOM, stop) + 1 or max(
                buffer.rfind(white, ROOM, stop) + 1 for white in (b" ", b"\t", b"\r")
            )
            if end:
                yield buffer, end, base
                buffer[ROOM : ROOM + stop - end] = buffer[end:stop]
                stop, base = ROOM + stop - end, base + end - ROOM
            elif stop > LONGEST_ITEM:
                raise NpuscopeError("a word that does not end", file=self.source.names[0], offset=base + ROOM)
        rest = bytes(memoryview(buffer)[ROOM:stop])
        self.size = base + stop
        word = _LAST_WORD.search(rest)
        if word and self._doubtful(word.group()):
            self.cut = (base + ROOM + word.start(), f"{word.group()[:40].decode('latin-1')!r} at the end may be cut")
            stop = ROOM + word.start()
        if stop > ROOM:
            yield buffer, stop, base

    def _doubtful(self, word: bytes) -> bool:
        """Whether ``word``, with nothing behind it, can be the front of a longer one."""
        last = word if self.body._value else word[1:]
        return word[:1] in b"#$bBrRsS" or any(code.startswith(last) and code != last for code in self.body.codes)
