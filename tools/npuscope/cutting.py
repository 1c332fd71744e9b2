"""Where a recording is cut into stretches (see ``stretches``), and which of them look regular."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import SRC_FRAMER, BpSub, Cfg, Kind, State, SyncSub
from npuscope.replay import Columns

__all__ = ["STATES", "WORDS", "masks", "stretches"]

U1 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

CHUNK: Final = 1 << 15
"""Records of a regular stretch at most: so many stay in the cache."""
FEW: Final = 128
"""Regular records between two irregular ones that do not pay for a stretch of their own."""
_HIGH, _LOW = np.uint8(4), np.uint8(0xF)
STATES: Final = tuple(Kind.STATE | sub << 4 for sub in (State.HOT, State.BP_EN, State.UNKNOWN, State.DRY))
"""kindsub of the words of a keyframe, in order."""
WORDS: Final = (Cfg.BP_LIMITS, Cfg.LAYERS, Cfg.DRY_MASK)
"""CFG words that a regular stretch may repeat."""


def _table(codes: list[int]) -> Bools:
    table = np.zeros(256, np.bool_)
    table[codes] = True
    return table


_OWN: Final = _table([Kind.BP | sub << 4 for sub in (BpSub.ENTER, BpSub.EXIT, BpSub.DRY, BpSub.WET)])
_END: Final = np.uint8(Kind.SYNC | SyncSub.END << 4)
_REGULAR: Final = _OWN | _table([*STATES, *(Kind.CFG | word << 4 for word in WORDS)])
_BURST: Final = np.isin(np.arange(256) & 0xF, (Kind.LOSS, Kind.CLK))


def masks(rows: npt.NDArray[np.void], code: U1) -> dict[int, tuple[int, int]]:
    """Layers that each source has, and those of them that tell DRY; empty if not all tell both, and always the same."""
    found: dict[int, tuple[int, int]] = {}
    sources = np.unique(np.flatnonzero(np.bincount(rows["srctq"], minlength=256)) & SRC_FRAMER).tolist()
    told = Columns.of(rows[np.flatnonzero(code & _LOW == Kind.CFG)])
    src, word, payload = told.src, told.code >> _HIGH, told.payload
    for source in sources:
        words = [np.unique(payload[(src == source) & (word == index)]) for index in (Cfg.LAYERS, Cfg.DRY_MASK)]
        if all(len(values) == 1 for values in words):
            found[source] = int(words[0][0]), int(words[1][0])
        elif source != SRC_FRAMER:
            return {}
    return found


def stretches(rows: npt.NDArray[np.void], code: U1, holes: list[int]) -> list[tuple[int, int, bool]]:
    """(first record, behind the last, regular) of the stretches, in order.

    They are cut where no time before is later than one behind, in front of the keyframe of a group.
    """
    ts, count = rows["ts"], len(rows)
    odd = ~_REGULAR[code]
    cuts = np.flatnonzero(code == STATES[0])
    cuts = cuts[(cuts > 0) & ~_BURST[code[cuts - 1]]]
    falls = np.flatnonzero(ts[1:] < ts[:-1]) + 1
    if len(falls):
        odd[falls] = True
        latest, earliest = np.maximum.accumulate(ts), np.minimum.accumulate(ts[::-1])[::-1]
        cuts = cuts[latest[cuts - 1] <= earliest[cuts]]
    cuts = cuts[~np.isin(cuts, holes)]
    odd[np.minimum(np.asarray(holes, np.int64), count - 1)] = True
    places = np.concatenate([[-1], np.flatnonzero(odd), [count]])
    wide = np.flatnonzero(np.diff(places) > FEW)
    found, reached = [], 0
    for low, high in zip(places[wide].tolist(), places[wide + 1].tolist(), strict=True):
        mine = cuts[
            np.searchsorted(cuts, low, side="right") : np.searchsorted(cuts, min(high, count - 1), side="right")
        ]
        if len(mine) < 2 or mine[-1] - mine[0] < FEW:
            continue
        begin, end = int(mine[0]), int(mine[-1])
        if (
            high == count - 1
            and code[high] == _END
            and rows["srctq"][high] & SRC_FRAMER == SRC_FRAMER
            and high not in holes
        ):
            end = high
        inner = np.append(mine, end)[np.searchsorted(mine, np.arange(begin + CHUNK, end, CHUNK))]
        borders = np.unique([begin, *inner.tolist(), end]).tolist()
        found += [(reached, begin, False)] if reached < begin else []
        found += [(first, last, True) for first, last in pairwise(borders)]
        reached = end
    return [*found, (reached, count, False)]
