"""From what a buffer held, change by change, to the backpressure records that a probe with a free stream would write.

The rules are those of ``nps_bp_probe`` (FORMAT.md rules 15 to 18) on whole arrays: ENTER at TH_ON, EXIT below TH_OFF,
KNOWN after unknown, DRY at 0, WET from TH_WET on. At most one record a change, in this
priority; it carries occ, which tells what it hides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.encode.mirror import BpLimits, SourceConfig
from npuscope.layout import MAX_LAYERS, PAYLOAD, BpSub, Kind, State

__all__ = ["FLOWING", "FULL", "UNKNOWN", "Rows", "layer_rows", "merge_rows", "start_rows"]

I8 = npt.NDArray[np.int64]

UNKNOWN: Final = -1
"""Occupancy of a buffer whose level is x, z or not recorded."""
FULL: Final = 63
FLOWING: Final = 32
"""Occupancy of what is neither full nor empty and has no level."""
_KEEP: Final = -2
_FIELD: Final = {field.name: field for field in PAYLOAD[Kind.BP, None]}


@dataclass(frozen=True)
class Rows:
    """Records of one source as columns, i8 (n,), in order of time. state: rows that make their layer unknown."""

    time: I8
    kind: I8
    sub: I8
    payload: I8


def start_rows(time: int, layers: int, limits: BpLimits) -> Rows:
    """What a source tells at its start: limits, layers present, layers that can be dry (all)."""
    words = SourceConfig(layers, layers, limits).cfg_words()
    sub = np.array(list(words), np.int64)
    return Rows(
        np.full(len(sub), time), np.full(len(sub), int(Kind.CFG)), sub, np.array(list(words.values()), np.int64)
    )


def layer_rows(time: I8, occupancy: I8, layer: int, limits: BpLimits) -> Rows:
    """Records of one layer; its STATE rows hold the layer's own bit, which ``merge_rows`` makes the source's mask.

    time: ns, i8 (n,), not falling. occupancy: from each time on, 0..63 or UNKNOWN, i8 (n,); before the first: unknown.
    """
    unknown = occupancy == UNKNOWN
    after_unknown = np.concatenate([[True], unknown[:-1]])
    hot_says = np.full(len(time), _KEEP)
    hot_says[(occupancy < limits.th_off) | after_unknown] = 0
    hot_says[occupancy >= limits.th_on] = 1
    hot_says[unknown] = UNKNOWN
    hot, was_hot = _states(hot_says)
    dry_says = np.full(len(time), _KEEP)
    dry_says[(occupancy >= limits.th_wet) | after_unknown] = 0
    dry_says[occupancy == 0] = 1
    dry_says[unknown] = UNKNOWN
    dry, was_dry = _states(dry_says)

    says = np.select(
        [
            (hot == 1) & (was_hot != 1),
            (hot == 0) & (was_hot == 1),
            (hot == 0) & (was_hot == UNKNOWN),
            (dry == 1) & (was_dry != 1),
            (dry == 0) & (was_dry == 1),
        ],
        [BpSub.ENTER, BpSub.EXIT, BpSub.KNOWN, BpSub.DRY, BpSub.WET],
        default=_KEEP,
    )
    index = np.flatnonzero(says != _KEEP)
    sub = says[index]
    peak, dwell = _episodes(time, occupancy, hot == 1, index, sub)
    fields = {"layer": layer, "occ": occupancy[index], "bp_en": hot[index] == 1, "peak": peak}
    fields["dwell"] = np.minimum(dwell >> limits.k, 2 ** _FIELD["dwell"].width - 1)
    payload = np.zeros(len(index), np.int64)
    for name, value in fields.items():
        payload |= np.asarray(value, np.int64) << _FIELD[name].lsb
    lost = np.flatnonzero(unknown & (was_hot != UNKNOWN))
    rows = Rows(
        np.concatenate([time[index], time[lost]]),
        np.repeat([int(Kind.BP), int(Kind.STATE)], [len(index), len(lost)]),
        np.concatenate([sub, np.full(len(lost), int(State.UNKNOWN))]),
        np.concatenate([payload, np.full(len(lost), 1 << layer)]),
    )
    return _take(rows, np.argsort(rows.time, kind="stable"))


def merge_rows(parts: list[Rows]) -> Rows:
    """All rows of a source in order of time; STATE rows get the mask of all layers unknown at that place."""
    joined = Rows(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("time", "kind", "sub", "payload"))
    )
    rows = _take(joined, np.argsort(joined.time, kind="stable"))
    mask = 0
    for place in np.flatnonzero((rows.kind == Kind.STATE) | _ends_unknown(rows)).tolist():
        if rows.kind[place] == Kind.STATE:
            mask |= int(rows.payload[place])
            rows.payload[place] = mask
        else:
            mask &= ~(1 << int(rows.payload[place]) % MAX_LAYERS)
    return rows


def _ends_unknown(rows: Rows) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = np.isin(rows.sub, (BpSub.ENTER, BpSub.KNOWN)) & (rows.kind == Kind.BP)
    return found


def _take(rows: Rows, order: npt.NDArray[np.intp]) -> Rows:
    return Rows(rows.time[order], rows.kind[order], rows.sub[order], rows.payload[order])


def _states(says: I8) -> tuple[I8, I8]:
    """State after and before each event: what was said last, UNKNOWN at first."""
    last = np.maximum.accumulate(np.where(says == _KEEP, -1, np.arange(len(says))))
    after = np.where(last < 0, UNKNOWN, says[last])
    return after, np.concatenate([[UNKNOWN], after[:-1]])


def _episodes(
    time: I8, occupancy: I8, hot: npt.NDArray[np.bool_], index: npt.NDArray[np.intp], sub: I8
) -> tuple[I8, I8]:
    """(peak, dwell ns) of each row: of the episode so far for EXIT, else the sample's own and 0."""
    peak, dwell = occupancy[index].copy(), np.zeros(len(index), np.int64)
    leave = np.flatnonzero(sub == BpSub.EXIT)
    if len(leave):
        starts = np.flatnonzero(hot & ~np.concatenate([[False], hot[:-1]]))
        begin = starts[np.searchsorted(starts, index[leave], side="right") - 1]
        bounds = np.stack([begin, index[leave]], axis=1).ravel()
        peak[leave] = np.maximum.reduceat(occupancy, bounds)[::2]
        dwell[leave] = time[index[leave]] - time[begin]
    return peak, dwell
