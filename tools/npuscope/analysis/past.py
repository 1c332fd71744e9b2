"""What a part of a recording needs to know of the time before it, when it begins where nothing is in doubt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from npuscope.analysis.refill import Memory

__all__ = ["VAGUE", "Past"]

VAGUE: Final = -2


@dataclass
class Past:
    """Per buffer the hold in force just before the part begins, and what refills remember.

    until: i8, how long it may last. entry: i8, its entry, -1 without one, VAGUE if there may be one. waits: buffer of
    several successors -> since when it waits. The runs that go on are told by the lanes, with their true begins.
    """

    until: npt.NDArray[np.int64]
    entry: npt.NDArray[np.int64]
    waits: dict[int, int] = field(default_factory=dict)
    refills: dict[int, Memory] = field(default_factory=dict)

    @classmethod
    def nothing(cls, size: int) -> Past:
        """Before the recording."""
        return cls(np.full(size, -1), np.full(size, -1))
