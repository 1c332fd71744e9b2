"""What every reader of waveforms gives: variables, signals as arrays, and what was met on the way.

A value has two planes, as in VPI: ``value`` and ``unknown``. A bit is 0 or 1 where ``unknown`` is 0; x is (0, 1), z is
(1, 1). Words are 64 bits, lowest first. A real value is the bits of its double, a text the index in ``Signal.texts``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from npuscope.errors import NpuscopeError

__all__ = ["WORD", "Facts", "Joined", "Signal", "Variable", "Waveform", "ints_of", "no_such"]

U8 = npt.NDArray[np.uint64]

WORD: Final = 64
TEXT: Final = "text"
_GAP: Final = re.compile(r"(?:^|[./])_GAP$")
_BIT: Final = re.compile(r"(.+)\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Variable:
    """name: scopes and reference, joined by dots, unique (``#2`` on a second one of the same name).

    kind: its type word (wire, reg, real, ...), ``text``, or ``joined`` for a bus whose bits are variables. width: bits.
    code: identifier in a VCD body; several variables may share one. msb, lsb: declared range, None without one.
    """

    name: str
    kind: str
    width: int
    code: bytes = b""
    msb: int | None = None
    lsb: int | None = None

    @property
    def is_real(self) -> bool:
        """Whether its values are floating point."""
        return self.kind.startswith("real")


@dataclass(frozen=True)
class Signal:
    """What one variable did. time: u8 (n,), counts, rising. value, unknown: u8 (n, words).

    Of several changes at one time the last one is kept, unless glitches were asked for. load: makes the three columns
    when one of them is first asked for.
    """

    variable: Variable
    load: Callable[[], tuple[U8, U8, U8]]
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, variable: Variable, time: U8, value: U8, unknown: U8, texts: tuple[str, ...] = ()) -> Signal:
        """Of columns that are there."""
        return cls(variable, lambda: (time, value, unknown), texts)

    @cached_property
    def _columns(self) -> tuple[U8, U8, U8]:
        return self.load()

    @property
    def time(self) -> U8:
        """When."""
        return self._columns[0]

    @property
    def value(self) -> U8:
        """The plane of values."""
        return self._columns[1]

    @property
    def unknown(self) -> U8:
        """The plane that tells x and z."""
        return self._columns[2]

    def ints(self) -> npt.NDArray[np.int64]:
        """Values as i8 (n,), -1 where a bit is x or z; raises ValueError for a width over 63 bits."""
        if self.variable.width >= WORD:
            raise ValueError(f"{self.variable.name} has {self.variable.width} bits")
        return np.where(self.unknown[:, 0] != 0, -1, self.value[:, 0].astype(np.int64))

    def reals(self) -> npt.NDArray[np.float64]:
        """Values of a real variable, f8 (n,)."""
        return self.value[:, 0].copy().view(np.float64)


@dataclass
class Facts:
    """What a reader met. first, last: counts. gaps: [from, to) not recorded, to None: up to the end.

    restarts: (count after the last one before, first count behind, what the file says for that) where another
    simulation begins.
    changes: of the signals asked for, or samples. size: bytes in all. cut: (byte, what) where the file breaks off.
    whole: nothing says that it does. unknown: what was not understood -> how often.
    """

    first: int = 0
    last: int = 0
    gaps: list[tuple[int, int | None]] = field(default_factory=list)
    restarts: list[tuple[int, int, int]] = field(default_factory=list)
    changes: int = 0
    size: int = 0
    cut: tuple[int, str] | None = None
    whole: bool = True
    notes: list[str] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)


class Waveform(Protocol):
    """One file. file: its name; what: its format; unit_ps: picoseconds of one count, None: not told.

    ``signals`` reads the body, once; ``facts`` is complete behind it.
    """

    file: str
    what: str
    unit_ps: Fraction | None

    @property
    def variables(self) -> Mapping[str, Variable]:
        """By name, in order of the file."""

    def signals(self, names: Iterable[str]) -> dict[str, Signal]:
        """The signals ``names``; raises NpuscopeError for one that is not there."""

    def facts(self) -> Facts:
        """What was met so far."""


def no_such(file: str, name: str) -> NpuscopeError:
    """The error for a name that no variable has."""
    return NpuscopeError("no such signal", file=file, found=name, hint="npuscope signals lists them")


def ints_of(signal: Signal, file: str) -> npt.NDArray[np.int64]:
    """``Signal.ints``, or an NpuscopeError that says why there are none."""
    variable = signal.variable
    if variable.kind == TEXT or variable.is_real:
        raise NpuscopeError("no number of bits", file=file, found=f"{variable.name} is {variable.kind}")
    if variable.width >= WORD:
        raise NpuscopeError("too wide for a level", file=file, found=f"{variable.name}: {variable.width} bits")
    return signal.ints()


class Joined:
    """A waveform with buses joined whose bits ``q[0]``, ``q[1]``, ... are variables of their own; those stay as well.

    The VCD of a Vivado ILA says in ``_GAP`` where windows are apart: not recorded.
    """

    def __init__(self, inner: Waveform) -> None:
        self.inner = inner
        self.file, self.what, self.unit_ps = inner.file, inner.what, inner.unit_ps
        self._bits = _buses(inner.variables)
        self._gaps = [n for n, v in inner.variables.items() if v.width == 1 and _GAP.search(n)]
        if self._gaps:
            self.unit_ps = None
        self._absent: list[tuple[int, int | None]] = []
        names: dict[str, Variable] = {}
        for name, variable in inner.variables.items():
            match = _BIT.fullmatch(name)
            if match and match[1] in self._bits:
                names.setdefault(match[1], Variable(match[1], "joined", len(self._bits[match[1]])))
            names[name] = variable
        self.variables = names

    def facts(self) -> Facts:
        """Of the waveform."""
        facts = self.inner.facts()
        facts.gaps = sorted({*facts.gaps, *self._absent}, key=lambda gap: gap[0])
        if self._gaps:
            facts.notes.append("VCD of an ILA: its time unit is nominal, see --clock-period")
        return facts

    def signals(self, names: Iterable[str]) -> dict[str, Signal]:
        """As of the waveform, joined buses made of their bits."""
        wanted = list(dict.fromkeys(names))
        needed = [bit for name in wanted for bit in self._bits.get(name, [name])]
        found = self.inner.signals(dict.fromkeys([*needed, *self._gaps]))
        for name in self._gaps:
            self._absent += _where_one(found[name])
        return {
            name: _join(self.variables[name], [found[bit] for bit in self._bits[name]])
            if name in self._bits
            else found[name]
            for name in wanted
        }


def _buses(variables: Mapping[str, Variable]) -> dict[str, list[str]]:
    """Bus name -> names of its bits, lowest first: two or more, no number missing."""
    found: dict[str, dict[int, str]] = {}
    for name, variable in variables.items():
        match = _BIT.fullmatch(name)
        if match and variable.width == 1 and not variable.is_real and match[1] not in variables:
            found.setdefault(match[1], {})[int(match[2])] = name
    return {
        base: [bits[i] for i in sorted(bits)]
        for base, bits in found.items()
        if len(bits) > 1 and max(bits) - min(bits) + 1 == len(bits)
    }


def _where_one(signal: Signal) -> list[tuple[int, int | None]]:
    """[from, to) counts in which a bit is 1; to None: up to the end."""
    one = (signal.value[:, 0] == 1) & (signal.unknown[:, 0] == 0)
    edges = np.diff(one.astype(np.int8), prepend=0)
    starts, ends = signal.time[edges == 1].tolist(), signal.time[edges == -1].tolist()
    return list(zip(starts, [*ends, None][: len(starts)], strict=True))


def _join(variable: Variable, bits: Sequence[Signal]) -> Signal:
    """The bus of ``bits``, lowest first; before a bit was told it is x."""
    time = np.unique(np.concatenate([bit.time for bit in bits]))
    words = -(-len(bits) // WORD)
    value, unknown = np.zeros((len(time), words), np.uint64), np.zeros((len(time), words), np.uint64)
    for place, bit in enumerate(bits):
        index = np.searchsorted(bit.time, time, side="right") - 1
        word, shift = divmod(place, WORD)
        told = index >= 0
        if len(bit.time):
            value[told, word] |= bit.value[index[told], 0] << np.uint64(shift)
            unknown[told, word] |= bit.unknown[index[told], 0] << np.uint64(shift)
        unknown[~told, word] |= np.uint64(1 << shift)
    return Signal.of(replace(variable), time, value, unknown)
