"""What the RAS source told, and when it was watching: "no errors" and "not monitored" are different things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.intervals import EMPTY, Intervals, clip, complement, intersect, make, total
from npuscope.layout import SRC_JITTER, SRC_RAS, Cfg, Kind, RasClass, Severity
from npuscope.ledger import MAX_LISTED
from npuscope.tables.events import Break, Chunk, Gap, Setting
from npuscope.tables.rows import RowMaker, valid

__all__ = ["DECISIONS", "NOTES", "Coverage", "RasMeter", "coverage"]

Rows = npt.NDArray[np.void]

DECISIONS: Final = (RasClass.R, RasClass.A, RasClass.S, RasClass.SYNC_LOST, RasClass.REDUNDANCY_EXHAUSTED)
"""Classes that report a fault; each of them shows that the mapper is enabled."""
NOTES: Final = tuple(kind for kind in RasClass if kind not in DECISIONS)
"""Classes that tell what happened to the mapper."""


@dataclass
class RasMeter:
    """Fed with chunks and CFG words in stream order. window: [from, to) ns on the axis. least: smallest severity.

    rows: the first ``MAX_LISTED`` RAS records that are asked for. counts: records by class and severity, all of them.
    states: (run, ns on the axis, enabled) where a record shows whether the mapper is enabled, the first of equal ones.
    samples, good: sync pulses and the valid ones. limits: CFG words 8 to 13 last told. spans: per run the first and
    last ns on the axis of any row or CFG word.
    """

    window: tuple[int, int] | None = None
    least: Severity = Severity.INFORMATIONAL
    rows: list[Rows] = field(default_factory=list)
    shown: int = 0
    counts: Counter[tuple[int, int]] = field(default_factory=Counter)
    injected: int = 0
    states: list[tuple[int, int, bool]] = field(default_factory=list)
    samples: int = 0
    good: int = 0
    limits: dict[int, int] = field(default_factory=dict)
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._maker = RowMaker(Kind.RAS)
        self._gone = False  # records are missing since the last state

    def feed(self, run: int, chunks: Sequence[Chunk], settings: Sequence[Setting]) -> None:
        """Take what belongs to one run of the stream."""
        for setting in settings:
            if setting.src == SRC_RAS and Cfg.R_LIMIT <= setting.word <= Cfg.A_HOLDOFF:
                self.limits[setting.word] = setting.value
            self._seen(run, setting.time, setting.time)
        for chunk in chunks:
            self._seen(run, int(chunk.time.min()), int(chunk.time.max()))
            pulses = np.flatnonzero(self._inside(chunk.time) & (chunk.kind == Kind.JITTER))
            self.samples += len(pulses)
            self.good += int(np.count_nonzero(valid(chunk.sub[pulses])))
        for rows in self._maker.feed(chunks):
            self._state(run, rows)
            self._keep(rows)

    def _seen(self, run: int, first: int, last: int) -> None:
        low, high = self.spans.get(run, (first, last))
        self.spans[run] = min(low, first), max(high, last)

    def _inside(self, time: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        low, high = self.window or (-(1 << 62), 1 << 62)
        return (time >= low) & (time < high)

    def _state(self, run: int, rows: Rows) -> None:
        shows = np.isin(rows["class"], [*DECISIONS, RasClass.ENABLED, RasClass.DISABLED]) & (rows["injected"] == 0)
        on = rows["class"] != RasClass.DISABLED
        for i in np.flatnonzero(shows | (rows["broken"] >= Break.LOSS)).tolist():
            self._gone |= bool(rows["broken"][i] >= Break.LOSS)
            state = run, int(rows["time"][i]), bool(on[i])
            fresh = not self.states or self.states[-1][::2] != state[::2] or self._gone
            if shows[i] and fresh and len(self.states) < MAX_LISTED:
                self.states.append(state)
                self._gone = False

    def _keep(self, rows: Rows) -> None:
        rows = rows[self._inside(rows["time"])]
        pairs, numbers = np.unique(rows["class"].astype(np.int64) << 2 | rows["severity"], return_counts=True)
        for pair, number in zip(pairs.tolist(), numbers.tolist(), strict=True):
            self.counts[pair >> 2, pair & 3] += number
        self.injected += int(np.count_nonzero(rows["injected"]))
        rows = rows[rows["severity"] >= self.least]
        room = MAX_LISTED - sum(map(len, self.rows))
        self.shown += len(rows)
        if room > 0 and len(rows):
            self.rows.append(rows[:room])


@dataclass(frozen=True)
class Coverage:
    """ns in which faults would have been told (watched), would not (off: the mapper was disabled), or not known.

    holes: the part of ``unknown`` in which records of the RAS or jitter source may be missing.
    """

    watched: int
    off: int
    unknown: int
    holes: int


def coverage(meter: RasMeter, gaps: Iterable[Gap]) -> Coverage:
    """When the mapper was enabled, as far as the records show. gaps: of ``events.Reader``, with both sources."""
    gaps = list(gaps)
    sums = np.zeros(4, np.int64)
    for run, (first, last) in meter.spans.items():
        low, high = (first, last + 1) if meter.window is None else (max(first, meter.window[0]), meter.window[1])
        high = min(high, last + 1)
        if low >= high:
            continue
        own = [gap for gap in gaps if gap.run == run and gap.src in (SRC_RAS, SRC_JITTER)]
        told = [gap for gap in own if gap.src == SRC_RAS]
        holes = make([gap.from_ns for gap in own], [gap.to_ns + 1 for gap in own])
        on, off = _states([s for s in meter.states if s[0] == run], told, last + 1)
        lost = clip(holes, low, high) if len(holes) else EMPTY
        clear = complement(lost, low, high)
        watched, idle = (_common(each, clear) for each in (on, off))
        sums += [watched, idle, high - low - watched - idle, total(lost)]
    return Coverage(*(int(each) for each in sums))


def _common(first: Intervals, second: Intervals) -> int:
    return total(intersect(first, second))


def _states(states: Sequence[tuple[int, int, bool]], gaps: Sequence[Gap], end: int) -> tuple[Intervals, Intervals]:
    """Where the mapper is surely enabled and surely disabled: from a record that shows it to the next gap or record."""
    starts: dict[bool, list[int]] = {True: [], False: []}
    ends: dict[bool, list[int]] = {True: [], False: []}
    begins = np.sort(np.array([gap.from_ns for gap in gaps], np.int64))
    for index, (_, time, on) in enumerate(states):
        until = states[index + 1][1] if index + 1 < len(states) else end
        place = int(np.searchsorted(begins, time, side="right"))
        until = min(until, int(begins[place])) if place < len(begins) else until
        starts[on].append(time)
        ends[on].append(until)
    return make(starts[True], ends[True]), make(starts[False], ends[False])
