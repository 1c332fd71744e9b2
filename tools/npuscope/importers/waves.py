"""Waveforms as captures: the levels and handshakes that a ``Mapping`` names, as batches of backpressure records.

A link tells four classes, read before each clock edge: stalled (valid, not ready: full), starved (ready, not valid),
transfer, and idle (neither); what is not valid has no data: empty. With a level beside it, it is the input of a buffer
of that level: full while the producer is held up, empty while the level is 0. Times are floored to ns; without time
unit they are counts, "ticks".
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.encode.mirror import BpLimits
from npuscope.errors import NpuscopeError
from npuscope.importers.emit import MAX_TIME, PS_PER_NS, emit, end_row
from npuscope.importers.levels import FLOWING, FULL, UNKNOWN, Rows, layer_rows, merge_rows, start_rows
from npuscope.importers.links import Link, Sampled, link_of
from npuscope.importers.mapping import LayerSignals, Mapping
from npuscope.importers.waveform import Facts, Signal, Waveform, ints_of
from npuscope.ledger import Cause, Ledger, Window
from npuscope.records.batch import Batch
from npuscope.units import duration

__all__ = ["WaveReader"]

I8 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint64]


class WaveReader:
    """Iterate once: batches in order of time, all sources; then ``ledger``, ``links`` and ``facts`` are complete.

    wave: its names are known, its body is read here. time_unit_ps: picoseconds of one count, overrides the file's own.
    description: the graph in the mapping, None if it names no stage.
    """

    def __init__(self, wave: Waveform, mapping: Mapping, *, time_unit_ps: int | None = None) -> None:
        self.wave, self.mapping, self.ledger = wave, mapping, Ledger(importer=wave.what)
        self._unit = Fraction(time_unit_ps) if time_unit_ps is not None else wave.unit_ps or Fraction(PS_PER_NS)
        if time_unit_ps is None and wave.unit_ps is None:
            self.ledger.time_unit = "tick"
        self.facts = Facts()
        self.links: list[Link] = []

    @property
    def description(self) -> Description | None:
        """The graph that the mapping gives."""
        return self.mapping.description

    def __iter__(self) -> Iterator[Batch]:
        mapping, ledger, file = self.mapping, self.ledger, self.wave.file
        names = [name for layer in mapping.layers for name in layer.names]
        signals = self.wave.signals([*names, mapping.clock] if mapping.clock else names)
        values = {name: ints_of(signal, file) for name, signal in signals.items()}
        self.facts = facts = self.wave.facts()
        edges = _edges(signals[mapping.clock].time, values[mapping.clock], mapping.edge) if mapping.clock else None
        if edges is not None and not len(edges):
            raise NpuscopeError("the clock has no edge", file=file, found=mapping.clock)
        begin, end = self._ns(np.array([facts.first, facts.last], np.uint64)).tolist()
        parts: dict[int, list[Rows]] = {}
        for layer in mapping.layers:
            sampled = self._sampled(layer, signals, values, edges)
            time = self._ns(sampled.time)
            rows = layer_rows(time, _occupancy(layer, sampled), layer.layer, BpLimits())
            parts.setdefault(layer.src, []).append(rows)
            if edges is not None:
                self.links.append(link_of(layer, sampled, time, edges))
        sources = {}
        for each, own in parts.items():
            layers = sum(1 << layer.layer for layer in mapping.layers if layer.src == each)
            sources[each] = merge_rows([start_rows(begin, layers, BpLimits()), *own])
        if facts.whole:
            sources |= end_row(end)
        if edges is not None:
            ledger.lines = len(edges)
        begun = [(end, begin) for end, begin, _ in facts.restarts]
        restarts = set(map(tuple, self._ns(np.array(begun, np.uint64)).reshape(-1, 2).tolist()))
        for low, high in self._ns(np.array(self._gaps, np.uint64)).reshape(-1, 2).tolist():
            cause = Cause.RESTART if (low, high) in restarts else Cause.NOT_RECORDED
            ledger.windows.note(Window(None, 0, low, high, cause, None))
        yield from emit(sources, ledger)
        self._finish()

    def _sampled(
        self, layer: LayerSignals, signals: dict[str, Signal], values: dict[str, I8], edges: U8 | None
    ) -> Sampled:
        """The signals of one layer where one of them may have changed."""
        gaps = np.array(self._gaps, np.uint64).reshape(-1, 2)
        time = np.unique(np.concatenate([*(signals[name].time for name in layer.names), gaps.ravel()]))
        if edges is not None:
            # what is told at a time is read by the first edge after it
            at = np.searchsorted(edges, time, side="right")
            time = np.unique(np.concatenate([edges[at[at < len(edges)]], gaps[:, 0]]))
        off = np.searchsorted(gaps[:, 0], time, side="right") > np.searchsorted(gaps[:, 1], time, side="right")
        columns: list[I8 | None] = []
        for name in (layer.level, layer.valid, layer.ready):
            if name is None:
                columns.append(None)
                continue
            read = _at(signals[name].time, values[name], time, before=edges is not None)
            columns.append(np.where(off, -1, read))
        return Sampled(time, *columns)

    def _ns(self, time: U8) -> I8:
        """Counts as ns, floored; raises NpuscopeError for what does not fit."""
        up, down = self._unit.numerator, self._unit.denominator * PS_PER_NS
        last = int(time.max(initial=0))
        if last * up // down >= MAX_TIME:
            raise NpuscopeError("a time that is too late", file=self.wave.file, found=f"{last} counts")
        if last * up < 2**63:
            return time.astype(np.int64) * up // down
        return np.array([count * up // down for count in time.tolist()], np.int64)

    @property
    def _gaps(self) -> list[tuple[int, int]]:
        """[from, to) counts that were not recorded, between two simulations as well."""
        facts = self.facts
        gaps = [(low, facts.last + 1 if high is None else high) for low, high in facts.gaps]
        return sorted([*gaps, *((end, begin) for end, begin, _ in facts.restarts)])

    def _finish(self) -> None:
        facts, ledger = self.facts, self.ledger
        ledger.files, ledger.total = [self.wave.file], facts.size
        ledger.tail = 0 if facts.cut is None else facts.size - facts.cut[0]
        ledger.text = ledger.total - ledger.tail
        ledger.lines = ledger.lines or facts.changes
        ledger.restarts, ledger.runs, ledger.end_seen = len(facts.restarts), 1 + len(facts.restarts), facts.whole
        for _, begin, told in self.facts.restarts:
            at = duration(int(self._ns(np.array([begin], np.uint64))[0]))
            ledger.note(f"time goes back to {told}: another simulation, put at {at}; what lies between is not known")
        if facts.cut is not None:
            ledger.note(f"byte {facts.cut[0]}: {facts.cut[1]}; everything before it was read")
        for note in facts.notes:
            ledger.note(note)
        for what, count in facts.unknown.items():
            ledger.unknown[what] = ledger.unknown.get(what, 0) + count
        ledger.check()
        ledger.complete = True


def _occupancy(layer: LayerSignals, sampled: Sampled) -> I8:
    """Occupancy code at each time, UNKNOWN where a signal that it needs is."""
    level, valid, ready = sampled.level, sampled.valid, sampled.ready
    code = None if level is None else np.minimum(FULL, 64 * np.minimum(level, layer.depth) // layer.depth)
    if valid is None or ready is None:
        assert level is not None
        assert code is not None
        return np.where(level < 0, UNKNOWN, code)
    stalled, doubt = (valid == 1) & (ready == 0), (valid < 0) | (ready < 0)
    # what may be full or empty for all that x hides is unknown; the rest is known
    if level is None or code is None:
        free = (valid == 0) | (ready == 1)
        return np.select(
            [stalled, doubt & ~free, doubt & (valid < 0), valid == 0], [FULL, UNKNOWN, UNKNOWN, 0], FLOWING
        )
    calm = np.minimum(code, BpLimits().th_off - 1)
    return np.select([stalled, doubt | (level < 0)], [FULL, UNKNOWN], calm)


def _edges(time: U8, value: I8, edge: str) -> U8:
    """Times of the edges: from 0 to 1, from 1 to 0, or both; x and z make none."""
    before, after = value[:-1], value[1:]
    rising, falling = (before == 0) & (after == 1), (before == 1) & (after == 0)
    chosen = {"rising": rising, "falling": falling, "both": rising | falling}[edge]
    times: U8 = time[1:][chosen]
    return times


def _at(told: U8, values: I8, time: U8, *, before: bool) -> I8:
    """Values at each time (just before it), -1 where a bit is x or z or nothing was told yet."""
    index = np.searchsorted(told, time, side="left" if before else "right") - 1
    return np.where(index < 0, -1, values[index]) if len(values) else np.full(len(time), -1)
