"""Waveforms as captures: the levels and handshakes that a ``Mapping`` names, as batches of backpressure records.

A link without level tells four classes, read before each clock edge: stalled by its sink (valid, not ready: full),
starved by its source (ready, not valid: empty), transfer and idle (neither). Times are floored to ns; without time unit
one count is taken as 1 ns, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from npuscope.encode.mirror import BpLimits
from npuscope.errors import NpuscopeError
from npuscope.importers.emit import MAX_TIME, PS_PER_NS, emit, end_row
from npuscope.importers.levels import FLOWING, FULL, UNKNOWN, Rows, layer_rows, merge_rows, start_rows
from npuscope.importers.mapping import LayerSignals, Mapping
from npuscope.importers.vcd import Signal, VcdReader
from npuscope.importers.vcd.body import WORD
from npuscope.ledger import Cause, Ledger, Window
from npuscope.records.batch import Batch

__all__ = ["WaveReader"]

I8 = npt.NDArray[np.int64]


class WaveReader:
    """Iterate once: batches in order of time, all sources; then ``ledger`` is complete.

    vcd: its header is read, its body is read here. time_unit_ps: picoseconds of one count, overrides the file's own.
    """

    def __init__(self, vcd: VcdReader, mapping: Mapping, *, time_unit_ps: int | None = None) -> None:
        self.vcd, self.mapping, self.ledger = vcd, mapping, Ledger(importer="VCD waveform")
        own = vcd.header.unit_ps
        self._unit = Fraction(time_unit_ps) if time_unit_ps is not None else own or Fraction(PS_PER_NS)
        if time_unit_ps is None and own is None:
            self.ledger.note("no time unit in it: one count is taken as 1 ns; see --time-unit")

    def __iter__(self) -> Iterator[Batch]:
        mapping, ledger = self.mapping, self.ledger
        names = [name for layer in mapping.layers for name in layer.names]
        for name in names:
            if (width := self.vcd.variables[name].width) >= WORD:
                raise NpuscopeError(
                    "too wide for a level", file=self.vcd.source.names[0], found=f"{name}: {width} bits"
                )
        signals = self.vcd.signals([*names, mapping.clock] if mapping.clock else names)
        edges = _edges(signals[mapping.clock], mapping.edge) if mapping.clock else None
        if edges is not None and not len(edges):
            raise NpuscopeError("the clock has no edge", file=self.vcd.source.names[0], found=mapping.clock)
        body = self.vcd.body
        begin, end = self._ns(np.array([body.first_time or 0, body.time or 0], np.uint64)).tolist()
        parts: dict[int, list[Rows]] = {}
        for layer in mapping.layers:
            parts.setdefault(layer.src, []).append(self._layer(layer, signals, edges))
        sources = {}
        for each, own in parts.items():
            layers = sum(1 << layer.layer for layer in mapping.layers if layer.src == each)
            sources[each] = merge_rows([start_rows(begin, layers, BpLimits()), *own])
        if not self.vcd.is_cut:
            sources |= end_row(end)
        if edges is not None:
            ledger.lines = len(edges)
        for low, high in self._ns(np.array(self._gaps, np.uint64)).reshape(-1, 2).tolist():
            ledger.windows.note(Window(None, 0, low, high, Cause.NOT_RECORDED, None))
        yield from emit(sources, ledger)
        self._finish()

    def _layer(self, layer: LayerSignals, signals: dict[str, Signal], edges: npt.NDArray[np.uint64] | None) -> Rows:
        """The records of one layer."""
        gaps = np.array(self._gaps, np.uint64).reshape(-1, 2)
        time = np.unique(np.concatenate([*(signals[name].time for name in layer.names), gaps.ravel()]))
        if edges is not None:
            # what is told at a time is read by the first edge after it
            at = np.searchsorted(edges, time, side="right")
            time = edges[np.unique(at[at < len(edges)])]
        values = {name: _at(signals[name], time, before=edges is not None) for name in layer.names}
        if layer.level is not None:
            level = values[layer.level]
            occupancy = np.where(
                level < 0, UNKNOWN, np.minimum(FULL, 64 * np.minimum(level, layer.depth) // layer.depth)
            )
        else:
            assert layer.valid is not None
            assert layer.ready is not None
            valid, ready = values[layer.valid], values[layer.ready]
            occupancy = np.select(
                [(valid < 0) | (ready < 0), valid > ready, ready > valid], [UNKNOWN, FULL, 0], default=FLOWING
            )
        off = np.searchsorted(gaps[:, 0], time, side="right") > np.searchsorted(gaps[:, 1], time, side="right")
        occupancy = np.where(off, UNKNOWN, occupancy)
        return layer_rows(self._ns(time), occupancy.astype(np.int64), layer.layer, BpLimits())

    def _ns(self, time: npt.NDArray[np.uint64]) -> I8:
        """Counts as ns, floored; raises NpuscopeError for what does not fit."""
        up, down = self._unit.numerator, self._unit.denominator * PS_PER_NS
        last = int(time.max(initial=0))
        if last * up // down >= MAX_TIME:
            raise NpuscopeError("a time that is too late", file=self.vcd.source.names[0], found=f"{last} counts")
        if last * up < 2**63:
            return time.astype(np.int64) * up // down
        return np.array([count * up // down for count in time.tolist()], np.int64)

    @property
    def _gaps(self) -> list[tuple[int, int]]:
        """[from, to) counts that were not recorded."""
        end = 1 + (self.vcd.body.time or 0)
        return [(low, end if high is None else high) for low, high in self.vcd.body.gaps]

    def _finish(self) -> None:
        vcd, ledger, body = self.vcd, self.ledger, self.vcd.body
        ledger.files, ledger.total = list(vcd.source.names), vcd.size
        ledger.tail = 0 if vcd.cut is None else vcd.size - vcd.cut[0]
        ledger.text = ledger.total - ledger.tail
        ledger.lines = ledger.lines or body.changes
        ledger.runs, ledger.end_seen = 1, not vcd.is_cut
        if vcd.cut is not None:
            ledger.note(f"byte {vcd.cut[0]}: {vcd.cut[1]}; everything before it was read")
        for note in (*vcd.header.notes, *body.notes, *vcd.source.notes):
            ledger.note(note)
        for what, counts in (("id without $var", body.undeclared), ("", body.unknown), ("", vcd.header.unknown)):
            for name, count in counts.items():
                key = f"{what} {name}".strip()
                ledger.unknown[key] = ledger.unknown.get(key, 0) + count
        ledger.check()
        ledger.complete = True


def _edges(clock: Signal, edge: str) -> npt.NDArray[np.uint64]:
    """Times of the edges: from 0 to 1, from 1 to 0, or both; x and z make none."""
    value = clock.ints()
    before, after = value[:-1], value[1:]
    rising, falling = (before == 0) & (after == 1), (before == 1) & (after == 0)
    chosen = {"rising": rising, "falling": falling, "both": rising | falling}[edge]
    times: npt.NDArray[np.uint64] = clock.time[1:][chosen]
    return times


def _at(signal: Signal, time: npt.NDArray[np.uint64], *, before: bool) -> I8:
    """Values at each time (just before it), -1 where a bit is x or z or nothing was told yet."""
    index = np.searchsorted(signal.time, time, side="left" if before else "right") - 1
    values = signal.ints()
    return np.where(index < 0, -1, values[index]) if len(values) else np.full(len(time), -1)
