"""Statistics of sync jitter: period, cycle to cycle, time error; against limits; split where samples are missing.

All values are integers in 1/256 ns. A stretch is a run of valid samples without an invalid one, a saturated one or a
hole in it: nothing is measured across its ends. The time error (TIE) of a stretch is 0 at the pulse before its first
sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import SRC_RAS, Cfg, JitterSub, Kind
from npuscope.ledger import MAX_LISTED
from npuscope.tables.events import Break, Chunk, Picker, Setting
from npuscope.tables.rows import SATURATED, valid
from npuscope.tables.spread import Spread
from npuscope.tables.wander import Wander

__all__ = ["FRACTION", "LIMIT_WORDS", "JitterMeter", "Limit", "Sample", "Stretch", "reason"]

I8 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LIMIT_WORDS: Final = {"R": Cfg.R_LIMIT, "A": Cfg.A_LIMIT, "S": Cfg.S_LIMIT}
FRACTION: Final = 256
"""Units of jitter in a ns."""
STEP: Final = 1
"""One quantisation step: a sample at most this far from a limit is marginal."""
WORST: Final = 8
"""Largest samples kept."""
MARGINAL: Final = 64
"""Marginal samples kept of each limit."""
_BREAK: Final = 16
_SATURATED: Final = 15


@dataclass
class Limit:
    """A limit on |jitter|: value in force (None = not told yet), how often it changed, and what was found.

    over: valid samples with |jitter| > value, each against the value in force. marginal: those at most one step away.
    judged: valid samples that there was a value for.
    """

    name: str
    value: int | None = None
    changes: int = 0
    over: int = 0
    marginal: int = 0
    judged: int = 0


@dataclass(frozen=True)
class Sample:
    """A sample to look at: ns on the axis and TAI, its jitter; limit: name and value where it is marginal."""

    time_ns: int
    tai_ns: int
    jitter: int
    limit: str = ""
    value: int = 0


@dataclass
class Stretch:
    """why: what is in front of it, see ``reason``. start_ns, end_ns: first and last sample on the axis.

    low, high: of the jitter; tie_low, tie_high, tie_end: of the time error. clipped: cut by the window.
    """

    why: int
    start_ns: int
    end_ns: int
    count: int
    low: int
    high: int
    tie_low: int
    tie_high: int
    tie_end: int


def reason(why: int) -> str:
    """What stands in front of a stretch, in words."""
    if why >= _BREAK:
        return Break(why - _BREAK).name.lower().replace("_", " ")
    if why == _SATURATED:
        return "saturated"
    return JitterSub(why).name.lower().replace("_", " ")


@dataclass
class JitterMeter:
    """Fed with the rows of one jitter source. limits: name -> 1/256 ns; without, those that CFG tells are judged.

    missed: take MISSED and EARLY samples as they stand; else they are left out like invalid ones. wander: MTIE and
    TDEV too. listed: keep the stretches one by one, ``MAX_LISTED`` of them.
    """

    src: int
    given: Mapping[str, int] | None = None
    missed: bool = True
    wander: Wander | None = None
    listed: bool = False
    window: tuple[int, int] | None = None
    period: Spread = field(default_factory=Spread)
    cycle: Spread = field(default_factory=Spread)
    tie: Spread = field(default_factory=Spread)
    tie_range: int = 0
    samples: int = 0
    subs: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(16, np.int64))
    saturated: int = 0
    stretches: int = 0
    reasons: Counter[int] = field(default_factory=Counter)
    table: list[Stretch] = field(default_factory=list)
    nominal: int | None = None
    nominal_changes: int = 0
    worst: list[Sample] = field(default_factory=list)
    marginal: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        given = self.given or {}
        self.limits = {name: Limit(name, given.get(name)) for name in (given or LIMIT_WORDS)}
        self._picker = Picker(Kind.JITTER)
        self._nominal: dict[int, int] = {}
        self._told: dict[tuple[int, int], int] = {}
        self._last: tuple[bool, int, int] = (False, 0, _BREAK | Break.START)  # in a stretch, its value, else why not
        self._open: Stretch | None = None

    def feed(self, chunks: Sequence[Chunk], settings: Sequence[Setting]) -> None:
        """Take the chunks and CFG words of one batch."""
        waiting = []
        for setting in settings:  # most of them repeat what is known
            key = setting.src, setting.word
            if setting.src in (self.src, SRC_RAS) and self._told.get(key) != setting.value:
                self._told[key] = setting.value
                waiting.append(setting)
        for chunk in chunks:
            if chunk.src != self.src:
                continue
            rows = self._inside(self._picker.feed(chunk))
            start = 0
            while waiting and len(rows) and waiting[0].at < rows.at[-1]:
                stop = int(np.searchsorted(rows.at, waiting[0].at))
                self._judge(rows.part(start, stop))
                self._set(waiting.pop(0))
                start = stop
            if len(rows):
                self._judge(rows.part(start, len(rows)))
                self._measure(rows)
        for setting in waiting:
            self._set(setting)

    def _inside(self, rows: Chunk) -> Chunk:
        if self.window is None or not len(rows):
            return rows
        inside = np.flatnonzero((rows.time >= self.window[0]) & (rows.time < self.window[1]))
        return rows if len(inside) == len(rows) else rows.pick(inside)

    def _set(self, setting: Setting) -> None:
        if setting.src == self.src and setting.word in (Cfg.T_NOMINAL_LO, Cfg.T_NOMINAL_HI):
            self._nominal[setting.word] = setting.value
            if len(self._nominal) == 2:
                value = (self._nominal[Cfg.T_NOMINAL_HI] & 0xFFFF) << 32 | self._nominal[Cfg.T_NOMINAL_LO]
                self.nominal_changes += self.nominal is not None and value != self.nominal
                self.nominal = value
        if self.given is None and setting.src == SRC_RAS:
            for name, word in LIMIT_WORDS.items():
                if word == setting.word:
                    limit = self.limits[name]
                    limit.changes += limit.value is not None and limit.value != setting.value
                    limit.value = setting.value

    def _taken(self, rows: Chunk) -> Mask:
        taken = valid(rows.sub)
        if not self.missed:
            taken &= rows.sub == JitterSub.OK
        return taken

    def _judge(self, rows: Chunk) -> None:
        """Hold the samples against the limits in force."""
        if not len(rows):
            return
        taken = self._taken(rows)
        magnitude = np.abs(rows.payload.view(np.int32).astype(np.int64))
        for limit in self.limits.values():
            if limit.value is None:
                continue
            near = taken & (magnitude >= limit.value - STEP)
            limit.judged += int(np.count_nonzero(taken))
            index = np.flatnonzero(near)
            if not len(index):
                continue
            limit.over += int(np.count_nonzero(magnitude[index] > limit.value))
            index = index[magnitude[index] <= limit.value + STEP]
            room = max(0, MARGINAL - limit.marginal)
            limit.marginal += len(index)
            self.marginal += [_sample(rows, i, limit) for i in index[:room].tolist()]

    def _measure(self, rows: Chunk) -> None:
        jitter = rows.payload.view(np.int32).astype(np.int64)
        taken = self._taken(rows)
        self.samples += len(rows)
        self.subs += np.bincount(rows.sub, minlength=16)
        magnitude = np.abs(jitter)
        full = taken & (magnitude >= SATURATED)
        self.saturated += int(np.count_nonzero(full))
        self.period.feed(jitter[taken])
        self._keep_worst(rows, np.where(taken, magnitude, -1))
        good = taken & ~full
        inside, value, why = self._last
        before = np.append(inside, good[:-1])
        joined = good & before & (rows.cause == 0)
        self.cycle.feed((jitter - np.append(value, jitter[:-1]))[joined])
        blocked = np.where(full, _SATURATED, rows.sub)
        front = np.append(why, blocked[:-1])
        front = np.where(rows.cause > 0, _BREAK | rows.cause, front)
        self._stretch(rows.time[good], jitter[good], ~joined[good], front[good])
        last = len(rows) - 1
        self._last = bool(good[last]), int(jitter[last]), int(blocked[last])

    def _stretch(self, time: I8, jitter: I8, starts: Mask, front: I8) -> None:
        """Time error and stretches of good samples; starts: the first of each stretch."""
        first = np.flatnonzero(starts)
        self.stretches += len(first)
        self.reasons.update(front[first].tolist())
        if not len(jitter):
            return
        bounds = np.unique(np.append(0, first))
        total = np.cumsum(jitter)
        base = np.zeros(len(bounds), np.int64)
        base[1:] = total[bounds[1:] - 1]
        if not starts[0] and self._open is not None:
            base[0] = -self._open.tie_end
        error = total - np.repeat(base, np.diff(np.append(bounds, len(jitter))))
        self.tie.feed(error)
        self.tie.feed(np.zeros(len(first), np.int64))
        last = np.append(bounds[1:], len(jitter)) - 1
        low = np.minimum(np.minimum.reduceat(error, bounds), 0)
        high = np.maximum(np.maximum.reduceat(error, bounds), 0)
        if not starts[0] and self._open is not None:
            low[0], high[0] = min(low[0], self._open.tie_low), max(high[0], self._open.tie_high)
        self.tie_range = max(self.tie_range, int((high - low).max()))
        smallest, largest = np.minimum.reduceat(jitter, bounds), np.maximum.reduceat(jitter, bounds)

        def stretch(i: int) -> Stretch:
            return Stretch(
                why=int(front[bounds[i]]),
                start_ns=int(time[bounds[i]]),
                end_ns=int(time[last[i]]),
                count=int(last[i] - bounds[i] + 1),
                low=int(smallest[i]),
                high=int(largest[i]),
                tie_low=int(low[i]),
                tie_high=int(high[i]),
                tie_end=int(error[last[i]]),
            )

        end = len(bounds) - 1
        for i in range(len(bounds)) if self.listed and len(self.table) < MAX_LISTED else sorted({0, end}):
            if i == 0 and not starts[0] and self._open is not None:
                self._open = _joined(self._open, stretch(i))
            else:
                self._close()
                self._open = stretch(i)
        if self.wander is not None:
            for i, (begin, stop) in enumerate(zip(bounds.tolist(), (last + 1).tolist(), strict=True)):
                if i or starts[0]:
                    self.wander.cut()
                    self.wander.feed(np.zeros(1, np.int64))
                self.wander.feed(error[begin:stop])

    def _close(self) -> None:
        if self.listed and self._open is not None and len(self.table) < MAX_LISTED:
            self.table.append(self._open)
        self._open = None

    def finish(self) -> None:
        """The capture is over."""
        self._close()

    def _keep_worst(self, rows: Chunk, magnitude: I8) -> None:
        least = abs(self.worst[-1].jitter) if len(self.worst) == WORST else -1
        index = np.flatnonzero(magnitude > least)
        if len(index) > WORST:
            index = np.sort(index[np.argsort(-magnitude[index], kind="stable")[:WORST]])
        found = [*self.worst, *(_sample(rows, i) for i in index.tolist())]
        self.worst = sorted(found, key=lambda sample: -abs(sample.jitter))[:WORST]


def _sample(rows: Chunk, index: int, limit: Limit | None = None) -> Sample:
    jitter = int(rows.payload[index : index + 1].view(np.int32)[0])
    where = int(rows.time[index]), int(rows.ts[index]), jitter
    return Sample(*where) if limit is None else Sample(*where, limit.name, limit.value or 0)


def _joined(first: Stretch, second: Stretch) -> Stretch:
    return Stretch(
        first.why,
        first.start_ns,
        second.end_ns,
        first.count + second.count,
        min(first.low, second.low),
        max(first.high, second.high),
        min(first.tie_low, second.tie_low),
        max(first.tie_high, second.tie_high),
        second.tie_end,
    )
