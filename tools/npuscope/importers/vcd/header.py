"""The header of a VCD file: time unit and variables, token by token up to ``$enddefinitions`` (IEEE 1364, 18.2)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Protocol

from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.waveform import Variable

__all__ = ["Bytes", "Header", "read_header"]

READ_BYTES: Final = 1 << 18
LONGEST_COMMAND: Final = 1 << 24
"""Bytes of one header command; a longer one is no header."""
PS: Final = {"s": Fraction(10**12), "ms": Fraction(10**9), "us": Fraction(10**6), "ns": Fraction(1000)} | {
    "ps": Fraction(1),
    "fs": Fraction(1, 1000),
}
_END: Final = re.compile(rb"(?<!\S)\$end(?!\S)")
_TOKEN: Final = re.compile(rb"\s*(\S+)")
_TIMESCALE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|ms|us|ns|ps|fs)", re.I)
_RANGE: Final = re.compile(r"\[\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?\]$")
_BOM: Final = b"\xef\xbb\xbf"


class Bytes(Protocol):
    """What a reader reads from, such as ``npuscope.source.Source``."""

    names: list[str]
    notes: list[str]
    cut: str | None

    def fill(self, buffer: memoryview) -> int:
        """Fill the front of ``buffer``; bytes filled, 0 at the end."""


@dataclass
class Header:
    """unit_ps: picoseconds of one time count, None: not told. variables: in order of the file.

    body: byte at which the body begins; rest: bytes of it already read. unknown: commands not known -> number.
    """

    unit_ps: Fraction | None = None
    variables: list[Variable] = field(default_factory=list)
    body: int = 0
    rest: bytes = b""
    unknown: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def read_header(source: Bytes) -> Header:
    """Read from the start of ``source``; raises NpuscopeError with the byte where the header is cut or no VCD."""
    return _Parser(source).run()


class _Parser:
    def __init__(self, source: Bytes) -> None:
        self.source, self.file = source, source.names[0]
        self.header = Header()
        self.data, self.base, self.at = b"", 0, 0  # base: place of data[0] in the file
        self.ended = False
        self.scopes: list[str] = []
        self.seen: Counter[str] = Counter()

    def run(self) -> Header:
        header = self.header
        self._more()
        if self.data.startswith(_BOM):
            self.at = len(_BOM)
        while (token := self._token()) is not None:
            if token.startswith(b"#"):
                header.notes.append("no $enddefinitions: the body is taken to begin at the first time")
                break
            if not token.startswith(b"$"):
                header.unknown["text outside a command"] += 1
                self.at += len(token)
                continue
            if self._command(token):
                break
        if not header.variables and self.ended and self.at >= len(self.data):
            raise NpuscopeError(
                "the header ends without a variable",
                file=self.file,
                offset=self.base + len(self.data),
                expected="$var ... $end and $enddefinitions $end",
            )
        header.body, header.rest = self.base + self.at, self.data[self.at :]
        return header

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        buffer = bytearray(READ_BYTES)
        got = self.source.fill(memoryview(buffer))
        self.data = self.data[self.at :] + bytes(buffer[:got])
        self.base, self.at = self.base + self.at, 0
        self.ended = not got
        return bool(got)

    def _token(self) -> bytes | None:
        """The next token, whole; ``at`` is moved to its first byte."""
        while True:
            match = _TOKEN.match(self.data, self.at)
            if match and (match.end() < len(self.data) or self.ended):
                self.at = match.start(1)
                return match.group(1)
            if self.ended:
                return None
            if len(self.data) - self.at > LONGEST_COMMAND:
                self._no_vcd("a word that does not end")
            self._more()

    def _command(self, token: bytes) -> bool:
        """Take one command with its text up to ``$end``; True for ``$enddefinitions``."""
        while (end := _END.search(self.data, self.at + len(token))) is None or (
            end.end() == len(self.data) and not self.ended
        ):
            if self.ended:
                raise NpuscopeError(
                    "the header is cut",
                    file=self.file,
                    offset=self.base + len(self.data),
                    found=f"{token.decode('latin-1')} without $end, begun at byte {self.base + self.at}",
                    hint="the file was not written to its end; record it again",
                )
            if len(self.data) - self.at > LONGEST_COMMAND:
                self._no_vcd(f"{token.decode('latin-1')} without $end")
            self._more()
        text = self.data[self.at + len(token) : end.start()].decode("latin-1").split()
        where = self.base + self.at
        self.at = end.end()
        match token:
            case b"$enddefinitions":
                return True
            case b"$scope":
                self.scopes.append(text[-1] if text else "")
            case b"$upscope":
                if self.scopes:
                    self.scopes.pop()
                else:
                    self.header.notes.append(f"$upscope without scope at byte {where}")
            case b"$timescale":
                self._timescale("".join(text), where)
            case b"$var":
                self._variable(text, where)
            case b"$comment" | b"$date" | b"$version" | b"$attrbegin" | b"$attrend":
                pass
            case b"$dumpports" | b"$dumpportson" | b"$dumpportsoff":
                self._extended(where)
            case _:
                self.header.unknown[token.decode("latin-1")] += 1
        return False

    def _timescale(self, text: str, where: int) -> None:
        match = _TIMESCALE.fullmatch(text)
        unit = Fraction(match.group(1)) * PS[match.group(2).lower()] if match else Fraction(0)
        if unit:
            self.header.unit_ps = unit
        else:
            self.header.notes.append(f"$timescale at byte {where} says {text!r}: the time unit is unknown")

    def _variable(self, text: list[str], where: int) -> None:
        if text and text[0] == "port":
            self._extended(where)
        if len(text) < 4 or not text[1].isdigit() or not int(text[1]):
            raise NpuscopeError(
                "a $var that cannot be read",
                file=self.file,
                offset=where,
                found=" ".join(text)[:60],
                expected="$var TYPE WIDTH ID NAME $end",
            )
        kind, width, code, *words = text
        reference = " ".join(words)
        match = _RANGE.search(reference)
        escaped = reference.startswith("\\")
        msb = lsb = None
        if match and match.start() and (not escaped or reference[match.start() - 1] == " "):
            msb = int(match.group(1))
            lsb = int(match.group(2)) if match.group(2) is not None else msb
            if abs(msb - lsb) + 1 == int(width):
                reference = reference[: match.start()].rstrip()
            else:  # an element of an array, or a range that is part of the name
                msb = lsb = None
        if msb is not None and int(width) == 1:
            reference += f"[{msb}]"
        name = ".".join((*self.scopes, reference.removeprefix("\\")))
        self.seen[name] += 1
        if self.seen[name] > 1:
            name += f"#{self.seen[name]}"
        self.header.variables.append(Variable(name, kind.lower(), int(width), code.encode("latin-1"), msb, lsb))

    def _extended(self, where: int) -> None:
        raise NpuscopeError(
            "extended VCD ($dumpports) is not supported",
            file=self.file,
            offset=where,
            hint="record with $dumpvars",
            exit_code=Exit.NOT_RECOGNISED,
        )

    def _no_vcd(self, found: str) -> None:
        raise NpuscopeError("no VCD header", file=self.file, offset=self.base + self.at, found=found)
