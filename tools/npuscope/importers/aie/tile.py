"""What an AIE trace says of one trace unit of one tile."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["SLOTS", "SPAN", "Mode", "Tile", "Unit"]

Spans = npt.NDArray[np.void]

SLOTS: Final = 8
SPAN: Final = np.dtype([("slot", "u1"), ("start", "i8"), ("end", "i8"), ("open", "?")])
"""A slot was on in cycles [start, end) of its unit's time. open: still on at the last cycle the dump tells."""


class Unit(IntEnum):
    """Packet type: the trace unit of a tile."""

    CORE = 0
    CORE_MEMORY = 1
    SHIM = 2
    MEMTILE = 3


class Mode(IntEnum):
    """Low two bits of Start."""

    EVENT_TIME = 0
    EVENT_PC = 1
    EXECUTION = 2
    RESERVED = 3


@dataclass(eq=False)
class Tile:
    """One trace unit. Times are timer values of the array, cycles; ``starts[0]`` is its first Start's.

    spans: dtype SPAN, in order of slot and time. last: last cycle told, None before the first Start; segments: [Start,
    last cycle told] of each Start. cut: its payload ends inside a command, or its last packet is not whole. unknown:
    bytes that are no command. mode: of the last Start. doubtful: [from, to) cycles whose times a dropped packet may
    have moved, to None: up to the end.
    """

    unit: Unit
    row: int
    column: int
    starts: list[int] = field(default_factory=list)
    syncs: int = 0
    spans: Spans = field(default_factory=lambda: np.empty(0, SPAN))
    last: int | None = None
    segments: list[tuple[int, int]] = field(default_factory=list)
    cut: bool = False
    unknown: int = 0
    before_start: int = 0
    mode: Mode = Mode.EVENT_TIME
    doubtful: list[tuple[int, int | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Such as ``core(2,1)``: unit, row and column, all physical."""
        return f"{self.unit.name.lower()}({self.row},{self.column})"

    def relative(self) -> Spans:
        """The spans with times relative to the first Start."""
        spans = self.spans.copy()
        for name in ("start", "end"):
            spans[name] -= self.starts[0] if self.starts else 0
        return spans
