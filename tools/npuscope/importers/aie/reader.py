"""An AIE trace as a capture: the stall slots of its tiles as lanes that are full (stalled) or empty (starved).

A slot whose label is a stall is full while it is on, one that waits for data is empty while it is on, and neither
while it is off. Lock stalls shorter than the floor are normal traffic and left out. Before a unit's first Start, from
its last cycle on, between its runs and where a dropped packet may have moved its times it is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.description import Buffer, Description
from npuscope.encode.mirror import BpLimits
from npuscope.errors import NpuscopeError
from npuscope.importers.aie.decode import PACKET_WORDS, read_aie
from npuscope.importers.aie.labels import Labels, is_lock_stall, is_stall, is_starved, read_labels, waits_for
from npuscope.importers.aie.tile import SLOTS, Tile
from npuscope.importers.emit import MAX_TIME, PS_PER_NS, emit, end_row
from npuscope.importers.levels import FLOWING, FULL, UNKNOWN, Rows, layer_rows, merge_rows, start_rows
from npuscope.layout import MAX_LAYERS, SRC_MARK
from npuscope.ledger import Cause, Ledger, Window
from npuscope.records.batch import Batch
from npuscope.source import Source

__all__ = ["AieReader"]

I8 = npt.NDArray[np.int64]

READ_BYTES: Final = 1 << 20
NO_COMMAND: Final = "byte that is no command"
MAX_UNITS: Final = SRC_MARK * MAX_LAYERS // SLOTS


class AieReader:
    """Decodes at once; iterate once: batches in order of time; then ``ledger`` is complete.

    source: opened with ``accept=("aie",)``. labels: TOML or MLIR file. clock_period_ps: of the array; None: times are
    cycles. description: its lanes, each on its own, named by what they wait for.
    """

    def __init__(self, source: Source, *, labels: str | None = None, clock_period_ps: int | None = None) -> None:
        self.source, self.ledger = source, Ledger(importer="AIE2 event trace")
        data = bytearray()
        buffer = bytearray(READ_BYTES)
        while got := source.fill(memoryview(buffer)):
            data += buffer[:got]
        self.size = len(data)
        self.trace = read_aie(bytes(data), source.names[0])
        self.labelled = labels is not None
        self.labels = Labels() if labels is None else read_labels(labels, self.trace.tiles)
        self._period = clock_period_ps or PS_PER_NS
        if clock_period_ps is None:
            self.ledger.time_unit = "cycle"
        if len(self.trace.tiles) > MAX_UNITS:
            raise NpuscopeError(
                "too many trace units", file=source.names[0], found=str(len(self.trace.tiles)), expected=f"{MAX_UNITS}"
            )
        self.lanes = [
            (number * SLOTS + slot, tile, slot, self.labels.shown(tile, slot))
            for number, tile in enumerate(self.trace.tiles)
            for slot in range(SLOTS)
            if self._is_lane(tile, slot)
        ]
        buffers = tuple(_buffer(*lane) for lane in self.lanes)
        self.description = Description(buffers, assumed=True, assumed_as="single slots")

    def _is_lane(self, tile: Tile, slot: int) -> bool:
        """Labelled: a stall or starvation. Without any labels: every slot that was ever on."""
        label = self.labels.name(tile, slot)
        if label is None:
            return not self.labelled and bool((tile.spans["slot"] == slot).any())
        return is_stall(label) or is_starved(label)

    def __iter__(self) -> Iterator[Batch]:
        self._account()
        tiles = [tile for tile in self.trace.tiles if tile.last is not None]
        begin, end = min((t.starts[0] for t in tiles), default=0), max((t.last or 0 for t in tiles), default=0) + 1
        if max(end, *(high for t in tiles for _, high in t.segments), 0) * self._period // PS_PER_NS >= MAX_TIME:
            raise NpuscopeError("a time that is too late", file=self.source.names[0], found=f"{end} cycles")
        parts: dict[int, list[Rows]] = {}
        short = 0
        for number, tile, slot, label in self.lanes:
            time, occupancy, dropped = _lane(tile, slot, label, self.labels.floor)
            short += dropped
            rows = layer_rows(self._ns(time), occupancy, number % MAX_LAYERS, BpLimits())
            parts.setdefault(number // MAX_LAYERS, []).append(rows)
        if short:
            self.ledger.note(f"{short} lock stalls under {self.labels.floor} cycles are normal traffic, left out")
        start = int(self._ns(np.array([begin]))[0])
        sources = {}
        for src, own in parts.items():
            layers = sum(1 << number % MAX_LAYERS for number, *_ in self.lanes if number // MAX_LAYERS == src)
            sources[src] = merge_rows([start_rows(start, layers, BpLimits()), *own])
        for low, high in self._damage(end):
            first, last = self._ns(np.array([low, high])).tolist()
            self.ledger.windows.note(Window(None, 0, first, last, Cause.DAMAGE, None))
        yield from emit(sources | end_row(int(self._ns(np.array([end]))[0])), self.ledger)
        self.ledger.check()
        self.ledger.complete = True

    def _ns(self, cycles: I8) -> I8:
        last = int(cycles.max(initial=0))
        if last * self._period < 2**63:
            return cycles * self._period // PS_PER_NS
        return np.array([cycle * self._period // PS_PER_NS for cycle in cycles.tolist()], np.int64)

    def _damage(self, end: int) -> list[tuple[int, int]]:
        """[from, to) cycles in which a dropped packet may have moved the times of some unit."""
        if not self.trace.bad_headers:
            return []
        doubts = [(low, end if high is None else high) for t in self.trace.tiles for low, high in t.doubtful]
        return [(min((low for low, _ in doubts), default=end), max((high for _, high in doubts), default=end))]

    def _account(self) -> None:
        ledger, trace = self.ledger, self.trace
        ledger.files, ledger.total, ledger.runs = list(self.source.names), self.size, 1
        word = self.size / trace.words
        ledger.bad = round(len(trace.bad_headers) * PACKET_WORDS * word)
        ledger.tail = round(trace.last_packet % PACKET_WORDS * word)
        ledger.text = self.size - ledger.bad - ledger.tail
        ledger.lines = sum(len(tile.spans) for tile in trace.tiles)
        ledger.end_seen = not (trace.full or any(tile.cut for tile in trace.tiles) or self.source.cut)
        if trace.full:
            ledger.note("the buffer is full: capture stopped there, what came later is not in it")
        if not self.labelled:
            ledger.note("no labels: which slots are stalls is not known; give --map with the MLIR or a TOML")
        for text in (
            *self.source.notes,
            *self.labels.notes,
            *trace.notes,
            *(n for tile in trace.tiles for n in tile.notes),
        ):
            ledger.note(text)
        for tile in trace.tiles:
            if tile.cut:
                ledger.note(f"{tile.name}: its data is cut, what is on at its end did not end there")
            if tile.unknown:
                ledger.unknown[NO_COMMAND] = ledger.unknown.get(NO_COMMAND, 0) + tile.unknown
            if len(tile.starts) > 1:
                ledger.note(f"{tile.name}: {len(tile.starts)} runs; spans are cut where one ends")
            for name, expected in self.labels.words.get((tile.unit, tile.row, tile.column), {}).items():
                self._check_words(tile, name, expected)

    def _check_words(self, tile: Tile, name: str, expected: int) -> None:
        """A port moves a word in each cycle in which it runs."""
        slot = next(slot for slot in range(SLOTS) if self.labels.name(tile, slot) == name)
        spans = tile.spans[tile.spans["slot"] == slot]
        found = int((spans["end"] - spans["start"]).sum())
        whole = not (tile.cut or tile.doubtful or self.trace.full)
        moved = f"{tile.name} {name}: {found} words moved"
        if found == expected:
            self.ledger.note(f"{moved}, as expected")
        elif found < expected and not whole:
            self.ledger.note(f"{moved} of {expected} expected, but not all of it was recorded")
        else:
            self.ledger.conflict(f"{moved}, {expected} expected")


def _buffer(number: int, tile: Tile, slot: int, label: str) -> Buffer:
    """A lane on its own: a stalled unit waits for what is behind the lane, a starved one for what is before it."""
    src, layer, name = number // MAX_LAYERS, number % MAX_LAYERS, f"{tile.name} {label}"
    if is_starved(label):
        return Buffer(number, src, layer, name, f"{waits_for(label)} of {tile.name}", (tile.name,))
    return Buffer(number, src, layer, name, tile.name, (f"{waits_for(label)} of {tile.name}",))


def _lane(tile: Tile, slot: int, label: str, floor: int) -> tuple[I8, I8, int]:
    """(cycle, occupancy from there on) of a slot, and how many lock stalls were too short to count."""
    spans = tile.spans[tile.spans["slot"] == slot]
    dropped = 0
    if is_lock_stall(label):
        short = (spans["end"] - spans["start"] < floor) & ~spans["open"]
        dropped, spans = int(np.count_nonzero(short)), spans[~short]
    start, end = np.sort(spans["start"]), np.sort(spans["end"])
    known = np.array([(low, high + 1) for low, high in tile.segments], np.int64).reshape(-1, 2)
    last = max((high + 1 for _, high in tile.segments), default=0)
    doubt = np.array([(low, last if high is None else high) for low, high in tile.doubtful], np.int64).reshape(-1, 2)
    time = np.unique(np.concatenate([start, end, known.ravel(), doubt.ravel()]))
    on = _inside(time, start, end)
    told = _inside(time, known[:, 0], known[:, 1]) & ~_inside(time, doubt[:, 0], doubt[:, 1])
    occupancy = np.where(told, np.where(on, 0 if is_starved(label) else FULL, FLOWING), UNKNOWN)
    return time, occupancy.astype(np.int64), dropped


def _inside(time: I8, start: I8, end: I8) -> npt.NDArray[np.bool_]:
    """Which times lie in one of the intervals [start, end)."""
    found: npt.NDArray[np.bool_] = np.searchsorted(np.sort(start), time, side="right") > np.searchsorted(
        np.sort(end), time, side="right"
    )
    return found
