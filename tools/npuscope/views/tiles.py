"""What an AIE trace holds: tiles, their slots with labels, and the spans in which a slot was on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from npuscope.units import count
from npuscope.views.table import table

if TYPE_CHECKING:
    from npuscope.importers.aie import AieTrace, Tile
    from npuscope.importers.aie.labels import Labels

__all__ = ["proposal", "tiles_json", "tiles_text"]


def tiles_json(trace: AieTrace, labels: Labels, *, values: bool) -> dict[str, Any]:
    """Plain dict with stable keys. Cycles count from the first Start of the tile; ``start_timers`` place it.

    values: with the spans, [first cycle, cycle behind the last one, whether the end is not told].
    """
    return {
        "words": trace.words,
        "full": trace.full,
        "bad_headers": trace.bad_headers,
        "empty": trace.empty,
        "cut_packet_words": trace.last_packet,
        "notes": [*trace.notes, *labels.notes, *(note for tile in trace.tiles for note in tile.notes)],
        "tiles": [_tile(tile, labels, values) for tile in trace.tiles],
    }


def _tile(tile: Tile, labels: Labels, values: bool) -> dict[str, Any]:
    first = tile.starts[0] if tile.starts else 0
    found: dict[str, Any] = {
        "unit": tile.unit.name.lower(),
        "row": tile.row,
        "column": tile.column,
        "mode": tile.mode.name.lower(),
        "start_timers": tile.starts,
        "syncs": tile.syncs,
        "last_cycle": None if tile.last is None else tile.last - first,
        "cut": tile.cut,
        "unknown_bytes": tile.unknown,
        "doubtful": [[low - first, None if high is None else high - first] for low, high in tile.doubtful],
        "slots": [],
    }
    relative = tile.relative()
    for slot in range(8):
        spans = relative[relative["slot"] == slot]
        label = labels.name(tile, slot)
        if not len(spans) and label is None:
            continue
        entry: dict[str, Any] = {
            "slot": slot,
            "label": label,
            "spans": len(spans),
            "cycles": int((spans["end"] - spans["start"]).sum()),
            "open": int(np.count_nonzero(spans["open"])),
        }
        if values:
            entry["values"] = [[low, high, is_open] for _, low, high, is_open in spans.tolist()]
        found["slots"].append(entry)
    return found


def tiles_text(trace: AieTrace, labels: Labels, *, values: bool) -> str:
    """A line a slot, or with ``values`` a line a span; cycles count from the first Start of the tile."""
    rows = []
    for tile in trace.tiles:
        relative = tile.relative()
        for slot in range(8):
            spans = relative[relative["slot"] == slot]
            name = labels.shown(tile, slot)
            if values:
                rows += [
                    [tile.name, name, str(low), str(high), "not told" if is_open else ""]
                    for _, low, high, is_open in spans.tolist()
                ]
            elif len(spans) or labels.name(tile, slot):
                cycles = int((spans["end"] - spans["start"]).sum())
                rows.append([tile.name, name, count(len(spans)), count(cycles), "yes" if spans["open"].any() else ""])
    titles = ["tile", "slot", ">from", ">to", "end"] if values else ["tile", "slot", ">spans", ">cycles on", "open"]
    return table(titles, rows) + "\n"


def proposal(trace: AieTrace) -> str:
    """Labels to fill in, for ``--map``."""
    lines = ["floor = 2  # cycles; shorter lock stalls are normal traffic"]
    for tile in trace.tiles:
        used = sorted(set(tile.spans["slot"].tolist()))
        lines += ["", "[[unit]]", f'unit = "{tile.unit.name.lower()}"', f"row = {tile.row}", f"column = {tile.column}"]
        lines.append(f"slots = {['' for _ in range(8)]}  # event names or numbers; in use: {used}".replace("'", '"'))
    return "\n".join([*lines, ""])
