"""Changes of all pieces by slot, small until a signal is asked for: four bytes of time and a character a change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from npuscope.importers.vcd.body import Changes
from npuscope.importers.vcd.planes import low_ones, scalar_planes
from npuscope.importers.waveform import WORD, Variable

__all__ = ["Columns"]

U1 = npt.NDArray[np.uint8]
U4 = npt.NDArray[np.uint32]
U8 = npt.NDArray[np.uint64]
I8 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Part:
    """Of one piece, by slot: at, digit of the rows; value, unknown of those with a value. times: how many before."""

    at: U4
    digit: U1
    value: U8
    unknown: U8
    times: int


class Columns:
    """slots: how many."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self.ends: list[int] = []
        """Times behind the last one of a simulation that another one follows: there a signal becomes x."""
        self._parts: list[_Part] = []
        self._times: list[U8] = []
        self._bounds: list[I8] = []  # of the rows of each slot, and of those with a value
        self._wide_bounds: list[I8] = []
        self._count = 0

    def add(self, changes: Changes) -> None:
        """Take the next ones."""
        order, bounds = self._sorted(changes.slot)
        wide, wide_bounds = self._sorted(changes.slot[changes.wide])
        self._parts.append(
            _Part(
                changes.at.take(order),
                changes.digit.take(order),
                changes.value[wide],
                changes.unknown[wide],
                self._count,
            )
        )
        self._bounds.append(bounds)
        self._wide_bounds.append(wide_bounds)
        self._times.append(changes.times)
        self._count += len(changes.times)

    def _sorted(self, slot: npt.NDArray[np.integer]) -> tuple[I8, I8]:
        """The rows of each slot one behind the other, and where each slot begins and ends."""
        bounds = np.zeros(self._slots + 1, np.int64)
        np.cumsum(np.bincount(slot, minlength=self._slots)[: self._slots], out=bounds[1:])
        return np.argsort(slot, kind="stable")[: bounds[-1]], bounds

    @cached_property
    def _every_time(self) -> U8:
        return np.concatenate([np.empty(0, np.uint64), *self._times])

    @cached_property
    def _every_bound(self) -> tuple[I8, I8]:
        """(slots + 1, parts), of the rows and of those with a value."""
        shape = -1, self._slots + 1
        return (
            np.array(self._bounds, np.int64).reshape(shape).T.copy(),
            np.array(self._wide_bounds, np.int64).reshape(shape).T.copy(),
        )

    def of(self, slot: int, variable: Variable, *, glitches: bool) -> tuple[U8, U8, U8]:
        """Time, value and unknown of a variable of a slot, cut to its own width (an id may have several)."""
        words = -(-variable.width // WORD)
        bounds, wide_bounds = self._every_bound
        low, high = bounds[slot].tolist(), bounds[slot + 1].tolist()
        pieces = [(part, a, b) for part, a, b in zip(self._parts, low, high, strict=True) if a < b]
        if not pieces:
            return np.empty(0, np.uint64), np.empty((0, words), np.uint64), np.empty((0, words), np.uint64)
        at = np.concatenate([part.at[a:b] for part, a, b in pieces]).astype(np.int64)
        at += np.repeat([part.times for part, _, _ in pieces], [b - a for _, a, b in pieces])
        time = self._every_time[at]
        digit = np.concatenate([part.digit[a:b] for part, a, b in pieces])
        low, high = wide_bounds[slot].tolist(), wide_bounds[slot + 1].tolist()
        wide = [(part, a, b) for part, a, b in zip(self._parts, low, high, strict=True) if a < b]
        value, unknown = self._planes(digit, wide, variable, words)
        if not glitches:
            last = np.append(time[1:] != time[:-1], True)
            if not last.all():
                time, value, unknown = time[last], value[last], unknown[last]
        if self.ends and not variable.is_real:
            ends = np.array(self.ends, np.uint64)
            place = np.searchsorted(time, ends)
            width = np.array([variable.width - WORD * word for word in range(words)])
            time, value = np.insert(time, place, ends), np.insert(value, place, np.uint64(0), axis=0)
            unknown = np.insert(unknown, place, low_ones(np.clip(width, 0, WORD)), axis=0)
        return time, value, unknown

    def _planes(self, digit: U1, wide: list[tuple[_Part, int, int]], variable: Variable, words: int) -> tuple[U8, U8]:
        values = (
            [np.concatenate([getattr(part, name)[a:b, :words] for part, a, b in wide]) for name in ("value", "unknown")]
            if wide
            else []
        )
        total = sum(b - a for _, a, b in wide)
        if total == len(digit):
            value, unknown = values
        else:
            value, unknown = (np.zeros((len(digit), words), np.uint64) for _ in range(2))
            value[:, 0], unknown[:, 0] = scalar_planes(digit)
            if variable.width > 1:
                self._fill(value, unknown, variable.width)
            if wide:
                rows = np.flatnonzero((digit | np.uint8(0x20)) == ord("b"))
                value[rows], unknown[rows] = values
        if variable.width % WORD and not variable.is_real and total:
            mask = np.uint64(2 ** (variable.width % WORD) - 1)
            value[:, -1] &= mask
            unknown[:, -1] &= mask
        return value, unknown

    def _fill(self, value: U8, unknown: U8, width: int) -> None:
        """A scalar x or z fills the vector."""
        rows = np.flatnonzero(unknown[:, 0])
        is_z = value[rows, 0] == 1
        for word in range(value.shape[1]):
            mask = low_ones(np.clip(np.array([width - word * WORD]), 0, WORD))[0]
            unknown[rows, word] = mask
            value[rows, word] = np.where(is_z, mask, np.uint64(0))
