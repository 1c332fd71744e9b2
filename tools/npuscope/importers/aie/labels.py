"""What the slots of a trace unit count: from a small TOML, or from the MLIR text of the design.

The TOML::

    column_shift = 1                       # physical = design column + this; left out: the one that fits, else 0
    floor = 2                              # cycles; shorter lock stalls are normal traffic

    [[unit]]
    unit = "core"                          # core_memory, shim, memtile
    row = 2
    column = 0
    slots = ["LOCK_STALL", "PORT_RUNNING_0", 37]   # names, or event numbers of the hardware
    words = { PORT_RUNNING_0 = 2048 }      # what the port should have moved, checked

In MLIR the writes to the registers Trace_Event0 and 1 tell the same (``npu.write32`` with its attributes in braces, as
an operation of the dialect or in the generic form), or the events of an ``aie.trace`` block by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from npuscope.errors import NpuscopeError
from npuscope.importers.aie.tile import SLOTS, Tile, Unit
from npuscope.importers.toml import integer, load, refuse_unknown

__all__ = ["FLOOR", "Labels", "Place", "is_lock_stall", "is_stall", "is_starved", "read_labels", "waits_for"]

Place = tuple[Unit, int, int]
"""Unit, row, column."""

FLOOR: Final = 2
MAX_BYTES: Final = 64 << 20
_EVENT0: Final = {0x340E0: Unit.CORE, 0x140E0: Unit.CORE_MEMORY, 0x940E0: Unit.MEMTILE}
"""Address of Trace_Event0 in a tile; Trace_Event1 is the next word. In row 0 the first one is the shim's."""
_WRITE: Final = re.compile(r'npu\.write32"?\s*(?:\(\s*\)\s*)?<?\s*\{([^{}]*)\}')
_ATTRIBUTE: Final = re.compile(r"(\w+)\s*=\s*(-?(?:0[xX][0-9a-fA-F]+|\d+))")
_TILE: Final = re.compile(r"(%[\w$.-]+)\s*=\s*aie\.(?:logical_)?tile\b[^()\n]*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_BLOCK: Final = re.compile(r"aie\.trace\s+@[\w$.-]+\s*\(\s*(%[\w$.-]+)\s*\)\s*\{(.*?)\n\s*\}", re.S)
_EVENT: Final = re.compile(r'aie\.trace\.event\s*<\s*"?(\w+)"?\s*>')
_TYPE: Final = re.compile(r'aie\.trace\.packet\b[^\n]*\btype\s*=\s*"?(\w+)')
_TYPES: Final = {"core": Unit.CORE, "mem": Unit.CORE_MEMORY, "shimtile": Unit.SHIM, "shim": Unit.SHIM} | {
    "memtile": Unit.MEMTILE,
    "core_memory": Unit.CORE_MEMORY,
}
_STALL: Final = re.compile(r".*_STALL|PORT_STALLED_\d|.*_STALLED_LOCK|.*BACKPRESSURE")
_STARVED: Final = re.compile(r".*STARVATION")
_LOCK: Final = re.compile(r"LOCK_STALL|.*_STALLED_LOCK")


def is_stall(label: str) -> bool:
    """Whether the unit can not go on while the slot is on."""
    return bool(_STALL.fullmatch(label))


def is_starved(label: str) -> bool:
    """Whether it waits for data."""
    return bool(_STARVED.fullmatch(label))


def is_lock_stall(label: str) -> bool:
    """Whether it waits for a lock: a cycle of that is normal traffic."""
    return bool(_LOCK.fullmatch(label))


def waits_for(label: str) -> str:
    """What a unit waits for while the slot is on: ``lock``, ``port 0``, ``stream of DMA_MM2S_0``."""
    for pattern, text in _WAITS:
        if match := pattern.fullmatch(label):
            return text.format(*(group.lower() if i else group for i, group in enumerate(match.groups())))
    return label


_WAITS: Final = (
    (re.compile(r"PORT_STALLED_(\d)"), "port {0}"),
    (re.compile(r"(.*)_STALLED_(LOCK)"), "{1} of {0}"),
    (re.compile(r"(.*)_(STREAM|MEMORY)_(?:BACKPRESSURE|STARVATION)"), "{1} of {0}"),
    (re.compile(r"()([A-Z_]+)_STALL"), "{1}"),
)


@dataclass
class Labels:
    """slots: by unit in physical columns, a name or None for each slot. words: expected, by unit and label."""

    slots: dict[Place, list[str | None]] = field(default_factory=dict)
    words: dict[Place, dict[str, int]] = field(default_factory=dict)
    floor: int = FLOOR
    notes: list[str] = field(default_factory=list)

    def name(self, tile: Tile, slot: int) -> str | None:
        """Label of a slot, None if it has none."""
        return self.slots.get((tile.unit, tile.row, tile.column), [None] * SLOTS)[slot]

    def shown(self, tile: Tile, slot: int) -> str:
        """The same, ``slot 3`` without one."""
        return self.name(tile, slot) or f"slot {slot}"


@cache
def _events() -> dict[Unit, dict[int, str]]:
    table = json.loads((Path(__file__).parent / "events.json").read_text())
    return {unit: {number: name for name, number in table[unit.name.lower()].items()} for unit in Unit}


def _named(unit: Unit, number: int) -> str | None:
    """Name of an event number; 0 is no event."""
    return (_events()[unit].get(number) or f"event {number}") if number else None


def read_labels(path: str, tiles: Iterable[Tile]) -> Labels:
    """The labels of a TOML or MLIR file for a trace that has ``tiles``; raises NpuscopeError."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NpuscopeError(f"cannot read the labels: {error.strerror}", file=path) from error
    if len(data) > MAX_BYTES:
        raise NpuscopeError("too big for labels", file=path, expected=f"{MAX_BYTES} bytes at most")
    text = data.decode("utf-8-sig", errors="replace")
    if re.search(r"\baiex?\.", text):
        slots = _mlir(text)
        if not slots:
            raise NpuscopeError(
                "no trace event in this MLIR",
                file=path,
                expected="npu.write32 to Trace_Event0 or aie.trace.event",
                hint="give the MLIR after the trace was configured, or labels in TOML",
            )
        return _shifted(Labels(slots), None, list(tiles), path)
    return _toml(load(path, "label file"), list(tiles), path)


def _shifted(labels: Labels, shift: int | None, tiles: list[Tile], path: str) -> Labels:
    """With physical columns. shift None: the only one that gives labels to every tile."""
    present = {(tile.unit, tile.row, tile.column) for tile in tiles}
    if shift is None:
        fits = [
            each
            for each in range(-max(c for _, _, c in labels.slots), 128)
            if present <= {(u, r, c + each) for u, r, c in labels.slots}
        ]
        shift = fits[0] if len(fits) == 1 else 0
        if shift:
            labels.notes.append(f"columns of the design + {shift} = columns of the trace, the only shift that fits")
    labels.slots = {(u, r, c + shift): slots for (u, r, c), slots in labels.slots.items()}
    labels.words = {(u, r, c + shift): words for (u, r, c), words in labels.words.items()}
    for unit, row, column in sorted(present - set(labels.slots)):
        labels.notes.append(f"{path}: no labels for {Tile(unit, row, column).name}")
    return labels


# ---------------------------------------------------------------- MLIR
def _mlir(text: str) -> dict[Place, list[str | None]]:
    text = re.sub(r"//[^\n]*", "", text)
    found: dict[Place, list[str | None]] = {}
    for match in _WRITE.finditer(text):
        values = {name: int(number, 0) for name, number in _ATTRIBUTE.findall(match[1])}
        address, value = values.get("address", -1), values.get("value")
        if value is None:
            continue
        row, column = values.get("row", address >> 20 & 31), values.get("column", address >> 25)
        local = address & 0xF_FFFF
        unit = _EVENT0.get(local & ~7)
        if unit is None or local & 3:
            continue
        if unit is Unit.CORE and row == 0:
            unit = Unit.SHIM
        slots = found.setdefault((unit, row, column), [None] * SLOTS)
        first = local & 4
        for byte in range(4):
            slots[first + byte] = _named(unit, value >> 8 * byte & 255)
    tiles = {name: (int(column), int(row)) for name, column, row in _TILE.findall(text)}
    for name, body in _BLOCK.findall(text):
        if name not in tiles:
            continue
        column, row = tiles[name]
        kind = _TYPE.search(body)
        unit = _TYPES.get(kind[1].lower()) if kind else None
        if unit is None:
            unit = {0: Unit.SHIM, 1: Unit.MEMTILE}.get(row, Unit.CORE)
        events: list[str | None] = list(_EVENT.findall(body)[:SLOTS])
        if events:
            found[unit, row, column] = events + [None] * (SLOTS - len(events))
    return found


# ---------------------------------------------------------------- TOML
_KEYS: Final = ("column_shift", "floor", "unit")
_UNIT_KEYS: Final = ("unit", "row", "column", "slots", "words")


def _toml(table: dict[str, Any], tiles: list[Tile], path: str) -> Labels:
    refuse_unknown(table, _KEYS, "the label file", path)
    labels = Labels(floor=integer(table, "floor", 0, 2**31, path, FLOOR))
    entries = table.get("unit", [])
    if not isinstance(entries, list) or not entries:
        raise NpuscopeError("the labels name no unit", file=path, hint="npuscope signals FILE --propose writes some")
    for entry in entries:
        refuse_unknown(entry, _UNIT_KEYS, "unit", path)
        unit = _TYPES.get(str(entry.get("unit")).lower())
        if unit is None:
            kinds = ", ".join(each.name.lower() for each in Unit)
            raise NpuscopeError("unit is wrong", file=path, found=repr(entry.get("unit")), expected=kinds)
        place = unit, integer(entry, "row", 0, 31, path), integer(entry, "column", 0, 127, path)
        slots = entry.get("slots")
        if not isinstance(slots, list) or len(slots) > SLOTS or not all(isinstance(s, str | int) for s in slots):
            what = f"up to {SLOTS} names or numbers"
            raise NpuscopeError("slots is wrong", file=path, found=repr(slots), expected=what)
        if place in labels.slots:
            raise NpuscopeError(f"{Tile(*place).name} is labelled twice", file=path)
        names = [_named(unit, each) if isinstance(each, int) else each or None for each in slots]
        labels.slots[place] = names + [None] * (SLOTS - len(names))
        words = entry.get("words", {})
        if not isinstance(words, dict) or not all(isinstance(n, int) and n >= 0 for n in words.values()):
            raise NpuscopeError("words is wrong", file=path, found=repr(words), expected="label = number")
        if missing := set(words) - set(filter(None, names)):
            raise NpuscopeError("words of a label that the unit has not", file=path, found=min(missing))
        labels.words[place] = words
    shift = integer(table, "column_shift", -127, 127, path) if "column_shift" in table else None
    return _shifted(labels, shift, tiles, path)
