"""Logic analysers as CSV: a Vivado ILA export, a LiteScope dump. A row is a sample, the time its number.

ILA: a row of names, a row ``Radix - UNSIGNED,HEX,...``, samples; several windows in one file are one behind the other,
with a gap of one sample, because nobody knows how long it was. Columns that are no number are texts (enumerations).
LiteScope: a row of names, a row of widths, samples in binary; every row ends with a comma.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.waveform import TEXT, WORD, Facts, Signal, Variable, no_such
from npuscope.source import Source

__all__ = ["SampleReader"]

READ_BYTES: Final = 1 << 20
WINDOW: Final = "Sample in Window"
BUFFER: Final = "Sample in Buffer"
MAX_SAMPLES: Final = 1 << 24
"""Far deeper than any ILA: a higher number is no place in a window."""
_RADIX: Final = re.compile(r"\s*radix\s*-\s*", re.I)
_WIDTH: Final = re.compile("[1-9][0-9]{0,4}")
_RANGE: Final = re.compile(r"\[\s*(\d+)\s*(?::\s*(\d+)\s*)?\]\s*$")
BASES: Final = {"HEX": 16, "HEXADECIMAL": 16, "BINARY": 2, "BIN": 2, "OCTAL": 8, "UNSIGNED": 10, "SIGNED": 10}
_DIGIT_BITS: Final = {16: 4, 8: 3, 2: 1}


class SampleReader:
    """One CSV file, read at once. source: opened with ``accept=("ila", "litescope")``. unit_ps: of one sample."""

    unit_ps: Fraction | None = None

    def __init__(self, source: Source) -> None:
        self.source, self.file = source, source.names[0]
        self.what = "Vivado ILA CSV" if source.head_kind == "ila" else "LiteScope CSV"
        self._facts = Facts()
        text = self._read()
        lines = text.splitlines(keepends=True)
        try:
            self._rows = list(csv.reader(lines, skipinitialspace=True))
        except csv.Error as error:
            raise NpuscopeError("no CSV", file=self.file, found=str(error)) from None
        if len(self._rows) < 2:
            raise NpuscopeError("no second row", file=self.file, expected="names, then radix or widths")
        names = [name.strip() for name in self._rows[0]]
        if source.head_kind == "ila":
            self._bases = self._radix(self._rows[1], len(names))
            self._variables = _unique(_variable(name) for name in names)
        else:
            names, widths = names[:-1], [width.strip() for width in self._rows[1][: len(names) - 1]]
            if len(widths) != len(names) or not all(_WIDTH.fullmatch(width) for width in widths):
                found = ",".join(widths)[:60]
                raise NpuscopeError("the second row is no row of widths", file=self.file, found=found,
                                    expected=f"{len(names)} numbers of bits")  # fmt: skip
            self._bases = [2] * len(names)
            self._variables = _unique(
                Variable(name, "wire", int(width)) for name, width in zip(names, widths, strict=True)
            )
        self._column = {variable.name: i for i, variable in enumerate(self._variables)}
        self._time, self._samples = self._take(lines)

    def _read(self) -> str:
        data, buffer = bytearray(), bytearray(READ_BYTES)
        while got := self.source.fill(memoryview(buffer)):
            data += buffer[:got]
        self._facts.size = len(data)
        text = data.decode("utf-8-sig", errors="replace")
        if not text.endswith(("\n", "\r")):
            # without a line end the last row may be the front of a longer one
            rest = text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
            if text.count("\n") < 2 or _cells(rest) < _cells(text.partition("\n")[0]):
                self._facts.cut = (len(data) - len(rest.encode()), f"row {rest[:40]!r} at the end is cut")
                text = text[: len(text) - len(rest)]
        return text

    def _radix(self, row: list[str], count: int) -> list[int | None]:
        words = [_RADIX.sub("", word).strip().upper() for word in row]
        if len(words) != count:
            raise NpuscopeError("the radix row does not fit the names", file=self.file, found=f"{len(words)} columns",
                                expected=str(count))  # fmt: skip
        return [BASES.get(word) for word in words]

    def _take(self, lines: list[str]) -> tuple[list[int], list[list[str]]]:
        """Time and cells of each sample; finds the windows, leaves out rows that do not fit."""
        facts, names = self._facts, [variable.name for variable in self._variables]
        window = names.index(WINDOW) if WINDOW in names else None
        times: list[int] = []
        samples: list[list[str]] = []
        time, before, windows, left_out = 0, -1, 1, 0
        for number, row in enumerate(self._rows[2:], 3):
            cells = row[: len(names)]
            if not any(cell.strip() for cell in row):
                continue
            if len(cells) < len(names) or len(row) > len(names) + 1:
                facts.unknown["row of another length"] = facts.unknown.get("row of another length", 0) + 1
                facts.gaps.append((time, time + 1))
                facts.notes.append(f"line {number} has {len(row)} columns, not {len(names)}: left out")
                time += 1
                left_out += 1
                continue
            if window is not None:
                try:
                    place = int(cells[window])
                except ValueError:
                    place = before + 1
                if place <= before:
                    windows += 1
                    facts.gaps.append((time, time + 1))
                    time += 1
                elif samples and (lost := place - before - 1 - left_out) > 0 and place < MAX_SAMPLES:
                    facts.unknown["missing row"] = facts.unknown.get("missing row", 0) + lost
                    facts.gaps.append((time, time + lost))
                    facts.notes.append(
                        f"line {number} is sample {place} of its window: {lost} rows before it are missing"
                    )
                    time += lost
                before, left_out = place, 0
            times.append(time)
            samples.append(cells)
            time += 1
        if not samples:
            raise NpuscopeError("no sample in it", file=self.file, exit_code=Exit.USAGE)
        if windows > 1:
            facts.notes.append(f"{windows} windows: how long it was between them is not known, shown as one sample")
        facts.last, facts.changes = time, len(samples)
        facts.whole = facts.cut is None and self.source.cut is None
        facts.notes += self.source.notes
        return times, samples

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """By name; a column that holds anything but numbers is a text, one without range as wide as it needs."""
        return {variable.name: self._measured(variable) for variable in self._variables}

    def _measured(self, variable: Variable) -> Variable:
        column = self._column[variable.name]
        base = self._bases[column]
        values = {cells[column].strip() for cells in self._samples}
        if base is None or not all(_planes(text, base, variable.width) for text in values):
            return Variable(variable.name, TEXT, max(1, (len(values) - 1).bit_length()))
        if variable.msb is None and variable.kind == "wire" and self.source.head_kind == "ila":
            width = max((plane[0].bit_length() for text in values if (plane := _planes(text, base, WORD))), default=1)
            return Variable(variable.name, "wire", max(1, width))
        return variable

    def signals(self, names: Iterable[str]) -> dict[str, Signal]:
        """The signals ``names``: a value where it differs from that of the sample before, or behind a gap."""
        wanted = list(dict.fromkeys(names))
        for name in wanted:
            if name not in self.variables:
                raise no_such(self.file, name)
        return {name: self._signal(self.variables[name]) for name in wanted}

    def _signal(self, variable: Variable) -> Signal:
        column = self._column[variable.name]
        texts = [cells[column].strip() for cells in self._samples]
        gaps = {high for _, high in self._facts.gaps}
        changes = [i for i, text in enumerate(texts) if not i or text != texts[i - 1] or self._time[i] in gaps]
        table: dict[str, tuple[int, int]] = {}
        base = self._bases[column]
        for text in dict.fromkeys(texts[i] for i in changes):
            planes = None if variable.kind == TEXT else _planes(text, base or 10, variable.width)
            table[text] = (len(table), 0) if planes is None else planes
        words, mask = -(-variable.width // WORD), 2**WORD - 1
        rows = np.array(
            [[plane >> WORD * w & mask for w in range(words)] for i in changes for plane in table[texts[i]]], np.uint64
        ).reshape(-1, 2, words)
        time = np.array([self._time[i] for i in changes], np.uint64)
        return Signal.of(variable, time, rows[:, 0], rows[:, 1], tuple(table) if variable.kind == TEXT else ())

    def facts(self) -> Facts:
        """What was met."""
        return self._facts


def _cells(line: str) -> int:
    return len(next(csv.reader(line.splitlines()), []))


def _variable(name: str) -> Variable:
    match = _RANGE.search(name)
    if match is None:
        return Variable(name, "wire", 1)
    msb = int(match[1])
    lsb = int(match[2]) if match[2] else msb
    base = name[: match.start()].rstrip()
    return Variable(base if match[2] else name, "wire", abs(msb - lsb) + 1, b"", msb, lsb)


def _unique(variables: Iterable[Variable]) -> list[Variable]:
    found: dict[str, int] = {}
    return list(_numbered(variables, found))


def _numbered(variables: Iterable[Variable], found: dict[str, int]) -> Iterator[Variable]:
    for each in variables:
        found[each.name] = found.get(each.name, 0) + 1
        name = each.name if found[each.name] == 1 else f"{each.name}#{found[each.name]}"
        yield Variable(name, each.kind, each.width, each.code, each.msb, each.lsb)


def _planes(text: str, base: int, width: int) -> tuple[int, int] | None:
    """(value, unknown) of a cell, None if it is no number of that base."""
    digits = text.lower().replace("_", "").removeprefix("0x" if base == 16 else "0b" if base == 2 else "")
    mask = (1 << width) - 1
    try:
        return int(digits, base) & mask, 0
    except ValueError:
        pass
    if not digits or set(digits) - set("0123456789abcdefxz"[: base if base <= 16 else 16] + "xz"):
        return None
    if base == 10:
        return (0 if digits[0] == "x" else mask, mask) if set(digits) <= {"x", "z"} else None
    bits = _DIGIT_BITS[base]
    value = unknown = 0
    for digit in digits:
        full = (1 << bits) - 1
        plane = {"x": (0, full), "z": (full, full)}.get(digit) or (int(digit, base), 0)
        value, unknown = value << bits | plane[0], unknown << bits | plane[1]
    return value & mask, unknown & mask
